// Position and orientation of a frame: the equations, the motions that they give, and what they
// refuse.
#include "control/frame_task.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "control/model_run.hpp"

namespace handspan {
namespace frame_task_test {

using namespace test;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

FrameTaskConfig without_gains(FrameTaskConfig config) {
  config.stiffness = 0.0;
  config.damping = 0.0;
  return config;
}

TEST(FrameTask, RowsAreTheTrueAccelerationOfPositionAndOrientation) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTask task(without_gains(pose_of("left.tcp")), {run.system, "hand"});
  RandomStream random(kSeed, "frame");
  for (int i = 0; i < 50; ++i) {
    run.seal();
    SmoothMotion motion(run, random);
    const Eigen::VectorXd found = motion.beyond(task);
    const Eigen::Vector3d linear =
        second_derivative([&](double t) { return motion.pose("left.tcp", t).p; });
    const Eigen::Vector3d angular =
        angular_acceleration([&](double t) { return motion.pose("left.tcp", t).R; });
    EXPECT_LT((found.head<3>() - linear).norm(), kDifferenceTolerance) << kSeed << " case " << i;
    EXPECT_LT((found.tail<3>() - angular).norm(), kDifferenceTolerance) << kSeed << " case " << i;
    EXPECT_GT(found.norm(), 0.1);
  }
}

TEST(FrameTask, OrientationMayHaveAStiffnessOfItsOwnAndIsDampedAlike) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTaskConfig config = pose_of("left.tcp", 100.0);
  FrameTask alike(config, {run.system, "alike"});
  config.orientation_stiffness = 400.0;
  FrameTask own(config, {run.system, "own"});
  // that of all axes, for what turning must be
  FrameTask stiff(pose_of("left.tcp", 400.0), {run.system, "stiff"});
  RandomStream random(kSeed, "own stiffness");
  SmoothMotion motion(run, random);
  PoseReference reference;
  reference.X_WE = motion.pose("left.tcp", 0.03);
  reference.V_WE = random_vector(6, random, 0.1);
  const auto b = [&](FrameTask& task) {
    task.set_reference(reference);
    task.update(run.system, *run.state);
    return Eigen::VectorXd(task.b());
  };
  const Eigen::VectorXd found = b(own);
  EXPECT_EQ(found.head<3>(), b(alike).head<3>());
  EXPECT_LT((found.tail<3>() - b(stiff).tail<3>()).norm(), 1e-12);
  // at run time the ratio stays
  own.set_stiffness(400.0, 0.0);
  stiff.set_stiffness(1600.0, 0.0);
  b(own);
  b(stiff);
  EXPECT_LT((b(own).tail<3>() - b(stiff).tail<3>()).norm(), 1e-12);
  config.stiffness = 0.0;
  try {
    FrameTask(config, {run.system, "none"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the task 'none' has a stiffness of 0, to which its orientation_stiffness has no "
                 "ratio; give it a stiffness, or use a position and an orientation task");
  }
}

TEST(FrameTask, MasksChooseRowsInTheWorldOrInTheFrame) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTaskConfig config = pose_of("left.tcp");
  FrameTask whole(config, {run.system, "whole"});
  config.axes = {false, true, false, true, false, true};
  config.orientation_weight = 0.25;
  config.weight = 2.0;
  FrameTask world(config, {run.system, "world"});
  config.axes_of = TaskAxes::kFrame;
  FrameTask own(config, {run.system, "own"});
  RandomStream random(kSeed, "mask");
  SmoothMotion motion(run, random);
  PoseReference reference;
  reference.X_WE = motion.pose("left.tcp", 0.03);
  const Eigen::Matrix3d R_EW = motion.pose("left.tcp", 0.0).R.transpose();
  for (FrameTask* task : {&whole, &world, &own}) task->set_reference(reference);
  const Eigen::VectorXd all = motion.beyond(whole), some = motion.beyond(world),
                        turned = motion.beyond(own);
  ASSERT_EQ(some.size(), 3);
  ASSERT_EQ(turned.size(), 3);
  const Eigen::Vector3d linear = R_EW * all.head<3>(), angular = R_EW * all.tail<3>();
  EXPECT_LT((some - Eigen::Vector3d(all[1], all[3], all[5])).norm(), 1e-12);
  EXPECT_LT((turned - Eigen::Vector3d(linear[1], angular[0], angular[2])).norm(), 1e-12);
  EXPECT_EQ(own.weights(), Eigen::Vector3d(2.0, 0.5, 0.5));
  const Eigen::Vector3d e = R_EW * whole.error().head<3>(), r = R_EW * whole.error().tail<3>();
  EXPECT_LT((own.error() - Eigen::Vector3d(e[1], r[0], r[2])).norm(), 1e-12);
}

// a free body whose axes are turned by 90 degrees about z and that moves and turns
TEST(FrameTask, AsksForEquations310And313) {
  ModelRun run;
  run.system.add_mechanism(free_body_mechanism("box"));
  run.seal();
  MechanismState& s = run.state->mechanisms[0];
  const Eigen::Matrix3d R = exp_so3({0.0, 0.0, 0.5 * std::numbers::pi});
  s.q << 0.1, 0.0, 0.0, Pose::rotation(R).quaternion().coeffs();
  s.v << R.transpose() * Eigen::Vector3d(0.2, 0.0, 0.0), 0.0, 0.0, 1.0;
  update_state(run.system, *run.state);
  FrameTask task(pose_of("box", 100.0), {run.system, "box"});
  PoseReference reference;
  reference.X_WE = {R * exp_so3({0.2, 0.0, 0.0}), {0.3, 0.1, 0.0}};
  reference.V_WE << 0.0, 0.5, 0.0, 1.0, 0.0, 0.0;
  reference.A_WE << 1.0, 0.0, 0.0, 0.0, 2.0, 0.0;
  task.set_reference(reference);
  task.update(run.system, *run.state);
  Vector6d expected;
  // linear (1, 0, 0) + 20 (-0.2, 0.5, 0) + 100 (0.2, 0.1, 0), less omega x v of the body's axes;
  // angular (0, 2, 0) - z x (x - z) + 20 (1, 0, -1) + 100 (0, 0.2, 0)
  expected << 17.0, 20.0 - 0.2, 0.0, 20.0, 21.0, -20.0;
  EXPECT_LT((task.b() - expected).norm(), 1e-12);
  Vector6d error;
  error << 0.2, 0.1, 0.0, 0.0, 0.2, 0.0;
  EXPECT_LT((task.error() - error).norm(), 1e-13);
  EXPECT_LT((task.pose_error() - error).norm(), 1e-13);
}

TEST(FrameTask, AskForNoMoreThanTheirLargestAccelerationInTheSameDirection) {
  ModelRun run;
  run.system.add_mechanism(free_body_mechanism("box"));
  run.seal();
  update_state(run.system, *run.state);
  FrameTask task(pose_of("box", 100.0), {run.system, "box"});
  PoseReference reference;
  reference.X_WE.p = {300.0, -400.0, 0.0};
  task.set_reference(reference);
  task.update(run.system, *run.state);
  EXPECT_NEAR(task.b()[0], 0.6 * kMostTaskAcceleration, 1e-9);
  EXPECT_NEAR(task.b()[1], -0.8 * kMostTaskAcceleration, 1e-9);
}

// the regularisation that the product has would let the task give way by its share
ProblemConfig unregularised() {
  ProblemConfig config;
  config.regularisation = 1e-9;
  config.error_damping = 0.0;
  return config;
}

TEST(FrameTask, AStepOfPositionFollowsTheCriticallyDampedClosedForm) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTask& task = run.add<FrameTask>("hand", pose_of("left.tcp", 100.0));
  run.start(unregularised());
  // a tenth of the usual tick: holding q'' over a tick delays by half of it, 5e-3 / 10 of the step
  run.state->dt = 1e-4;
  for (auto& s : run.state->mechanisms) s.dt = 1e-4;
  PoseReference reference = task.reference();
  const Eigen::Vector3d step(0.003, -0.004, 0.0), goal = reference.X_WE.p + step;
  reference.X_WE.p = goal;
  task.set_reference(reference);
  double worst = 0.0;
  for (int k = 1; k <= 10000; ++k) {
    run.tick();
    const double t = 1e-4 * k;
    const Eigen::Vector3d expected = (1.0 + 10.0 * t) * std::exp(-10.0 * t) * step;
    worst = std::max(worst, (goal - run.frame("left.tcp").first.p - expected).norm());
  }
  EXPECT_LT(worst, 1e-3 * step.norm());
  EXPECT_EQ(run.problem->counts().relaxed, 0U);
}

TEST(FrameTask, OrientationAt179DegreesTurnsTheShortWayAndArrives) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTask& task = run.add<FrameTask>("hand", pose_of("left.tcp", 100.0));
  run.start(unregularised());
  PoseReference reference = task.reference();
  const double angle = 179.0 / 180.0 * std::numbers::pi;
  const Eigen::Matrix3d R = reference.X_WE.R;
  reference.X_WE.R = R * exp_so3({0.0, 0.0, angle});
  EXPECT_LT((orientation_error(R, reference.X_WE.R) - R * Eigen::Vector3d(0.0, 0.0, angle)).norm(),
            1e-12);
  task.set_reference(reference);
  double before = angle;
  for (int k = 0; k < 3000; ++k) {
    run.tick();
    const double now = angle_between(run.frame("left.tcp").first.R, reference.X_WE.R);
    EXPECT_LT(now, before + 1e-9) << "tick " << k;
    before = now;
    if (HasFailure()) return;
  }
  EXPECT_LT(before, 1e-6);
}

TEST(FrameTask, AFarGoalIsApproachedAtTheSpeedAndWithoutOvershoot) {
  for (int i = 0; i < 6; ++i) {
    const double stiffness = std::array{45.0, 100.0, 400.0}[static_cast<std::size_t>(i / 2)];
    const bool regularised = i % 2 == 1;
    ModelRun run;
    run.system.add_mechanism(unlimited_arm());
    run.seal();
    FrameTaskConfig config = pose_of("left.tcp", stiffness);
    config.speed = 0.3;
    config.angular_speed = 1.0;
    config.deceleration = 1.0;
    FrameTask& task = run.add<FrameTask>("hand", config);
    run.start(regularised ? ProblemConfig{} : unregularised());
    PoseReference reference = task.reference();
    const Eigen::Vector3d way(0.0, -0.4, -0.3), goal = reference.X_WE.p + way;
    reference.X_WE.p = goal;
    task.set_reference(reference);
    double fastest = 0.0, overshoot = -1.0, aside = 0.0;
    for (int k = 0; k < 5000; ++k) {
      run.tick();
      const auto [X, V] = run.frame("left.tcp");
      fastest = std::max(fastest, V.head<3>().norm());
      overshoot = std::max(overshoot, (X.p - goal).dot(way) / way.norm());
      aside = std::max(aside, (X.p - goal).cross(way).norm() / way.norm());
    }
    EXPECT_LT(fastest, 1.02 * 0.3) << stiffness;
    EXPECT_GT(fastest, 0.95 * 0.3) << stiffness;
    EXPECT_LT(overshoot, 0.001) << stiffness;
    // straight, but for what the damping of far goals gives way (9 mm with stiffness 45)
    EXPECT_LT(aside, regularised ? 0.02 : 0.001) << stiffness;
    EXPECT_LT((run.frame("left.tcp").first.p - goal).norm(), 1e-4) << stiffness;
  }
}

// the plan to arrive: v^2 <= 2 a s, where that is slower than the task's own approach
TEST(FrameTask, DecelerationBoundsTheSpeedByTheDistanceLeft) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTaskConfig config = pose_of("left.tcp", 400.0);
  config.deceleration = 0.5;
  FrameTask& task = run.add<FrameTask>("hand", config);
  run.start();
  PoseReference reference = task.reference();
  const Eigen::Vector3d way(0.0, -0.4, -0.3), goal = reference.X_WE.p + way;
  reference.X_WE.p = goal;
  task.set_reference(reference);
  double worst = 0.0, overshoot = -1.0;
  for (int k = 0; k < 3000; ++k) {
    run.tick();
    const auto [X, V] = run.frame("left.tcp");
    const double left = (goal - X.p).norm();
    // the speed follows the plan with the damping's time constant 1/kd: it lags by a / kd
    worst = std::max(worst, V.head<3>().norm() - std::sqrt(2.0 * 0.5 * left) - 0.5 / 40.0);
    overshoot = std::max(overshoot, (X.p - goal).dot(way) / way.norm());
  }
  EXPECT_LT(worst, 0.005);
  EXPECT_LT(overshoot, 0.001);
}

TEST(FrameTask, ReferencesThatAreNotSaneAreCountedAndTheLastGoodOneStays) {
  ModelRun run;
  run.system.add_mechanism(arm());
  run.seal();
  FrameTask task(pose_of("left.tcp"), {run.system, "hand"});
  update_state(run.system, *run.state);
  task.hold(run.system, *run.state);
  const PoseReference good = task.reference();
  std::uint64_t expected = 0;
  const auto refuse = [&](auto change) {
    PoseReference reference = good;
    reference.X_WE.p += Eigen::Vector3d(0.1, 0.0, 0.0);
    change(reference);
    task.set_reference(reference);
    EXPECT_EQ(task.rejected(), ++expected);
    EXPECT_EQ(task.reference().X_WE.p, good.X_WE.p);
  };
  for (const double bad : {kNaN, HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 1e7}) {
    refuse([&](auto& r) { r.X_WE.p[1] = bad; });
    refuse([&](auto& r) { r.V_WE[4] = bad; });
    refuse([&](auto& r) { r.A_WE[0] = bad; });
    refuse([&](auto& r) { r.X_WE.R(2, 0) = bad; });
  }
  refuse([](auto& r) { r.X_WE.R.setZero(); });
  refuse([](auto& r) { r.X_WE.R *= -1.0; });
  refuse([](auto& r) { r.X_WE.R = Eigen::Quaterniond(1.0, 1.0, 0.0, 0.0).toRotationMatrix(); });
  PoseReference fine = good;
  fine.X_WE.p[0] += 0.1;
  task.set_reference(fine);
  EXPECT_EQ(task.rejected(), expected);
  EXPECT_EQ(task.reference().X_WE.p, fine.X_WE.p);
}

TEST(FrameTaskErrors, SayWhatIsWrong) {
  ModelRun run;
  run.system.add_mechanism(arm());
  run.seal();
  const auto made = [&](const FrameTaskConfig& config) {
    return message_of([&] { FrameTask(config, {run.system, "hand"}); });
  };
  EXPECT_EQ(made(pose_of("left.tpc")), "there is no frame 'left.tpc'; did you mean 'left.tcp'?");
  FrameTaskConfig config = pose_of("left.tcp");
  config.axes.assign(6, false);
  EXPECT_EQ(made(config), "the task 'hand' controls no axis; set one of its axes to true");
}

}  // namespace frame_task_test
}  // namespace handspan
