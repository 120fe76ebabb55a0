#pragma once
// What every picture of a scene shows beside the scene: the look of its ground, sky and light.
// Nothing collides with it.
#include "scene/mujoco_spec.hpp"

namespace handspan {

/// Adds a sky, a sun, the look of the ground where there is one, and the quality of pictures up to
/// 3840 x 2160.
void add_surroundings(mjSpec* spec, bool ground);

}  // namespace handspan
