#pragma once
// Joints that move through waypoints (move_joints) or along a smooth curve (move_along): sources,
// and modes that follow one of their own. They plan from where the reference is, also when that is
// moving, and again after a hold.
#include "core/parts.hpp"

namespace handspan {

void register_joint_moves(Parts& parts);

}  // namespace handspan
