#include "study/study_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "made_results.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace study_text_test {

TEST(DurationText, IsRoundedUpToSeconds) {
  EXPECT_EQ(duration_text(0.0), "0 s");
  EXPECT_EQ(duration_text(0.1), "1 s");
  EXPECT_EQ(duration_text(59.0), "59 s");
  EXPECT_EQ(duration_text(59.5), "1 min 0 s");
  EXPECT_EQ(duration_text(130.0), "2 min 10 s");
  EXPECT_EQ(duration_text(3599.1), "1 h 0 min");
  EXPECT_EQ(duration_text(3900.0), "1 h 5 min");
  EXPECT_EQ(duration_text(90000.0), "25 h 0 min");
  EXPECT_EQ(duration_text(-1.0), "?");
  EXPECT_EQ(duration_text(NAN), "?");
}

TEST(NumberText, IsInTheShownUnitWithFourDigits) {
  EXPECT_EQ(number_text(0.012345678, "m"), "12.35");
  EXPECT_EQ(number_text(M_PI, "rad"), "180");
  EXPECT_EQ(number_text(12345.6, "N"), "12346");
  EXPECT_EQ(number_text(-123456789.0, ""), "-123456789");
  EXPECT_EQ(number_text(1e9, ""), "1e+09");
  EXPECT_EQ(number_text(9999.4, ""), "9999");
  EXPECT_EQ(number_text(0.0, "m"), "0");
  EXPECT_EQ(number_text(NAN, ""), "-");
  EXPECT_EQ(number_text(INFINITY, "m"), "-");
  EXPECT_EQ(value_text(0.0123, "m"), "12.3 mm");
  EXPECT_EQ(value_text(3.0, ""), "3");
}

TEST(EstimateText, HasItsIntervalWhereThereIsOne) {
  EXPECT_EQ(estimate_text({0.0123, 0.0101, 0.0152, 9}, "m"), "12.3 mm [10.1, 15.2]");
  EXPECT_EQ(estimate_text({0.5, 0.5, 0.5, 1}, ""), "0.5");
  EXPECT_EQ(estimate_text({0.5, -INFINITY, INFINITY, 1}, "s"), "0.5 s");
  EXPECT_EQ(estimate_text({0.5, 0.1, INFINITY, 1}, "s"), "0.5 s");
}

// runs of two cells with a flag and a rule for good ones; one failed
StudyOutcome small_outcome() {
  StudyOutcome outcome;
  outcome.results = test::made_results({{0, 0, 0.001}, {0, 0, 0.003}, {0, 0, 0.005}, {0, 0, NAN}});
  Results& results = outcome.results;
  results.cells = {"calm", "rough"};
  results.columns.push_back({"late", "", ""});
  results.judged = true;
  for (std::size_t i = 0; i < 4; ++i) {
    RunRecord& run = results.runs[i];
    run.cell = i < 2 ? "calm" : "rough";
    run.values.push_back(i == 1 ? 1.0 : 0.0);
    run.good = i < 2;
  }
  results.runs[3].failure = "it broke";
  results.runs[3].values = {NAN, NAN};
  outcome.done = 4;
  outcome.wall = 1.25;
  outcome.workers = 1;
  return outcome;
}

TEST(StudyText, IsATableOfEachCellAndWhatFailed) {
  const std::string text = study_text(small_outcome());
  EXPECT_EQ(text.substr(0, text.find("good:")),
            "\ncalm\n"
            "        n    mean  deviation  least  median  largest\n"
            "y [mm]  2       2      1.414      1       2        3\n"
            "late    2  1 of 2\n");
  EXPECT_NE(text.find("\ngood: 2 of 2, 100.0 % ["), std::string::npos) << text;
  // one that failed is not good, and has no numbers
  EXPECT_NE(text.find("\nrough\n"), std::string::npos);
  EXPECT_NE(text.find("y [mm]  1 "), std::string::npos) << text;
  EXPECT_NE(text.find("\ngood: 0 of 2, 0.0 % [0.0, "), std::string::npos) << text;
  EXPECT_NE(text.find("\n1 of 4 runs failed:\n  run 4: it broke\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n4 runs in 1.2 s by 1 worker\n")) << text;
}

TEST(StudyText, OfManyFailuresTheFirstAreShown) {
  StudyOutcome outcome = small_outcome();
  outcome.results.runs.resize(3);
  for (int i = 0; i < 9; ++i) {
    RunRecord run = outcome.results.runs[0];
    run.number = 10 + i;
    run.failure = "it broke";
    outcome.results.runs.push_back(run);
  }
  const std::string text = study_text(outcome);
  EXPECT_NE(text.find("9 of 12 runs failed:"), std::string::npos);
  EXPECT_NE(text.find("run 14: it broke"), std::string::npos);
  EXPECT_EQ(text.find("run 15"), std::string::npos);
}

TEST(StudyText, WhatWasAskedAndFoundStandsUnderIt) {
  StudyOutcome outcome = small_outcome();
  outcome.stages = {{"aim", {{"turn", 0.5, "rad"}}}};
  ExpectationOutcome held, failed;
  held.measured.text = "mean of y";
  held.measured.unit = "m";
  held.measured.estimate = {0.002, 0.001, 0.003, 4};
  held.limit_text = "<= 3 mm";
  held.holds = true;
  held.expectation.bound = Bound::kUpper;
  failed = held;
  failed.holds = false;
  failed.expectation.bound = Bound::kValue;
  outcome.expectations = {held, failed};
  outcome.resumed = 2;
  outcome.simulated = 12.3;
  outcome.workers = 2;
  const std::string text = study_text(outcome);
  EXPECT_NE(text.find("\naim:\n  turn  28.65 deg\n"), std::string::npos) << text;
  EXPECT_NE(text.find("holds   upper bound of mean of y: 2 mm [1, 3], asked <= 3 mm\n"
                      "FAILS   mean of y: 2 mm [1, 3], asked <= 3 mm\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(
      text.ends_with("4 runs in 1.2 s by 2 workers, 2 were there already; 12 s simulated\n"))
      << text;
}

TEST(RunText, HasWhatWasDrawnAndWhatCameOut) {
  StudyConfig study;
  study.name = "grab/random";
  Variation angle;
  angle.unit = "rad";
  study.vary.emplace_back("turn", angle);
  study.vary.emplace_back("tool", Variation());
  RunRecord run;
  run.number = 7;
  run.cell = "calm";
  run.repeat = 2;
  run.seed = 9;
  run.drawn = {{0.5, "0.5"}, {NAN, "plate"}};
  run.values = {0.012, 1.0};
  run.good = false;
  EXPECT_EQ(run_text(study, {{"y", "m", ""}, {"late", "", ""}}, run),
            "grab/random run 7: cell calm, repeat 2, seed 9\n"
            "  turn  28.65 deg\n"
            "  tool      plate\n"
            "  y         12 mm\n"
            "  late          1\n"
            "  good         no\n");
}

}  // namespace study_text_test
}  // namespace handspan
