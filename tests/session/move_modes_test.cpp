// move_to, move_joints, move_along, set and hold-here as modes of an app.
#include <gtest/gtest.h>

#include "session_support.hpp"

namespace handspan {
namespace move_modes_test {

using test::AppFolder;
using test::kPairArms;

std::string one_state(const std::string& modes, const std::string& next = "[]") {
  return kPairArms + "machines:\n  m:\n    start: s\n    states:\n      s: {do: [" + modes +
         "], next: " + next + "}\n" + (next == "[]" ? "" : "      t: {final: true}\n");
}
const std::string kThenEnd = "[{to: t, when: [{type: done}]}]";

TEST(MoveModes, PosesAreReachedWithinTheLimitsOnTheWay) {
  const AppFolder folder;
  const App app = folder.app(one_state(
      "{type: move_to, task: hand, linear: {velocity: 0.2 m/s, acceleration: 1 m/s^2}, waypoints: "
      "[{relative: true, position: [0.0, 0.1, 0.0], passing: 0.1 m/s}, {relative: true, position: "
      "[0.0, 0.2, 0.1], rpy: [0.3, 0.0, 0.0]}]}",
      kThenEnd));
  Session session(app);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Pose start = session.arbiter().reference(hand).motion().pose.X_WE;
  double fastest = 0.0, nearest_to_first = 1.0;
  while (!session.ended() && session.now() < 10 * kSecond) {
    session.tick();
    const PoseReference& r = session.arbiter().reference(hand).motion().pose;
    fastest = std::max(fastest, r.V_WE.head<3>().norm());
    nearest_to_first =
        std::min(nearest_to_first, (r.X_WE.p - start.p - Eigen::Vector3d(0.0, 0.1, 0.0)).norm());
  }
  ASSERT_TRUE(session.ended());
  EXPECT_LE(fastest, 0.2 * (1.0 + 1e-3));
  EXPECT_GT(fastest, 0.15);
  EXPECT_LT(nearest_to_first, 2e-4);
  const Pose& X = session.arbiter().reference(hand).motion().pose.X_WE;
  EXPECT_LT((X.p - start.p - Eigen::Vector3d(0.0, 0.2, 0.1)).norm(), 1e-8);
  EXPECT_LT(angle_between(X.R, exp_so3({0.3, 0.0, 0.0}) * start.R), 1e-7);
  // the arm followed
  EXPECT_LT(
      dynamic_cast<FrameTask&>(session.whole_arm()->task("hand")).pose_error().head<3>().norm(),
      2e-3);
}

// A move with gentle limits that begins in a fast one: the reference brakes by its own limits, and
// is not led far out and back.
TEST(MoveModes, AMoveOutOfAFastMotionDoesNotGoAstray) {
  const AppFolder folder;
  const auto states = [&](const std::string& fast, const std::string& gentle) {
    return folder.app(kPairArms + "machines:\n  m:\n    start: s\n    states:\n      s: {do: [" +
                      fast +
                      "], next: [{to: g, when: [{type: after, time: 0.2 s}]}]}\n      g: {do: [" +
                      gentle + "], next: " + kThenEnd + "}\n      t: {final: true}\n");
  };
  const App poses = states(
      "{type: move_to, task: hand, linear: {velocity: 1.4 m/s, acceleration: 10 m/s^2, jerk: 400 "
      "m/s^3}, waypoints: [{relative: true, position: [0.0, 0.4, 0.0]}]}",
      "{type: move_to, task: hand, linear: {velocity: 0.2 m/s, acceleration: 1 m/s^2, jerk: 5 "
      "m/s^3}, waypoints: [{relative: true, position: [0.0, -0.05, 0.0]}]}");
  {
    Session session(poses);
    const ReferenceIndex hand = session.arbiter().find_reference("hand");
    const auto reference = [&] { return session.arbiter().reference(hand).motion().pose; };
    while (session.machines()[0].current_name() == "s") session.tick();
    const Eigen::Vector3d begun = reference().X_WE.p;
    EXPECT_GT(reference().V_WE.y(), 0.9);
    double farthest = 0.0;
    while (!session.ended() && session.now() < 20 * kSecond) {
      session.tick();
      farthest = std::max(farthest, (reference().X_WE.p - begun).norm());
    }
    ASSERT_TRUE(session.ended());
    EXPECT_LT(session.now(), 4 * kSecond);
    EXPECT_LT(farthest, 0.2);
    EXPECT_LT((reference().X_WE.p - begun - Eigen::Vector3d(0.0, -0.05, 0.0)).norm(), 2e-3);
  }
  const App joints = states(
      "{type: move_joints, task: posture, speed: 0.9, acceleration: 0.9, jerk: 0.9, waypoints: "
      "[{q: [0.9, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]}]}",
      "{type: move_joints, task: posture, speed: 0.1, acceleration: 0.02, jerk: 0.01, "
      "waypoints: "
      "[{q: [0.1, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]}]}");
  {
    Session session(joints);
    const ReferenceIndex posture = session.arbiter().find_reference("posture");
    while (session.machines()[0].current_name() == "s") session.tick();
    const double begun = session.arbiter().reference(posture).motion().q[0];
    EXPECT_GT(session.arbiter().reference(posture).motion().v[0], 0.3);
    // at its end a reference goes to the arm, which the hand's task holds elsewhere
    double farthest = 0.0, last = 0.0;
    while (!session.ended() && session.now() < 60 * kSecond) {
      session.tick();
      if (!session.arbiter().holding(posture))
        last = session.arbiter().reference(posture).motion().q[0];
      farthest = std::max(farthest, session.arbiter().reference(posture).motion().q[0] - begun);
    }
    ASSERT_TRUE(session.ended());
    EXPECT_LT(farthest, 0.4);
    EXPECT_NEAR(last, 0.1, 1e-6);
  }
}

// what a plan asks for within the reference's own limits, the reference does: in every tick
TEST(MoveModes, APlanAtTheReferencesLimitsIsFollowedWithoutLag) {
  const AppFolder folder;
  const std::string limits =
      "linear: {velocity: 1.5 m/s, acceleration: 10 m/s^2, jerk: 500 m/s^3}, angular: {velocity: 3 "
      "rad/s, acceleration: 30 rad/s^2, jerk: 1500 rad/s^3}, ";
  for (const char* waypoints :
       {"[{relative: true, position: [0.0, 0.3, 0.1], rpy: [0.5, 0.0, 0.0]}]",
        "[{relative: true, position: [0.0, 0.1, 0.0], passing: 0.3 m/s}, {relative: true, "
        "position: [0.0, 0.2, 0.15]}]"}) {
    const App app = folder.app(
        one_state("{type: move_to, task: hand, " + limits + "waypoints: " + waypoints + "}",
                  kThenEnd) +
        // a plan waits for an arm that is behind: not here
        "references: {hand: {leash: 100 m, leash_angle: 180 deg}}\n");
    Session session(app);
    const ReferenceIndex hand = session.arbiter().find_reference("hand");
    double lag = 0.0, turned = 0.0;
    while (!session.ended() && session.now() < 10 * kSecond) {
      session.tick();
      const Pose& X = session.arbiter().reference(hand).motion().pose.X_WE;
      const Pose& X_w = session.arbiter().reference(hand).wanted().pose.X_WE;
      lag = std::max(lag, (X.p - X_w.p).norm());
      turned = std::max(turned, angle_between(X.R, X_w.R));
    }
    ASSERT_TRUE(session.ended());
    EXPECT_LT(lag, 1e-9) << waypoints;
    EXPECT_LT(turned, 1e-9) << waypoints;
  }
}

TEST(MoveModes, AStopOnTheWayBrakesAndResumeFinishesTheMotion) {
  const AppFolder folder;
  const App app = folder.app(one_state(
      "{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.3, 0.0]}]}",
      kThenEnd));
  Session session(app);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Eigen::Vector3d start = session.arbiter().reference(hand).motion().pose.X_WE.p;
  for (int i = 0; i < 400; ++i) session.tick();
  session.mailbox("operator").post(test::operator_input(InputKind::kStop, "", "pause"));
  for (int i = 0; i < 1000; ++i) session.tick();
  EXPECT_TRUE(session.arbiter().reference(hand).at_rest());
  EXPECT_FALSE(session.ended());
  session.mailbox("operator").post(test::operator_input(InputKind::kResume));
  // before the hold at the end takes it to the arm
  Eigen::Vector3d last = start;
  for (int i = 0; i < 3000 && !session.ended(); ++i) {
    last = session.arbiter().reference(hand).motion().pose.X_WE.p;
    session.tick();
  }
  EXPECT_TRUE(session.ended());
  // to where it was going, not as far again from where it stopped
  EXPECT_LT((last - start - Eigen::Vector3d(0.0, 0.3, 0.0)).norm(), 1e-8);
}

TEST(MoveModes, JointsReachANamedPoseAndPassAtAVelocity) {
  const AppFolder folder;
  // the pose gives way to the joints: its weight goes to zero along a ramp
  const App app = folder.app(one_state(
      "{type: set, parameters: {task.hand.weight: 0, task.posture.weight: 1, "
      "task.posture.stiffness: 100}}, {type: move_joints, task: posture, waypoints: [{q: [0.3, "
      "-0.7, 0.1, -2.2, 0.1, 1.6, 0.6], v: [0.1, 0, 0, 0, 0, 0, 0]}, {pose: ready}]}",
      kThenEnd));
  Session session(app);
  const ReferenceIndex posture = session.arbiter().find_reference("posture");
  const Eigen::VectorXd start = session.arbiter().reference(posture).motion().q;
  double away = 0.0;
  while (!session.ended() && session.now() < 10 * kSecond) {
    session.tick();
    away = std::max(away, std::abs(session.plant().read().groups[0].q[0] - start[0]));
  }
  ASSERT_TRUE(session.ended());
  EXPECT_GT(away, 0.25);
  EXPECT_LT((session.arbiter().reference(posture).motion().q - start).lpNorm<Eigen::Infinity>(),
            1e-8);
  EXPECT_LT((session.plant().read().groups[0].q - start).lpNorm<Eigen::Infinity>(), 0.02);
}

TEST(MoveModes, ASmoothCurveBeginsAtItsFirstPoint) {
  const AppFolder folder;
  const App app = folder.app(one_state(
      "{type: move_along, task: posture, speed: 0.3, acceleration: 0.3, waypoints: [{pose: ready}, "
      "{q: [0.3, -0.7, 0.1, -2.2, 0.1, 1.6, 0.6]}, {q: [0.5, -0.6, 0.1, -2.1, 0.0, 1.7, 0.7]}]}",
      kThenEnd));
  Session session(app);
  const ReferenceIndex posture = session.arbiter().find_reference("posture");
  Eigen::VectorXd last = session.arbiter().reference(posture).motion().q;
  while (!session.ended() && session.now() < 20 * kSecond) {
    session.tick();
    if (!session.arbiter().holding(posture)) last = session.arbiter().reference(posture).motion().q;
  }
  ASSERT_TRUE(session.ended());
  EXPECT_NEAR(last[0], 0.5, 1e-8);
  EXPECT_NEAR(last[5], 1.7, 1e-8);
}

TEST(MoveModes, ACurveOfOnePointIsAMoveToIt) {
  const AppFolder folder;
  const std::string rest =
      ", task: posture, speed: 0.3, acceleration: 0.3, waypoints: [{q: [0.3, -0.7, 0.1, -2.2, 0.1, "
      "1.6, 0.6]}]}";
  // where the reference is at each tick, and when the machine has ended
  const auto references = [&](const std::string& type) {
    const App app = folder.app(one_state("{type: " + type + rest, kThenEnd));
    Session session(app);
    const ReferenceIndex posture = session.arbiter().find_reference("posture");
    std::vector<Eigen::VectorXd> q;
    while (!session.ended() && session.now() < 20 * kSecond) {
      session.tick();
      if (!session.arbiter().holding(posture))
        q.push_back(session.arbiter().reference(posture).motion().q);
    }
    EXPECT_TRUE(session.ended()) << type;
    return q;
  };
  const auto along = references("move_along"), joints = references("move_joints");
  ASSERT_FALSE(along.empty());
  EXPECT_NEAR(along.back()[0], 0.3, 1e-8);
  EXPECT_NEAR(along.back()[6], 0.6, 1e-8);
  // the same motion as that of move_joints, tick by tick
  ASSERT_EQ(along.size(), joints.size());
  for (std::size_t i = 0; i < along.size(); ++i)
    ASSERT_LT((along[i] - joints[i]).lpNorm<Eigen::Infinity>(), 1e-12) << "tick " << i;
}

TEST(MoveModes, HoldHereTakesTheReferenceToTheFrame) {
  const AppFolder folder;
  const App app =
      folder.app(one_state("{type: set, parameters: {task.hand.weight: 0}}, {type: "
                           "move_joints, task: posture, waypoints: [{q: [0.3, -0.7, "
                           "0.1, -2.2, 0.1, 1.6, 0.6]}]}",
                           "[{to: here, when: [{type: done}, {type: after, time: 2 s}]}]")
                     .append("      here: {do: [{type: hold, tasks: [hand], here: true}], next: "
                             "[{to: t, when: [{type: after, time: 0.1 s}]}]}\n"));
  Session session(app);
  while (!session.ended() && session.now() < 20 * kSecond) session.tick();
  ASSERT_TRUE(session.ended());
  EXPECT_LT(dynamic_cast<FrameTask&>(session.whole_arm()->task("hand")).pose_error().norm(), 0.02);
}

TEST(MoveModes, ErrorsHavePlaceCauseAndHint) {
  const AppFolder folder;
  const auto error = [&](const std::string& mode) { return folder.error(one_state(mode)); };
  const auto expect = [&](const std::string& mode, const std::string& part) {
    const std::string text = error(mode);
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.rfind("test.yaml:", 0), 0U) << text;
  };
  expect(
      "{type: move_to, task: posture, waypoints: [{position: [0, 0, 1]}]}",
      "the reference of 'posture' is of the kind 'joints', and this moves 'pose'; use move_joints");
  expect("{type: move_joints, task: hand, waypoints: [{pose: ready}]}",
         "the reference of 'hand' is of the kind 'pose', and this moves 'joints'; use move_to");
  expect("{type: move_to, task: hand, waypoints: []}", "must have at least 1");
  expect("{type: move_to, task: hand, waypoints: [{}]}", "is not a place");
  expect("{type: move_to, task: hand, waypoints: [{position: [0, 0, 1], in: nowhere}]}",
         "the scene has no frame 'nowhere'");
  expect(
      "{type: move_to, task: hand, waypoints: [{position: [0, 0, 1], rpy: [0, 0, 0], quaternion: "
      "[0, 0, 0, 1]}]}",
      "has rpy and quaternion");
  expect("{type: move_to, task: hand, waypoints: [{position: [0, 0, 1], passing: 9 m/s}]}",
         "passes a waypoint faster than linear.velocity");
  expect("{type: move_joints, task: posture, waypoints: [{q: [1, 2]}]}",
         "a waypoint has 2 values for the 7 joints of 'posture'");
  expect("{type: move_joints, task: posture, waypoints: [{q: [9, 0, 0, -2, 0, 2, 0]}]}",
         "a waypoint asks joint 1 of 'posture' for 9 rad");
  expect("{type: move_joints, task: posture, waypoints: [{pose: redy}]}", "did you mean 'ready'?");
  expect(
      "{type: move_joints, task: posture, waypoints: [{pose: ready, v: [99, 0, 0, 0, 0, 0, 0]}]}",
      "passing velocity");
  expect("{type: move_along, task: posture, waypoints: []}", "must have at least 1");
  expect("{type: move_along, task: posture, waypoints: [{pose: ready}, {pose: ready}]}",
         "waypoints[1] is the one before it again");
  expect("{type: set, parameters: {task.hnd.weight: 1}}", "hnd");
  expect("{type: set, parameters: {task.hand.wieght: 1}}", "did you mean 'task.hand.weight'?");
  expect("{type: set, parameters: {weight: 1}}",
         "there is no parameter 'weight'; there are: task.");
  expect("{type: set, parameters: {belt.convyor.speed: 1}}",
         "there is no parameter 'belt.convyor.speed'");
  expect("{type: set, parameters: {task.hand.weight: -1}}",
         "task.hand.weight is -1; it must be 0 to 1e+06");
  const std::string reached = folder.error(one_state(
      "{type: hold, tasks: [hand]}", "[{to: t, when: [{type: reached, task: posture}]}]"));
  EXPECT_NE(reached.find("the reference of 'posture' is of the kind 'joints'; this is for poses of "
                         "frames"),
            std::string::npos)
      << reached;
  EXPECT_EQ(reached.rfind("test.yaml:", 0), 0U) << reached;
}

// What moves the object after that does not move the goal.
TEST(MoveModes, APoseInAChannelIsReadWhenTheMoveBegins) {
  const AppFolder folder;
  const App app = folder.app(one_state(
      "{type: move_to, task: hand, waypoints: [{in: object.parcel.pose, position: [-0.45, -0.4, "
      "0.1]}]}",
      kThenEnd));
  Session session(app);
  const Eigen::Vector3d parcel = session.world()->body_pose(session.world()->body("parcel")).p;
  while (!session.ended() && session.now() < 20 * kSecond) session.tick();
  ASSERT_TRUE(session.ended());
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Pose& X = session.arbiter().reference(hand).motion().pose.X_WE;
  EXPECT_LT((X.p - parcel - Eigen::Vector3d(-0.45, -0.4, 0.1)).norm(), 2e-3);
}

TEST(MoveModes, AChannelThatIsNotThereOrNoPoseIsRefusedAtItsPlace) {
  const AppFolder folder;
  const auto error = [&](const std::string& channel) -> std::string {
    const App app =
        folder.app(one_state("{type: move_to, task: cup, waypoints: [{in: " + channel + "}]}"));
    try {
      Session session(app);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error("object.parcl.pose").find("machines.m.states.s cannot be made: "),
            std::string::npos);
  EXPECT_NE(error("object.parcl.pose").find("'object.parcel.pose'"), std::string::npos);
  EXPECT_NE(error("mode.m").find("the channel 'mode.m' is a choice; `in` takes one that is a pose"),
            std::string::npos);
}

}  // namespace move_modes_test
}  // namespace handspan
