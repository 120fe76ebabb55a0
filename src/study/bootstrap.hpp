#pragma once
// The bootstrap: intervals of any statistic, by drawing from the samples again and again (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993).
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "study/statistic.hpp"

namespace handspan {

struct BootstrapOptions {
  int resamples = 9999;
  std::uint64_t seed = 1;  // the same seed draws the same resamples
};

/// The statistic of the samples with these indices (each below n, any of them often).
using IndexStatistic = std::function<double(std::span<const std::size_t>)>;

struct Replicates {
  std::vector<double> drawn;     // of each resample
  std::vector<double> left_out;  // without the i-th sample: the jackknife
};

/// @param n samples, at least 1
Replicates replicates(std::size_t n, const IndexStatistic& statistic,
                      const BootstrapOptions& options);

/// `value` with its bias-corrected and accelerated interval at 95 % (BCa; Efron 1987, "Better
/// bootstrap confidence intervals", JASA 82, equations 2.3 and 6.6). Infinite with fewer than 2
/// samples or when a replicate is not finite; the value alone when all replicates are equal to it.
Estimate bca_interval(double value, const Replicates& replicates);

}  // namespace handspan
