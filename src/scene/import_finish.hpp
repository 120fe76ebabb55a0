#pragma once
// What import_urdf and import_mjcf share once the mechanism is known.
#include <map>
#include <string>

#include "scene/import.hpp"

namespace handspan {

/// The description as it is read back from what is written of it: MuJoCo normalises axes and
/// quaternions when it compiles, so written numbers would otherwise change their last bits once.
/// @throws std::runtime_error when MuJoCo or validate() refuses it
ModelDescription canonical(const ModelDescription& description);

/// Completes the limits of `joint` (velocity and torque set): acceleration, braking, jerk and
/// torque rate as the options give them, else handspan's defaults; `sources` says which. The
/// defaults: full speed in 0.25 s, braking 0.75 of that, full acceleration and full torque within
/// 40 ms.
void complete_limits(ImportedLimits& joint, const ImportOptions& options);

/// Puts a covering shape in place of a mesh, as options.meshes says. `shape` has name, X_BG and
/// rgba; vertices [m] in G. False: the mesh is left out.
bool make_mesh_shape(Shape& shape, const std::vector<Eigen::Vector3d>& vertices, MeshShapes meshes);

/// Bodies, not parent and child, whose colliding shapes overlap in each of 40 configurations:
/// neutral and random ones within the joints' ranges, with mimic joints where they belong.
/// Deterministic.
std::vector<std::pair<std::string, std::string>> always_overlapping(
    const ModelDescription& description);

/// Sets description (made canonical), mount, ignored pairs and the notes about them.
/// @throws InputError for a mount that is no frame, a name that is no identifier, and what both
/// engines refuse
void finish_import(ImportedRobot& robot, ModelDescription description,
                   const ImportOptions& options);

}  // namespace handspan
