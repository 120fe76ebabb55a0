#pragma once
// A trial of the tests, and a stage that asks for more of it.
#include <atomic>
#include <chrono>
#include <thread>

#include "core/object.hpp"
#include "core/random.hpp"
#include "core/values.hpp"
#include "study/stage.hpp"
#include "study/trial.hpp"
#include "support/parts.hpp"

namespace handspan::test {

// a line with noise; as slow as it is told
struct LineConfig {
  double slope = 1.0, offset = 0.0, noise = 0.0, wait = 0.0, fails_above = 1e9;
  std::int64_t cases = 0;
};

inline std::atomic<int> g_line_runs{0};

class Line : public Trial {
 public:
  explicit Line(const LineConfig& config) : config_(config) {}
  std::vector<Column> columns() const override {
    return {{"y", "m", "of the line"}, {"late", "", ""}};
  }
  int cases() const override { return static_cast<int>(config_.cases); }
  TrialOutcome run(const TrialCase& which) override {
    ++g_line_runs;
    RandomStream random(which.seed, "line");
    if (config_.wait > 0.0)
      std::this_thread::sleep_for(std::chrono::duration<double>(config_.wait * random.uniform()));
    const double y = config_.slope * which.repeat + config_.offset +
                     config_.noise * RandomStream(which.seed, "noise").normal();
    if (config_.offset > config_.fails_above) throw InputError("the line is too high");
    return {{y, which.repeat > 3 ? 1.0 : 0.0}, {{"y", "m", {0.0, 1.0}, {y, y + 1.0}}}};
  }

 private:
  LineConfig config_;
};

// twice as many runs as there were, and their mean
class DoubleStage : public Stage {
 public:
  std::vector<StageValue> run(const StageContext& context) override {
    std::vector<RunRequest> more;
    for (const RunRecord& run : context.results.runs)
      more.push_back({"", run.repeat + 100, {{"offset", 7.0}}});
    double sum = 0.0;
    for (const std::size_t i : context.run(more)) sum += context.results.runs[i].values[0];
    return {{"mean", sum / static_cast<double>(more.size()), "m"}};
  }
};

// one run without noise, whose group is told
class MiddleStage : public Stage {
 public:
  std::vector<StageValue> run(const StageContext& context) override {
    RunRequest request;
    request.middle = true;
    request.group = context.name + "_trials";
    const std::size_t i = context.run({&request, 1}).front();
    return {{"y", context.results.runs[i].values[0], "m"}};
  }
};

inline void register_line(Parts& parts) {
  parts.of<TrialRegistry>().add("line",
                                object<LineConfig>("Line")
                                    .optional("slope", &LineConfig::slope, number())
                                    .optional("offset", &LineConfig::offset, number("m"))
                                    .optional("noise", &LineConfig::noise, number("m"))
                                    .optional("wait", &LineConfig::wait, number("s"))
                                    .optional("fails_above", &LineConfig::fails_above, number("m"))
                                    .optional("cases", &LineConfig::cases, integer()),
                                "a line", [](const LineConfig& config, const TrialContext&) {
                                  return std::make_unique<Line>(config);
                                });
  struct Nothing {};
  StageRegistry& stages = parts.of<StageRegistry>();
  stages.add("middle", object<Nothing>("Middle"), "one run without noise",
             [](const Nothing&) { return std::make_unique<MiddleStage>(); });
  stages.add("double", object<Nothing>("Nothing"), "doubles the runs",
             [](const Nothing&) { return std::make_unique<DoubleStage>(); });
}

/// All parts that handspan has, and these.
inline const Parts& line_parts() {
  static const Parts parts = [] {
    Parts made = built_in_parts();
    register_line(made);
    return made;
  }();
  return parts;
}

}  // namespace handspan::test
