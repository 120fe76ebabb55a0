#pragma once
// Which driven joints are commanded together: what people call an arm, a torso, a head, wheels, a
// gripper.
#include <string>
#include <vector>

#include "robot/description.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

/// Groups of `driven` joints (names, in the order of the description) by the branches of the tree
/// and the kinds of joints; joints of a group are in the order of the description.
///
/// - Wheels turn without end and carry nothing driven; joints named caster or steer before them are
///   theirs.
/// - A gripper (from four joints on: a hand) is what is named gripper, hand, finger, jaw, thumb,
///   claw or knuckle and carries nothing else; a last joint that others mimic; a last slide behind
///   five joints or more; whatever branches off the end of an arm.
/// - Of the rest, a short chain (up to three joints) from which chains branch off is the torso. A
///   last chain is a head or a leg by its names. An arm is named so, or has three joints or more
///   (or is all there is). What is left is the group `other`.
///
/// Two of a kind are told apart as left_ and right_ by their joints' names, else by numbers. Arms
/// come first, legs next: the first group is the one that has poses. Arms and legs get a torque
/// drive, wheels a velocity drive, what stands beside an arm or a leg a position drive.
std::vector<ActuatorGroup> groups_by_branches(const ModelDescription& description,
                                              const std::vector<std::string>& driven);

/// A name as robot.yaml takes it: other letters than a-z, A-Z, 0-9, _ and - become _.
std::string group_name(const std::string& text);

}  // namespace handspan
