#pragma once
// The robot of the two-arm problem, which ours and the rivals solve.
#include <filesystem>
#include <string>

#include "robot/description.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

/// Two copies of an arm, 0.8 m apart, bases upright in the world: all names of the one at y = 0.4 m
/// begin with "left.", of the other with "right.", and the left one's joints come first. Takes
/// bodies and frames; an arm with mimic joints or wheels is not meant.
ModelDescription two_arms(const RobotFolder& arm);

/// The same as URDF, with the limits of limits.yaml as range, speed and effort in place of the
/// mechanical stops and the drives' capability: URDF has one of each.
std::string two_arms_urdf(const RobotFolder& arm);

}  // namespace handspan
