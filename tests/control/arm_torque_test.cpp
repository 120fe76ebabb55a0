// The laws of a torque-driven arm, and what they add to the QP's torques.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "arm_drive_support.hpp"
#include "core/random.hpp"

namespace handspan {
namespace arm_torque_test {

using test::ArmDriveTest;
using test::commanded;

TEST_F(ArmDriveTest, TorqueLawCommandsTheTorqueOfTheQp) {
  ArmDrive drive({}, context());
  drive.start(measured_, state());
  tick(drive, Eigen::VectorXd::Ones(n_));
  EXPECT_EQ(command_, state().tau);
  EXPECT_EQ(drive.clamped(), 0U);
}

TEST_F(ArmDriveTest, GravityIsSubtractedAtTheMeasuredPositionOnlyWhereThePlantAddsIt) {
  ArmConfig config = commanded();
  config.correction = 0.0;
  ArmDrive plain(config, context());
  group_.gravity_compensated = true;
  ArmDrive compensated(config, context());
  plain.start(measured_, state());
  compensated.start(measured_, state());
  update_state(system_, *state_);
  measured_.q.array() += 0.002;
  tick(plain, Eigen::VectorXd::Zero(n_));
  const Eigen::VectorXd whole = command_;
  tick(compensated, Eigen::VectorXd::Zero(n_));
  EXPECT_TRUE((whole - command_).isApprox(gravity(measured_.q), 1e-13));
  EXPECT_GT(gravity(measured_.q).norm(), 10.0);
}

TEST_F(ArmDriveTest, PositionLawIsASpringADamperAndGravity) {
  ArmConfig config = commanded();
  config.law = ArmLaw::kPosition;
  config.stiffness = Eigen::VectorXd::LinSpaced(n_, 100.0, 160.0);
  config.damping = Eigen::VectorXd::LinSpaced(n_, 5.0, 11.0);
  config.correction = 0.0;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  const Eigen::VectorXd q_c = measured_.q, a = Eigen::VectorXd::Ones(n_);
  measured_.q.array() += 0.01;
  measured_.v.setConstant(0.1);
  tick(drive, a);
  const Eigen::VectorXd spring = q_c + 0.5e-6 * a - measured_.q;
  const Eigen::VectorXd expected =
      config.stiffness->cwiseProduct(spring) - 0.1 * *config.damping + gravity(measured_.q);
  EXPECT_TRUE(command_.isApprox(expected, 1e-13));
  group_.gravity_compensated = true;
  ArmDrive bare(config, context());
  measured_.q = q_c;
  bare.start(measured_, state());
  measured_.q.array() += 0.01;
  tick(bare, a);
  EXPECT_TRUE(command_.isApprox(expected - gravity(measured_.q), 1e-12));
}

TEST_F(ArmDriveTest, VelocityLawIsADamperAndGravity) {
  ArmConfig config = commanded();
  config.law = ArmLaw::kVelocity;
  config.damping = Eigen::VectorXd::LinSpaced(n_, 5.0, 11.0);
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  measured_.v.setConstant(0.1);
  tick(drive, Eigen::VectorXd::Ones(n_));
  const Eigen::VectorXd expected = (0.001 - 0.1) * *config.damping + gravity(measured_.q);
  EXPECT_TRUE(command_.isApprox(expected, 1e-13));
}

TEST_F(ArmDriveTest, LawsThatTheQpDoesNotKnowLeaveItsTorquesAlone) {
  // else its rows would hold its own torque to the rate of another's
  ArmConfig config = commanded();
  config.law = ArmLaw::kPosition;
  config.friction = Eigen::VectorXd::Constant(n_, 0.2);
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  measured_.q.array() -= 0.02;
  tick(drive, Eigen::VectorXd::Zero(n_));
  const Eigen::VectorXd of_qp = state().tau;
  EXPECT_GT((command_ - of_qp).norm(), 1.0);
  drive.observe(measured_, state());
  EXPECT_EQ(state().tau, of_qp);
  EXPECT_TRUE(state().extra_torque.isZero(0.0));
}

TEST_F(ArmDriveTest, LeftOutStiffnessAndDampingAreThoseOfJointSprings) {
  ArmConfig config = commanded();
  config.law = ArmLaw::kPosition;
  config.correction = 0.0;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  RobotData data(*mechanism().model);
  const double m = mass_matrix(*mechanism().model, data, measured_.q)(3, 3), k = 0.2 * 87.0 / 0.1;
  const double g = gravity(measured_.q)[3];
  measured_.v[3] = 0.1;
  tick(drive, Eigen::VectorXd::Zero(n_));
  EXPECT_NEAR(command_[3] - g, -0.1 * 2.0 * std::sqrt(k * m), 1e-12);
}

TEST_F(ArmDriveTest, TrackingPullsTheArmAfterItsCommandedStateWithTheModelsInertia) {
  ArmConfig config = commanded();
  config.tracking_stiffness = 100.0;
  config.correction = 0.0;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  update_state(system_, *state_);
  constexpr std::uint64_t kSeed = 3;
  RandomStream random(kSeed, "tracking");
  Eigen::VectorXd dq(n_), dv(n_);
  for (Eigen::Index j = 0; j < n_; ++j) {
    dq[j] = random.uniform(-1e-4, 1e-4);
    dv[j] = random.uniform(-1e-3, 1e-3);
  }
  measured_.q -= dq;
  measured_.v -= dv;
  const Eigen::MatrixXd M = state().M;
  drive.observe(measured_, state());
  // critical: kd = 2 sqrt(kp); h is at the commanded state, and the arm bears what it has where it
  // is
  const Eigen::VectorXd between = gravity(measured_.q) - gravity(measured_.q + dq);
  EXPECT_TRUE(state().extra_torque.isApprox(M * (100.0 * dq + 20.0 * dv) + between, 1e-10))
      << "seed " << kSeed;
  solve(Eigen::VectorXd::Zero(n_));
  const Eigen::VectorXd extra = state().extra_torque;
  drive.command(state(), command_);
  EXPECT_TRUE(command_.isApprox(state().tau + extra, 1e-15));
  // the QP's rates count from all that acted
  drive.observe(measured_, state());
  EXPECT_EQ(state().tau_before, command_);
}

TEST_F(ArmDriveTest, ABlockedArmIsPushedWithABoundedTorqueThatComesAtABoundedRate) {
  ArmDrive drive(commanded(), context());
  drive.start(measured_, state());
  update_state(system_, *state_);
  // the commanded state is taken 1 rad away while the arm stays
  Eigen::VectorXd before = Eigen::VectorXd::Zero(n_);
  for (int k = 0; k < 1500; ++k) {
    const Eigen::VectorXd between = gravity(measured_.q) - gravity(drive.commanded_q());
    tick(drive, Eigen::VectorXd::Constant(n_, k < 1000 ? 1.0 : -2.0));
    for (Eigen::Index j = 0; j < n_; ++j) {
      const JointLimits& limits = mechanism().limits[static_cast<std::size_t>(j)];
      // besides what carries the arm where it is; the correction of the tick moves that a little
      EXPECT_LE(std::abs(state().extra_torque[j] - between[j]), 0.5 * limits.torque + 0.02);
      EXPECT_LE(std::abs(state().extra_torque[j] - before[j]), 0.5e-3 * limits.torque_rate + 1e-12);
    }
    before = state().extra_torque;
  }
  EXPECT_GT(before[0], 0.3 * 87.0);
  // and at rest the commanded state goes back to the arm with the correction, 1/s, but for what its
  // bound of a tenth of the velocity limit cuts
  const double off = drive.commanded_q()[0] - measured_.q[0];
  for (int k = 0; k < 3000; ++k) tick(drive, Eigen::VectorXd::Zero(n_));
  EXPECT_GT(off, 0.4);
  EXPECT_NEAR(drive.commanded_q()[0] - measured_.q[0], off * std::exp(-3.0), 0.02);
}

TEST_F(ArmDriveTest, AJumpOfTheMeasurementTakesHalfOfTheTorqueRateAndLeavesTheQpTheRest) {
  ArmDrive drive(commanded(), context());
  drive.start(measured_, state());
  update_state(system_, *state_);
  measured_.v.setConstant(-1.0);
  for (int k = 1; k <= 3; ++k) {
    tick(drive, Eigen::VectorXd::Zero(n_));
    // 1000 N m/s: half a newton metre a tick
    EXPECT_NEAR(state().extra_torque[1], 0.5 * k, 1e-12);
  }
}

TEST_F(ArmDriveTest, AnArmFarFromItsCommandedStateGoesBackAtHalfItsVelocityLimit) {
  ArmConfig config = commanded();
  config.correction = 0.0;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  update_state(system_, *state_);
  // at that speed what pulls and what brakes are equal, however far it is
  for (Eigen::Index j = 0; j < n_; ++j) {
    measured_.q[j] -= 0.6;
    measured_.v[j] = 0.5 * mechanism().limits[static_cast<std::size_t>(j)].velocity;
  }
  const Eigen::VectorXd between = gravity(measured_.q) - gravity(drive.commanded_q());
  // it comes at half of the torque rate
  for (int k = 0; k < 200; ++k) drive.observe(measured_, state());
  EXPECT_LT((state().extra_torque - between).lpNorm<Eigen::Infinity>(), 1e-12);
}

// the extra torque, some ticks on, for an arm at rest that is wanted to accelerate
double extra_at_rest(ArmDrive& drive, GroupState& measured, MechanismState& state, double a) {
  for (int k = 0; k < 20; ++k) {
    state.qdd.setZero();
    state.qdd[6] = a;
    drive.observe(measured, state);
  }
  return state.extra_torque[6];
}

TEST_F(ArmDriveTest, FrictionCompensationShrinksTheWristsDeadZoneToAFifth) {
  // a task of stiffness 100 on the last joint, which dry friction of 0.2 N m holds: the largest
  // error at which it still sticks, f = M kp e + extra(kp e)
  update_state(system_, *state_);
  const auto dead_zone = [&](const ArmConfig& config) {
    ArmDrive drive(config, context());
    drive.start(measured_, state());
    update_state(system_, *state_);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 40; ++i) {
      const double e = 0.5 * (low + high), a = 100.0 * e;
      const double push = state().M(6, 6) * a + extra_at_rest(drive, measured_, state(), a);
      (push < 0.2 ? low : high) = e;
    }
    return low;
  };
  ArmConfig config;
  const double bare = dead_zone(config);
  config.friction = Eigen::VectorXd::Constant(n_, 0.18);
  const double helped = dead_zone(config);
  std::printf("dead zone of joint 7: %.2f mrad, compensated %.2f mrad\n", 1e3 * bare, 1e3 * helped);
  EXPECT_NEAR(bare, 0.2 / (100.0 * state().M(6, 6)), 1e-9);
  EXPECT_LT(helped, 0.2 * bare);
}

TEST_F(ArmDriveTest, FrictionCompensationIsSilentAtRestAndHelpsMotion) {
  ArmConfig config;
  config.friction = Eigen::VectorXd::Constant(n_, 0.2);
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  EXPECT_EQ(extra_at_rest(drive, measured_, state(), 0.0), 0.0);
  measured_.v.setConstant(0.5);
  EXPECT_NEAR(extra_at_rest(drive, measured_, state(), 0.0), 0.2, 1e-9);
  // near rest it brakes what moves against the wanted acceleration, and does not help it along
  measured_.v.setConstant(0.01);
  EXPECT_LT(extra_at_rest(drive, measured_, state(), -0.05), -0.04);
  // of the commanded state: its own velocity, and the arm's way after it
  config.feedback = Feedback::kCommanded;
  config.tracking_stiffness = 0.0;
  ArmDrive open(config, context());
  measured_.v.setZero();
  open.start(measured_, state());
  tick(open, Eigen::VectorXd::Constant(n_, 20.0));
  open.observe(measured_, state());
  open.observe(measured_, state());

  const double between = (gravity(measured_.q) - gravity(open.commanded_q()))[6];
  EXPECT_NEAR(state().extra_torque[6] - between, 0.2 * std::tanh(0.02 / 0.02), 1e-9);
}

TEST_F(ArmDriveTest, TheObserverAddsNoMoreThanItsShareOfTheLimit) {
  ArmConfig config;
  config.observer = 100.0;
  config.observer_share = 0.25;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  // the arm stays where it is while the model says that it should fly off: something holds it
  Eigen::VectorXd a = Eigen::VectorXd::Zero(n_);
  a[3] = 30.0;
  for (int k = 0; k < 300; ++k) tick(drive, a);
  EXPECT_NEAR(state().extra_torque[3], 0.25 * 87.0, 1e-9);
  EXPECT_LT(drive.disturbance()[3], -0.25 * 87.0);
  // it is estimated of what was really commanded: it does not wind up behind its limit
  const double held = drive.disturbance()[3];
  for (int k = 0; k < 1000; ++k) tick(drive, a);
  EXPECT_NEAR(drive.disturbance()[3], held, 1.0);
}

TEST_F(ArmDriveTest, TheGravityBetweenTheTwoStatesIsBorneOnceAlsoWithAnObserver) {
  ArmConfig config = commanded();
  config.tracking_stiffness = 0.0;
  config.tracking_damping = 0.0;
  config.correction = 0.0;
  config.observer = 50.0;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  update_state(system_, *state_);
  measured_.q.array() += 0.05;
  for (int k = 0; k < 600; ++k) tick(drive, Eigen::VectorXd::Zero(n_));
  const Eigen::VectorXd here = gravity(measured_.q);
  EXPECT_GT((here - gravity(drive.commanded_q())).norm(), 1.0);
  // it is held there, so that what was missing while the torque came at its rate stays estimated;
  // an observer that takes the gravity between for a disturbance adds it in every tick, up to its
  // share
  EXPECT_LT((command_ - here).lpNorm<Eigen::Infinity>(), 0.1);
  EXPECT_LT(drive.disturbance().lpNorm<Eigen::Infinity>(), 0.1);
}

TEST_F(ArmDriveTest, TheObserverLeavesToFrictionCompensationWhatIsItsOwn) {
  ArmConfig config;
  config.observer = 50.0;
  config.friction = Eigen::VectorXd::Constant(n_, 0.2);
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  // rests while it is wanted to go: friction balances M a and what compensates it
  Eigen::VectorXd a = Eigen::VectorXd::Zero(n_);
  a[6] = 5.0;
  for (int k = 0; k < 10; ++k) tick(drive, a);
  const double before = drive.disturbance()[6];
  for (int k = 0; k < 10; ++k) tick(drive, a);
  // the estimate grows with what is missing, M a, and its gain of a tick; not with the 0.2 N m of
  // compensation besides, which would make it 1.4 times that. The delay of a tick or two costs 10 %
  const double missing = 5.0 * state().M(6, 6), gain = 1.0 - std::exp(-0.05);
  EXPECT_NEAR(drive.disturbance()[6] - before, -10.0 * gain * missing,
              0.12 * 10.0 * gain * missing);
}

TEST_F(ArmDriveTest, TorquesAreCutAtTheLimitAndCounted) {
  ArmDrive drive({}, context());
  drive.start(measured_, state());
  drive.observe(measured_, state());
  solve(Eigen::VectorXd::Zero(n_));
  state().tau[0] = 90.0;
  state().tau[6] = -12.0 * (1.0 + 1e-6);  // as near as the QP's rows hold
  drive.command(state(), command_);
  EXPECT_EQ(command_[0], 87.0);
  EXPECT_EQ(command_[6], -12.0);
  EXPECT_EQ(drive.clamped(), 1U);
}

}  // namespace arm_torque_test
}  // namespace handspan
