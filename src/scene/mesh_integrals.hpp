#pragma once
// Volume, centre and moments of a solid by its surface alone, exactly, concave ones too.
#include <optional>
#include <string>

#include "scene/convex_hull.hpp"

namespace handspan {

struct MeshIntegrals {
  double volume = 0.0;                                // [m^3]; below 0: the surface is inside out
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   // of the volume [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre, of density 1 [m^5]
};

/// By the divergence theorem: each triangle makes a tetrahedron with one point, whose volume counts
/// with its sign (Mirtich, "Fast and accurate computation of polyhedral mass properties", 1996;
/// moments of a tetrahedron: Tonon, "Explicit exact formulas for the 3-D tetrahedron inertia
/// tensor", 2004). The surface must be closed and its triangles must be counter-clockwise as seen
/// from outside: see mesh_fault().
MeshIntegrals mesh_integrals(const MeshSurface& mesh);

/// What is wrong with a surface that should enclose a solid.
struct MeshFault {
  std::string cause;  // "is open: ...", with the place in the mesh's coordinates [m]
  std::string hint;
};

/// None: it is closed, its triangles face outwards, and it has a volume. Vertices with the same
/// coordinates must be one, as load_mesh() has them; triangles with two equal corners do not count.
std::optional<MeshFault> mesh_fault(const MeshSurface& mesh);

}  // namespace handspan
