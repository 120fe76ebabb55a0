#pragma once
// An imported robot as a folder of robots/, which load_robot_folder reads.
#include <filesystem>
#include <functional>
#include <string>

#include "import/import.hpp"

namespace handspan {

/// Writes model.xml, robot.yaml, limits.yaml (none when nothing is driven: then it is a tool) and
/// SOURCES.md. The folder appears whole or not at all: it is loaded, and `check` looks at it,
/// before it gets its place. @param force replaces an existing robot folder @param check may throw
/// @throws InputError when the folder exists (without force), is not a robot folder (with force),
/// cannot be written or cannot be loaded; what `check` throws
void write_robot_folder(const ImportedRobot& robot, const std::filesystem::path& folder,
                        bool force = false,
                        const std::function<void(const RobotFolder&)>& check = {});

/// The files' texts. limits.yaml marks each number that the imported file did not give.
std::string robot_yaml(const ImportedRobot& robot);
std::string limits_yaml(const ImportedRobot& robot);
std::string sources_md(const ImportedRobot& robot);

}  // namespace handspan
