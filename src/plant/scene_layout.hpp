#pragma once
// What a scene's robots have to command and to read, as their folders say: the groups and sensors
// of a plant that drives them, in the order that every plant of a scene keeps.
#include "plant/plant.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// Groups with joints by robot, then suction cups by robot, then sensors by robot. The period is
/// that of the scene's physics.
/// @param robots those that count; @throws InputError for one that the scene does not have
PlantLayout scene_layout(const Scene& scene, const std::vector<std::string>& robots);
/// Of all its robots.
PlantLayout scene_layout(const Scene& scene);

/// The names of a scene's robots.
std::vector<std::string> robot_names(const Scene& scene);

}  // namespace handspan
