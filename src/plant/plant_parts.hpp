#pragma once
// What plant adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// Plants without physics: `posed`.
void register_plants(Parts& parts);

}  // namespace handspan
