#pragma once
// Goals that a reference goes to within its own limits, and stays: a hand at a place of the other
// hand (move_relative), an axis along a direction (point).
#include "core/parts.hpp"

namespace handspan {

/// The sources and modes move_relative and point.
void register_pose_goals(Parts& parts);

}  // namespace handspan
