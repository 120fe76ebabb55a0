#pragma once
// Groups, poses and ignored pairs of an imported robot.
#include "scene/import_finish.hpp"

namespace handspan {

/// Sets groups, poses and ignored pairs, with their notes. Groups are those of the options, then of
/// the SRDF, then by branches (import_groups.hpp); ready is searched (import_ready.hpp), and the
/// states that place all joints of the first group within their limits become poses too.
/// @param robot description and limits are set
/// @throws ConfigError for an SRDF that cannot be read
void set_up(ImportedRobot& robot, const ImportOptions& options, const NamedStates& states);

}  // namespace handspan
