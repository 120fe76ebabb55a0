// Shares of a variance, against functions whose shares are known (Sobol 1993).
#include "study/first_order_stage.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "made_results.hpp"

namespace handspan {
namespace first_order_stage_test {

using test::made_results;

std::map<std::string, double> shares(const std::string& keys, const Results& results) {
  std::map<std::string, double> found;
  for (const StageValue& value :
       test::run_stage(register_first_order_stage, "{type: first_order, of: y" + keys + "}\n",
                       results)
           .values) {
    found[value.name] = value.value;
    EXPECT_EQ(value.unit, "");
  }
  return found;
}

// n runs of y = f(a, b), both uniform from 0 to 1
Results uniform_runs(int n, std::uint64_t seed, const std::function<double(double, double)>& f) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<std::array<double, 3>> rows;
  for (int i = 0; i < n; ++i) {
    const double a = unit(random), b = unit(random);
    rows.push_back({a, b, f(a, b)});
  }
  return made_results(rows);
}

// of y = 3 a + b a explains 9 / 10 and b 1 / 10; bands see a line but for what it does in a band,
// 1 / bands^2
TEST(FirstOrderStage, SharesOfASumAreThoseOfItsParts) {
  const Results results = uniform_runs(20000, 1, [](double a, double b) { return 3.0 * a + b; });
  for (const int bands : {5, 20}) {
    const auto found = shares(", bands: " + std::to_string(bands), results);
    ASSERT_EQ(found.size(), 2U);
    const double seen = 1.0 - 1.0 / (bands * bands);
    EXPECT_NEAR(found.at("a"), 0.9 * seen, 0.01) << bands;
    EXPECT_NEAR(found.at("b"), 0.1 * seen, 0.01) << bands;
  }
}

// the sign of a product tells of neither alone
TEST(FirstOrderStage, WhatTwoDoOnlyTogetherIsOfNeither) {
  const auto found =
      shares(", bands: 4",
             uniform_runs(20000, 2, [](double a, double b) { return (a - 0.5) * (b - 0.5); }));
  EXPECT_LT(found.at("a"), 0.01);
  EXPECT_LT(found.at("b"), 0.01);
}

TEST(FirstOrderStage, ChanceIsTakenOffAndNoShareIsBelowZero) {
  // y knows nothing of a and b: without what chance does, the shares of 40 runs would be about 0.1
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(1000 + seed);
    std::normal_distribution<double> normal;
    const auto found =
        shares("", uniform_runs(40, seed, [&](double, double) { return normal(random); }));
    for (const auto& [name, share] : found) {
      EXPECT_GE(share, 0.0);
      sum += share / 400.0;
    }
  }
  EXPECT_LT(sum, 0.06);
}

TEST(FirstOrderStage, AFunctionOfOneAloneIsAllItsOwn) {
  const auto found =
      shares(", bands: 100, variations: [a]", uniform_runs(20000, 3, [](double a, double) {
               return std::sin(2.0 * std::numbers::pi * a);
             }));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(found.at("a"), 0.995);
  EXPECT_LE(found.at("a"), 1.0);
}

// by hand: two bands of two, means 1 and 5 about 3, and 1 and 1 about each
TEST(FirstOrderStage, OfFourRunsItIsWhatAnalysisOfVarianceSays) {
  const Results results = made_results({{4, 0, 6}, {1, 0, 0}, {3, 0, 4}, {2, 0, 2}});
  // between 16, within 4, by chance 4 / 2
  EXPECT_NEAR(shares(", bands: 2, variations: [a]", results).at("a"), (16.0 - 2.0) / 20.0, 1e-15);
}

TEST(FirstOrderStage, WhatDoesNotVaryNothingExplains) {
  const Results results = made_results({{4, 0, 3}, {1, 0, 3}, {3, 0, 3}, {2, 0, 3}});
  EXPECT_EQ(shares(", bands: 2, variations: [a]", results).at("a"), 0.0);
}

// a explains all of whether runs are good, but for the first, which failed
TEST(FirstOrderStage, OfGoodRunsThoseThatFailedAreLeftOutOnBothSides) {
  Results results = made_results({{9, 0, 1}, {1, 0, 1}, {4, 0, 1}, {2, 0, 1}, {3, 0, 1}});
  results.judged = true;
  for (RunRecord& run : results.runs) run.good = run.drawn[0].number > 2.5;
  results.runs[0].good = false;
  results.runs[0].failure = "it broke";
  const auto found =
      test::run_stage(register_first_order_stage,
                      "{type: first_order, of: good, bands: 2, variations: [a]}\n", results);
  ASSERT_EQ(found.values.size(), 1U);
  EXPECT_EQ(found.values[0].value, 1.0);
}

TEST(FirstOrderStage, TooFewRunsAreAnErrorWithTheirNumber) {
  auto rows = std::vector<std::array<double, 3>>(9, {1.0, 2.0, 3.0});
  rows.push_back({1.0, 2.0, NAN});
  EXPECT_EQ(test::stage_error(register_first_order_stage,
                              "{type: first_order, of: y, variations: [a]}\n", made_results(rows)),
            "it has 9 runs with numbers of 'a' and 'y'; 5 bands need 10 at least");
}

}  // namespace first_order_stage_test
}  // namespace handspan
