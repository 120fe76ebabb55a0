#pragma once

// How numbers relate to a bound, and how that is written.

#include <cstdint>

namespace handspan::schema_detail {

enum class Relation : std::uint8_t { kAtLeast, kAtMost, kAbove, kBelow };

/// ">=", "<=", ">" or "<".
const char* sign(Relation relation);

}  // namespace handspan::schema_detail
