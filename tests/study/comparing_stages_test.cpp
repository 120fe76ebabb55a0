// Stages that compare cells seed by seed: paired, trend, friedman, correlation.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "made_results.hpp"
#include "study/correlation_stage.hpp"
#include "study/friedman_stage.hpp"
#include "study/paired_stage.hpp"
#include "study/trend_stage.hpp"

namespace handspan {
namespace comparing_stages_test {

using Samples = std::vector<double>;

// cells of which the i-th run has the seed 1 + i, the column y [m] and the flag ok
Results results_of(const std::vector<std::pair<std::string, Samples>>& cells,
                   std::uint64_t seed = 1) {
  Results results;
  results.columns = {{"y", "m", ""}, {"ok", "", ""}};
  for (const auto& [name, values] : cells) {
    results.cells.push_back(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      RunRecord run;
      run.number = static_cast<int>(results.runs.size()) + 1;
      run.cell = name;
      run.repeat = static_cast<int>(i);
      run.seed = seed + i;
      run.values = {values[i], values[i] > 0.0 ? 1.0 : 0.0};
      results.runs.push_back(run);
    }
  }
  return results;
}

std::map<std::string, double> by_name(const test::StageFinding& finding) {
  std::map<std::string, double> values;
  for (const StageValue& value : finding.values) values[value.name] = value.value;
  return values;
}

const Results& three() {
  static const Results results = results_of({{"low", {1.0, 2.0, 3.0, 4.0, 5.5, 6.0}},
                                             {"middle", {1.5, 2.2, 3.9, 4.4, 5.0, 6.1}},
                                             {"high", {2.5, 2.7, 4.9, 5.3, 6.5, 7.9}}});
  return results;
}

TEST(PairedStage, HasARowForEachCell) {
  const auto finding =
      test::run_stage(register_paired_stage,
                      "{type: paired, of: [y], cells: [middle, high], against: low}", three());
  auto v = by_name(finding);
  EXPECT_EQ(v["y.high.pairs"], 6.0);
  EXPECT_EQ(v["y.high.left_out"], 0.0);
  EXPECT_NEAR(v["y.high.difference"], 8.3 / 6.0, 1e-12);
  EXPECT_NEAR(v["y.high.ratio"], 29.8 / 21.5, 1e-12);
  EXPECT_GT(v["y.high.lower"], 0.5);
  EXPECT_LT(v["y.high.upper"], 2.0);
  // all six rise: one of 2^6 signs on either side; Holm doubles the smaller of two
  EXPECT_DOUBLE_EQ(v["y.high.p"], 2.0 / 64.0);
  EXPECT_DOUBLE_EQ(v["y.high.p_corrected"], 4.0 / 64.0);
  EXPECT_GT(v["y.middle.p"], v["y.high.p"]);
  EXPECT_DOUBLE_EQ(v["y.middle.p_corrected"], v["y.middle.p"]);
  EXPECT_EQ(finding.values[2].unit, "m");
  EXPECT_EQ(finding.values[0].row, "y.middle");
}

TEST(PairedStage, SharesAreOfYesAndNo) {
  const Results results = results_of({{"a", {1, 1, 1, 1, 0, 1}}, {"b", {0, 0, 0, 1, 0, 0}}});
  auto v = by_name(test::run_stage(
      register_paired_stage, "{type: paired, statistic: share, of: [ok], cells: [a], against: b}",
      results));
  EXPECT_DOUBLE_EQ(v["ok.difference"], 4.0 / 6.0);
  EXPECT_DOUBLE_EQ(v["ok.p"], 2.0 / 16.0);
}

TEST(PairedStage, RunsWithoutAValueAreLeftOutAndCounted) {
  Results results = results_of({{"a", {1, 2, 3, 4}}, {"b", {2, NAN, 4, 5}}});
  results.runs[0].failure = "diverged";
  auto v = by_name(test::run_stage(register_paired_stage,
                                   "{type: paired, of: [y], cells: [a], against: b}", results));
  EXPECT_EQ(v["y.pairs"], 2.0);
  EXPECT_EQ(v["y.left_out"], 2.0);
  EXPECT_DOUBLE_EQ(v["y.difference"], -1.0);
}

TEST(PairedStage, CellsMustGoTogether) {
  const auto error = [](const Results& results, const std::string& of = "y") {
    return test::stage_error(register_paired_stage,
                             "{type: paired, of: [" + of + "], cells: [a], against: b}", results);
  };
  Results other = results_of({{"a", {1, 2, 3}}});
  const Results fresh = results_of({{"b", {1, 2, 3}}}, 101);
  other.cells.emplace_back("b");
  other.runs.insert(other.runs.end(), fresh.runs.begin(), fresh.runs.end());
  EXPECT_EQ(error(other),
            "the cells 'a', 'b' have no seed in common, and are compared seed by seed; take cells "
            "of the study, which all have the same seeds");
  EXPECT_EQ(error(results_of({{"a", {1, 2}}, {"b", {NAN, NAN}}})),
            "'y' has no value in any run that the cells have in common; see the column 'failure' "
            "of results.csv, or take another column");
  EXPECT_EQ(error(results_of({{"a", {}}, {"b", {}}})),
            "the cells 'a', 'b' have no seed in common, and are compared seed by seed; take cells "
            "of the study, which all have the same seeds");
  EXPECT_EQ(error(results_of({{"a", {1}}, {"b", {1}}}), "z"),
            "the study has no column 'z'; it has: y, ok");
  Results grid = results_of({{"a", {1, 2}}, {"b", {1, 2}}});
  grid.runs[1].seed = 1;
  EXPECT_EQ(error(grid),
            "the seed 1 has 2 runs in the cell 'a' and 1 in 'b', so that it is not clear which go "
            "together; compare cells with the same grids");
}

TEST(TrendStage, SaysWhetherCellsAreInOrder) {
  auto up = by_name(test::run_stage(register_trend_stage,
                                    "{type: trend, of: [y], cells: [low, middle, high]}", three()));
  EXPECT_EQ(up["y.seeds"], 6.0);
  EXPECT_NEAR(up["y.in_low"], 21.5 / 6.0, 1e-12);
  EXPECT_EQ(up["y.ordered"], 1.0);
  // five blocks of ranks 1 2 3 and one of 2 1 3
  EXPECT_EQ(up["y.L"], 5.0 * 14.0 + 13.0);
  EXPECT_NEAR(up["y.p"], (1.0 + 6.0 * 2.0) / std::pow(6.0, 6), 1e-12);
  auto down = by_name(test::run_stage(
      register_trend_stage, "{type: trend, of: [y], cells: [low, middle, high], order: decreasing}",
      three()));
  EXPECT_EQ(down["y.ordered"], 0.0);
  EXPECT_GT(down["y.p"], 0.99);
  auto turned = by_name(test::run_stage(
      register_trend_stage, "{type: trend, of: [y], cells: [high, middle, low], order: decreasing}",
      three()));
  EXPECT_EQ(turned["y.p"], up["y.p"]);
}

TEST(FriedmanStage, SaysWhetherCellsDiffer) {
  auto v = by_name(test::run_stage(register_friedman_stage,
                                   "{type: friedman, of: [y, ok], cells: [low, middle, high]}",
                                   three()));
  EXPECT_DOUBLE_EQ(v["y.rank_in_high"], 3.0);
  EXPECT_DOUBLE_EQ(v["y.rank_in_low"], 7.0 / 6.0);
  EXPECT_NEAR(v["y.agreement"], v["y.chi_squared"] / 12.0, 1e-12);
  // of 2 degrees of freedom the tail is exp(-x / 2)
  EXPECT_NEAR(v["y.p"], std::exp(-0.5 * v["y.chi_squared"]), 1e-12);
  EXPECT_NEAR(v["y.p_corrected"], 2.0 * v["y.p"], 1e-12);
  EXPECT_EQ(v["ok.p"], 1.0);
}

TEST(CorrelationStage, IsOfColumnsAndVariations) {
  const Results results = test::made_results(
      {{1, 0, 2.1}, {2, 0, 3.9}, {3, 0, 6.2}, {4, 0, NAN}, {5, 0, 9.8}, {6, 0, 12.1}});
  for (const char* method : {"pearson", "spearman", "kendall"}) {
    auto v = by_name(test::run_stage(
        register_correlation_stage,
        std::string("{type: correlation, of: [y], with: [a, b], method: ") + method + "}",
        results));
    EXPECT_EQ(v["y.a.n"], 5.0);
    EXPECT_EQ(v["y.a.left_out"], 1.0);
    EXPECT_GT(v["y.a.r"], 0.99) << method;
    // b does not vary, and is not counted as a comparison
    EXPECT_TRUE(std::isnan(v["y.b.r"])) << method;
    EXPECT_DOUBLE_EQ(v["y.a.p_corrected"], v["y.a.p"]);
  }
  EXPECT_EQ(test::stage_error(register_correlation_stage, "{type: correlation, of: [y], with: [a]}",
                              test::made_results({{1, 0, NAN}})),
            "no run has numbers for both 'y' and 'a'; see the column 'failure' of results.csv, or "
            "take other columns");
}

TEST(TrendStage, NeedsThreeCells) {
  for (const auto& [add, type] : std::vector<std::pair<void (*)(StageRegistry&), std::string>>{
           {register_trend_stage, "trend"}, {register_friedman_stage, "friedman"}}) {
    const std::string said =
        test::stage_error(add, "{type: " + type + ", of: [y], cells: [low, high]}", three());
    EXPECT_TRUE(said.starts_with("t.yaml:1: cells ")) << said;
  }
}

}  // namespace comparing_stages_test
}  // namespace handspan
