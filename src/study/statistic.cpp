#include "study/statistic.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/values.hpp"

namespace handspan {
namespace {

constexpr double kTail = 0.025;  // on either side of an interval
constexpr double kInfinite = std::numeric_limits<double>::infinity();

double mean_of(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double deviation_of(std::span<const double> x) {
  const double mean = mean_of(x);
  double squares = 0.0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(x.size() - 1));
}

double t_quantile(double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 1.0 - kTail);
}

// linear between order statistics, as numpy and R have it (Hyndman and Fan 1996, type 7)
double quantile_of(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// Between which order statistics the quantile lies (Conover, Practical Nonparametric Statistics,
// section 3.2): the largest l with P(B < l) <= tail and the smallest u with P(B >= u) <= tail, B
// binomial (n, p).
void order_interval(const std::vector<double>& sorted, double p, Estimate& e) {
  const int n = static_cast<int>(sorted.size());
  const boost::math::binomial counts(n, p);
  int l = 0, u = n + 1;
  while (l + 1 <= n && boost::math::cdf(counts, l) <= kTail) ++l;
  while (u - 1 >= 1 && boost::math::cdf(boost::math::complement(counts, u - 2)) <= kTail) --u;
  if (l >= 1) e.lower = sorted[static_cast<std::size_t>(l - 1)];
  if (u <= n) e.upper = sorted[static_cast<std::size_t>(u - 1)];
}

// Wilson 1927; the score interval without a correction for continuity
void wilson_interval(double hits, double n, Estimate& e) {
  const double z = boost::math::quantile(boost::math::normal(), 1.0 - kTail);
  const double share = hits / n, squared = z * z / n;
  const double middle = (share + squared / 2.0) / (1.0 + squared);
  const double half =
      z / (1.0 + squared) * std::sqrt(share * (1.0 - share) / n + squared / (4.0 * n));
  // rounding leaves 1e-17 where the bound is none
  e.lower = hits == 0.0 ? 0.0 : middle - half;
  e.upper = hits == n ? 1.0 : middle + half;
}

void clopper_pearson_interval(double hits, double n, Estimate& e) {
  using boost::math::beta_distribution;
  e.lower = hits == 0.0 ? 0.0 : quantile(beta_distribution<>(hits, n - hits + 1.0), kTail);
  e.upper = hits == n ? 1.0 : quantile(beta_distribution<>(hits + 1.0, n - hits), 1.0 - kTail);
}

}  // namespace

const char* name_of(ShareInterval interval) {
  return interval == ShareInterval::kWilson ? "wilson" : "clopper_pearson";
}

Schema<ShareInterval> share_interval_schema() {
  return choice<ShareInterval>(
      {{"clopper_pearson", ShareInterval::kClopperPearson}, {"wilson", ShareInterval::kWilson}});
}

const char* name_of(StatisticKind kind) {
  constexpr const char* kNames[] = {"mean",  "deviation", "median",  "quantile",
                                    "share", "minimum",   "maximum", "count"};
  return kNames[static_cast<std::size_t>(kind)];
}

Schema<StatisticKind> statistic_kind_schema() {
  return choice<StatisticKind>({{"mean", StatisticKind::kMean},
                                {"deviation", StatisticKind::kDeviation},
                                {"median", StatisticKind::kMedian},
                                {"quantile", StatisticKind::kQuantile},
                                {"share", StatisticKind::kShare},
                                {"minimum", StatisticKind::kMinimum},
                                {"maximum", StatisticKind::kMaximum},
                                {"count", StatisticKind::kCount}});
}

double statistic_value(StatisticKind kind, std::span<const double> samples, double p) {
  if (kind == StatisticKind::kCount || kind == StatisticKind::kShare) {
    const auto hits = static_cast<double>(
        std::ranges::count_if(samples, [](double value) { return value != 0.0; }));
    return kind == StatisticKind::kCount ? hits : hits / static_cast<double>(samples.size());
  }
  if (samples.empty()) return NAN;
  switch (kind) {
    case StatisticKind::kMean:
      return mean_of(samples);
    case StatisticKind::kDeviation:
      return samples.size() < 2 ? NAN : deviation_of(samples);
    case StatisticKind::kMinimum:
      return std::ranges::min(samples);
    case StatisticKind::kMaximum:
      return std::ranges::max(samples);
    default:
      break;
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return quantile_of(sorted, kind == StatisticKind::kMedian ? 0.5 : p);
}

Estimate estimate(StatisticKind kind, std::span<const double> samples, double p,
                  ShareInterval interval) {
  std::vector<double> x;
  for (const double value : samples)
    if (std::isfinite(value)) x.push_back(value);
  std::ranges::sort(x);
  const auto n = static_cast<double>(x.size());
  Estimate e{NAN, -kInfinite, kInfinite, static_cast<int>(x.size())};
  if (kind == StatisticKind::kCount || kind == StatisticKind::kShare) {
    const auto hits =
        static_cast<double>(std::ranges::count_if(x, [](double value) { return value != 0.0; }));
    if (kind == StatisticKind::kCount) {
      e.value = e.lower = e.upper = hits;
    } else if (!x.empty()) {
      e.value = hits / n;
      if (interval == ShareInterval::kWilson)
        wilson_interval(hits, n, e);
      else
        clopper_pearson_interval(hits, n, e);
    }
    return e;
  }
  if (x.empty()) return e;
  // of equal samples nothing is left of rounding
  if (x.front() == x.back() && x.size() > 1) {
    e.value = kind == StatisticKind::kDeviation ? 0.0 : x.front();
    if (kind == StatisticKind::kMean || kind == StatisticKind::kDeviation)
      e.lower = e.upper = e.value;
    if (kind == StatisticKind::kMedian || kind == StatisticKind::kQuantile)
      order_interval(x, kind == StatisticKind::kMedian ? 0.5 : p, e);
    return e;
  }
  switch (kind) {
    case StatisticKind::kMean: {
      e.value = mean_of(x);
      if (x.size() < 2) break;
      const double half = t_quantile(n - 1.0) * deviation_of(x) / std::sqrt(n);
      e.lower = e.value - half;
      e.upper = e.value + half;
      break;
    }
    case StatisticKind::kDeviation: {
      if (x.size() < 2) break;
      e.value = deviation_of(x);
      const boost::math::chi_squared chi(n - 1.0);
      e.lower = e.value * std::sqrt((n - 1.0) / quantile(chi, 1.0 - kTail));
      e.upper = e.value * std::sqrt((n - 1.0) / quantile(chi, kTail));
      break;
    }
    case StatisticKind::kMedian:
    case StatisticKind::kQuantile:
      e.value = quantile_of(x, kind == StatisticKind::kMedian ? 0.5 : p);
      order_interval(x, kind == StatisticKind::kMedian ? 0.5 : p, e);
      break;
    case StatisticKind::kMinimum:
      e.value = x.front();
      break;
    default:
      e.value = x.back();
      break;
  }
  return e;
}

Comparison compare(StatisticKind kind, const Estimate& ours, double our_deviation, double theirs,
                   std::optional<int> their_n, std::optional<double> their_deviation) {
  Comparison c;
  c.difference = ours.value - theirs;
  c.lower = ours.lower - theirs;
  c.upper = ours.upper - theirs;
  c.ratio = ours.value / theirs;
  c.ratio_lower = ours.lower / theirs;
  c.ratio_upper = ours.upper / theirs;
  if (theirs < 0.0) std::swap(c.ratio_lower, c.ratio_upper);
  if (!their_n || *their_n < 2 || ours.n < 2) return c;
  const double n = ours.n, m = *their_n;
  if (kind == StatisticKind::kDeviation) {
    // (s1^2 / s2^2) / (sigma1^2 / sigma2^2) is F(n - 1, m - 1)
    const boost::math::fisher_f f(n - 1.0, m - 1.0);
    c.ratio_lower = c.ratio / std::sqrt(quantile(f, 1.0 - kTail));
    c.ratio_upper = c.ratio / std::sqrt(quantile(f, kTail));
  } else if (kind == StatisticKind::kMean && their_deviation) {
    // Welch 1947
    const double a = our_deviation * our_deviation / n;
    const double b = *their_deviation * *their_deviation / m;
    const double degrees = (a + b) * (a + b) / (a * a / (n - 1.0) + b * b / (m - 1.0));
    if (!(degrees > 0.0)) return c;
    const double half = t_quantile(degrees) * std::sqrt(a + b);
    c.lower = c.difference - half;
    c.upper = c.difference + half;
  }
  return c;
}

}  // namespace handspan
