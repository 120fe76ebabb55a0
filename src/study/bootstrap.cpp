#include "study/bootstrap.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace handspan {
namespace {

// SciPy's reading of Efron's P(replicate < value): those that are equal count half
double share_below(std::span<const double> x, double value) {
  double twice = 0.0;
  for (const double each : x) twice += (each < value ? 1.0 : 0.0) + (each <= value ? 1.0 : 0.0);
  return twice / (2.0 * static_cast<double>(x.size()));
}

// a sixth of the skewness of the jackknife; 0 where all its values are equal
double acceleration_of(std::span<const double> left_out) {
  const double mean = statistic_value(StatisticKind::kMean, left_out);
  double squares = 0.0, cubes = 0.0;
  for (const double x : left_out) {
    const double u = mean - x;
    squares += u * u;
    cubes += u * u * u;
  }
  return squares > 0.0 ? cubes / (6.0 * std::pow(squares, 1.5)) : 0.0;
}

}  // namespace

Replicates replicates(std::size_t n, const IndexStatistic& statistic,
                      const BootstrapOptions& options) {
  Replicates made;
  std::vector<std::size_t> indices(n);
  RandomStream random(options.seed, "bootstrap");
  made.drawn.reserve(static_cast<std::size_t>(options.resamples));
  for (int r = 0; r < options.resamples; ++r) {
    for (std::size_t& index : indices) index = static_cast<std::size_t>(random.integer(n));
    made.drawn.push_back(statistic(indices));
  }
  if (n < 2) return made;
  indices.resize(n - 1);
  for (std::size_t out = 0; out < n; ++out) {
    for (std::size_t i = 0; i + 1 < n; ++i) indices[i] = i < out ? i : i + 1;
    made.left_out.push_back(statistic(indices));
  }
  return made;
}

Estimate bca_interval(double value, const Replicates& replicates) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  Estimate e{value, -kOpen, kOpen, static_cast<int>(replicates.left_out.size())};
  const auto finite = [](double x) { return std::isfinite(x); };
  if (replicates.left_out.size() < 2 || replicates.drawn.empty() || !finite(value) ||
      !std::ranges::all_of(replicates.drawn, finite) ||
      !std::ranges::all_of(replicates.left_out, finite))
    return e;
  const auto [least, largest] = std::ranges::minmax(replicates.drawn);
  if (least == largest && least == value) {
    e.lower = e.upper = value;
    return e;
  }
  const boost::math::normal normal;
  const double below = share_below(replicates.drawn, value);
  // all replicates on one side: no bias can be told, which leaves the percentile interval
  const double bias = below > 0.0 && below < 1.0 ? quantile(normal, below) : 0.0;
  const double a = acceleration_of(replicates.left_out);
  const auto bound = [&](double tail) {
    const double z = bias + quantile(normal, tail);
    const double at = cdf(normal, bias + z / (1.0 - a * z));
    return statistic_value(StatisticKind::kQuantile, replicates.drawn, at);
  };
  e.lower = bound(0.025);
  e.upper = bound(0.975);
  return e;
}

}  // namespace handspan
