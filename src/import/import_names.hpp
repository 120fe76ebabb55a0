#pragma once
// Names of an imported robot as scenes take them.
#include "import/import.hpp"

namespace handspan {

/// Gives bodies, shapes and frames names of letters, digits, _, - and . where theirs have others
/// (each run of which becomes one _), with a note; joints may be called anything. The robot's
/// mount, ignored pairs and repairs follow.
void make_names_plain(ImportedRobot& robot, ModelDescription& description);

}  // namespace handspan
