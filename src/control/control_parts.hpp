#pragma once
// What control adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// Controllers of groups, and the tasks and constraints of the whole-arm controller.
void register_control(Parts& parts);

}  // namespace handspan
