#include "control/wrench_task.hpp"

#include <gtest/gtest.h>

#include "control/model_run.hpp"

namespace handspan {
namespace wrench_task_test {

using namespace test;

struct Held : testing::Test {
  Held() {
    run.system.add_mechanism(unlimited_arm());
    run.system.add_mechanism(free_body_mechanism("box"));
    run.system.add_loop_closure("hold", "left.tcp", "box");
    run.seal();
    MechanismState& box = run.state->mechanisms[1];
    box.q << 0.3, 0.2, 0.1, Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5).coeffs();
    update_state(run.system, *run.state);
  }
  ModelRun run;
};

TEST_F(Held, RowsReadForceAndTorqueInTheBodysAxes) {
  WrenchTaskConfig config;
  config.loop_closure = "hold";
  config.axes = {true, false, true, false, false, true};
  config.wrench << 1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
  config.weight = 3.0;
  WrenchTask task(config, {run.system, "w"});
  set_loop_closure(run.system, *run.state, 0, true);
  task.update(run.system, *run.state);
  RandomStream random(kSeed, "wrench");
  const Eigen::VectorXd x = random_vector(run.system.unknowns(), random, 10.0);
  const int offset = run.system.loop_closures()[0].offset;
  const Eigen::Matrix3d R_bW = run.frame("box").first.R.transpose();
  const Eigen::Vector3d force = R_bW * x.segment<3>(offset),
                        torque = R_bW * x.segment<3>(offset + 3);
  EXPECT_EQ(task.blocks()[0].offset, offset);
  EXPECT_LT(
      (task.blocks()[0].A * x.segment<6>(offset) - Eigen::Vector3d(force[0], force[2], torque[2]))
          .norm(),
      1e-13);
  EXPECT_EQ(task.b(), Eigen::Vector3d(1.0, 3.0, 6.0));
  EXPECT_EQ(task.weights(), Eigen::Vector3d(3.0, 3.0, 3.0));
  Vector6d F;
  F << force, torque;
  EXPECT_LT((task.wrench(run.system, *run.state, x) - F).norm(), 1e-13);
}

TEST_F(Held, AskForNothingOfAnOpenJoin) {
  WrenchTaskConfig config;
  config.loop_closure = "hold";
  WrenchTask task(config, {run.system, "w"});
  task.update(run.system, *run.state);
  EXPECT_EQ(task.weights(), Eigen::VectorXd::Zero(6));
}

TEST_F(Held, ReferencesThatMakeNoSenseAreCountedAndTheLastGoodOneStays) {
  WrenchTaskConfig config;
  config.loop_closure = "hold";
  WrenchTask task(config, {run.system, "w"});
  Vector6d good;
  good << 1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
  task.set_reference(good);
  std::uint64_t expected = 0;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, 1e300, 2e4}) {
    task.set_reference(bad * Vector6d::Unit(4));
    EXPECT_EQ(task.rejected(), ++expected) << bad;
  }
  task.update(run.system, *run.state);
  EXPECT_EQ(task.b(), good);
  task.hold(run.system, *run.state);
  task.update(run.system, *run.state);
  EXPECT_EQ(task.b(), Vector6d::Zero());
}

TEST_F(Held, AJoinThatIsAskedToCloseDoesSoWhereItsFramesAreAtTheNextUpdate) {
  WrenchTaskConfig config;
  config.loop_closure = "hold";
  WrenchTask task(config, {run.system, "w"});
  EXPECT_EQ(task.frame(), "box");
  EXPECT_FALSE(task.carries(*run.state));
  ask_loop_closure(*run.state, 0, true);
  EXPECT_TRUE(task.carries(*run.state));
  EXPECT_FALSE(run.state->loop_closures[0].closed);
  // the box moves before
  run.state->mechanisms[1].q[0] += 0.1;
  update_state(run.system, *run.state);
  EXPECT_TRUE(run.state->loop_closures[0].closed);
  EXPECT_FALSE(run.state->loop_closures[0].closing);
  const Pose X_ab = run.state->loop_closures[0].X_ab;
  set_loop_closure(run.system, *run.state, 0, true);
  EXPECT_EQ(run.state->loop_closures[0].X_ab.p, X_ab.p);
  // one that is closed stays where it was closed
  run.state->mechanisms[1].q[0] += 0.1;
  ask_loop_closure(*run.state, 0, true);
  update_state(run.system, *run.state);
  EXPECT_EQ(run.state->loop_closures[0].X_ab.p, X_ab.p);
  ask_loop_closure(*run.state, 0, false);
  EXPECT_FALSE(run.state->loop_closures[0].closed);
  EXPECT_FALSE(task.carries(*run.state));
}

TEST_F(Held, MessagesSayWhatIsWrong) {
  WrenchTaskConfig config;
  config.loop_closure = "holt";
  const auto made = [&] { return message_of([&] { WrenchTask(config, {run.system, "w"}); }); };
  EXPECT_EQ(made(), "there is no loop closure 'holt'; did you mean 'hold'?");
  config.loop_closure = "hold";
  config.axes.assign(6, false);
  EXPECT_EQ(made(), "the task 'w' controls no axis; set one of its axes to true");
}

}  // namespace wrench_task_test
}  // namespace handspan
