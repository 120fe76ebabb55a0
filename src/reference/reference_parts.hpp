#pragma once
// The kinds of references that handspan has: pose, joints, wrench.
#include "core/parts.hpp"

namespace handspan {

/// @throws InputError when one of their names is taken
void register_references(Parts& parts);

}  // namespace handspan
