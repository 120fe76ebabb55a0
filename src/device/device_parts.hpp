#pragma once
// What device adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// What a person holds: headset, SDL's gamepads and joysticks, the keyboard of a terminal.
void register_devices(Parts& parts);

}  // namespace handspan
