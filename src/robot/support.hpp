#pragma once
// How far a shape reaches in a direction, in closed form. Letters: G the shape.
#include <Eigen/Core>

#include "robot/description.hpp"

namespace handspan {

/// Whether support() knows the shape: all but meshes.
inline bool has_support(ShapeType type) { return type != ShapeType::kMesh; }

/// max n . x over the points x of a box, sphere, capsule or cylinder. For any unit n, what lies
/// between the supports of two shapes, n . (c_a - c_b) - support_a(-n) - support_b(n), is at most
/// their distance: Gilbert, Johnson, Keerthi 1988.
/// @param size as Shape::size [m] @param n_G unit
double support(ShapeType type, const Eigen::Vector3d& size, const Eigen::Vector3d& n_G);

}  // namespace handspan
