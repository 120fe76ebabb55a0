#pragma once
// TIAGo's base, torso and arm under one problem, driven by one headset, for tests of what drives
// them.
#include <functional>
#include <string>

#include "device/headset.hpp"
#include "session_support.hpp"

namespace handspan::test {

/// An app with the states of one machine, which starts in `s`, under what drives the three groups.
inline std::string tiago_app(const std::string& states) {
  return R"(whole_arm:
  arms: {tiago.base: {}, tiago.torso: {}, tiago.arm: {}}
  tasks:
    hand: {type: pose, frame: tiago.gripper_grasping_frame, stiffness: 100, orientation_weight: 0.1}
    base: {type: posture, robot: tiago, joints: [tiago.base_x, tiago.base_y, tiago.base_yaw], stiffness: 100, weight: 100}
    torso: {type: posture, robot: tiago, joints: [tiago.torso_lift_joint], stiffness: 100, weight: 100}
    posture: {type: posture, robot: tiago, stiffness: 10, weight: 1.0e-4}
references:
  hand: {speed: 0.5 m/s}
# a contact pushes the fingers open faster than their drives may go
watch: {speed_time: 10 s}
devices:
  headset: {driver: {type: headset}}
sources:
  person: {type: hand, device: headset, pose: right, clutch: {safety: right.squeeze}}
  ride: {type: ride, on: tiago.torso_lift_link}
  wheels: {type: base_jog, device: headset, task: base, forward: left.stick_y, turn: -left.stick_x, dead_man: left.squeeze}
  lift: {type: joint_jog, device: headset, task: torso, joints: {tiago.torso_lift_joint: right.stick_y}, speed: 0.05 rad/s, dead_man: left.squeeze}
machines:
  m:
    start: s
    states:
)" + states;
}

/// A person's modes: follow what is driven, ride along.
inline const std::string kTiagoLive = R"(
          - {type: follow, task: hand, sources: [{source: ride, share: 0.001}, {source: person, share: 1000}]}
          - {type: follow, task: base, sources: [{source: wheels}]}
          - {type: follow, task: torso, sources: [{source: lift}]}
)";

/// What a headset's controls are at a time [s]; 90 samples a second, both controllers tracked.
class HeldHeadset : public InputFeed {
 public:
  HeldHeadset(Nanoseconds base, std::function<double(const std::string&, double)> axis)
      : base_(base), axis_(std::move(axis)) {}
  bool next(std::int64_t tick, Input& input) override {
    if (tick == last_ || tick % 11 != 0) return false;
    last_ = tick;
    sample_.clear();
    const Nanoseconds now = tick * base_;
    for (std::size_t side = 0; side < 2; ++side)
      sample_.set_pose(side, TrackedAs::kController, Eigen::Vector3d(0.25, 1.1, -0.4),
                       Eigen::Quaterniond::Identity());
    for (std::size_t a = 0; a < headset_layout().axes.size(); ++a)
      sample_.set_axis(a, axis_(headset_layout().axes[a], seconds(now)));
    for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b) sample_.set_button(b, false);
    sample_.set_stamp(now);
    input = sample_.input();
    return true;
  }

 private:
  Nanoseconds base_;
  std::int64_t last_ = -1;
  std::function<double(const std::string&, double)> axis_;
  DeviceSample sample_{"headset", headset_layout()};
};

/// Measured joints of a group.
inline Eigen::VectorXd measured(Session& session, const std::string& group) {
  const auto& groups = session.plant().layout().groups;
  const auto found = std::ranges::find(groups, group, &GroupLayout::name);
  if (found == groups.end()) throw std::out_of_range(group);
  return session.plant().read().groups[static_cast<std::size_t>(found - groups.begin())].q;
}

/// Measured pose in W of a frame of the robot.
inline Pose seen(Session& session, const std::string& frame) {
  return session.whole_arm()->seen(session.whole_arm()->system().frame(frame)).X_WE;
}

inline void run_for(Session& session, double time) {
  for (const Nanoseconds end = session.now() + static_cast<Nanoseconds>(time * 1e9);
       session.now() < end;)
    session.tick();
}

}  // namespace handspan::test
