#include "reference/wrench_follower.hpp"

#include <algorithm>

namespace handspan {
namespace {

Eigen::Vector3d cut(const Eigen::Vector3d& x, double most) {
  const double norm = x.norm();
  return norm > most ? Eigen::Vector3d(x * (most / norm)) : x;
}

// one step of at most `most` from x to `wanted`; there exactly when it is within reach
Eigen::Vector3d towards(const Eigen::Vector3d& x, const Eigen::Vector3d& wanted, double most) {
  const Eigen::Vector3d e = wanted - x;
  const double norm = e.norm();
  return norm > most ? Eigen::Vector3d(x + e * (most / norm)) : wanted;
}

}  // namespace

void WrenchFollower::start(const Vector6d& F) {
  motion_.wrench = F;
  moved_ = false;
}

void WrenchFollower::follow(const Vector6d& wanted, const Axes& axes, double dt) {
  Vector6d goal = motion_.wrench;
  for (int axis = 0; axis < 6; ++axis)
    if (axes[static_cast<std::size_t>(axis)]) goal[axis] = wanted[axis];
  Vector6d next;
  next << towards(motion_.wrench.head<3>(), cut(goal.head<3>(), limits_.force),
                  limits_.force_rate * dt),
      towards(motion_.wrench.tail<3>(), cut(goal.tail<3>(), limits_.torque),
              limits_.torque_rate * dt);
  moved_ = next != motion_.wrench;
  motion_.wrench = next;
}

Schema<WrenchReferenceLimits> wrench_reference_limits_schema() {
  return object<WrenchReferenceLimits>(
             "WrenchReferenceLimits",
             "how large a wrench reference may be and how fast it may change")
      .optional("force", &WrenchReferenceLimits::force, number("N").above(0).max(5000))
      .optional("torque", &WrenchReferenceLimits::torque, number("N m").above(0).max(5000))
      .optional("force_rate", &WrenchReferenceLimits::force_rate, number("N/s").above(0).max(1e5))
      .optional("torque_rate", &WrenchReferenceLimits::torque_rate,
                number("N m/s").above(0).max(1e5));
}

}  // namespace handspan
