#include "cli/param_option.hpp"

#include <fmt/format.h>

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

nlohmann::ordered_json to_json(const std::vector<ParameterOverride>& parameters) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : parameters) json[key] = value;
  return json;
}

}  // namespace handspan
