#pragma once
// Mass and inertia of bodies of one density from their shapes. Meshes are measured by MuJoCo's
// compiler, which integrates the convex hull.
#include <vector>

#include "robot/description.hpp"

namespace handspan {

/// Mass and inertia of bodies of one density that together have `mass` [kg].
/// @throws InputError for a mesh without volume
Inertial uniform_inertial(const std::vector<Shape>& shapes, double mass);

}  // namespace handspan
