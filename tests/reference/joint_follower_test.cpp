#include "reference/joint_follower.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace joint_follower_test {

constexpr double kDt = 1e-3;

TEST(JointFollower, KeepsLimitsAndPositions) {
  const Eigen::Vector2d lower(-1.0, -2.0), upper(1.0, 2.0);
  const std::vector<FollowLimits> of = {{1.0, 4.0, 200.0}, {2.0, 8.0, 500.0}};
  JointFollower follower(lower, upper, of);
  follower.start(Eigen::Vector2d(0.2, -0.1));
  RandomStream random(3, "joints");
  Eigen::Vector2d goal = Eigen::Vector2d::Zero(), v = Eigen::Vector2d::Zero();
  for (int i = 0; i < 20000; ++i) {
    if (random.uniform() < 0.01) {
      goal = {random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)};
      v = {random.uniform(-2.0, 2.0), 0.0};
    }
    const Eigen::VectorXd v_before = follower.v(), a_before = follower.a();
    if (random.uniform() < 0.1)
      follower.brake(kDt);
    else
      follower.follow(goal, v, kDt);
    for (int j = 0; j < 2; ++j) {
      const FollowLimits& l = of[static_cast<std::size_t>(j)];
      ASSERT_LE(std::abs(follower.v()[j]), l.speed * (1.0 + 2e-12)) << "seed 3, tick " << i;
      ASSERT_LE(std::abs(follower.a()[j]), l.acceleration * (1.0 + 1e-9)) << "seed 3, tick " << i;
      ASSERT_LE(std::abs(follower.a()[j] - a_before[j]), l.jerk * kDt * (1.0 + 1e-9))
          << "seed 3, tick " << i;
      ASSERT_LE(std::abs(follower.v()[j] - v_before[j] - follower.a()[j] * kDt), 1e-12);
      ASSERT_GE(follower.q()[j], lower[j] - 2e-12);
      ASSERT_LE(follower.q()[j], upper[j] + 2e-12);
    }
  }
}

TEST(JointFollower, AJointOutsideItsLimitsMayComeBackNotGoOn) {
  const double inf = HUGE_VAL;
  JointFollower follower(Eigen::Vector2d(-1.0, -inf), Eigen::Vector2d(1.0, inf),
                         {{1.0, 4.0, 200.0}, {1.0, 4.0, 200.0}});
  follower.start(Eigen::Vector2d(1.3, 0.0));
  for (int i = 0; i < 5000; ++i)
    follower.follow(Eigen::Vector2d(2.0, 4.0), Eigen::Vector2d::Zero(), kDt);
  EXPECT_NEAR(follower.q()[0], 1.3, 1e-9);
  // one without limits goes anywhere
  EXPECT_EQ(follower.q()[1], 4.0);
  for (int i = 0; i < 5000; ++i)
    follower.follow(Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d::Zero(), kDt);
  EXPECT_EQ(follower.q(), Eigen::VectorXd(Eigen::Vector2d::Zero()));
  EXPECT_TRUE(follower.at_rest());
}

TEST(JointFollower, ATickDoesNotTouchTheHeap) {
  JointFollower joints(Eigen::Vector2d(-1.0, -1.0), Eigen::Vector2d(1.0, 1.0),
                       {{1.0, 4.0, 200.0}, {1.0, 4.0, 200.0}});
  const Eigen::VectorXd q = Eigen::Vector2d(2.0, 0.3), v = Eigen::Vector2d(0.0, 0.0);
  const test::AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) joints.follow(q, v, kDt);
  joints.brake(kDt);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace joint_follower_test
}  // namespace handspan
