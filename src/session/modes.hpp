#pragma once
// The modes that every app has; modes.cpp says what each does.
#include "session/mode.hpp"

namespace handspan {

/// hold, set, wait, teleoperate, call.
void register_modes(ModeRegistry& registry);
/// move_to, move_joints, move_along.
void register_move_modes(ModeRegistry& registry);
/// grip, release.
void register_grip_modes(ModeRegistry& registry);
/// operate.
void register_operate_mode(ModeRegistry& registry);
/// apply_wrench.
void register_wrench_modes(ModeRegistry& registry);
/// reset_scene.
void register_reset_scene_mode(ModeRegistry& registry);
/// replay_reference.
void register_replay_reference(ModeRegistry& registry);

}  // namespace handspan
