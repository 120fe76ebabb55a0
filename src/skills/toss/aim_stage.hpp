#pragma once
// A stage that adapts a demonstrated toss to each cell's box and target (plan/toss_aim.hpp).
#include "study/stage.hpp"

namespace handspan {

void register_aim_stage(StageRegistry& registry);

}  // namespace handspan
