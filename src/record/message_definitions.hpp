#pragma once

// The text of the messages' definitions in ROS 2's language, each followed by those it uses.

#include <string>

namespace handspan {

/// The definition of a message as an MCAP schema of encoding "ros2msg" has it: `fields`, then those
/// of the types in it, each under a line of 80 '=' and its name. Throws InputError when a type in
/// it is not one of those that logs are made of.
std::string full_definition(const std::string& fields);

}  // namespace handspan
