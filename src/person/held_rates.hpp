#pragma once
// What a scripted person deflects to make E go at a rate: a `joystick` with its axes, buttons and
// hats, and `keys`, whose axes are -1, 0 or 1. It is the other side of a jog (teleop/jog.hpp) whose
// bindings, speeds and response the person knows, and whose axes are the world's. An axis is
// deflected as a minimum-jerk movement has its velocity, by the inverse of the response. What is
// only up or down (keys, a hat, buttons) is held for as long as the way takes at full speed, one
// after the other, since a jog is no faster along a diagonal; a hold is a tap at least. Let go, all
// of it springs back at once.
#include "person/held_device.hpp"

namespace handspan {

/// joystick, keys.
void register_held_rates(HeldDeviceRegistry& registry);

}  // namespace handspan
