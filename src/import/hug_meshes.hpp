#pragma once
// Which shapes an imported robot gets in place of its meshes.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "robot/description.hpp"
#include "scene/convex_hull.hpp"

namespace handspan {

/// What is being done, how many of it are done, and of how many.
using ImportProgress = std::function<void(const char* what, std::size_t done, std::size_t of)>;

/// A mesh of a body that collides.
struct BodyMesh {
  std::string body;
  Shape shape;  // name, X_BG and rgba of the mesh
  MeshSurface mesh;
  int max_shapes = 6;
};

/// What the body cannot reach through wherever it moves, in its own frame: the plane z = 0 on which
/// the robot stands, for what is fixed to a fixed root or turns on it about its z axis only.
std::optional<HalfSpace> mounting_plane(const ModelDescription& description,
                                        const BodyDescription& body);

/// Adds shapes that cover the meshes to their bodies: a few simple ones each (cover_mesh.hpp).
/// Where two bodies that are not neighbours then overlap in more than 1 % more of 400
/// configurations than the convex pieces of their meshes do, they get those (cover_mesh_closely).
/// The second shape of a mesh is called NAME_2, or the next of these names that is free. Nothing
/// sticks out through the mounting plane. Deterministic. @param taken names of shapes; those of new
/// ones are added
/// @param progress of this long work: "shapes around meshes", 3, 12. From any thread, one at a time
/// @return how many shapes each mesh got, in their order, and which of them are convex pieces
struct Hugged {
  std::size_t shapes = 0;
  bool convex_pieces = false;
};
std::vector<Hugged> hug_meshes(ModelDescription& description, const std::vector<BodyMesh>& meshes,
                               std::set<std::string>& taken, const ImportProgress& progress = {});

}  // namespace handspan
