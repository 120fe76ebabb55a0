#pragma once
// Straight ways through, past and out of what an arm can reach, and postures in which it is
// singular, as a trial: whole-arm control on its own model, one case a run.
#include "study/trial.hpp"

namespace handspan {

void register_singular_trial(TrialRegistry& registry);

}  // namespace handspan
