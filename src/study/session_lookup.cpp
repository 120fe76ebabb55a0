#include "study/session_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/named.hpp"
#include "core/suggest.hpp"

namespace handspan {

World& world_of(Session& session) {
  if (session.world() == nullptr)
    throw InputError("it needs a simulation, and nothing of the app's scene is simulated");
  return *session.world();
}

int body_of(const World& world, const std::string& name) {
  return static_cast<int>(find_named("the scene", "body", name, world.bodies()));
}

const Person& person_of(Session& session, const std::string& device) {
  const Devices& devices = session.devices();
  std::vector<std::string> names;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    names.emplace_back(devices.state_of(d).name());
    if (names.back() != device) continue;
    if (const auto* person = dynamic_cast<const Person*>(&devices.driver(d))) return *person;
    throw InputError(
        fmt::format("the device '{}' is not a scripted person; give it driver: {{type: person}}",
                    shown(device)));
  }
  if (names.empty())
    throw InputError(fmt::format(
        "the app has no device '{}', nor any other; add one with driver: {{type: person}}",
        shown(device)));
  throw InputError(fmt::format("the app has no device '{}'; {}", shown(device),
                               did_you_mean(device, names, "it has")));
}

}  // namespace handspan
