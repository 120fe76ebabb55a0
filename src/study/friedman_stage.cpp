#include "study/friedman_stage.hpp"

#include "core/values.hpp"
#include "study/rank_tests.hpp"
#include "study/tested_rows.hpp"

namespace handspan {
namespace {

struct FriedmanConfig {
  std::vector<std::string> of, cells;
  Correction correction = Correction::kHolm;
};

class FriedmanStage : public Stage {
 public:
  explicit FriedmanStage(const FriedmanConfig& config) : config_(config) {}

  void check(const Results& none) const override {
    for (const std::string& column : config_.of)
      for (const std::string& cell : config_.cells) none.samples(column, cell);
  }

  std::vector<StageValue> run(const StageContext& context) override {
    std::vector<CellOf> cells;
    for (const std::string& cell : config_.cells) cells.push_back({&context.results, cell});
    TestedRows rows;
    for (const std::string& column : config_.of) {
      const MatchedSamples matched = matched_samples(cells, column);
      const FriedmanTest test = friedman_test(matched.of);
      rows.row(column);
      rows.add("seeds", static_cast<double>(matched.of[0].size()));
      rows.add("left_out", static_cast<double>(matched.left_out));
      for (std::size_t c = 0; c < cells.size(); ++c)
        rows.add("rank_in_" + config_.cells[c], test.mean_ranks[c]);
      rows.add("chi_squared", test.chi_squared);
      rows.add("agreement", test.agreement);
      rows.add_p(test.p);
    }
    return rows.take(config_.correction);
  }

 private:
  FriedmanConfig config_;
};

}  // namespace

void register_friedman_stage(StageRegistry& registry) {
  using C = FriedmanConfig;
  const auto schema = object<C>("Friedman")
                          .required("of", &C::of, list(text()).min_size(1), "columns: a row each")
                          .required("cells", &C::cells, list(text()).min_size(3))
                          .optional("correction", &C::correction, correction_schema(),
                                    "of the p-values, for how many rows there are");
  registry.add(
      "friedman", schema,
      "whether columns differ between cells at all: Friedman's test of ranks, paired by "
      "seed; agreement is Kendall's W",
      [](const FriedmanConfig& config) { return std::make_unique<FriedmanStage>(config); });
}

}  // namespace handspan
