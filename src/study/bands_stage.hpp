#pragma once
// bands: how far columns scatter in runs whose normal variations are within so many deviations.
#include "study/stage.hpp"

namespace handspan {

void register_bands_stage(StageRegistry& registry);

}  // namespace handspan
