#include "study/best_stage.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "made_results.hpp"

namespace handspan {
namespace best_stage_test {

using test::made_results;

test::StageFinding best(const std::string& keys, const Results& results) {
  return test::run_stage(register_best_stage, "{type: best, of: y, " + keys + "}\n", results);
}

// of y the mean counts: at a = 1 it is 2, at a = 2 it is 3, though the least of all is there
const std::vector<std::array<double, 3>> kRows = {{1, 0, 1.5}, {2, 0, 0.0}, {1, 1, 2.5},
                                                  {2, 1, 6.0}, {3, 0, 2.5}, {3, 1, 2.5}};

TEST(BestStage, TheMeanOfAllRunsOfAValueCounts) {
  const auto found = best("variations: [a]", made_results(kRows));
  ASSERT_EQ(found.values.size(), 1U);
  EXPECT_EQ(found.values[0].name, "a");
  EXPECT_EQ(found.values[0].value, 1.0);
  EXPECT_EQ(found.values[0].unit, "rad");
  EXPECT_TRUE(found.asked.empty());
  EXPECT_EQ(best("variations: [a], largest: true", made_results(kRows)).values[0].value, 2.0);
}

TEST(BestStage, AChoiceIsOfAllItsVariationsTogether) {
  const auto found = best("variations: [b, a]", made_results(kRows));
  ASSERT_EQ(found.values.size(), 2U);
  EXPECT_EQ(found.values[0].name, "b");
  EXPECT_EQ(found.values[0].value, 0.0);
  EXPECT_EQ(found.values[1].value, 2.0);
}

TEST(BestStage, RunsThatHaveNoNumberAreLeftOut) {
  auto rows = kRows;
  rows.push_back({4, 0, NAN});
  rows.push_back({NAN, 0, -100.0});
  rows.push_back({5, 0, -static_cast<double>(INFINITY)});
  EXPECT_EQ(best("variations: [a]", made_results(rows)).values[0].value, 1.0);
  Results failed = made_results(kRows);
  failed.runs[0].failure = failed.runs[2].failure = "it broke";
  // those at a = 1 are gone
  EXPECT_EQ(best("variations: [a]", failed).values[0].value, 3.0);
}

// one that failed is not good, and of no value of a variation either
TEST(BestStage, OfGoodRunsThoseThatFailedAreLeftOutOnBothSides) {
  Results results = made_results({{1, 0, 1}, {1, 0, 1}, {2, 0, 1}, {1, 0, 1}, {2, 0, 1}});
  results.judged = true;
  const bool good[] = {false, true, false, true, false};
  for (std::size_t i = 0; i < 5; ++i) results.runs[i].good = good[i];
  results.runs[0].failure = "it broke";
  results.runs[0].values[0] = NAN;
  const auto found = test::run_stage(
      register_best_stage, "{type: best, of: good, largest: true, variations: [a]}\n", results);
  ASSERT_EQ(found.values.size(), 1U);
  EXPECT_EQ(found.values[0].value, 1.0);
}

TEST(BestStage, AgainHasFreshSeeds) {
  Results results = made_results(kRows);
  results.runs[1].repeat = 40;
  const auto found = best("variations: [a, b], again: 3", results);
  ASSERT_EQ(found.asked.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const RunRequest& request = found.asked[static_cast<std::size_t>(i)];
    EXPECT_EQ(request.repeat, 41 + i);
    EXPECT_EQ(request.values,
              (std::vector<std::pair<std::string, double>>{{"a", 2.0}, {"b", 0.0}}));
    EXPECT_FALSE(request.middle);
  }
}

TEST(BestStage, SaysWhatItLacks) {
  const auto error = [](const std::string& text, const Results& results) {
    return test::stage_error(register_best_stage, text, results);
  };
  EXPECT_EQ(error("{type: best, of: y, variations: [a]}\n", made_results({{1, 1, NAN}})),
            "there is no run with numbers of 'y' and its variations");
  EXPECT_EQ(error("{type: best, of: z, variations: [a]}\n", made_results(kRows))
                .find("the study has no column 'z'"),
            0U);
  EXPECT_EQ(error("{type: best, of: y, variations: [c]}\n", made_results(kRows))
                .find("the study has no column 'c'"),
            0U);
  EXPECT_NE(error("{type: best, of: y, variations: []}\n", made_results(kRows)), "no error");
}

}  // namespace best_stage_test
}  // namespace handspan
