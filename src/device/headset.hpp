#pragma once
// A headset with two controllers or bare hands, as WebXR reports them: axes x right, y up, -z
// forward. Fed by the operator station, or from a recording (recorded_session.hpp).
//
// Poses: left, right (grip poses), head. Axes, of each side: trigger, squeeze (0 to 1), stick_x,
// stick_y (-1 to 1; to the right and away are positive, as a gamepad's; WebXR has it the other way
// round). Buttons, of each side: primary, secondary, stick. Outputs: left.rumble,
// right.rumble (0 to 1).
#include "device/device.hpp"

namespace handspan {

/// That of every headset.
const DeviceLayout& headset_layout();

/// headset.
void register_headset(DeviceRegistry& registry);

}  // namespace handspan
