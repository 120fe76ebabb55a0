#pragma once
// A pose that moves through waypoints: a source, and a mode that follows one of its own (move_to).
// It plans from where the reference is, also when that is moving, and again after a hold.
#include "core/parts.hpp"

namespace handspan {

void register_pose_move(Parts& parts);

}  // namespace handspan
