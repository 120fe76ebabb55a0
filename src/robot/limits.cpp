#include "robot/limits.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

double curve(const VelocityCurve& c, double distance, double v_max) {
  return std::min(v_max, std::max(0.0, c.offset + std::sqrt(std::max(0.0, c.gain * distance))));
}

}  // namespace

double VelocityCurve::upper_velocity(double q, double v_max) const {
  return curve(*this, upper - q, v_max);
}
double VelocityCurve::lower_velocity(double q, double v_max) const {
  return -curve(*this, q - lower, v_max);
}

const JointLimits* RobotLimits::find(const std::string& joint) const {
  for (const auto& [name, limits] : joints)
    if (name == joint) return &limits;
  return nullptr;
}

}  // namespace handspan
