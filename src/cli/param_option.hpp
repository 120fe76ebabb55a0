#pragma once
// --param of the commands that run an app.
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "study/run_plan.hpp"

namespace handspan {

/// --param KEY=VALUE, as often as one likes; else an error that says how to write it.
void add_parameters(CLI::App& command, std::vector<ParameterOverride>& parameters,
                    const std::string& doc);

/// By key, as a summary has them.
nlohmann::ordered_json to_json(const std::vector<ParameterOverride>& parameters);

}  // namespace handspan
