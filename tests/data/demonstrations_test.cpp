// What of demonstrations is mathematics and names; how logs become some is in tests/export.
#include "data/demonstrations.hpp"

#include <gtest/gtest.h>

#include <random>

#include "math/so3.hpp"

namespace handspan {
namespace demonstrations_test {

constexpr double kTime = 0.05;  // between two rows [s]

Motion random_motion(std::mt19937_64& random, const Eigen::Matrix3d& about) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&](Eigen::Index n) {
    Eigen::VectorXd v(n);
    for (double& x : v) x = unit(random);
    return v;
  };
  Motion m;
  m.pose.X_WE.p = vector(3);
  m.pose.X_WE.R = exp_so3(0.8 * Eigen::Vector3d(vector(3))) * about;
  m.pose.V_WE = vector(6);
  m.pose.A_WE = vector(6);
  m.q = vector(4);
  m.v = vector(4);
  m.a = vector(4);
  m.wrench = vector(6);
  return m;
}

TEST(Between, BothEndsAreMetInPositionAndVelocity) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    const Motion a = random_motion(random, Eigen::Matrix3d::Identity());
    const Motion b = random_motion(random, a.pose.X_WE.R);
    for (const bool end : {false, true}) {
      const Motion &at = end ? b : a, m = between(a, b, end ? 1.0 : 0.0, kTime);
      EXPECT_LT((m.pose.X_WE.p - at.pose.X_WE.p).norm(), 1e-14) << "seed 1, " << i;
      EXPECT_LT((m.pose.X_WE.R - at.pose.X_WE.R).norm(), 1e-12) << "seed 1, " << i;
      EXPECT_LT((m.pose.V_WE - at.pose.V_WE).norm(), 1e-11) << "seed 1, " << i;
      EXPECT_LT((m.q - at.q).norm(), 1e-14);
      EXPECT_LT((m.v - at.v).norm(), 1e-12);
      EXPECT_EQ(m.wrench, at.wrench);
    }
  }
}

TEST(Between, RatesAreThoseOfThePosesAndJointsBetween) {
  std::mt19937_64 random(2);
  constexpr double kStep = 1e-5;  // of the share
  for (int i = 0; i < 20; ++i) {
    const Motion a = random_motion(random, Eigen::Matrix3d::Identity());
    const Motion b = random_motion(random, a.pose.X_WE.R);
    for (const double s : {0.1, 0.5, 0.83}) {
      const Motion m = between(a, b, s, kTime), before = between(a, b, s - kStep, kTime),
                   after = between(a, b, s + kStep, kTime);
      const double dt = 2.0 * kStep * kTime;
      Vector6d V, A;
      V << (after.pose.X_WE.p - before.pose.X_WE.p) / dt,
          log_so3(after.pose.X_WE.R * before.pose.X_WE.R.transpose()) / dt;
      A = (after.pose.V_WE - before.pose.V_WE) / dt;
      EXPECT_LT((m.pose.V_WE - V).norm(), 1e-6 * (1.0 + V.norm())) << "seed 2, " << i << " " << s;
      EXPECT_LT((m.pose.A_WE - A).norm(), 1e-6 * (1.0 + A.norm())) << "seed 2, " << i << " " << s;
      EXPECT_LT((m.v - (after.q - before.q) / dt).norm(), 1e-6 * (1.0 + m.v.norm()));
      EXPECT_LT((m.a - (after.v - before.v) / dt).norm(), 1e-6 * (1.0 + m.a.norm()));
    }
  }
}

// of a motion that is itself a cubic, all between two of its points are its own
TEST(Between, ACubicIsItself) {
  const auto at = [](double t) {
    Motion m;
    m.pose.X_WE.p << t * t * t, 1.0 - 2.0 * t, t * t;
    m.pose.V_WE << 3 * t * t, -2.0, 2 * t, 0, 0, 1.0;
    m.pose.A_WE << 6 * t, 0, 2, 0, 0, 0;
    m.pose.X_WE.R = exp_so3({0.0, 0.0, t});
    m.q = Eigen::Vector2d(t * t * t - t, 5.0);
    m.v = Eigen::Vector2d(3 * t * t - 1.0, 0.0);
    m.a = Eigen::Vector2d(6 * t, 0.0);
    m.wrench.setConstant(t);
    return m;
  };
  const Motion a = at(0.3), b = at(0.8);
  for (const double s : {0.0, 0.2, 0.5, 0.99}) {
    const Motion m = between(a, b, s, 0.5), own = at(0.3 + 0.5 * s);
    EXPECT_LT((m.pose.X_WE.p - own.pose.X_WE.p).norm(), 1e-14) << s;
    EXPECT_LT((m.pose.X_WE.R - own.pose.X_WE.R).norm(), 1e-13) << s;
    EXPECT_LT((m.pose.V_WE - own.pose.V_WE).norm(), 1e-13) << s;
    EXPECT_LT((m.pose.A_WE - own.pose.A_WE).norm(), 1e-12) << s;
    EXPECT_LT((m.q - own.q).norm(), 1e-14) << s;
    EXPECT_LT((m.v - own.v).norm(), 1e-14) << s;
    EXPECT_LT((m.a - own.a).norm(), 1e-12) << s;
    EXPECT_LT((m.wrench - own.wrench).norm(), 1e-15) << s;
  }
}

TEST(DatasetKey, IsAnIdentifier) {
  EXPECT_EQ(dataset_key("left.arm.q"), "left_arm_q");
  EXPECT_EQ(dataset_key("a b-c/d"), "a_b_c_d");
  EXPECT_EQ(dataset_key("µm"), "__m");  // bytes that are no letters of ASCII
  EXPECT_EQ(dataset_key(""), "");
}

TEST(IsObservation, WhatIsDecidedIsNone) {
  const auto is = [](const std::string& name) {
    ChannelInfo info;
    info.name = name;
    return is_observation(info);
  };
  for (const char* name : {"left.arm.q", "left.arm.v", "left.arm.tau", "left.flange.wrench",
                           "measured.hand.pose", "object.parcel.pose"})
    EXPECT_TRUE(is(name)) << name;
  for (const char* name : {"reference.hand.pose", "reference.posture.q", "reference.push.wrench",
                           "control.left.q", "control.left.tau", "task.hand.error", "source.hand.q",
                           "device.pad.v", "left.arm.command", "left.arm.quality", "machine.left"})
    EXPECT_FALSE(is(name)) << name;
}

}  // namespace demonstrations_test
}  // namespace handspan
