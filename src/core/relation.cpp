#include "core/relation.hpp"

namespace handspan::schema_detail {

const char* sign(Relation relation) {
  switch (relation) {
    case Relation::kAtLeast:
      return ">=";
    case Relation::kAtMost:
      return "<=";
    case Relation::kAbove:
      return ">";
    case Relation::kBelow:
      break;
  }
  return "<";
}

}  // namespace handspan::schema_detail
