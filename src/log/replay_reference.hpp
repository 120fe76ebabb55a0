#pragma once
// A reference that does again what one did in a log: a source, and a mode that follows one of its
// own and commands groups too.
#include "core/parts.hpp"

namespace handspan {

/// replay_reference.
void register_replay_reference(Parts& parts);

}  // namespace handspan
