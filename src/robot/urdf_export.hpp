#pragma once
// A description as URDF, for ROS users and logs.
#include <functional>
#include <map>
#include <string>

#include "robot/description.hpp"

namespace handspan {

/// Largest speed of each joint by name [rad/s or m/s]; URDF requires one where the description has
/// none.
using JointVelocities = std::map<std::string, double>;

/// Where the mesh of a shape is, as URDF's `filename`: URDF keeps it in a file of its own. Called
/// once for each shape that is a mesh.
using MeshFile = std::function<std::string(const Shape&)>;

/// The description as URDF text with 17 digits. A URDF joint has one axis through its child's
/// origin and a link one joint, so that:
///  - each body becomes a link whose frame is moved, where joints have anchors, by massless links
///  NAME_1, NAME_2 ...;
///  - frames become massless links on fixed joints NAME_joint, and several roots hang on a link
///  'world';
///  - a free joint becomes a floating joint below 'world';
///  - capsules become a cylinder and two spheres; shapes are written as collision, and as visual;
///  - joints without a drive have effort 0, and without an entry in `velocities` velocity 0: URDF
///  has no "unlimited";
///  - a prismatic joint without stops gets +-1e6 m, which URDF requires, and a comment.
/// Rotor inertia, contact materials and rolling constraints have no place in URDF and are written
/// as comments.
/// @throws InputError naming the joint or shape that URDF cannot say: ball joints, meshes without a
/// `mesh_file`; and what validate() refuses
std::string export_urdf(const ModelDescription& description, const JointVelocities& velocities = {},
                        const MeshFile& mesh_file = {});

}  // namespace handspan
