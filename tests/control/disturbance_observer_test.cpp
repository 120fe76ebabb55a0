// The momentum observer against an arm that is simulated exactly with known torques from outside.
#include "control/disturbance_observer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "robot/model.hpp"
#include "scene/robot_folder.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace disturbance_observer_test {

using Torque = std::function<Eigen::VectorXd(double time)>;

constexpr double kBandwidth = 30.0;

class DisturbanceObserverTest : public testing::Test {
 protected:
  DisturbanceObserverTest()
      : folder_(load_robot_folder(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots" / "fr3")),
        model_(folder_.description),
        data_(model_) {}

  // one fourth-order step of M v' + h = tau + outside
  void advance(const Eigen::VectorXd& tau, const Torque& outside, double t, double step) {
    const auto rate = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v, double at) {
      return Eigen::VectorXd(
          forward_dynamics(model_, data_, q, v, Eigen::VectorXd(tau + outside(at))));
    };
    const Eigen::VectorXd a1 = rate(q_, v_, t);
    const Eigen::VectorXd v2 = v_ + 0.5 * step * a1,
                          a2 = rate(q_ + 0.5 * step * v_, v2, t + 0.5 * step);
    const Eigen::VectorXd v3 = v_ + 0.5 * step * a2,
                          a3 = rate(q_ + 0.5 * step * v2, v3, t + 0.5 * step);
    const Eigen::VectorXd v4 = v_ + step * a3, a4 = rate(q_ + step * v3, v4, t + step);
    q_ += step / 6.0 * (v_ + 2.0 * v2 + 2.0 * v3 + v4);
    v_ += step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }

  // an arm thrown about for half a second; the largest difference of r from `expected`
  double largest_error(double dt, const Torque& outside, const Torque& expected,
                       double told = 1.0) {
    q_ = folder_.pose("ready")->q;
    v_ = (Eigen::VectorXd(7) << 1.0, -0.8, 1.2, 0.6, -2.0, 1.5, 2.0).finished();
    DisturbanceObserver observer(7, kBandwidth);
    observer.start();
    double worst = 0.0;
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(7);
    const int ticks = static_cast<int>(std::lround(0.5 / dt));
    for (int k = 0; k <= ticks; ++k) {
      const double t = k * dt;
      const Eigen::MatrixXd M = mass_matrix(model_, data_, q_);
      const Eigen::VectorXd h = nonlinear_effects(model_, data_, q_, v_);
      observer.update(M, h, v_, told * tau, dt);
      worst = std::max(worst, (observer.torque() - expected(t)).lpNorm<Eigen::Infinity>());
      tau = gravity_forces(model_, data_, q_);
      tau[1] += 6.0 * std::sin(9.0 * t);
      tau[4] -= 2.0 * std::cos(7.0 * t);
      for (int i = 0; i < 4; ++i) advance(tau, outside, t + 0.25 * i * dt, 0.25 * dt);
    }
    fastest_ = v_.lpNorm<Eigen::Infinity>();
    return worst;
  }

  RobotFolder folder_;
  RobotModel model_;
  RobotData data_;
  Eigen::VectorXd q_, v_;
  double fastest_ = 0.0;
};

const Eigen::VectorXd kPush = (Eigen::VectorXd(7) << 3, -5, 1, 4, -0.5, 1, 0.3).finished();

TEST_F(DisturbanceObserverTest, FollowsAConstantTorqueAsAFirstOrderFilterToTheSecondOrder) {
  const Torque outside = [](double) { return kPush; };
  const Torque filtered = [](double t) {
    return Eigen::VectorXd((1.0 - std::exp(-kBandwidth * t)) * kPush);
  };
  const double coarse = largest_error(0.002, outside, filtered),
               fine = largest_error(0.001, outside, filtered);
  // a missing or doubled dM/dt v or Coriolis term is of some N m at these speeds
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.3) << coarse << " " << fine;
}

TEST_F(DisturbanceObserverTest, FollowsASineWithTheFiltersGainAndPhase) {
  const double w = 12.0;
  const Torque outside = [&](double t) { return Eigen::VectorXd(std::sin(w * t) * kPush); };
  const Torque filtered = [&](double t) {
    const double L = kBandwidth;
    return Eigen::VectorXd(
        (L * (L * std::sin(w * t) - w * std::cos(w * t) + w * std::exp(-L * t)) / (L * L + w * w)) *
        kPush);
  };
  EXPECT_LT(largest_error(0.001, outside, filtered), 5e-3);
}

TEST_F(DisturbanceObserverTest, SeesNothingWhereThereIsNothingHoweverTheArmMoves) {
  const Torque nothing = [](double) { return Eigen::VectorXd::Zero(7).eval(); };
  EXPECT_LT(largest_error(0.001, nothing, nothing), 2e-3);
  EXPECT_GT(fastest_, 1.0);
}

TEST_F(DisturbanceObserverTest, WhatTheDriveDidNotGiveCountsAsDisturbance) {
  // told twice the torque that acted: half of what it was told is missing, and shows
  const Torque nothing = [](double) { return Eigen::VectorXd::Zero(7).eval(); };
  EXPECT_GT(largest_error(0.001, nothing, nothing, 2.0), 10.0);
}

TEST_F(DisturbanceObserverTest, AStartForgetsEverything) {
  DisturbanceObserver observer(7, kBandwidth);
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(7, 7);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(7), ones = Eigen::VectorXd::Ones(7);
  observer.update(M, zero, zero, zero, 0.001);
  observer.update(M, ones, zero, zero, 0.001);
  EXPECT_NEAR(observer.torque()[0], 0.5 * (1.0 - std::exp(-0.03)), 1e-15);
  observer.start();
  EXPECT_TRUE(observer.torque().isZero(0.0));
  // the first update has no tick before it: the jump of velocity is none
  observer.update(M, zero, 100.0 * ones, zero, 0.001);
  EXPECT_TRUE(observer.torque().isZero(0.0));
}

TEST(DisturbanceObserverHeap, TicksAllocateNothing) {
  DisturbanceObserver observer(7, kBandwidth);
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(7, 7);
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(7);
  const test::AllocationCount allocations;
  for (int k = 0; k < 5; ++k) observer.update(M, v, v, v, 0.001);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace disturbance_observer_test
}  // namespace handspan
