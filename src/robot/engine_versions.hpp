#pragma once
// Versions of the libraries that compute a run's numbers.
#include <map>
#include <string>

namespace handspan {

/// "mujoco", "pinocchio", "eigen", and what each says of itself.
std::map<std::string, std::string> engine_versions();

}  // namespace handspan
