// The model of lag and delay against closed forms and against the plant's own drive.
#include "control/servo_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "plant/drive.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace servo_model_test {

constexpr double kTick = 0.008, kLag = 0.02;

Eigen::VectorXd one(double x) { return Eigen::VectorXd::Constant(1, x); }

// the plant's drive of one joint, eight physics steps a tick
GroupDrive drive_of(Drive kind, int delay, const RobotLimits& limits) {
  ActuatorGroup group;
  group.joints = {"j"};
  group.drive = kind;
  group.lag = kLag;
  group.delay_ticks = delay;
  return GroupDrive(group, limits, 0.001, 8);
}

RobotLimits wide_limits() {
  JointLimits joint;
  joint.lower = -1e3;
  joint.upper = 1e3;
  joint.velocity = 1e3;
  joint.torque = 1e3;
  RobotLimits limits;
  limits.joints.emplace_back("j", joint);
  return limits;
}

TEST(ServoModel, VelocityComesWithTheLagAndPositionIsItsExactIntegral) {
  ServoModel servo(GroupKind::kVelocity, 1, kLag, 0);
  servo.start(one(0.3));
  for (int k = 1; k <= 20; ++k) {
    servo.step(one(2.0), kTick);
    const double t = k * kTick, decayed = 1.0 - std::exp(-t / kLag);
    EXPECT_NEAR(servo.v()[0], 2.0 * decayed, 1e-14);
    EXPECT_NEAR(servo.q()[0], 0.3 + 2.0 * (t - kLag * decayed), 1e-14);
  }
}

TEST(ServoModel, CommandsActAfterTheirDelayAndNotBefore) {
  for (int delay = 0; delay <= 3; ++delay) {
    ServoModel servo(GroupKind::kVelocity, 1, 0.0, delay);
    servo.start(one(0.0));
    for (int k = 0; k < 6; ++k) {
      servo.step(one(k == 0 ? 1.0 : 0.0), kTick);
      EXPECT_EQ(servo.v()[0], k == delay ? 1.0 : 0.0) << "delay " << delay << " tick " << k;
      EXPECT_EQ(servo.q()[0], k >= delay ? kTick : 0.0) << "delay " << delay << " tick " << k;
    }
  }
}

TEST(ServoModel, OfAVelocityDriveItAgreesWithThePlant) {
  const RobotLimits limits = wide_limits();
  constexpr std::uint64_t kSeed = 11;
  RandomStream random(kSeed, "servo");
  GroupDrive plant = drive_of(Drive::kVelocity, 1, limits);
  ServoModel servo(GroupKind::kVelocity, 1, kLag, 1);
  CommandFaults faults;
  plant.reset(one(0.5));
  servo.start(one(0.5));
  double u = 0.0, changes = 0.0;
  for (int k = 0; k < 500; ++k) {
    const double change = random.uniform(-0.1, 0.1);
    u += change;
    changes += std::abs(change);
    plant.command(one(u), faults);
    for (int i = 0; i < 8; ++i) plant.step(one(plant.target(0).q), one(1e9), faults);
    servo.step(one(u), kTick);
    EXPECT_NEAR(servo.v()[0], plant.target(0).v, 1e-12) << "seed " << kSeed << " tick " << k;
    // the plant sums velocities at the ends of its steps: half a step of the change of velocity
    // ahead, and Euler and Maclaurin's next term of it, h^2 / 12 of the change of acceleration
    EXPECT_NEAR(servo.q()[0] + 0.0005 * servo.v()[0], plant.target(0).q,
                1e-6 / 12.0 * 2.0 * changes / kLag + 1e-12)
        << "seed " << kSeed << " tick " << k;
  }
}

TEST(ServoModel, OfAPositionDriveItAgreesWithThePlant) {
  const RobotLimits limits = wide_limits();
  GroupDrive plant = drive_of(Drive::kPosition, 2, limits);
  ServoModel servo(GroupKind::kPosition, 1, kLag, 2);
  CommandFaults faults;
  plant.reset(one(0.1));
  servo.start(one(0.1));
  for (int k = 0; k < 200; ++k) {
    const Eigen::VectorXd u = one(0.1 + 0.3 * std::sin(0.05 * k));
    plant.command(u, faults);
    for (int i = 0; i < 8; ++i) plant.step(one(plant.target(0).q), one(1e9), faults);
    servo.step(u, kTick);
    EXPECT_NEAR(servo.q()[0], plant.target(0).q, 1e-12) << k;
  }
}

TEST(ServoModel, TorqueDrivesHaveNoLag) {
  ServoModel servo(GroupKind::kTorque, 1, kLag, 0);
  EXPECT_EQ(servo.lag(), 0.0);
  servo.start(one(0.0));
  servo.step(one(0.2), kTick);
  EXPECT_EQ(servo.q()[0], 0.2);
}

TEST(ServoModel, AShiftMovesWhatIsOnItsWayToo) {
  for (const GroupKind kind : {GroupKind::kPosition, GroupKind::kTorque}) {
    ServoModel servo(kind, 1, 0.0, 2);
    servo.start(one(1.0));
    servo.step(one(1.1), kTick);
    servo.shift(one(0.01));
    servo.step(one(1.21), kTick);
    EXPECT_DOUBLE_EQ(servo.q()[0], 1.01);
    servo.step(one(1.21), kTick);
    EXPECT_DOUBLE_EQ(servo.q()[0], 1.11);
    servo.step(one(1.21), kTick);
    EXPECT_DOUBLE_EQ(servo.q()[0], 1.21);
  }
  ServoModel servo(GroupKind::kVelocity, 1, 0.0, 1);
  servo.start(one(1.0));
  servo.step(one(0.5), kTick);
  servo.shift(one(0.01));
  servo.step(one(0.0), kTick);
  EXPECT_DOUBLE_EQ(servo.q()[0], 1.01 + 0.5 * kTick);
}

TEST(ServoModel, StartForgetsWhatWasOnItsWay) {
  ServoModel servo(GroupKind::kVelocity, 1, kLag, 3);
  servo.start(one(0.0));
  for (int k = 0; k < 10; ++k) servo.step(one(1.0), kTick);
  servo.start(one(0.7));
  for (int k = 0; k < 10; ++k) servo.step(one(0.0), kTick);
  EXPECT_EQ(servo.q()[0], 0.7);
  EXPECT_EQ(servo.v()[0], 0.0);
}

TEST(ServoModelHeap, TicksAllocateNothing) {
  ServoModel servo(GroupKind::kPosition, 7, kLag, 2);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(7), by = 0.1 * q;
  servo.start(q);
  const test::AllocationCount allocations;
  for (int k = 0; k < 5; ++k) {
    servo.step(q, kTick);
    servo.shift(by);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace servo_model_test
}  // namespace handspan
