#pragma once
// The keyboard of a terminal as a device, `terminal_keyboard`: for trying out, and for machines
// without anything better. What a terminal does not tell (releases, two keys at once) it cannot
// know: a key ends by time (typed_keys.hpp), and of two that are held only the later one counts.
//
// Axes x y z roll pitch yaw, each -1, 0 or 1 by two keys; roll, pitch, yaw are rotations about x,
// y, z by the right-hand rule, whatever frame the app means by them; for a person who looks along x
// with z up, w goes forward, a left, e up. Buttons stop (space; it also ends all other keys),
// speed.up (+), speed.down (-), and those that the app names. Samples come 50 times a second, and
// at once when a key comes, from a thread that reads the terminal.
#include "device/device.hpp"

namespace handspan {

/// terminal_keyboard.
void register_terminal_keyboard(DeviceRegistry& registry);

}  // namespace handspan
