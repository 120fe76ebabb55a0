#pragma once
// Surfaces of solids, and the convex hulls of points.
#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace handspan {

/// The surface of a solid; triangles may be in any order and turned either way.
struct MeshSurface {
  std::vector<Eigen::Vector3d> vertices;      // [m]
  std::vector<std::array<int, 3>> triangles;  // of vertices
};

/// The points x with n . x >= d.
struct HalfSpace {
  Eigen::Vector3d n = Eigen::Vector3d::UnitZ();  // unit
  double d = 0.0;                                // [m]
};

/// Those of the points that are corners of their convex hull, in the order given, rounded to single
/// precision as MuJoCo keeps them.
/// @throws InputError naming `what` when the points lie in a plane, on a line or are fewer than 4
std::vector<Eigen::Vector3d> hull_vertices(const std::vector<Eigen::Vector3d>& points,
                                           const std::string& what);

/// The convex hull of the points; without triangles when they lie in a plane, on a line or are
/// fewer than 4.
MeshSurface hull_surface(const std::vector<Eigen::Vector3d>& points);

/// The corners of a polytope that holds the points and hugs their convex hull: the hull itself
/// where it has at most `corners`, else that of its extreme points in so many directions, made as
/// much larger as the others need. Rounded to single precision. Empty where hull_surface() has no
/// triangles; the whole hull where a smaller one would be a tenth larger.
/// @param inside the polytope does not stick out of it further than the points do
std::vector<Eigen::Vector3d> covering_polytope(const std::vector<Eigen::Vector3d>& points,
                                               int corners, const std::optional<HalfSpace>& inside);

}  // namespace handspan
