#include "study/paired_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "study/correction.hpp"
#include "study/correlation.hpp"
#include "study/rank_tests.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace paired_difference_test {

using test::message_of;
using Samples = std::vector<double>;

// what both have in common by their seed is 100 times as large as how they differ
TEST(PairedDifference, WhatPairsHaveInCommonDoesNotWidenIt) {
  RandomStream random(1, "common");
  Samples a, b;
  for (int i = 0; i < 20; ++i) {
    const double common = random.normal(0.0, 100.0);
    a.push_back(common + random.normal(3.0, 1.0));
    b.push_back(common + random.normal(0.0, 1.0));
  }
  const PairedDifference d = paired_difference(StatisticKind::kMean, a, b);
  EXPECT_NEAR(d.difference.value, 3.0, 1.0);
  EXPECT_GT(d.difference.lower, 1.5);
  EXPECT_LT(d.difference.upper, 4.5);
  EXPECT_LT(d.p, 1e-4);
  EXPECT_GT(estimate(StatisticKind::kMean, a).upper - estimate(StatisticKind::kMean, a).lower, 50);
}

TEST(PairedDifference, EqualSamplesDifferByNothing) {
  const Samples x = {1.0, 2.5, 4.0, 8.0};
  for (const StatisticKind kind : {StatisticKind::kMean, StatisticKind::kMedian,
                                   StatisticKind::kDeviation, StatisticKind::kShare}) {
    const PairedDifference d = paired_difference(kind, x, x);
    EXPECT_EQ(d.difference.lower, 0.0) << name_of(kind);
    EXPECT_EQ(d.difference.upper, 0.0) << name_of(kind);
    EXPECT_EQ(d.p, 1.0) << name_of(kind);
  }
}

TEST(PairedDifference, OneOrADivisionByZeroHasNoInterval) {
  const PairedDifference one = paired_difference(StatisticKind::kMean, Samples{2.0}, Samples{1.0});
  EXPECT_EQ(one.difference.value, 1.0);
  EXPECT_TRUE(std::isinf(one.difference.lower) && std::isinf(one.difference.upper));
  const PairedDifference zero =
      paired_difference(StatisticKind::kShare, Samples{1, 1, 0, 1}, Samples{0, 0, 0, 1});
  EXPECT_EQ(zero.ratio.value, 3.0);
  EXPECT_TRUE(std::isinf(zero.ratio.lower) && std::isinf(zero.ratio.upper));
  EXPECT_TRUE(std::isfinite(zero.difference.lower));
}

TEST(PairedDifference, BadSamplesAreErrors) {
  const auto say = [](const Samples& a, const Samples& b) {
    return message_of([&] { paired_difference(StatisticKind::kMean, a, b); });
  };
  EXPECT_EQ(say({1, 2}, {1}),
            "samples that are compared pair by pair are 2 and 1; give as many of the one as of "
            "the other");
  EXPECT_EQ(say({}, {}), "there are no samples to compare; give at least one pair");
  EXPECT_EQ(say({1, NAN}, {1, 2}), "pair 2 is nan and 2; leave out what is not finite");
}

// 95 in 100 intervals should have the true difference in them; BCa of 20 pairs has a little fewer,
// and an unpaired interval nearly all
TEST(PairedDifference, IntervalsCoverTheTruth) {
  constexpr int kStudies = 300;
  int covered = 0;
  for (int s = 0; s < kStudies; ++s) {
    RandomStream random(static_cast<std::uint64_t>(s), "coverage of pairs");
    Samples a, b;
    for (int i = 0; i < 20; ++i) {
      const double common = random.normal();
      a.push_back(common + random.normal(0.5, 1.0));
      b.push_back(common + random.normal(0.0, 0.5));
    }
    const Estimate d = paired_difference(StatisticKind::kMean, a, b, {300, 1}).difference;
    covered += d.lower <= 0.5 && 0.5 <= d.upper ? 1 : 0;
  }
  EXPECT_GT(covered, 0.88 * kStudies);
  EXPECT_LT(covered, 0.98 * kStudies);
}

TEST(RankTests, WhatDoesNotDifferHasNoOrder) {
  const std::vector<Samples> equal(4, Samples(5, 2.0));
  EXPECT_EQ(friedman_test(equal).p, 1.0);
  EXPECT_EQ(friedman_test(equal).agreement, 0.0);
  EXPECT_DOUBLE_EQ(page_test(equal).p, 1.0);
  EXPECT_EQ(wilcoxon_p(Samples(5, 0.0)), 1.0);
  EXPECT_EQ(mcnemar_p(Samples{1, 0}, Samples{1, 0}), 1.0);
}

// all 3! orders of each of 4 blocks are equally probable, and one of them rises throughout
TEST(RankTests, APerfectOrderIsOneOfAllOrders) {
  const std::vector<Samples> rising = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  EXPECT_NEAR(page_test(rising).p, std::pow(6.0, -4), 1e-15);
  EXPECT_DOUBLE_EQ(page_test({rising[2], rising[1], rising[0]}).p, 1.0);
  EXPECT_DOUBLE_EQ(friedman_test(rising).agreement, 1.0);
}

TEST(RankTests, SizesMustFit) {
  EXPECT_THROW(friedman_test({{1, 2}, {3, 4}}), std::invalid_argument);
  EXPECT_THROW(page_test({{1, 2}, {3, 4}, {5}}), std::invalid_argument);
  EXPECT_THROW(page_test({{}, {}, {}}), std::invalid_argument);
  EXPECT_THROW(mcnemar_p(Samples{1}, Samples{}), std::invalid_argument);
  EXPECT_THROW(correlation(CorrelationKind::kPearson, Samples{1}, Samples{}),
               std::invalid_argument);
}

TEST(Correlation, WhatDoesNotVaryHasNone) {
  for (const CorrelationKind kind :
       {CorrelationKind::kPearson, CorrelationKind::kSpearman, CorrelationKind::kKendall}) {
    const Correlation c = correlation(kind, Samples{1, 1, 1, 1}, Samples{1, 2, 3, 4});
    EXPECT_TRUE(std::isnan(c.r.value) && std::isnan(c.p)) << name_of(kind);
  }
  EXPECT_EQ(correlation(CorrelationKind::kPearson, Samples{1, 2, 3, 4}, Samples{2, 4, 6, 8}).p,
            0.0);
}

TEST(Correction, WhatIsNoNumberIsNotCounted) {
  const Samples p = corrected(Correction::kBonferroni, Samples{0.01, NAN, 0.6});
  EXPECT_DOUBLE_EQ(p[0], 0.02);
  EXPECT_TRUE(std::isnan(p[1]));
  EXPECT_EQ(p[2], 1.0);
}

}  // namespace paired_difference_test
}  // namespace handspan
