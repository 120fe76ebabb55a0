#pragma once
// toss: each toss of an object from a cup onto a belt, by the rule of van Gorp 2022, section 4.3.
#include "session/judge.hpp"

namespace handspan {

void register_toss_judge(JudgeRegistry& registry);

}  // namespace handspan
