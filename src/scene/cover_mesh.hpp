#pragma once
// A mesh covered by a few simple shapes that hug it.
#include <Eigen/Core>
#include <optional>
#include <vector>

#include "robot/description.hpp"
#include "scene/fit_shapes.hpp"

namespace handspan {

struct CoverOptions {
  int max_shapes = 6;
  double min_gain = 0.05;           // a further shape must save this share of the volume
  std::optional<HalfSpace> inside;  // of which no shape sticks out further than the mesh
};

/// Shapes that together cover the solid, in the mesh's frame, without names. The mesh is cut by
/// planes, each time where it makes the sum of the covering shapes' volumes (fit_shape) smallest,
/// until a cut no longer pays. What lies between a piece of the surface and its cut is in the
/// piece's convex hull, hence covered. The same mesh gives the same bits.
/// @throws std::invalid_argument when the mesh has no vertices or one is not finite
std::vector<Shape> cover_mesh(const MeshSurface& mesh, const CoverOptions& options = {});

/// The same pieces, each as a polytope of at most 100 corners or so around its convex hull
/// (covering_polytope) in place of a box or a round shape: nearer to the mesh, slower to ask for a
/// distance. Pieces without volume stay simple shapes.
std::vector<Shape> cover_mesh_closely(const MeshSurface& mesh, const CoverOptions& options = {});

}  // namespace handspan
