#include "study/trend_stage.hpp"

#include <algorithm>

#include "core/values.hpp"
#include "study/correction.hpp"
#include "study/rank_tests.hpp"
#include "study/statistic.hpp"

namespace handspan {
namespace {

enum class Order { kIncreasing, kDecreasing };

struct TrendConfig {
  StatisticKind statistic = StatisticKind::kMean;
  std::vector<std::string> of, cells;
  Order order = Order::kIncreasing;
  Correction correction = Correction::kHolm;
};

class TrendStage : public Stage {
 public:
  explicit TrendStage(const TrendConfig& config) : config_(config) {}

  void check(const Results& none) const override {
    for (const std::string& column : config_.of)
      for (const std::string& cell : config_.cells) none.samples(column, cell);
  }

  std::vector<StageValue> run(const StageContext& context) override {
    std::vector<CellOf> cells;
    for (const std::string& cell : config_.cells) cells.push_back({&context.results, cell});
    std::vector<StageValue> found;
    std::vector<double> p;
    std::vector<std::size_t> places;  // in `found`, of what gets the corrected p
    for (const std::string& column : config_.of) {
      MatchedSamples matched = matched_samples(cells, column);
      const std::string unit =
          config_.statistic == StatisticKind::kShare ? "" : context.results.unit(column);
      const auto add = [&](const std::string& name, double value, const std::string& of_unit = "") {
        found.push_back({column + "." + name, value, of_unit, column});
      };
      add("seeds", static_cast<double>(matched.of[0].size()));
      add("left_out", static_cast<double>(matched.left_out));
      std::vector<double> values;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        values.push_back(statistic_value(config_.statistic, matched.of[c]));
        add("in_" + config_.cells[c], values.back(), unit);
      }
      if (config_.order == Order::kDecreasing) {
        std::ranges::reverse(matched.of);
        std::ranges::reverse(values);
      }
      const PageTest test = page_test(matched.of);
      bool ordered = true;
      for (std::size_t c = 1; c < values.size(); ++c)
        ordered = ordered && values[c] > values[c - 1];
      add("ordered", ordered ? 1.0 : 0.0);
      add("L", test.L);
      add("p", test.p);
      places.push_back(found.size());
      add("p_corrected", test.p);
      p.push_back(test.p);
    }
    const auto all = corrected(config_.correction, p);
    for (std::size_t i = 0; i < places.size(); ++i) found[places[i]].value = all[i];
    return found;
  }

 private:
  TrendConfig config_;
};

}  // namespace

void register_trend_stage(StageRegistry& registry) {
  using C = TrendConfig;
  const auto schema =
      object<C>("Trend")
          .optional("statistic", &C::statistic, statistic_kind_schema(),
                    "shown of each cell; `ordered` is 1 when it is in this order throughout")
          .required("of", &C::of, list(text()).min_size(1), "columns: a row each")
          .required("cells", &C::cells, list(text()).min_size(3), "in their order")
          .optional("order", &C::order,
                    choice<Order>(
                        {{"increasing", Order::kIncreasing}, {"decreasing", Order::kDecreasing}}),
                    "that is asked for; increasing when left out")
          .optional("correction", &C::correction, correction_schema(),
                    "of the p-values, for how many rows there are");
  registry.add("trend", schema,
               "whether columns rise or fall over cells in their order: Page's test, paired by "
               "seed, one-sided",
               [](const TrendConfig& config) { return std::make_unique<TrendStage>(config); });
}

}  // namespace handspan
