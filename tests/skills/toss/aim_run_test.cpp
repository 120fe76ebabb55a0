// studies/toss/aim: a toss that misses the tray is aimed into it, and what the stage complains of.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "study/line_trial.hpp"
#include "study/report.hpp"
#include "study/runner.hpp"
#include "study/study_support.hpp"

namespace handspan {
namespace aim_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

void replace(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

class AimRun : public ::testing::Test {
 protected:
  // of studies/toss/aim.yaml its first cell and stage, a few runs, with a change
  std::string text(const std::string& from = "", const std::string& to = "") const {
    std::string all = read_text_file(kRoot / "studies/toss/aim.yaml");
    const auto cut = [&](const std::string& first, const std::string& last) {
      const auto a = all.find(first);
      ASSERT_NE(a, std::string::npos) << first;
      all.erase(a, all.find(last, a) - a);
    };
    cut("  long:\n", "\nset:\n");
    cut("  short_box4:\n", "vary:\n");
    cut("  aimed_short_box4:\n", "expect:\n");
    all.erase(all.find("expect:\n"));
    for (int i = 0; i < 2; ++i)
      replace(all, "{app: ../../apps", "{app: " + (kRoot / "apps").string());
    replace(all, "../../scenes", (kRoot / "scenes").string());
    replace(all, "n: 10\n", "n: 1\n");
    replace(all, "trials: 8", "trials: 3");
    replace(all, "again: 300", "again: 4");
    if (!from.empty()) replace(all, from, to);
    return all;
  }
  std::string error(const std::string& from, const std::string& to) {
    // the demonstration is recorded once
    RunnerOptions options;
    options.out = folder_.path() / "out";
    options.fresh = true;
    try {
      StudyRunner(folder_.study(text(from, to)), test::line_parts(), options).run();
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

TEST_F(AimRun, ATossThatMissesTheTrayIsAimedIntoIt) {
  RunnerOptions options;
  options.workers = 1;
  const StudyOutcome outcome =
      StudyRunner(folder_.study(text()), test::line_parts(), options).run();
  const auto& runs = outcome.results.runs;
  ASSERT_EQ(runs.size(), 1U + 3U + 4U);
  EXPECT_FALSE(*runs[0].good);
  EXPECT_EQ(runs[1].cell, "aimed_short_box3_trials");
  for (std::size_t i = 4; i < 8; ++i) {
    EXPECT_EQ(runs[i].cell, "aimed_short_box3");
    EXPECT_TRUE(*runs[i].good) << i;
    EXPECT_NE(runs[i].repeat, runs[0].repeat);
  }
  ASSERT_EQ(outcome.stages.size(), 1U);
  std::map<std::string, double> values;
  for (const auto& value : outcome.stages[0].values) values[value.name] = value.value;
  EXPECT_EQ(values["trials"], 3.0);
  EXPECT_LT(values["off"], 0.06);
  EXPECT_GT(values["forecast"], 0.97);
  EXPECT_GT(values["tray_later"], 0.2);
  // nothing else than what is free
  EXPECT_EQ(values.count("flick_z"), 0U);
  // any number of workers
  options.workers = 3;
  EXPECT_EQ(
      results_csv(outcome.results),
      results_csv(StudyRunner(folder_.study(text()), test::line_parts(), options).run().results));
}

TEST_F(AimRun, ErrorsNamePlaceCauseAndHint) {
  const auto says = [&](const std::string& from, const std::string& to, const std::string& what) {
    const std::string message = error(from, to);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  says("    into: tray\n", "    into: tra\n",
       "stages.aimed_short_box3 cannot be done: the scene has no object or kinematic body 'tra'; "
       "did you mean 'tray'?");
  says("    object: box\n", "    object: bx\n",
       "the scene has no object 'bx'; did you mean 'box'?");
  says("    into: tray\n", "    into: box\n", "'box' has shapes that are no boxes");
  says("    cup: arm.cup\n", "    cup: arm.cop\n",
       "the scene has no suction cup 'arm.cop'; did you mean 'arm.cup'?");
  says("off: [toss.off_along,", "off: [toss.off_alon,", "there is no column 'toss.off_alon'");
  says("variation: swing_turn", "variation: swing_trn",
       "it asks for runs with values of 'swing_trn'; did you mean 'swing_turn'?");
  says("    cell: short_box3\n", "    cell: short_box\n", "'short_box'");
  says("    trials: 3", "    longest: 50 ms\n    trials: 3",
       "'arm.cup' is not switched off within 0.05 s; take a demonstration that lets go");
  says("turn: {variation: swing_turn, size: 20 deg}", "turn: {variation: swing_turn, size: 0}",
       "free.turn.size");
}

TEST_F(AimRun, ATrialHasNothingToAim) {
  try {
    StudyRunner(folder_.study(R"(title: none
subject: {trial: {type: line}}
n: 1
vary: {offset: {list: [0], key: offset}}
stages:
  aim: {type: aim, cell: all, object: box, cup: cup, into: tray, off: [y, y], free: {scale: {variation: offset, size: 1}}}
)"),
                test::line_parts(), {})
        .run();
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("it is about an app, and the study's subject is a trial"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace aim_run_test
}  // namespace handspan
