// Poses in which an arm can begin to work, each condition of theirs computed anew.
#include "import/open_pose.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "robot/model.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace open_pose_test {

struct Arm {
  const char* robot;
  const char* hand;
  double reach;
};

class OpenPoses : public testing::TestWithParam<Arm> {};

TEST_P(OpenPoses, EachIsOpenAndTheBestComesFirst) {
  const auto [name, hand, reach] = GetParam();
  const RobotFolder robot = load_robot_folder(test::kSource / "robots" / name);
  const auto poses = open_poses(robot, hand, reach, 12);
  ASSERT_EQ(poses.size(), 12U);
  const RobotModel model(robot.description);
  RobotData data(model);
  const auto& joints = robot.groups.front().joints;
  const auto n = static_cast<Eigen::Index>(joints.size());
  double before = INFINITY;
  for (const Eigen::VectorXd& pose : poses) {
    ASSERT_EQ(pose.size(), n);
    Eigen::VectorXd q = model.neutral();
    double room = 1.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& joint = joints[static_cast<std::size_t>(i)];
      q[model.joint(joint).q] = pose[i];
      EXPECT_NEAR(100.0 * pose[i], std::round(100.0 * pose[i]), 1e-9);
      const JointLimits& l = *robot.limits.find(joint);
      if (l.continuous) continue;
      const double half = 0.5 * (l.upper - l.lower);
      room = std::min({room, (pose[i] - l.lower) / half, (l.upper - pose[i]) / half});
    }
    EXPECT_GE(room, 0.1);
    update_kinematics(model, data, q, Eigen::VectorXd::Zero(model.nv()));
    const Eigen::Vector3d p = frame_pose(model, data, model.frame(hand)).p;
    EXPECT_LE(std::abs(std::atan2(p.y(), p.x())), M_PI / 4 + 1e-9);
    const double away = p.head<2>().norm();
    EXPECT_GE(away, 0.25 * reach);
    EXPECT_LE(away, 0.75 * reach);
    EXPECT_GE(p.z(), 0.25 * reach);
    EXPECT_LE(p.z(), 0.75 * reach);
    for (std::size_t b = 0; b < robot.description.bodies.size(); ++b)
      EXPECT_GT(frame_pose(model, data, model.body_frame(static_cast<int>(b))).p.z(),
                -0.001 * reach);
    Matrix6Xd J(6, model.nv());
    frame_jacobian(model, data, model.frame(hand), J);
    Eigen::MatrixXd driven(6, n);
    for (Eigen::Index i = 0; i < n; ++i)
      driven.col(i) = J.col(model.joint(joints[static_cast<std::size_t>(i)]).v);
    driven.topRows<3>() /= reach;
    const double score =
        room * Eigen::JacobiSVD<Eigen::MatrixXd>(driven).singularValues().minCoeff();
    EXPECT_GT(score, 0.0);
    EXPECT_LE(score, before + 1e-12);
    before = score;
  }
  // the same another time, and fewer are the first of them
  const auto few = open_poses(robot, hand, reach, 3);
  ASSERT_EQ(few.size(), 3U);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i], poses[i]);
  EXPECT_TRUE(open_poses(robot, hand, reach, 0).empty());
}

INSTANTIATE_TEST_SUITE_P(Robots, OpenPoses,
                         testing::Values(Arm{"fr3", "flange", 0.855}, Arm{"ur5", "flange", 0.85},
                                         Arm{"ur10", "flange", 1.3}),
                         [](const auto& arm) { return arm.param.robot; });

// a hand that is never so near: the shares are of a reach that it has not
TEST(OpenPose, WhereNoneIsOpenThereIsNone) {
  const RobotFolder robot = load_robot_folder(test::kSource / "robots" / "ur5");
  EXPECT_TRUE(open_poses(robot, "flange", 100.0, 5).empty());
  EXPECT_TRUE(open_poses(robot, "flange", 0.01, 5).empty());
}

}  // namespace open_pose_test
}  // namespace handspan
