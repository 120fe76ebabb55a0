// The maker's drives: delays, lags, limits, and what becomes of commands that cannot be.
#include "plant/drive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "plant_support.hpp"
#include "swing.hpp"

namespace handspan {
namespace drive_test {

using test::advance;
using test::hold;
using test::scene_of;

constexpr double kStep = 0.001;

RobotLimits one_joint() {
  RobotLimits limits;
  JointLimits joint;
  joint.lower = -1.0;
  joint.upper = 2.0;
  joint.velocity = 3.0;
  joint.torque = 5.0;
  joint.torque_rate = 250.0;
  limits.joints.emplace_back("j", joint);
  return limits;
}

ActuatorGroup group(Drive drive) {
  ActuatorGroup g;
  g.name = "arm";
  g.joints = {"j"};
  g.drive = drive;
  return g;
}

const Eigen::VectorXd kZero = Eigen::VectorXd::Zero(1), kFar = Eigen::VectorXd::Constant(1, 1e9);
Eigen::VectorXd one(double x) { return Eigen::VectorXd::Constant(1, x); }

TEST(GroupDrive, LimitsTheTorqueRateExactly) {
  ActuatorGroup g = group(Drive::kTorque);
  g.torque_rate = true;
  GroupDrive drive(g, one_joint(), kStep, 1);
  CommandFaults faults;
  drive.reset(kZero);
  drive.command(one(0.9), faults);
  const double expected[] = {0.25, 0.5, 0.75, 0.9, 0.9};
  for (const double tau : expected) {
    drive.step(kZero, kZero, faults);
    EXPECT_DOUBLE_EQ(drive.target(0).tau, tau);
  }
  EXPECT_EQ(faults.rate_limited, 3U);
  drive.command(one(-0.1), faults);
  drive.step(kZero, kZero, faults);
  EXPECT_DOUBLE_EQ(drive.target(0).tau, 0.65);
}

TEST(GroupDrive, WithoutRateLimitActsAtOnce) {
  GroupDrive drive(group(Drive::kTorque), one_joint(), kStep, 1);
  CommandFaults faults;
  drive.reset(kZero);
  drive.command(one(4.0), faults);
  drive.step(kZero, kZero, faults);
  EXPECT_EQ(drive.target(0).tau, 4.0);
  EXPECT_EQ(faults.rate_limited, 0U);
}

TEST(GroupDrive, CutsAtLimitsAndCounts) {
  CommandFaults faults;
  const struct {
    Drive drive;
    double low, high;
  } cases[] = {{Drive::kTorque, -5, 5}, {Drive::kVelocity, -3, 3}, {Drive::kPosition, -1, 2}};
  for (const auto& c : cases) {
    GroupDrive drive(group(c.drive), one_joint(), kStep, 1);
    faults = {};
    for (const double sign : {-1.0, 1.0}) {
      drive.reset(one(0.0));
      drive.command(one(100 * sign), faults);
      for (int i = 0; i < 2000; ++i) drive.step(kZero, kFar, faults);
      const ServoTarget& t = drive.target(0);
      const double reached = c.drive == Drive::kTorque     ? t.tau
                             : c.drive == Drive::kVelocity ? t.v
                                                           : t.q;
      EXPECT_DOUBLE_EQ(reached, sign < 0 ? c.low : c.high);
    }
    EXPECT_EQ(faults.clamped, 2U);
    drive.command(one(c.high), faults);
    EXPECT_EQ(faults.clamped, 2U);
  }
}

TEST(GroupDrive, DelaysByWholeTicksOfTheRobotsRate) {
  for (const int delay : {0, 1, 3}) {
    ActuatorGroup g = group(Drive::kVelocity);
    g.delay_ticks = delay;
    GroupDrive drive(g, one_joint(), kStep, 8);
    CommandFaults faults;
    drive.reset(kZero);
    drive.step(kZero, kFar, faults);  // the command comes within a tick
    drive.command(one(1.0), faults);
    int steps = 1;
    while (drive.target(0).v == 0.0 && steps < 1000) {
      drive.step(kZero, kFar, faults);
      ++steps;
    }
    EXPECT_EQ(steps, 8 + 8 * delay + 1) << delay;
    EXPECT_EQ(drive.target(0).v, 1.0);
  }
}

TEST(GroupDrive, LagsAsTheExactFirstOrderSystem) {
  ActuatorGroup g = group(Drive::kVelocity);
  g.lag = 0.02;
  GroupDrive drive(g, one_joint(), kStep, 1);
  CommandFaults faults;
  drive.reset(one(0.3));
  drive.command(one(2.0), faults);
  double q = 0.3;
  for (int k = 1; k <= 200; ++k) {
    drive.step(kZero, kFar, faults);
    const double v = 2.0 * (1.0 - std::exp(-k * kStep / 0.02));
    q += kStep * v;
    EXPECT_NEAR(drive.target(0).v, v, 1e-14);
    EXPECT_NEAR(drive.target(0).q, q, 1e-13);
  }
}

TEST(GroupDrive, GoesToAFarPositionAtTopSpeed) {
  GroupDrive drive(group(Drive::kPosition), one_joint(), kStep, 1);
  CommandFaults faults;
  drive.reset(kZero);
  drive.command(one(0.01), faults);
  for (int k = 1; k <= 5; ++k) {
    drive.step(kZero, kFar, faults);
    EXPECT_DOUBLE_EQ(drive.target(0).q, std::min(0.003 * k, 0.01));
    EXPECT_LE(drive.target(0).v, 3.0 + 1e-12);
  }
  EXPECT_EQ(drive.target(0).v, 0.0);
}

TEST(GroupDrive, TargetStaysWithinTheStretchOfAHeldJoint) {
  GroupDrive drive(group(Drive::kVelocity), one_joint(), kStep, 1);
  CommandFaults faults;
  drive.reset(kZero);
  drive.command(one(3.0), faults);
  for (int k = 0; k < 1000; ++k) drive.step(kZero, one(0.01), faults);
  EXPECT_DOUBLE_EQ(drive.target(0).q, 0.01);
}

TEST(GroupDrive, HoldsTheLastGoodCommand) {
  GroupDrive drive(group(Drive::kTorque), one_joint(), kStep, 1);
  CommandFaults faults;
  drive.reset(kZero);
  drive.command(one(1.5), faults);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) drive.command(one(bad), faults);
  drive.command(Eigen::VectorXd::Zero(2), faults);
  drive.command(Eigen::VectorXd(), faults);
  drive.step(kZero, kZero, faults);
  EXPECT_EQ(drive.target(0).tau, 1.5);
  EXPECT_EQ(faults.not_finite, 5U);
  EXPECT_EQ(faults.clamped, 0U);
}

// ---- in a simulated scene

TEST(TorqueDrive, OfTheFr3FollowsItsRateAndLimit) {
  const Scene scene = scene_of("physics: {gravity: [0, 0, 0]}\nrobots:\n  it: {robot: fr3}\n");
  MujocoPlant plant(scene);
  EXPECT_EQ(plant.layout().groups.front().kind, GroupKind::kTorque);
  Command command = Command::zero(plant.layout());
  command.groups[0][0] = 5.5;
  command.groups[0][6] = -100.0;  // beyond joint 7's 12 N m
  double tau = 0.0, wrist = 0.0;
  for (int step = 0; step < 20; ++step) {
    hold(plant, command, 1);
    tau = std::min(5.5, tau + 1.0);  // 1000 N m/s
    wrist = std::max(-12.0, wrist - 1.0);
    EXPECT_DOUBLE_EQ(plant.read().groups[0].tau[0], tau);
    EXPECT_DOUBLE_EQ(plant.read().groups[0].tau[6], wrist);
  }
  EXPECT_EQ(plant.faults().clamped, 20U);
  EXPECT_EQ(plant.faults().rate_limited, 5U + 11U);
}

TEST(TorqueDrive, FrictionHoldsBelowItsTorque) {
  const Scene scene = scene_of("physics: {gravity: [0, 0, 0]}\nrobots:\n  it: {robot: fr3}\n");
  for (const double torque : {0.19, -0.19}) {
    MujocoPlant plant(scene);
    Command command = Command::zero(plant.layout());
    command.groups[0][6] = torque;
    const double start = plant.read().groups[0].q[6];
    hold(plant, command, 1000);
    // MuJoCo's dry friction is a soft row: it creeps, at most 2 mrad/s just below its bound
    EXPECT_LT(std::abs(plant.read().groups[0].q[6] - start), 2.5e-3);
    command.groups[0][6] = 1.2 * torque;
    hold(plant, command, 1000);
    EXPECT_GT((plant.read().groups[0].q[6] - start) * (torque > 0 ? 1 : -1), 0.02);
  }
}

TEST(VelocityDrive, FollowsItsDelayAndLag) {
  const Scene scene = scene_of("robots:\n  it: {robot: ur10}\n");
  const double u = 0.1, lag = 0.02, w = 2 * M_PI * 30;
  for (int joint = 0; joint < 6; ++joint) {
    MujocoPlant plant(scene);
    Command command = Command::zero(plant.layout());
    command.groups[0][joint] = u;
    const Eigen::VectorXd start = plant.read().groups[0].q;
    for (int k = 0; k < 1000; ++k) {
      hold(plant, command, 1);
      // one tick of 8 ms passes first
      const double v = k < 8 ? 0.0 : u * (1.0 - std::exp(-(k - 7) * kStep / lag));
      // a critically damped servo lags behind an acceleration a by at most 2 a / (e w), dry
      // friction adds as much again
      EXPECT_NEAR(plant.read().groups[0].v[joint], v, 2.0 * u / lag / w) << joint << " at " << k;
      if (k > 300) {
        EXPECT_NEAR(plant.read().groups[0].v[joint], u, 1e-3 * u) << joint << " at " << k;
      }
    }
    const Eigen::VectorXd moved = plant.read().groups[0].q - start;
    for (int other = 0; other < 6; ++other) {
      const double expected = other == joint ? u * (1.0 - 0.008 - lag) : 0.0;
      // the servo's own lag, and the position it yields to dry friction
      EXPECT_NEAR(moved[other], expected, 3e-3 * u) << other;
    }
  }
}

TEST(VelocityDrive, AtZeroDoesNotDrift) {
  const Scene scene = scene_of(
      "robots:\n  it: {robot: ur10, tool: vacuum}\n  that: {robot: ur5, base: {position: [3, 0, "
      "0]}}\n");
  MujocoPlant plant(scene);
  const Command command = Command::zero(plant.layout());
  hold(plant, command, 500);
  const Eigen::VectorXd q = plant.read().groups[0].q, p = plant.read().groups[1].q;
  hold(plant, command, test::sized(60000));
  EXPECT_LT((plant.read().groups[0].q - q).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((plant.read().groups[1].q - p).cwiseAbs().maxCoeff(), 1e-6);
}

// The bar runs against a wall, pushes there with its torque limit, and leaves as soon as it is told
// to.
TEST(VelocityDrive, DoesNotWindUpAgainstAWall) {
  const test::TemporaryFolder folder;
  const std::string robot =
      test::write_swing(folder, {"velocity, lag: 0.02 s, delay_ticks: 1", "", "125", 40.0});
  const Scene scene = scene_of("robots:\n  it: {robot: " + robot +
                               "}\nfixtures:\n  wall:\n    pose: {position: [-0.3, 0, -0.4]}\n"
                               "    shapes: [{type: box, size: [0.2, 1, 0.2]}]\n");
  MujocoPlant plant(scene);
  Command command = Command::zero(plant.layout());
  command.groups[0][0] = 0.5;
  hold(plant, command, 3000);
  const GroupState& arm = plant.read().groups[0];
  EXPECT_LT(std::abs(arm.v[0]), 1e-3);
  EXPECT_NEAR(arm.tau[0], 40.0, 12.0);  // limit, and the gravity that the drive carries
  const double q = arm.q[0];
  command.groups[0][0] = -0.5;
  hold(plant, command, 108);  // delay 8 ms, five lags
  EXPECT_NEAR(plant.read().groups[0].v[0], -0.5, 0.01);
  EXPECT_LT(plant.read().groups[0].q[0], q - 0.5 * (0.108 - 0.008 - 0.02) + 0.02);
}

TEST(PositionDrive, FollowsSmallStepsAndHolds) {
  const test::TemporaryFolder folder;
  const std::string robot =
      test::write_swing(folder, {"position, lag: 0.02 s, delay_ticks: 2", "", "1000", 40.0});
  const Scene scene = scene_of("robots:\n  it: {robot: " + robot + ", q: [0.5]}\n");
  MujocoPlant plant(scene);
  Command command = Command::zero(plant.layout());
  command.groups[0][0] = 0.52;
  for (int k = 0; k < 400; ++k) {
    hold(plant, command, 1);
    const double q = k < 2 ? 0.5 : 0.5 + 0.02 * (1.0 - std::exp(-(k - 1) * kStep / 0.02));
    EXPECT_NEAR(plant.read().groups[0].q[0], q, 0.02 * 0.25) << k;
  }
  EXPECT_NEAR(plant.read().groups[0].q[0], 0.52, 1e-6);
  command.groups[0][0] = 7.0;
  hold(plant, command, 1);
  EXPECT_EQ(plant.faults().clamped, 1U);
}

TEST(Plant, HoldsTheLastGoodCommandAndCounts) {
  const Scene scene = scene_of(
      "robots:\n  a: {robot: fr3}\n  b: {robot: ur10, tool: vacuum, base: {position: [2, 0, "
      "0]}}\n");
  MujocoPlant good(scene), bad(scene);
  Command command = Command::zero(good.layout());
  ASSERT_EQ(command.groups.size(), 3U);  // two arms and a cup
  for (auto& g : command.groups) g.setConstant(0.2);
  Command broken = command;
  broken.groups[0][3] = std::nan("");
  broken.groups[1][0] = HUGE_VAL;
  broken.groups[2] = Eigen::VectorXd::Zero(2);
  hold(good, command, 10);
  hold(bad, command, 10);
  hold(good, command, 100);
  hold(bad, broken, 98);
  hold(bad, Command{}, 2);
  EXPECT_EQ(bad.faults().not_finite, 300U);
  EXPECT_EQ(good.faults().not_finite, 0U);
  for (std::size_t g = 0; g < 2; ++g) {
    EXPECT_TRUE(bad.read().groups[g].q.allFinite());
    EXPECT_EQ(bad.read().groups[g].q, good.read().groups[g].q);
    EXPECT_EQ(bad.read().groups[g].v, good.read().groups[g].v);
  }
}

TEST(Plant, NamesItsGroupsAndRates) {
  const Scene scene = scene_of(
      "robots:\n  a: {robot: fr3, tool: plate}\n  b: {robot: ur10, tool: vacuum, base: {position: "
      "[2, 0, 0]}}\n");
  MujocoPlant plant(scene);
  const PlantLayout& layout = plant.layout();
  EXPECT_EQ(layout.period, 1000000);
  EXPECT_EQ(layout.group("a.arm"), 0);
  EXPECT_EQ(layout.group("b.cup"), 2);
  EXPECT_EQ(layout.groups[1].rate, Rate::hz(125));
  EXPECT_EQ(layout.groups[1].joints.front(), "b.shoulder_pan_joint");
  EXPECT_EQ(layout.sensors.front().name, "a.wrist");
  EXPECT_EQ(layout.sensors.front().frame, "a.ft_sensor");
  try {
    layout.group("arm");
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "the plant has no group 'arm'; it has a.arm, b.arm, b.cup");
  }
}

TEST(Plant, WantsAWholeNumberOfStepsInATick) {
  const Scene scene = scene_of("physics: {timestep: 3 ms}\nrobots:\n  it: {robot: fr3}\n");
  try {
    MujocoPlant plant(scene);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(
        e.what(),
        "robot 'it' takes commands at 1000 Hz, which is not a whole number of physics steps "
        "of 0.003 s");
  }
}

}  // namespace drive_test
}  // namespace handspan
