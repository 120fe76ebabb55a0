#include "study/correlation.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "core/values.hpp"
#include "study/rank_tests.hpp"

namespace handspan {
namespace {

constexpr std::size_t kExactKendall = 33;

bool does_vary(std::span<const double> x) {
  return !x.empty() && std::ranges::min(x) < std::ranges::max(x);
}

double pearson_r(std::span<const double> x, std::span<const double> y) {
  if (!does_vary(x) || !does_vary(y)) return NAN;
  const double mean_x = statistic_value(StatisticKind::kMean, x);
  const double mean_y = statistic_value(StatisticKind::kMean, y);
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
}

// numbers of samples that are equal to each other
std::vector<double> ties_of(std::span<const double> x) {
  std::map<double, double> counts;
  for (const double value : x) counts[value] += 1.0;
  std::vector<double> ties;
  for (const auto& [value, count] : counts) ties.push_back(count);
  return ties;
}

// pairs in the same order less those in the opposite one
double order_score(std::span<const double> x, std::span<const double> y) {
  const auto sign = [](double d) { return d > 0.0 ? 1 : d < 0.0 ? -1 : 0; };
  long score = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) score += sign(x[i] - x[j]) * sign(y[i] - y[j]);
  return static_cast<double>(score);
}

double tied_pairs(const std::vector<double>& ties) {
  double pairs = 0.0;
  for (const double t : ties) pairs += 0.5 * t * (t - 1.0);
  return pairs;
}

double kendall_tau(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double pairs = 0.5 * n * (n - 1.0);
  const double of_x = pairs - tied_pairs(ties_of(x)), of_y = pairs - tied_pairs(ties_of(y));
  if (!(of_x > 0.0) || !(of_y > 0.0)) return NAN;
  return std::clamp(order_score(x, y) / std::sqrt(of_x) / std::sqrt(of_y), -1.0, 1.0);
}

double r_of(CorrelationKind kind, std::span<const double> x, std::span<const double> y) {
  switch (kind) {
    case CorrelationKind::kPearson:
      return pearson_r(x, y);
    case CorrelationKind::kSpearman:
      return pearson_r(ranks_of(x), ranks_of(y));
    case CorrelationKind::kKendall:
      break;
  }
  return kendall_tau(x, y);
}

// P of at most so many inversions of n, by Knuth's recurrence (volume 3, section 5.1.1)
double inversions_at_most(std::size_t n, std::size_t most) {
  std::vector<double> probability = {1.0};
  for (std::size_t k = 2; k <= n; ++k) {
    std::vector<double> next(probability.size() + k - 1, 0.0);
    for (std::size_t i = 0; i < probability.size(); ++i)
      for (std::size_t j = 0; j < k; ++j) next[i + j] += probability[i] / static_cast<double>(k);
    probability = std::move(next);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i <= std::min(most, probability.size() - 1); ++i) sum += probability[i];
  return sum;
}

double kendall_p(std::span<const double> x, std::span<const double> y) {
  const auto tx = ties_of(x), ty = ties_of(y);
  const auto n = static_cast<double>(x.size());
  const double score = order_score(x, y), pairs = 0.5 * n * (n - 1.0);
  if (tx.size() == x.size() && ty.size() == y.size() && x.size() <= kExactKendall) {
    const auto fewer = static_cast<std::size_t>(std::lround(0.5 * (pairs - std::abs(score))));
    return std::min(1.0, 2.0 * inversions_at_most(x.size(), fewer));
  }
  // Kendall, Rank Correlation Methods, section 5
  const auto sum = [](const std::vector<double>& ties, const auto& of) {
    double all = 0.0;
    for (const double t : ties) all += of(t);
    return all;
  };
  const auto first = [](double t) { return t * (t - 1.0) * (2.0 * t + 5.0); };
  const auto second = [](double t) { return t * (t - 1.0) * (t - 2.0); };
  double variance = (n * (n - 1.0) * (2.0 * n + 5.0) - sum(tx, first) - sum(ty, first)) / 18.0 +
                    2.0 * tied_pairs(tx) * tied_pairs(ty) / (n * (n - 1.0));
  if (n > 2.0) variance += sum(tx, second) * sum(ty, second) / (9.0 * n * (n - 1.0) * (n - 2.0));
  return 2.0 * cdf(complement(boost::math::normal(), std::abs(score) / std::sqrt(variance)));
}

double student_p(double r, double n) {
  if (n < 3.0) return 1.0;
  if (std::abs(r) >= 1.0) return 0.0;
  const double t = std::abs(r) * std::sqrt((n - 2.0) / ((1.0 - r) * (1.0 + r)));
  return 2.0 * cdf(complement(boost::math::students_t(n - 2.0), t));
}

}  // namespace

const char* name_of(CorrelationKind kind) {
  constexpr const char* kNames[] = {"pearson", "spearman", "kendall"};
  return kNames[static_cast<std::size_t>(kind)];
}

Schema<CorrelationKind> correlation_kind_schema() {
  return choice<CorrelationKind>({{"pearson", CorrelationKind::kPearson},
                                  {"spearman", CorrelationKind::kSpearman},
                                  {"kendall", CorrelationKind::kKendall}});
}

Correlation correlation(CorrelationKind kind, std::span<const double> x, std::span<const double> y,
                        const BootstrapOptions& options) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  if (x.size() != y.size()) throw std::invalid_argument("samples of unequal length");
  const std::size_t n = x.size();
  Correlation c{{r_of(kind, x, y), -kOpen, kOpen, static_cast<int>(n)}, NAN};
  if (!std::isfinite(c.r.value)) return c;
  c.p = kind == CorrelationKind::kKendall ? kendall_p(x, y)
                                          : student_p(c.r.value, static_cast<double>(n));
  if (kind == CorrelationKind::kPearson) {
    if (n < 4) return c;
    const double half = boost::math::quantile(boost::math::normal(), 0.975) /
                        std::sqrt(static_cast<double>(n) - 3.0);
    c.r.lower = std::tanh(std::atanh(c.r.value) - half);
    c.r.upper = std::tanh(std::atanh(c.r.value) + half);
    return c;
  }
  std::vector<double> some_x, some_y;
  const auto of = [&](std::span<const std::size_t> indices) {
    some_x.clear();
    some_y.clear();
    for (const std::size_t i : indices) {
      some_x.push_back(x[i]);
      some_y.push_back(y[i]);
    }
    return r_of(kind, some_x, some_y);
  };
  c.r = bca_interval(c.r.value, replicates(n, of, options));
  return c;
}

}  // namespace handspan
