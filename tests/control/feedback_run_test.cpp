// Closed loops with the simulated plant: a fast move, then a minute of holding still. Every figure
// is printed. Asked: the tool moves by no more than 0.1 mm between 5 s and 60 s, and the joints'
// speed is no more than 1e-3 rad/s RMS in that time. What misses it is bounded here at what it is,
// with its cause; the README's table has the figures.
#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "control_support.hpp"

namespace handspan {
namespace feedback_run_test {

using test::ArmLoop;
using test::ArmLoopOptions;
using test::HoldFigures;
using test::scene_of;

constexpr double kEncoderStep = 2.0 * std::numbers::pi / 131072.0;
constexpr double kDrift = 1e-4;      // [m]
constexpr double kVibration = 1e-3;  // [rad/s]

HoldFigures run(const std::string& name, const Scene& plant, const Scene& control,
                const ArmLoopOptions& options) {
  ArmLoop loop(plant, control, options);
  const HoldFigures f = test::move_and_hold(loop);
  std::printf("%-58s moved %.4f mm, %.1e rad/s, error %.4f mm, in the move %.1f mm\n", name.c_str(),
              1e3 * f.displacement, f.speed, 1e3 * f.error, 1e3 * f.tracking);
  EXPECT_EQ(f.failed, 0U) << name;
  EXPECT_EQ(f.relaxed, 0U) << name;
  EXPECT_EQ(f.outside, 0U) << name;
  EXPECT_EQ(f.clamped, 0U) << name;
  return f;
}

void expect_still(const HoldFigures& f, const std::string& name) {
  EXPECT_LE(f.displacement, kDrift) << name;
  EXPECT_LE(f.speed, kVibration) << name;
}

// ---- a UR10, velocity-driven at 125 Hz

Scene ur10() {
  return scene_of(
      "robots:\n  arm: {robot: ur10, tool: vacuum, base: {position: [0, 0, 1]}, pose: stance}\n");
}

TEST(VelocityDrivenRun, CommandedFeedbackHoldsStillAndArrivesWithAWrongModelOfTheServo) {
  const Scene control = ur10();
  for (const double lag : {1.0, 1.2, 0.8})
    for (const int delay : {1, 2})
      for (const double encoder : {0.0, kEncoderStep}) {
        // the model says 20 ms and one tick
        Scene plant = control;
        plant.robots[0].groups[0].lag *= lag;
        plant.robots[0].groups[0].delay_ticks = delay;
        ArmLoopOptions options;
        options.frame = "arm.suction";
        options.arm.feedback = Feedback::kCommanded;
        options.encoder = encoder;
        const std::string name = "UR10 commanded, lag " + std::to_string(lag).substr(0, 3) +
                                 " of the model's, delay " + std::to_string(delay) +
                                 (encoder > 0.0 ? ", encoder" : "");
        const HoldFigures f = run(name, plant, control, options);
        expect_still(f, name);
        EXPECT_LE(f.error, 2e-4) << name;
      }
}

TEST(VelocityDrivenRun, MeasuredFeedbackOvershootsWhereCommandedDoesNot) {
  // what the tossing thesis saw: the servo's lag is in the loop. The loop settles, but its error in
  // the move is many times that of commanded feedback, which is the lag's own way behind
  const Scene control = ur10();
  ArmLoopOptions options;
  options.frame = "arm.suction";
  options.arm.feedback = Feedback::kCommanded;
  const HoldFigures commanded = run("UR10 commanded", control, control, options);
  options.arm.feedback = Feedback::kMeasured;
  const HoldFigures measured = run("UR10 measured", control, control, options);
  EXPECT_GT(measured.tracking, 3.0 * commanded.tracking);
  EXPECT_GT(measured.displacement, 10.0 * commanded.displacement);
}

TEST(VelocityDrivenRun, WhatADriveLosesAtALimitThatTheControlDoesNotKnowIsMadeGood) {
  // the drive goes at 15 % of the speed that the control counts on: open loop, it stays behind
  const Scene control = ur10();
  Scene plant = control;
  for (auto& [name, limits] : plant.robots[0].limits.joints) limits.velocity *= 0.15;
  ArmLoopOptions options;
  options.frame = "arm.suction";
  options.arm.feedback = Feedback::kCommanded;
  const HoldFigures corrected =
      run("UR10 commanded, cut at 15 % of its speed", plant, control, options);
  EXPECT_LE(corrected.error, 2e-4);
  EXPECT_LE(corrected.speed, kVibration);
  options.arm.correction = 0.0;
  const HoldFigures open = run("UR10 commanded, cut, no correction", plant, control, options);
  EXPECT_GT(open.error, 1e-2);
}

// ---- an FR3, torque-driven at 1 kHz, that carries half a kilogram which the control does not know

struct Case {
  Feedback feedback = Feedback::kMeasured;
  bool friction = true, compensated = false, observer = false;
  double encoder = 0.0;
  bool by_difference = false;

  std::string name() const {
    std::string s = feedback == Feedback::kMeasured ? "FR3 measured" : "FR3 commanded";
    s += friction ? ", friction" : ", no friction";
    if (compensated) s += " compensated";
    if (observer) s += ", observer";
    if (encoder > 0.0) s += by_difference ? ", encoder, differences" : ", encoder";
    return s;
  }
};

HoldFigures run_fr3(const Case& c, double filter = 0.0) {
  const Scene control = scene_of(
      "robots:\n  arm: {robot: fr3, tool: plate, base: {position: [0, 0, 1]}, pose: ready}\n");
  Scene plant = control;
  test::add_body(plant, "arm.tcp", test::ball(0.5, Eigen::Vector3d(0.0, 0.0, 0.03)));
  if (!c.friction) test::set_friction(plant, 0.0);
  ArmLoopOptions options;
  options.held_joint = "arm.joint3";
  options.arm.feedback = c.feedback;
  // nine tenths of what there is
  if (c.compensated) options.arm.friction = Eigen::VectorXd::Constant(7, 0.18);
  if (c.observer) options.arm.observer = 20.0;
  options.encoder = c.encoder;
  options.velocity_by_difference = c.by_difference;
  options.arm.velocity_filter = filter;
  return run(c.name() + (filter > 0.0 ? ", filtered" : ""), plant, control, options);
}

TEST(TorqueDrivenRun, GravityThatThePlantAddsIsCountedOnce) {
  const Scene scene = scene_of(
      "robots:\n  arm: {robot: fr3, tool: plate, base: {position: [0, 0, 1]}, pose: ready}\n");
  ArmLoopOptions options;
  options.held_joint = "arm.joint3";
  ArmLoop plain(scene, scene, options);
  options.gravity_compensated = true;
  ArmLoop compensated(scene, scene, options);
  const test::MoveAndHold move{.settled = 1.0, .end = 2.0};
  const HoldFigures a = test::move_and_hold(plain, move),
                    b = test::move_and_hold(compensated, move);
  EXPECT_NEAR(a.tracking, b.tracking, 1e-9);
  EXPECT_LT((plain.tool().p - compensated.tool().p).norm(), 1e-9);
  EXPECT_LT(b.tracking, 0.05);
}

// ---- against a table: the reference goes 5 cm into it, stays, and comes out again

TEST(InContactRun, TheCommandedStateStaysWithItsReferenceAndNothingVibrates) {
  // the pad's face starts 3 cm above the table
  const std::string arm =
      "robots:\n  arm: {robot: fr3, tool: plate, base: {position: [0, 0, 1]}, pose: ready}\n";
  const Scene control = scene_of(arm);
  const Eigen::Vector3d tool = ArmLoop(control, control, {}).tool().p;
  Scene plant = control;
  SceneBody table;
  table.name = "table";
  Shape top;
  top.name = "table";
  top.type = ShapeType::kBox;
  top.size = Eigen::Vector3d(0.2, 0.2, 0.05);
  table.shapes = {top};
  table.X_WB.p = tool - Eigen::Vector3d(0.0, 0.0, 0.08);
  plant.fixtures.push_back(table);
  for (const Feedback feedback : {Feedback::kMeasured, Feedback::kCommanded})
    for (const double observer : {0.0, 20.0}) {
      ArmLoopOptions options;
      options.held_joint = "arm.joint3";
      options.arm.feedback = feedback;
      if (observer > 0.0) options.arm.observer = observer;
      ArmLoop loop(plant, control, options);
      const PoseReference start = loop.pose().reference();
      double squares = 0.0, force = 0.0, ahead = 0.0;
      int ticks = 0, lost = 0;
      while (loop.time() < 15.0) {
        PoseReference reference = start;
        const double t = loop.time();
        const double depth =
            t < 9.0 ? test::quintic(t, 2.0).s : 1.0 - test::quintic(t - 9.0, 2.0).s;
        reference.X_WE.p.z() -= 0.08 * depth;
        loop.pose().set_reference(reference);
        loop.step();
        if (t > 4.0 && t < 9.0) {
          squares += loop.joint_speeds().squaredNorm();
          ++ticks;
          force = 0.0;
          lost += loop.plant().contacts().empty();
          for (const auto& contact : loop.plant().contacts()) force += contact.f_W.norm();
          ahead = std::max(ahead, (loop.drive().commanded_q() - loop.plant().read().groups[0].q)
                                      .lpNorm<Eigen::Infinity>());
        }
      }
      const double speed = std::sqrt(squares / ticks),
                   error = (loop.tool().p - start.X_WE.p).norm();
      const std::string name =
          std::string(feedback == Feedback::kMeasured ? "measured" : "commanded") +
          (observer > 0.0 ? ", observer" : "");
      std::printf("table, %-20s %.1e rad/s, %.1f N, ahead by %.4f rad, back to %.3f mm\n",
                  name.c_str(), speed, force, ahead, 1e3 * error);
      // nothing bounces; the observer pushes on until its share of the limits is used up, and the
      // pad slides a little
      EXPECT_EQ(lost, 0) << name;
      EXPECT_LE(speed, observer > 0.0 ? 3.0 * kVibration : kVibration) << name;
      EXPECT_GT(force, 5.0) << name;
      EXPECT_LT(force, 200.0) << name;
      // 5 cm at half a metre
      EXPECT_LT(ahead, 0.2) << name;
      EXPECT_LT(error, 5e-3) << name;
      EXPECT_EQ(loop.problem().counts().failed, 0U) << name;
    }
}

TEST(TorqueDrivenRun, WithoutFrictionEveryFeedbackHoldsStillAndTheObserverCarriesTheLoad) {
  for (const Feedback feedback : {Feedback::kMeasured, Feedback::kCommanded})
    for (const bool observer : {false, true})
      for (const double encoder : {0.0, kEncoderStep}) {
        const Case c{feedback, false, false, observer, encoder, false};
        const HoldFigures f = run_fr3(c);
        expect_still(f, c.name());
        // without it, the load's weight against the stiffness of the tasks (100) or of the tracking
        // (400, and less what the task adds to follow)
        const double sag = feedback == Feedback::kMeasured ? 10.8e-3 : 2.88e-3;
        EXPECT_NEAR(f.error, observer ? 0.0 : sag, 1e-4) << c.name();
      }
}

TEST(TorqueDrivenRun, CommandedFeedbackHoldsStillAgainstFriction) {
  for (const bool compensated : {false, true})
    for (const bool observer : {false, true})
      for (const double encoder : {0.0, kEncoderStep}) {
        const Case c{Feedback::kCommanded, true, compensated, observer, encoder, false};
        const HoldFigures f = run_fr3(c);
        expect_still(f, c.name());
        EXPECT_LE(f.error, observer ? 1e-4 : 3.5e-3) << c.name();
      }
}

TEST(TorqueDrivenRun, MeasuredFeedbackHoldsStillAgainstFrictionThatIsCompensatedAndObserved) {
  for (const double encoder : {0.0, kEncoderStep}) {
    const Case c{Feedback::kMeasured, true, true, true, encoder, false};
    const HoldFigures f = run_fr3(c);
    expect_still(f, c.name());
    EXPECT_LE(f.error, 1e-4) << c.name();
  }
}

TEST(TorqueDrivenRun, MeasuredFeedbackThatFrictionStopsShortCreepsOn) {
  // misses 0.1 mm: stopped short of the goal by dry friction, the arm is still pulled to it, and
  // the simulator's dry friction is a soft constraint that creeps below its limit. A drift that
  // dies out, not a vibration
  for (const bool compensated : {false, true})
    for (const bool observer : {false, true}) {
      if (compensated && observer) continue;
      const Case c{Feedback::kMeasured, true, compensated, observer, 0.0, false};
      const HoldFigures f = run_fr3(c);
      EXPECT_LE(f.speed, kVibration) << c.name();
      EXPECT_LE(f.displacement, 1e-3) << c.name();
    }
}

TEST(TorqueDrivenRun, VelocitiesThatAreDifferencesOfEncoderStepsHoldStillWhenFiltered) {
  for (const Feedback feedback : {Feedback::kMeasured, Feedback::kCommanded})
    for (const bool friction : {false, true})
      for (const bool observer : {false, true}) {
        const Case c{feedback, friction, friction, observer, kEncoderStep, true};
        const HoldFigures f = run_fr3(c, 0.005);
        EXPECT_LE(f.speed, kVibration) << c.name();
        // without observer against friction it creeps as above
        const bool creeps = friction && !observer && feedback == Feedback::kMeasured;
        EXPECT_LE(f.displacement, creeps ? 1e-3 : kDrift) << c.name();
      }
}

TEST(TorqueDrivenRun, VelocitiesThatAreDifferencesOfEncoderStepsVibrateUnfiltered) {
  // a step of 48 microradians in 1 ms is 48 mrad/s: of the size of what is to be damped, and as
  // torque it takes all of its rate. The filter's reason to be
  const HoldFigures f = run_fr3({Feedback::kCommanded, false, false, true, kEncoderStep, true});
  EXPECT_GT(f.speed, kVibration);
}

}  // namespace feedback_run_test
}  // namespace handspan
