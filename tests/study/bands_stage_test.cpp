#include "study/bands_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "line_trial.hpp"
#include "made_results.hpp"
#include "study/runner.hpp"
#include "study_support.hpp"

namespace handspan {
namespace bands_stage_test {

// y is 1 m + x for x of deviation 2 m; `other` is seen by nobody
const char* const kLine = R"(title: bands
subject: {trial: {type: line, slope: 0}}
n: 400
vary:
  offset: {normal: [1 m, 2 m], within: 6 m, key: offset}
  other: {normal: [0 s, 10 ms], keys: [{key: wait, gain: 0}]}
  fails: {list: [1000 m], key: fails_above}
stages:
)";

class BandsStage : public ::testing::Test {
 protected:
  StudyOutcome run(const std::string& stages) {
    return StudyRunner(folder_.study(kLine + stages), test::line_parts(), {}).run();
  }
  std::string error(const std::string& stages) {
    try {
      run(stages);
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "";
  }
  const test::StudyFolder folder_{test::kHoldScene, test::line_parts()};
};

double value(const StageOutcome& stage, const std::string& name) {
  for (const StageValue& v : stage.values)
    if (v.name == name) return v.value;
  ADD_FAILURE() << name;
  return NAN;
}

TEST_F(BandsStage, ABandHasTheRunsWithinSoManyDeviations) {
  const StudyOutcome a =
      run("  b: {type: bands, of: [y], variations: [offset], within: [0.5, 1, 3]}\n");
  for (const double k : {0.5, 1.0, 3.0}) {
    double n = 0.0, sum = 0.0, squares = 0.0;
    for (const RunRecord& run : a.results.runs) {
      const double y = run.values[0];
      if (std::abs(y - 1.0) > 2.0 * k) continue;
      n += 1.0;
      sum += y;
      squares += y * y;
    }
    const std::string row = k == 0.5 ? "0.5" : k == 1.0 ? "1" : "3";
    EXPECT_EQ(value(a.stages[0], row + ".n"), n);
    EXPECT_NEAR(value(a.stages[0], row + ".y"), std::sqrt((squares - sum * sum / n) / (n - 1.0)),
                1e-9);
  }
  EXPECT_EQ(value(a.stages[0], "3.n"), 400.0);
  EXPECT_EQ(a.stages[0].values[1].unit, "m");
  // of a normal distribution cut at one deviation: 0.5396
  EXPECT_NEAR(value(a.stages[0], "1.y"), 2.0 * 0.5396, 0.1);
}

TEST_F(BandsStage, AllVariationsAreWithinIt) {
  const StudyOutcome a =
      run("  b: {type: bands, of: [y], variations: [offset, other], within: [1]}\n");
  double n = 0.0;
  for (const RunRecord& run : a.results.runs)
    if (std::abs(run.drawn[0].number - 1.0) <= 2.0 && std::abs(run.drawn[1].number) <= 0.01)
      n += 1.0;
  EXPECT_EQ(value(a.stages[0], "1.n"), n);
  EXPECT_NEAR(n / 400.0, 0.6827 * 0.6827, 0.08);
}

// each has a fifth of the probability
TEST_F(BandsStage, BandsApartShareTheRuns) {
  const StudyOutcome a =
      run("  b: {type: bands, of: [y], variations: [offset], apart: true, within: [0.2533, 0.5244, "
          "0.8416, 1.2816, 3]}\n");
  double all = 0.0;
  for (const char* row : {"0.2533", "0.5244", "0.8416", "1.2816", "3"}) {
    const double n = value(a.stages[0], std::string(row) + ".n");
    // four standard deviations of a binomial one
    EXPECT_NEAR(n, 80.0, 32.0) << row;
    all += n;
  }
  EXPECT_EQ(all, 400.0);
}

// one that failed has no place in a band, and is not good in it either
TEST_F(BandsStage, OfGoodRunsThoseThatFailedAreLeftOutOnBothSides) {
  Results results =
      test::made_results({{9, 0, 1}, {0.1, 0, 1}, {5, 0, 1}, {0.2, 0, 1}, {0.3, 0, 1}});
  results.variations[0].mean = 0.0;
  results.variations[0].deviation = 1.0;
  results.judged = true;
  const bool good[] = {false, true, false, true, true};
  for (std::size_t i = 0; i < 5; ++i) results.runs[i].good = good[i];
  results.runs[0].failure = "it broke";
  const auto found =
      test::run_stage(register_bands_stage,
                      "{type: bands, of: [good], variations: [a], within: [1, 10]}\n", results);
  ASSERT_EQ(found.values.size(), 4U);
  EXPECT_EQ(found.values[0].value, 3.0);
  EXPECT_EQ(found.values[1].value, 0.0);  // all in it are good
  EXPECT_EQ(found.values[2].value, 4.0);
  EXPECT_NEAR(found.values[3].value, 0.5, 1e-12);  // three of four
}

TEST_F(BandsStage, ErrorsNamePlaceCauseAndHint) {
  EXPECT_EQ(error("  b: {type: bands, of: [y], variations: [fails], within: [1]}\n"),
            "study.yaml:9: stages.b cannot be done: 'fails' is not a normal variation");
  EXPECT_EQ(error("  b: {type: bands, of: [y], variations: [y], within: [1]}\n"),
            "study.yaml:9: stages.b cannot be done: 'y' is not a normal variation");
  EXPECT_EQ(error("  b: {type: bands, of: [y], variations: [offset], within: [1, 1]}\n"),
            "study.yaml:9: stages.b.within does not ascend; give the narrowest band first");
  EXPECT_EQ(error("  b: {type: bands, of: [z], variations: [offset], within: [1]}\n"),
            "study.yaml:9: stages.b cannot be done: the study has no column 'z'; it has: y, late, "
            "offset, other, fails");
}

}  // namespace bands_stage_test
}  // namespace handspan
