#include "plant/scene_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

GroupKind kind_of(Drive drive) {
  switch (drive) {
    case Drive::kTorque:
      return GroupKind::kTorque;
    case Drive::kVelocity:
      return GroupKind::kVelocity;
    default:
      return GroupKind::kPosition;
  }
}

}  // namespace

std::vector<std::string> robot_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const auto& robot : scene.robots) names.push_back(robot.name);
  return names;
}

PlantLayout scene_layout(const Scene& scene, const std::vector<std::string>& robots) {
  for (const auto& name : robots)
    if (scene.robot(name) == nullptr)
      throw_not_found("the scene", "robot", name, robot_names(scene));
  PlantLayout layout;
  layout.period = std::llround(scene.physics.timestep * 1e9);
  const auto counts = [&](const RobotInstance& robot) {
    return std::ranges::count(robots, robot.name) > 0;
  };
  for (const auto& robot : scene.robots)
    if (counts(robot))
      for (const auto& group : robot.groups)
        layout.groups.push_back({robot.name + "." + group.name, robot.name, group.joints,
                                 group.gripper ? GroupKind::kGripper : kind_of(group.drive),
                                 robot.limits.rate, false, group.gripper});
  for (const auto& robot : scene.robots)
    if (counts(robot))
      for (const auto& suction : robot.suctions)
        layout.groups.push_back(
            {suction.name, robot.name, {}, GroupKind::kSuction, robot.limits.rate, false});
  for (const auto& robot : scene.robots)
    if (counts(robot))
      for (const auto& sensor : robot.sensors) layout.sensors.push_back({sensor.name, sensor.site});
  return layout;
}

PlantLayout scene_layout(const Scene& scene) { return scene_layout(scene, robot_names(scene)); }

}  // namespace handspan
