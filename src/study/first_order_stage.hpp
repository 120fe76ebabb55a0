#pragma once
// first_order: which share of a column's variance each variation explains alone.
#include "study/stage.hpp"

namespace handspan {

void register_first_order_stage(StageRegistry& registry);

}  // namespace handspan
