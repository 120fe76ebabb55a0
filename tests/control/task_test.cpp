// What all tasks share: gains and weights that change at run time, the registry, channels.
#include "control/task.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "control/control_parts.hpp"
#include "control/model_run.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace task_test {

using namespace test;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A task on a free body that is 0.1 m from where it should be along x and moves with 1 m/s along
// it: b = 0.1 stiffness - damping. One advance is 1 ms.
class Pulled : public testing::Test {
 protected:
  Pulled() {
    run.system.add_mechanism(free_body_mechanism("box"));
    run.seal();
    run.state->mechanisms[0].v[0] = 1.0;
    update_state(run.system, *run.state);
  }
  std::unique_ptr<FrameTask> make(std::optional<double> damping) {
    FrameTaskConfig config = pose_of("box", 100.0);
    config.damping = damping;
    config.weight = 2.0;
    auto task = std::make_unique<FrameTask>(config, TaskContext{run.system, "box"});
    PoseReference reference;
    reference.X_WE.p[0] = 0.1;
    task->set_reference(reference);
    return task;
  }
  double advance(Task& task, int ticks = 1) {
    for (int i = 0; i < ticks; ++i) task.update(run.system, *run.state);
    return task.b()[0];
  }
  ModelRun run;
};

TEST_F(Pulled, StiffnessRampsAndACriticalDampingFollowsIt) {
  const auto task = make(std::nullopt);
  EXPECT_NEAR(advance(*task), 10.0 - 20.0, 1e-12);
  task->set_stiffness(300.0, 0.2);
  for (int k = 1; k <= 200; ++k)
    EXPECT_NEAR(advance(*task), 0.1 * (100.0 + k) - 2.0 * std::sqrt(100.0 + k), 1e-10);
  EXPECT_NEAR(advance(*task, 10), 30.0 - 2.0 * std::sqrt(300.0), 1e-12);
}

TEST_F(Pulled, WeightRamps) {
  const auto task = make(std::nullopt);
  task->set_weight(4.0, 0.2);
  for (int k = 1; k <= 200; ++k) {
    advance(*task);
    EXPECT_NEAR(task->weights()[0], 2.0 + 0.01 * k, 1e-12);
  }
  task->set_weight(0.0, 0.0);
  advance(*task);
  EXPECT_EQ(task->weights(), Eigen::VectorXd::Zero(6));
}

TEST_F(Pulled, DampingRampsFromCriticalToGivenAndBack) {
  const auto task = make(std::nullopt);
  advance(*task);
  task->set_damping(5.0, 0.1);
  for (int k = 1; k <= 100; ++k) EXPECT_NEAR(advance(*task), 10.0 - (20.0 - 0.15 * k), 1e-10);
  task->set_damping(15.0, 0.1);
  for (int k = 1; k <= 100; ++k) EXPECT_NEAR(advance(*task), 10.0 - (5.0 + 0.1 * k), 1e-10);
  task->set_damping(std::nullopt, 0.1);
  for (int k = 1; k <= 100; ++k) EXPECT_NEAR(advance(*task), 10.0 - (15.0 + 0.05 * k), 1e-10);
}

TEST_F(Pulled, DampingThatIsCriticalAgainFollowsTheStiffness) {
  for (const std::optional<double> first : {std::optional<double>(5.0), std::optional<double>()}) {
    const auto task = make(first);
    task->set_damping(std::nullopt, 0.1);
    advance(*task, 150);
    task->set_stiffness(400.0, 0.1);
    EXPECT_NEAR(advance(*task, 150), 40.0 - 40.0, 1e-10);
  }
}

TEST_F(Pulled, DampingTurnsRoundInTheMiddleOfARampWithoutAStep) {
  const auto task = make(std::nullopt);
  advance(*task);
  task->set_damping(0.0, 0.1);
  double before = advance(*task, 50);
  const auto smooth = [&](int ticks, double most) {
    for (int k = 0; k < ticks; ++k) {
      const double now = advance(*task);
      EXPECT_LT(std::abs(now - before), most) << k;
      before = now;
    }
  };
  task->set_damping(40.0, 0.1);
  // the slower of 20 -> 0 and 0 -> 40 in a hundred ticks, and both together
  smooth(30, 0.61);
  task->set_damping(std::nullopt, 0.1);
  smooth(200, 0.61);
  EXPECT_NEAR(before, 10.0 - 20.0, 1e-10);
}

TEST_F(Pulled, GainsAndWeightsThatMakeNoSenseAreIgnored) {
  const auto critical = make(std::nullopt), given = make(7.0);
  for (const double bad : {kNaN, HUGE_VAL, -HUGE_VAL, -1.0, 1e300, 1e7}) {
    for (Task* task : {critical.get(), given.get()}) {
      task->set_weight(bad, 0.0);
      task->set_stiffness(bad, 0.0);
      task->set_damping(bad, 0.0);
    }
    EXPECT_NEAR(advance(*critical), 10.0 - 20.0, 1e-12) << bad;
    EXPECT_NEAR(advance(*given), 10.0 - 7.0, 1e-12) << bad;
    EXPECT_EQ(critical->weights()[0], 2.0) << bad;
  }
  // a damping that was ignored leaves the task critical
  critical->set_stiffness(400.0, 0.0);
  EXPECT_NEAR(advance(*critical), 40.0 - 40.0, 1e-12);
}

// What a change at run time does to the commanded acceleration of a moving arm, as the largest
// change from one tick to the next in the 0.3 s after it.
double largest_step(double ramp_time, const std::function<void(Task&, double)>& change) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  FrameTask& task = run.add<FrameTask>("hand", pose_of("left.tcp", 100.0));
  PostureTaskConfig posture;
  posture.robot = "left";
  posture.stiffness = 10.0;
  posture.weight = 0.01;
  PostureTask& rest = run.add<PostureTask>("posture", posture);
  run.start();
  rest.set_reference(rest.reference() + Eigen::VectorXd::Constant(7, 0.3), Eigen::VectorXd::Zero(7),
                     Eigen::VectorXd::Zero(7));
  const PoseReference start = task.reference();
  double largest = 0.0;
  for (int k = 0; k < 800; ++k) {
    PoseReference reference = start;
    // a hand that should move steadily but lags behind: the reference's speed is not told
    reference.X_WE.p[0] += 0.1 * run.time;
    task.set_reference(reference);
    if (k == 500) change(task, ramp_time);
    const Eigen::VectorXd before = run.state->mechanisms[0].qdd;
    run.tick();
    if (k >= 500) largest = std::max(largest, (run.state->mechanisms[0].qdd - before).norm());
  }
  return largest;
}

TEST(TaskRamps, ChangesAtRunTimeMakeNoStepInTheCommandWhereAJumpDoes) {
  const std::vector<std::pair<const char*, std::function<void(Task&, double)>>> changes = {
      {"stiffness", [](Task& t, double time) { t.set_stiffness(300.0, time); }},
      {"damping", [](Task& t, double time) { t.set_damping(60.0, time); }},
      {"weight", [](Task& t, double time) { t.set_weight(0.02, time); }}};
  const double nothing = largest_step(0.2, [](Task&, double) {});
  for (const auto& [name, change] : changes) {
    const double ramped = largest_step(0.2, change), jumped = largest_step(0.0, change);
    // 200 ticks of equal parts of the change; a weight's effect is not linear in it: at most 1 /
    // 0.02 times steeper at its end
    const double share = std::string(name) == "weight" ? 50.0 / 200.0 : 1.5 / 200.0;
    EXPECT_LT(ramped, nothing + share * jumped) << name;
    EXPECT_GT(jumped, 20.0 * nothing) << name;
    std::printf("%s: unchanged %.4f, ramp %.4f, jump %.4f rad/s^2\n", name, nothing, ramped,
                jumped);
  }
}

TEST(TaskRegistry, HasTheBuiltInTasks) {
  EXPECT_EQ(parts_of<register_control>().of<TaskRegistry>().names(),
            (std::vector<std::string>{"direction", "object_pose", "orientation", "pose", "position",
                                      "posture", "relative_pose", "twist", "wrench"}));
}

TEST(TaskAxes, AreTheIndicesThatAreSet) {
  EXPECT_EQ(chosen_axes({false, true, true, false}, "t"), (std::vector<int>{1, 2}));
  EXPECT_EQ(message_of([] { chosen_axes({false, false}, "t"); }),
            "the task 't' controls no axis; set one of its axes to true");
}

}  // namespace task_test
}  // namespace handspan
