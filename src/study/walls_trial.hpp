#pragma once
// Arms that press on what does not let them, and arms that are pushed, as a trial: a wall, a table,
// another arm; a force at the tool or the elbow, a torque at the tool.
#include "study/trial.hpp"

namespace handspan {

void register_walls_trial(TrialRegistry& registry);

}  // namespace handspan
