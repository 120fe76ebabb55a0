#include "study/rank_tests.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace handspan {
namespace {

constexpr std::size_t kExactPairs = 50;      // of Wilcoxon's test
constexpr std::size_t kExactTreatments = 7;  // of Page's: 5040 orders
constexpr std::size_t kExactBlocks = 100;

// twice a rank is whole
std::vector<int> doubled_ranks(std::span<const double> x) {
  std::vector<int> doubled;
  for (const double rank : ranks_of(x))
    doubled.push_back(static_cast<int>(std::lround(2.0 * rank)));
  return doubled;
}

// by block, the values of the treatments
std::vector<std::vector<double>> blocks_of(const std::vector<std::vector<double>>& treatments) {
  const std::size_t n = treatments.empty() ? 0 : treatments[0].size();
  if (treatments.size() < 3 || n == 0)
    throw std::invalid_argument("fewer than 3 treatments, or no blocks");
  std::vector<std::vector<double>> blocks(n);
  for (const auto& treatment : treatments) {
    if (treatment.size() != n) throw std::invalid_argument("treatments of unequal length");
    for (std::size_t i = 0; i < n; ++i) blocks[i].push_back(treatment[i]);
  }
  return blocks;
}

// how probable each whole number is, from `least` on
struct Chances {
  int least = 0;
  std::vector<double> probability;
};

Chances sum_of(const Chances& a, const Chances& b) {
  Chances sum{a.least + b.least,
              std::vector<double>(a.probability.size() + b.probability.size() - 1, 0.0)};
  for (std::size_t i = 0; i < a.probability.size(); ++i)
    for (std::size_t j = 0; j < b.probability.size(); ++j)
      sum.probability[i + j] += a.probability[i] * b.probability[j];
  return sum;
}

int placed_sum(const std::vector<int>& ranks) {
  int sum = 0;
  for (std::size_t j = 0; j < ranks.size(); ++j) sum += static_cast<int>(j + 1) * ranks[j];
  return sum;
}

// of the sum of place * rank when all orders of the ranks are equally probable
Chances shuffled(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  const int largest = placed_sum(ranks);
  const int least = placed_sum({ranks.rbegin(), ranks.rend()});
  Chances d{least, std::vector<double>(static_cast<std::size_t>(largest - least + 1), 0.0)};
  double orders = 0.0;
  do {
    d.probability[static_cast<std::size_t>(placed_sum(ranks) - least)] += 1.0;
    orders += 1.0;
  } while (std::ranges::next_permutation(ranks).found);
  for (double& p : d.probability) p /= orders;
  return d;
}

}  // namespace

std::vector<double> ranks_of(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t i = 0, end = 0; i < x.size(); i = end) {
    while (end < x.size() && x[order[end]] == x[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(i + 1 + end);
  }
  return ranks;
}

double wilcoxon_p(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double d : differences) {
    if (d == 0.0) continue;
    sizes.push_back(std::abs(d));
    positive.push_back(d > 0.0);
  }
  if (sizes.empty()) return 1.0;
  const std::vector<int> ranks = doubled_ranks(sizes);
  int sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += positive[i] ? ranks[i] : 0;
  if (ranks.size() <= kExactPairs) {
    Chances all{0, {1.0}};
    for (const int rank : ranks) {
      Chances sign{0, std::vector<double>(static_cast<std::size_t>(rank + 1), 0.0)};
      sign.probability.front() = sign.probability.back() = 0.5;
      all = sum_of(all, sign);
    }
    double below = 0.0, above = 0.0;
    for (std::size_t s = 0; s < all.probability.size(); ++s) {
      if (static_cast<int>(s) <= sum) below += all.probability[s];
      if (static_cast<int>(s) >= sum) above += all.probability[s];
    }
    return std::min(1.0, 2.0 * std::min(below, above));
  }
  // the variance of a sum of signed ranks: a quarter of the sum of their squares, ties and all
  double mean = 0.0, variance = 0.0;
  for (const int rank : ranks) {
    mean += 0.25 * rank;
    variance += 0.0625 * rank * rank;
  }
  const double z = (0.5 * sum - mean) / std::sqrt(variance);
  return 2.0 * boost::math::cdf(complement(boost::math::normal(), std::abs(z)));
}

double mcnemar_p(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw std::invalid_argument("samples of unequal length");
  int only_a = 0, only_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    only_a += a[i] != 0.0 && b[i] == 0.0 ? 1 : 0;
    only_b += a[i] == 0.0 && b[i] != 0.0 ? 1 : 0;
  }
  const int n = only_a + only_b;
  if (n == 0) return 1.0;
  const boost::math::binomial half(n, 0.5);
  return std::min(1.0, 2.0 * boost::math::cdf(half, std::min(only_a, only_b)));
}

FriedmanTest friedman_test(const std::vector<std::vector<double>>& treatments) {
  const auto blocks = blocks_of(treatments);
  const auto k = static_cast<double>(treatments.size()), n = static_cast<double>(blocks.size());
  FriedmanTest test;
  test.mean_ranks.assign(treatments.size(), 0.0);
  double squares = 0.0;
  for (const auto& block : blocks) {
    const auto ranks = ranks_of(block);
    for (std::size_t j = 0; j < ranks.size(); ++j) {
      test.mean_ranks[j] += ranks[j] / n;
      squares += ranks[j] * ranks[j];
    }
  }
  const double middle = 0.5 * (k + 1.0);
  double between = 0.0;
  for (const double rank : test.mean_ranks) between += (rank - middle) * (rank - middle);
  // Conover's T1: ties make the spread within blocks smaller
  const double spread = squares - n * k * middle * middle;
  if (!(spread > 0.0)) return test;
  test.chi_squared = (k - 1.0) * n * n * between / spread;
  test.agreement = test.chi_squared / (n * (k - 1.0));
  test.p = cdf(complement(boost::math::chi_squared(k - 1.0), test.chi_squared));
  return test;
}

PageTest page_test(const std::vector<std::vector<double>>& treatments) {
  const auto blocks = blocks_of(treatments);
  const auto k = static_cast<double>(treatments.size());
  PageTest test;
  test.exact = treatments.size() <= kExactTreatments && blocks.size() <= kExactBlocks;
  int doubled = 0;
  double mean = 0.0, variance = 0.0;
  Chances all{0, {1.0}};
  std::map<std::vector<int>, Chances> known;  // by sorted ranks
  for (const auto& block : blocks) {
    std::vector<int> ranks = doubled_ranks(block);
    doubled += placed_sum(ranks);
    double spread = 0.0;
    for (const int rank : ranks) spread += std::pow(0.5 * rank - 0.5 * (k + 1.0), 2);
    mean += 0.25 * k * (k + 1.0) * (k + 1.0);
    variance += k * (k + 1.0) / 12.0 * spread;
    if (!test.exact) continue;
    std::ranges::sort(ranks);
    auto found = known.find(ranks);
    if (found == known.end()) found = known.emplace(ranks, shuffled(ranks)).first;
    all = sum_of(all, found->second);
  }
  test.L = 0.5 * doubled;
  if (!test.exact) {
    if (variance > 0.0)
      test.p = cdf(complement(boost::math::normal(), (test.L - mean) / std::sqrt(variance)));
    return test;
  }
  test.p = 0.0;
  // the smallest first, so that nothing is lost
  for (std::size_t s = all.probability.size(); s-- > 0;)
    if (all.least + static_cast<int>(s) >= doubled) test.p += all.probability[s];
  test.p = std::min(1.0, test.p);
  return test;
}

}  // namespace handspan
