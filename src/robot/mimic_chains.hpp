#pragma once
// Mimics of mimics. Files may have a finger's last joint follow the one before it, which follows
// the first; engines and drives here look at one master at a time.
#include "robot/description.hpp"

namespace handspan {

/// Each mimic follows a joint that mimics none: q = m1 (m2 q0 + o2) + o1 = (m1 m2) q0 + (m1 o2 +
/// o1). Mimics that go round in a circle stay as they are, for validate() to refuse.
void resolve_mimic_chains(ModelDescription& description);

}  // namespace handspan
