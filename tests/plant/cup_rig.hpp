#pragma once
// A vacuum cup at the end of a bar that swings about y, and boxes for it. At q = 0 the cup hangs
// and looks down; at q = pi/2 it looks along -x.
#include <fmt/format.h>

#include <numbers>

#include "mujoco/mujoco_plant_impl.hpp"
#include "plant_support.hpp"
#include "swing.hpp"

namespace handspan::test {

inline const std::string kNoGravity = "physics: {gravity: [0, 0, 0]}\n";
// the lip's face at rest, from the bar's axis [m]
inline constexpr double kLipDistance = 0.6 + 0.14;
inline constexpr double kLipMass = 0.05, kLipRadius = 0.03;

struct CupRig {
  /// @param suction changes of the cup, q of the bar [rad], more of the scene (its box is "box")
  CupRig(const TemporaryFolder& folder, const std::string& suction, double q,
         const std::string& more)
      : scene(scene_of("robots:\n  it: {robot: " +
                       write_swing(folder, {"velocity, lag: 0.001 s", "", "500", 4000.0}) +
                       ", tool: vacuum, q: [" + fmt::format("{:.17g}", q) + "], suction: {cup: {" +
                       suction + "}}}\n" + more)),
        plant(scene),
        command(Command::zero(plant.layout())) {}

  void run(int steps) { hold(plant, command, steps); }
  void switch_to(double valve) { command.groups[1][0] = valve; }
  /// Against the middle of the box's upper face, at rest.
  void hold_box(double height) {
    switch_to(1.0);
    plant.hold_object("it.cup", "box", Pose::translation({0, 0, 0.5 * height}));
  }
  Pose lip() const { return plant.body_pose(plant.body("it.lip")); }
  Pose box() const { return plant.body_pose(plant.body("box")); }
  /// L in S: how the bellows has given way.
  Pose give() const {
    const Pose X_WG = plant.body_pose(plant.body("it.gripper"));
    return Pose::translation({0, 0, -0.14}) * X_WG.inverse() * lip();
  }
  bool held() const { return plant.cup(0).holds; }
  double vacuum() const { return plant.cup(0).vacuum; }
  double load() const { return plant.cup(0).pull; }
  mjData& data() { return *plant.impl().data; }

  Scene scene;
  MujocoPlant plant;
  Command command;
};

/// A box of these edges, far away until it is put or held.
inline std::string box_of(double mass, const Eigen::Vector3d& size,
                          const Pose& X_WB = Pose::translation({5, 0, 0})) {
  const Eigen::Quaterniond q = X_WB.quaternion();
  return fmt::format(
      "objects:\n  box:\n    pose: {{position: [{:.17g}, {:.17g}, {:.17g}], quaternion: [{:.17g}, "
      "{:.17g}, {:.17g}, {:.17g}]}}\n    mass: {}\n    shapes: [{{type: box, size: [{}, {}, "
      "{}]}}]\n",
      X_WB.p[0], X_WB.p[1], X_WB.p[2], q.x(), q.y(), q.z(), q.w(), mass, size[0], size[1], size[2]);
}

}  // namespace handspan::test
