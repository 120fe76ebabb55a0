#pragma once
// The modes that every app has; modes.cpp says what each does.
#include "session/mode.hpp"

namespace handspan {

/// hold, wait, teleoperate, call, grip, release.
void register_modes(ModeRegistry& registry);

}  // namespace handspan
