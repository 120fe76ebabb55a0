#pragma once
// Robots whose groups differ: an arm with a gripper, a lift with arms.
#include <string>
#include <utility>
#include <vector>

#include "scene/scene.hpp"

namespace handspan {

/// Whether some groups of a robot take torques and others set-points.
bool has_mixed_drives(const RobotInstance& robot);

/// Where joints of other groups than the first start, and mimic joints [rad, m]: where a pose or q
/// of the scene puts them, else as near to zero as their limits let them, jaws open; mimic joints
/// where their masters put them. By name, masters first.
std::vector<std::pair<std::string, double>> other_starts(const RobotInstance& robot);

}  // namespace handspan
