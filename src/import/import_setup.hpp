#pragma once
// Groups, poses and ignored pairs of an imported robot.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "import/import.hpp"

namespace handspan {

/// Poses of joints that a file names; those of all joints of the first group become poses.
using NamedStates = std::vector<std::pair<std::string, std::map<std::string, double>>>;

/// Sets groups, poses and ignored pairs, with their notes. Groups are those of the options, then of
/// the SRDF, then by branches (import_groups.hpp); ready is searched (import_ready.hpp), and the
/// states that place all joints of the first group within their limits become poses too.
/// @param robot description and limits are set
/// @throws ConfigError for an SRDF that cannot be read
void set_up(ImportedRobot& robot, const ImportOptions& options, const NamedStates& states);

}  // namespace handspan
