#pragma once
// What MuJoCo adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// The plant `mujoco`, which simulates the scene.
void register_mujoco(Parts& parts);

}  // namespace handspan
