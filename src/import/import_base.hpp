#pragma once
// A base on wheels as joints in the plane: base_x and base_y slide along the world's axes in which
// the robot stands at first, base_yaw turns it. Nobody rolls wheels on a floor for it.
#include <string>
#include <vector>

#include "core/error.hpp"
#include "import/import.hpp"

namespace handspan {

inline constexpr const char* kBaseJoints[] = {"base_x", "base_y", "base_yaw"};
/// Frame of a differential drive: at the root's origin, x forward.
inline constexpr char kBaseAxle[] = "base_axle";

/// Gives the root of `description` the joints of a base, with limits by the options, and, of a
/// differential drive, the frame that does not slip along its y axis. Shapes fixed to the root that
/// come nearer than 10 mm to the plane on which it stands do not collide any more, since its joints
/// carry the robot and not its wheels.
/// @param robot gets limits, rolling frames and notes @param file as messages name it
/// @return what is wrong: several roots, a root that moves already, names that are taken, limits
/// that are missing
std::vector<Issue> add_base(ImportedRobot& robot, ModelDescription& description,
                            const ImportOptions& options, const std::string& file);

}  // namespace handspan
