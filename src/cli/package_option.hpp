#pragma once
// What the commands share that read a URDF: --package, and how they show that they work.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "import/hug_meshes.hpp"

namespace handspan {

/// --package NAME=FOLDER, as often as one likes.
void add_packages(CLI::App& command, std::vector<std::string>& packages);

/// What they say, by name. @throws InputError that says how to write it
std::map<std::string, std::filesystem::path> packages_of(const std::vector<std::string>& packages);

/// Of an import, on a terminal: one line that comes and goes.
ImportProgress import_progress();

}  // namespace handspan
