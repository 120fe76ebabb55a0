#pragma once
// paired: statistics of cells less those of another cell, paired by seed.
#include "study/stage.hpp"

namespace handspan {

void register_paired_stage(StageRegistry& registry);

}  // namespace handspan
