#include "bench/two_arms.hpp"

#include <utility>

#include "robot/urdf_export.hpp"

namespace handspan {

ModelDescription two_arms(const RobotFolder& arm) {
  constexpr double kHalfDistance = 0.4;  // [m]
  ModelDescription both;
  both.name = "two_" + arm.name;
  for (const auto& [prefix, y] : {std::pair("left.", kHalfDistance), {"right.", -kHalfDistance}}) {
    append(both, placed(with_prefix(arm.description, prefix),
                        {Eigen::Vector3d(0.0, y, 0.0), Eigen::Quaterniond::Identity()}));
  }
  validate(both);
  return both;
}

std::string two_arms_urdf(const RobotFolder& arm) {
  RobotFolder limited = arm;
  JointVelocities velocities;
  for (auto& body : limited.description.bodies) {
    for (auto& joint : body.joints) {
      const auto* limits = arm.limits.find(joint.name);
      joint.range = {limits->lower, limits->upper};
      joint.effort = limits->torque;
      for (const char* prefix : {"left.", "right."})
        velocities[prefix + joint.name] = limits->velocity;
    }
  }
  return export_urdf(two_arms(limited), velocities);
}

}  // namespace handspan
