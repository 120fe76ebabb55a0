#pragma once

// How relations are written.

#include "core/schema.hpp"

namespace handspan::schema_detail {

/// ">=", "<=", ">" or "<".
const char* sign(Relation relation);

}  // namespace handspan::schema_detail
