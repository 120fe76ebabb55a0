#include "teleop/reference.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace handspan {
namespace {

constexpr double kDt = 1e-3;
const PoseReferenceLimits kLimits{0.8, 5.0, 300.0, 2.0, 12.0, 800.0, {}, {}};

// every step within speed and acceleration, and x' = x + v' dt
void expect_legal(const PoseReference& before, const PoseReference& now) {
  ASSERT_LE(now.V_WE.head<3>().norm(), kLimits.speed * (1.0 + 1e-12));
  ASSERT_LE(now.V_WE.tail<3>().norm(), kLimits.angular_speed * (1.0 + 1e-12));
  const Vector6d change = now.V_WE - before.V_WE;
  ASSERT_LE(change.head<3>().norm(), kLimits.acceleration * kDt * (1.0 + 1e-9));
  ASSERT_LE(change.tail<3>().norm(), kLimits.angular_acceleration * kDt * (1.0 + 1e-9));
  ASSERT_LE((now.X_WE.p - before.X_WE.p - kDt * now.V_WE.head<3>()).norm(), 1e-12);
  ASSERT_LE((now.X_WE.R - exp_so3(kDt * now.V_WE.tail<3>()) * before.X_WE.R).norm(), 1e-12);
}

TEST(Reference, FollowsLegalMotionsExactly) {
  PoseFollower follower(kLimits);
  PoseReference wanted;
  follower.start(wanted.X_WE);
  for (int i = 0; i < 3000; ++i) {
    // accelerations within the limits, from rest
    const double t = i * kDt;
    Vector6d V;
    V << 0.3 * std::sin(2.0 * t), 0.2 * std::sin(3.0 * t), 0.0, 0.0, 0.5 * std::sin(t),
        0.4 * std::sin(2.0 * t);
    wanted.V_WE = V;
    wanted.X_WE.p += kDt * V.head<3>();
    wanted.X_WE.R = exp_so3(kDt * V.tail<3>()) * wanted.X_WE.R;
    follower.follow(wanted, kAllAxes, {}, kDt);
    ASSERT_LT((follower.reference().X_WE.p - wanted.X_WE.p).norm(), 1e-12);
    ASSERT_LT((follower.reference().X_WE.R - wanted.X_WE.R).norm(), 1e-10);
  }
}

TEST(Reference, AFarGoalIsReachedInTheTimeOfTheFastestLegalMotion) {
  PoseFollower follower(kLimits);
  follower.start({});
  PoseReference goal;
  goal.X_WE.p = {0.6, 0.0, 0.8};  // 1 m away
  int ticks = 0;
  while ((follower.reference().X_WE.p - goal.X_WE.p).norm() > 0.0 || !follower.at_rest()) {
    const PoseReference before = follower.reference();
    follower.follow(goal, kAllAxes, {}, kDt);
    expect_legal(before, follower.reference());
    ASSERT_LT(++ticks, 3000);
  }
  // trapezium: d / v + v / a, and some ticks to the last bit
  EXPECT_NEAR(ticks * kDt, 1.0 / kLimits.speed + kLimits.speed / kLimits.acceleration, 0.01);
}

TEST(Reference, WildTargetsAndHoldsStayLegalAndNeverOvershootTheirStop) {
  RandomStream random(7, "wild");
  PoseFollower follower(kLimits);
  follower.start({});
  PoseReference wanted;
  for (int i = 0; i < 20000; ++i) {
    if (random.uniform() < 0.02) {
      wanted.X_WE.p = 2.0 * random.direction();
      wanted.X_WE.R = exp_so3(random.uniform(0.0, 3.1) * random.direction());
      wanted.V_WE.setZero();
      if (random.uniform() < 0.3) wanted.V_WE.head<3>() = 3.0 * random.direction();
    }
    const PoseReference before = follower.reference();
    if (random.uniform() < 0.1)
      follower.brake(kDt);
    else
      follower.follow(wanted, kAllAxes, {}, kDt);
    expect_legal(before, follower.reference());
    ASSERT_LT((follower.reference().X_WE.R.transpose() * follower.reference().X_WE.R -
               Eigen::Matrix3d::Identity())
                  .norm(),
              1e-12);
  }
  int ticks = 0;
  while (!follower.at_rest()) {
    follower.brake(kDt);
    ASSERT_LE(++ticks, static_cast<int>(kLimits.speed / kLimits.acceleration / kDt) + 2);
  }
}

TEST(Reference, AxesWithoutAuthorityBrakeToRest) {
  PoseFollower follower(kLimits);
  follower.start({});
  PoseReference wanted;
  wanted.X_WE.p = {1.0, 1.0, 1.0};
  wanted.X_WE.R = exp_so3({0.5, 0.5, 0.0});
  for (int i = 0; i < 3000; ++i)
    follower.follow(wanted, {true, false, true, false, true, false}, {}, kDt);
  const Pose& X = follower.reference().X_WE;
  EXPECT_NEAR(X.p.x(), 1.0, 1e-9);
  EXPECT_EQ(X.p.y(), 0.0);
  EXPECT_NEAR(X.p.z(), 1.0, 1e-9);
  EXPECT_TRUE(follower.at_rest());
}

TEST(Reference, JointsKeepSpeedAccelerationAndPositionLimits) {
  const Eigen::Vector2d lower(-1.0, -2.0), upper(1.0, 2.0), speed(1.0, 2.0), acceleration(4.0, 8.0);
  JointFollower follower(lower, upper, {{1.0,4.0,200.0},{2.0,8.0,500.0}});
  follower.start(Eigen::Vector2d(0.2, -0.1));
  RandomStream random(3, "joints");
  Eigen::Vector2d goal = Eigen::Vector2d::Zero(), v = Eigen::Vector2d::Zero();
  for (int i = 0; i < 20000; ++i) {
    if (random.uniform() < 0.01) {
      goal = {random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)};
      v = {random.uniform(-2.0, 2.0), 0.0};
    }
    const Eigen::VectorXd v_before = follower.v();
    follower.follow(goal, v, kDt);
    for (int j = 0; j < 2; ++j) {
      ASSERT_LE(std::abs(follower.v()[j]), speed[j]);
      ASSERT_LE(std::abs(follower.v()[j] - v_before[j]), acceleration[j] * kDt * (1.0 + 1e-9));
      ASSERT_GE(follower.q()[j], lower[j] - 1e-9);
      ASSERT_LE(follower.q()[j], upper[j] + 1e-9);
    }
  }
  // one outside its limits comes back
  follower.start(Eigen::Vector2d(1.3, 0.0));
  for (int i = 0; i < 2000; ++i)
    follower.follow(Eigen::Vector2d(2.0, 0.0), Eigen::Vector2d::Zero(), kDt);
  EXPECT_NEAR(follower.q()[0], 1.3, 1e-9);
  for (int i = 0; i < 3000; ++i)
    follower.follow(Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d::Zero(), kDt);
  EXPECT_NEAR(follower.q()[0], 0.0, 1e-9);
}

TEST(Reference, ClosingSpeedStopsExactly) {
  for (const double e0 : {1e-7, 3e-6, 1e-3, 0.37}) {
    double e = e0;
    for (int i = 0; i < 10000 && e > 0.0; ++i) {
      const double r = closing_speed(e, 5.0, kDt);
      ASSERT_GE(r, 0.0);
      e -= r * kDt;
      ASSERT_GE(e, -1e-16);
      // the next speed is at most a dt slower
      if (e > 1e-15) {
        ASSERT_LE(r - closing_speed(e, 5.0, kDt), 5.0 * kDt * (1.0 + 1e-9));
      }
    }
    EXPECT_LE(e, 1e-15);
  }
}

}  // namespace
}  // namespace handspan
