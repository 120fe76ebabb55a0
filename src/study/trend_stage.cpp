#include "study/trend_stage.hpp"

#include <algorithm>

#include "core/values.hpp"
#include "study/rank_tests.hpp"
#include "study/statistic.hpp"
#include "study/tested_rows.hpp"

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
    TestedRows rows;
    for (const std::string& column : config_.of) {
      MatchedSamples matched = matched_samples(cells, column);
      const std::string unit =
          config_.statistic == StatisticKind::kShare ? "" : context.results.unit(column);
      rows.row(column);
      rows.add("seeds", static_cast<double>(matched.of[0].size()));
      rows.add("left_out", static_cast<double>(matched.left_out));
      std::vector<double> values;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        values.push_back(statistic_value(config_.statistic, matched.of[c]));
        rows.add("in_" + config_.cells[c], values.back(), unit);
      }
      if (config_.order == Order::kDecreasing) {
        std::ranges::reverse(matched.of);
        std::ranges::reverse(values);
      }
      const PageTest test = page_test(matched.of);
      bool ordered = true;
      for (std::size_t c = 1; c < values.size(); ++c)
        ordered = ordered && values[c] > values[c - 1];
      rows.add("ordered", ordered ? 1.0 : 0.0);
      rows.add("L", test.L);
      rows.add_p(test.p);
    }
    return rows.take(config_.correction);
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
