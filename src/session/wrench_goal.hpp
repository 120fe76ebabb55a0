#pragma once
// A loop closure that presses: its wrench is ramped to a goal and stays there (apply_wrench). A
// source, and a mode that follows one of its own.
#include "core/parts.hpp"

namespace handspan {

void register_wrench_goal(Parts& parts);

}  // namespace handspan
