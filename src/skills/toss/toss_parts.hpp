#pragma once
// What the toss adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// The judge and the metric `toss`, the trial `cube_tosses` and the stage `aim`.
void register_toss(Parts& parts);

}  // namespace handspan
