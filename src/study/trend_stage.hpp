#pragma once
// trend: whether columns rise or fall over cells in their order, paired by seed.
#include "study/stage.hpp"

namespace handspan {

void register_trend_stage(StageRegistry& registry);

}  // namespace handspan
