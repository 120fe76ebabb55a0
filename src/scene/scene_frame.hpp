#pragma once
// The named frames of a scene.
#include <string_view>

#include "math/pose.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// X_WF of a frame F of the scene. @throws InputError with the names there are
Pose scene_frame(const Scene& scene, std::string_view name);

}  // namespace handspan
