#pragma once
// What a scripted person carries along, and what is tracked in space: the controllers of a
// `headset`, one in each hand, and a `stylus`, the pen of a haptic device, in one hand. It moves as
// E should, turned into the device's axes and divided by the scale of the source that follows it.
#include "person/held_device.hpp"

namespace handspan {

/// A controller of a headset, for one hand.
std::unique_ptr<HeldDevice> hold_headset(const HeldContext& context);

/// headset, stylus.
void register_held_poses(HeldDeviceRegistry& registry);

}  // namespace handspan
