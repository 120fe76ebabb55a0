#include "control/constraint.hpp"

#include <algorithm>

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

}  // namespace handspan
