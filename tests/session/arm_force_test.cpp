#include "session/arm_force.hpp"

#include <gtest/gtest.h>

#include "core/config.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace arm_force_test {

// A UR10 whose joints turn at constant speeds, with the torques that its model needs for that and
// for a force of what is around on its tool.
class ArmForceTest : public testing::Test {
 protected:
  ArmForceTest()
      : scene_(test::scene_of("robots: {arm: {robot: ur10, pose: stance}}\n")),
        plant_(scene_),
        arms_(
            parse_yaml("arms: {arm.arm: {feedback: commanded}}\ntasks: {hand: {type: pose, frame: "
                       "arm.flange}}\n",
                       "arms.yaml", whole_arm_schema(test_parts())),
            scene_, plant_.layout(), plant_.layout().period),
        force_(arms_, 0, -1, kDt) {
    arms_.start(plant_.read());
  }

  /// @return the mean force after a full window
  Eigen::Vector3d felt(double speed, const Eigen::Vector3d& F_W) {
    const RobotModel& model = *arms_.system().mechanisms()[0].model;
    RobotData data(model);
    Observation seen = plant_.read();
    Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv());
    Matrix6Xd J(6, model.nv());
    force_.forget();
    std::size_t allocated = 0;
    for (int tick = 0; tick < 20; ++tick) {
      for (std::size_t k = 0; k < 6; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        const JointSlot& slot = model.joint(plant_.layout().groups[0].joints[k]);
        v[slot.v] = k % 2 == 0 ? speed : -speed;
        q[slot.q] = plant_.read().groups[0].q[i] + v[slot.v] * kDt * tick;
        seen.groups[0].q[i] = q[slot.q];
        seen.groups[0].v[i] = v[slot.v];
      }
      update_kinematics(model, data, q, v);
      frame_jacobian(model, data, model.frame("arm.flange"), J);
      const Eigen::VectorXd needed =
          nonlinear_effects(model, data, q, v) - J.topRows<3>().transpose() * F_W;
      for (const BodyDescription& body : model.description().bodies)
        for (const JointDescription& joint : body.joints) {
          const int at = model.joint(joint.name).v;
          const double sign = v[at] > 0.0 ? 1.0 : v[at] < 0.0 ? -1.0 : 0.0;
          for (std::size_t k = 0; k < 6; ++k)
            if (plant_.layout().groups[0].joints[k] == joint.name)
              seen.groups[0].tau[static_cast<Eigen::Index>(k)] =
                  needed[at] + joint.damping * v[at] + sign * joint.friction_loss;
        }
      const test::AllocationCount allocations;
      force_.listen(seen);
      force_.update(seen);
      allocated += allocations.count();
    }
    EXPECT_EQ(allocated, 0U);
    EXPECT_NEAR(force_.mean(), force_.force().norm(), 1e-12);
    return force_.force();
  }

  static constexpr double kDt = 0.008;
  Scene scene_;
  MujocoPlant plant_;
  WholeArm arms_;
  ArmForce force_;
};

TEST_F(ArmForceTest, FrictionThatTheModelKnowsIsNoForce) {
  EXPECT_LT(felt(0.5, Eigen::Vector3d::Zero()).norm(), 1e-6);
  EXPECT_LT(felt(-0.5, Eigen::Vector3d::Zero()).norm(), 1e-6);
}

TEST_F(ArmForceTest, WhatPressesIsFelt) {
  for (const double speed : {0.0, 0.5})
    for (const Eigen::Vector3d& F :
         {Eigen::Vector3d(0.0, 0.0, 80.0), Eigen::Vector3d(0.0, -80.0, 0.0),
          Eigen::Vector3d(80.0, 0.0, 0.0)})
      EXPECT_LT((felt(speed, F) - F).norm(), 0.25 * F.norm())
          << speed << ": " << felt(speed, F).transpose() << " for " << F.transpose();
}

}  // namespace arm_force_test
}  // namespace handspan
