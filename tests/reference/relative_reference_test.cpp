// Where one frame should be in another, and where an axis should point: references that move as
// others do, in axes of their own.
#include "reference/relative_reference.hpp"

#include <gtest/gtest.h>

#include "core/config_helpers.hpp"
#include "core/error.hpp"
#include "reference/direction_reference.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace relative_reference_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, 0.45, 0.0]}}
  right: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, -0.45, 0.0]}}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
  right.arm: {feedback: commanded}
tasks:
  hands: {type: relative_pose, frame_a: left.tcp, frame_b: right.tcp, stiffness: 100}
  elbow: {type: direction, frame: left.link4, direction: [0.0, 0.3, 1.0], stiffness: 50}
  hand: {type: pose, frame: left.tcp, stiffness: 100}
)";

// both references, each driven by a source of its own
struct Rig : test::ReferenceRig {
  Rig() : ReferenceRig(kScene, kArms) {
    give(hands, {{.source = add_source("by_hands", kRelativePoseKind)}});
    give(elbow, {{.source = add_source("by_elbow", kDirectionKind)}});
  }
  test::Wish& hands_wish() { return wishes[0]; }
  test::Wish& elbow_wish() { return wishes[1]; }

  ReferenceIndex hands = arbiter.find_reference("hands"), elbow = arbiter.find_reference("elbow");
};

TEST(RelativeReference, GoesWithinItsLimitsToWhereItIsWantedInTheOtherFrame) {
  Rig rig;
  const Pose start = rig.motion(rig.hands).pose.X_WE;
  EXPECT_LT((start.p - rig.task<RelativePoseTask>("hands").X_AB().p).norm(), 1e-12);
  rig.hands_wish().p = {0.03, 0.0, -0.04};
  rig.hands_wish().turn = {0.0, 0.2, 0.0};
  const PoseReferenceLimits limits;
  PoseReference before = rig.motion(rig.hands).pose;
  for (int i = 0; i < 1000; ++i) {
    rig.run(1e-3);
    const PoseReference& now = rig.motion(rig.hands).pose;
    const Vector6d A = (now.V_WE - before.V_WE) / 1e-3;
    ASSERT_LE(A.head<3>().norm(), limits.acceleration * (1.0 + 1e-9));
    ASSERT_LE((A - before.A_WE).head<3>().norm(), limits.jerk * 1e-3 * (1.0 + 1e-9));
    before = now;
  }
  EXPECT_LT((before.X_WE.p - start.p - Eigen::Vector3d(0.03, 0.0, -0.04)).norm(), 1e-9);
  EXPECT_NEAR(angle_between(before.X_WE.R, start.R), 0.2, 1e-9);
  // the task follows it, seen from A
  EXPECT_EQ(rig.task<RelativePoseTask>("hands").reference().X_WE.p, before.X_WE.p);
  // held, it stays
  rig.give(rig.hands, {});
  rig.run(0.1);
  EXPECT_EQ(rig.motion(rig.hands).pose.X_WE.p, before.X_WE.p);
}

TEST(RelativeReference, KeepsItsLeashFromWhereTheFramesAre) {
  Rig rig;
  const Pose start = rig.motion(rig.hands).pose.X_WE;
  rig.hands_wish().p = {1.0, 0.0, 0.0};
  rig.run(3.0);
  EXPECT_NEAR((rig.motion(rig.hands).pose.X_WE.p - start.p).norm(), 0.15, 1e-4);
}

// both hands of one rigid motion: nothing to do for the task, and nothing moves in the reference
TEST(RelativeReference, IsUnmovedByTheMotionOfBoth) {
  Rig rig;
  RelativePoseTask& task = rig.task<RelativePoseTask>("hands");
  // as the arms are
  const ControlSystem& system = rig.arms.system();
  ControlState state(system);
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m)
    state.mechanisms[m].q = rig.arms.state().mechanisms[m].q;
  update_state(system, state);
  task.hold(system, state);
  // about a far point, so that the hands also move differently
  const Eigen::Vector3d omega(0.3, -0.2, 0.5), v0(0.1, 0.2, -0.1);
  for (const auto& [frame, name] : {std::pair{task.frame_a(), "left"}, {task.frame_b(), "right"}}) {
    const auto m = static_cast<std::size_t>(frame.mechanism);
    const RobotModel& model = *system.mechanisms()[m].model;
    MechanismState& s = state.mechanisms[m];
    Matrix6Xd J = Matrix6Xd::Zero(6, model.nv());
    frame_jacobian(model, s.data, frame.frame, J);
    Vector6d V;
    V << v0 + omega.cross(frame_pose(model, s.data, frame.frame).p), omega;
    s.v = J.completeOrthogonalDecomposition().solve(V);
    ASSERT_LT((J * s.v - V).norm(), 1e-10) << name;
  }
  const Pose X_AB = task.X_AB();
  update_state(system, state);
  task.update(system, state);
  EXPECT_LT(task.V_AB().norm(), 1e-9);
  EXPECT_LT(task.error().norm(), 1e-12);
  // what it asks for is what the motion itself needs: none of it is feedback
  RelativePoseTaskConfig bare;
  bare.frame_a = "left.tcp";
  bare.frame_b = "right.tcp";
  bare.stiffness = 0.0;
  bare.damping = 0.0;
  RelativePoseTask without(bare, {system, "bare"});
  without.hold(system, state);
  without.update(system, state);
  EXPECT_LT((task.b() - without.b()).norm(), 1e-7);
  EXPECT_LT((task.X_AB().p - X_AB.p).norm(), 1e-12);
}

TEST(DirectionReference, TurnsTheShortestWayWithinItsLimitsAndStays) {
  Rig rig;
  const auto direction = [&] { return Eigen::Vector3d(rig.motion(rig.elbow).pose.X_WE.R.col(2)); };
  const Eigen::Vector3d start = direction();
  EXPECT_LT((start - Eigen::Vector3d(0.0, 0.3, 1.0).normalized()).norm(), 1e-12);
  const Eigen::Vector3d turn(0.4, 0.0, 0.3);
  rig.elbow_wish().turn = turn;
  const Eigen::Vector3d goal = exp_so3(turn) * start, plane = start.cross(goal).normalized();
  const DirectionReferenceLimits limits;
  PoseReference before = rig.motion(rig.elbow).pose;
  for (int i = 0; i < 1500; ++i) {
    rig.run(1e-3);
    const PoseReference& now = rig.motion(rig.elbow).pose;
    ASSERT_LT(std::abs(direction().dot(plane)), 1e-9) << i;
    ASSERT_LE(now.V_WE.norm(), limits.angular_speed * (1.0 + 1e-9));
    ASSERT_LE((now.V_WE - before.V_WE).norm() / 1e-3, limits.angular_acceleration * (1.0 + 1e-9));
    before = now;
  }
  EXPECT_LT((direction() - goal).norm(), 1e-9);
  EXPECT_LT((rig.task<DirectionTask>("elbow").direction() - goal).norm(), 1e-9);
  rig.give(rig.elbow, {});
  rig.run(0.1);
  EXPECT_LT((direction() - goal).norm(), 1e-9);
}

TEST(DirectionReference, TheDirectionOfAFileStaysUntilSomebodyDrivesIt) {
  Rig rig;
  rig.give(rig.elbow, {});
  rig.arbiter.rebase(rig.elbow);
  rig.run(0.01);
  const Eigen::Vector3d file = Eigen::Vector3d(0.0, 0.3, 1.0).normalized();
  EXPECT_LT((rig.task<DirectionTask>("elbow").direction() - file).norm(), 1e-12);
}

TEST(RelativeReference, SnapshotsGoOnToTheBit) {
  Rig one, other;
  for (Rig* rig : {&one, &other}) {
    rig->hands_wish().p = {0.03, 0.0, -0.04};
    rig->elbow_wish().turn = {0.4, 0.0, 0.3};
  }
  one.run(0.05);
  std::vector<std::byte> bytes;
  StateArchive saved(bytes);
  one.arbiter.state(saved);
  StateArchive loaded(std::span<const std::byte>{bytes});
  other.arbiter.state(loaded);
  other.moment = one.moment;
  one.run(0.05);
  other.run(0.05);
  EXPECT_EQ(one.motion(one.hands).pose.X_WE.p, other.motion(other.hands).pose.X_WE.p);
  EXPECT_EQ(one.motion(one.elbow).pose.X_WE.R, other.motion(other.elbow).pose.X_WE.R);
}

TEST(RelativeReference, TicksDoNotAllocate) {
  Rig rig;
  rig.hands_wish().p = {0.03, 0.0, -0.04};
  rig.elbow_wish().turn = {0.4, 0.0, 0.3};
  rig.run(0.01);
  const test::AllocationCount allocations;
  rig.run(0.02);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(RelativeReference, SayWhatIsWrong) {
  const Parts& parts = test::reference_test_parts();
  const auto schema = reference_schema(parts.of<ReferenceRegistry>());
  EXPECT_EQ(test::errors_of("{type: joints, jumps: true}", schema),
            "t.yaml:1: jumps is true; a reference of joints takes no jumps, its limits are the "
            "joints' own: leave it out, or move a pose");
  EXPECT_TRUE(test::errors_of("{type: direction, speed: 1 m/s}", schema)
                  .starts_with("t.yaml:1: unknown key 'speed'"));
  EXPECT_TRUE(test::errors_of("{type: relative_pose, jumps: maybe}", schema)
                  .starts_with("t.yaml:1: jumps is 'maybe'"));
  Rig rig;
  const auto refuses = [&](const char* kind, const char* task) -> std::string {
    try {
      parts.of<ReferenceRegistry>().plain(kind).make({rig.arms.task(task)});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refuses("relative_pose", "hand"),
            "the task 'hand' is not one of one frame in another or in an object");
  EXPECT_EQ(refuses("direction", "hand"), "the task 'hand' is not one of an axis of a frame");
}

}  // namespace relative_reference_test
}  // namespace handspan
