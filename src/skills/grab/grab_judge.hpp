#pragma once
// grab: each time that two bodies take an object, lift it and put it back.
#include "session/judge.hpp"

namespace handspan {

void register_grab_judge(JudgeRegistry& registry);

}  // namespace handspan
