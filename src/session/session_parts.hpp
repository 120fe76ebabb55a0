#pragma once
// What session adds to the parts of a program.
#include "core/parts.hpp"

namespace handspan {

/// The modes and conditions that every app has, and the judge `place`.
void register_session(Parts& parts);

}  // namespace handspan
