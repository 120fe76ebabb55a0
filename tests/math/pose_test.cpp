#include "math/pose.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "core/random.hpp"

namespace handspan {
namespace pose_test {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kSeed = 1;

Pose random_pose(RandomStream& random) {
  const Eigen::Vector3d p = random.uniform(0.0, 2.0) * random.direction();
  return {exp_so3(random.uniform(0.0, 3.1) * random.direction()), p};
}

double distance(const Pose& a, const Pose& b) {
  return (a.R - b.R).cwiseAbs().maxCoeff() + (a.p - b.p).cwiseAbs().maxCoeff();
}

TEST(Pose, DefaultIsTheIdentity) {
  EXPECT_EQ(Pose{}.R, Eigen::Matrix3d::Identity());
  EXPECT_EQ(Pose{} * Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(1, 2, 3));
}

TEST(Pose, TakesPointsFromBToA) {
  // B stands at (1, 0, 0), turned by 90 degrees about z: its x axis is A's y axis
  const Pose X_AB = Pose::from_rpy({1, 0, 0}, {0, 0, std::numbers::pi / 2});
  EXPECT_LT((X_AB * Eigen::Vector3d(2, 0, 5) - Eigen::Vector3d(1, 2, 5)).norm(), 4 * kEps);
  EXPECT_EQ(Pose::translation({1, 2, 3}) * Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(2, 3, 4));
  EXPECT_EQ(Pose::rotation(X_AB.R).R, X_AB.R);
}

TEST(Pose, ProductsAreAGroup) {
  RandomStream random(kSeed, "group");
  for (int run = 0; run < 100; ++run) {
    const Pose a = random_pose(random), b = random_pose(random), c = random_pose(random);
    const Eigen::Vector3d q = random.direction();
    SCOPED_TRACE(run);
    // lengths up to 6 and sums of three products
    EXPECT_LT(distance((a * b) * c, a * (b * c)), 64 * kEps);
    EXPECT_LT(distance(a * a.inverse(), Pose{}), 32 * kEps);
    EXPECT_LT(distance(a.inverse() * a, Pose{}), 32 * kEps);
    EXPECT_LT(((a * b) * q - a * (b * q)).norm(), 64 * kEps);
  }
}

TEST(Pose, QuaternionsGoThereAndBackWithWNotNegative) {
  RandomStream random(kSeed, "quaternion");
  for (int run = 0; run < 100; ++run) {
    const Pose X = random_pose(random);
    const Eigen::Quaterniond q = X.quaternion();
    EXPECT_GE(q.w(), 0.0) << "seed " << kSeed << " run " << run;
    EXPECT_NEAR(q.norm(), 1.0, 2 * kEps);
    EXPECT_LT(distance(Pose::from(X.p, q), X), 16 * kEps) << "seed " << kSeed << " run " << run;
  }
}

}  // namespace pose_test
}  // namespace handspan
