#pragma once
// A scripted person in place of a headset, or of whatever else they hold: a closed-loop policy that
// sees what a person would see (channels), and acts as late, as shakily and as approximately as
// one. Lives in the loop's time and is deterministic from its seed. Registered as the device
// `person`; its layout is that of what is held (held_device.hpp). Does not follow moving targets
// ahead of what was seen, and does not feel forces but by channels.
#include <algorithm>
#include <array>

#include "person/person_hand.hpp"

namespace handspan {

class Person : public Device {
 public:
  /// @throws InputError for a control that what is held has not
  Person(const PersonConfig& config, const DeviceContext& context);

  const DeviceLayout& layout() const override;
  void watch(const ChannelTable& channels) override;
  bool sample(Nanoseconds now, Input& input) override;

  /// The step of the script that the person is at; its length when it is over or given up.
  std::size_t step() const { return std::min(step_, config_.script.size()); }
  /// How often the person began the script before, to its end or not.
  std::uint64_t round() const { return round_; }
  bool over() const { return step_ >= config_.script.size() && !giving_up_; }
  const PersonHand& hand(std::size_t side) const { return hands_[side]; }

 private:
  void schedule();
  void begin(std::size_t step, Nanoseconds now);
  void begin_anew(Nanoseconds now);
  void give_up(Nanoseconds now);
  void came_back(Nanoseconds now);
  void advance(Nanoseconds now);

  PersonConfig config_;
  Sight sight_;
  std::array<PersonHand, 2> hands_;
  std::vector<std::size_t> anew_;  // of config_.anew_when, in the sight
  RandomStream times_;
  DeviceSample sample_;
  const ChannelTable* channels_ = nullptr;
  bool started_ = false;
  std::int64_t count_ = 0;             // of samples
  Nanoseconds origin_ = 0, next_ = 0;  // of the first and of the next sample [ns]
  Nanoseconds asked_ = 0;              // for a sample, last [ns]
  std::size_t step_ = 0;               // of the script; from its length on of `give_up`
  bool giving_up_ = false;
  std::uint64_t round_ = 0;
};

/// person, who can hold what is in `held` now.
void register_person(DeviceRegistry& registry, const MappingRegistry& mappings,
                     const HeldDeviceRegistry& held);

}  // namespace handspan
