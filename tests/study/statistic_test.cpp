#include "study/statistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/random.hpp"

namespace handspan {
namespace statistic_test {

std::vector<double> counted(int n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

// P(B >= k) of n trials with probability p, summed
double at_least(int k, int n, double p) {
  double sum = 0.0;
  for (int i = k; i <= n; ++i)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) +
                    i * std::log(p) + (n - i) * std::log1p(-p));
  return sum;
}

TEST(Statistic, DeviationHasTheIntervalOfTheChiSquareTable) {
  // of 29 degrees of freedom: 16.047 at 0.025 and 45.722 at 0.975, as tables print them
  std::vector<double> x = counted(30);
  const Estimate e = estimate(StatisticKind::kDeviation, x);
  EXPECT_NEAR(e.value, std::sqrt(30.0 * 31.0 / 12.0), 1e-12);
  EXPECT_NEAR(e.lower / e.value, std::sqrt(29.0 / 45.722), 1e-5);
  EXPECT_NEAR(e.upper / e.value, std::sqrt(29.0 / 16.047), 1e-4);
  EXPECT_EQ(e.n, 30);
}

TEST(Statistic, MeanHasTheIntervalOfStudentsTable) {
  // 2.262 of 9 degrees of freedom
  const Estimate e = estimate(StatisticKind::kMean, counted(10));
  EXPECT_DOUBLE_EQ(e.value, 5.5);
  const double half = 2.262157 * std::sqrt(10.0 * 11.0 / 12.0) / std::sqrt(10.0);
  EXPECT_NEAR(e.lower, 5.5 - half, 1e-6);
  EXPECT_NEAR(e.upper, 5.5 + half, 1e-6);
}

TEST(Statistic, BoundsOfAShareAreWhereTheBinomialTailsAre) {
  for (const auto& [hits, n] : std::vector<std::pair<int, int>>{{57, 60}, {1, 7}, {150, 300}}) {
    std::vector<double> x(static_cast<std::size_t>(n), 0.0);
    std::fill_n(x.begin(), hits, 1.0);
    const Estimate e = estimate(StatisticKind::kShare, x);
    EXPECT_DOUBLE_EQ(e.value, static_cast<double>(hits) / n);
    EXPECT_NEAR(at_least(hits, n, e.lower), 0.025, 1e-9) << hits << " of " << n;
    EXPECT_NEAR(1.0 - at_least(hits + 1, n, e.upper), 0.025, 1e-9) << hits << " of " << n;
  }
  const Estimate none = estimate(StatisticKind::kShare, std::vector<double>(20, 0.0));
  EXPECT_EQ(none.lower, 0.0);
  EXPECT_NEAR(std::pow(1.0 - none.upper, 20), 0.025, 1e-12);
  const Estimate all = estimate(StatisticKind::kShare, std::vector<double>(20, 1.0));
  EXPECT_EQ(all.upper, 1.0);
  EXPECT_NEAR(std::pow(all.lower, 20), 0.025, 1e-12);
}

TEST(Statistic, MedianLiesBetweenTheOrderStatisticsOfTheTable) {
  // Conover, table: n = 10 at 95 %: second to ninth; of 5 there is none
  const Estimate ten = estimate(StatisticKind::kMedian, counted(10));
  EXPECT_DOUBLE_EQ(ten.value, 5.5);
  EXPECT_EQ(ten.lower, 2.0);
  EXPECT_EQ(ten.upper, 9.0);
  const Estimate six = estimate(StatisticKind::kMedian, counted(6));
  EXPECT_EQ(six.lower, 1.0);
  EXPECT_EQ(six.upper, 6.0);
  const Estimate five = estimate(StatisticKind::kMedian, counted(5));
  EXPECT_TRUE(std::isinf(five.lower) && std::isinf(five.upper));
}

TEST(Statistic, WhatIsNotFiniteIsNoSample) {
  const Estimate e = estimate(StatisticKind::kMean, std::vector<double>{1.0, NAN, 3.0, INFINITY});
  EXPECT_DOUBLE_EQ(e.value, 2.0);
  EXPECT_EQ(e.n, 2);
  EXPECT_TRUE(std::isnan(estimate(StatisticKind::kMean, {}).value));
  EXPECT_TRUE(std::isnan(estimate(StatisticKind::kDeviation, std::vector{1.0}).value));
  EXPECT_TRUE(std::isinf(estimate(StatisticKind::kMean, std::vector{1.0}).upper));
  EXPECT_EQ(estimate(StatisticKind::kCount, std::vector<double>{1.0, 0.0, NAN, 1.0}).value, 2.0);
  EXPECT_EQ(estimate(StatisticKind::kQuantile, counted(5), 0.25).value, 2.0);
}

TEST(Statistic, IntervalsCoverWhatTheySayTheyDo) {
  constexpr int kStudies = 4000;
  int mean = 0, deviation = 0, median = 0;
  for (int s = 0; s < kStudies; ++s) {
    RandomStream random(static_cast<std::uint64_t>(s), "coverage");
    std::vector<double> x(15);
    for (double& value : x) value = random.normal(3.0, 2.0);
    const auto covers = [&](StatisticKind kind, double truth) {
      const Estimate e = estimate(kind, x);
      return e.lower <= truth && truth <= e.upper ? 1 : 0;
    };
    mean += covers(StatisticKind::kMean, 3.0);
    deviation += covers(StatisticKind::kDeviation, 2.0);
    median += covers(StatisticKind::kMedian, 3.0);
  }
  // four standard deviations of a binomial count; order statistics cover at least that
  const double sigma = std::sqrt(kStudies * 0.95 * 0.05);
  EXPECT_NEAR(mean, 0.95 * kStudies, 4.0 * sigma);
  EXPECT_NEAR(deviation, 0.95 * kStudies, 4.0 * sigma);
  EXPECT_GT(median, 0.95 * kStudies - 4.0 * sigma);
}

TEST(Statistic, ComparesWithWhatWasPublished) {
  const auto x = counted(30);
  const Estimate s = estimate(StatisticKind::kDeviation, x);
  const Comparison exact = compare(StatisticKind::kDeviation, s, s.value, 8.0, {}, {});
  EXPECT_DOUBLE_EQ(exact.ratio, s.value / 8.0);
  EXPECT_DOUBLE_EQ(exact.ratio_lower, s.lower / 8.0);
  EXPECT_DOUBLE_EQ(exact.difference, s.value - 8.0);
  // F of many degrees is chi-square; of as many on both sides it is symmetric in the logarithm
  const Comparison many = compare(StatisticKind::kDeviation, s, s.value, 8.0, 10'000'000, {});
  EXPECT_NEAR(many.ratio_upper, exact.ratio_upper, 1e-3);
  const Comparison same = compare(StatisticKind::kDeviation, s, s.value, 8.0, 30, {});
  EXPECT_NEAR(same.ratio_lower * same.ratio_upper, same.ratio * same.ratio, 1e-9);
  EXPECT_LT(same.ratio_lower, exact.ratio_lower);
  // Welch of equal numbers and deviations: 2 (n - 1) degrees, here 58: 2.00172
  const Estimate m = estimate(StatisticKind::kMean, x);
  const Comparison welch = compare(StatisticKind::kMean, m, s.value, 15.0, 30, s.value);
  EXPECT_NEAR(welch.upper - welch.difference, 2.00172 * s.value * std::sqrt(2.0 / 30.0), 1e-4);
}

}  // namespace statistic_test
}  // namespace handspan
