#pragma once
// All parts that handspan has. A program outside the tree adds its own to them.
#include "core/parts.hpp"

namespace handspan {

/// A new set each time, with everything that the folders of src/ register.
Parts built_in_parts();

}  // namespace handspan
