#include "study/friedman_stage.hpp"

#include "core/values.hpp"
#include "study/correction.hpp"
#include "study/rank_tests.hpp"

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
    std::vector<StageValue> found;
    std::vector<double> p;
    std::vector<std::size_t> places;  // in `found`, of what gets the corrected p
    for (const std::string& column : config_.of) {
      const MatchedSamples matched = matched_samples(cells, column);
      const FriedmanTest test = friedman_test(matched.of);
      const auto add = [&](const std::string& name, double value) {
        found.push_back({column + "." + name, value, "", column});
      };
      add("seeds", static_cast<double>(matched.of[0].size()));
      add("left_out", static_cast<double>(matched.left_out));
      for (std::size_t c = 0; c < cells.size(); ++c)
        add("rank_in_" + config_.cells[c], test.mean_ranks[c]);
      add("chi_squared", test.chi_squared);
      add("agreement", test.agreement);
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
