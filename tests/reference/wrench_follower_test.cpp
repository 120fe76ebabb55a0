#include "reference/wrench_follower.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace handspan {
namespace wrench_follower_test {

constexpr double kDt = 1e-3;
const WrenchReferenceLimits kLimits{30.0, 4.0, 50.0, 10.0};

Vector6d wrench(double fx, double fy, double fz, double tx, double ty, double tz) {
  Vector6d F;
  F << fx, fy, fz, tx, ty, tz;
  return F;
}

TEST(WrenchFollower, GoesToItsGoalInAStraightLineAtItsRateAndIsThereExactly) {
  WrenchFollower follower(kLimits);
  const Vector6d goal = wrench(0.0, 12.0, -16.0, 0.0, 3.0, 0.0);
  follower.start(Vector6d::Zero());
  int force_ticks = 0, torque_ticks = 0;
  for (int i = 0; i < 1000; ++i) {
    follower.follow(goal, kAllAxes, kDt);
    const Vector6d& F = follower.reference();
    EXPECT_LT(F.head<3>().cross(goal.head<3>()).norm(), 1e-9);
    force_ticks += F.head<3>() != goal.head<3>();
    torque_ticks += F.tail<3>() != goal.tail<3>();
  }
  EXPECT_EQ(follower.reference(), goal);
  // 20 N at 50 N/s, 3 N m at 10 N m/s, the last tick not counted
  EXPECT_NEAR(force_ticks, 400, 1);
  EXPECT_NEAR(torque_ticks, 300, 1);
  EXPECT_TRUE(follower.at_rest());
}

TEST(WrenchFollower, WhateverIsAskedItKeepsMagnitudesAndRates) {
  RandomStream random(3, "wrench");
  WrenchFollower follower(kLimits);
  follower.start(Vector6d::Zero());
  for (int i = 0; i < 20000; ++i) {
    const Vector6d before = follower.reference();
    Axes axes{};
    for (bool& axis : axes) axis = random.uniform() < 0.7;
    Vector6d wild;
    for (double& x : wild)
      x = random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-3.0, 6.0));
    if (random.uniform() < 0.1)
      follower.hold();
    else
      follower.follow(wild, axes, kDt);
    const Vector6d F = follower.reference(), step = F - before;
    ASSERT_LE(F.head<3>().norm(), kLimits.force * (1.0 + 1e-12));
    ASSERT_LE(F.tail<3>().norm(), kLimits.torque * (1.0 + 1e-12));
    ASSERT_LE(step.head<3>().norm(), kLimits.force_rate * kDt * (1.0 + 1e-9));
    ASSERT_LE(step.tail<3>().norm(), kLimits.torque_rate * kDt * (1.0 + 1e-9));
  }
}

TEST(WrenchFollower, HeldItStaysToTheBitAndOtherAxesDoToo) {
  WrenchFollower follower(kLimits);
  follower.start(wrench(5.0, 1.0, -20.0, 0.5, 0.0, 0.0));
  for (int i = 0; i < 60000; ++i) follower.hold();
  EXPECT_EQ(follower.reference(), wrench(5.0, 1.0, -20.0, 0.5, 0.0, 0.0));
  EXPECT_TRUE(follower.at_rest());
  // z alone is given to somebody
  const Axes z = {false, false, true, false, false, false};
  follower.follow(wrench(9.0, 9.0, -10.0, 9.0, 9.0, 9.0), z, kDt);
  EXPECT_FALSE(follower.at_rest());
  for (int i = 0; i < 1000; ++i) follower.follow(wrench(9.0, 9.0, -10.0, 9.0, 9.0, 9.0), z, kDt);
  EXPECT_EQ(follower.reference(), wrench(5.0, 1.0, -10.0, 0.5, 0.0, 0.0));
}

TEST(WrenchFollower, FromBeyondItsMagnitudesItComesBackAtItsRate) {
  WrenchFollower follower(kLimits);
  follower.start(wrench(40.0, 0.0, 0.0, 0.0, 0.0, 0.0));
  follower.follow(wrench(40.0, 0.0, 0.0, 0.0, 0.0, 0.0), kAllAxes, kDt);
  EXPECT_NEAR(follower.reference()[0], 40.0 - kLimits.force_rate * kDt, 1e-12);
}

}  // namespace wrench_follower_test
}  // namespace handspan
