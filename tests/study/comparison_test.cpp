// A study beside earlier results of it.
#include "study/comparison.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "line_trial.hpp"
#include "study/comparison_report.hpp"
#include "study/report.hpp"
#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace comparison_test {

namespace fs = std::filesystem;

std::string study_of(const std::string& offset, const std::string& more = "") {
  return "title: \"t\"\nsubject: {trial: {type: line, slope: 0, noise: 0.5, offset: " + offset +
         "}}\nn: 12\ncells: {calm: {set: {noise: 0.1}}, \"rough, wild\": {}}\n"
         "vary: {word: {choice: [\"0\", \"0.0\"], key: wait}}\n"
         "good: {late: {below: 0.5}}\n" +
         more;
}

class ComparisonTest : public ::testing::Test {
 protected:
  StudyOutcome run(const std::string& text) const {
    return StudyRunner(folder_.study(text), test::line_parts(), {}).run();
  }
  // @return the folder of what was written
  fs::path done(const std::string& text) const {
    const StudyRunner runner(folder_.study(text), test::line_parts(), {});
    StudyRunner again(folder_.study(text), test::line_parts(), {});
    write_report(runner, again.run(), out_, "");
    return out_;
  }
  std::string text(const std::string& file) const {
    std::stringstream all;
    all << std::ifstream(out_ / file).rdbuf();
    return all.str();
  }
  void put(const std::string& file, const std::string& text) const {
    std::ofstream(out_ / file) << text;
  }
  // what reading says when `file` has `to` in place of `from`
  std::string with(const std::string& file, const std::string& from, const std::string& to) const {
    const std::string before = text(file);
    std::string after = before;
    const std::size_t at = after.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in\n" << before;
    if (at != std::string::npos) after.replace(at, from.size(), to);
    put(file, after);
    const std::string said = error();
    put(file, before);
    return said;
  }
  std::string error(const std::string& study = "s") const {
    return folder_.without_path(test::message_of([&] { read_results(out_, study); }));
  }

  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
  const fs::path out_ = folder_.path() / "before";
};

TEST_F(ComparisonTest, ResultsComeBackAsTheyWere) {
  const StudyOutcome outcome = run(study_of("1 m"));
  const StoredResults there = read_results(done(study_of("1 m")), "s");
  EXPECT_EQ(there.study, "s");
  EXPECT_FALSE(there.build.empty());
  EXPECT_EQ(there.results.cells, (std::vector<std::string>{"calm", "rough, wild"}));
  EXPECT_TRUE(there.results.judged);
  // every bit of every run, words and quotes too
  EXPECT_EQ(results_csv(there.results), results_csv(outcome.results));
}

TEST_F(ComparisonTest, TheSameRunsHaveTheSameBits) {
  const StoredResults there = read_results(done(study_of("1 m")), "s");
  const StudyComparison c = compare_results(run(study_of("1 m")).results, {}, there);
  // y's mean and deviation, and the shares of late and good, in two cells
  ASSERT_EQ(c.statistics.size(), 8U);
  EXPECT_EQ(c.changed, 0U);
  for (const ComparedStatistic& row : c.statistics) {
    EXPECT_TRUE(row.same) << row.column;
    EXPECT_EQ(row.paired.difference.value, 0.0);
    EXPECT_EQ(row.paired.difference.n, 12);
  }
  EXPECT_TRUE(c.notes.empty());
  EXPECT_NE(comparison_text(c).find("0 of 8 statistics changed beyond their 95 % intervals; 8 "
                                    "have the same bits in every run"),
            std::string::npos)
      << comparison_text(c);
}

// a shift of 1 mm below a noise of 500 mm is seen, since both have the same noise
TEST_F(ComparisonTest, WhatChangedIsSeenBelowTheNoise) {
  const StoredResults there = read_results(done(study_of("1 m")), "s");
  StudyOutcome outcome = run(study_of("1.001 m"));
  outcome.comparison = compare_results(outcome.results, {{"offset", "1.001"}}, there);
  const StudyComparison& c = *outcome.comparison;
  EXPECT_EQ(c.changed, 2U);
  const ComparedStatistic& mean = c.statistics[0];
  EXPECT_TRUE(mean.changed);
  EXPECT_EQ(mean.kind, StatisticKind::kMean);
  EXPECT_NEAR(mean.paired.difference.value, 0.001, 1e-12);
  EXPECT_FALSE(c.statistics[1].changed) << "the deviation is the same but for rounding";
  const std::string said = comparison_text(c);
  EXPECT_NE(said.find("mean of y in calm"), std::string::npos) << said;
  EXPECT_NE(said.find("mean of y in rough, wild"), std::string::npos) << said;
  EXPECT_EQ(said.find("deviation of y"), std::string::npos) << said;
  EXPECT_NE(said.find("here with --param offset=1.001"), std::string::npos) << said;
  const auto json = nlohmann::json::parse(comparison_json(c));
  EXPECT_EQ(json["statistics"][0]["column"], "y");
  EXPECT_EQ(json["statistics"][0]["statistic"], "mean");
  EXPECT_EQ(json["statistics"][0]["changed"], true);
  EXPECT_NEAR(json["statistics"][0]["difference_interval"][0].get<double>(), 0.001, 1e-9);
  const std::string html = report_html(outcome, "");
  EXPECT_NE(html.find("<h2>Against earlier results</h2>"), std::string::npos);
  EXPECT_NE(html.find("<td class=text>changed</tr>"), std::string::npos);
}

TEST_F(ComparisonTest, WhatIsOnOneSideOnlyIsSaid) {
  const StoredResults there = read_results(done(study_of("1 m")), "s");
  Results here = run(study_of("1 m", "seed: 4\n")).results;
  here.columns[1].name = "later";
  for (RunRecord& r : here.runs)
    if (r.cell == "calm") r.cell = "still";
  here.cells[0] = "still";
  const StudyComparison c = compare_results(here, {}, there);
  EXPECT_EQ(c.notes,
            (std::vector<std::string>{
                "columns that are only here: later", "columns that are only there: late",
                "cells that are only here: still", "cells that are only there: calm",
                "of the cell 'rough, wild' 9 seeds are in common, of 12 here and 12 there"}));
  EXPECT_EQ(c.statistics[0].paired.difference.n, 9);
}

TEST_F(ComparisonTest, RunsWithoutValuesAreLeftOut) {
  const StoredResults there = read_results(done(study_of("1 m")), "s");
  Results here = run(study_of("1 m")).results;
  for (RunRecord& r : here.runs) {
    if (r.cell == "calm") r.values[0] = NAN;
    if (r.number == 13) r.failure = "diverged";
  }
  const StudyComparison c = compare_results(here, {}, there);
  ASSERT_EQ(c.notes.size(), 1U);
  EXPECT_EQ(c.notes[0], "'y' in the cell 'calm' has no pair with values on both sides");
  for (const ComparedStatistic& row : c.statistics)
    if (row.cell != "calm" && row.column == "y") {
      EXPECT_EQ(row.left_out, 1U);
      EXPECT_EQ(row.paired.difference.n, 11);
    }
}

TEST_F(ComparisonTest, WhatDoesNotGoTogetherIsAnError) {
  const StoredResults there = read_results(done(study_of("1 m")), "s");
  const Results ours = run(study_of("1 m")).results;
  const auto say = [&](const auto& change) {
    Results here = ours;
    change(here);
    return folder_.without_path(test::message_of([&] { compare_results(here, {}, there); }));
  };
  EXPECT_EQ(say([](Results& r) {
              for (RunRecord& run : r.runs) run.seed += 100;
            }),
            "before/results.csv: cell 'calm' has seeds from 1 to 12, and here from 101 to 112: "
            "none in common; runs are compared seed by seed: give --seed 1\n"
            "before/results.csv: cell 'rough, wild' has seeds from 1 to 12, and here from 101 to "
            "112: none in common; runs are compared seed by seed: give --seed 1");
  EXPECT_EQ(say([](Results& r) {
              r.cells = {"other"};
              for (RunRecord& run : r.runs) run.cell = "other";
            }),
            "before/results.csv: no cell is in common with this study; it has other, and there are "
            "calm, rough, wild");
  EXPECT_EQ(say([](Results& r) {
              r.columns[0].name = "u";
              r.columns[1].name = "v";
              r.judged = false;
            }),
            "before/results.csv:1: no column is in common with this study; it measures u, v, and "
            "there are y, late, good");
  EXPECT_EQ(say([](Results& r) { r.runs[1].seed = 1; }),
            "before/results.csv: cell 'calm' has 1 runs of the seed 1, and here there are 2; the "
            "grids are not the same; compare studies with the same grids");
}

TEST_F(ComparisonTest, AFolderWithoutResultsIsAnError) {
  const std::string hint =
      "; name the folder that an earlier 'handspan study NAME --out DIR' wrote";
  EXPECT_EQ(error(), "before: --against is no folder" + hint);
  fs::create_directories(out_);
  EXPECT_EQ(error(), "before: --against is no result of a study: it has no summary.json" + hint);
  put("summary.json", "{}");
  EXPECT_EQ(error(), "before: --against is no result of a study: it has no results.csv" + hint);
  put("unfinished.jsonl", "");
  EXPECT_EQ(error(),
            "before: --against has a study that was stopped before its end; do that study to its "
            "end first: the same command goes on from there");
}

TEST_F(ComparisonTest, OtherStudiesAndVersionsAreErrors) {
  done(study_of("1 m"));
  EXPECT_EQ(error("grab/random"),
            "before/summary.json: study is 's', and this is the study 'grab/random'; compare "
            "results of the same study");
  EXPECT_EQ(with("summary.json", "\"format\": 1", "\"format\": 99"),
            "before/summary.json: format is 99, and this handspan reads 1; do that study again "
            "with this version");
  EXPECT_EQ(with("summary.json", "\"format\": 1,", ""),
            "before/summary.json: format is not there: the file is of an older handspan, or no "
            "summary; do that study again with this version, which compares what it wrote itself");
  EXPECT_EQ(with("summary.json", "\"complete\": true", "\"complete\": false"),
            "before/summary.json: complete is false: that study was stopped; do it to its end "
            "first");
  const std::string kind = with("summary.json", "\"study\": \"s\"", "\"study\": 7");
  EXPECT_TRUE(kind.starts_with("before/summary.json: the file is not as handspan writes it: "))
      << kind;
}

TEST_F(ComparisonTest, CutAndEditedFilesAreErrors) {
  done(study_of("1 m"));
  const std::string again = "do that study again, or copy its folder again";
  const std::string summary = text("summary.json"), csv = text("results.csv");
  put("summary.json", summary.substr(0, summary.find("\"seed\"")));
  EXPECT_EQ(error(),
            "before/summary.json:5: the file is no whole JSON: it was cut or edited; " + again);
  put("summary.json", summary);
  put("results.csv", csv.substr(0, csv.size() - 5));
  EXPECT_EQ(error(), "before/results.csv:25: the file ends within a line: it was cut; " + again);
  put("results.csv", csv.substr(0, csv.rfind('\n', csv.size() - 2) + 1));
  EXPECT_EQ(error(),
            "before/results.csv: there are 23 runs in it, and summary.json beside it says 24; the "
            "file was cut or edited: " +
                again);
  put("results.csv", csv.substr(0, csv.find('\n') + 1));
  EXPECT_EQ(error(), "before/results.csv: there are no runs in it; name a folder with results");
  put("results.csv", csv);
  EXPECT_EQ(with("results.csv", "seed,word,y", "seed,word,z"),
            "before/results.csv:1: column 6 is 'z', and summary.json beside it has 'y'; the two "
            "files are not of one study: " +
                again);
  EXPECT_EQ(with("results.csv", ",failure\n", ",failure,more\n"),
            "before/results.csv:1: column 10 is 'more', which summary.json beside it does not "
            "have; the two files are not of one study: " +
                again)
      << csv;
  EXPECT_EQ(with("results.csv", "\n2,calm,", "\n2,calm,7,"),
            "before/results.csv:3: the line has 10 cells, and the first line 9; the file was cut "
            "or edited: " +
                again);
  EXPECT_EQ(with("results.csv", "\n3,calm,2,3,", "\n3,calm,2,x3,"),
            "before/results.csv:4: seed is 'x3', no whole number; " + again);
  const std::size_t y = csv.find(',', csv.find("\n4,calm,3,4,") + 12) + 1;
  std::string edited = csv;
  edited.replace(y, csv.find(',', y) - y, "nan");
  put("results.csv", edited);
  EXPECT_EQ(error(),
            "before/results.csv:5: y is 'nan', no finite number; what did not happen is an empty "
            "cell; " +
                again);
}

}  // namespace comparison_test
}  // namespace handspan
