// A trial of studies, `dice`: throws one.
#include <handspan/core/parts.hpp>
#include <handspan/core/random.hpp>
#include <handspan/core/values.hpp>
#include <handspan/study/trial.hpp>

using namespace handspan;

namespace {

struct DiceConfig {
  std::int64_t sides = 6;
};

class Dice : public Trial {
 public:
  explicit Dice(const DiceConfig& config) : config_(config) {}
  std::vector<Column> columns() const override { return {{"eyes", "", ""}}; }
  TrialOutcome run(const TrialCase& which) override {
    RandomStream random(which.seed, "dice");
    return {{1.0 + static_cast<double>(random.integer(static_cast<std::uint64_t>(config_.sides)))},
            {}};
  }

 private:
  DiceConfig config_;
};

}  // namespace

void register_dice(Parts& parts) {
  parts.of<TrialRegistry>().add(
      "dice", object<DiceConfig>("Dice").optional("sides", &DiceConfig::sides, integer().min(2)),
      "throws one",
      [](const DiceConfig& config, const TrialContext&) { return std::make_unique<Dice>(config); });
}
