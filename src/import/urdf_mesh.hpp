#pragma once
// Where a URDF's meshes are.
#include <filesystem>
#include <map>
#include <string>

namespace handspan {

/// Where `package://NAME/...` is looked for, in this order: `packages`, the folders above the URDF
/// (one that is called NAME or holds NAME), the folders of ROS_PACKAGE_PATH, and share/ of those of
/// AMENT_PREFIX_PATH.
struct MeshPaths {
  std::filesystem::path urdf;                             // the URDF file
  std::map<std::string, std::filesystem::path> packages;  // NAME -> folder
};

/// The file that `uri` names: package://NAME/path, file:///path, an absolute path, or one relative
/// to the URDF's folder. Blanks stand for themselves, as ROS writes them; percent escapes are
/// decoded where there is no file of the name as it is written.
/// @throws InputError saying where it was looked for when there is none
std::filesystem::path resolve_mesh(const std::string& uri, const MeshPaths& paths);

}  // namespace handspan
