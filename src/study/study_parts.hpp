#pragma once
// What study adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// Metrics, trials and stages that are about no skill.
void register_study(Parts& parts);

}  // namespace handspan
