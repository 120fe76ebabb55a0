// Tosses judged while the app runs: a box that a cup drops onto a belt, and what may go wrong.
#include "skills/toss/toss_judge.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/error.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "session/summary.hpp"
#include "support/alloc.hpp"
#include "support/fake_plant.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace toss_judge_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

class TossJudgeTest : public ::testing::Test {
 protected:
  TossJudgeTest() { std::filesystem::create_directories(folder_); }
  ~TossJudgeTest() override { std::filesystem::remove_all(folder_); }

  // apps/toss-held.yaml, whose cup lets go after 0.1 s, with changes of the scene and of the app
  App app(const std::string& scene = "", const std::string& rule = "",
          const std::string& when = "{type: judged, judge: toss, good: true}") const {
    std::ofstream(folder_ / "scene.yaml")
        << "extends: " << (kRoot / "scenes/toss-held.yaml").string() << "\n"
        << "robots: {arm: {robot: " << (kRoot / "robots/ur10").string()
        << ", tool: " << (kRoot / "robots/vacuum").string() << "}}\n"
        << scene << "\n";
    std::ofstream(folder_ / "app.yaml")
        << "extends: " << (kRoot / "apps/toss-held.yaml").string() << "\nscene: scene.yaml\n"
        << "judges: {toss: {" << rule << "}}\n"
        << "machines:\n  arm:\n    start: hold\n    states:\n      teleoperation:\n"
           "      hold: {do: [{type: hold, tasks: [cup]}], next: [{to: drop, when: [{type: after, "
           "time: 0.1 s}]}]}\n"
           "      drop: {episode: start, do: [{type: release, group: arm.cup}, {type: hold, tasks: "
           "[cup]}], next: [{to: tossed}]}\n"
           "      tossed: {next: [{to: good, when: ["
        << when << "]}, {to: not_good, when: [{type: judged, judge: toss, good: false}]}]}\n";
    return load_app(folder_ / "app.yaml", test_parts());
  }

  struct Outcome {
    std::string words, state;
    int told = 0;
    Verdict verdict = Verdict::kNone;
  };
  static Outcome run(Session& session) {
    Outcome outcome;
    while (session.now() < 5 * kSecond && !session.ended()) {
      session.tick();
      for (const Event& event : session.events().events())
        if (event.kind == "judged" && event.text.view() != "open") {
          EXPECT_EQ(event.name.view(), "toss");
          EXPECT_EQ(event.text.view(), session.judges().words(0).view());
          ++outcome.told;
        }
    }
    outcome.words = session.judges().words(0).view();
    outcome.state = session.machines()[0].current_name();
    outcome.verdict = session.judges().verdict(0);
    return outcome;
  }
  static Outcome run(const App& app) {
    Session session(app);
    return run(session);
  }
  std::string error(const App& bad) const {
    try {
      Session session(bad);
    } catch (const InputError& e) {
      std::string what = e.what();
      return what.substr(what.find(": ") + 2);
    }
    return "no error";
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("handspan_judge_" + std::to_string(getpid()));
};

void expect_bad(const auto& outcome, const std::string& begins) {
  EXPECT_EQ(outcome.verdict, Verdict::kNotGood) << outcome.words;
  EXPECT_EQ(outcome.state, "not_good");
  EXPECT_EQ(outcome.told, 1);
  EXPECT_TRUE(outcome.words.starts_with("not good: " + begins)) << outcome.words;
}

TEST_F(TossJudgeTest, AFlatDropIsGood) {
  const Outcome outcome = run(app());
  EXPECT_EQ(outcome.verdict, Verdict::kGood) << outcome.words;
  EXPECT_EQ(outcome.state, "good");
  EXPECT_EQ(outcome.told, 1);
  EXPECT_TRUE(outcome.words.starts_with("good: landed on its bottom, tilted by at most "))
      << outcome.words;
}

TEST_F(TossJudgeTest, WhatTumblesIsNotGood) {
  // it falls onto the edge of a block that is under half of it
  expect_bad(run(app("fixtures: {block: {pose: {position: [0.4, -0.85, 0.915]}, shapes: [{type: "
                     "box, size: [0.15, 0.4, 0.15]}]}}")),
             "it tumbled: tilted by ");
}

TEST_F(TossJudgeTest, WhatLiesAskewIsNotGood) {
  expect_bad(run(app("objects: {box: {pose: {rpy: [0, 0, 20 deg]}}}")), "it lies turned by ");
  EXPECT_EQ(run(app("objects: {box: {pose: {rpy: [0, 0, 20 deg]}}}", "max_yaw: 25 deg")).state,
            "good");
}

TEST_F(TossJudgeTest, WhatDoesNotMeetTheBeltIsNotGood) {
  expect_bad(run(app("fixtures: {table: {pose: {position: [0.3, -0.85, 0.9]}, shapes: [{type: box, "
                     "size: [0.5, 0.4, 0.1]}]}}",
                     "longest: 1.5 s")),
             "it did not meet conveyor within 1.5 s");
}

TEST_F(TossJudgeTest, WhatDoesNotComeToRestIsNotGood) {
  // the belt drives it against the bench, and goes on under it
  expect_bad(run(app("belts: {conveyor: {speed: -0.5}}")), "it was not at rest within 3 s");
}

TEST_F(TossJudgeTest, WhatRestsBesideTheBeltIsNotGood) {
  // its middle is beyond the belt's side: it tips over it onto the floor
  expect_bad(run(app("belts: {conveyor: {pose: {position: [0.83, -1.9, 0.42]}}}\n"
                     "fixtures: {floor: {pose: {position: [0, 0, -0.1]}, shapes: [{type: box, "
                     "size: [6, 6, 0.2]}]}}",
                     "max_tilt: 180 deg")),
             "it came to rest beside conveyor");
}

TEST_F(TossJudgeTest, ItGoesOnFromASnapshotWithTheSameWords) {
  const App one = app("belts: {conveyor: {speed: 0.4}}");
  const std::string words = run(one).words;
  EXPECT_NE(words, "");
  Session half(one);
  // in the air, and again when it lies and is not at rest for long enough
  for (const double until : {0.2, 0.6}) {
    while (seconds(half.now()) < until) half.tick();
    EXPECT_EQ(half.judges().verdict(0), Verdict::kOpen);
    std::vector<std::byte> bytes;
    half.snapshot(bytes);
    Session other(one);
    other.restore(bytes);
    EXPECT_EQ(run(other).words, words);
  }
}

TEST_F(TossJudgeTest, ARecordingFromTheMiddleOfAFlightReplaysBitForBit) {
  const App one = app();
  Session session(one);
  while (session.judges().verdict(0) != Verdict::kOpen) session.tick();
  RecorderOptions recording;
  recording.may_wait = true;
  Recorder recorder(session, folder_ / "middle.mcap", recording);
  const Outcome outcome = run(session);
  session.finish();
  EXPECT_TRUE(recorder.close());
  EXPECT_EQ(outcome.verdict, Verdict::kGood);
  LogFile log(folder_ / "middle.mcap");
  EXPECT_GT(log.first_tick(), 0);
  ReplayOptions options;
  options.verify = true;
  const ReplayReport report = replay(log, test_parts(), options);
  EXPECT_TRUE(report.same());
  EXPECT_GT(report.compared, 200);
}

TEST_F(TossJudgeTest, ItAllocatesNothing) {
  const App one = app("", "longest: 0.4 s");
  Session session(one);
  session.tick();
  const test::AllocationCount allocations;
  while (!session.ended() && session.now() < 5 * kSecond) session.tick();
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(session.machines()[0].current_name(), "not_good");
}

TEST_F(TossJudgeTest, WrongNamesAreErrorsWithTheNamesThereAre) {
  EXPECT_EQ(error(app("", "object: bax")),
            "judges.toss cannot be made: the scene has no body 'bax'; did you mean 'box'?");
  EXPECT_EQ(error(app("", "cup: arm.cap")),
            "judges.toss cannot be made: the scene has no suction cup 'arm.cap'; did you mean "
            "'arm.cup'?");
  EXPECT_EQ(error(app("", "belt: conveyer")),
            "judges.toss cannot be made: the scene has no belt 'conveyer'; did you mean "
            "'conveyor'?");
  EXPECT_EQ(error(app("", "into: trai")).substr(0, 56),
            "judges.toss cannot be made: the scene has no body 'trai'");
  EXPECT_NE(error(app("", "into: box")).find("cannot come to rest in itself"), std::string::npos);
  EXPECT_NE(error(app("", "", "{type: judged, judge: tos}"))
                .find("cannot be made: the app has no judge 'tos'; did you mean 'toss'?"),
            std::string::npos);
}

// a real arm's toss is judged by nobody: the machine that waits for that says so
TEST_F(TossJudgeTest, AMachineThatWaitsForAVerdictThatNobodySeesSaysSo) {
  App loaded = app();
  loaded.clock = ClockKind::kWall;
  test::FakeDiary diary;
  SessionOptions options;
  options.plant = std::make_unique<test::FakePlant>(loaded.scene, robot_names(loaded.scene),
                                                    test::FakeOptions(), diary);
  Session session(loaded, std::move(options));
  ASSERT_EQ(session.world(), nullptr);
  EXPECT_NE(session.machines()[0].text().find(
                "when toss is judged good, which nobody sees: nothing is simulated"),
            std::string::npos)
      << session.machines()[0].text();
  Summariser summariser(session);
  session.watch(summariser);
  std::vector<std::string> said;
  for (int i = 0; i < 3000; ++i) {
    session.tick();
    for (const Event& event : session.events().events())
      if (event.kind == "unseen") said.emplace_back(event.text.view());
  }
  EXPECT_EQ(session.machines()[0].current_name(), "tossed");
  const std::string words =
      "waits for a verdict of 'toss', and nobody sees how it goes: nothing is simulated; only a "
      "log "
      "has one";
  // of each transition, once
  EXPECT_EQ(said, (std::vector<std::string>{words, words}));
  const RunSummary summary = summariser.summary(session);
  ASSERT_EQ(summary.waits.size(), 1U);
  EXPECT_EQ(summary.waits[0], std::pair(std::string("arm"), words));
  // what is simulated is seen
  loaded.clock = ClockKind::kVirtual;
  Session seen(loaded);
  EXPECT_EQ(seen.machines()[0].text().find("nobody sees"), std::string::npos);
}

}  // namespace toss_judge_test
}  // namespace handspan
