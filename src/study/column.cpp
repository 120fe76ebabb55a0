#include "study/column.hpp"

#include <numbers>

namespace handspan {

ShownUnit shown_unit(const std::string& unit) {
  if (unit == "rad") return {"deg", 180.0 / std::numbers::pi};
  if (unit == "rad/s") return {"deg/s", 180.0 / std::numbers::pi};
  if (unit == "m") return {"mm", 1000.0};
  return {unit, 1.0};
}

}  // namespace handspan
