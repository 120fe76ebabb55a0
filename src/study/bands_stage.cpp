#include "study/bands_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/values.hpp"
#include "study/statistic.hpp"

namespace handspan {
namespace {

struct BandsConfig {
  std::vector<std::string> of, variations;
  std::string cell;
  std::vector<double> within;
  bool apart = false;
};

class BandsStage : public Stage {
 public:
  explicit BandsStage(const BandsConfig& config) : config_(config) {}

  std::vector<StageValue> run(const StageContext& context) override {
    const Results& results = context.results;
    std::vector<double> farthest(results.samples(config_.variations[0], config_.cell).size(), 0.0);
    for (const std::string& name : config_.variations) {
      const auto variation = std::ranges::find(results.variations, name, &Results::Varied::name);
      if (variation == results.variations.end() || !(variation->deviation > 0.0))
        throw InputError(fmt::format("'{}' is not a normal variation", shown(name)));
      const auto x = results.samples(name, config_.cell);
      for (std::size_t i = 0; i < x.size(); ++i)
        farthest[i] =
            std::max(farthest[i], std::abs(x[i] - variation->mean) / variation->deviation);
    }
    std::vector<StageValue> found;
    double before = -1.0;
    for (const double within : config_.within) {
      // what is drawn within 3 deviations may lie at 3 and a little by rounding
      const double most = within * (1.0 + 1e-9);
      const auto in_band = [&](double x) { return x <= most && (!config_.apart || x > before); };
      const std::string row = fmt::format("{}", within);
      const auto n = static_cast<double>(std::ranges::count_if(farthest, in_band));
      found.push_back({row + ".n", n, "", row});
      for (const std::string& column : config_.of) {
        const auto y = results.samples_together({column}, config_.cell).front();
        std::vector<double> some;
        for (std::size_t i = 0; i < y.size(); ++i)
          if (in_band(farthest[i])) some.push_back(y[i]);
        found.push_back({row + "." + column, estimate(StatisticKind::kDeviation, some).value,
                         results.unit(column), row});
      }
      before = most;
    }
    return found;
  }

 private:
  BandsConfig config_;
};

}  // namespace

void register_bands_stage(StageRegistry& registry) {
  using C = BandsConfig;
  const auto schema =
      object<C>("Bands")
          .required("of", &C::of, list(text()).min_size(1), "columns, whose deviations are given")
          .optional("cell", &C::cell, text(), "of one cell; else of all")
          .required("variations", &C::variations, list(text()).min_size(1),
                    "normal ones, all of which lie within the band")
          .required("within", &C::within, list(number().above(0)).min_size(1),
                    "how many of their deviations from the mean, ascending: a row each")
          .optional("apart", &C::apart, boolean(), "each band without those before it")
          .check([](const C& c) -> std::optional<Fault> {
            if (std::ranges::adjacent_find(c.within, std::greater_equal<>()) == c.within.end())
              return std::nullopt;
            return Fault{"does not ascend", "give the narrowest band first", "within"};
          });
  registry.add("bands", schema,
               "how far columns scatter in runs whose variations are within so many deviations",
               [](const BandsConfig& config) { return std::make_unique<BandsStage>(config); });
}

}  // namespace handspan
