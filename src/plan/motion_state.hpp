#pragma once
// What a planned motion of up to 16 coordinates is made of, and why one was refused. The vectors
// have room for 16 inside them, so that a motion is planned and sampled without heap.

#include <Eigen/Core>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace handspan {

inline constexpr int kMostCoordinates = 16;
using Coordinates = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostCoordinates, 1>;

/// Where a motion is at one time; the units are the coordinates' own (rad or m).
struct MotionState {
  Coordinates q;  // (n)
  Coordinates v;  // (n) [/s]
  Coordinates a;  // (n) [/s^2]
};

/// Each is finite and > 0, for its coordinate in both directions.
struct MotionLimits {
  Coordinates velocity;      // (n) [/s]
  Coordinates acceleration;  // (n) [/s^2]
  Coordinates jerk;          // (n) [/s^3]
};

enum class PlanRefusal {
  kNone,       // planned
  kWaypoints,  // there are none, or more than the motion has room for
  kSize,       // vectors of different sizes, or of 0 or more than 16 coordinates
  kRotation,   // a pose of the start or of a waypoint whose R is not a rotation
  kNotFinite,  // a number of the start or of a waypoint
  kLimits,     // a limit that is not finite and > 0
  kPassing,    // a waypoint's passing velocity cannot be had within the limits
  kTooLong,    // it would last longer than two hours
  kNumerical,  // the planner found no motion, though there is one
};

/// Why a motion was refused, and where.
struct PlanError {
  PlanRefusal reason = PlanRefusal::kNone;
  int waypoint = -1;    // counted from 0; -1: it is not about one of them
  int coordinate = -1;  // counted from 0; -1: it is not about one of them

  /// One line, cause and hint: "waypoint 2, coordinate 0: its passing velocity ...". Allocates.
  std::string text() const;
};

/// Makes `kept` the waypoints that are given, which may be a part of `kept` itself. Allocates
/// nothing where `kept` has room for them.
template <class T>
void keep_waypoints(std::span<const T> given, std::vector<T>& kept) {
  const std::less<const T*> before;
  const T* begin = kept.data();
  if (before(given.data(), begin) || !before(given.data(), begin + kept.size())) {
    kept.assign(given.begin(), given.end());
    return;
  }
  // what is after it goes first: to take what is before it moves the rest
  const auto first = kept.begin() + (given.data() - begin);
  kept.erase(first + std::ssize(given), kept.end());
  kept.erase(kept.begin(), first);
}

}  // namespace handspan
