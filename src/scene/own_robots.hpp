#pragma once
// What of the robots that this program came with a scene's own folders hide.
#include <string>
#include <vector>

#include "scene/scene.hpp"

namespace handspan {

/// One line for each robot or tool of the scene that is a person's own and has the name of a
/// shipped one, and differs from it: the own one is taken. Empty where nothing is hidden.
std::vector<std::string> own_before_shipped(const Scene& scene);

}  // namespace handspan
