#include "scene/mixed_drives.hpp"

#include <algorithm>
#include <optional>

namespace handspan {

bool has_mixed_drives(const RobotInstance& robot) {
  const auto torques = [](const ActuatorGroup& g) { return g.drive == Drive::kTorque; };
  return std::ranges::any_of(robot.groups, torques) && !std::ranges::all_of(robot.groups, torques);
}

std::vector<std::pair<std::string, double>> other_starts(const RobotInstance& robot) {
  std::vector<std::pair<std::string, double>> starts;
  const auto start = [&](const std::string& joint) -> std::optional<double> {
    const auto& first = robot.groups.front().joints;
    if (const auto at = std::ranges::find(first, joint); at != first.end())
      return robot.q_start[at - first.begin()];
    for (const auto& [name, q] : starts)
      if (name == joint) return q;
    return std::nullopt;
  };
  for (std::size_t g = 1; g < robot.groups.size(); ++g)
    for (std::size_t j = 0; j < robot.groups[g].joints.size(); ++j) {
      const auto& joint = robot.groups[g].joints[j];
      const JointLimits& l = *robot.limits.find(joint);
      const auto& gripper = robot.groups[g].gripper;
      const auto placed = std::ranges::find(robot.other_q_start, joint,
                                            [](const auto& other) { return other.first; });
      starts.emplace_back(joint, placed != robot.other_q_start.end() ? placed->second
                                 : gripper      ? gripper->open[static_cast<Eigen::Index>(j)]
                                 : l.continuous ? 0.0
                                                : std::clamp(0.0, l.lower, l.upper));
    }
  for (bool found = true; found;) {
    found = false;
    for (const auto& mimic : robot.description.mimics) {
      const auto master = start(mimic.master);
      if (!master || start(mimic.joint)) continue;
      starts.emplace_back(mimic.joint, mimic.multiplier * *master + mimic.offset);
      found = true;
    }
  }
  return starts;
}

}  // namespace handspan
