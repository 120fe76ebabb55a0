// Logs that a study records before its runs.
#include "study/study_logs.hpp"

#include <gtest/gtest.h>

#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace study_logs_run_test {

// ends by itself after 0.1 s, having held the arm
const char* const kEnds = R"(name: demo
scene: scene.yaml
duration: 1 s
whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks: {hand: {type: pose, frame: left.tcp, stiffness: 100}}
machines:
  left:
    start: move
    states:
      move: {episode: start, do: [{type: move_to, task: hand, waypoints: [{position: [0.0, 0.0, 0.05], relative: true}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true, episode: success}
)";
const char* const kRepeats = R"(name: again
scene: scene.yaml
duration: 3 s
whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks: {hand: {type: pose, frame: left.tcp, stiffness: 100}}
machines:
  left:
    start: again
    states:
      again: {do: [{type: replay_reference, task: hand, log: none.mcap, episode: 1}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)";
const char* const kStudy = R"(title: logs
subject: {app: again.yaml}
logs:
  low: {app: demo.yaml}
  high: {app: demo.yaml, set: {"machines.left.states.move.do[0].waypoints[0].position": [0, 0, 0.1]}}
cells:
  low: {use: {"machines.left.states.again.do[0].log": low}}
  high: {use: {"machines.left.states.again.do[0].log": high}}
metrics:
  z: {type: channel, channel: reference.hand.pose, elements: [2], statistic: maximum}
  start: {type: channel, channel: reference.hand.pose, elements: [2], statistic: minimum}
)";

class StudyLogsTest : public ::testing::Test {
 protected:
  StudyLogsTest() {
    folder_.file("demo.yaml", kEnds);
    folder_.file("again.yaml", kRepeats);
  }
  std::string error(const std::string& from, const std::string& to) {
    std::string text = kStudy;
    text.replace(text.find(from), from.size(), to);
    try {
      StudyRunner(folder_.study(text), test_parts(), {});
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }
  const test::StudyFolder folder_;
};

TEST_F(StudyLogsTest, RunsRepeatTheLogOfTheirCell) {
  RunnerOptions options;
  options.out = folder_.path() / "out";
  const StudyOutcome outcome = StudyRunner(folder_.study(kStudy), test_parts(), options).run();
  ASSERT_EQ(outcome.results.runs.size(), 2U);
  const auto& low = outcome.results.runs[0];
  const auto& high = outcome.results.runs[1];
  EXPECT_EQ(low.failure, "");
  EXPECT_NEAR(low.values[0] - low.values[1], 0.05, 1e-3);
  EXPECT_NEAR(high.values[0] - high.values[1], 0.10, 1e-3);
  EXPECT_TRUE(std::filesystem::exists(options.out / "logs/low.mcap"));
  // without a folder the logs are temporary, and nothing else is different
  const StudyOutcome again = StudyRunner(folder_.study(kStudy), test_parts(), {}).run();
  EXPECT_EQ(again.results.runs[1].values, high.values);
}

// for all workers, and again after a kill: what is whole and of the same is not made anew
TEST_F(StudyLogsTest, AreMadeOnce) {
  RunnerOptions options;
  options.out = folder_.path() / "out";
  const auto low = options.out / "logs/low.mcap", key = options.out / "logs/low.key";
  StudyRunner(folder_.study(kStudy), test_parts(), options);
  const auto made = std::filesystem::last_write_time(low);
  StudyRunner(folder_.study(kStudy), test_parts(), options);
  EXPECT_EQ(std::filesystem::last_write_time(low), made);
  // killed before it was whole: the log stands under another name, or its key is missing
  std::filesystem::remove(key);
  StudyRunner(folder_.study(kStudy), test_parts(), options);
  const auto again = std::filesystem::last_write_time(low);
  EXPECT_NE(again, made);
  EXPECT_TRUE(std::filesystem::exists(key));
  // another app, another log
  folder_.file("demo.yaml", std::string(kEnds) + "# of another day\n");
  StudyRunner(folder_.study(kStudy), test_parts(), options);
  EXPECT_NE(std::filesystem::last_write_time(low), again);
  for (const auto& entry : std::filesystem::directory_iterator(options.out / "logs"))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

TEST_F(StudyLogsTest, SaysWhatIsWrong) {
  EXPECT_EQ(
      error("log\": high}", "log\": hihg}"),
      "study.yaml: use.machines.left.states.again.do[0].log is the log 'hihg', which the study "
      "has not; did you mean 'high'?");
  EXPECT_EQ(error("do[0].waypoints[0].position\"", "do[0].waypoint[0].position\"").substr(0, 17),
            "study.yaml:5: the");
  folder_.file("demo.yaml", std::string(kEnds).replace(std::string(kEnds).find("type: done"), 10,
                                                       "type: after, time: 9 s"));
  EXPECT_EQ(error("title", "title"),
            "study.yaml:4: logs.low does not come to an end within 1 s: no machine of the app did; "
            "give the app a final state, or a longer duration");
  folder_.file("demo.yaml", std::string(kEnds) + "clock: wall\n");
  EXPECT_EQ(error("title", "title"),
            "study.yaml:4: logs.low is of an app in step with a clock; give one with clock: "
            "virtual");
}

}  // namespace study_logs_run_test
}  // namespace handspan
