// Studies of a trial: any number of workers and any order give the same, an interruption costs
// nothing, stages see the runs.
#include "study/runner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include "line_trial.hpp"
#include "study/report.hpp"
#include "study_support.hpp"

namespace handspan {
namespace runner_run_test {

class RunnerRun : public ::testing::Test {
 protected:
  StudyOutcome run(const std::string& text, RunnerOptions options = {}) {
    return StudyRunner(folder_.study(text), test::line_parts(), std::move(options)).run();
  }
  std::string error(const std::string& text, RunnerOptions options = {}) {
    try {
      run(text, std::move(options));
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }

  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

const char* const kNoisy = R"(title: lines
subject: {trial: {type: line, noise: 0.5, wait: 2 ms}}
n: 12
seed: 5
cells:
  flat: {set: {slope: 0}}
  steep: {set: {slope: 2}}
vary:
  offset: {normal: [1 m, 20 cm], key: offset}
good: {y: {below: 10 m}}
expect:
  - {statistic: mean, of: y, cell: flat, below: {statistic: mean, of: y, cell: steep}}
  - {statistic: share, of: good, at_least: 0.5}
)";

TEST_F(RunnerRun, AnyNumberOfWorkersGivesTheSame) {
  RunnerOptions one, many;
  one.workers = 1;
  many.workers = 7;
  const StudyOutcome a = run(kNoisy, one), b = run(kNoisy, many);
  EXPECT_EQ(results_csv(a.results), results_csv(b.results));
  EXPECT_EQ(a.results.runs.size(), 24U);
  EXPECT_EQ(b.workers, 7);
  EXPECT_TRUE(a.complete);
  ASSERT_EQ(a.expectations.size(), 2U);
  EXPECT_TRUE(a.expectations[0].holds && a.holds());
}

TEST_F(RunnerRun, CellsHaveCommonRandomNumbers) {
  const StudyOutcome a = run(kNoisy);
  for (std::size_t i = 0; i < 12; ++i) {
    const RunRecord &flat = a.results.runs[i], &steep = a.results.runs[12 + i];
    EXPECT_EQ(flat.cell, "flat");
    EXPECT_EQ(steep.cell, "steep");
    EXPECT_EQ(flat.seed, 5 + i);
    EXPECT_EQ(steep.seed, 5 + i);
    EXPECT_EQ(flat.drawn[0].number, steep.drawn[0].number);
    EXPECT_NEAR(steep.values[0] - flat.values[0], 2.0 * static_cast<double>(i), 1e-12);
    EXPECT_EQ(flat.number, static_cast<int>(i) + 1);
  }
}

TEST_F(RunnerRun, ACellMayVaryOtherwise) {
  const StudyOutcome a = run(R"(title: lines
subject: {trial: {type: line, slope: 0}}
n: 40
cells:
  all: {}
  near: {vary: {offset: {normal: [1 m, 20 cm], within: 10 cm, key: offset}}}
vary:
  noise: {uniform: [0, 1], key: noise}
  offset: {normal: [1 m, 20 cm], key: offset}
)");
  double farthest = 0.0;
  for (std::size_t i = 0; i < 40; ++i) {
    const RunRecord &all = a.results.runs[i], &near = a.results.runs[40 + i];
    farthest = std::max(farthest, std::abs(all.drawn[1].number - 1.0));
    EXPECT_LE(std::abs(near.drawn[1].number - 1.0), 0.1);
    // the same stream: what is near enough is the same draw, and the other variation always is
    EXPECT_EQ(near.drawn[0].number, all.drawn[0].number);
    if (std::abs(all.drawn[1].number - 1.0) <= 0.1) {
      EXPECT_EQ(near.drawn[1].number, all.drawn[1].number);
    }
  }
  EXPECT_GT(farthest, 0.2);
}

TEST_F(RunnerRun, WhatAStageTriesMayBeWithoutNoiseAndInAGroupOfItsOwn) {
  const StudyOutcome a = run(R"(title: middle
subject: {trial: {type: line, slope: 0}}
n: 2
vary:
  offset: {uniform: [2 m, 4 m], key: offset}
  noise: {list: [0, 1], key: noise}
stages: {try: {type: middle}}
expect:
  - {of: try.y, at_least: 2.999999}
)");
  ASSERT_EQ(a.results.runs.size(), 3U);
  EXPECT_EQ(a.results.runs[2].cell, "try_trials");
  EXPECT_EQ(a.results.runs[2].drawn[0].number, 3.0);
  EXPECT_EQ(a.results.runs[2].drawn[1].number, 0.0);
  EXPECT_EQ(a.results.runs[2].values[0], 3.0);
}

TEST_F(RunnerRun, GoesOnAfterAnInterruption) {
  const StudyOutcome whole = run(kNoisy);
  std::atomic<bool> stop{false};
  RunnerOptions options;
  options.out = folder_.path() / "out";
  options.workers = 3;
  options.stop = &stop;
  options.progress = [&](const RunnerProgress& p) { stop = p.done >= 7; };
  const StudyOutcome first = run(kNoisy, options);
  EXPECT_FALSE(first.complete);
  EXPECT_FALSE(first.holds());
  EXPECT_GE(first.results.runs.size(), 7U);
  EXPECT_LT(first.results.runs.size(), 24U);
  // killed while it wrote a line
  std::ofstream(options.out / "unfinished.jsonl", std::ios::app) << "{\"run\": 24, \"val";
  options.stop = nullptr;
  options.progress = {};
  test::g_line_runs = 0;
  const StudyOutcome second = run(kNoisy, options);
  EXPECT_TRUE(second.complete);
  EXPECT_EQ(second.resumed, static_cast<int>(first.results.runs.size()));
  EXPECT_EQ(test::g_line_runs, 24 - second.resumed);
  EXPECT_EQ(results_csv(second.results), results_csv(whole.results));
  EXPECT_FALSE(std::filesystem::exists(options.out / "unfinished.jsonl"));
}

TEST_F(RunnerRun, RunsOfAnotherStudyAreNotTakenOver) {
  std::atomic<bool> stop{false};
  RunnerOptions options;
  options.out = folder_.path() / "out";
  options.workers = 1;
  options.stop = &stop;
  options.progress = [&](const RunnerProgress&) { stop = true; };
  EXPECT_FALSE(run(kNoisy, options).complete);
  options.stop = nullptr;
  options.seed = 6;
  EXPECT_EQ(error(kNoisy, options),
            "out/unfinished.jsonl: it holds runs of another study, of other parameters or of "
            "another build; finish that one, choose another --out, or say --fresh to forget them");
  options.fresh = true;
  const StudyOutcome fresh = run(kNoisy, options);
  EXPECT_TRUE(fresh.complete);
  EXPECT_EQ(fresh.resumed, 0);
}

TEST_F(RunnerRun, GridsAreRunInAllCombinations) {
  const StudyOutcome a = run(R"(title: grid
subject: {trial: {type: line, slope: 0}}
n: 2
vary:
  offset: {grid: [1, 2, 3], key: offset}
  noise: {grid: [0, 10], key: noise}
)");
  ASSERT_EQ(a.results.runs.size(), 12U);
  EXPECT_EQ(a.results.runs[0].drawn[0].number, 1.0);
  EXPECT_EQ(a.results.runs[2].drawn[1].number, 10.0);
  EXPECT_EQ(a.results.runs[4].drawn[0].number, 2.0);
  EXPECT_EQ(a.results.runs[4].values[0], 2.0);
  EXPECT_EQ(a.results.runs[2].seed, a.results.runs[0].seed);
}

TEST_F(RunnerRun, ATrialsCasesAreItsRuns) {
  const StudyOutcome a = run("title: cases\nsubject: {trial: {type: line, cases: 9}}\n");
  ASSERT_EQ(a.results.runs.size(), 9U);
  EXPECT_EQ(a.results.runs[8].values[0], 8.0);
}

TEST_F(RunnerRun, ARunThatFailsIsARow) {
  const StudyOutcome a = run(R"(title: some fail
subject: {trial: {type: line, slope: 0, fails_above: 1.5}}
n: 3
vary: {offset: {list: [1, 2, 1], key: offset}}
)");
  EXPECT_EQ(a.results.failed(), 1U);
  EXPECT_EQ(a.results.runs[1].failure, "the line is too high");
  EXPECT_TRUE(std::isnan(a.results.runs[1].values[0]));
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(a.results.samples("y", "").size(), 2U);
  EXPECT_NE(results_csv(a.results).find("2,all,1,2,2,,,the line is too high\n"), std::string::npos)
      << results_csv(a.results);
}

TEST_F(RunnerRun, StagesSeeTheRunsAndAskForMore) {
  const std::string text = R"(title: stages
subject: {trial: {type: line, slope: 0, noise: 0.1}}
n: 20
vary:
  offset: {uniform: [0, 10], key: offset}
stages:
  more: {type: double}
  influence: {type: first_order, of: y, variations: [offset]}
expect:
  - {of: influence.offset, at_least: 0.9}
  - {of: more.mean, above: 6.5}
  - {statistic: mean, of: y, cell: more, above: 6.5}
)";
  const StudyOutcome a = run(text);
  ASSERT_TRUE(a.complete);
  EXPECT_EQ(a.results.runs.size(), 40U);
  EXPECT_EQ(a.results.runs[25].cell, "more");
  EXPECT_EQ(a.results.runs[25].drawn[0].number, 7.0);
  for (const auto& e : a.expectations) EXPECT_TRUE(e.holds) << e.measured.text;
  // those of the stage are in no statistic of the study's cells
  EXPECT_EQ(a.results.samples("y", "").size(), 20U);
  // interrupted in the stage
  std::atomic<bool> stop{false};
  RunnerOptions options;
  options.out = folder_.path() / "out";
  options.workers = 2;
  options.stop = &stop;
  options.progress = [&](const RunnerProgress& p) { stop = p.done >= 30; };
  EXPECT_FALSE(run(text, options).complete);
  options.stop = nullptr;
  options.progress = {};
  const StudyOutcome b = run(text, options);
  EXPECT_GE(b.resumed, 30);
  EXPECT_EQ(results_csv(a.results), results_csv(b.results));
}

TEST_F(RunnerRun, TheBestIsChosenAndRunAgain) {
  const StudyOutcome a = run(R"(title: best
subject: {trial: {type: line, slope: 0, noise: 0.01}}
n: 3
vary: {offset: {grid: [3, 1, 2], key: offset}}
stages: {choice: {type: best, of: y, variations: [offset], again: 5}}
)");
  ASSERT_EQ(a.stages.size(), 1U);
  EXPECT_EQ(a.stages[0].values[0].value, 1.0);
  EXPECT_EQ(a.results.runs.size(), 14U);
  EXPECT_EQ(a.results.runs[9].repeat, 3);
  for (const double y : a.results.samples("y", "choice")) EXPECT_NEAR(y, 1.0, 0.1);
}

TEST_F(RunnerRun, OptionsOverride) {
  RunnerOptions options;
  options.n = 2;
  options.seed = 40;
  options.parameters = {{"noise", "0"}};
  const StudyOutcome a = run(kNoisy, options);
  EXPECT_EQ(a.results.runs.size(), 4U);
  EXPECT_EQ(a.results.runs[0].seed, 40U);
  EXPECT_EQ(a.results.runs[0].values[0], a.results.runs[0].drawn[0].number);
}

TEST_F(RunnerRun, SeriesAreFiles) {
  RunnerOptions options;
  options.out = folder_.path() / "out";
  run("title: s\nsubject: {trial: {type: line}}\nn: 2\n", options);
  EXPECT_FALSE(std::filesystem::exists(options.out / "series"));
  run("title: s\nsubject: {trial: {type: line}}\nn: 2\nseries: {}\n", options);
  std::ifstream in(options.out / "series" / "run-00002.csv");
  std::string all((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(all, "series,unit,time,value\ny,m,0,1\ny,m,1,2\n");
}

TEST_F(RunnerRun, ErrorsNamePlaceCauseAndHint) {
  EXPECT_EQ(error("title: x\nsubject: {trial: {type: lien}}\n"),
            "study.yaml:2: type is 'lien'; did you mean 'line'?");
  EXPECT_EQ(
      error("title: x\nsubject: {trial: {type: line}}\nvary:\n  a: {uniform: [0, 1], key: slop}\n"),
      "study.yaml:4: unknown key 'slop'; did you mean 'slope'?");
  EXPECT_EQ(error("title: x\nsubject: {trial: {type: line}}\ngood: {z: {above: 1}}\n"),
            "study.yaml:3: good has 'z', which is not a column; there are: y, late");
  EXPECT_EQ(error("title: x\nsubject: {trial: {type: line}}\ncells: {a: {}}\nexpect:\n"
                  "  - {statistic: mean, of: y, cell: b, below: 1}\n"),
            "study.yaml:5: expect[0] cannot be measured: the study has no cell 'b'; it has: a");
  EXPECT_EQ(error("title: x\nsubject: {trial: {type: line}}\nexpect:\n  - {of: fit.x, below: 1}\n"),
            "study.yaml:4: expect[0] cannot be measured: it has no statistic, and 'fit.x' is not a "
            "stage; give a statistic, or a "
            "stage that is there");
  EXPECT_EQ(error("title: x\nsubject: {}\n"),
            "study.yaml:2: subject is nothing; give one of app and trial");
  RunnerOptions options;
  options.parameters = {{"offset", "2"}};
  EXPECT_EQ(
      error(kNoisy, options),
      "--param offset: the study varies it ('offset'); change the study, or take another key");
  options.parameters = {{"noise.x", "2"}};
  EXPECT_EQ(error(kNoisy, options).substr(0, 9), "--param: ");
  options.parameters.clear();
  options.data = folder_.path() / "none";
  EXPECT_EQ(error(kNoisy, options), "--data none: there is no such file or folder");
}

}  // namespace runner_run_test
}  // namespace handspan
