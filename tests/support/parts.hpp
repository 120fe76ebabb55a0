#pragma once
// What apps and studies of the tests are made of. A test that has parts of its own makes a Parts of
// its own.
#include "core/parts.hpp"
#include "skills/built_in.hpp"

namespace handspan {

/// All parts that handspan has. A program that calls it links handspan_skills.
inline const Parts& test_parts() {
  static const Parts parts = built_in_parts();
  return parts;
}

/// Those of some folders: parts_of<register_control, register_plants>().
template <void (*... kRegister)(Parts&)>
const Parts& parts_of() {
  static const Parts parts = [] {
    Parts made;
    (kRegister(made), ...);
    return made;
  }();
  return parts;
}

}  // namespace handspan
