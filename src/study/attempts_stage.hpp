#pragma once
// attempts: how often somebody must try until a run reaches its target, when each try is corrected
// by a share of what the one before missed by.
#include "study/stage.hpp"

namespace handspan {

void register_attempts_stage(StageRegistry& registry);

}  // namespace handspan
