#pragma once
// A simulation whose numbers ran away stops by itself: it stands still from there on, with its last
// good observation, and nothing is true of it any more.
#include <string>

#include "plant/mujoco_plant.hpp"

namespace handspan {

/// @param simulation none: nothing is simulated, and nothing diverged
bool diverged(MujocoPlant* simulation);

/// What ran away: "the velocity of 'box' is not finite or too large". Empty: nothing did.
std::string divergence_of(MujocoPlant& simulation);

}  // namespace handspan
