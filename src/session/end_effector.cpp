#include "session/end_effector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

std::size_t find(const PlantLayout& layout, const std::string& name, bool positions) {
  std::vector<std::string> names;
  for (const auto& group : layout.groups)
    if (group.kind == GroupKind::kSuction || group.kind == GroupKind::kGripper ||
        (positions && group.kind == GroupKind::kPosition))
      names.push_back(group.name);
  if (std::ranges::count(names, name)) return static_cast<std::size_t>(layout.group(name));
  throw InputError(names.empty()
                       ? std::string("the scene has neither suction cup nor gripper; give a tool's "
                                     "group 'gripper:' in its robot.yaml")
                       : fmt::format("'{}' is neither suction cup nor gripper; {}", shown(name),
                                     did_you_mean(name, names, "there are")));
}

}  // namespace

std::size_t end_effector(const PlantLayout& layout, const std::string& name) {
  return find(layout, name, true);
}

std::size_t holding_end_effector(const PlantLayout& layout, const std::string& name) {
  return find(layout, name, false);
}

GripperCommand close_command(const GripperDescription& gripper) {
  // narrower than it can be: it presses on
  return {gripper.shut() - gripper.wide(), gripper.speed, gripper.force};
}

GripperCommand open_command(const GripperDescription& gripper) {
  return {gripper.wide(), gripper.speed, gripper.force};
}

Eigen::VectorXd values_of(const GripperCommand& command) {
  return Eigen::Vector3d(command.width, command.speed, command.force);
}

GripperCommand changed(GripperCommand command, const GripperChanges& changes,
                       const GripperDescription& gripper) {
  if (changes.width) {
    if (*changes.width < gripper.shut() || *changes.width > gripper.wide())
      throw InputError(fmt::format("width is {:.4g} m; the gripper goes from {:.4g} to {:.4g} m",
                                   *changes.width, gripper.shut(), gripper.wide()));
    command.width = *changes.width;
  }
  if (changes.speed) {
    if (*changes.speed > gripper.speed)
      throw InputError(fmt::format("speed is {:.4g} m/s; the gripper has {:.4g} m/s",
                                   *changes.speed, gripper.speed));
    command.speed = *changes.speed;
  }
  if (changes.force) {
    if (*changes.force > gripper.force)
      throw InputError(fmt::format("force is {:.4g} N; the gripper has {:.4g} N", *changes.force,
                                   gripper.force));
    command.force = *changes.force;
  }
  return command;
}

}  // namespace handspan
