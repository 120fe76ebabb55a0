#pragma once
// A scripted person in place of a headset: a closed-loop policy that sees what a person would see
// (channels), and acts as late, as shakily and as approximately as one. Lives in the loop's time
// and is deterministic from its seed. Registered as the device `person`; its layout is the
// headset's. Does not follow moving targets ahead of what she saw, and does not feel forces but by
// channels.
#include <array>

#include "teleop/person_hand.hpp"

namespace handspan {

class Person : public Device {
 public:
  /// @throws InputError for a control that is not a headset's
  Person(const PersonConfig& config, const DeviceContext& context);

  const DeviceLayout& layout() const override;
  void watch(const ChannelTable& channels) override;
  bool sample(Nanoseconds now, Input& input) override;

  /// The step she is at; the script's length when it is over.
  std::size_t step() const { return step_; }
  bool over() const { return step_ >= config_.script.size(); }
  const PersonHand& hand(std::size_t side) const { return hands_[side]; }

 private:
  void schedule();

  PersonConfig config_;
  std::array<PersonHand, 2> hands_;
  RandomStream times_;
  DeviceSample sample_;
  const ChannelTable* channels_ = nullptr;
  bool started_ = false;
  std::int64_t count_ = 0;             // of samples
  Nanoseconds origin_ = 0, next_ = 0;  // of the first and of the next sample [ns]
  std::size_t step_ = 0;
  std::uint64_t round_ = 0;
};

/// person.
void register_person(DeviceRegistry& registry);

}  // namespace handspan
