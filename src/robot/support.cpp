#include "robot/support.hpp"

#include <cassert>
#include <cmath>

namespace handspan {

double support(ShapeType type, const Eigen::Vector3d& size, const Eigen::Vector3d& n_G) {
  switch (type) {
    case ShapeType::kBox:
      return size.dot(n_G.cwiseAbs());
    case ShapeType::kSphere:
      return size[0];
    case ShapeType::kCapsule:
      return size[0] + size[1] * std::abs(n_G.z());
    case ShapeType::kCylinder:
      return size[0] * std::sqrt(n_G.x() * n_G.x() + n_G.y() * n_G.y()) +
             size[1] * std::abs(n_G.z());
    case ShapeType::kMesh:
      break;
  }
  assert(false && "meshes have no closed form");
  return 0.0;
}

}  // namespace handspan
