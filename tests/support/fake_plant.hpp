#pragma once
// A plant that is not a simulation to who uses it: arms behind a line, with a clock and a rate of
// their own, noise that is another one each time it is made, and packets that are lost.
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "plant/scene_layout.hpp"

namespace handspan::test {

/// What fake plants did, for a test; outlives them.
struct FakeDiary {
  int made = 0;
  std::uint64_t observations = 0, lost = 0, writes = 0, waits = 0, advances = 0;
};

struct FakeOptions {
  Nanoseconds period = 1'000'000;         // of its observations
  double noise = 1e-7;                    // [rad]
  double loss = 0.0;                      // chance of a packet
  std::uint64_t ends_after = UINT64_MAX;  // observations that are waited for
};

class FakePlant : public Plant {
 public:
  /// Its clock began long ago.
  static constexpr Nanoseconds kEpoch = 77 * kSecond;

  FakePlant(const Scene& scene, const std::vector<std::string>& robots, const FakeOptions& options,
            FakeDiary& diary)
      : arms_(scene, robots),
        layout_(scene_layout(scene, robots)),
        options_(options),
        diary_(diary),
        random_(static_cast<std::uint64_t>(++diary.made), "fake plant") {
    layout_.period = options.period;
    for (auto& group : layout_.groups) group.rate = Rate::from_period(options.period);
    observation_ = arms_.read();
    look();
  }

  const PlantLayout& layout() const override { return layout_; }
  const Observation& read() override { return observation_; }
  void write(const Command& command) override {
    ++diary_.writes;
    last_ = command;
    arms_.write(command);
  }
  bool wait() override {
    if (diary_.waits == options_.ends_after) return false;
    ++diary_.waits;
    next();
    return true;
  }
  void poll(Nanoseconds now) override {
    while (time_ + options_.period <= now) next();
  }
  void advance() override { ++diary_.advances; }
  const CommandFaults& faults() const override { return arms_.faults(); }
  void tare(int sensor) override { arms_.tare(sensor); }
  bool recover() override {
    status = PlantStatus::kRunning;
    look();
    return true;
  }
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}

  MujocoPlant& arms() { return arms_; }
  const Command& last() const { return last_; }
  PlantStatus status = PlantStatus::kRunning;

 private:
  void next() {
    time_ += options_.period;
    ++diary_.observations;
    ++sequence_;
    while (arms_.time() < time_) arms_.advance();
    while (options_.loss > 0.0 && random_.uniform() < options_.loss) {
      ++sequence_;
      ++diary_.lost;
    }
    look();
  }
  void look() {
    const Observation& o = arms_.read();
    for (std::size_t g = 0; g < o.groups.size(); ++g) {
      observation_.groups[g].q = o.groups[g].q;
      observation_.groups[g].v = o.groups[g].v;
      observation_.groups[g].tau = o.groups[g].tau;
      for (double& q : observation_.groups[g].q) q += options_.noise * random_.uniform();
    }
    for (std::size_t s = 0; s < o.wrenches.size(); ++s) observation_.wrenches[s] = o.wrenches[s];
    observation_.sequence = sequence_;
    observation_.stamp = kEpoch + time_;
    observation_.status = status;
  }

  MujocoPlant arms_;
  PlantLayout layout_;
  FakeOptions options_;
  FakeDiary& diary_;
  RandomStream random_;
  Observation observation_;
  Command last_;
  Nanoseconds time_ = 0;
  std::uint64_t sequence_ = 5000;
};

}  // namespace handspan::test
