#include "cli/package_option.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {

void add_packages(CLI::App& command, std::vector<std::string>& packages) {
  command.add_option("--package", packages, "where package://NAME/ of a URDF is")
      ->type_name("NAME=FOLDER");
}

std::map<std::string, std::filesystem::path> packages_of(const std::vector<std::string>& packages) {
  std::map<std::string, std::filesystem::path> folders;
  for (const auto& package : packages) {
    const auto equals = package.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--package {}: write NAME=FOLDER", shown(package)));
    folders[package.substr(0, equals)] = package.substr(equals + 1);
  }
  return folders;
}

}  // namespace handspan
