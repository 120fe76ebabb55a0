#pragma once
// --package of the commands that read a URDF.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace handspan {

/// --package NAME=FOLDER, as often as one likes.
void add_packages(CLI::App& command, std::vector<std::string>& packages);

/// What they say, by name. @throws InputError that says how to write it
std::map<std::string, std::filesystem::path> packages_of(const std::vector<std::string>& packages);

}  // namespace handspan
