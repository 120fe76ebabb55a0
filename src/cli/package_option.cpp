#include "cli/package_option.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

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

ImportProgress import_progress() {
  if (isatty(fileno(stderr)) == 0) return {};
  return [](const char* what, std::size_t done, std::size_t of) {
    fmt::print(stderr, "\r{}: {} of {}\033[K{}", what, done, of, done == of ? "\r\033[K" : "");
    std::fflush(stderr);
  };
}

}  // namespace handspan
