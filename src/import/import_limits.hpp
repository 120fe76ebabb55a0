#pragma once
// Limits of joints that a robot's file does not state, and where each comes from.
#include <map>
#include <string>

#include "import/import.hpp"

namespace handspan {

/// Completes the limits of `joint` (velocity and torque set): acceleration, braking, jerk and
/// torque rate as the options give them, else handspan's defaults; `sources` says which. The
/// defaults: full speed in 0.25 s, braking 0.75 of that, full acceleration and full torque within
/// 40 ms.
void complete_limits(ImportedLimits& joint, const ImportOptions& options);

/// Where velocity and torque of a joint come from, unless from the file. @param has_velocity,
/// has_effort whether the file has one
std::map<std::string, std::string> stated_sources(const std::string& joint, bool has_velocity,
                                                  bool has_effort, const ImportOptions& options);

}  // namespace handspan
