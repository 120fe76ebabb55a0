#include "study/first_order_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

struct FirstOrderConfig {
  std::string of, cell;
  std::vector<std::string> variations;
  std::int64_t bands = 5;
};

// The first-order index Var(E[y | x]) / Var(y) (Sobol 1993) by bands: runs are put in the order of
// x and cut into bands of equal number, whose means vary. What they vary by chance alone, as
// analysis of variance has it, is taken off: (SS_between - (bands - 1) MS_within) / SS_total, not
// below 0.
double first_order(std::vector<std::pair<double, double>> xy, std::size_t bands) {
  std::ranges::stable_sort(xy, {}, &std::pair<double, double>::first);
  const std::size_t n = xy.size();
  double mean = 0.0;
  for (const auto& [x, y] : xy) mean += y / static_cast<double>(n);
  double between = 0.0, within = 0.0;
  for (std::size_t b = 0; b < bands; ++b) {
    const std::size_t from = b * n / bands, to = (b + 1) * n / bands;
    double band = 0.0;
    for (std::size_t i = from; i < to; ++i) band += xy[i].second / static_cast<double>(to - from);
    between += static_cast<double>(to - from) * (band - mean) * (band - mean);
    for (std::size_t i = from; i < to; ++i) within += (xy[i].second - band) * (xy[i].second - band);
  }
  const double chance = within / static_cast<double>(n - bands);
  // what does not vary, nothing explains
  if (!(between + within > 0.0)) return 0.0;
  return std::max(0.0, between - static_cast<double>(bands - 1) * chance) / (between + within);
}

class FirstOrderStage : public Stage {
 public:
  explicit FirstOrderStage(const FirstOrderConfig& config) : config_(config) {}

  std::vector<StageValue> run(const StageContext& context) override {
    std::vector<std::string> names = config_.variations;
    if (names.empty())
      for (const auto& variation : context.results.variations) names.push_back(variation.name);
    std::vector<StageValue> found;
    for (const std::string& name : names) {
      const auto both = context.results.samples_together({name, config_.of}, config_.cell);
      const std::vector<double>&x = both[0], &y = both[1];
      std::vector<std::pair<double, double>> xy;
      for (std::size_t i = 0; i < y.size(); ++i)
        if (std::isfinite(x[i]) && std::isfinite(y[i])) xy.emplace_back(x[i], y[i]);
      const auto bands = static_cast<std::size_t>(config_.bands);
      if (xy.size() < 2 * bands)
        throw InputError(
            fmt::format("it has {} runs with numbers of '{}' and '{}'; {} bands need {} at least",
                        xy.size(), name, config_.of, bands, 2 * bands));
      found.push_back({name, first_order(std::move(xy), bands), ""});
    }
    return found;
  }

 private:
  FirstOrderConfig config_;
};

}  // namespace

void register_first_order_stage(StageRegistry& registry) {
  const auto schema =
      object<FirstOrderConfig>("FirstOrder")
          .required("of", &FirstOrderConfig::of, text(), "a column")
          .optional("cell", &FirstOrderConfig::cell, text(), "of one cell; else of all")
          .optional("variations", &FirstOrderConfig::variations, list(text()), "else all of them")
          .optional("bands", &FirstOrderConfig::bands, integer().min(2).max(100),
                    "of equal number of runs, in the order of the variation");
  registry.add(
      "first_order", schema, "which share of a column's variance each variation explains alone",
      [](const FirstOrderConfig& config) { return std::make_unique<FirstOrderStage>(config); });
}

}  // namespace handspan
