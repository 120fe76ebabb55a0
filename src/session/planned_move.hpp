#pragma once
// The source that plans its moves in a thread: planned_move.
#include "reference/source.hpp"

namespace handspan {

void register_planned_move(SourceRegistry& registry);

}  // namespace handspan
