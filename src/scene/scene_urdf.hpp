#pragma once
// A scene as one URDF, for viewers: robots, objects and what stands around, as links below 'world'.
#include <string>

#include "scene/scene.hpp"

namespace handspan {

/// Robots as they are; objects and kinematic bodies on floating joints; fixtures and belts fixed.
/// Bodies have their own names, so that their poses in W as transforms place them. What URDF cannot
/// say (meshes) is left out.
std::string scene_urdf(const Scene& scene);

}  // namespace handspan
