#pragma once
// What person adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// Devices that a model of a person moves: person, thrown_hand, wild_hand; and what the person can
/// hold: headset, stylus, joystick, keys.
void register_persons(Parts& parts);

}  // namespace handspan
