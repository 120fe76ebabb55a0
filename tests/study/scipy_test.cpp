// Our statistics beside SciPy's, to 1e-9.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/random.hpp"
#include "study/correction.hpp"
#include "study/correlation.hpp"
#include "study/paired_difference.hpp"
#include "study/rank_tests.hpp"

namespace handspan {
namespace scipy_test {

using Json = nlohmann::json;
using Samples = std::vector<double>;

constexpr BootstrapOptions kFew{200, 7};

// @param step values are whole multiples of it, so that some are equal; 0: any
Samples drawn(std::size_t n, const std::string& name, double mean = 0.0, double step = 0.0) {
  RandomStream random(3, name);
  Samples x(n);
  for (double& value : x) {
    value = random.normal(mean, 1.0);
    if (step > 0.0) value = std::round(value / step) * step;
  }
  return x;
}

Json interval(const Estimate& e) { return {e.lower, e.upper}; }

// the resamples that the bootstrap with these options draws
Json draws(std::size_t n) {
  Json all = Json::array();
  replicates(
      n,
      [&](std::span<const std::size_t> indices) {
        if (indices.size() == n) all.push_back(Samples(indices.begin(), indices.end()));
        return 0.0;
      },
      kFew);
  for (Json& draw : all)
    for (Json& index : draw) index = index.get<int>();
  return all;
}

// What SciPy finds otherwise, and how many numbers agree; "": there is no SciPy.
std::string compared(const Json& cases) {
  const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
  const auto file = std::filesystem::temp_directory_path() /
                    ("handspan_scipy_" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << cases;
  const std::string command = (source / ".deps/venv/bin/python").string() + " " +
                              (source / "tests/study/check_statistics.py").string() + " " +
                              file.string() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  const int code = WEXITSTATUS(pclose(pipe));
  std::filesystem::remove(file);
  return code == 3 || code == 127 ? "" : text;
}

void expect_agreement(const Json& cases, int numbers) {
  const std::string said = compared(cases);
  if (said.empty()) GTEST_SKIP() << "there is no SciPy: tools/setup --test";
  EXPECT_EQ(said, std::to_string(numbers) + " agree\n");
}

TEST(AsSciPy, IntervalsOfSharesMeansAndDeviations) {
  Json cases = Json::array();
  for (const auto& [hits, n] :
       std::vector<std::pair<int, int>>{{0, 20}, {1, 7}, {57, 60}, {150, 300}, {12, 12}}) {
    Samples x(static_cast<std::size_t>(n), 0.0);
    std::fill_n(x.begin(), hits, 1.0);
    const auto of = [&](ShareInterval kind) {
      return interval(estimate(StatisticKind::kShare, x, 0.5, kind));
    };
    cases.push_back({{"what", "share"},
                     {"hits", hits},
                     {"n", n},
                     {"ours",
                      {{"clopper_pearson", of(ShareInterval::kClopperPearson)},
                       {"wilson", of(ShareInterval::kWilson)}}}});
  }
  for (const std::size_t n : {2U, 15U, 200U}) {
    const Samples x = drawn(n, "interval", 3.0);
    cases.push_back({{"what", "intervals"},
                     {"x", x},
                     {"ours",
                      {{"mean", interval(estimate(StatisticKind::kMean, x))},
                       {"deviation", interval(estimate(StatisticKind::kDeviation, x))}}}});
  }
  expect_agreement(cases, 5 * 4 + 3 * 4);
}

TEST(AsSciPy, TestsOfPairs) {
  Json cases = Json::array();
  const auto add = [&](const Samples& x) {
    cases.push_back({{"what", "wilcoxon"}, {"x", x}, {"ours", {{"p", wilcoxon_p(x)}}}});
  };
  for (const std::size_t n : {1U, 5U, 30U, 50U, 80U}) add(drawn(n, "pairs", 0.4));
  // with ties and zeros: exact given these, and by the normal distribution
  for (const std::size_t n : {8U, 11U, 150U}) add(drawn(n, "tied pairs", 0.3, 0.5));
  for (const std::size_t n : {12U, 40U}) {
    Samples a = drawn(n, "yes", 0.3, 1.0), b = drawn(n, "no", -0.2, 1.0);
    cases.push_back({{"what", "mcnemar"}, {"a", a}, {"b", b}, {"ours", {{"p", mcnemar_p(a, b)}}}});
  }
  expect_agreement(cases, 10);
}

std::vector<Samples> treatments(std::size_t k, std::size_t n, double slope, double step) {
  std::vector<Samples> all;
  for (std::size_t j = 0; j < k; ++j)
    all.push_back(drawn(n, "treatment " + std::to_string(j), slope * static_cast<double>(j), step));
  return all;
}

TEST(AsSciPy, FriedmansAndPagesTests) {
  Json cases = Json::array();
  int numbers = 0;
  for (const auto& [k, n, slope, step] :
       std::vector<std::tuple<std::size_t, std::size_t, double, double>>{{3, 4, 0.5, 0.0},
                                                                         {3, 4, 0.3, 1.0},
                                                                         {4, 3, 0.1, 0.5},
                                                                         {5, 20, 0.1, 0.0},
                                                                         {9, 30, 0.05, 0.0}}) {
    const auto t = treatments(k, n, slope, step);
    const FriedmanTest f = friedman_test(t);
    cases.push_back(
        {{"what", "friedman"},
         {"treatments", t},
         {"ours", {{"chi_squared", f.chi_squared}, {"p", f.p}, {"mean_ranks", f.mean_ranks}}}});
    const PageTest p = page_test(t);
    EXPECT_EQ(p.exact, k <= 7);
    cases.push_back({{"what", "page"},
                     {"treatments", t},
                     {"exact", p.exact},
                     {"ours", {{"L", p.L}, {"p", p.p}}}});
    numbers += 4 + static_cast<int>(k);
  }
  const auto tied = treatments(4, 60, 0.1, 1.0);
  const FriedmanTest f = friedman_test(tied);
  cases.push_back(
      {{"what", "friedman"},
       {"treatments", tied},
       {"ours", {{"chi_squared", f.chi_squared}, {"p", f.p}, {"mean_ranks", f.mean_ranks}}}});
  expect_agreement(cases, numbers + 6);
}

TEST(AsSciPy, Correlations) {
  Json cases = Json::array();
  for (const CorrelationKind kind :
       {CorrelationKind::kPearson, CorrelationKind::kSpearman, CorrelationKind::kKendall})
    for (const auto& [n, step] :
         std::vector<std::pair<std::size_t, double>>{{10, 0.0}, {33, 0.0}, {40, 0.0}, {25, 0.5}}) {
      const Samples x = drawn(n, "x", 0.0, step);
      Samples y = drawn(n, "y", 0.0, step);
      for (std::size_t i = 0; i < n; ++i) y[i] -= 0.5 * x[i];
      const Correlation c = correlation(kind, x, y, kFew);
      cases.push_back({{"what", "correlation"},
                       {"kind", name_of(kind)},
                       {"x", x},
                       {"y", y},
                       {"draws", kind == CorrelationKind::kPearson ? Json() : draws(n)},
                       {"ours", {{"r", c.r.value}, {"p", c.p}, {"interval", interval(c.r)}}}});
    }
  expect_agreement(cases, 12 * 4);
}

TEST(AsSciPy, PairedDifferencesAndRatios) {
  Json cases = Json::array();
  for (const StatisticKind kind : {StatisticKind::kMean, StatisticKind::kMedian,
                                   StatisticKind::kDeviation, StatisticKind::kShare}) {
    const bool share = kind == StatisticKind::kShare;
    const Samples a = drawn(24, "a", share ? 0.3 : 5.0, share ? 1.0 : 0.0);
    Samples b = drawn(24, "b", share ? 0.6 : 4.0, share ? 1.0 : 0.0);
    const PairedDifference d = paired_difference(kind, a, b, kFew);
    Json ours = {{"difference", d.difference.value},
                 {"difference_interval", interval(d.difference)},
                 {"ratio", d.ratio.value},
                 {"ratio_interval", interval(d.ratio)}};
    if (kind == StatisticKind::kDeviation) ours["p"] = d.p;
    cases.push_back({{"what", "paired"},
                     {"kind", name_of(kind)},
                     {"a", a},
                     {"b", b},
                     {"draws", draws(a.size())},
                     {"ours", ours}});
  }
  expect_agreement(cases, 4 * 6 + 1);
}

TEST(AsSciPy, CorrectionsForManyComparisons) {
  Json cases = Json::array();
  for (const std::size_t n : {1U, 2U, 12U}) {
    RandomStream random(5, "p");
    Samples p(n);
    for (double& value : p) value = std::pow(random.uniform(), 3);
    if (n > 2) p[4] = p[7];
    Json ours;
    for (const Correction kind :
         {Correction::kBonferroni, Correction::kHolm, Correction::kBenjaminiHochberg})
      ours[name_of(kind)] = corrected(kind, p);
    cases.push_back({{"what", "correction"}, {"p", p}, {"ours", ours}});
  }
  expect_agreement(cases, 3 * 15);
}

}  // namespace scipy_test
}  // namespace handspan
