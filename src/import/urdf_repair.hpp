#pragma once
// What URDF files of the wild write and the format does not foresee, where it has one reading. Each
// is put right with a note, as the usual parsers read it; what has two readings is a fault
// (urdf_check.hpp).
#include <string>
#include <vector>

#include "import/urdf.hpp"

namespace handspan {

/// Puts right, in place, and returns the notes: lower and upper of a continuous joint are ignored
/// (as URDF says); a revolute joint without lower and upper, with 0 to 0 (which exporters of CAD
/// write where nothing was set) or with |limits| beyond 1e4 rad turns without end; a joint that
/// mimics a fixed one moves for itself, and a fixed one mimics none; a collision sphere of radius 0
/// is left out.
std::vector<std::string> repair_urdf(UrdfRobot& robot);

}  // namespace handspan
