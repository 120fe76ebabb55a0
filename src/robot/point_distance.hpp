#pragma once
// Where a point stands to a shape, in closed form. Letters: G the shape.
#include <Eigen/Core>

#include "robot/description.hpp"

namespace handspan {

struct PointDistance {
  double distance = 0.0;                          // [m]; negative inside
  Eigen::Vector3d p_G = Eigen::Vector3d::Zero();  // nearest point of the surface [m]
  Eigen::Vector3d n_G =
      Eigen::Vector3d::UnitZ();  // unit: the direction in which the point leaves the shape
};

/// Whether point_distance() knows the shape: all but meshes.
inline bool has_point_distance(ShapeType type) { return type != ShapeType::kMesh; }

/// Signed distance of a point from a box, sphere, capsule or cylinder. Inside, the nearest of the
/// surface's points counts; where several are equally near, one of them.
/// @param size as Shape::size [m] @param p_GP the point [m]
PointDistance point_distance(ShapeType type, const Eigen::Vector3d& size,
                             const Eigen::Vector3d& p_GP);

}  // namespace handspan
