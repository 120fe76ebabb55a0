#include "log/replay_reference.hpp"

#include <gtest/gtest.h>

#include "log/demonstration_parts.hpp"
#include "log/recorder.hpp"
#include "session/session_support.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace replay_reference_test {

using test::AppFolder;
using test::kPairArms;
using test::reference_of;

const std::string kDemo = kPairArms + R"(machines:
  m:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand, cup]}], next: [{to: move, when: [{type: after, time: 0.1 s}]}]}
      move:
        episode: start
        do:
          - {type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.08, 0.05], rpy: [0.0, 0.0, 0.2]}]}
          - {type: move_to, task: cup, waypoints: [{relative: true, position: [0.0, 0.05, 0.06]}]}
        next: [{to: rests, when: [{type: done}]}]
      rests: {do: [{type: hold, tasks: [hand, cup]}], next: [{to: stay, when: [{type: after, time: 0.5 s}]}]}
      stay: {episode: success, do: [{type: hold, tasks: [hand, cup]}], next: [{to: end, when: [{type: after, time: 1 s}]}]}
      end: {final: true}
)";

// demo.mcap, in full
void record(const AppFolder& folder) {
  const App app = folder.app(kDemo, "demo");
  Session session(app);
  RecorderOptions options;
  options.extent = RecordExtent::kFull;
  options.may_wait = true;
  Recorder recorder(session, folder.path() / "demo.mcap", options);
  while (!session.ended() && session.now() < 12 * kSecond) session.tick();
  ASSERT_TRUE(session.ended());
  session.finish();
  ASSERT_TRUE(recorder.close());
}
LoggedDemonstration demonstration(const AppFolder& folder) {
  return read_demonstration(
      folder.path() / "demo.mcap",
      {"1", 0.0, {}, {"reference.hand.pose", "reference.cup.pose"}, {}, {}, {}});
}
const TimedPose& first(const LoggedDemonstration& d, std::size_t i) {
  return d.poses[i].poses.front();
}
const TimedPose& last(const LoggedDemonstration& d, std::size_t i) {
  return d.poses[i].poses.back();
}
std::string machine(const std::string& mode) {
  return "machines: {m: {start: s, states: {s: {do: [" + mode +
         "], next: [{to: end, when: [{type: done}]}]}, end: {final: true}}}}\n";
}
Pose hand_of(Session& session, const char* task) {
  return reference_of(session, task).motion().pose.X_WE;
}

TEST(ReplayReferences, OneWaitsUntilTheOtherIsThereAndThenTheyGoInStep) {
  const AppFolder folder;
  record(folder);
  const LoggedDemonstration d = demonstration(folder);
  const App app = folder.app(kPairArms + R"(machines:
  m:
    start: away
    states:
      away: {do: [{type: move_to, task: cup, waypoints: [{relative: true, position: [0.0, 0.0, 0.2]}]}], next: [{to: again, when: [{type: done}]}]}
      again: {do: [{type: replay_reference, references: [hand, cup], log: demo.mcap, episode: last}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)",
                             "again");
  Session session(app);
  const PoseTrajectory hand(d.poses[0].poses), cup(d.poses[1].poses);
  double waited = 0.0, apart = 0.0;
  bool set_out = false;
  while (!session.ended() && session.now() < 15 * kSecond) {
    session.tick();
    if (session.machines()[0].current_name() != "again") continue;
    const Eigen::Vector3d at = hand_of(session, "hand").p;
    if (!set_out && (at - first(d, 0).p).norm() < 1e-4) {
      waited += 1e-3;
      continue;
    }
    set_out = true;
    // the time at which the demonstration's hand was here says where the cup was
    const auto then = std::ranges::min_element(
        hand.samples(), {}, [&](const TimedPose& pose) { return (pose.p - at).norm(); });
    apart = std::max(apart, (hand_of(session, "cup").p - cup.at(then->time).X_WE.p).norm());
  }
  ASSERT_TRUE(session.ended());
  EXPECT_GT(waited, 0.8) << "0.2 m at 0.25 m/s at most";
  EXPECT_LT(apart, 0.003);
  EXPECT_LT((hand_of(session, "hand").p - last(d, 0).p).norm(), 1e-6);
  EXPECT_LT((hand_of(session, "cup").p - last(d, 1).p).norm(), 1e-6);
}

TEST(ReplayReferences, AnOffsetMovesThemWithAnObjectOrByHand) {
  const AppFolder folder;
  record(folder);
  const LoggedDemonstration d = demonstration(folder);
  const AppFolder moved(test::replaced(test::kPairScene,
                                       "parcel: {pose: {position: [0.9, 0.5, 0.55]",
                                       "parcel: {pose: {rpy: [0, 0, 8 deg], position: [0.93, "
                                       "0.48, 0.55]"));
  std::filesystem::copy(folder.path() / "demo.mcap", moved.path() / "demo.mcap");
  const auto end = [&](const std::string& offset) {
    const App app = moved.app(
        kPairArms + machine("{type: replay_reference, references: [hand, cup], log: demo.mcap, "
                            "episode: 1, cut_ends: true, offset: {" +
                            offset + "}}"),
        "again");
    Session session(app);
    while (!session.ended() && session.now() < 15 * kSecond) session.tick();
    EXPECT_TRUE(session.ended()) << offset;
    return hand_of(session, "hand");
  };
  const Pose X_DE = Pose::from(last(d, 0).p, last(d, 0).q);
  const Pose X_DO = Pose::translation({0.9, 0.5, 0.55});
  const Pose X_WO = Pose::from_rpy({0.93, 0.48, 0.55}, {0, 0, 8 * M_PI / 180});
  // the parcel sinks into its post by a few micrometres
  EXPECT_LT(pose_difference(end("object: parcel"), X_WO * X_DO.inverse() * X_DE).norm(), 1e-3);
  const Pose by_hand = end("position: [0.0, 0.02, 0.01], rpy: [0, 0, 5 deg], about: [0.9, 0.5, 0]");
  const Pose X_WD = Pose::translation({0.9, 0.52, 0.01}) *
                    Pose::from_rpy({0, 0, 0}, {0, 0, 5 * M_PI / 180}) *
                    Pose::translation({-0.9, -0.5, 0.0});
  EXPECT_LT(pose_difference(by_hand, X_WD * X_DE).norm(), 1e-6);
}

TEST(ReplayReferences, WarpAndSpeedKeepTheWayAndChangeTheTime) {
  const AppFolder folder;
  record(folder);
  const LoggedDemonstration d = demonstration(folder);
  const auto run = [&](const std::string& keys) {
    const App app = folder.app(
        kPairArms + machine("{type: replay_reference, references: [hand, cup], log: demo.mcap, "
                            "episode: m" +
                            keys + "}"),
        "again");
    Session session(app);
    while (!session.ended() && session.now() < 20 * kSecond) session.tick();
    EXPECT_TRUE(session.ended()) << keys;
    EXPECT_LT((hand_of(session, "hand").p - last(d, 0).p).norm(), 1e-6) << keys;
    return seconds(session.now());
  };
  // the arms lag behind and settle, for as long whatever the time of the motion is
  const double plain = run(""), smooth = run(", smooth: 40 ms");
  EXPECT_GT(plain, d.length);
  EXPECT_NEAR(smooth, plain, 0.05);
  EXPECT_NEAR(run(", speed: 0.5"), plain + d.length, 0.2);
  EXPECT_NEAR(run(", warp: [[0, 0], [1, 2], [3, 4]]"), plain + 1.0, 0.2);
  // it is at rest in the last half second
  EXPECT_NEAR(run(", cut_ends: true"), plain - 0.4, 0.2);
}

TEST(ReplayReferences, KeysThatDoNotGoTogetherAreRefusedInTheirPlace) {
  const AppFolder folder;
  record(folder);
  const auto expect = [&](const std::string& keys, const std::string& problem) {
    const std::string error =
        folder.error(kPairArms + machine("{type: replay_reference, log: demo.mcap, " + keys + "}"));
    EXPECT_EQ(error.substr(0, 12), "test.yaml:15") << error;
    EXPECT_NE(error.find(problem), std::string::npos) << error;
  };
  expect("episode: 1",
         "has neither task nor references; give 'task' for one reference, or "
         "'references' for several that go in step");
  expect("task: hand, references: [cup]", "has task and references; give 'task'");
  expect("references: [hand, cup], channel: a",
         "channel stands beside references; give 'channels', one for each of them");
  expect("references: [hand, cup], channels: [a]", "channels has 1 channels for 2 references");
  expect("task: hand, relative: true, offset: {object: parcel}", "offset stands beside relative");
  expect("task: hand, offset: {}", "offset moves nothing; give 'object', 'position' or 'rpy'");
  expect("task: hand, offset: {object: parcel, about: [0, 0, 0]}",
         "offset.about stands beside object; leave it out");
  expect("task: hand, from: 1 s, parts: [1]", "parts stands beside from or to");
  expect("task: hand, parts: [1, 3]", "parts has part 3 after part 1; give parts that follow");
  expect("task: hand, warp: [[0, 0], [1, -1]]", "point 2 of a map of times is [1, -1] after");
  expect("task: hand, offset: {object: parcle}", "did you mean 'parcel'?");
  expect("references: [hand, cap]", "there is no reference of a task 'cap'");
  expect("references: [hand, posture]", "the reference of 'posture' is of the kind 'joints'");
}

TEST(ReplayReferences, AnEpisodeThatIsNotThereOrHasNoMotionOrIsOfAnotherSceneIsRefused) {
  const AppFolder folder;
  record(folder);
  const AppFolder other(test::replaced(test::kPairScene, "name: pair", "name: elsewhere"));
  std::filesystem::copy(folder.path() / "demo.mcap", other.path() / "demo.mcap");
  const auto error = [&](const AppFolder& in, const std::string& keys) {
    return in.error(kPairArms +
                    machine("{type: replay_reference, task: hand, log: demo.mcap, " + keys + "}"));
  };
  EXPECT_NE(error(folder, "episode: 2").find("has 1 episodes; episode 2 is asked for"),
            std::string::npos);
  EXPECT_NE(error(folder, "episode: 1, parts: [9]")
                .find("part 9 is asked for; `handspan check LOG "
                      "--episodes` lists them"),
            std::string::npos);
  const std::string still = error(folder, "to: 0.09 s");
  EXPECT_NE(still.find("nothing moves in it: reference.hand.pose stays within 2 mm and 0.6 deg of "
                       "where it began; give another episode or part"),
            std::string::npos)
      << still;
  const std::string elsewhere = error(other, "episode: 1");
  EXPECT_NE(elsewhere.find("was recorded in the scene 'pair', and this is 'elsewhere', where its "
                           "poses are other places; give `relative: true` or an 'offset'"),
            std::string::npos)
      << elsewhere;
  EXPECT_EQ(error(other, "episode: 1, relative: true"), "");
  EXPECT_EQ(error(other, "episode: 1, offset: {object: parcel}"), "");
}

}  // namespace replay_reference_test
}  // namespace handspan
