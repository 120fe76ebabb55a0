#include "control/hold.hpp"

#include <gtest/gtest.h>

#include "core/config.hpp"
#include "scene/robot_folder.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace {

class Hold : public testing::Test {
 protected:
  Hold()
      : folder_(load_robot_folder(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots" / "fr3")),
        model_(folder_.description) {
    group_.name = "arm";
    group_.joints = folder_.groups[0].joints;
    group_.kind = GroupKind::kTorque;
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
  EXPECT_EQ(controllers().names(),
            (std::vector<std::string>{"hold_position", "joint_springs", "zero_velocity"}));
  const auto schema = controllers().schema();
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

}  // namespace
}  // namespace handspan
