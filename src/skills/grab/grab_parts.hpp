#pragma once
// What the grab adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// The metrics `grab` and `grabs`.
void register_grab(Parts& parts);

}  // namespace handspan
