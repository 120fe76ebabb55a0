#pragma once
// correlation: how columns go together with others, or with variations.
#include "study/stage.hpp"

namespace handspan {

void register_correlation_stage(StageRegistry& registry);

}  // namespace handspan
