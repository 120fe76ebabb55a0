#pragma once
// friedman: whether columns differ between cells at all, paired by seed.
#include "study/stage.hpp"

namespace handspan {

void register_friedman_stage(StageRegistry& registry);

}  // namespace handspan
