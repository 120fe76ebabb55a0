#pragma once
// A world for scripted persons: what each hand moves follows it, clutched, with a lag of first
// order; between the hands is a box that they can squeeze and carry.
#include <array>
#include <string>

#include "core/config.hpp"
#include "device/device_state.hpp"
#include "person/held_pose.hpp"
#include "person/held_rates.hpp"
#include "person/person.hpp"
#include "teleop/clutch.hpp"
#include "teleop/pose_mapping.hpp"

namespace handspan::test {

inline const std::string kPersonHands =
    "hands: {left: {see: left.pose, clutch: [left.squeeze]}, right: {see: right.pose, clutch: "
    "[right.squeeze]}}\n";

inline const MappingRegistry& person_mappings() {
  static const MappingRegistry mappings = [] {
    MappingRegistry made;
    register_mappings(made);
    return made;
  }();
  return mappings;
}

inline const HeldDeviceRegistry& person_held() {
  static const HeldDeviceRegistry held = [] {
    HeldDeviceRegistry made;
    register_held_poses(made);
    register_held_rates(made);
    return made;
  }();
  return held;
}

class PersonWorld {
 public:
  static constexpr double kHalf = 0.15;         // of the box [m]
  static constexpr double kStiffness = 2000.0;  // of each contact [N/m]

  explicit PersonWorld(const std::string& yaml, std::uint64_t seed = 1,
                       const PoseMapping& mapping = {rotation_of({})})
      : person(parse_yaml(yaml, "person.yaml", person_schema(person_mappings(), person_held())),
               {"person", seed}),
        state("person", person.layout(), {}),
        mapping_(mapping) {
    ClutchConfig right;
    right.motion = "right.squeeze";
    ClutchConfig left;
    left.motion = "left.squeeze";
    clutches.emplace_back(left, state, 0, std::vector{TrackedAs::kController});
    clutches.emplace_back(right, state, 1, std::vector{TrackedAs::kController});
    for (std::size_t h = 0; h < 2; ++h) {
      const std::string side = h == 0 ? "left" : "right";
      poses_[h] = channels.pose(side + ".pose", {});
      forces_[h] = channels.number(side + ".force", "N", {});
      X_WE[h].p = {0.4, h == 0 ? 0.3 : -0.3, 0.4};
      reference[h] = X_WE[h];
    }
    box_ = channels.pose("box.pose", {});
    wall_ = channels.pose("wall.pose", {});
    signal_ = channels.boolean("signal", {});
    channels.seal();
    publish();
    person.watch(channels);
  }

  void tick() {
    now += kSecond / 1000;
    const Moment moment{now / 1'000'000, now, 1e-3, nullptr};
    sampled = person.sample(now, input);
    if (sampled) state.receive(moment, input);
    state.update(moment);
    for (std::size_t h = 0; h < 2; ++h) {
      const bool was = clutches[h].closed();
      const PoseEstimate e = state.pose(h).estimate(now);
      const Pose X_VC = Pose::from(e.p_VC, e.q_VC);
      if (clutches[h].update(state)) {
        if (!was) {
          X_WE0_[h] = reference[h];
          X_VC0_[h] = X_VC;
        }
        reference[h] = map_pose(mapping_, X_WE0_[h], X_VC0_[h], X_VC);
      }
      X_WE[h].p += 1e-3 / lag * (reference[h].p - X_WE[h].p);
      X_WE[h].R = exp_so3(1e-3 / lag * log_so3(reference[h].R * X_WE[h].R.transpose())) * X_WE[h].R;
    }
    // the faces of the box push; held from both sides it goes along
    const double left = X_WE[0].p.y() - (p_WBox.y() + kHalf);
    const double right = p_WBox.y() - kHalf - X_WE[1].p.y();
    force = {left < 0.0 ? -kStiffness * left : 0.0, right < 0.0 ? -kStiffness * right : 0.0};
    const Eigen::Vector3d mean = 0.5 * (X_WE[0].p + X_WE[1].p);
    if (force[0] > 5.0 && force[1] > 5.0) {
      if (!held) grip_ = p_WBox - mean;
      held = true;
      p_WBox = mean + grip_;
    } else {
      held = false;
      p_WBox.z() = 0.4;
    }
    publish();
  }
  void run(double time) {
    for (const Nanoseconds end = now + std::llround(time * 1e9); now < end;) tick();
  }
  /// Until the script is over. @return whether it is within the time [s]
  bool finish(double time) {
    for (const Nanoseconds end = now + std::llround(time * 1e9); now < end && !person.over();)
      tick();
    return person.over();
  }
  void publish() {
    for (std::size_t h = 0; h < 2; ++h) {
      channels.write(poses_[h], X_WE[h].p, X_WE[h].quaternion(), now);
      channels.write(forces_[h], force[h], now);
    }
    // the left hand as far as the box's face, if that did not give way
    Eigen::Vector3d p_WWall = X_WE[0].p;
    p_WWall.y() = std::max(p_WWall.y(), kHalf);
    channels.write(wall_, p_WWall, X_WE[0].quaternion(), now);
    if (box_is_seen) channels.write(box_, p_WBox, Eigen::Quaterniond::Identity(), now);
    channels.write(signal_, signal, now);
  }

  ChannelTable channels;
  Person person;
  DeviceState state;
  std::vector<Clutch> clutches;
  std::array<Pose, 2> X_WE, reference;
  std::array<double, 2> force{};
  Eigen::Vector3d p_WBox = {0.4, 0.0, 0.4};
  Input input;
  Nanoseconds now = 0;
  double lag = 0.08;  // [s]
  bool sampled = false, held = false, signal = false, box_is_seen = false;

 private:
  PoseMapping mapping_;
  std::array<Pose, 2> X_WE0_, X_VC0_;
  Eigen::Vector3d grip_ = Eigen::Vector3d::Zero();
  std::array<PoseChannel, 2> poses_;
  std::array<NumberChannel, 2> forces_;
  PoseChannel box_, wall_;
  BooleanChannel signal_;
};

}  // namespace handspan::test
