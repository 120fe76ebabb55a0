#include "study/best_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

struct BestConfig {
  std::string of, cell;
  std::vector<std::string> variations;
  bool largest = false;
  std::int64_t again = 0;
};

class BestStage : public Stage {
 public:
  explicit BestStage(const BestConfig& config) : config_(config) {}

  std::vector<StageValue> run(const StageContext& context) override {
    std::vector<std::string> names = {config_.of};
    names.insert(names.end(), config_.variations.begin(), config_.variations.end());
    std::vector<std::vector<double>> x = context.results.samples_together(names, config_.cell);
    const std::vector<double> y = std::move(x.front());
    x.erase(x.begin());
    std::map<std::vector<double>, std::pair<double, int>> sums;
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::vector<double> at;
      for (const auto& values : x) at.push_back(values[i]);
      if (!std::isfinite(y[i]) ||
          !std::ranges::all_of(at, [](double v) { return std::isfinite(v); }))
        continue;
      auto& [sum, n] = sums[at];
      sum += y[i];
      ++n;
    }
    if (sums.empty())
      throw InputError(
          fmt::format("there is no run with numbers of '{}' and its variations", config_.of));
    const auto mean = [&](const auto& entry) {
      return (config_.largest ? -1.0 : 1.0) * entry.second.first / entry.second.second;
    };
    const auto best = std::ranges::min_element(sums, {}, mean)->first;
    std::vector<StageValue> found;
    std::vector<RunRequest> again;
    for (std::size_t v = 0; v < best.size(); ++v)
      found.push_back(
          {config_.variations[v], best[v], context.results.unit(config_.variations[v])});
    int last = 0;
    for (const RunRecord& run : context.results.runs) last = std::max(last, run.repeat);
    for (int i = 0; i < config_.again; ++i) {
      // what was best by its seeds' luck is not so by others
      RunRequest request{config_.cell, last + 1 + i, {}};
      for (std::size_t v = 0; v < best.size(); ++v)
        request.values.emplace_back(config_.variations[v], best[v]);
      again.push_back(std::move(request));
    }
    if (!again.empty()) context.run(again);
    return found;
  }

 private:
  BestConfig config_;
};

}  // namespace

void register_best_stage(StageRegistry& registry) {
  const auto schema =
      object<BestConfig>("Best")
          .required("of", &BestConfig::of, text(), "a column, whose mean counts")
          .optional("cell", &BestConfig::cell, text(),
                    "of one cell; else of all, run again as the first")
          .required("variations", &BestConfig::variations, list(text()).min_size(1),
                    "whose values, all of them, are the choice")
          .optional("largest", &BestConfig::largest, boolean(), "else the smallest mean is best")
          .optional("again", &BestConfig::again, integer().min(0).max(100000),
                    "runs with fresh seeds of what was best; their cell is the stage's name");
  registry.add("best", schema,
               "the values with the best mean of a column, run again with fresh seeds",
               [](const BestConfig& config) { return std::make_unique<BestStage>(config); });
}

}  // namespace handspan
