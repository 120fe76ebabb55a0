// Grippers in the simulation: they go to widths, press with forces, and hold what friction can
// hold.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mujoco/mujoco_plant.hpp"
#include "plant_support.hpp"
#include "scene/gripper.hpp"

namespace handspan {
namespace gripper_drive_test {

using test::hold;
using test::scene_of;
using test::sized;

constexpr double kFriction = 0.8, kGravity = 9.81;

/// An arm that velocities drive, which stands still, with a gripper; and a box between its pads.
struct Rig {
  /// @param size of the box between the pads [m]; 0: none. @param gravity [m/s^2]
  Rig(const std::string& tool, double size, double mass = 0.2,
      const Eigen::Vector3d& gravity = Eigen::Vector3d::Zero(), double friction = 0.0)
      : scene(rubbing(scene_of(text(tool, size, mass, gravity)), friction)), plant(scene) {
    group = static_cast<std::size_t>(plant.layout().group("arm.gripper"));
    command = Command::zero(plant.layout());
    go(gripper().wide(), gripper().speed, gripper().force);
  }

  // dry friction that takes as much as a force at each pad [N]
  static Scene rubbing(Scene scene, double force) {
    const ActuatorGroup& group = scene.robots[0].groups[1];
    for (auto& body : scene.robots[0].description.bodies)
      for (auto& joint : body.joints)
        for (std::size_t j = 0; j < group.joints.size(); ++j)
          if (joint.name == group.joints[j])
            joint.friction_loss += std::abs(group.gripper->torque(static_cast<int>(j), force, 0.5));
    return scene;
  }

  static std::string text(const std::string& tool, double size, double mass,
                          const Eigen::Vector3d& g) {
    // forearm level, the hand's z straight down
    std::string yaml = fmt::format(
        "physics: {{gravity: [{}, {}, {}], noslip_iterations: 5}}\n"
        "contact: {{default: {{friction: {}, time_constant: 0.004, impedance: [0.98, 0.99, "
        "0.001]}}}}\n"
        "robots: {{arm: {{robot: ur5, tool: {}, q: [0, -90 deg, 90 deg, -90 deg, -90 deg, 0]}}}}\n",
        g.x(), g.y(), g.z(), kFriction, tool);
    if (size > 0.0) {
      const Pose X = tcp(tool);
      const Eigen::Quaterniond q(X.R);
      // along the closing direction as wide as asked, else as a hand takes it
      const bool along_x = tool == "gripper2f";
      yaml += fmt::format(
          "objects: {{box: {{pose: {{position: [{}, {}, {}], quaternion: [{}, {}, {}, {}]}}, mass: "
          "{}, "
          "shapes: [{{type: box, size: [{}, {}, 0.03]}}]}}}}\n",
          X.p.x(), X.p.y(), X.p.z(), q.x(), q.y(), q.z(), q.w(), mass, along_x ? size : 0.03,
          along_x ? 0.03 : size);
    }
    return yaml;
  }
  static Pose tcp(const std::string& tool) {
    const Scene bare = scene_of(text(tool, 0.0, 0.0, Eigen::Vector3d::Zero()));
    const RobotModel model(bare.robots[0].description);
    RobotData data(model);
    Eigen::VectorXd q = model.neutral();
    for (std::size_t j = 0; j < bare.robots[0].groups[0].joints.size(); ++j)
      q[model.joint(bare.robots[0].groups[0].joints[j]).q] =
          bare.robots[0].q_start[static_cast<Eigen::Index>(j)];
    update_kinematics(model, data, q, Eigen::VectorXd::Zero(model.nv()));
    return frame_pose(model, data, model.frame("arm.tcp"));
  }

  const GripperDescription& gripper() const { return *plant.layout().groups[group].gripper; }
  double width() { return gripper().width(plant.read().groups[group].q); }
  void go(double width, double speed, double force) {
    command.groups[group] = Eigen::Vector3d(width, speed, force);
  }
  void close(double force) { go(-1.0, gripper().speed, force); }
  void run(double seconds) { hold(plant, command, static_cast<int>(std::lround(seconds / 1e-3))); }
  /// Force of the left finger on the box across its face [N].
  double pressed() {
    double sum = 0.0;
    for (const Contact& c : plant.contacts()) {
      const auto is = [&](int body, const char* name) {
        return plant.bodies()[static_cast<std::size_t>(body)] == name;
      };
      if (is(c.body_a, "arm.left_finger") && is(c.body_b, "box")) sum += c.f_W.dot(c.n_W);
      if (is(c.body_b, "arm.left_finger") && is(c.body_a, "box")) sum += c.f_W.dot(c.n_W);
    }
    return sum;
  }
  /// Closes with a force on the box, which cannot fall until it is between the pads.
  void grasp(double force) {
    const Pose X = plant.body_pose(plant.body("box"));
    close(force);
    for (int i = 0; i < 1500; ++i) {
      if (i < 1200) plant.set_object("box", X, Vector6d::Zero());
      run(0.001);
    }
  }
  Pose box_in_hand() {
    const Pose X_WH = plant.body_pose(plant.body("arm.left_finger"));
    return X_WH.inverse() * plant.body_pose(plant.body("box"));
  }

  Scene scene;
  MujocoPlant plant;
  Command command;
  std::size_t group = 0;
};

class Grippers : public testing::TestWithParam<const char*> {};

TEST_P(Grippers, AreCommandedByWidthSpeedAndForce) {
  Rig rig(GetParam(), 0.0);
  EXPECT_EQ(rig.plant.layout().groups[rig.group].kind, GroupKind::kGripper);
  EXPECT_EQ(rig.plant.layout().groups[rig.group].size(), 3);
  EXPECT_EQ(rig.plant.read().groups[rig.group].q.size(), 1);
  // open at the start
  EXPECT_NEAR(rig.width(), rig.gripper().wide(), 1e-6);
}

TEST_P(Grippers, GoToAWidthAtASpeed) {
  Rig rig(GetParam(), 0.0);
  const double speed = 0.5 * rig.gripper().speed;
  for (const double width : {0.03, 0.06, 0.005}) {
    const double before = rig.width(), way = std::abs(width - before);
    rig.go(width, speed, rig.gripper().force);
    double time = 0.0, fastest = 0.0;
    while (std::abs(rig.width() - width) > 1e-3 && time < 5.0) {
      const double from = rig.width();
      rig.run(0.01);
      time += 0.01;
      fastest = std::max(fastest, std::abs(rig.width() - from) / 0.01);
    }
    EXPECT_NEAR(time, way / speed, 0.15) << width;
    EXPECT_LT(fastest, 1.1 * speed);
    rig.run(0.5);
    EXPECT_NEAR(rig.width(), width, 2e-4);
  }
}

TEST_P(Grippers, PressWithTheForceThatIsAsked) {
  for (const double size : {0.01, 0.04, 0.07})
    for (const double force : {10.0, 60.0}) {
      Rig rig(GetParam(), size);
      rig.close(force);
      rig.run(1.5);
      EXPECT_NEAR(rig.width(), size, 5e-4) << size << " m, " << force << " N";
      EXPECT_NEAR(rig.pressed(), force, 0.05 * force) << size << " m, " << force << " N";
      const auto& state = rig.plant.read().groups[rig.group];
      EXPECT_NEAR(rig.gripper().force_of(state.tau, rig.gripper().share(state.q)), force,
                  0.05 * force);
    }
}

TEST_P(Grippers, DryFrictionOfJawsIsOvercomeAndAddsAtMostItself) {
  // more than one of the forces that are asked for; at rest it may hold what an impact squeezed
  constexpr double kRubs = 20.0;
  for (const double force : {10.0, 60.0}) {
    Rig rig(GetParam(), 0.04, 0.2, Eigen::Vector3d::Zero(), kRubs);
    rig.close(force);
    rig.run(2.0);
    EXPECT_NEAR(rig.width(), 0.04, 2e-3) << force;
    EXPECT_GT(rig.pressed(), 0.95 * force) << force;
    EXPECT_LT(rig.pressed(), 1.05 * (force + kRubs)) << force;
  }
}

TEST_P(Grippers, JawsOfOneDriveStayTogether) {
  Rig rig(GetParam(), 0.04);
  rig.close(60.0);
  rig.run(1.5);
  // what the pads' frames say is what the drive's joint says: no jaw lags
  const RobotModel model(rig.scene.robots[0].description);
  RobotData data(model);
  Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv());
  rig.plant.robot_state("arm", q, v);
  update_kinematics(model, data, q, v);
  const auto at = [&](const std::string& frame) {
    return frame_pose(model, data, model.frame("arm." + frame)).p;
  };
  const auto& pads = rig.gripper().pads;
  EXPECT_NEAR((at(pads[0].frame) - at(pads[1].frame)).norm(), rig.width(), 1e-4);
}

TEST_P(Grippers, HoldAKilogramInAllDirections) {
  const double time = std::max(0.5, 0.1 * sized(100));
  for (const Eigen::Vector3d& down :
       {Eigen::Vector3d(0, 0, -1), Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(1, 0, 0),
        Eigen::Vector3d(-1, 0, 0), Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(0, -1, 0)}) {
    Rig rig(GetParam(), 0.04, 1.0, kGravity * down);
    rig.grasp(40.0);
    const Pose before = rig.box_in_hand();
    rig.run(time);
    const Pose after = rig.box_in_hand();
    EXPECT_LT((after.p - before.p).norm(), 1e-3) << down.transpose();
    EXPECT_LT(Eigen::AngleAxisd(before.R.transpose() * after.R).angle(), 0.02) << down.transpose();
  }
}

TEST_P(Grippers, LetSlipWhatFrictionDoesNotHold) {
  // two faces with mu F each; the pads of gripper2f also go down as they close, so that a weight
  // presses them together by up to a third more
  const double holds = kGravity * 1.0 / (2.0 * kFriction);
  for (const double share : {0.5, 1.25}) {
    Rig rig(GetParam(), 0.04, 1.0, {0.0, 0.0, -kGravity});
    const Pose free = rig.plant.body_pose(rig.plant.body("box"));
    rig.grasp(share * holds);
    const double before =
        share < 1.0 ? free.p.z() : rig.plant.body_pose(rig.plant.body("box")).p.z();
    rig.run(0.3);
    const double slipped = before - rig.plant.body_pose(rig.plant.body("box")).p.z();
    if (share < 1.0)
      EXPECT_GT(slipped, 0.01);
    else
      EXPECT_LT(slipped, 2e-3);
  }
}

TEST_P(Grippers, ReplaceWhatTheyCannotTakeAndCountIt) {
  Rig rig(GetParam(), 0.0);
  rig.go(0.03, rig.gripper().speed, rig.gripper().force);
  rig.run(1.5);
  const auto faults = rig.plant.faults();
  rig.command.groups[rig.group][0] = NAN;
  rig.run(0.1);
  EXPECT_EQ(rig.plant.faults().not_finite, faults.not_finite + 100);
  EXPECT_NEAR(rig.width(), 0.03, 2e-4);
  rig.go(10.0, -1.0, 1e9);
  rig.run(0.001);
  EXPECT_EQ(rig.plant.faults().clamped, faults.clamped + 3);
}

TEST_P(Grippers, GoOnFromASnapshotBitForBit) {
  Rig rig(GetParam(), 0.04);
  rig.close(20.0);
  rig.run(0.3);
  const auto bytes = rig.plant.snapshot();
  rig.run(1.0);
  const Eigen::VectorXd q = rig.plant.read().groups[rig.group].q;
  const Pose X = rig.plant.body_pose(rig.plant.body("box"));
  rig.plant.restore(bytes);
  rig.run(1.0);
  EXPECT_EQ(rig.plant.read().groups[rig.group].q, q);
  EXPECT_EQ(rig.plant.body_pose(rig.plant.body("box")).p, X.p);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Grippers, testing::Values("fr3_hand", "gripper2f"),
                         [](const auto& tool) { return std::string(tool.param); });

}  // namespace gripper_drive_test
}  // namespace handspan
