#include "contact/contact_state.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace handspan {

const char* name_of(ContactState state) {
  switch (state) {
    case ContactState::kPoint:
      return "point";
    case ContactState::kLine:
      return "line";
    case ContactState::kPlane:
      return "plane";
    default:
      return "none";
  }
}

ContactState contact_state(std::span<const Eigen::Vector3d> points, double extent) {
  if (points.empty()) return ContactState::kNone;
  // the two that are farthest apart are the ends of the line, if it is one
  Eigen::Vector3d from = points[0], along = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((points[i] - points[j]).squaredNorm() > along.squaredNorm()) {
        from = points[j];
        along = points[i] - points[j];
      }
  const double length = along.norm();
  if (!(length > extent)) return ContactState::kPoint;
  double least = 0.0, most = 0.0;  // beside the line, on its two sides
  Eigen::Vector3d beside = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& point : points) {
    const Eigen::Vector3d off = along.cross(point - from) / length;
    if (off.squaredNorm() > beside.squaredNorm()) beside = off;
  }
  if (beside.squaredNorm() > 0.0)
    for (const Eigen::Vector3d& point : points) {
      const double off = beside.normalized().dot(along.cross(point - from)) / length;
      least = std::min(least, off);
      most = std::max(most, off);
    }
  return most - least > extent ? ContactState::kPlane : ContactState::kLine;
}

double alignment_deviation(const Eigen::Vector3d& plate_normal,
                           const Eigen::Vector3d& into_face_normal) {
  const double sine = plate_normal.cross(into_face_normal).norm(),
               cosine = plate_normal.dot(into_face_normal);
  if (!(std::hypot(sine, cosine) > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return std::atan2(sine, cosine);
}

}  // namespace handspan
