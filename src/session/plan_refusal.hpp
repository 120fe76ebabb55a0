#pragma once
// Tells a person why the planner found no motion.
#include "plan/point_to_point.hpp"

namespace handspan {

/// The text is a constant.
inline const char* reason_of(PlanRefusal refusal) {
  switch (refusal) {
    case PlanRefusal::kNone:
      return "";
    case PlanRefusal::kPassing:
      return "a passing velocity cannot be had within the limits";
    case PlanRefusal::kTooLong:
      return "the motion would last longer than two hours";
    case PlanRefusal::kNotFinite:
      return "the motion starts from something that is not a number";
    default:
      return "the planner found no motion";
  }
}

}  // namespace handspan
