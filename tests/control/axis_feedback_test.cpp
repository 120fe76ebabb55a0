// Gains of each axis and shares of feedback: they are the rotated gain matrices, at once.
#include "control/axis_feedback.hpp"

#include <gtest/gtest.h>

#include "control/control_parts.hpp"
#include "control/model_run.hpp"
#include "core/config_helpers.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace axis_feedback_test {

using namespace test;

Eigen::VectorXd six(double a, double b, double c, double d, double e, double f) {
  Vector6d x;
  x << a, b, c, d, e, f;
  return x;
}

struct AxisFeedbackTest : testing::Test {
  AxisFeedbackTest() : random(kSeed, "axes") {
    run.system.add_mechanism(unlimited_arm());
    run.seal();
    motion.emplace(run, random);
    // so slow that no demand is cut at its largest
    run.state->mechanisms[0].v *= 0.1;
    update_state(run.system, *run.state);
    reference.X_WE = motion->pose("left.tcp", 0.01);
    reference.V_WE = random_vector(6, random, 0.1);
    reference.A_WE = random_vector(6, random, 0.5);
    run.state->mechanisms[0].felt_force = Eigen::Vector3d(3.0, -20.0, 10.0);
    FrameTask bare(config_of(0.0, 0.0), {run.system, "bare"});
    b_bare = asked(bare);
    V = bare.V_WE();
    e = bare.pose_error();
  }
  static FrameTaskConfig config_of(double stiffness, std::optional<double> damping) {
    FrameTaskConfig config = pose_of("left.tcp", stiffness);
    config.damping = damping;
    return config;
  }
  // what it asks for, at one state
  Eigen::VectorXd asked(FrameTask& task) {
    task.set_reference(reference);
    task.update(run.system, *run.state);
    return task.b();
  }
  // that of its feedback alone
  Vector6d feedback(FrameTask& task) { return asked(task) - b_bare; }
  Eigen::Matrix3d axes(const std::string& name) {
    if (name == "world") return Eigen::Matrix3d::Identity();
    if (name == "tool") return motion->pose("left.tcp", 0.0).R;
    if (name == "contact") {
      Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
      R = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(),
                                             run.state->mechanisms[0].felt_force)
              .toRotationMatrix();
      return R;
    }
    return motion->pose(name, 0.0).R;
  }
  // the gain matrix of the world
  static Matrix6Xd turned(const Eigen::Matrix3d& R, const Eigen::VectorXd& gains) {
    Matrix6Xd K = Matrix6Xd::Zero(6, 6);
    K.topLeftCorner<3, 3>() = R * gains.head<3>().asDiagonal() * R.transpose();
    K.bottomRightCorner<3, 3>() = R * gains.tail<3>().asDiagonal() * R.transpose();
    return K;
  }

  ModelRun run;
  RandomStream random;
  std::optional<SmoothMotion> motion;
  PoseReference reference;
  Eigen::VectorXd b_bare;
  Vector6d V, e;
  const Eigen::VectorXd k = six(400.0, 0.0, 50.0, 100.0, 30.0, 0.0),
                        d = six(10.0, 0.0, 25.0, 0.0, 8.0, 40.0);
};

TEST_F(AxisFeedbackTest, GainsInRotatedAxesAreTheRotatedMatrix) {
  for (const char* name : {"world", "tool", "contact", "left.link4"}) {
    SCOPED_TRACE(name);
    const Eigen::Matrix3d R = axes(name);
    FrameTaskConfig config = config_of(100.0, 20.0);
    config.gains = {k, d, name};
    FrameTask task(config, {run.system, "task"});
    const Vector6d expected = turned(R, k) * e + turned(R, d) * (reference.V_WE - V);
    EXPECT_LT((feedback(task) - expected).norm(), 1e-11);
    EXPECT_GT(expected.norm(), 0.1);
    // damped in each axis as the task is
    config.gains->damping.reset();
    FrameTask critical(config, {run.system, "critical"});
    const Vector6d damped =
        turned(R, k) * e + turned(R, 2.0 * k.cwiseSqrt()) * (reference.V_WE - V);
    EXPECT_LT((feedback(critical) - damped).norm(), 1e-11);
    // at run time the ratios stay
    task.set_stiffness(200.0, 0.0);
    task.set_damping(10.0, 0.0);
    asked(task);
    const Vector6d changed = 2.0 * turned(R, k) * e + 0.5 * turned(R, d) * (reference.V_WE - V);
    EXPECT_LT((feedback(task) - changed).norm(), 1e-11);
  }
}

TEST_F(AxisFeedbackTest, EqualGainsAreTheTasksOwn) {
  FrameTaskConfig config = config_of(100.0, 20.0);
  FrameTask own(config, {run.system, "own"});
  const Eigen::VectorXd b = asked(own);
  config.gains = {Vector6d::Constant(100.0), Vector6d::Constant(20.0), "tool"};
  FrameTask even(config, {run.system, "even"});
  EXPECT_EQ(asked(even), b);
  // in any axes, as far as rounding goes
  config.stiffness = 50.0;
  FrameTask uneven(config, {run.system, "uneven"});
  EXPECT_LT((asked(uneven) - b).norm(), 1e-11);
}

TEST_F(AxisFeedbackTest, SharesChangeFromOneTickToTheNextAndBackToTheBit) {
  FrameTaskConfig config = config_of(100.0, 20.0);
  config.gains = {std::nullopt, std::nullopt, "contact"};
  FrameTask task(config, {run.system, "task"});
  const Eigen::VectorXd whole = asked(task);
  const Eigen::Matrix3d R = axes("contact");
  FeedbackShares shares;
  shares.position << 1.0, 1.0, 0.0, 0.5, 1.0, 1.0;
  shares.velocity << 0.0, 1.0, 0.25, 1.0, 0.0, 1.0;
  task.set_feedback(shares);
  const Vector6d expected = 100.0 * turned(R, shares.position) * e +
                            20.0 * turned(R, shares.velocity) * (reference.V_WE - V);
  EXPECT_LT((feedback(task) - expected).norm(), 1e-11);
  // none at all: the feed-forward alone
  task.set_feedback({Vector6d::Zero(), Vector6d::Zero()});
  EXPECT_LT(feedback(task).norm(), 1e-12);
  EXPECT_EQ(task.demand(), 0.0);
  task.set_feedback({});
  EXPECT_EQ(asked(task), whole);
  // what is not from 0 to 1 changes nothing
  for (const double bad : {-0.1, 1.1, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    const std::uint64_t before = task.rejected();
    shares.velocity[2] = bad;
    task.set_feedback(shares);
    EXPECT_EQ(task.rejected(), before + 1);
    EXPECT_EQ(asked(task), whole);
  }
}

TEST_F(AxisFeedbackTest, ASpringSharesOutItsForce) {
  FrameTaskConfig config = config_of(300.0, 30.0);
  config.stiffness_unit = StiffnessUnit::kNewtonPerMetre;
  FrameTask spring(config, {run.system, "spring"});
  run.state->mechanisms[0].M.setIdentity();
  const Vector6d whole = feedback(spring);
  FeedbackShares shares{Vector6d::Zero(), Vector6d::Ones()};
  spring.set_feedback(shares);
  const Vector6d damping = feedback(spring);
  std::swap(shares.position, shares.velocity);
  spring.set_feedback(shares);
  EXPECT_LT((feedback(spring) + damping - whole).norm(), 1e-10);
  EXPECT_GT(damping.norm(), 0.01);
  EXPECT_GT((whole - damping).norm(), 0.01);
}

// with a speed, a far goal is approached at it along an axis of any gain
TEST_F(AxisFeedbackTest, AFarGoalIsApproachedAtTheSpeedAlongEachAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    FrameTaskConfig config = config_of(100.0, 20.0);
    config.gains = {six(400.0, 50.0, 100.0, 100.0, 100.0, 100.0), std::nullopt, "world"};
    config.speed = 0.3;
    FrameTask task(config, {run.system, "task"});
    reference = {};
    reference.X_WE = motion->pose("left.tcp", 0.0);
    reference.X_WE.p[axis] += 0.8;
    const double gain = std::sqrt((*config.gains->stiffness)[axis]) / 2.0;  // k / d
    FrameTask bare(config_of(0.0, 0.0), {run.system, "bare"});
    b_bare = asked(bare);
    // k scale e = d 0.3 where it goes at the speed
    const double expected = 0.3 * (*config.gains->stiffness)[axis] / gain;
    EXPECT_NEAR(feedback(task)[axis] + expected / 0.3 * V[axis], expected, 1e-10) << axis;
  }
}

TEST_F(AxisFeedbackTest, ASnapshotKeepsSharesAndTheAxesOfAContact) {
  FrameTaskConfig config = config_of(100.0, 20.0);
  config.gains = {k, d, "contact"};
  FrameTask one(config, {run.system, "task"}), other(config, {run.system, "task"});
  FeedbackShares shares;
  shares.position[1] = 0.5;
  one.set_feedback(shares);
  asked(one);
  std::vector<std::byte> bytes;
  StateArchive saved(bytes);
  one.state(saved);
  StateArchive loaded(std::span<const std::byte>{bytes});
  other.state(loaded);
  // nothing is felt any more: the axes are as they were
  run.state->mechanisms[0].felt_force.setZero();
  EXPECT_EQ(asked(other), asked(one));
  EXPECT_EQ(other.feedback(), shares);
}

TEST_F(AxisFeedbackTest, ATickWithGainsAndSharesDoesNotAllocate) {
  for (const char* name : {"tool", "contact", "left.link4"}) {
    FrameTaskConfig config = config_of(100.0, 20.0);
    config.gains = {k, d, name};
    FrameTask task(config, {run.system, "task"});
    asked(task);
    FeedbackShares shares;
    const AllocationCount allocations;
    for (int i = 0; i < 10; ++i) {
      shares.velocity[2] = 0.1 * i;
      task.set_feedback(shares);
      task.update(run.system, *run.state);
    }
    EXPECT_EQ(allocations.count(), 0U);
  }
}

TEST_F(AxisFeedbackTest, TasksSayWhatIsWrongWithTheirGains) {
  const auto made = [&](FrameTaskConfig config) {
    return message_of([&] { FrameTask(config, {run.system, "hand"}); });
  };
  FrameTaskConfig config = config_of(100.0, 20.0);
  config.gains = {k, d, "left.tpc"};
  EXPECT_EQ(
      made(config),
      "the gains of the task 'hand' have axes_of 'left.tpc', which is none of world, tool and "
      "contact: there is no frame 'left.tpc'; did you mean 'left.tcp'?");
  config.gains = {k, std::nullopt, "world"};
  config.stiffness = 0.0;
  EXPECT_EQ(made(config),
            "the task 'hand' has a stiffness of 0, to which those of its axes have no ratio; give "
            "it one, such as the largest of them");
  config = config_of(100.0, 0.0);
  config.gains = {std::nullopt, d, "world"};
  EXPECT_EQ(made(config),
            "the task 'hand' has a damping of 0, to which those of its axes have no ratio; give it "
            "one, such as the largest of them");
  config = config_of(100.0, 20.0);
  config.gains = {k, std::nullopt, "world"};
  config.orientation_stiffness = 50.0;
  EXPECT_EQ(made(config),
            "the task 'hand' has an orientation_stiffness and gains of each axis, which say the "
            "same; leave one of the two out");
  config.orientation_stiffness.reset();
  config.stiffness_unit = StiffnessUnit::kNewtonPerMetre;
  EXPECT_EQ(made(config),
            "the task 'hand' is a spring (stiffness_unit: N/m) and has gains of each axis, which "
            "are in 1/s^2; leave one of the two out");
}

TEST(AxisGains, WrongNumbersHaveTheirPlace) {
  const auto errors = [](const std::string& gains, const std::string& type = "pose") {
    return errors_of("{type: " + type + ", frame: left.tcp, gains: " + gains + "}",
                     parts_of<register_control>().of<TaskRegistry>().schema());
  };
  EXPECT_EQ(errors("{stiffness: [1, 2, 3]}"),
            "t.yaml:1: gains.stiffness has 3 items; it must be a list of 6 numbers");
  EXPECT_EQ(errors("{damping: [1, 2, 3, 4, 5, -6]}"),
            "t.yaml:1: gains.damping[5] is -6; it must be >= 0");
  EXPECT_EQ(errors("{stiffness: [1, 2, 3, 4, 5, 6]}", "position"),
            "t.yaml:1: gains.stiffness has 6 items; it must be a list of 3 numbers");
  EXPECT_EQ(errors("{axes: tool}", "orientation"),
            "t.yaml:1: unknown key 'axes' in gains; the keys are: stiffness, damping, axes_of");
}

}  // namespace axis_feedback_test
}  // namespace handspan
