// A metric of studies, `steps`: how many ticks a run had.
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/study/metric.hpp>

using namespace handspan;

namespace {

class Steps : public Metric {
 public:
  std::vector<Column> columns() const override { return {{"", "", "ticks of the run"}}; }
  void after_tick(Session&) noexcept override { ++ticks_; }
  void values(Session&, std::span<double> into) override { into[0] = ticks_; }

 private:
  int ticks_ = 0;
};

}  // namespace

void register_steps(Parts& parts) {
  struct Nothing {};
  parts.of<MetricRegistry>().add(
      "steps", object<Nothing>("Steps"), "how many ticks a run had",
      [](const Nothing&, const MetricContext&) { return std::make_unique<Steps>(); });
}
