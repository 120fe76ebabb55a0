#pragma once
// Surfaces from mesh files.
#include <filesystem>

#include "scene/convex_hull.hpp"

namespace handspan {

/// The triangles of a mesh file (.stl, .obj, .dae and what else assimp reads), equal vertices once,
/// in metres [scale applied]. A Collada file's unit and node transforms are applied and its up axis
/// is not, as in RViz: ROS takes the coordinates as they are written.
/// @throws InputError when the file cannot be read or has no vertices
MeshSurface load_mesh(const std::filesystem::path& file, const Eigen::Vector3d& scale);

}  // namespace handspan
