// The app puts its scene back by itself: the mode reset_scene, and the judge that says when.
#include <gtest/gtest.h>

#include <numbers>

#include "session_support.hpp"
#include "support/alloc.hpp"
#include "support/fake_plant.hpp"

namespace handspan {
namespace reset_scene_test {

using test::AppFolder;
using test::kPairArms;

const std::string kJudge =
    "judges:\n  parcel: {type: place, object: parcel, within: 6 cm, tilt: 10 deg, min_height: 0.4 "
    "m, "
    "max_distance: 0.3 m, max_tilt: 45 deg, time: 0.5 s}\n";
const std::string kBack = kPairArms + kJudge + R"(machines:
  left:
    start: work
    states:
      work: {do: [{type: hold, tasks: [hand]}], next: [{to: put_back, when: [{type: judged, judge: parcel, good: false}]}, {to: put_back, when: [{type: event, name: back}]}]}
      put_back: {do: [{type: reset_scene, judge: parcel}], next: [{to: work, when: [{type: after, time: 0.2 s}]}]}
)";

Pose placed(double x, double y, double z, double roll = 0.0) {
  return {rotation_from_rpy({roll, 0.0, 0.0}), {x, y, z}};
}

// the last event of a kind
struct Told : SessionWatcher {
  explicit Told(std::string_view of) : kind(of) {}
  void after_tick(Session& session) noexcept override {
    for (const Event& event : session.events().events())
      if (event.kind == kind) {
        ++count;
        last = event;
      }
  }
  std::string_view kind;
  int count = 0;
  Event last;
};

class Reset : public ::testing::Test {
 protected:
  Reset() { session.watch(told); }
  ~Reset() override { session.unwatch(told); }
  void run(double time) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) session.tick();
  }
  void put(const Pose& X_WB, const Vector6d& V_WB = Vector6d::Zero()) {
    world.set_object("parcel", X_WB, V_WB);
  }
  Pose parcel() const { return world.body_pose(world.body("parcel")); }

  AppFolder folder;
  App app = folder.app(kBack);
  Session session{app};
  World& world = *session.world();
  Told told{"scene"};
};

TEST_F(Reset, WhatFellIsPutBackAndTheReasonIsTold) {
  run(0.3);
  const Pose X = parcel();
  EXPECT_EQ(session.judges().verdict(0), Verdict::kGood);
  // beside the post, falling
  put(placed(1.3, 0.6, 0.3));
  run(0.45);
  EXPECT_EQ(told.count, 0);
  run(0.2);
  ASSERT_EQ(told.count, 1);
  EXPECT_EQ(told.last.name, "put back");
  EXPECT_TRUE(told.last.text.view().starts_with("not good: 'parcel' fell to "))
      << told.last.text.view();
  run(0.5);
  EXPECT_EQ(session.machines()[0].current_name(), "work");
  EXPECT_LT((parcel().p - X.p).norm(), 1e-4);
  EXPECT_LT(angle_between(parcel().R, X.R), 1e-4);
  EXPECT_EQ(session.judges().verdict(0), Verdict::kGood);
  EXPECT_EQ(told.count, 1);
}

TEST_F(Reset, EveryWayOutOfPlaceIsTold) {
  const struct {
    Pose X_WB;
    const char* why;
  } cases[] = {
      {placed(0.97, 0.5, 0.55), "not good: 'parcel' was left 0.07 m from its place; within 0.06 m"},
      {placed(0.9, 0.5, 0.2), "not good: 'parcel' fell to "},
      {placed(0.9, 0.85, 0.7),
       "not good: 'parcel' is 0.35 m from its place; max_distance is 0.30 m"},
      {placed(0.9, 0.5, 0.6, std::numbers::pi / 2),
       "not good: 'parcel' is tilted by 90 deg; at most 45 deg"},
      {placed(0.9, 0.5, 0.57, 0.25), "not good: 'parcel' was left tilted by 14 deg; within 10 deg"},
  };
  int times = 0;
  for (const auto& c : cases) {
    run(0.3);
    // held there, by nothing that a robot is
    for (int i = 0; i < 700 && told.count == times; ++i) {
      put(c.X_WB);
      session.tick();
    }
    ASSERT_EQ(told.count, ++times) << c.why;
    EXPECT_TRUE(told.last.text.view().starts_with(c.why)) << told.last.text.view();
  }
}

TEST_F(Reset, WhereItBelongsItStays) {
  run(0.3);
  put(placed(0.95, 0.5, 0.55));
  run(2.0);
  EXPECT_EQ(told.count, 0);
  EXPECT_NEAR(parcel().p.x(), 0.95, 1e-3);
}

// An arm that stands where the parcel belongs.
TEST(ResetScene, AnArmInTheWayIsNamedAndNothingIsDone) {
  const AppFolder folder(R"(name: reach
robots:
  left: {robot: fr3, tool: plate, pose: ready}
objects:
  parcel: {pose: {position: [0.5, 0.25, 0.45]}, mass: 0.5, shapes: [{type: box, size: [0.2, 0.2, 0.1]}]}
fixtures:
  post: {pose: {position: [0.5, 0.25, 0.2]}, shapes: [{type: box, size: [0.1, 0.1, 0.4]}]}
)");
  const App app = folder.app(R"(whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks: {hand: {type: pose, frame: left.tcp, stiffness: 100}}
machines:
  left:
    start: wait
    states:
      wait: {do: [{type: hold, tasks: [hand]}], next: [{to: go, when: [{type: event, name: go}]}]}
      go: {do: [{type: move_to, task: hand, waypoints: [{position: [0.5, 0.25, 0.5]}]}], next: [{to: put_back, when: [{type: done}]}]}
      put_back: {do: [{type: reset_scene}], next: [{to: wait, when: [{type: after, time: 0.1 s}]}]}
)");
  Session session(app);
  Told told{"scene"};
  session.watch(told);
  World& world = *session.world();
  world.set_object("parcel", placed(1.5, 1.0, 0.05), Vector6d::Zero());
  ASSERT_TRUE(session.mailbox("operator").post(test::operator_input(InputKind::kEvent, "go")));
  Eigen::VectorXd q = session.plant().read().groups[0].q;
  double jump = 0.0;
  for (int i = 0; i < 6000 && told.count == 0; ++i) {
    session.tick();
    jump = std::max(jump, (session.plant().read().groups[0].q - q).norm());
    q = session.plant().read().groups[0].q;
  }
  ASSERT_EQ(told.count, 1);
  EXPECT_EQ(told.last.name, "not put back");
  EXPECT_EQ(told.last.text.view().substr(0, 6), "'left.") << told.last.text.view();
  EXPECT_GT((world.body_pose(world.body("parcel")).p - Eigen::Vector3d(0.5, 0.25, 0.45)).norm(),
            0.5);
  EXPECT_LT(jump, 0.01);
  session.unwatch(told);
}

TEST(ResetScene, WordsAndErrors) {
  const AppFolder folder;
  const App app = folder.app(kBack);
  Session session(app);
  EXPECT_NE(session.machines()[0].text().find("puts the scene back, since parcel says so"),
            std::string::npos);
  EXPECT_EQ(
      session.judges().texts()[0],
      "judge parcel: not good when 'parcel' is for 0.5 s lower than 0.4 m, farther than 0.3 m from "
      "its place, tilted by more than 45 deg, or when it is left more than 0.06 m or 10 deg from "
      "its place");
  EXPECT_NE(folder.error(kPairArms + "judges: {j: {type: place, object: parcl}}\n")
                .find("the scene has no free object 'parcl'; did you mean 'parcel'?"),
            std::string::npos);
  EXPECT_NE(folder
                .error(kPairArms + kJudge +
                       "machines: {m: {start: s, states: {s: {do: [{type: reset_scene, judge: "
                       "parcl}]}}}}\n")
                .find("the app has no judge 'parcl'; did you mean 'parcel'?"),
            std::string::npos);
}

// Real arms: what is on the table cannot be put back by a program.
TEST(ResetScene, WithoutASimulationItSaysThatItCannot) {
  const AppFolder folder;
  const App app = folder.app(kPairArms + kJudge + R"(machines:
  m: {start: s, states: {s: {do: [{type: reset_scene, judge: parcel}]}}}
)");
  test::FakeDiary diary;
  SessionOptions options;
  options.plant = std::make_unique<test::FakePlant>(app.scene, robot_names(app.scene),
                                                    test::FakeOptions(), diary);
  Session session(app, std::move(options));
  Told told{"scene"};
  session.watch(told);
  session.tick();
  session.tick();
  EXPECT_EQ(told.count, 1);
  EXPECT_EQ(told.last.name, "not put back");
  EXPECT_EQ(told.last.text, "it is not simulated: put things back by hand, and go on");
  session.unwatch(told);
}

TEST_F(Reset, AllocatesNothingAndASnapshotGoesOnWithTheSameBits) {
  run(0.3);
  put(placed(1.3, 0.6, 0.3));
  run(0.2);
  std::vector<std::byte> bytes;
  session.snapshot(bytes);
  Session other(app);
  for (int i = 0; i < 50; ++i) other.tick();
  other.restore(bytes);
  const test::AllocationCount count;
  for (int i = 0; i < 1000; ++i) {
    session.tick();
    other.tick();
    ASSERT_EQ(session.hashes(), other.hashes()) << "tick " << i;
  }
  EXPECT_EQ(count.count(), 0U);
  EXPECT_EQ(told.count, 1);
}

}  // namespace reset_scene_test
}  // namespace handspan
