#pragma once
// What log adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// The mode replay_reference.
void register_log(Parts& parts);

}  // namespace handspan
