#pragma once
// What teleop adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// Sources that a person moves: hand, jog, joint_jog, pose_stream; and how the space of a device
/// lies in the world: webxr, toss, grab.
void register_teleop(Parts& parts);

}  // namespace handspan
