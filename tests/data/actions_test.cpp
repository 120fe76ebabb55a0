#include "data/actions.hpp"

#include <gtest/gtest.h>

#include <random>

#include "math/so3.hpp"

namespace handspan {
namespace actions_test {

Pose random_pose(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Pose X;
  X.R = exp_so3(3.1 * Eigen::Vector3d(unit(random), unit(random), unit(random)));
  X.p = {unit(random), unit(random), unit(random)};
  return X;
}

TEST(PoseNumbers, ArePositionAndTheFirstTwoRows) {
  Pose X;
  X.p = {1.0, 2.0, 3.0};
  X.R << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  PoseNumbers expected;
  expected << 1, 2, 3, 0, 1, 0, 0, 0, 1;
  EXPECT_EQ(pose_numbers(X), expected);
}

TEST(PoseNumbers, APoseComesBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const Pose X = random_pose(random), back = pose_of(pose_numbers(X));
    EXPECT_EQ(back.p, X.p);
    EXPECT_LT((back.R - X.R).norm(), 1e-14) << "seed 1, " << i;
  }
}

// a network's answer: rows that are neither long one nor at a right angle
TEST(PoseNumbers, AnyTwoRowsBecomeARotationWithTheFirstOnesDirection) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    PoseNumbers n;
    for (double& x : n) x = normal(random);
    const Pose X = pose_of(n);
    EXPECT_LT((X.R * X.R.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-12)
        << "seed 2, " << i;
    EXPECT_NEAR(X.R.determinant(), 1.0, 1e-12);
    EXPECT_LT((X.R.row(0).transpose() - n.segment<3>(3).normalized()).norm(), 1e-14);
    // the second stays in the plane of the two, on its side
    EXPECT_NEAR(X.R.row(2).dot(n.tail<3>()), 0.0, 1e-12);
    EXPECT_GT(X.R.row(1).dot(n.tail<3>()), 0.0);
  }
}

TEST(PoseOfChannel, ItsQuaternionIsXyzwAndMadeOfLengthOne) {
  const double half = std::sqrt(0.5);
  const std::vector<double> quarter_about_z = {1.0, 2.0, 3.0, 0.0, 0.0, 2 * half, 2 * half};
  const Pose X = pose_of_channel(quarter_about_z);
  EXPECT_EQ(X.p, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_LT((X.R * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LT((X.R * Eigen::Vector3d::UnitZ() - Eigen::Vector3d::UnitZ()).norm(), 1e-15);
}

}  // namespace actions_test
}  // namespace handspan
