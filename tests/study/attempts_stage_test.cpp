// The stage attempts on a line whose value is known by hand: how often one must try.
#include "study/attempts_stage.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/error.hpp"
#include "line_trial.hpp"
#include "study/report.hpp"
#include "study/runner.hpp"
#include "study_support.hpp"

namespace handspan {
namespace attempts_stage_test {

class AttemptsStage : public ::testing::Test {
 protected:
  StudyOutcome run(const std::string& stage, RunnerOptions options = {},
                   const std::string& rest = "") {
    const std::string text = R"(title: attempts
subject: {trial: {type: line, slope: 0, fails_above: 1000}}
cells: {one: {}, ten: {set: {noise: 0}}}
vary:
  offset: {list: [0 m], key: offset}
  noise: {list: [0], key: noise}
  slope: {list: [0], key: slope}
stages:
  tries: {type: attempts, )" +
                             stage + "}\n" + rest;
    return StudyRunner(folder_.study(text), test::line_parts(), std::move(options)).run();
  }
  std::map<std::string, double> values(const std::string& stage) {
    std::map<std::string, double> all;
    const StudyOutcome outcome = run(stage);
    for (const StageValue& value : outcome.stages.at(0).values) all[value.name] = value.value;
    return all;
  }
  std::string error(const std::string& stage) {
    try {
      run(stage);
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }

  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

// 0, then half of what is missed: 8, 4, 2, 1 away from 8
TEST_F(AttemptsStage, HalfOfWhatIsMissedIsCorrectedEachTime) {
  const StudyOutcome a =
      run("cells: {one: {y: 1.5 m}}, targets: {far: {y: 8 m}}, rows: {a: {noise: 0}}, "
          "correct: {offset: {y: -0.5}}");
  ASSERT_EQ(a.results.runs.size(), 2U + 4U);
  const double y[] = {0.0, 4.0, 6.0, 7.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.results.runs[2 + i].values[0], y[i]);
    EXPECT_EQ(a.results.runs[2 + i].cell, "tries");
    // fresh seeds
    EXPECT_EQ(a.results.runs[2 + i].repeat, 1 + static_cast<int>(i));
  }
}

TEST_F(AttemptsStage, CountsAreOfRowsCellsAndTargets) {
  // 1 and 4 attempts in the wide cell, 1 and 6 in the narrow one (8 .. 0.25)
  const auto all = values(
      "cells: {one: {y: 1.5 m}, ten: {y: 30 cm}}, targets: {near: {y: 0 m}, far: {y: 8 m}}, "
      "rows: {half: {noise: 0}}, correct: {offset: {y: -0.5}}");
  EXPECT_EQ(all.at("half.attempts"), 12.0);
  EXPECT_EQ(all.at("half.missed"), 0.0);
  EXPECT_EQ(all.at("half.in_one"), 5.0);
  EXPECT_EQ(all.at("half.in_ten"), 7.0);
  EXPECT_EQ(all.at("half.at_near"), 2.0);
  EXPECT_EQ(all.at("half.at_far"), 10.0);
  EXPECT_FALSE(all.contains("half.deviation"));
}

TEST_F(AttemptsStage, WhoDoesNotReachItHasTriedAsOftenAsMayBe) {
  const auto all = values(
      "cells: {one: {y: 1.5 m}}, targets: {near: {y: 0 m}, far: {y: 8 m}}, max: 3, "
      "persons: 2, rows: {half: {noise: 0}}, correct: {offset: {y: -0.5}}");
  EXPECT_EQ(all.at("half.attempts"), 4.0);
  EXPECT_EQ(all.at("half.deviation"), 0.0);
  EXPECT_EQ(all.at("half.missed"), 1.0);
}

// slope times the run's number is what a row changes: all rows have the same seeds
TEST_F(AttemptsStage, RowsHaveTheSameSeeds) {
  const StudyOutcome a =
      run("cells: {one: {y: 1 mm}}, targets: {near: {y: 1 m}}, max: 2, persons: 2, "
          "rows: {a: {noise: 0.5}, b: {noise: 1}}, correct: {offset: {y: -1}}");
  ASSERT_EQ(a.results.runs.size(), 2U + 8U);
  for (std::size_t person = 0; person < 2; ++person) {
    const RunRecord &x = a.results.runs[2 + person], &y = a.results.runs[4 + person];
    EXPECT_EQ(x.seed, y.seed);
    EXPECT_DOUBLE_EQ(2.0 * x.values[0], y.values[0]);
  }
  EXPECT_NE(a.results.runs[2].seed, a.results.runs[3].seed);
}

// what the study does not call good is no success, and what failed teaches nothing
TEST_F(AttemptsStage, RunsThatAreNotGoodOrFailAreTriedAgain) {
  const StudyOutcome late =
      run("cells: {one: {y: 1 m}}, targets: {near: {y: 0 m}}, max: 6, rows: {a: {noise: 0}}, "
          "correct: {offset: {y: -0.5}}",
          {}, "good: {late: {at_least: 1}}\n");
  // `late` is 1 from repeat 4 on
  EXPECT_EQ(late.stages[0].values[0].value, 4.0);
  const StudyOutcome high =
      run("cells: {one: {y: 1 m}}, targets: {up: {y: 2000 m}}, max: 4, rows: {a: {noise: 0}}, "
          "correct: {offset: {y: -1}}");
  EXPECT_EQ(high.results.failed(), 3U);
  EXPECT_EQ(high.results.runs[4].drawn[0].number, 2000.0);
  EXPECT_EQ(high.results.runs[5].drawn[0].number, 2000.0);
  EXPECT_EQ(high.stages[0].values[1].value, 1.0);
}

TEST_F(AttemptsStage, GoesOnAfterAnInterruption) {
  const std::string stage =
      "cells: {one: {y: 10 cm}, ten: {y: 1 cm}}, targets: {near: {y: 1 m}, far: {y: 8 m}}, "
      "persons: 3, rows: {a: {noise: 0.1}, b: {noise: 0.3}}, correct: {offset: {y: -0.5}}";
  const StudyOutcome whole = run(stage);
  std::atomic<bool> stop{false};
  RunnerOptions options;
  options.out = folder_.path() / "out";
  options.workers = 2;
  options.stop = &stop;
  options.progress = [&](const RunnerProgress& p) { stop = p.done >= 60; };
  EXPECT_FALSE(run(stage, options).complete);
  options.stop = nullptr;
  options.progress = {};
  options.workers = 3;
  const StudyOutcome again = run(stage, options);
  EXPECT_GE(again.resumed, 60);
  EXPECT_EQ(results_csv(again.results), results_csv(whole.results));
  ASSERT_EQ(again.stages[0].values.size(), whole.stages[0].values.size());
  for (std::size_t v = 0; v < whole.stages[0].values.size(); ++v)
    EXPECT_EQ(again.stages[0].values[v].value, whole.stages[0].values[v].value);
}

TEST_F(AttemptsStage, PublishedRowsAndExpectationsNameItsValues) {
  const std::string stage =
      "cells: {one: {y: 1.5 m}}, targets: {far: {y: 8 m}}, rows: {\"1.5\": {noise: 0}}, "
      "correct: {offset: {y: -0.5}}";
  const StudyOutcome a =
      run(stage, {},
          "expect: [{of: tries.1.5.attempts, at_most: 4}]\n"
          "published: {source: they, rows: [{of: tries.1.5.attempts, value: 2}]}\n");
  EXPECT_TRUE(a.holds());
  ASSERT_EQ(a.published.size(), 1U);
  EXPECT_EQ(a.published[0].measured.text, "tries.1.5.attempts");
  EXPECT_EQ(a.published[0].comparison.ratio, 2.0);
  EXPECT_EQ(a.published[0].comparison.difference, 2.0);
  try {
    run(stage, {}, "published: {source: they, rows: [{of: tries.2.attempts, value: 2}]}\n");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(folder_.without_path(e.what()),
              "study.yaml:10: tries.2.attempts no stage gave 'tries.2.attempts'; did you mean "
              "'tries.1.5.attempts'?");
  }
}

TEST_F(AttemptsStage, ErrorsNamePlaceCauseAndHint) {
  const std::string cells = "cells: {one: {y: 1 m}}, ", targets = "targets: {far: {y: 8 m}}, ",
                    rows = "rows: {a: {noise: 0}}, ", correct = "correct: {offset: {y: -0.5}}";
  EXPECT_EQ(error("cells: {one: {late: 1}}, " + targets + rows + correct),
            "study.yaml:9: stages.tries.cells has 'late', and the target 'far' does not say where "
            "that is to be; give it to targets.far");
  EXPECT_EQ(error("cells: {one: {y: -1 m}}, " + targets + rows + correct),
            "study.yaml:9: stages.tries.cells has -1 for 'y' of 'one'; it must be >= 0");
  EXPECT_EQ(error(cells + targets + rows + "correct: {offset: {late: 1}}"),
            "study.yaml:9: stages.tries.correct has 'late', and the target 'far' does not say "
            "where that is to be; give it to targets.far");
  EXPECT_EQ(error(cells + targets + "rows: {a: {offset: 0}}, " + correct),
            "study.yaml:9: stages.tries.correct has 'offset', whose value the row 'a' gives; take "
            "one of them away");
  EXPECT_EQ(error("cells: {on: {y: 1 m}}, " + targets + rows + correct),
            "study.yaml:9: stages.tries cannot be done: the study has no cell 'on'; did you mean "
            "'one'?");
  EXPECT_EQ(error(cells + "targets: {far: {y: 8 m, lat: 0}}, " + rows + correct),
            "study.yaml:9: stages.tries cannot be done: the study has no column 'lat'; did you "
            "mean 'late'?");
  EXPECT_EQ(error(cells + targets + "rows: {a: {nois: 0}}, " + correct),
            "study.yaml:9: stages.tries cannot be done: the study has no variation 'nois'; did you "
            "mean 'noise'?");
  EXPECT_EQ(error(cells + targets + rows + "correct: {ofset: {y: -0.5}}"),
            "study.yaml:9: stages.tries cannot be done: the study has no variation 'ofset'; did "
            "you mean 'offset'?");
}

}  // namespace attempts_stage_test
}  // namespace handspan
