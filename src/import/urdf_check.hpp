#pragma once
// What the links and joints of a URDF must be together to be one mechanism with stated limits.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "import/urdf.hpp"

namespace handspan {

/// What a person states for joints of which the file does not. SI units.
struct UrdfLimitOptions {
  std::optional<double> velocity, effort;  // for driven joints whose value is missing or 0
  std::set<std::string> passive;           // joints without a drive: no velocity, no effort
  std::map<std::string, double> velocity_by_joint, effort_by_joint;  // stated for one joint
  std::set<std::string> added;  // joints that the import adds, which those may name
};

/// Faults of the tree: equal names, unknown links, links joined to themselves, with two parents or
/// in loops, no root or several, null axes, mimic masters that are missing or go round in a circle,
/// masses and inertias of what moves. None in a URDF that can be imported.
std::vector<Issue> check_urdf_tree(const UrdfRobot& robot);

/// Faults of limits: missing, swapped, in degrees by their size; effort or velocity that is
/// missing, 0 or negative on a driven joint. Mimic, fixed, floating, planar and passive joints need
/// no drive limits.
std::vector<Issue> check_urdf_limits(const UrdfRobot& robot, const UrdfLimitOptions& options);

/// The only joint below a link that joins two joints of one axis each to one of two axes: the link
/// (child of `joint`) carries nothing else. None when it is not such a link; its mass and shapes
/// are not looked at.
const UrdfJoint* next_of_virtual(const UrdfRobot& robot, const UrdfLink& link,
                                 const UrdfJoint& joint);

/// True for revolute, continuous and prismatic joints that mimic none and are not listed as
/// passive.
bool urdf_driven(const UrdfJoint& joint, const UrdfLimitOptions& options);

}  // namespace handspan
