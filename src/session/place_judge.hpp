#pragma once
// Whether an object is where it belongs, or on its way: fallen, tilted, far away or left beside its
// place it is not, and an app may put it back.
#include "session/judge.hpp"

namespace handspan {

/// place.
void register_place_judge(JudgeRegistry& registry);

}  // namespace handspan
