#pragma once
// A device that an operator's page is: what keys, pads, sticks, fingers, a stylus or a headset give
// there, in whatever layout the app asks for. Registered as `page`.
//
// With `hands` (or with nothing, for one hand without a prefix) it has for each of them
//   axes     x y z roll pitch yaw: rates, right-handed, x away from the person, z up (-1 to 1)
//   buttons  clutch, and trigger squeeze primary secondary stick
// with the hand's name and a dot before them. The page moves these as its operator sees them: its
// jog keys, its pads and a gamepad move the reference that a jog on these axes moves.
// `axes`, `buttons`, `poses` and `outputs` add others. What feeds an axis or a button is named as
// in page_inputs.hpp.
#include "device/device.hpp"

namespace handspan {

/// page.
void register_page_device(DeviceRegistry& registry);

}  // namespace handspan
