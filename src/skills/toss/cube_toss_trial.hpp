#pragma once
// The measured tosses of study/cube_tosses.hpp as a trial: --data is a folder of recordings, a case
// is one of them, and both simulators run it.
#include "study/trial.hpp"

namespace handspan {

/// "cube_tosses". Its columns are rigid.COLUMN and mujoco.COLUMN: position and rotation (errors at
/// rest), path_position and path_rotation (means along the way), wrong_face and at_rest (0 or 1).
void register_cube_toss_trial(TrialRegistry& registry);

}  // namespace handspan
