#include "bench/two_arms.hpp"

#include <gtest/gtest.h>

#include "import/urdf.hpp"
#include "robot/model.hpp"

namespace handspan {
namespace two_arms_test {

RobotFolder fr3() {
  return load_robot_folder(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots/fr3");
}

TEST(TwoArms, AreTheSameArmTwiceSideBySide) {
  const RobotFolder arm = fr3();
  const RobotModel one(arm.description), two(two_arms(arm));
  ASSERT_EQ(two.nv(), 14);
  EXPECT_EQ(two.joint("left.joint1").v, 0);
  EXPECT_EQ(two.joint("right.joint7").v, 13);
  const Eigen::VectorXd q = arm.pose("ready")->q, zero = Eigen::VectorXd::Zero(7);
  Eigen::VectorXd both(14);
  both << q, q;
  RobotData data(one), two_data(two);
  update_kinematics(one, data, q, zero);
  update_kinematics(two, two_data, both, Eigen::VectorXd::Zero(14));
  const Pose X_WE = frame_pose(one, data, one.frame("flange"));
  for (const auto& [name, y] : {std::pair("left.flange", 0.4), {"right.flange", -0.4}}) {
    const Pose X = frame_pose(two, two_data, two.frame(name));
    EXPECT_LT((X.p - X_WE.p - Eigen::Vector3d(0.0, y, 0.0)).norm(), 1e-14) << name;
    EXPECT_LT((X.R - X_WE.R).norm(), 1e-14) << name;
  }
  // neither arm moves the other: the mass matrix is that of one, twice
  const Eigen::MatrixXd M = mass_matrix(one, data, q), MM = mass_matrix(two, two_data, both);
  EXPECT_LT((MM.topLeftCorner(7, 7) - M).norm(), 1e-13);
  EXPECT_LT((MM.bottomRightCorner(7, 7) - M).norm(), 1e-13);
  EXPECT_EQ(MM.topRightCorner(7, 7).norm(), 0.0);
}

TEST(TwoArms, UrdfHasTheLimitsOfTheFolderAndNotTheStops) {
  const RobotFolder arm = fr3();
  const UrdfRobot robot = parse_urdf(two_arms_urdf(arm), "two_arms.urdf");
  int seen = 0;
  for (const auto& joint : robot.joints) {
    if (joint.type != UrdfJointType::kRevolute) continue;
    ++seen;
    const auto& limits = *arm.limits.find(joint.name.substr(joint.name.find('.') + 1));
    ASSERT_TRUE(joint.limit.has_value()) << joint.name;
    EXPECT_EQ(joint.limit->lower, limits.lower) << joint.name;
    EXPECT_EQ(joint.limit->upper, limits.upper) << joint.name;
    EXPECT_EQ(joint.limit->velocity, limits.velocity) << joint.name;
    EXPECT_EQ(joint.limit->effort, limits.torque) << joint.name;
  }
  EXPECT_EQ(seen, 14);
}

}  // namespace two_arms_test
}  // namespace handspan
