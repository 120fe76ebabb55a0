#pragma once
// Where a URDF's meshes are, and their surfaces.
#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "import/convex_hull.hpp"

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

/// The triangles of a mesh file (.stl, .obj, .dae and what else assimp reads), equal vertices once,
/// in metres [scale applied]. A Collada file's unit and node transforms are applied and its up axis
/// is not, as in RViz: ROS takes the coordinates as they are written.
/// @throws InputError when the file cannot be read or has no vertices
MeshSurface load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale);

}  // namespace handspan
