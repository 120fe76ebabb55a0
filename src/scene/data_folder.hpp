#pragma once
// Where the robots, scenes, apps and studies are that this program came with.
#include <filesystem>
#include <optional>
#include <string>

namespace handspan {

/// The folder with robots/, scenes/, apps/ and studies/ that this program came with: the first that
/// has robots/ of $HANDSPAN_DATA_DIR (taken as it is), ../share/handspan beside the program (an
/// installed one, wherever its prefix was moved), and the places that CMake named: the source tree
/// and the place of installation. Without any of them the present folder.
std::filesystem::path data_folder();

/// The robot folder of that name that this program came with; none when there is none.
std::optional<std::filesystem::path> shipped_robot(const std::string& name);

/// What the file is when it is a robot's description and no YAML: "URDF", "MJCF", "xacro" or "SDF",
/// by its first element; "" for anything else, also what cannot be read.
std::string robot_description_kind(const std::filesystem::path& file);

/// @throws InputError when the file is a robot's description: it says which and how it becomes a
/// robot folder. For commands that were given one in place of a YAML file.
void refuse_robot_description(const std::filesystem::path& file);

}  // namespace handspan
