#include "cli/param_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"

namespace handspan {

void add_parameters(CLI::App& command, std::vector<ParameterOverride>& parameters,
                    const std::string& doc) {
  command
      .add_option_function<std::vector<std::string>>(
          "--param",
          [&parameters](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto equals = text.find('=');
              if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
                throw InputError(
                    fmt::format("--param {} is not KEY=VALUE; write it as --param "
                                "scene.objects.box.mass=0.6",
                                shown(text)));
              parameters.push_back({text.substr(0, equals), text.substr(equals + 1)});
            }
          },
          doc)
      ->type_name("KEY=VALUE")
      // what follows is the command's own
      ->allow_extra_args(false);
}

// No file of an app has keys that begin with these words (src/session/app.cpp has the app's).
ParameterValues take_live(std::vector<ParameterOverride>& parameters) {
  constexpr std::string_view kFirst[] = {"task",  "payload", "loop_closure", "belt",
                                         "joint", "gripper", "source",       "mode"};
  ParameterValues live;
  std::erase_if(parameters, [&](const ParameterOverride& one) {
    const std::string_view key = one.key;
    if (!std::ranges::count(kFirst, key.substr(0, key.find('.')))) return false;
    double value = 0.0;
    const char* end = one.value.data() + one.value.size();
    const auto [stop, error] = std::from_chars(one.value.data(), end, value);
    if (error != std::errc() || stop != end)
      throw InputError(
          fmt::format("--param {}: '{}' is not a number; write one in the "
                      "parameter's unit, such as 0.5, and a switch as 0 or 1",
                      shown(one.key), shown(one.value)));
    live.emplace_back(one.key, value);
    return true;
  });
  return live;
}

nlohmann::ordered_json to_json(const std::vector<ParameterOverride>& parameters) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : parameters) json[key] = value;
  return json;
}

}  // namespace handspan
