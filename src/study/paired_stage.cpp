#include "study/paired_stage.hpp"

#include <algorithm>
#include <cmath>

#include "core/values.hpp"
#include "study/paired_difference.hpp"
#include "study/tested_rows.hpp"

namespace handspan {
namespace {

struct PairedConfig {
  StatisticKind statistic = StatisticKind::kMean;
  std::vector<std::string> of, cells;
  std::string against;
  Correction correction = Correction::kHolm;
  std::int64_t resamples = BootstrapOptions{}.resamples;
};

class PairedStage : public Stage {
 public:
  explicit PairedStage(const PairedConfig& config) : config_(config) {}

  void check(const Results& none) const override {
    for (const std::string& column : config_.of) {
      none.samples(column, config_.against);
      for (const std::string& cell : config_.cells) none.samples(column, cell);
    }
  }

  std::vector<StageValue> run(const StageContext& context) override {
    const Results& results = context.results;
    TestedRows rows;
    for (const std::string& column : config_.of)
      for (const std::string& cell : config_.cells) {
        const MatchedSamples matched =
            matched_samples({{&results, cell}, {&results, config_.against}}, column);
        const PairedDifference d = paired_difference(
            config_.statistic, matched.of[0], matched.of[1], {static_cast<int>(config_.resamples)});
        const std::string unit =
            config_.statistic == StatisticKind::kShare ? "" : results.unit(column);
        rows.row(config_.cells.size() > 1 ? column + "." + cell : column);
        rows.add("pairs", d.difference.n);
        rows.add("left_out", static_cast<double>(matched.left_out));
        rows.add("value", d.a, unit);
        rows.add("against", d.b, unit);
        rows.add("difference", d.difference.value, unit);
        rows.add("lower", d.difference.lower, unit);
        rows.add("upper", d.difference.upper, unit);
        rows.add("ratio", d.ratio.value);
        rows.add("ratio_lower", d.ratio.lower);
        rows.add("ratio_upper", d.ratio.upper);
        rows.add_p(d.p);
      }
    return rows.take(config_.correction);
  }

 private:
  PairedConfig config_;
};

}  // namespace

void register_paired_stage(StageRegistry& registry) {
  using C = PairedConfig;
  const auto statistic = choice<StatisticKind>({{"mean", StatisticKind::kMean},
                                                {"median", StatisticKind::kMedian},
                                                {"deviation", StatisticKind::kDeviation},
                                                {"share", StatisticKind::kShare}});
  const auto schema =
      object<C>("Paired")
          .optional("statistic", &C::statistic, statistic,
                    "p: Wilcoxon's signed-rank test, of a deviation Pitman's and Morgan's, of a "
                    "share McNemar's")
          .required("of", &C::of, list(text()).min_size(1), "columns")
          .required("cells", &C::cells, list(text()).min_size(1), "a row each of each column")
          .required("against", &C::against, text(), "another cell, which is taken from them")
          .optional("correction", &C::correction, correction_schema(),
                    "of the p-values, for how many rows there are")
          .optional("resamples", &C::resamples, integer().min(1000).max(1'000'000),
                    "of the bootstrap");
  registry.add("paired", schema,
               "the difference and the ratio of cells to another, paired by seed, with bootstrap "
               "intervals",
               [](const PairedConfig& config) { return std::make_unique<PairedStage>(config); });
}

}  // namespace handspan
