#pragma once
// Statistics of samples, with intervals at 95 %. What is not finite is not a sample.
#include <optional>
#include <span>
#include <string>

#include "core/schema.hpp"

namespace handspan {

enum class StatisticKind {
  kMean,
  kDeviation,
  kMedian,
  kQuantile,
  kShare,
  kMinimum,
  kMaximum,
  kCount
};
/// "mean", "deviation" ...
const char* name_of(StatisticKind kind);
Schema<StatisticKind> statistic_kind_schema();

/// Of a share.
enum class ShareInterval {
  kClopperPearson,  // Clopper and Pearson 1934: covers at least 95 %, whatever the share is
  kWilson           // Wilson 1927: narrower, covers 95 % on average over shares, now and then less
};
/// "clopper_pearson", "wilson".
const char* name_of(ShareInterval interval);
Schema<ShareInterval> share_interval_schema();

/// A value and where the true one is in 95 of 100 such studies; an interval that cannot be said is
/// infinite.
struct Estimate {
  double value = 0.0;  // NaN: too few samples
  double lower = 0.0, upper = 0.0;
  int n = 0;  // samples
};

/// Mean: Student's t. Deviation (of n - 1): chi-square. Median and quantiles: order statistics, by
/// the binomial distribution; no interval where n is too small for one. Share (of samples that are
/// not 0): by name. The others have none. Means and deviations assume samples that are normally
/// distributed.
/// @param p of a quantile, 0 to 1
Estimate estimate(StatisticKind kind, std::span<const double> samples, double p = 0.5,
                  ShareInterval interval = ShareInterval::kClopperPearson);

/// The value alone of samples that are finite: what a bootstrap asks for many thousand times.
/// NaN: too few samples.
double statistic_value(StatisticKind kind, std::span<const double> samples, double p = 0.5);

/// Of our mean less another's.
struct Comparison {
  double difference = 0.0;  // ours - theirs
  double lower = 0.0, upper = 0.0;
  double ratio = 0.0;  // ours / theirs
  double ratio_lower = 0.0, ratio_upper = 0.0;
};

/// Ours against a published value. Deviations: the ratio's interval is by F when their n is known,
/// else theirs is taken as exact. Means: Welch's when their deviation and n are known, else theirs
/// is exact. Others: theirs is exact.
Comparison compare(StatisticKind kind, const Estimate& ours, double our_deviation, double theirs,
                   std::optional<int> their_n, std::optional<double> their_deviation);

}  // namespace handspan
