#include "session/who_acts.hpp"

namespace handspan {

std::string_view acts_alone(const Session& session) {
  bool own = false;
  for (std::size_t d = 0; d < session.devices().size(); ++d) {
    if (session.app().devices[d].second.driver.name == "person") return "scripted person";
    own = own || !session.devices().driver(d).takes_samples();
  }
  return own ? "the app's devices" : kNobodyActs;
}

}  // namespace handspan
