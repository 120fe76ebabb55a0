#include "study/correlation_stage.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "core/values.hpp"
#include "study/correlation.hpp"
#include "study/tested_rows.hpp"

namespace handspan {
namespace {

struct CorrelationConfig {
  CorrelationKind method = CorrelationKind::kPearson;
  std::vector<std::string> of, with;
  std::string cell;
  Correction correction = Correction::kHolm;
  std::int64_t resamples = BootstrapOptions{}.resamples;
};

class CorrelationStage : public Stage {
 public:
  explicit CorrelationStage(const CorrelationConfig& config) : config_(config) {}

  void check(const Results& none) const override {
    for (const auto* names : {&config_.of, &config_.with})
      for (const std::string& name : *names) none.samples(name, config_.cell);
  }

  std::vector<StageValue> run(const StageContext& context) override {
    TestedRows rows;
    for (const std::string& of : config_.of)
      for (const std::string& with : config_.with) {
        const auto both = context.results.samples_together({of, with}, config_.cell);
        std::vector<double> x, y;
        for (std::size_t i = 0; i < both[0].size(); ++i) {
          if (!std::isfinite(both[0][i]) || !std::isfinite(both[1][i])) continue;
          x.push_back(both[0][i]);
          y.push_back(both[1][i]);
        }
        if (x.empty())
          throw InputError(fmt::format(
              "no run has numbers for both '{}' and '{}'; see the column 'failure' of results.csv, "
              "or take other columns",
              shown(of), shown(with)));
        const Correlation c =
            correlation(config_.method, x, y, {static_cast<int>(config_.resamples)});
        rows.row(of + "." + with);
        rows.add("n", c.r.n);
        rows.add("left_out", static_cast<double>(both[0].size() - x.size()));
        rows.add("r", c.r.value);
        rows.add("lower", c.r.lower);
        rows.add("upper", c.r.upper);
        rows.add_p(c.p);
      }
    return rows.take(config_.correction);
  }

 private:
  CorrelationConfig config_;
};

}  // namespace

void register_correlation_stage(StageRegistry& registry) {
  using C = CorrelationConfig;
  const auto schema = object<C>("Correlation")
                          .optional("method", &C::method, correlation_kind_schema())
                          .required("of", &C::of, list(text()).min_size(1), "columns")
                          .required("with", &C::with, list(text()).min_size(1),
                                    "columns or variations: a row for each pair")
                          .optional("cell", &C::cell, text(), "else all of them together")
                          .optional("correction", &C::correction, correction_schema(),
                                    "of the p-values, for how many rows there are")
                          .optional("resamples", &C::resamples, integer().min(1000).max(1'000'000),
                                    "of the bootstrap of spearman and kendall");
  registry.add(
      "correlation", schema, "how columns go together with others, or with variations",
      [](const CorrelationConfig& config) { return std::make_unique<CorrelationStage>(config); });
}

}  // namespace handspan
