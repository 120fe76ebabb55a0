#include "control/joint_stop.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace joint_stop_test {

TEST(VelocityStop, FromNoAccelerationTakesTheClosedFormsTime) {
  // reaches the acceleration: v / a + a / j; does not: 2 sqrt(v / j)
  EXPECT_NEAR(VelocityStop::fastest(2.0, 0.0, 5.0, 125.0).duration(), 2.0 / 5.0 + 5.0 / 125.0,
              1e-14);
  EXPECT_NEAR(VelocityStop::fastest(-0.1, 0.0, 5.0, 125.0).duration(), 2.0 * std::sqrt(0.1 / 125.0),
              1e-14);
  EXPECT_EQ(VelocityStop::fastest(0.0, 0.0, 5.0, 125.0).duration(), 0.0);
}

// From an acceleration a the stop is the rest of a longer one from none: it began j-limited before.
TEST(VelocityStop, AccelerationsAtTheStartArePartOfALongerStop) {
  const double acceleration = 5.0, jerk = 125.0;
  const VelocityStop whole = VelocityStop::fastest(2.0, 0.0, acceleration, jerk);
  for (const double t : {0.01, 0.03, 0.1, 0.3, 0.41, 0.43}) {
    const auto at = whole.at(t);
    const VelocityStop rest = VelocityStop::fastest(at.v, at.a, acceleration, jerk);
    EXPECT_NEAR(rest.duration(), whole.duration() - t, 1e-12) << t;
    EXPECT_NEAR(at.way + rest.at(10.0).way, whole.at(10.0).way, 1e-12) << t;
  }
  // still speeding up: first that goes, a / j, then it stops from v + a^2 / (2 j)
  EXPECT_NEAR(
      VelocityStop::fastest(1.0, 4.0, acceleration, jerk).duration(),
      4.0 / jerk +
          VelocityStop::fastest(1.0 + 16.0 / (2.0 * jerk), 0.0, acceleration, jerk).duration(),
      1e-12);
}

TEST(VelocityStop, KeepsItsLimitsAndEndsAtRestInTheTimeThatIsAsked) {
  RandomStream random(1, "velocity_stop");
  for (int i = 0; i < 3000; ++i) {
    const double acceleration = 1.0 + 20.0 * random.uniform(),
                 jerk = 50.0 + 5000.0 * random.uniform();
    const double v = 3.0 * random.normal(), a = acceleration * (2.0 * random.uniform() - 1.0);
    VelocityStop stop = VelocityStop::fastest(v, a, acceleration, jerk);
    const double least = stop.duration();
    for (const double more : {1.0, 1.0 + random.uniform(), 5.0}) {
      stop = VelocityStop::in(more * least, v, a, acceleration, jerk);
      ASSERT_NEAR(stop.duration(), more * least, 1e-9 * (1.0 + least)) << i << " " << more;
      const double end = stop.duration() * (1.0 - 1e-12);
      ASSERT_NEAR(stop.at(end).v, 0.0, 1e-8) << i << " " << more;
      ASSERT_NEAR(stop.at(end).a, 0.0, 1e-6) << i << " " << more;
      double way = 0.0, before = a;
      const double dt = stop.duration() / 500.0;
      for (int k = 0; k < 500; ++k) {
        const auto middle = stop.at((k + 0.5) * dt), next = stop.at((k + 1) * dt * (1.0 - 1e-13));
        way += middle.v * dt;
        ASSERT_LE(std::abs(next.a), acceleration * (1.0 + 1e-9)) << i;
        ASSERT_LE(std::abs(next.a - before), jerk * dt * (1.0 + 1e-6) + 1e-9) << i;
        before = next.a;
      }
      ASSERT_NEAR(way, stop.at(end).way, 1e-3 * (1.0 + std::abs(v)) * stop.duration() + 1e-9) << i;
    }
  }
}

struct Arm {
  explicit Arm(const std::string& robot, const std::string& pose, double torque = 1.0)
      : scene(test::scene_of("robots: {arm: {robot: " + robot + ", pose: " + pose + "}}\n")) {
    const RobotInstance& r = scene.robots[0];
    RobotLimits limits = r.limits;
    for (auto& [name, joint] : limits.joints) joint.torque *= torque;
    MechanismDescription m{r.name, r.description, r.groups[0].joints, {}, limits, true};
    system.add_mechanism(std::move(m));
    system.seal();
    for (const auto& named : r.poses)
      if (named.name == pose) q = named.q.head(6);
  }
  const Mechanism& mechanism() const { return system.mechanisms()[0]; }
  Scene scene;
  ControlSystem system;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6), zero = Eigen::VectorXd::Zero(6);
};

TEST(JointStop, JointsBrakeInProportionInAtMostATenthMoreThanTheLeastTime) {
  const Arm arm("ur10", "stance");
  RandomStream random(2, "joint_stop");
  JointStop stop(arm.mechanism());
  Eigen::VectorXd q(6), v(6), a(6);
  int together = 0;
  for (int i = 0; i < 200; ++i) {
    Eigen::VectorXd v0(6);
    for (Eigen::Index j = 0; j < 6; ++j) v0[j] = random.uniform(-2.0, 2.0);
    stop.plan(arm.q, v0, arm.zero);
    double least = 0.0;
    for (std::size_t j = 0; j < 6; ++j) {
      const JointLimits& l = arm.mechanism().limits[j];
      least = std::max(least, VelocityStop::fastest(v0[static_cast<Eigen::Index>(j)], 0.0,
                                                    l.acceleration, l.jerk)
                                  .duration());
    }
    ASSERT_GE(stop.duration(), least * (1.0 - 1e-12));
    ASSERT_LE(stop.duration(), 1.1 * least * (1.0 + 1e-12));
    bool proportional = true;
    for (const double t : {0.2, 0.5, 0.8}) {
      stop.at(t * stop.duration(), q, v, a);
      proportional = proportional && (v / v.norm() - v0 / v0.norm()).norm() < 1e-9;
      ASSERT_LT((v / v.norm() - v0 / v0.norm()).norm(), 0.2) << i;
    }
    together += proportional ? 1 : 0;
    stop.at(stop.duration(), q, v, a);
    ASSERT_TRUE(v.isZero(0.0) && a.isZero(0.0));
    const Eigen::VectorXd end = q;
    stop.at(1e3, q, v, a);
    ASSERT_EQ(q, end);
  }
  EXPECT_GT(together, 150);
}

TEST(JointStop, IsSlowedAsAWholeUntilItsTorquesFit) {
  const Arm strong("ur10", "upright");
  Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  v << 1.5, -1.5, 2.0, 1.0, -1.0, 0.5;
  const double least = least_stop_time(strong.mechanism(), strong.q, v, strong.zero);
  const JointLimits& shoulder = strong.mechanism().limits[1];
  EXPECT_NEAR(least, 1.5 / shoulder.acceleration + shoulder.acceleration / shoulder.jerk, 1e-9);
  // of the torque limits, what that stop takes and what standing on its way takes
  double takes = 0.0, stands = 0.0;
  {
    JointStop stop(strong.mechanism());
    RobotData data(*strong.mechanism().model);
    stop.plan(strong.q, v, strong.zero);
    Eigen::VectorXd q(6), v_t(6), a_t(6);
    for (int k = 0; k <= 8; ++k) {
      stop.at(stop.duration() * k / 8.0, q, v_t, a_t);
      for (const bool moves : {true, false}) {
        const Eigen::VectorXd tau =
            inverse_dynamics(*strong.mechanism().model, data, q, moves ? v_t : strong.zero,
                             moves ? a_t : strong.zero);
        for (std::size_t j = 0; j < 6; ++j) {
          double& most = moves ? takes : stands;
          most = std::max(most, std::abs(tau[static_cast<Eigen::Index>(j)]) /
                                    strong.mechanism().limits[j].torque);
        }
      }
    }
  }
  ASSERT_GT(takes, 1.05 * stands);
  const Arm weak("ur10", "upright", 0.9 * takes);
  EXPECT_GT(least_stop_time(weak.mechanism(), weak.q, v, weak.zero), 1.1 * least);
  JointStop stop(weak.mechanism());
  RobotData data(*weak.mechanism().model);
  stop.plan_within_torques(weak.q, weak.q, v, weak.zero, data);
  EXPECT_LT(stop.share(), 1.0);
  Eigen::VectorXd q(6), v_t(6), a_t(6);
  for (int k = 0; k <= 8; ++k) {
    stop.at(stop.duration() * k / 8.0, q, v_t, a_t);
    const Eigen::VectorXd tau = inverse_dynamics(*weak.mechanism().model, data, q, v_t, a_t);
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_LE(std::abs(tau[static_cast<Eigen::Index>(j)]), weak.mechanism().limits[j].torque);
  }
}

TEST(JointStop, WhatIsNoNumberStopsAtOnceAndNothingTouchesTheHeap) {
  const Arm arm("ur10", "stance");
  JointStop stop(arm.mechanism());
  RobotData data(*arm.mechanism().model);
  Eigen::VectorXd q(6), v(6), a(6), v0 = Eigen::VectorXd::Constant(6, 1.0), rates = 100.0 * v0;
  v0[2] = std::nan("");
  stop.plan(arm.q, v0, arm.zero);
  EXPECT_EQ(stop.duration(), 0.0);
  v0[2] = 1.0;
  stop.plan_within_torques(arm.q, arm.q, v0, arm.zero, data, &rates);
  const test::AllocationCount allocations;
  stop.plan_within_torques(arm.q, arm.q, v0, arm.zero, data, &rates);
  stop.at(0.1, q, v, a);
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_GT(stop.duration(), 0.2);
}

}  // namespace joint_stop_test
}  // namespace handspan
