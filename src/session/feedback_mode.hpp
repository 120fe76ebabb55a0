#pragma once
// The mode that says how much of a task's feedback acts: none of it, of position alone, not along
// the normal of a contact.
#include "session/mode.hpp"

namespace handspan {

/// feedback.
void register_feedback_mode(ModeRegistry& registry);

}  // namespace handspan
