#pragma once
// Mass properties of an object of a scene for which its file gives the mass alone.
#include <string>

#include "scene/scene_schema.hpp"

namespace handspan {

/// Of uniform density. A mesh counts as what it encloses, exactly, not as the convex shapes that
/// touch for it.
/// @throws ConfigError with the place of each mesh that encloses nothing, or InputError for shapes
/// without volume
Inertial uniform_object(const std::string& name, const BodyEntry& entry);

}  // namespace handspan
