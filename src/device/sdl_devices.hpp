#pragma once
// Gamepads, joysticks and 3-D mice that SDL sees: `gamepad`, `joystick`, `space_mouse`. Samples
// come from SDL's thread, at least 100 times a second, and at once when something changes. While
// one is unplugged none come; plugged in again, the very same one goes on (sdl_choice.hpp). Dead
// zones are not applied here.
//
// gamepad: axes left.stick_x, left.stick_y, right.stick_x, right.stick_y (right and up are
//   positive), left.trigger, right.trigger (0 released to 1). Buttons by their place: south east
//   west north; left.shoulder right.shoulder left.stick right.stick back start guide, dpad.up down
//   left right, misc, paddle1 to paddle4, touchpad. What a pad has not is never valid. Outputs
//   left.rumble (low frequency), right.rumble (high frequency).
// joystick: the axes, buttons and hats that the app asks for, in the order of the device, with the
//   device's signs (most count y and throttle positive towards the person). A hat is four buttons,
//   hat0.up down left right. Outputs as a gamepad's.
// space_mouse: axes x y z roll pitch yaw: the cap pushed and turned, in the right-handed frame of
//   the mouse as it lies before a person, x away from them, y to their left, z up; roll, pitch, yaw
//   are rotations about x, y, z by the right-hand rule. Buttons button0 button1.
#include <vector>

#include "device/device.hpp"
#include "device/sdl_choice.hpp"

namespace handspan {

/// Those that are attached now, as SDL lists them. @throws InputError when SDL cannot start
std::vector<SdlAttached> attached_sdl_devices();

/// gamepad, joystick, space_mouse.
void register_sdl_devices(DeviceRegistry& registry);

}  // namespace handspan
