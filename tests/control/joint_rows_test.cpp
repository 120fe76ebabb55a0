#include "control/joint_rows.hpp"

#include <gtest/gtest.h>

#include <random>

#include "control/control_parts.hpp"
#include "control/rows_support.hpp"
#include "core/config.hpp"
#include "support/parts.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace joint_rows_test {

constexpr std::uint64_t kSeed = 5;

// joints that turn and slide are actuated, one of them held by others; the ball is passive
MechanismDescription random_mechanism(std::mt19937_64& random) {
  MechanismDescription m = test::mechanism("robot", {});
  m.description = test::all_joints(random);
  for (const auto& body : m.description.bodies)
    for (const auto& joint : body.joints) {
      if (joint_nv(joint.type) != 1) continue;
      JointLimits limits;
      limits.lower = -3.0;
      limits.upper = 3.0;
      limits.velocity = 2.0;
      limits.acceleration = limits.braking = 10.0;
      limits.jerk = 500.0;
      limits.torque = 50.0 + static_cast<double>(m.actuated.size());
      limits.torque_rate = 1000.0;
      m.limits.joints.emplace_back(joint.name, limits);
      m.actuated.push_back(joint.name);
    }
  m.torque_rate = true;
  return m;
}

struct Robot {
  explicit Robot(std::mt19937_64& random) { system.add_mechanism(random_mechanism(random)); }
  const Mechanism& mechanism() const { return system.mechanisms()[0]; }
  void randomise(ControlState& state, std::mt19937_64& random) {
    MechanismState& s = state.mechanisms[0];
    s.q = test::random_configuration(*mechanism().model, random);
    s.v = test::random_vector(s.v.size(), random);
    s.qdd = test::random_vector(s.v.size(), random);
    s.tau_before = 10.0 * test::random_vector(s.tau.size(), random);
    s.extra_torque = test::random_vector(s.tau.size(), random);
  }
  ControlSystem system;
};

TEST(TorqueLimits, RowsAreInverseDynamicsOfAnyAccelerationWithTheExtraTorqueCounted) {
  std::mt19937_64 random(kSeed);
  for (int k = 0; k < test::sized(400); ++k) {
    Robot robot(random);
    robot.system.seal();
    test::Rig rig(robot.system, std::make_unique<TorqueLimits>(robot.system, false));
    robot.randomise(rig.state, random);
    rig.rows();
    const Mechanism& m = robot.mechanism();
    const MechanismState& s = rig.state.mechanisms[0];
    Eigen::VectorXd x = test::random_vector(robot.system.unknowns(), random);
    RobotData data(*m.model);
    Eigen::VectorXd tau = inverse_dynamics(*m.model, data, s.q, s.v, x.head(m.model->nv()));
    tau -= s.C.transpose() * x.segment(m.multipliers, s.C.rows());
    ASSERT_EQ(rig.names.size(), m.actuated.size());
    for (std::size_t j = 0; j < m.actuated.size(); ++j) {
      const auto row = static_cast<Eigen::Index>(j);
      const double value = rig.qp.A.row(row).dot(x),
                   total = tau[m.actuated[j]] + s.extra_torque[row];
      // distance to either limit, from the row and from Newton-Euler
      EXPECT_NEAR(rig.upper(row) - value, m.limits[j].torque - total, 1e-10)
          << "seed " << kSeed << " case " << k;
      EXPECT_NEAR(value - rig.lower(row), m.limits[j].torque + total, 1e-10)
          << "seed " << kSeed << " case " << k;
      EXPECT_EQ(rig.names[j].name, "torque limit " + m.joint_names[j]);
      EXPECT_EQ(rig.names[j].kind, ConstraintKind::kTorque);
    }
  }
}

// bounds on the total torque of joint 0, for a torque before
std::pair<double, double> torque_bounds(double before, bool with_rate, bool takes_torque = true) {
  std::mt19937_64 random(kSeed);
  ControlSystem system;
  MechanismDescription description = random_mechanism(random);
  description.torque_rate = takes_torque;
  system.add_mechanism(std::move(description));
  system.seal();
  test::Rig rig(system, std::make_unique<TorqueLimits>(system, with_rate));
  MechanismState& s = rig.state.mechanisms[0];
  s.tau_before[0] = before;
  s.extra_torque[0] = 0.25;
  rig.rows();
  const double known = s.h[system.mechanisms()[0].actuated[0]] + 0.25;
  return {rig.lower(0) + known, rig.upper(0) + known};
}

TEST(TorqueLimits, RateIsKeptWithinTheLimitAndGivesWayToIt) {
  // limit 50 N m, rate 1000 N m/s over 1 ms
  const auto expect = [](std::pair<double, double> bounds, double lower, double upper) {
    EXPECT_NEAR(bounds.first, lower, 1e-12);
    EXPECT_NEAR(bounds.second, upper, 1e-12);
  };
  expect(torque_bounds(10.0, true), 9.0, 11.0);
  expect(torque_bounds(49.5, true), 48.5, 50.0);
  expect(torque_bounds(-49.5, true), -50.0, -48.5);
  // from outside: back at the rate, no faster
  expect(torque_bounds(60.0, true), 59.0, 59.0);
  expect(torque_bounds(-60.0, true), -59.0, -59.0);
  expect(torque_bounds(10.0, false), -50.0, 50.0);
  expect(torque_bounds(10.0, true, false), -50.0, 50.0);
}

TEST(JerkLimits, BoundTheChangeOfAccelerationOverATick) {
  std::mt19937_64 random(kSeed);
  Robot robot(random);
  robot.system.seal();
  test::Rig rig(robot.system, std::make_unique<JerkLimits>(robot.system));
  robot.randomise(rig.state, random);
  rig.rows();
  const Mechanism& m = robot.mechanism();
  const MechanismState& s = rig.state.mechanisms[0];
  for (std::size_t j = 0; j < m.actuated.size(); ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    Eigen::RowVectorXd unit = Eigen::RowVectorXd::Zero(robot.system.unknowns());
    unit[m.actuated[j]] = 1.0;
    EXPECT_EQ(rig.qp.A.row(row), unit);
    EXPECT_NEAR(rig.lower(row), s.qdd[m.actuated[j]] - 0.5, 1e-12);
    EXPECT_NEAR(rig.upper(row), s.qdd[m.actuated[j]] + 0.5, 1e-12);
    EXPECT_EQ(rig.names[j].name, "jerk limit " + m.joint_names[j]);
  }
}

TEST(JointRows, OfARobotThatTakesNoCommandNowBoundNothing) {
  std::mt19937_64 random(kSeed);
  Robot robot(random);
  robot.system.seal();
  for (const bool jerk : {false, true}) {
    std::unique_ptr<Constraint> made = std::make_unique<JerkLimits>(robot.system);
    if (!jerk) made = std::make_unique<TorqueLimits>(robot.system, true);
    test::Rig rig(robot.system, std::move(made));
    rig.state.mechanisms[0].due = false;
    rig.rows();
    for (Eigen::Index row = 0; row < rig.qp.A.rows(); ++row) {
      EXPECT_EQ(rig.lower(row), -kNoBound);
      EXPECT_EQ(rig.upper(row), kNoBound);
    }
  }
}

TEST(Dynamics, OfAFreeFlyerIsItsFall) {
  std::mt19937_64 random(kSeed);
  ControlSystem system;
  MechanismDescription m = test::mechanism("box", {test::body("box", -1, {})});
  m.description.bodies[0].inertial = test::random_inertial(random);
  m.description = with_base(m.description, BaseType::kFree);
  m.actuated.clear();
  m.limits.joints.clear();
  const int index = system.add_mechanism(std::move(m));
  ASSERT_EQ(index, 0);
  system.seal();
  test::Rig rig(system, std::make_unique<Dynamics>(system));
  ASSERT_EQ(rig.names.size(), 6U);
  EXPECT_EQ(rig.names[0].kind, ConstraintKind::kDynamics);
  MechanismState& s = rig.state.mechanisms[0];
  for (int k = 0; k < 50; ++k) {
    s.q = test::random_configuration(*system.mechanisms()[0].model, random);
    s.v = test::random_vector(6, random);
    rig.rows();
    RobotData data(*system.mechanisms()[0].model);
    const Eigen::VectorXd fall =
        forward_dynamics(*system.mechanisms()[0].model, data, s.q, s.v, Eigen::VectorXd::Zero(6));
    for (Eigen::Index row = 0; row < 6; ++row) {
      EXPECT_NEAR(rig.qp.A.row(row).dot(fall), rig.lower(row), 1e-10) << k;
      EXPECT_EQ(rig.lower(row), rig.upper(row));
    }
  }
}

TEST(Dynamics, KeepsMimicJointsAndTheirMastersTogetherAndLeavesPassiveJointsFree) {
  std::mt19937_64 random(kSeed);
  Robot robot(random);
  robot.system.seal();
  test::Rig rig(robot.system, std::make_unique<Dynamics>(robot.system));
  robot.randomise(rig.state, random);
  rig.rows();
  const Mechanism& m = robot.mechanism();
  const MechanismState& s = rig.state.mechanisms[0];
  // three of the ball, one of the mimic finger
  ASSERT_EQ(rig.names.size(), 4U);
  const int left = m.model->joint("finger_left_joint0").v,
            right = m.model->joint("finger_right_joint0").v;
  for (int k = 0; k < 50; ++k) {
    // a motion with multipliers that solves the rows: the ball is free of torque
    const Eigen::VectorXd x =
        rig.qp.A.colPivHouseholderQr().solve(rig.qp.lower.tail(4)) +
        rig.qp.A.fullPivLu().kernel() * test::random_vector(robot.system.unknowns() - 4, random);
    RobotData data(*m.model);
    const Eigen::VectorXd tau = inverse_dynamics(*m.model, data, s.q, s.v, x.head(m.model->nv()));
    for (const int v : m.passive) EXPECT_NEAR(tau[v], 0.0, 1e-8) << k;
    // q_right = 0.01 - q_left, brought back with 400 / s^2 and 40 / s
    const double off = s.q[m.model->joint("finger_right_joint0").q] +
                       s.q[m.model->joint("finger_left_joint0").q] - 0.01;
    EXPECT_NEAR(x[right] + x[left], -400.0 * off - 40.0 * (s.v[right] + s.v[left]), 1e-9) << k;
  }
}

TEST(JointRows, AreReadByName) {
  ControlSystem system;
  system.add_mechanism(test::mechanism(
      "arm", {test::body("link", -1, {}, {{JointType::kRevolute, Eigen::Vector3d::UnitZ()}})}));
  system.seal();
  const auto parts =
      parse_yaml("- {type: torque_limits, rate: false}\n- {type: jerk_limits}\n", "t.yaml",
                 list(parts_of<register_control>().of<ConstraintRegistry>().schema()));
  const ConstraintContext context{system, nullptr, {}};
  EXPECT_EQ(parts[0].make(context)->rows()[0].name, "torque limit link_0");
  EXPECT_EQ(parts[1].make(context)->rows()[0].name, "jerk limit link_0");
}

}  // namespace joint_rows_test
}  // namespace handspan
