#include "control/hold.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "control/control_parts.hpp"
#include "core/config.hpp"
#include "scene/robot_folder.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace hold_test {

class Hold : public testing::Test {
 protected:
  Hold()
      : folder_(load_robot_folder(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots" / "fr3")),
        model_(folder_.description) {
    group_.name = "arm";
    group_.joints = folder_.groups[0].joints;
    group_.kind = GroupKind::kTorque;
    group_.rate = Rate::from_period(1'000'000);
    state_.q = folder_.pose("ready")->q;
    state_.v = state_.tau = Eigen::VectorXd::Zero(7);
  }
  GroupContext context() const { return {model_, folder_.limits, group_}; }
  template <class F>
  std::string message(F&& f) const {
    try {
      f();
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }

  RobotFolder folder_;
  RobotModel model_;
  GroupLayout group_;
  GroupState state_;
};

TEST_F(Hold, AtTheStartTheTorqueIsGravityAlone) {
  JointSprings springs({}, context());
  springs.start(state_);
  Eigen::VectorXd command(7);
  springs.update(state_, command);
  RobotData data(model_);
  EXPECT_TRUE(command.isApprox(gravity_forces(model_, data, state_.q), 1e-15));
  EXPECT_GT(command.norm(), 10.0);
}

TEST_F(Hold, SpringsPullBackAndDampersBrake) {
  JointSprings springs({Eigen::VectorXd::Constant(7, 100.0), 1.0}, context());
  springs.start(state_);
  group_.gravity_compensated = true;
  JointSprings bare({Eigen::VectorXd::Constant(7, 100.0), 1.0}, context());
  bare.start(state_);
  Eigen::VectorXd command(7);
  GroupState moved = state_;
  moved.q[3] += 0.1;
  bare.update(moved, command);
  EXPECT_NEAR(command[3], -10.0, 1e-12);
  // critically damped on the joint's own inertia: d = 2 sqrt(k m)
  RobotData data(model_);
  const double m = mass_matrix(model_, data, state_.q)(3, 3);
  moved = state_;
  moved.v[3] = 0.5;
  bare.update(moved, command);
  EXPECT_NEAR(command[3], -2.0 * std::sqrt(100.0 * m) * 0.5, 1e-12);
}

TEST_F(Hold, ADefaultSpringIsNoStifferThanTheTickBears) {
  // links of some hundred grams beside drives of ten newton metres
  for (auto& body : folder_.description.bodies) {
    body.inertial.mass *= 1e-3;
    body.inertial.principal *= 1e-3;
    for (auto& joint : body.joints) joint.armature = 1e-5;
  }
  const RobotModel light(folder_.description);
  const GroupContext context{light, folder_.limits, group_};
  JointSprings springs({}, context);
  springs.start(state_);
  // free of gravity and friction, with torques held over a tick, from 0.01 rad aside
  RobotData data(light);
  Eigen::VectorXd q = state_.q, v = Eigen::VectorXd::Zero(7), command(7);
  const Eigen::MatrixXd M = mass_matrix(light, data, q);
  q.array() += 0.01;
  double worst = 0.0;
  for (int tick = 0; tick < 2000; ++tick) {
    GroupState state = state_;
    state.q = q;
    state.v = v;
    springs.update(state, command);
    const Eigen::VectorXd gravity = gravity_forces(light, data, q);
    const Eigen::VectorXd a = M.ldlt().solve(command - gravity);
    q += 0.001 * v + 0.5e-6 * a;
    v += 0.001 * a;
    worst = std::max(worst, (q - state_.q).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 0.03);
  EXPECT_LT((q - state_.q).cwiseAbs().maxCoeff(), 1e-4);
}

TEST_F(Hold, AnArmOfItsMakersIsAsStiffAsBefore) {
  JointSprings springs({}, context());
  springs.start(state_);
  group_.gravity_compensated = true;
  GroupState moved = state_;
  moved.q[0] += 0.1;
  Eigen::VectorXd command(7);
  springs.update(moved, command);
  RobotData data(model_);
  const Eigen::VectorXd gravity = gravity_forces(model_, data, moved.q);
  EXPECT_NEAR(command[0] - gravity[0], -0.2 * folder_.limits.find(group_.joints[0])->torque, 1e-9);
}

TEST_F(Hold, AStiffnessThatWouldBurstIsRefusedWithTheOneThatIsBorne) {
  Eigen::VectorXd stiffness = Eigen::VectorXd::Constant(7, 100.0);
  stiffness[6] = 1e6;
  JointSprings springs({stiffness, 1.0}, context());
  const std::string told = message([&] { springs.start(state_); });
  EXPECT_NE(told.find("1000000 N m/rad on joint 'joint7'"), std::string::npos) << told;
  EXPECT_NE(told.find("give at most"), std::string::npos) << told;
  // what it advises holds
  stiffness[6] = std::stod(told.substr(told.find("give at most") + 13));
  JointSprings borne({stiffness, 1.0}, context());
  EXPECT_EQ(message([&] { borne.start(state_); }), "accepted");
}

TEST_F(Hold, GravityIsLeftToAPlantThatAddsItItself) {
  group_.gravity_compensated = true;
  JointSprings springs({}, context());
  springs.start(state_);
  Eigen::VectorXd command(7);
  springs.update(state_, command);
  EXPECT_TRUE(command.isZero(0.0));
}

TEST_F(Hold, ControllersRefuseGroupsOfAnotherKind) {
  EXPECT_EQ(message([&] { JointSprings({Eigen::VectorXd::Ones(3), 1.0}, context()); }),
            "stiffness has 3 values for the 7 joints of 'arm'");
  EXPECT_EQ(message([&] { ZeroVelocity{context()}; }),
            "zero_velocity needs a velocity-driven group; 'arm' is another");
  EXPECT_EQ(message([&] { HoldPosition{context()}; }),
            "hold_position needs a position-driven or suction group; 'arm' is another");
  group_.kind = GroupKind::kVelocity;
  EXPECT_EQ(message([&] { JointSprings({}, context()); }),
            "joint_springs needs a torque-driven group; 'arm' is another");
  Eigen::VectorXd command = Eigen::VectorXd::Ones(7);
  ZeroVelocity(context()).update(state_, command);
  EXPECT_TRUE(command.isZero(0.0));
  group_.kind = GroupKind::kPosition;
  HoldPosition hold(context());
  hold.start(state_);
  hold.update({Eigen::VectorXd::Zero(7), state_.v, state_.tau}, command);
  EXPECT_EQ(command, state_.q);
}

TEST_F(Hold, ATickDoesNotTouchTheHeap) {
  JointSprings springs({}, context());
  springs.start(state_);
  Eigen::VectorXd command(7);
  const test::AllocationCount allocations;
  springs.update(state_, command);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(Controllers, AreMadeFromYamlByName) {
  struct File {
    ControllerRegistry::Part part;
  };
  EXPECT_EQ(parts_of<register_control>().of<ControllerRegistry>().names(),
            (std::vector<std::string>{"hold_position", "joint_springs", "zero_velocity"}));
  const auto schema = parts_of<register_control>().of<ControllerRegistry>().schema();
  EXPECT_EQ(parse_yaml("{type: joint_springs, damping_ratio: 0.7}", "app.yaml", schema).name,
            "joint_springs");
  try {
    parse_yaml("{type: joint_spring}", "app.yaml", schema);
    FAIL();
  } catch (const ConfigError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'joint_springs'?"), std::string::npos)
        << e.what();
  }
}

}  // namespace hold_test
}  // namespace handspan
