#pragma once
// --param of the commands that run an app.
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/parameter_table.hpp"
#include "study/run_plan.hpp"

namespace handspan {

/// --param KEY=VALUE, as often as one likes; else an error that says how to write it.
void add_parameters(CLI::App& command, std::vector<ParameterOverride>& parameters,
                    const std::string& doc);

/// Takes out of them what names a live parameter ("task.hand.stiffness=300", "belt.conveyor.speed=
/// 0.2") instead of a key of the app's files: for SessionOptions::parameters.
/// @throws InputError for a value that is not a number
ParameterValues take_live(std::vector<ParameterOverride>& parameters);

/// By key, as a summary has them.
nlohmann::ordered_json to_json(const std::vector<ParameterOverride>& parameters);

}  // namespace handspan
