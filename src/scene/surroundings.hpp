#pragma once
// What every picture of a scene shows beside the scene: floor, sky and light. Nothing collides with
// it.
#include "scene/mujoco_spec.hpp"

namespace handspan {

/// Adds a floor that is drawn only, a sky, a sun, and the quality of pictures up to 3840 x 2160.
void add_surroundings(mjSpec* spec);

}  // namespace handspan
