#pragma once
// The fastest motion of up to 16 coordinates through waypoints, from any state, within limits of
// velocity, acceleration and jerk; at a waypoint it stops, or passes with a given velocity. Each
// segment is the fastest by itself; the sequence is not, since the passing velocities are given.
// Knows no limits of position: between two states it may swing out.

#include <optional>
#include <span>
#include <vector>

#include "plan/segment.hpp"

namespace handspan {

struct Waypoint {
  Coordinates q;  // (n)
  Coordinates v;  // (n) when passing [/s]; empty to stop there
};

class PointToPoint {
 public:
  /// Allocates all that planning will need. @param most_waypoints >= 1
  explicit PointToPoint(int most_waypoints = 16);

  /// Plans from a state (of n coordinates) through the waypoints, which may be some of waypoints().
  /// Bit for bit a function of its arguments. Allocates nothing, throws nothing.
  /// @returns whether it could; if not, error() says why, and there is no motion
  bool start(const MotionState& from, std::span<const Waypoint> waypoints,
             const MotionLimits& limits);
  const PlanError& error() const { return error_; }

  /// Whether there is a motion.
  bool planned() const { return !waypoints_.empty(); }
  double duration() const { return planned() ? ends_.back() : 0.0; }  // [s]

  /// The state t [s] after the start; before it, the start. After the end it goes on at the last
  /// waypoint's velocity. @pre planned()
  MotionState at(double t) const;
  /// The waypoint that is under way at t; the last one after the end.
  int waypoint(double t) const;
  /// When a waypoint is reached [s].
  double arrival(int waypoint) const { return ends_[waypoint]; }

  /// The arguments of start(): what a snapshot keeps.
  const MotionState& from() const { return from_; }
  std::span<const Waypoint> waypoints() const { return waypoints_; }
  const MotionLimits& limits() const { return limits_; }

 private:
  PlanError check(const MotionState& from, std::span<const Waypoint> waypoints,
                  const MotionLimits& limits) const;

  SegmentPlanner planner_;
  MotionState from_;
  MotionLimits limits_;
  std::vector<Waypoint> waypoints_;  // these three as long as the motion has waypoints,
  std::vector<Segment> segments_;    // with room for the most
  std::vector<double> ends_;         // [s] since the start
  PlanError error_;
};

}  // namespace handspan
