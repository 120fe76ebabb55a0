#pragma once
// A run's summary as people and programs read it; for run and replay.
#include <nlohmann/json.hpp>

#include "session/summary.hpp"

namespace handspan {

nlohmann::ordered_json to_json(const App& app, const RunSummary& summary);
void print_summary(const RunSummary& summary);

}  // namespace handspan
