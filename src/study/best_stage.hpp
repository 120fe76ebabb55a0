#pragma once
// best: the combination of the grids with the best mean of a column, run again with fresh seeds.
#include "study/stage.hpp"

namespace handspan {

void register_best_stage(StageRegistry& registry);

}  // namespace handspan
