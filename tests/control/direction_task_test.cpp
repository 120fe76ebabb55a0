#include "control/direction_task.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "control/model_run.hpp"

namespace handspan {
namespace direction_task_test {

using namespace test;

DirectionTaskConfig pointing(const std::string& frame) {
  DirectionTaskConfig config;
  config.frame = frame;
  return config;
}

TEST(DirectionTask, RowsAreTheTrueAccelerationOfTheDirection) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  DirectionTaskConfig config = pointing("left.tcp");
  config.axis = {0.2, -2.0, 1.0};
  config.stiffness = 0.0;
  config.damping = 0.0;
  DirectionTask task(config, {run.system, "d"});
  RandomStream random(kSeed, "direction");
  for (int i = 0; i < 50; ++i) {
    run.seal();
    SmoothMotion motion(run, random);
    const Eigen::Vector3d axis = config.axis.normalized();
    const auto R = [&](double t) { return motion.pose("left.tcp", t).R; };
    const Eigen::Vector3d d = R(0.0) * axis, omega = angular_velocity(R);
    const Eigen::Vector3d d_dd =
        second_derivative([&](double t) { return Eigen::Vector3d(R(t) * axis); });
    // d'' = alpha x d + omega x (omega x d), hence P alpha = d x d'' - (omega . d) d x omega
    const Eigen::Vector3d expected = d.cross(d_dd) - omega.dot(d) * d.cross(omega);
    EXPECT_LT((motion.beyond(task) - expected).norm(), kDifferenceTolerance)
        << "seed " << kSeed << " case " << i;
  }
}

TEST(DirectionTask, AsksForATurnAcrossItsAxisAlone) {
  ModelRun run;
  run.system.add_mechanism(free_body_mechanism("box"));
  run.seal();
  run.state->mechanisms[0].v << 0.0, 0.0, 0.0, 0.1, 0.0, 5.0;  // about its axis: free
  update_state(run.system, *run.state);
  DirectionTask task(pointing("box"), {run.system, "d"});
  task.set_reference({3.0, 0.0, 4.0}, {0.2, 0.3, 9.0});
  task.update(run.system, *run.state);
  // from z to (0.6, 0, 0.8): about y by acos 0.8; stiffness 100, damping 20
  const Eigen::Vector3d expected(20.0 * 0.1, 100.0 * std::acos(0.8) + 20.0 * 0.3, 0.0);
  EXPECT_LT((task.b() - expected).norm(), 1e-12);
  EXPECT_LT((task.error() - Eigen::Vector3d(0.0, std::acos(0.8), 0.0)).norm(), 1e-14);
}

TEST(DirectionTask, At180DegreesItTurnsAndArrivesWithoutNeedingTheTurnAboutItsAxis) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  DirectionTask& task = run.add<DirectionTask>("d", pointing("left.tcp"));
  ProblemConfig config;
  config.error_damping = 0.0;
  run.start(config);
  const Eigen::Vector3d start = run.frame("left.tcp").first.R.col(2);
  task.set_reference(-start);
  run.tick();
  EXPECT_NEAR(task.error().norm(), std::numbers::pi, 1e-9);
  EXPECT_GT(run.state->mechanisms[0].qdd.norm(), 1.0);
  run.run(3000);
  EXPECT_LT((run.frame("left.tcp").first.R.col(2) + start).norm(), 1e-6);
  EXPECT_EQ(run.problem->counts().failed, 0U);
}

TEST(DirectionTask, TheDirectionOfItsFileOutlastsAHoldAndOneThatWasSetDoesNot) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  update_state(run.system, *run.state);
  DirectionTaskConfig config = pointing("left.tcp");
  config.direction = {0.0, 0.6, 0.8};
  DirectionTask task(config, {run.system, "d"});
  const auto error = [&] {
    task.update(run.system, *run.state);
    return task.error().norm();
  };
  const double asked = error();
  EXPECT_GT(asked, 0.1);
  task.hold(run.system, *run.state);
  EXPECT_EQ(error(), asked);
  task.set_reference({1.0, 0.0, 0.0});
  task.hold(run.system, *run.state);
  EXPECT_LT(error(), 1e-12);
}

TEST(DirectionTask, ReferencesThatMakeNoSenseAreCountedAndTheLastGoodOneStays) {
  ModelRun run;
  run.system.add_mechanism(free_body_mechanism("box"));
  run.seal();
  update_state(run.system, *run.state);
  DirectionTask task(pointing("box"), {run.system, "d"});
  const Eigen::Vector3d good(1.0, 0.0, 0.0);
  task.set_reference(good);
  task.update(run.system, *run.state);
  const Eigen::VectorXd b = task.b();
  std::uint64_t expected = 0;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, 1e300}) {
    task.set_reference({0.0, bad, 1.0});
    task.set_reference({0.0, 1.0, 0.0}, {0.0, bad, 0.0});
    EXPECT_EQ(task.rejected(), expected += 2) << bad;
  }
  task.set_reference(Eigen::Vector3d::Zero());
  EXPECT_EQ(task.rejected(), expected + 1);
  task.update(run.system, *run.state);
  EXPECT_EQ(task.b(), b);
}

TEST(DirectionTaskErrors, SayWhatIsWrong) {
  ModelRun run;
  run.system.add_mechanism(arm());
  run.seal();
  const auto made = [&](auto change) {
    DirectionTaskConfig config = pointing("left.tcp");
    change(config);
    return message_of([&] { DirectionTask(config, {run.system, "d"}); });
  };
  EXPECT_EQ(made([](auto& c) { c.frame = "left.tpc"; }),
            "there is no frame 'left.tpc'; did you mean 'left.tcp'?");
  EXPECT_EQ(made([](auto& c) { c.axis.setZero(); }),
            "the axis of the task 'd' has no length; give a direction");
  EXPECT_EQ(made([](auto& c) { c.direction.setZero(); }),
            "the direction of the task 'd' has no length; give a direction");
}

}  // namespace direction_task_test
}  // namespace handspan
