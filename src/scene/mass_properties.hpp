#pragma once
// Mass and inertia of bodies of one density: from their shapes, of which a mesh is its convex hull
// (MuJoCo's compiler integrates it), or from closed surfaces, exactly.
#include <vector>

#include "robot/description.hpp"
#include "scene/convex_hull.hpp"

namespace handspan {

/// A closed surface, and where its frame G is in the body B.
struct PlacedSurface {
  MeshSurface surface;  // without a mesh_fault()
  Placement X_BG;
};

/// Mass and inertia of bodies of one density that together have `mass` [kg].
/// @param surfaces further bodies, exactly as their surface encloses them, concave ones too
/// @throws InputError for a mesh without volume
Inertial uniform_inertial(const std::vector<Shape>& shapes, double mass,
                          const std::vector<PlacedSurface>& surfaces = {});

}  // namespace handspan
