#pragma once
// MCAP has no checksum of metadata: those whose words a run depends on have one among their keys.
#include <string>

#include "record/mcap.hpp"

namespace handspan {

inline constexpr char kChecksumKey[] = "checksum";

/// CRC-32 of a map's other keys and values, as eight hexadecimal digits.
std::string checksum_of(const McapMap& map);

/// Whether the map has no checksum, or that of its content.
bool checksum_holds(const McapMap& map);

}  // namespace handspan
