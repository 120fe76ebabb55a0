#include "study/paired_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "study/correlation.hpp"
#include "study/rank_tests.hpp"

namespace handspan {
namespace {

void check_pairs(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size())
    throw InputError(fmt::format(
        "samples that are compared pair by pair are {} and {}; give as many of the one as of the "
        "other",
        a.size(), b.size()));
  if (a.empty()) throw InputError("there are no samples to compare; give at least one pair");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
      throw InputError(
          fmt::format("pair {} is {} and {}; leave out what is not finite", i + 1, a[i], b[i]));
}

double p_of(StatisticKind kind, std::span<const double> a, std::span<const double> b) {
  if (kind == StatisticKind::kShare) return mcnemar_p(a, b);
  std::vector<double> differences(a.size()), sums(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences[i] = a[i] - b[i];
    sums[i] = a[i] + b[i];
  }
  if (kind == StatisticKind::kMean || kind == StatisticKind::kMedian)
    return wilcoxon_p(differences);
  if (kind != StatisticKind::kDeviation) return NAN;
  if (std::ranges::all_of(differences, [&](double d) { return d == differences[0]; })) return 1.0;
  return correlation(CorrelationKind::kPearson, sums, differences).p;
}

}  // namespace

PairedDifference paired_difference(StatisticKind kind, std::span<const double> a,
                                   std::span<const double> b, const BootstrapOptions& options) {
  check_pairs(a, b);
  const std::size_t n = a.size();
  PairedDifference found;
  found.a = statistic_value(kind, a);
  found.b = statistic_value(kind, b);
  found.p = p_of(kind, a, b);
  std::vector<double> some_a, some_b;
  const auto resample = [&](std::span<const std::size_t> indices) {
    some_a.clear();
    some_b.clear();
    for (const std::size_t i : indices) {
      some_a.push_back(a[i]);
      some_b.push_back(b[i]);
    }
  };
  const auto difference = [&](std::span<const std::size_t> indices) {
    resample(indices);
    return statistic_value(kind, some_a) - statistic_value(kind, some_b);
  };
  const auto ratio = [&](std::span<const std::size_t> indices) {
    resample(indices);
    return statistic_value(kind, some_a) / statistic_value(kind, some_b);
  };
  found.difference = bca_interval(found.a - found.b, replicates(n, difference, options));
  // the same seed: the same resamples
  found.ratio = bca_interval(found.a / found.b, replicates(n, ratio, options));
  found.difference.n = found.ratio.n = static_cast<int>(n);
  return found;
}

}  // namespace handspan
