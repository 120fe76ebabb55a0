#pragma once
// Parts of a session that metrics look at, or an error that says what there is.
#include <string>

#include "person/person.hpp"
#include "session/session.hpp"

namespace handspan {

/// @throws InputError when nothing of the app is simulated
World& world_of(Session& session);
/// @throws InputError with the bodies there are
int body_of(const World& world, const std::string& name);
/// @throws InputError when there is no such device, or it is not a scripted person
const Person& person_of(Session& session, const std::string& device);

}  // namespace handspan
