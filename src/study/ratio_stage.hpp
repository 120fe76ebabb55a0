#pragma once
// ratio: a statistic of columns in one cell and in another, beside each other.
#include "study/stage.hpp"

namespace handspan {

void register_ratio_stage(StageRegistry& registry);

}  // namespace handspan
