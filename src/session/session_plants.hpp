#pragma once
// Which plants a session of an app has: those of the app, or one that a program gives.
#include <memory>

#include "plant/plant_set.hpp"
#include "session/app.hpp"

namespace handspan {

/// @param given a plant in place of the app's; may be a PlantSet, or nothing
/// @return nothing: the whole scene is simulated
/// @throws ConfigError with place, cause and hint: a plant that cannot be made, a real one whose
/// commands would come as fast as the machine computes them, `clock: plant` without plants
std::unique_ptr<PlantSet> session_plants(const App& app, std::unique_ptr<Plant> given);

}  // namespace handspan
