// The state that an arm's controller works on, and what may be asked for in a file.
#include "control/arm_drive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "arm_drive_support.hpp"
#include "core/config.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace arm_drive_test {

using test::ArmDriveTest;
using test::commanded;
using test::Ur10DriveTest;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_F(ArmDriveTest, MeasuredFeedbackWorksOnTheMeasurement) {
  ArmDrive drive({}, context());
  drive.start(measured_, state());
  measured_.q.array() += 0.1;
  measured_.v.setConstant(0.2);
  drive.observe(measured_, state());
  EXPECT_EQ(state().q, measured_.q);
  EXPECT_EQ(state().v, measured_.v);
  EXPECT_TRUE(state().extra_torque.isZero(0.0));
}

TEST_F(ArmDriveTest, TheCommandedStateIsTheExactIntegralOfItsAccelerations) {
  ArmDrive drive(commanded(), context());
  drive.start(measured_, state());
  const Eigen::VectorXd q0 = measured_.q, a = Eigen::VectorXd::LinSpaced(n_, -2.0, 3.0);
  for (int k = 0; k < 100; ++k) {
    // the arm does as it is told: nothing is corrected
    const double t = k * state().dt;
    measured_.q = q0 + 0.5 * t * t * a;
    measured_.v = t * a;
    tick(drive, a);
  }
  EXPECT_TRUE(drive.commanded_q().isApprox(q0 + 0.005 * a, 1e-13));
  EXPECT_TRUE(drive.commanded_v().isApprox(0.1 * a, 1e-13));
}

TEST_F(ArmDriveTest, CommandsAreInTheOrderOfTheGroup) {
  std::reverse(group_.joints.begin(), group_.joints.end());
  measured_.q = measured_.q.reverse().eval();
  ArmDrive drive({}, context());
  drive.start(measured_, state());
  tick(drive, Eigen::VectorXd::LinSpaced(n_, 0.0, 1.0));
  EXPECT_EQ(state().q, measured_.q.reverse());
  EXPECT_EQ(command_, state().tau.reverse());
}

TEST_F(Ur10DriveTest, AVelocityDriveGetsTheVelocityAtTheTicksEnd) {
  ArmDrive drive(commanded(), context());
  drive.start(measured_, state());
  const Eigen::VectorXd a = Eigen::VectorXd::LinSpaced(n_, 0.5, 1.0);
  tick(drive, a);
  EXPECT_EQ(command_, 0.008 * a);
  ArmConfig measured;
  measured.feedback = Feedback::kMeasured;
  ArmDrive closed(measured, context());
  closed.start(measured_, state());
  measured_.v.setConstant(0.3);
  tick(closed, a);
  EXPECT_EQ(command_, measured_.v + 0.008 * a);
}

TEST_F(Ur10DriveTest, APositionDriveGetsThePositionAtTheTicksEnd) {
  group_.kind = GroupKind::kPosition;
  ArmConfig measured;
  measured.feedback = Feedback::kMeasured;
  ArmDrive drive(measured, context());
  drive.start(measured_, state());
  measured_.v.setConstant(0.3);
  tick(drive, Eigen::VectorXd::Ones(n_));
  const Eigen::VectorXd expected = measured_.q.array() + 0.008 * 0.3 + 0.5 * 0.008 * 0.008;
  EXPECT_TRUE(command_.isApprox(expected, 1e-15));
}

// a velocity-driven arm that goes two percent short of what it is told, for a second
void drive_short(ArmDrive& drive, ControlState& state, GroupState& measured, int ticks) {
  MechanismState& s = state.mechanisms[0];
  Eigen::VectorXd command = measured.v;
  for (int k = 0; k < ticks; ++k) {
    drive.observe(measured, s);
    s.qdd.setConstant(k < 50 ? 1.0 : k < 100 ? -1.0 : 0.0);
    drive.command(s, command);
    measured.q += 0.98 * s.dt * command;
  }
}

TEST_F(Ur10DriveTest, DriftGoesAndWithoutTheCorrectionItStays) {
  ArmConfig config = commanded();
  config.servo_lag = 0.0;
  config.servo_delay = 0;
  for (const double correction : {0.0, 1.0}) {
    config.correction = correction;
    measured_.q = folder_.poses[0].q;
    ArmDrive drive(config, context());
    drive.start(measured_, state());
    drive_short(drive, *state_, measured_, 125 * 15);
    const double off = (drive.commanded_q() - measured_.q).lpNorm<Eigen::Infinity>();
    // 2 % of 0.16 rad; corrected, what is left is what an encoder's step hides
    if (correction == 0.0)
      EXPECT_NEAR(off, 0.0032, 1e-5);
    else
      EXPECT_LT(off, 3.1e-5);
    EXPECT_TRUE(drive.commanded_v().isZero(1e-14));
  }
}

TEST_F(Ur10DriveTest, WhatAWrongLagExplainsIsNotCorrected) {
  ArmConfig config = commanded();
  config.servo_lag = 0.02;
  config.servo_delay = 1;
  config.correction = 5.0;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  ServoModel slower(GroupKind::kVelocity, n_, 0.024, 2);
  slower.start(measured_.q);
  Eigen::VectorXd open = measured_.q;
  double v = 0.0, shifted = 0.0;
  for (int k = 0; k < 250; ++k) {
    measured_.q = slower.q();
    drive.observe(measured_, state());
    // from rest to rest over a second, as smooth as a reference is
    const double t = k / 125.0;
    const double a = t < 1.0 ? 3.0 * std::sin(2.0 * std::numbers::pi * t) : 0.0;
    state().qdd.setConstant(a);
    drive.command(state(), command_);
    slower.step(command_, 0.008);
    open.array() += 0.008 * (v + 0.004 * a);
    v += 0.008 * a;
    shifted = std::max(shifted, (drive.commanded_q() - open).lpNorm<Eigen::Infinity>());
  }
  // the tick of delay alone would shift by 5 / s 8 ms 0.48 rad = 19 mrad, less what comes back
  std::printf("shifted by %.3f mrad\n", 1e3 * shifted);
  EXPECT_LT(shifted, 3e-4);
  EXPECT_NEAR(drive.commanded_q()[0] - folder_.poses[0].q[0], 3.0 / (2.0 * std::numbers::pi), 1e-2);
}

// A servo of the folder's lag and delay: behind by 24 ms of velocity without (what is held over a
// tick is that of its end), and with it by what the delay does to a changing acceleration.
TEST_F(Ur10DriveTest, CompensatedLagPutsTheJointWhereTheCommandedStateIs) {
  double behind[2] = {};
  for (const bool compensates : {false, true}) {
    ArmConfig config = commanded();
    config.compensate_lag = compensates;
    ArmDrive drive(config, context());
    drive.start(measured_, state());
    ServoModel servo(GroupKind::kVelocity, n_, 0.02, 1);
    servo.start(measured_.q);
    for (int k = 0; k < 250; ++k) {
      GroupState measured = measured_;
      measured.q = servo.q();
      drive.observe(measured, state());
      behind[compensates] = std::max(behind[compensates],
                                     (drive.commanded_q() - servo.q()).lpNorm<Eigen::Infinity>());
      const double t = k / 125.0;
      state().qdd.setConstant(t < 1.0 ? 3.0 * std::sin(2.0 * std::numbers::pi * t) : 0.0);
      drive.command(state(), command_);
      servo.step(command_, 0.008);
    }
    EXPECT_LT((drive.commanded_q() - servo.q()).lpNorm<Eigen::Infinity>(), 1e-4);
  }
  // the largest velocity is 2 3 / (2 pi) rad/s
  EXPECT_NEAR(behind[0], 0.024 * 3.0 / std::numbers::pi, 0.0005);
  EXPECT_LT(behind[1], 0.1 * behind[0]);
}

TEST_F(Ur10DriveTest, CompensatedLagNeedsTheCommandedState) {
  ArmConfig config;
  config.feedback = Feedback::kMeasured;
  config.compensate_lag = true;
  try {
    ArmDrive(config, context());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "compensate_lag runs ahead of the commanded state; set feedback: commanded, or "
                 "leave it out");
  }
}

TEST_F(Ur10DriveTest, CompensatedLagKeepsTheVelocityLimit) {
  ArmConfig config = commanded();
  config.compensate_lag = true;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  const double limit = folder_.limits.joints[0].second.velocity;
  double fastest = 0.0;
  for (int k = 0; k < 200 && drive.commanded_v()[0] < limit - 0.05; ++k) {
    drive.observe(measured_, state());
    state().qdd.setConstant(5.0);
    drive.command(state(), command_);
    fastest = std::max(fastest, command_[0]);
  }
  EXPECT_EQ(fastest, limit);
}

TEST_F(Ur10DriveTest, AtRestEncoderStepsMoveNothing) {
  constexpr std::uint64_t kSeed = 5;
  RandomStream random(kSeed, "encoder");
  const double step = 2.0 * std::numbers::pi / 131072.0;
  ArmDrive drive(commanded(), context());
  drive.start(measured_, state());
  const Eigen::VectorXd rest = measured_.q;
  for (int k = 0; k < 1000; ++k) {
    for (Eigen::Index j = 0; j < n_; ++j)
      measured_.q[j] = rest[j] + 0.5 * step * random.uniform(-1.0, 1.0);
    tick(drive, Eigen::VectorXd::Zero(n_));
    ASSERT_EQ(drive.commanded_q(), rest) << "seed " << kSeed;
  }
}

TEST_F(Ur10DriveTest, TheCorrectionKeepsTheLimitsAndTheVelocity) {
  ArmConfig config = commanded();
  config.correction = 20.0;
  const Eigen::Index elbow = 2;
  const double upper = mechanism().limits[2].upper;
  measured_.q[elbow] = upper - 0.01;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  measured_.q[elbow] = upper + 0.1;
  double before = drive.commanded_q()[elbow];
  for (int k = 0; k < 500; ++k) {
    tick(drive, Eigen::VectorXd::Zero(n_));
    const double q = drive.commanded_q()[elbow];
    EXPECT_GE(q, before);
    // a tenth of the velocity limit
    EXPECT_LE(q - before, 0.1 * mechanism().limits[2].velocity * 0.008 + 1e-15);
    EXPECT_LE(q, upper);
    EXPECT_EQ(drive.commanded_v()[elbow], 0.0);
    before = q;
  }
  EXPECT_GT(before, upper - 0.003);
}

TEST_F(Ur10DriveTest, TheCorrectionNeverTakesAwayTheRoomToStop) {
  ArmConfig config = commanded();
  config.correction = 20.0;
  config.servo_lag = 0.0;
  config.servo_delay = 0;
  const JointViability elbow(mechanism().limits[2]);
  const double start = mechanism().limits[2].upper - 0.5;
  measured_.q[2] = start;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  // along the upper bound of what can still stop, while the measurement pulls towards the end
  double v = 0.0;
  for (int k = 0; k < 200; ++k) {
    measured_.q[2] = drive.commanded_q()[2] + 0.3;
    drive.observe(measured_, state());
    const AccelerationBox box = elbow.box(state().q[2], state().v[2], 0.008);
    EXPECT_FALSE(box.outside) << k;
    state().qdd.setZero();
    state().qdd[2] = box.upper;
    drive.command(state(), command_);
    v = std::max(v, drive.commanded_v()[2]);
  }
  EXPECT_GT(v, 1.0);
}

TEST_F(ArmDriveTest, ABadMeasurementIsReplacedByTheLastGoodOneAndCounted) {
  ArmDrive drive({}, context());
  drive.start(measured_, state());
  measured_.v.setConstant(0.1);
  drive.observe(measured_, state());
  const GroupState good = measured_;
  measured_.q[3] = kNan;
  measured_.v[0] = 7.0;
  drive.observe(measured_, state());
  EXPECT_EQ(state().q, good.q);
  EXPECT_EQ(state().v, good.v);
  measured_.q[3] = good.q[3];
  measured_.v[5] = std::numeric_limits<double>::infinity();
  drive.coast(measured_, state(), 0.001);
  EXPECT_EQ(state().v, good.v);
  EXPECT_EQ(drive.not_finite(), 2U);
  measured_.v = good.v;
  drive.observe(measured_, state());
  EXPECT_EQ(drive.not_finite(), 2U);
}

TEST_F(ArmDriveTest, CoastingGoesOnWithTheLastAccelerationAndLeavesTheTickAlone) {
  ArmDrive drive(commanded(), context());
  drive.start(measured_, state());
  tick(drive, Eigen::VectorXd::Ones(n_));
  const Eigen::VectorXd q = measured_.q;
  for (int k = 1; k <= 3; ++k) {
    drive.coast(measured_, state(), 0.0002);
    const double t = 0.0002 * k;
    EXPECT_TRUE(state().q.isApprox(Eigen::VectorXd(q.array() + 0.5 * t * t), 1e-15));
    EXPECT_TRUE(state().v.isApprox(Eigen::VectorXd::Constant(n_, t), 1e-14));
  }
  measured_.q = drive.commanded_q();
  drive.observe(measured_, state());
  EXPECT_TRUE(state().v.isApproxToConstant(0.001, 1e-14));
  // measured: what is measured
  ArmDrive closed({}, context());
  closed.start(measured_, state());
  measured_.q[0] += 0.01;
  closed.coast(measured_, state(), 0.0002);
  EXPECT_EQ(state().q, measured_.q);
}

TEST_F(ArmDriveTest, MeasuredVelocitiesAreSmoothedWhenAskedFor) {
  ArmConfig config;
  config.velocity_filter = 0.01;
  ArmDrive drive(config, context());
  drive.start(measured_, state());
  measured_.v.setOnes();
  for (int k = 1; k <= 30; ++k) {
    drive.observe(measured_, state());
    EXPECT_NEAR(state().v[2], 1.0 - std::exp(-0.1 * k), 1e-14);
  }
}

TEST_F(ArmDriveTest, StartTakesTheArmAsItIsAtRestCarriedByGravitysTorque) {
  ArmDrive drive(commanded(), context());
  measured_.v.setConstant(0.4);
  state().qdd.setOnes();
  state().extra_torque.setOnes();
  drive.start(measured_, state());
  EXPECT_EQ(state().q, measured_.q);
  EXPECT_TRUE(state().v.isZero(0.0));
  EXPECT_TRUE(state().qdd.isZero(0.0));
  EXPECT_TRUE(state().extra_torque.isZero(0.0));
  EXPECT_TRUE(state().tau.isApprox(gravity(measured_.q), 1e-15));
  EXPECT_EQ(drive.commanded_q(), measured_.q);
}

TEST_F(ArmDriveTest, RefusesWhatDoesNotSuitTheGroup) {
  ArmConfig config;
  std::optional<Feedback> feedback;
  const auto with = [&](auto member, auto value) {
    ArmConfig changed;
    changed.feedback = feedback;
    changed.*member = value;
    return message(changed);
  };
  const Eigen::VectorXd three = Eigen::VectorXd::Ones(3), seven = Eigen::VectorXd::Ones(7);
  EXPECT_EQ(with(&ArmConfig::stiffness, three),
            "stiffness has 3 values for the 7 joints of 'arm.arm'; give one a joint");
  EXPECT_EQ(with(&ArmConfig::damping, three),
            "damping has 3 values for the 7 joints of 'arm.arm'; give one a joint");
  EXPECT_EQ(with(&ArmConfig::friction, three),
            "friction has 3 values for the 7 joints of 'arm.arm'; give one a joint");
  EXPECT_EQ(with(&ArmConfig::acceleration, three),
            "acceleration has 3 values for the 7 joints of 'arm.arm'; give one a joint");
  EXPECT_EQ(with(&ArmConfig::servo_lag, 0.02),
            "servo_lag needs a velocity- or position-driven group; 'arm.arm' is torque-driven; "
            "leave it out");
  EXPECT_EQ(with(&ArmConfig::compensate_lag, true),
            "compensate_lag needs a velocity- or position-driven group; 'arm.arm' is "
            "torque-driven; leave it out");
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kTorque), "accepted");
  // left out, the feedback is what suits the law
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kPosition), "accepted");
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kVelocity), "accepted");
  feedback = config.feedback = Feedback::kMeasured;
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kPosition),
            "law: position with feedback: measured acts on the change of one tick, and needs gains "
            "for that; set feedback: commanded, or give stiffness and damping");
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kVelocity),
            "law: velocity with feedback: measured acts on the change of one tick, and needs gains "
            "for that; set feedback: commanded, or give damping");
  config.law = ArmLaw::kVelocity;
  config.damping = seven;
  EXPECT_EQ(message(config), "accepted");
  config.law = ArmLaw::kPosition;
  config.stiffness = seven;
  EXPECT_EQ(message(config), "accepted");
  config = commanded();
  config.law = ArmLaw::kPosition;
  EXPECT_EQ(message(config), "accepted");
  group_.kind = GroupKind::kVelocity;
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kTorque),
            "law: torque needs a torque-driven group; 'arm.arm' is velocity-driven; leave the law "
            "out");
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kPosition),
            "law: position needs a torque- or position-driven group; 'arm.arm' is velocity-driven; "
            "leave the law out");
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kVelocity), "accepted");
  EXPECT_EQ(with(&ArmConfig::friction, seven),
            "friction needs a torque-driven group; 'arm.arm' is velocity-driven; leave it out");
  EXPECT_EQ(with(&ArmConfig::acceleration, seven),
            "acceleration needs a torque-driven group; 'arm.arm' is velocity-driven; leave it out");
  EXPECT_EQ(with(&ArmConfig::observer, 10.0),
            "observer needs a torque-driven group; 'arm.arm' is velocity-driven; leave it out");
  EXPECT_EQ(with(&ArmConfig::stiffness, seven),
            "stiffness needs a torque-driven group; 'arm.arm' is velocity-driven; leave it out");
  group_.kind = GroupKind::kPosition;
  EXPECT_EQ(with(&ArmConfig::damping, seven),
            "damping needs a torque-driven group; 'arm.arm' is position-driven; leave it out");
  EXPECT_EQ(with(&ArmConfig::law, ArmLaw::kVelocity),
            "law: velocity needs a torque- or velocity-driven group; 'arm.arm' is "
            "position-driven; leave the law out");
  group_.kind = GroupKind::kSuction;
  EXPECT_EQ(message(config), "an arm needs joints; 'arm.arm' is a suction cup; name another group");
}

TEST_F(ArmDriveTest, RefusesAGroupOfOtherJoints) {
  group_.joints.push_back("finger");
  EXPECT_EQ(
      message({}),
      "joint 'finger' of the group 'arm.arm' is not an actuated joint of 'arm'; list it there");
}

TEST(ArmSchema, ReadsEveryKeyAndRefusesNonsense) {
  const ArmConfig config = parse_yaml(
      "{feedback: commanded, law: position, correction: 2, servo_lag: 20 ms, servo_delay: 1,\n"
      "tracking_stiffness: 900, tracking_damping: 50, stiffness: [1, 2], damping: [3, 4],\n"
      "friction: [0.1, 0.2], friction_velocity: 0.03, observer: 25, observer_share: 0.2,\n"
      "velocity_filter: 5 ms}",
      "app.yaml", arm_schema());
  EXPECT_EQ(config.feedback, Feedback::kCommanded);
  EXPECT_EQ(config.law, ArmLaw::kPosition);
  EXPECT_EQ(config.correction, 2.0);
  EXPECT_EQ(config.servo_lag, 0.02);
  EXPECT_EQ(config.servo_delay, 1);
  EXPECT_EQ(config.tracking_stiffness, 900.0);
  EXPECT_EQ(config.tracking_damping, 50.0);
  EXPECT_EQ((*config.stiffness)[1], 2.0);
  EXPECT_EQ((*config.damping)[0], 3.0);
  EXPECT_EQ((*config.friction)[1], 0.2);
  EXPECT_EQ(config.friction_velocity, 0.03);
  EXPECT_EQ(config.observer, 25.0);
  EXPECT_EQ(config.observer_share, 0.2);
  EXPECT_EQ(config.velocity_filter, 0.005);
  EXPECT_EQ(parse_yaml("{}", "app.yaml", arm_schema()).feedback, std::nullopt);
  const std::pair<const char*, const char*> bad[] = {
      {"{feedback: open}", "feedback"},
      {"{law: force}", "law"},
      {"{correction: -1}", "correction"},
      {"{servo_delay: -1}", "servo_delay"},
      {"{servo_lag: -1}", "servo_lag"},
      {"{friction_velocity: 0}", "friction_velocity"},
      {"{observer: 0}", "observer"},
      {"{observer_share: 1.5}", "observer_share"},
      {"{stiffness: [-1]}", "stiffness"},
      {"{damping: [-1]}", "damping"},
      {"{friction: [-0.1]}", "friction"},
      {"{tracking_stiffness: -1}", "tracking_stiffness"},
      {"{tracking_damping: -1}", "tracking_damping"},
      {"{velocity_filter: -1}", "velocity_filter"}};
  for (const auto& [text, key] : bad) {
    try {
      parse_yaml(text, "app.yaml", arm_schema());
      ADD_FAILURE() << text;
    } catch (const ConfigError& e) {
      EXPECT_NE(std::string(e.what()).find(key), std::string::npos) << e.what();
    }
  }
}

class ArmDriveHeap : public ArmDriveTest {};

TEST_F(ArmDriveHeap, TicksAllocateNothing) {
  for (int i = 0; i < 6; ++i) {
    ArmConfig config;
    config.feedback = i % 2 == 0 ? Feedback::kMeasured : Feedback::kCommanded;
    config.law = std::array{ArmLaw::kPosition, ArmLaw::kVelocity,
                            ArmLaw::kTorque}[static_cast<std::size_t>(i / 2)];
    config.stiffness = config.damping = Eigen::VectorXd::Ones(n_);
    config.friction = Eigen::VectorXd::Constant(n_, 0.2);
    config.observer = 20.0;
    group_.gravity_compensated = true;
    ArmDrive drive(config, context());
    drive.start(measured_, state());
    update_state(system_, *state_);
    const test::AllocationCount allocations;
    for (int k = 0; k < 10; ++k) {
      drive.observe(measured_, state());
      drive.command(state(), command_);
      drive.coast(measured_, state(), 0.001);
    }
    EXPECT_EQ(allocations.count(), 0U);
  }
}

}  // namespace arm_drive_test
}  // namespace handspan
