#pragma once
// Two samples that go together seed by seed: how much their statistics differ.
#include <span>

#include "study/bootstrap.hpp"
#include "study/statistic.hpp"

namespace handspan {

struct PairedDifference {
  double a = 0.0, b = 0.0;  // the statistic of each
  Estimate difference;      // a - b
  Estimate ratio;           // a / b; infinite where it may be a division by 0
  /// Two-sided, that there is no difference. Mean, median: Wilcoxon's signed-rank test. Share:
  /// McNemar's exact test. Deviation: Pitman's and Morgan's test (both 1939), which is of the
  /// correlation of sums with differences. NaN: of the other statistics there is none.
  double p = 1.0;
};

/// Intervals by the bootstrap (BCa), which draws pairs, so that what both have in common by their
/// seed does not widen them.
/// @param a, b the i-th of each go together; finite
/// @throws InputError for unequal lengths, no samples, or one that is not finite
PairedDifference paired_difference(StatisticKind kind, std::span<const double> a,
                                   std::span<const double> b, const BootstrapOptions& options = {});

}  // namespace handspan
