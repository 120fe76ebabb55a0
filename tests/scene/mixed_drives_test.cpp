#include "scene/mixed_drives.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace mixed_drives_test {

RobotInstance robot_with(const std::vector<std::pair<Drive, std::vector<std::string>>>& groups) {
  RobotInstance robot;
  for (const auto& [drive, joints] : groups) {
    ActuatorGroup group;
    group.drive = drive;
    group.joints = joints;
    for (const auto& joint : joints) {
      JointLimits limits;
      limits.lower = -1.0;
      limits.upper = 1.0;
      robot.limits.joints.emplace_back(joint, limits);
    }
    robot.groups.push_back(group);
  }
  robot.q_start = Eigen::VectorXd::Constant(
      static_cast<Eigen::Index>(robot.groups.empty() ? 0 : robot.groups[0].joints.size()), 0.25);
  return robot;
}

JointLimits& limits_of(RobotInstance& robot, const std::string& joint) {
  for (auto& [name, limits] : robot.limits.joints)
    if (name == joint) return limits;
  throw std::out_of_range(joint);
}

using Starts = std::vector<std::pair<std::string, double>>;

TEST(MixedDrives, AreSomeTorquesAndSomeSetPoints) {
  EXPECT_FALSE(has_mixed_drives(robot_with({})));
  EXPECT_FALSE(has_mixed_drives(robot_with({{Drive::kTorque, {"a"}}, {Drive::kTorque, {"b"}}})));
  EXPECT_FALSE(
      has_mixed_drives(robot_with({{Drive::kVelocity, {"a"}}, {Drive::kPosition, {"b"}}})));
  EXPECT_TRUE(has_mixed_drives(robot_with({{Drive::kTorque, {"a"}}, {Drive::kPosition, {"b"}}})));
  EXPECT_TRUE(has_mixed_drives(robot_with({{Drive::kVelocity, {"a"}}, {Drive::kTorque, {"b"}}})));
}

TEST(OtherStarts, AreAsNearToZeroAsLimitsLetThem) {
  RobotInstance robot = robot_with({{Drive::kTorque, {"arm"}},
                                    {Drive::kPosition, {"lift", "turn"}},
                                    {Drive::kVelocity, {"low"}}});
  limits_of(robot, "lift").lower = 0.1;
  limits_of(robot, "low").upper = -0.4;
  limits_of(robot, "turn").continuous = true;
  limits_of(robot, "turn").lower = limits_of(robot, "turn").upper = 7.0;  // means nothing
  EXPECT_EQ(other_starts(robot), (Starts{{"lift", 0.1}, {"turn", 0.0}, {"low", -0.4}}));
}

TEST(OtherStarts, JawsAreOpen) {
  RobotInstance robot =
      robot_with({{Drive::kTorque, {"arm"}}, {Drive::kPosition, {"left", "right"}}});
  robot.groups[1].gripper.emplace();
  robot.groups[1].gripper->open = Eigen::Vector2d(0.04, -0.05);
  EXPECT_EQ(other_starts(robot), (Starts{{"left", 0.04}, {"right", -0.05}}));
}

// named in any order, through one another, and of the first group
TEST(OtherStarts, MimicsAreWhereTheirMastersPutThem) {
  RobotInstance robot =
      robot_with({{Drive::kTorque, {"arm", "wrist"}}, {Drive::kPosition, {"jaw"}}});
  robot.q_start = Eigen::Vector2d(0.25, -0.5);
  limits_of(robot, "jaw").lower = 0.2;
  robot.description.mimics = {{"third", "second", 2.0, 0.5},
                              {"second", "jaw", -1.0, 0.1},
                              {"of_wrist", "wrist", 4.0, 0.0},
                              {"of_nothing", "missing", 1.0, 0.0}};
  Starts starts = other_starts(robot);
  ASSERT_EQ(starts.size(), 4U);
  EXPECT_EQ(starts[0], (std::pair<std::string, double>{"jaw", 0.2}));
  std::ranges::sort(starts);
  EXPECT_EQ(starts[1].first, "of_wrist");
  EXPECT_DOUBLE_EQ(starts[1].second, -2.0);
  EXPECT_EQ(starts[2].first, "second");
  EXPECT_DOUBLE_EQ(starts[2].second, -0.1);
  EXPECT_EQ(starts[3].first, "third");
  EXPECT_DOUBLE_EQ(starts[3].second, 0.3);
}

TEST(OtherStarts, OfOneGroupThereAreNone) {
  EXPECT_TRUE(other_starts(robot_with({{Drive::kTorque, {"a", "b"}}})).empty());
}

}  // namespace mixed_drives_test
}  // namespace handspan
