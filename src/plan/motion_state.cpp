#include "plan/motion_state.hpp"

#include <fmt/format.h>

namespace handspan {
namespace {

const char* words(PlanRefusal reason) {
  switch (reason) {
    case PlanRefusal::kNone:
      return "planned";
    case PlanRefusal::kWaypoints:
      return "there are no waypoints, or more than there is room for; give between one and the "
             "most";
    case PlanRefusal::kSize:
      return "its size is not that of the start, or the start's is not 1 to 16; give every vector "
             "one size";
    case PlanRefusal::kRotation:
      return "its R is not a rotation; give an orthonormal matrix of determinant 1";
    case PlanRefusal::kNotFinite:
      return "a number is not finite; give finite numbers";
    case PlanRefusal::kLimits:
      return "a limit is not a finite number > 0; give limits of velocity, acceleration and jerk";
    case PlanRefusal::kPassing:
      return "its passing velocity cannot be had within the limits; pass it slower or stop there";
    case PlanRefusal::kTooLong:
      return "the motion there would last more than two hours; give higher limits";
    case PlanRefusal::kNumerical:
      return "the planner found no motion there; give limits or waypoints of more usual magnitudes";
  }
  return "unknown reason";
}

}  // namespace

std::string PlanError::text() const {
  std::string where;
  if (waypoint >= 0) where = fmt::format("waypoint {}", waypoint);
  if (coordinate >= 0)
    where += fmt::format("{}coordinate {}", where.empty() ? "" : ", ", coordinate);
  return where.empty() ? words(reason) : where + ": " + words(reason);
}

}  // namespace handspan
