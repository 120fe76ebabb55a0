#pragma once
// A scene as one URDF, for viewers: robots, objects and what stands around, as links below 'world'.
#include <string>

#include "scene/scene.hpp"

namespace handspan {

/// Robots as they are; objects and kinematic bodies on floating joints; fixtures and belts fixed.
/// Bodies have their own names, so that their poses in W as transforms place them. What URDF cannot
/// say (meshes) is left out.
std::string scene_urdf(const Scene& scene);

/// An object by itself: one body with its mass, centre, inertia and shapes, its frame at the
/// origin. It moves freely when `free`, else it stands.
/// @throws InputError naming the objects there are; for what has no mass (fixtures, belts) it says
/// so
ModelDescription object_description(const Scene& scene, const std::string& name, bool free);

}  // namespace handspan
