// A study beside earlier results of it.
#include "study/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/random.hpp"
#include "study/comparison_report.hpp"
#include "study/report.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace comparison_test {

namespace fs = std::filesystem;

// 12 runs in each of two cells, with the noise of their seeds around `offset`
Results made(double offset, std::uint64_t seed = 1) {
  Results results;
  results.cells = {"calm", "rough"};
  results.variations = {{"word", ""}};
  results.columns = {{"y", "m", "of the line"}, {"late", "", ""}};
  results.judged = true;
  for (const std::string& cell : results.cells)
    for (int i = 0; i < 12; ++i) {
      RunRecord run;
      run.number = static_cast<int>(results.runs.size()) + 1;
      run.cell = cell;
      run.repeat = i;
      run.seed = seed + static_cast<std::uint64_t>(i);
      const double noise = RandomStream(run.seed, "noise").normal();
      run.drawn = {{NAN, i % 2 == 0 ? "a" : "b, c"}};
      run.values = {offset + (cell == "calm" ? 0.1 : 0.5) * noise, i > 3 ? 1.0 : 0.0};
      run.good = i <= 3;
      results.runs.push_back(run);
    }
  return results;
}

class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    std::string name = (fs::temp_directory_path() / "handspan_comparison_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    out_ = folder_ / "before";
  }
  ~ComparisonTest() override { fs::remove_all(folder_); }

  // what a study with these results leaves in out_
  void leave(const Results& results) const {
    StudyOutcome outcome;
    outcome.study.name = "s";
    outcome.study.title = "t";
    outcome.results = results;
    outcome.complete = true;
    fs::create_directories(out_);
    put("summary.json", summary_json(outcome));
    put("results.csv", results_csv(results));
  }
  StoredResults before() const {
    leave(made(1.0));
    return read_results(out_, "s");
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
  std::string without_path(std::string message) const {
    for (std::size_t at; (at = message.find(folder_.string() + "/")) != std::string::npos;)
      message.erase(at, folder_.string().size() + 1);
    return message;
  }
  std::string error(const std::string& study = "s") const {
    return without_path(test::message_of([&] { read_results(out_, study); }));
  }

  fs::path folder_, out_;
};

TEST_F(ComparisonTest, ResultsComeBackAsTheyWere) {
  Results results = made(1.0);
  const StoredResults there = before();
  EXPECT_EQ(there.study, "s");
  EXPECT_FALSE(there.build.empty());
  EXPECT_EQ(there.results.cells, (std::vector<std::string>{"calm", "rough"}));
  EXPECT_TRUE(there.results.judged);
  EXPECT_EQ(results_csv(there.results), results_csv(results));
  // what failed and why, in quotes and over several lines
  RunRecord& failed = results.runs[3];
  failed.failure = "it said \"no, never\"\nand no more";
  failed.values.assign(2, NAN);
  failed.drawn[0].text = "[1, 2]";
  put("results.csv", results_csv(results));
  EXPECT_EQ(results_csv(read_results(out_, "s").results), results_csv(results));
}

TEST_F(ComparisonTest, TheSameRunsHaveTheSameBits) {
  const StoredResults there = before();
  const StudyComparison c = compare_results(made(1.0), {}, there);
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
  const StoredResults there = before();
  const StudyComparison c = compare_results(made(1.001), {{"offset", "1.001"}}, there);
  EXPECT_EQ(c.changed, 2U);
  const ComparedStatistic& mean = c.statistics[0];
  EXPECT_TRUE(mean.changed);
  EXPECT_EQ(mean.kind, StatisticKind::kMean);
  EXPECT_NEAR(mean.paired.difference.value, 0.001, 1e-12);
  EXPECT_FALSE(c.statistics[1].changed) << "the deviation is the same but for rounding";
  const std::string said = comparison_text(c);
  EXPECT_NE(said.find("mean of y in calm"), std::string::npos) << said;
  EXPECT_NE(said.find("mean of y in rough"), std::string::npos) << said;
  EXPECT_EQ(said.find("deviation of y"), std::string::npos) << said;
  EXPECT_NE(said.find("here with --param offset=1.001"), std::string::npos) << said;
  const auto json = nlohmann::json::parse(comparison_json(c));
  EXPECT_EQ(json["statistics"][0]["column"], "y");
  EXPECT_EQ(json["statistics"][0]["statistic"], "mean");
  EXPECT_EQ(json["statistics"][0]["changed"], true);
  EXPECT_NEAR(json["statistics"][0]["difference_interval"][0].get<double>(), 0.001, 1e-9);
  const std::string html = comparison_html(c);
  EXPECT_NE(html.find("<h2>Against earlier results</h2>"), std::string::npos);
  EXPECT_NE(html.find("<td class=text>changed</tr>"), std::string::npos);
}

TEST_F(ComparisonTest, WhatIsOnOneSideOnlyIsSaid) {
  const StoredResults there = before();
  Results here = made(1.0, 4);
  here.columns[1].name = "later";
  for (RunRecord& r : here.runs)
    if (r.cell == "calm") r.cell = "still";
  here.cells[0] = "still";
  const StudyComparison c = compare_results(here, {}, there);
  EXPECT_EQ(c.notes, (std::vector<std::string>{
                         "columns that are only here: later", "columns that are only there: late",
                         "cells that are only here: still", "cells that are only there: calm",
                         "of the cell 'rough' 9 seeds are in common, of 12 here and 12 there"}));
  EXPECT_EQ(c.statistics[0].paired.difference.n, 9);
}

TEST_F(ComparisonTest, RunsWithoutValuesAreLeftOut) {
  const StoredResults there = before();
  Results here = made(1.0);
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
  const StoredResults there = before();
  const Results ours = made(1.0);
  const auto say = [&](const auto& change) {
    Results here = ours;
    change(here);
    return without_path(test::message_of([&] { compare_results(here, {}, there); }));
  };
  EXPECT_EQ(say([](Results& r) {
              for (RunRecord& run : r.runs) run.seed += 100;
            }),
            "before/results.csv: cell 'calm' has seeds from 1 to 12, and here from 101 to 112: "
            "none in common; runs are compared seed by seed: give --seed 1\n"
            "before/results.csv: cell 'rough' has seeds from 1 to 12, and here from 101 to "
            "112: none in common; runs are compared seed by seed: give --seed 1");
  EXPECT_EQ(say([](Results& r) {
              r.cells = {"other"};
              for (RunRecord& run : r.runs) run.cell = "other";
            }),
            "before/results.csv: no cell is in common with this study; it has other, and there are "
            "calm, rough");
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
  before();
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
  before();
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
  const std::string word = "\"b, c\",";
  const std::size_t y = csv.find(word, csv.find("\n4,calm,3,4,")) + word.size();
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
