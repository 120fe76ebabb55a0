#include "study/ratio_stage.hpp"

#include "core/values.hpp"
#include "study/statistic.hpp"

namespace handspan {
namespace {

struct RatioConfig {
  StatisticKind statistic = StatisticKind::kMean;
  std::vector<std::string> of;
  std::string cell, against;
};

class RatioStage : public Stage {
 public:
  explicit RatioStage(const RatioConfig& config) : config_(config) {}

  void check(const Results& none) const override {
    for (const std::string& column : config_.of)
      for (const std::string& cell : {config_.cell, config_.against}) none.samples(column, cell);
  }

  std::vector<StageValue> run(const StageContext& context) override {
    std::vector<StageValue> found;
    for (const std::string& column : config_.of) {
      const auto a = context.results.samples(column, config_.cell);
      const auto b = context.results.samples(column, config_.against);
      const Estimate ours = estimate(config_.statistic, a);
      const Estimate other = estimate(config_.statistic, b);
      const auto deviation = [](const auto& x) {
        return estimate(StatisticKind::kDeviation, x).value;
      };
      const Comparison c =
          compare(config_.statistic, ours, deviation(a), other.value, other.n, deviation(b));
      const bool counts =
          config_.statistic == StatisticKind::kShare || config_.statistic == StatisticKind::kCount;
      const std::string unit = counts ? "" : context.results.unit(column);
      const auto add = [&](const std::string& name, double value, const std::string& of_unit) {
        found.push_back({column + "." + name, value, of_unit, column});
      };
      add(config_.cell, ours.value, unit);
      add(config_.against, other.value, unit);
      add("ratio", c.ratio, "");
      if (config_.statistic != StatisticKind::kDeviation) continue;
      add("lower", c.ratio_lower, "");
      add("upper", c.ratio_upper, "");
    }
    return found;
  }

 private:
  RatioConfig config_;
};

}  // namespace

void register_ratio_stage(StageRegistry& registry) {
  using C = RatioConfig;
  const auto schema =
      object<C>("Ratio")
          .required("statistic", &C::statistic, statistic_kind_schema(),
                    "of deviations with the ratio's interval at 95 %, by F")
          .required("of", &C::of, list(text()).min_size(1), "columns: a row each")
          .required("cell", &C::cell, text())
          .required("against", &C::against, text(), "another cell, that it is divided by");
  registry.add("ratio", schema, "a statistic in one cell and in another, beside each other",
               [](const RatioConfig& config) { return std::make_unique<RatioStage>(config); });
}

}  // namespace handspan
