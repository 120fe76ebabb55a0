#pragma once
// What modes and conditions say of groups that take hold of things: suction cups, grippers, and
// other groups that go to positions.
#include <string>

#include "plant/plant.hpp"

namespace handspan {

/// The group of that name, which is a suction cup, a gripper or driven by positions.
/// @throws InputError naming those there are
std::size_t end_effector(const PlantLayout& layout, const std::string& name);

/// The same of a suction cup or a gripper, which know whether they hold something.
std::size_t holding_end_effector(const PlantLayout& layout, const std::string& name);

/// A gripper's command: closes with all that it has, open, and their words in error messages.
GripperCommand close_command(const GripperDescription& gripper);
GripperCommand open_command(const GripperDescription& gripper);
/// As a command of the group (3).
Eigen::VectorXd values_of(const GripperCommand& command);

/// What a file says of it instead.
struct GripperChanges {
  std::optional<double> width, speed, force;
};
/// The command with these. @throws InputError for a value that the gripper cannot have
GripperCommand changed(GripperCommand command, const GripperChanges& changes,
                       const GripperDescription& gripper);

}  // namespace handspan
