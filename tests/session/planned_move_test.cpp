// Moves that a thread plans: followed, replaced while they run, and refused by the name of what has
// changed since they were asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plant/world.hpp"
#include "reference/asking_source.hpp"
#include "session/session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace planned_move_test {

using test::AppFolder;
using test::kPairArms;

std::string plan_app(const std::string& keys, const std::string& machines = "") {
  return kPairArms + "sources:\n  plan: {type: planned_move, task: hand, " + keys + R"(}
machines:
  arm:
    start: work
    states:
      work: {do: [{type: follow, task: hand, sources: [{source: plan}]}]}
)" + machines;
}

const std::string kTwoGoals =
    "latency: 100 ms, every: 400 ms, linear: {velocity: 0.2 m/s}, "
    "goals: [{position: [0.45, 0.1, 0.5]}, {position: [0.45, -0.1, 0.5]}]";

const AskingSource& plan_of(Session& session) {
  const auto plan = session.arbiter().find_source("plan");
  return dynamic_cast<const AskingSource&>(session.arbiter().source(plan));
}

// Runs it, and keeps what was refused.
struct Watched {
  explicit Watched(App of) : app(std::move(of)), session(app) {}
  void to(Nanoseconds until) {
    while (session.now() < until) {
      session.tick();
      for (const Event& event : session.events().events())
        if (event.kind == "refused") refused.push_back(std::string(event.text.view()));
    }
  }
  App app;
  Session session;
  std::vector<std::string> refused;
};

constexpr Nanoseconds kMs = 1'000'000;

TEST(PlannedMove, TheFirstAnswerIsTakenAtItsTimeAndTheHandComesToTheGoal) {
  const AppFolder folder;
  const App app =
      folder.app(plan_app("latency: 100 ms, every: 30 s, goals: [{position: [0.45, 0.1, 0.5]}]"));
  Watched run(app);
  const auto hand = run.session.arbiter().find_reference("hand");
  // asked in tick 0: it is latched in the tick that begins at 100 ms
  run.to(100 * kMs);
  EXPECT_EQ(plan_of(run.session).answered(), 0U);
  EXPECT_TRUE(run.session.arbiter().holding(hand));
  EXPECT_EQ(run.session.arbiter().reason(hand), "plan: waits for its first answer");
  run.session.tick();
  EXPECT_EQ(plan_of(run.session).answered(), 1U);
  EXPECT_FALSE(run.session.arbiter().holding(hand));
  run.to(4 * kSecond);
  const auto& frame = test::frame_reference(run.session, "hand");
  EXPECT_LT((frame.motion().pose.X_WE.p - Eigen::Vector3d(0.45, 0.1, 0.5)).norm(), 1e-4);
  EXPECT_LT((frame.arm().X_WE.p - Eigen::Vector3d(0.45, 0.1, 0.5)).norm(), 0.01);
}

TEST(PlannedMove, AMoveIsReplacedWhileItRunsWithoutAJump) {
  const AppFolder folder;
  Watched run(folder.app(plan_app(kTwoGoals)));
  run.to(500 * kMs);
  Eigen::Vector3d before = test::reference_of(run.session, "hand").motion().pose.X_WE.p;
  double fastest = 0.0;
  int turns = 0;
  double y_speed = 0.0;
  for (int i = 0; i < 3000; ++i) {
    run.session.tick();
    const Eigen::Vector3d p = test::reference_of(run.session, "hand").motion().pose.X_WE.p;
    const Eigen::Vector3d v = (p - before) / 1e-3;
    fastest = std::max(fastest, v.norm());
    if (std::abs(v.y()) > 0.02 && v.y() * y_speed < 0.0) ++turns;
    if (std::abs(v.y()) > 0.02) y_speed = v.y();
    before = p;
  }
  EXPECT_LT(fastest, 0.25);
  // 0.2 m at 0.2 m/s take longer than 400 ms: it turns back on the way
  EXPECT_GE(turns, 5);
  EXPECT_TRUE(run.refused.empty());
  EXPECT_GE(plan_of(run.session).answered(), 8U);
  EXPECT_EQ(plan_of(run.session).late(), 0U);
}

TEST(PlannedMove, AsksAndFollowsWithoutHeap_Alloc) {
  const AppFolder folder;
  const App app = folder.app(plan_app(kTwoGoals));
  Session session(app);
  for (int i = 0; i < 5; ++i) session.tick();
  const test::AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) session.tick();
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(plan_of(session).answered(), 3U);
}

TEST(PlannedMove, AnAnswerIsRefusedByTheNameOfAnObjectThatHasMoved) {
  const AppFolder folder;
  const App app = folder.app(
      plan_app("latency: 100 ms, every: 30 s, goals: [{position: [-0.4, -0.4, 0.1], in: parcel}]"));
  Watched run(app);
  run.to(50 * kMs);
  World& world = *run.session.world();
  Pose X = world.body_pose(world.body("parcel"));
  // to 5 mm it is where it was
  X.p.y() += 0.004;
  world.set_object("parcel", X, Vector6d::Zero());
  run.to(101 * kMs);
  EXPECT_TRUE(run.refused.empty());
  EXPECT_EQ(plan_of(run.session).answered(), 1U);

  Watched other(app);
  other.to(50 * kMs);
  World& moved = *other.session.world();
  X = moved.body_pose(moved.body("parcel"));
  X.p.y() += 0.02;
  moved.set_object("parcel", X, Vector6d::Zero());
  other.to(150 * kMs);
  ASSERT_EQ(other.refused.size(), 1U);
  EXPECT_EQ(other.refused[0], "answer 1: object 'parcel' has moved by 20.0 mm");
  EXPECT_EQ(plan_of(other.session).answered(), 0U);
  // it asks again at once, from where the object is now
  other.to(205 * kMs);
  EXPECT_EQ(plan_of(other.session).answered(), 1U);
  EXPECT_EQ(plan_of(other.session).refused(), 1U);
}

TEST(PlannedMove, AnAnswerIsRefusedWhenTheSceneWasPutBackTheReferenceSetAnewOrTheMachineWentOn) {
  const AppFolder folder;
  const std::string goal = "latency: 100 ms, every: 30 s, goals: [{position: [0.45, 0.1, 0.5]}]";
  Watched scene(folder.app(plan_app(goal, R"(  things:
    start: stay
    states:
      stay: {do: [{type: wait}], next: [{to: back, when: [{type: after, time: 50 ms}]}]}
      back: {do: [{type: reset_scene}]}
)")));
  scene.to(110 * kMs);
  ASSERT_EQ(scene.refused.size(), 1U);
  EXPECT_EQ(scene.refused[0], "answer 1: the scene was put back");

  const App plain = folder.app(plan_app(goal));
  Watched anew(plain);
  anew.to(50 * kMs);
  anew.session.arbiter().rebase(anew.session.arbiter().find_reference("hand"));
  anew.to(110 * kMs);
  ASSERT_EQ(anew.refused.size(), 1U);
  EXPECT_EQ(anew.refused[0], "answer 1: the reference 'hand' was set anew");

  Watched machine(folder.app(plan_app(goal + ", reads: {machines: [other]}", R"(  other:
    start: one
    states:
      one: {do: [{type: wait}], next: [{to: two, when: [{type: after, time: 50 ms}]}]}
      two: {do: [{type: wait}]}
)")));
  machine.to(110 * kMs);
  ASSERT_EQ(machine.refused.size(), 1U);
  EXPECT_EQ(machine.refused[0], "answer 1: machine.other has gone to another state");
}

TEST(PlannedMove, AnswersOfBeforeAStopAreRefusedAndItPlansFromWhereTheArmIs) {
  const AppFolder folder;
  const App app = folder.app(plan_app(kTwoGoals));
  Watched run(app);
  run.to(450 * kMs);
  auto& box = run.session.mailbox("operator");
  box.post(test::operator_input(InputKind::kStop));
  run.to(460 * kMs);
  box.post(test::operator_input(InputKind::kResume));
  run.to(520 * kMs);
  ASSERT_EQ(run.refused.size(), 1U);
  EXPECT_EQ(run.refused[0], "answer 2: the source has begun anew since");
  run.to(700 * kMs);
  EXPECT_EQ(plan_of(run.session).answered(), 2U);
}

TEST(PlannedMove, AnInputFromElsewhereAnswersNothing) {
  const AppFolder folder;
  const App app = folder.app(plan_app(kTwoGoals));
  Watched run(app);
  run.to(10 * kMs);
  Input input;
  input.to = "plan";
  input.set(std::array{17.0, 0.0, 1.0, 1.0, 0.02});
  run.session.mailbox("plan").post(input);
  input.set(std::array{1.0, 0.0, 1.0});
  run.session.mailbox("plan").post(input);
  run.to(20 * kMs);
  ASSERT_EQ(run.refused.size(), 2U);
  EXPECT_EQ(run.refused[0], "answer 17: to a question that does not wait for one");
  EXPECT_NE(run.refused[1].find("is shorter than its head of 4 numbers"), std::string::npos);
}

TEST(PlannedMove, WhatIsNotThereIsSaidAtItsPlace) {
  const AppFolder folder;
  const std::string goals = "goals: [{position: [0, 0, 0]}]";
  const auto error = [&](const std::string& keys) {
    const std::string message =
        folder.error(kPairArms + "sources:\n  plan: {type: planned_move, " + keys + "}\n");
    EXPECT_EQ(message.find("test.yaml:16: sources.plan cannot be made: "), 0U) << message;
    return message.substr(std::min(message.size(), message.find("made: ") + 6));
  };
  EXPECT_EQ(error("task: hnad, " + goals),
            "there is no reference of a task 'hnad'; did you mean 'hand'?");
  EXPECT_EQ(error("task: posture, " + goals),
            "its answers are poses, and 'posture' is a reference of type joints");
  EXPECT_EQ(error("task: hand, reads: {machines: [arm]}, " + goals),
            "reads 'machine.arm', which is not there; there are: scene");
  EXPECT_EQ(error("task: hand, reads: {objects: [parcle]}, " + goals),
            "reads the object 'parcle', which is not in the scene; did you mean 'parcel'?");
  EXPECT_EQ(error("task: hand, goals: [{position: [0, 0, 0], in: post}]"),
            "reads the object 'post', which is not in the scene; there are: parcel");
}

}  // namespace planned_move_test
}  // namespace handspan
