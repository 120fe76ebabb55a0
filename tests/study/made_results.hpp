#pragma once
// Results that no run gave, and a stage on them.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/error.hpp"
#include "study/stage.hpp"

namespace handspan::test {

/// Runs of one cell with the variations a and b and the column y [m].
inline Results made_results(const std::vector<std::array<double, 3>>& rows) {
  Results results;
  results.cells = {""};
  results.variations = {{"a", "rad"}, {"b", ""}};
  results.columns = {{"y", "m", ""}};
  for (const auto& [a, b, y] : rows) {
    RunRecord run;
    run.number = static_cast<int>(results.runs.size()) + 1;
    run.repeat = run.number - 1;
    run.drawn = {{a, ""}, {b, ""}};
    run.values = {y};
    results.runs.push_back(run);
  }
  return results;
}

/// What a stage finds, and the runs that it asked for.
struct StageFinding {
  std::vector<StageValue> values;
  std::vector<RunRequest> asked;
};

/// @param add registers the stage  @param text its keys: "{type: best, ...}"
inline StageFinding run_stage(void (*add)(StageRegistry&), const std::string& text,
                              const Results& results) {
  StageRegistry registry("stage");
  add(registry);
  const auto stage = parse_yaml(text, "t.yaml", registry.schema()).make();
  StageFinding found;
  StageContext context{"s", results, {}, {}, {}};
  context.run = [&](std::span<const RunRequest> requests) {
    found.asked.insert(found.asked.end(), requests.begin(), requests.end());
    return std::vector<std::size_t>(requests.size(), 0);
  };
  found.values = stage->run(context);
  return found;
}

inline std::string stage_error(void (*add)(StageRegistry&), const std::string& text,
                               const Results& results) {
  try {
    run_stage(add, text, results);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace handspan::test
