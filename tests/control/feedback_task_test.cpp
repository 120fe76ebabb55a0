// Gains of each axis of tasks that are not of one frame in the world, and shares of feedback that
// whoever moves the reference gives from tick to tick, beside those that a mode sets.
#include "control/feedback_task.hpp"

#include <gtest/gtest.h>

#include "control/direction_task.hpp"
#include "control/model_run.hpp"
#include "control/relative_pose_task.hpp"
#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace feedback_task_test {

using namespace test;

struct FeedbackTaskTest : testing::Test {
  FeedbackTaskTest() : random(kSeed, "feedback") {
    run.system.add_mechanism(unlimited_arm("left"));
    run.system.add_mechanism(unlimited_arm("right"));
    run.seal();
    motion.emplace(run, random);
    // so slow that no demand is cut at its largest
    for (auto& m : run.state->mechanisms) m.v *= 0.1;
    update_state(run.system, *run.state);
    run.state->mechanisms[1].felt_force = Eigen::Vector3d(3.0, -20.0, 10.0);
    X_A = motion->pose("left.tcp", 0.0);
    X_B = motion->pose("right.tcp", 0.0);
    reference.X_WE = X_A.inverse() * X_B;
    reference.X_WE.p += Eigen::Vector3d(0.02, -0.01, 0.015);
    reference.X_WE.R = exp_so3(Eigen::Vector3d(0.02, 0.03, -0.01)) * reference.X_WE.R;
    reference.V_WE = random_vector(6, random, 0.1);
    reference.A_WE = random_vector(6, random, 0.5);
  }
  static RelativePoseTaskConfig hands(double stiffness, std::optional<double> damping) {
    RelativePoseTaskConfig config;
    config.frame_a = "left.tcp";
    config.frame_b = "right.tcp";
    config.stiffness = stiffness;
    config.damping = damping;
    return config;
  }
  static DirectionTaskConfig elbow(double stiffness, std::optional<double> damping) {
    DirectionTaskConfig config;
    config.frame = "right.link4";
    config.stiffness = stiffness;
    config.damping = damping;
    return config;
  }
  Eigen::VectorXd asked(RelativePoseTask& task) {
    task.set_reference(reference);
    task.update(run.system, *run.state);
    return task.b();
  }
  Eigen::VectorXd asked(DirectionTask& task) {
    const Eigen::Vector3d d = motion->pose("right.link4", 0.0).R.col(2);
    task.set_reference(exp_so3(Eigen::Vector3d(0.05, -0.02, 0.04)) * d, {0.1, -0.05, 0.2},
                       {0.3, 0.1, -0.2});
    task.update(run.system, *run.state);
    return task.b();
  }
  // axes of W of a name, for a task of the right arm's frame
  Eigen::Matrix3d axes(const std::string& name, const std::string& tool) {
    if (name == "world") return Eigen::Matrix3d::Identity();
    if (name == "tool") return motion->pose(tool, 0.0).R;
    if (name == "contact")
      return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(),
                                                run.state->mechanisms[1].felt_force)
          .toRotationMatrix();
    return motion->pose(name, 0.0).R;
  }
  static Eigen::Matrix3d turned(const Eigen::Matrix3d& R, const Eigen::Vector3d& gains) {
    return R * gains.asDiagonal() * R.transpose();
  }

  ModelRun run;
  RandomStream random;
  std::optional<SmoothMotion> motion;
  Pose X_A, X_B;
  PoseReference reference;
};

const std::vector<std::string> kAxes = {"world", "tool", "contact", "left.tcp"};

TEST_F(FeedbackTaskTest, GainsOfARelativePoseAreTheRotatedMatrix) {
  Eigen::VectorXd k(6), d(6);
  k << 400.0, 0.0, 50.0, 100.0, 30.0, 0.0;
  d << 10.0, 0.0, 25.0, 0.0, 8.0, 40.0;
  RelativePoseTask bare(hands(0.0, 0.0), {run.system, "bare"});
  const Vector6d without = asked(bare), error = bare.error();
  const Vector6d V = reference.V_WE - bare.V_AB();
  for (const std::string& name : kAxes) {
    SCOPED_TRACE(name);
    RelativePoseTaskConfig config = hands(100.0, 20.0);
    config.gains = {k, d, name};
    RelativePoseTask task(config, {run.system, "task"});
    const Vector6d found = asked(task) - without;
    // the matrix of the world, seen in A
    const Eigen::Matrix3d R_AG = X_A.R.transpose() * axes(name, "right.tcp");
    Vector6d expected;
    expected << turned(R_AG, k.head<3>()) * error.head<3>() +
                    turned(R_AG, d.head<3>()) * V.head<3>(),
        turned(R_AG, k.tail<3>()) * error.tail<3>() + turned(R_AG, d.tail<3>()) * V.tail<3>();
    EXPECT_LT((found - expected).norm(), 1e-11);
    EXPECT_GT(expected.norm(), 0.1);
    // what is free costs nothing and asks for no damping of the solution
    config.gains = {Eigen::VectorXd::Zero(6), std::nullopt, name};
    RelativePoseTask free(config, {run.system, "free"});
    asked(free);
    EXPECT_EQ(free.demand(), 0.0);
  }
}

TEST_F(FeedbackTaskTest, GainsOfADirectionAreTheRotatedMatrixAcrossIt) {
  Eigen::VectorXd k(3), d(3);
  k << 400.0, 20.0, 50.0;
  d << 5.0, 25.0, 0.0;
  DirectionTask bare(elbow(0.0, 0.0), {run.system, "bare"});
  const Eigen::Vector3d without = asked(bare), error = bare.error();
  const auto m = run.system.frame("right.link4");
  const Eigen::Vector3d omega =
      frame_velocity(*run.system.mechanisms()[static_cast<std::size_t>(m.mechanism)].model,
                     run.state->mechanisms[static_cast<std::size_t>(m.mechanism)].data, m.frame)
          .tail<3>();
  const Eigen::Vector3d points = bare.points(), goes = Eigen::Vector3d(0.1, -0.05, 0.2) - omega;
  const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - points * points.transpose();
  for (const std::string& name : kAxes) {
    SCOPED_TRACE(name);
    DirectionTaskConfig config = elbow(100.0, 20.0);
    config.gains = {k, d, name};
    DirectionTask task(config, {run.system, "task"});
    const Eigen::Vector3d found = asked(task) - without;
    const Eigen::Matrix3d R = axes(name, "right.link4");
    const Eigen::Vector3d expected = across * (turned(R, k) * error + turned(R, d) * goes);
    EXPECT_LT((found - expected).norm(), 1e-11);
    EXPECT_GT(expected.norm(), 0.1);
  }
}

TEST_F(FeedbackTaskTest, EqualGainsAreTheTasksOwn) {
  RelativePoseTask own(hands(100.0, 20.0), {run.system, "own"});
  const Eigen::VectorXd b = asked(own);
  RelativePoseTaskConfig config = hands(50.0, 20.0);
  config.gains = {Eigen::VectorXd::Constant(6, 100.0), Eigen::VectorXd::Constant(6, 20.0), "tool"};
  RelativePoseTask same(config, {run.system, "same"});
  EXPECT_LT((asked(same) - b).norm(), 1e-11);
}

TEST_F(FeedbackTaskTest, GivenSharesActInTheirTickOnTopOfThoseOfAMode) {
  RelativePoseTask task(hands(100.0, 20.0), {run.system, "task"});
  const Eigen::VectorXd whole = asked(task);
  FeedbackShares of_mode, given;
  of_mode.position.setConstant(0.5);
  given.position[0] = 0.5;
  given.velocity.setZero();
  task.set_feedback(of_mode);
  task.share_feedback(&given);
  EXPECT_EQ(task.feedback().position[0], 0.25);
  EXPECT_EQ(task.feedback().position[1], 0.5);
  EXPECT_TRUE(task.feedback().velocity.isZero(0.0));
  // nobody gives any more: the mode's are left
  task.share_feedback(nullptr);
  EXPECT_EQ(task.feedback(), of_mode);
  // a mode that sets others while some are given
  task.share_feedback(&given);
  task.set_feedback({});
  EXPECT_EQ(task.feedback(), given);
  task.share_feedback(nullptr);
  EXPECT_EQ(asked(task), whole);
  // what is not from 0 to 1 changes nothing
  given.velocity[3] = 1.5;
  task.share_feedback(&given);
  EXPECT_EQ(task.rejected(), 1U);
  EXPECT_EQ(task.feedback(), FeedbackShares{});
}

TEST_F(FeedbackTaskTest, ASnapshotKeepsBothSharesApart) {
  RelativePoseTask one(hands(100.0, 20.0), {run.system, "task"}),
      other(hands(100.0, 20.0), {run.system, "task"});
  FeedbackShares of_mode, given;
  of_mode.position[1] = 0.5;
  given.velocity[2] = 0.0;
  one.set_feedback(of_mode);
  one.share_feedback(&given);
  asked(one);
  std::vector<std::byte> bytes;
  StateArchive saved(bytes);
  one.state(saved);
  StateArchive loaded(std::span<const std::byte>{bytes});
  other.state(loaded);
  EXPECT_EQ(asked(other), asked(one));
  other.share_feedback(nullptr);
  EXPECT_EQ(other.feedback(), of_mode);
}

TEST_F(FeedbackTaskTest, GainsOfTheWrongLengthOrNegativeOrOfNoFrameAreRefused) {
  const auto refused = [&](auto config, const Eigen::VectorXd& k, const std::string& of) {
    config.gains = {k, std::nullopt, of};
    return message_of([&] {
      if constexpr (requires { config.frame_a; })
        RelativePoseTask(config, {run.system, "task"});
      else
        DirectionTask(config, {run.system, "task"});
    });
  };
  const std::string nowhere =
      "the gains of the task 'task' have axes_of 'left.tpc', which is none of world, tool and "
      "contact: there is no frame 'left.tpc'";
  EXPECT_NE(refused(hands(100.0, 20.0), Eigen::VectorXd::Ones(6), "left.tpc").find(nowhere),
            std::string::npos);
  EXPECT_NE(refused(elbow(100.0, 20.0), Eigen::VectorXd::Ones(3), "left.tpc").find(nowhere),
            std::string::npos);
  EXPECT_EQ(refused(hands(0.0, 20.0), Eigen::VectorXd::Ones(6), "world"),
            "the task 'task' has a stiffness of 0, to which those of its axes have no ratio; give "
            "it one, such as the largest of them");
}

TEST_F(FeedbackTaskTest, SharesAndGainsOfEachAxisAllocNothing) {
  RelativePoseTaskConfig config = hands(100.0, 20.0);
  config.gains = {Eigen::VectorXd::LinSpaced(6, 10.0, 60.0), std::nullopt, "contact"};
  RelativePoseTask task(config, {run.system, "task"});
  DirectionTaskConfig pointing = elbow(100.0, 20.0);
  pointing.gains = {Eigen::VectorXd::LinSpaced(3, 10.0, 60.0), std::nullopt, "tool"};
  DirectionTask direction(pointing, {run.system, "direction"});
  FeedbackShares given;
  given.velocity[2] = 0.0;
  const AllocationCount allocations;
  for (int i = 0; i < 10; ++i) {
    task.share_feedback(i % 2 == 0 ? &given : nullptr);
    direction.share_feedback(i % 2 == 0 ? &given : nullptr);
    task.update(run.system, *run.state);
    direction.update(run.system, *run.state);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace feedback_task_test
}  // namespace handspan
