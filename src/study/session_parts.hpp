#pragma once
// Parts of a session that metrics look at, or an error that says what there is.
#include <string>

#include "session/session.hpp"
#include "teleop/person.hpp"

namespace handspan {

/// @throws InputError when nothing of the app is simulated
MujocoPlant& simulation_of(Session& session);
/// @throws InputError with the bodies there are
int body_of(const MujocoPlant& plant, const std::string& name);
/// @throws InputError when there is no such device, or it is not a scripted person
const Person& person_of(Session& session, const std::string& device);

}  // namespace handspan
