#pragma once
// One throw of a hand, and what an arm of the plant makes of it: whether it comes to rest in the
// least time, brakes when the hand turns, holds when it must and only then, as a trial.
#include "study/trial.hpp"

namespace handspan {

void register_throws_trial(TrialRegistry& registry);

}  // namespace handspan
