#include "control/relative_pose_task.hpp"

#include <gtest/gtest.h>

#include "control/model_run.hpp"

namespace handspan {
namespace relative_pose_task_test {

using namespace test;

RelativePoseTaskConfig between(const std::string& a, const std::string& b) {
  RelativePoseTaskConfig config;
  config.frame_a = a;
  config.frame_b = b;
  return config;
}

struct TwoArms : testing::Test {
  TwoArms() {
    run.system.add_mechanism(unlimited_arm("left"));
    run.system.add_mechanism(unlimited_arm("right"));
    run.seal();
  }
  void expect_true_acceleration(const std::string& a, const std::string& b) {
    RelativePoseTaskConfig config = between(a, b);
    config.stiffness = 0.0;
    config.damping = 0.0;
    RelativePoseTask task(config, {run.system, "r"});
    EXPECT_EQ(task.blocks().size(), a.substr(0, 4) == b.substr(0, 4) ? 1U : 2U);
    RandomStream random(kSeed, "relative");
    for (int i = 0; i < 50; ++i) {
      run.seal();
      SmoothMotion motion(run, random);
      const auto X_AB = [&](double t) { return motion.pose(a, t).inverse() * motion.pose(b, t); };
      const Eigen::VectorXd found = motion.beyond(task);
      const Eigen::Vector3d linear = second_derivative([&](double t) { return X_AB(t).p; });
      const Eigen::Vector3d angular = angular_acceleration([&](double t) { return X_AB(t).R; });
      EXPECT_LT((found.head<3>() - linear).norm(), kDifferenceTolerance) << kSeed << " case " << i;
      EXPECT_LT((found.tail<3>() - angular).norm(), kDifferenceTolerance) << kSeed << " case " << i;
    }
  }
  ModelRun run;
};

TEST_F(TwoArms, RowsAreTheTrueAccelerationAsSeenFromA) {
  expect_true_acceleration("left.tcp", "right.tcp");
}

TEST_F(TwoArms, RowsAreTheTrueAccelerationOfTwoFramesOfOneMechanism) {
  expect_true_acceleration("left.link3", "left.tcp");
  expect_true_acceleration("left.tcp", "left.link3");
}

TEST_F(TwoArms, ErrorsVelocitiesAndMasksAreInA) {
  RelativePoseTaskConfig config = between("left.tcp", "right.tcp");
  config.stiffness = 3.0;
  config.damping = 2.0;
  config.orientation_weight = 0.5;
  RelativePoseTask whole(config, {run.system, "r"});
  config.axes = {false, false, true, false, true, false};
  RelativePoseTask masked(config, {run.system, "m"});
  RandomStream random(kSeed, "errors");
  SmoothMotion motion(run, random);
  const auto X_AB = [&](double t) {
    return motion.pose("left.tcp", t).inverse() * motion.pose("right.tcp", t);
  };
  const Eigen::VectorXd free = [&] {
    config.axes.assign(6, true);
    config.stiffness = 0.0;
    config.damping = 0.0;
    RelativePoseTask task(config, {run.system, "f"});
    return motion.beyond(task);
  }();
  PoseReference reference;
  const Eigen::Vector3d turn(0.1, -0.2, 0.05);
  reference.X_WE = {exp_so3(turn) * X_AB(0.0).R, X_AB(0.0).p + Eigen::Vector3d(0.1, 0.2, 0.3)};
  reference.V_WE << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6;
  reference.A_WE << 1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
  for (RelativePoseTask* task : {&whole, &masked}) task->set_reference(reference);
  Vector6d error, V;
  error << 0.1, 0.2, 0.3, turn;
  const double h = kDifference;
  V << (8.0 * (X_AB(h).p - X_AB(-h).p) - (X_AB(2.0 * h).p - X_AB(-2.0 * h).p)) / (12.0 * h),
      angular_velocity([&](double t) { return X_AB(t).R; });
  const Vector6d wanted = reference.A_WE + 2.0 * (reference.V_WE - V) + 3.0 * error;
  const Eigen::VectorXd found = free - motion.beyond(whole);
  EXPECT_LT((found - wanted).norm(), kDifferenceTolerance);
  EXPECT_LT((whole.error() - error).norm(), 1e-12);
  const Eigen::VectorXd some = motion.beyond(masked), all = motion.beyond(whole);
  EXPECT_LT((some - Eigen::Vector2d(all[2], all[4])).norm(), 1e-12);
  EXPECT_EQ(masked.weights(), Eigen::Vector2d(1.0, 0.5));
}

TEST_F(TwoArms, KeepsTheHandsTogetherWhileOneIsLed) {
  FrameTaskConfig lead = pose_of("left.tcp");
  FrameTask& left = run.add<FrameTask>("left", lead);
  RelativePoseTask& hands = run.add<RelativePoseTask>("hands", between("left.tcp", "right.tcp"));
  ProblemConfig config;
  config.error_damping = 0.0;
  run.start(config);
  const auto X_AB = [&] {
    return run.frame("left.tcp").first.inverse() * run.frame("right.tcp").first;
  };
  const Pose before = X_AB(), start = left.reference().X_WE;
  double worst = 0.0;
  for (int k = 0; k < 3000; ++k) {
    const double t = run.time;
    PoseReference reference;
    reference.X_WE = start;
    reference.X_WE.p += 0.05 * Eigen::Vector3d(std::sin(2.0 * t), 1.0 - std::cos(2.0 * t), 0.0);
    reference.V_WE.head<3>() = 0.1 * Eigen::Vector3d(std::cos(2.0 * t), std::sin(2.0 * t), 0.0);
    reference.A_WE.head<3>() = 0.2 * Eigen::Vector3d(-std::sin(2.0 * t), std::cos(2.0 * t), 0.0);
    left.set_reference(reference);
    run.tick();
    worst = std::max(worst, (X_AB().p - before.p).norm());
  }
  // the reference starts with 0.1 m/s: a moment of a few mm for the left hand, none between them
  EXPECT_LT(worst, 1e-4);
  EXPECT_LT(angle_between(X_AB().R, before.R), 1e-4);
  EXPECT_EQ(hands.rejected(), 0U);
}

TEST_F(TwoArms, ReferencesThatAreNotSaneAreCountedAndTheLastGoodOneStays) {
  RelativePoseTask task(between("left.tcp", "right.tcp"), {run.system, "r"});
  update_state(run.system, *run.state);
  task.hold(run.system, *run.state);
  task.update(run.system, *run.state);
  EXPECT_LT(task.error().norm(), 1e-12);
  std::uint64_t expected = 0;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, 1e300, -1e300}) {
    PoseReference reference;
    reference.X_WE.p[0] = bad;
    task.set_reference(reference);
    EXPECT_EQ(task.rejected(), ++expected) << bad;
  }
  PoseReference reference;
  reference.X_WE.R.setZero();
  task.set_reference(reference);
  EXPECT_EQ(task.rejected(), ++expected);
  task.update(run.system, *run.state);
  EXPECT_LT(task.error().norm(), 1e-12);
}

TEST_F(TwoArms, MessagesSayWhatIsWrong) {
  const auto made = [&](const RelativePoseTaskConfig& config) {
    return message_of([&] { RelativePoseTask(config, {run.system, "r"}); });
  };
  EXPECT_EQ(made(between("left.tpc", "right.tcp")),
            "there is no frame 'left.tpc'; did you mean 'left.tcp'?");
  EXPECT_EQ(made(between("left.tcp", "left.tcp")),
            "the task 'r' relates the frame 'left.tcp' to itself; name two frames");
  RelativePoseTaskConfig config = between("left.tcp", "right.tcp");
  config.axes.assign(6, false);
  EXPECT_EQ(made(config), "the task 'r' controls no axis; set one of its axes to true");
}

}  // namespace relative_pose_task_test
}  // namespace handspan
