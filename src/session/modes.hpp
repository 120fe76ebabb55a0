#pragma once
// The modes that every app has; modes.cpp says what each does.
#include "session/mode.hpp"

namespace handspan {

/// hold, set, wait.
void register_modes(ModeRegistry& registry);
/// grip, release.
void register_grip_modes(ModeRegistry& registry);
/// operate.
void register_operate_mode(ModeRegistry& registry);
/// reset_scene.
void register_reset_scene_mode(ModeRegistry& registry);

}  // namespace handspan
