#pragma once
// A device of the tests: two poses, a trigger, a stick and a button, at 100 samples a second.
#include "device/device_state.hpp"

namespace handspan::test {

inline const DeviceLayout& pad_layout() {
  static const DeviceLayout layout = {
      {"left", "right"}, {"trigger", "stick"}, {"a", "b"}, {{"rumble"}}};
  return layout;
}

/// A device and its clock. Every sample is of the next hundredth of a second, unless said.
class Pad {
 public:
  explicit Pad(const DeviceLimits& limits = {}) : state("pad", pad_layout(), limits) {
    track(Eigen::Vector3d(0.1, 1.0, -0.3));
    sample.set_axis(0, 0.0);
    sample.set_axis(1, 0.0);
    sample.set_button(0, false);
    sample.set_button(1, false);
  }
  void track(const Eigen::Vector3d& p, TrackedAs as = TrackedAs::kController,
             const Eigen::Quaterniond& q = Eigen::Quaterniond::Identity()) {
    for (std::size_t i = 0; i < 2; ++i) sample.set_pose(i, as, p, q);
  }
  Moment moment() const { return {now / 1'000'000, now, 1e-3, nullptr}; }
  /// The sample as it is now, a period later.
  void send(int times = 1) {
    for (int i = 0; i < times; ++i) {
      wait(10);
      stamp += 10'000'000;
      give();
    }
  }
  void give() {
    sample.set_stamp(stamp);
    state.receive(moment(), sample.input());
    state.update(moment());
  }
  /// Nothing comes for some ticks of a millisecond.
  void wait(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      now += 1'000'000;
      state.update(moment());
    }
  }
  const PoseTrack& left() const { return state.pose(0); }

  Nanoseconds now = 0, stamp = 5'000'000'000'000;
  DeviceSample sample{"pad", pad_layout()};
  DeviceState state;
};

}  // namespace handspan::test
