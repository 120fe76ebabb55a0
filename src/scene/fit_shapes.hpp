#pragma once
// Simple shapes around points: what `handspan import` writes in place of somebody's meshes
// (cover_mesh.hpp).
#include <Eigen/Core>
#include <optional>
#include <vector>

#include "robot/description.hpp"
#include "scene/convex_hull.hpp"

namespace handspan {

/// All points within `radius` of the segment from `a` to `b`. a == b is a sphere.
struct FittedCapsule {
  Eigen::Vector3d a = Eigen::Vector3d::Zero();  // [m]
  Eigen::Vector3d b = Eigen::Vector3d::Zero();  // [m]
  double radius = 0.0;                          // [m]

  /// pi r^2 |b - a| + 4/3 pi r^3 [m^3]
  double volume() const;
  /// Distance of p beyond the capsule's surface; negative inside [m].
  double distance(const Eigen::Vector3d& p) const;
};

/// Radius of a capsule about a point or a line, which have none of their own [m].
inline constexpr double kSmallestCapsuleRadius = 1e-6;

/// A covering capsule of small volume: every point lies within 1e-9 of its inside (hence the convex
/// hull does). Found by a deterministic search from the principal axes of the points, so a local
/// optimum: the same points give the same bits. Flat, straight and single-point clouds are covered
/// like others; the radius is at least kSmallestCapsuleRadius.
/// @param points [m], finite
/// @throws std::invalid_argument when there are none, or one is not finite
FittedCapsule fit_capsule(const std::vector<Eigen::Vector3d>& points);

/// The capsule as a shape in the points' frame; a sphere when its segment is shorter than 1e-9.
Shape capsule_shape(const FittedCapsule& capsule);

/// [m^3]; not of a mesh.
double shape_volume(const Shape& shape);

/// The smallest of a sphere, a capsule, a cylinder and a box that a search finds to cover the
/// points (each lies within 1e-9 of its inside). Distances of boxes and cylinders cost more than
/// those of capsules: they count as 1.1 and 1.2 times as large as they are. The same points give
/// the same bits.
/// @param points [m], finite
/// @param inside the shape does not stick out of it further than the points do
/// @param thorough false: a tenth of the time, and some percent larger
/// @throws std::invalid_argument when there are no points, or one is not finite
Shape fit_shape(const std::vector<Eigen::Vector3d>& points,
                const std::optional<HalfSpace>& inside = std::nullopt, bool thorough = true);

}  // namespace handspan
