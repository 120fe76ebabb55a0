#include "robot/point_distance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace handspan {
namespace {

double sign(double x) { return std::signbit(x) ? -1.0 : 1.0; }

// of what is round about a centre: a sphere, or a capsule about the nearest point of its axis
PointDistance from_centre(const Eigen::Vector3d& centre, double radius, const Eigen::Vector3d& p,
                          const Eigen::Vector3d& at_centre) {
  PointDistance out;
  const Eigen::Vector3d r = p - centre;
  const double length = r.norm();
  out.n_G = length > 0.0 ? Eigen::Vector3d(r / length) : at_centre;
  out.distance = length - radius;
  out.p_G = centre + radius * out.n_G;
  return out;
}

PointDistance from_box(const Eigen::Vector3d& half, const Eigen::Vector3d& p) {
  PointDistance out;
  const Eigen::Vector3d beyond = p.cwiseAbs() - half;
  Eigen::Index axis;
  const double deepest = beyond.maxCoeff(&axis);
  out.p_G = p.cwiseMax(-half).cwiseMin(half);
  if (deepest > 0.0) {
    const Eigen::Vector3d away = p - out.p_G;
    out.distance = away.norm();
    out.n_G = away / out.distance;
    return out;
  }
  out.distance = deepest;
  out.n_G = sign(p[axis]) * Eigen::Vector3d::Unit(axis);
  out.p_G[axis] = sign(p[axis]) * half[axis];
  return out;
}

PointDistance from_cylinder(double radius, double half, const Eigen::Vector3d& p) {
  PointDistance out;
  const double from_axis = std::sqrt(p.x() * p.x() + p.y() * p.y());
  const Eigen::Vector3d side = from_axis > 0.0
                                   ? Eigen::Vector3d(p.x() / from_axis, p.y() / from_axis, 0.0)
                                   : Eigen::Vector3d(Eigen::Vector3d::UnitX());
  const Eigen::Vector3d end(0.0, 0.0, sign(p.z()));
  const double beyond_side = from_axis - radius, beyond_end = std::abs(p.z()) - half;
  if (beyond_side > 0.0 && beyond_end > 0.0) {
    out.distance = std::sqrt(beyond_side * beyond_side + beyond_end * beyond_end);
    out.n_G = (beyond_side * side + beyond_end * end) / out.distance;
    out.p_G = radius * side + half * end;
  } else if (beyond_side > beyond_end) {
    out.distance = beyond_side;
    out.n_G = side;
    out.p_G = radius * side + Eigen::Vector3d(0.0, 0.0, p.z());
  } else {
    out.distance = beyond_end;
    out.n_G = end;
    out.p_G = Eigen::Vector3d(p.x(), p.y(), 0.0) + half * end;
  }
  return out;
}

}  // namespace

PointDistance point_distance(ShapeType type, const Eigen::Vector3d& size,
                             const Eigen::Vector3d& p_GP) {
  switch (type) {
    case ShapeType::kBox:
      return from_box(size, p_GP);
    case ShapeType::kSphere:
      return from_centre(Eigen::Vector3d::Zero(), size[0], p_GP, Eigen::Vector3d::UnitZ());
    case ShapeType::kCapsule: {
      const Eigen::Vector3d on_axis(0.0, 0.0, std::clamp(p_GP.z(), -size[1], size[1]));
      return from_centre(on_axis, size[0], p_GP, Eigen::Vector3d::UnitX());
    }
    case ShapeType::kCylinder:
      return from_cylinder(size[0], size[1], p_GP);
    case ShapeType::kMesh:
      break;
  }
  assert(false && "meshes have no closed form");
  return {};
}

}  // namespace handspan
