#include "control/constraint.hpp"

#include <algorithm>

#include "control/cartesian_limits.hpp"
#include "control/collision.hpp"
#include "control/joint_rows.hpp"
#include "robot/distance.hpp"

namespace handspan {

const char* name_of(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::kDynamics:
      return "dynamics";
    case ConstraintKind::kTorque:
      return "torque";
    case ConstraintKind::kJointBox:
      return "joint_box";
    case ConstraintKind::kCollision:
      return "collision";
    case ConstraintKind::kCartesian:
      return "cartesian";
    case ConstraintKind::kJerk:
      return "jerk";
  }
  return "";
}

double braking_bound(double gap, double closing, double deceleration, double recovery, double dt) {
  const Braking braking{0.0, deceleration, recovery, dt};
  return std::min(braking.bound(gap, closing), kMostBraking * deceleration);
}

ConstraintRegistry& constraints() {
  static ConstraintRegistry registry = [] {
    ConstraintRegistry built_in("constraint");
    register_joint_rows(built_in);
    register_cartesian_limits(built_in);
    register_collision(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
