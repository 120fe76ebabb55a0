#include "study/paired_stage.hpp"

#include <algorithm>
#include <cmath>

#include "core/values.hpp"
#include "study/correction.hpp"
#include "study/paired_difference.hpp"

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
    std::vector<StageValue> found;
    std::vector<double> p;
    std::vector<std::size_t> places;  // in `found`, of what gets the corrected p
    for (const std::string& column : config_.of)
      for (const std::string& cell : config_.cells) {
        const MatchedSamples matched =
            matched_samples({{&results, cell}, {&results, config_.against}}, column);
        const PairedDifference d = paired_difference(
            config_.statistic, matched.of[0], matched.of[1], {static_cast<int>(config_.resamples)});
        const std::string row = config_.cells.size() > 1 ? column + "." + cell : column;
        const std::string unit =
            config_.statistic == StatisticKind::kShare ? "" : results.unit(column);
        const auto add = [&](const char* name, double value, const std::string& of_unit = "") {
          found.push_back({row + "." + name, value, of_unit, row});
        };
        add("pairs", d.difference.n);
        add("left_out", static_cast<double>(matched.left_out));
        add("value", d.a, unit);
        add("against", d.b, unit);
        add("difference", d.difference.value, unit);
        add("lower", d.difference.lower, unit);
        add("upper", d.difference.upper, unit);
        add("ratio", d.ratio.value);
        add("ratio_lower", d.ratio.lower);
        add("ratio_upper", d.ratio.upper);
        add("p", d.p);
        places.push_back(found.size());
        add("p_corrected", d.p);
        p.push_back(d.p);
      }
    const auto all = corrected(config_.correction, p);
    for (std::size_t i = 0; i < places.size(); ++i) found[places[i]].value = all[i];
    return found;
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
