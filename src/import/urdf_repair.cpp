#include "import/urdf_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

// No unit makes a stop of this: 1e4 degrees are 28 turns. Files write +-1e16 for "none".
constexpr double kNoStop = 1e4;

std::optional<std::string> hint_range(UrdfJoint& joint) {
  const bool revolute = joint.type == UrdfJointType::kRevolute;
  if (!revolute && joint.type != UrdfJointType::kContinuous) return std::nullopt;
  const bool has_range = joint.limit && (joint.limit->lower || joint.limit->upper);
  const double lower = has_range ? joint.limit->lower.value_or(0.0) : 0.0,
               upper = has_range ? joint.limit->upper.value_or(0.0) : 0.0;
  std::string note;
  if (!revolute && has_range)
    note = fmt::format("joint '{}' is continuous: its limits {} to {} are ignored, as URDF says",
                       joint.name, lower, upper);
  else if (revolute && !has_range)
    note = fmt::format("joint '{}' is revolute without limits: it turns without end", joint.name);
  else if (revolute && lower == 0.0 && upper == 0.0)
    note = fmt::format(
        "joint '{}' has the limits 0 to 0, which exporters write where none was "
        "set: it turns without end",
        joint.name);
  else if (revolute && lower < -kNoStop && upper > kNoStop)
    note = fmt::format("joint '{}' has the limits {} to {}: it turns without end", joint.name,
                       lower, upper);
  else
    return std::nullopt;
  joint.type = UrdfJointType::kContinuous;
  if (joint.limit) joint.limit->lower = joint.limit->upper = std::nullopt;
  return note;
}

}  // namespace

std::vector<std::string> repair_urdf(UrdfRobot& robot) {
  std::vector<std::string> notes;
  for (auto& joint : robot.joints) {
    if (auto note = hint_range(joint)) notes.push_back(std::move(*note));
    if (!joint.mimic) continue;
    if (joint.type == UrdfJointType::kFixed) {
      notes.push_back(fmt::format("joint '{}' is fixed: its mimic is ignored", joint.name));
      joint.mimic.reset();
      continue;
    }
    const auto master = std::ranges::find(robot.joints, joint.mimic->master, &UrdfJoint::name);
    if (master == robot.joints.end() || master->type != UrdfJointType::kFixed) continue;
    notes.push_back(fmt::format("joint '{}' mimics '{}', which is fixed: it moves for itself",
                                joint.name, master->name));
    joint.mimic.reset();
  }
  for (auto& link : robot.links)
    std::erase_if(link.collisions, [&](const UrdfCollision& c) {
      const bool nothing =
          c.geometry.type == UrdfGeometryType::kSphere && c.geometry.size[0] == 0.0;
      if (nothing)
        notes.push_back(
            fmt::format("a collision sphere of link '{}' has radius 0: left out", link.name));
      return nothing;
    });
  return notes;
}

}  // namespace handspan
