#include "control/posture_task.hpp"

#include <gtest/gtest.h>

#include "control/model_run.hpp"

namespace handspan {
namespace posture_task_test {

using namespace test;

PostureTaskConfig posture_of(const std::string& robot) {
  PostureTaskConfig config;
  config.robot = robot;
  return config;
}

struct Arms : testing::Test {
  Arms() {
    run.system.add_mechanism(unlimited_arm("right"));
    run.system.add_mechanism(unlimited_arm("left"));
    run.system.add_mechanism(free_body_mechanism("box"));
    run.seal();
  }
  ModelRun run;
};

TEST_F(Arms, RowsAreTheAccelerationsOfTheirJoints) {
  PostureTaskConfig config = posture_of("left");
  PostureTask all(config, {run.system, "all"});
  config.joint = "left.joint4";
  PostureTask one(config, {run.system, "one"});
  EXPECT_EQ(all.blocks()[0].offset, 7);
  EXPECT_EQ(all.blocks()[0].A, Eigen::MatrixXd::Identity(7, 7));
  EXPECT_EQ(one.blocks()[0].A, Eigen::RowVectorXd(Eigen::RowVectorXd::Unit(7, 3)));
  EXPECT_EQ(one.rows(), 1);
}

TEST_F(Arms, PullTheirJointsToTheReferenceWithGainsAndWeights) {
  PostureTaskConfig config = posture_of("left");
  config.stiffness = 50.0;
  config.damping = 3.0;
  config.weight = 2.0;
  config.weights = Eigen::VectorXd::LinSpaced(7, 0.0, 6.0);
  PostureTask task(config, {run.system, "posture"});
  RandomStream random(kSeed, "posture");
  MechanismState& s = run.state->mechanisms[1];
  s.q = random_vector(7, random);
  s.v = random_vector(7, random);
  const Eigen::VectorXd q = random_vector(7, random), v = random_vector(7, random),
                        a = random_vector(7, random);
  task.set_reference(q, v, a);
  task.update(run.system, *run.state);
  EXPECT_LT((task.b() - (a + 3.0 * (v - s.v) + 50.0 * (q - s.q))).norm(), 1e-12);
  EXPECT_LT((task.error() - (q - s.q)).norm(), 1e-15);
  EXPECT_EQ(task.weights(), Eigen::VectorXd(2.0 * *config.weights));
}

TEST_F(Arms, AskForNoMoreThanTheirSpeedOnTheWay) {
  PostureTaskConfig config = posture_of("left");
  config.speed = 0.4;
  PostureTask& task = run.add<PostureTask>("posture", config);
  PostureTaskConfig other = posture_of("right");
  run.add<PostureTask>("other", other);
  run.start();
  const Eigen::VectorXd goal = run.state->mechanisms[1].q.array() + 1.0;
  task.set_reference(goal, Eigen::VectorXd::Zero(7), Eigen::VectorXd::Zero(7));
  double fastest = 0.0, beyond = -1.0;
  for (int k = 0; k < 4000; ++k) {
    run.tick();
    fastest = std::max(fastest, run.state->mechanisms[1].v.maxCoeff());
    beyond = std::max(beyond, (run.state->mechanisms[1].q - goal).maxCoeff());
  }
  EXPECT_LT(fastest, 1.001 * 0.4);
  EXPECT_GT(fastest, 0.99 * 0.4);
  EXPECT_LT(beyond, 1e-6);
  EXPECT_GT(beyond, -1e-4);
}

TEST_F(Arms, HoldTheConfiguredPostureOrWhereTheJointsAre) {
  PostureTaskConfig config = posture_of("left");
  PostureTask here(config, {run.system, "here"});
  config.q = JointValues{Eigen::VectorXd::LinSpaced(7, -0.3, 0.3), {}};
  PostureTask there(config, {run.system, "there"});
  for (PostureTask* task : {&here, &there}) task->hold(run.system, *run.state);
  EXPECT_EQ(here.reference(), run.state->mechanisms[1].q);
  EXPECT_EQ(there.reference(), *config.q->list);
}

TEST_F(Arms, ReferencesThatMakeNoSenseAreCountedAndTheLastGoodOneStays) {
  PostureTask task(posture_of("left"), {run.system, "posture"});
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(7), good = Eigen::VectorXd::Constant(7, 0.2);
  task.set_reference(good, zero, zero);
  std::uint64_t expected = 0;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, 1e300}) {
    const Eigen::VectorXd wrong = bad * Eigen::VectorXd::Unit(7, 2);
    task.set_reference(wrong, zero, zero);
    task.set_reference(good, wrong, zero);
    task.set_reference(good, zero, wrong);
    EXPECT_EQ(task.rejected(), expected += 3) << bad;
  }
  task.set_reference(Eigen::VectorXd::Zero(6), zero, zero);
  EXPECT_EQ(task.rejected(), expected + 1);
  EXPECT_EQ(task.reference(), good);
}

TEST_F(Arms, MessagesSayWhatIsWrongAndHowToHintIt) {
  const auto made = [&](auto change) {
    PostureTaskConfig config = posture_of("left");
    change(config);
    return message_of([&] { PostureTask(config, {run.system, "p"}); });
  };
  EXPECT_EQ(made([](auto& c) { c.robot = "lefd"; }),
            "there is no robot under control called 'lefd'; did you mean 'left'?");
  EXPECT_EQ(made([](auto& c) { c.robot = "box"; }),
            "the task 'p' pulls joints of 'box', which has no actuated joint");
  EXPECT_EQ(
      made([](auto& c) { c.joint = "right.joint1"; }),
      "the task 'p' holds the joint 'right.joint1', which is not an actuated joint of 'left'; it "
      "has: left.joint1, left.joint2, left.joint3, left.joint4, left.joint5, left.joint6, "
      "left.joint7");
  EXPECT_EQ(made([](auto& c) { c.weights = Eigen::VectorXd::Ones(6); }),
            "the task 'p' has 6 weights for 7 joints");
  EXPECT_EQ(made([](auto& c) { c.q = JointValues{Eigen::VectorXd::Ones(8), {}}; }),
            "the task 'p' has 8 values of q for 7 joints");
}

}  // namespace posture_task_test
}  // namespace handspan
