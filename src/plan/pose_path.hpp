#pragma once
// The fastest motion of a frame E through poses in W, from any state, with the norms of its linear
// and angular velocity, acceleration and jerk limited; at a waypoint it stops, or passes. Spatial
// vectors are linear first, angular last, in W; A_WE is the time derivative of V_WE.
//
// A segment moves the position and the rotation vector phi from its start S:
//   p_WE(t) = p_WS + x(t),   R_WE(t) = exp(phi(t)) R_WS.
// - From rest, or moving along the way to the waypoint: the straight line and the turn about one
//   axis, where the norms are exact, since the angular velocity is the rate of phi.
// - From any other state: in each of two orthonormal bases (their first axis along the velocity at
//   the start) every coordinate has 1/sqrt(3) of the limit, so that the norm stays within. The
//   angular velocity is J(phi) dphi/dt; what J adds to its acceleration and jerk, and what happens
//   while a start outside the box is braked into it, is measured along the planned segment, and
//   where a norm is exceeded it is planned again with less (time scaled by 0.85, and again). Where
//   that does not help, the acceleration of the start is first taken to 0 at the whole jerk.

#include <algorithm>
#include <span>
#include <vector>

#include "math/se3.hpp"
#include "plan/segment.hpp"

namespace handspan {

struct PoseState {
  Pose X_WE;
  Vector6d V_WE = Vector6d::Zero();  // [m/s, rad/s]
  Vector6d A_WE = Vector6d::Zero();  // [m/s^2, rad/s^2]
};

/// Largest norms; each is finite and > 0.
struct NormLimits {
  double velocity = 0.0;      // [m/s] or [rad/s]
  double acceleration = 0.0;  // [m/s^2] or [rad/s^2]
  double jerk = 0.0;          // [m/s^3] or [rad/s^3]
};
struct PoseLimits {
  NormLimits linear, angular;
};

enum class Passing { kStop, kAlong, kTwist };

struct PoseWaypoint {
  Pose X_WE;
  Passing passing = Passing::kStop;
  double speed = 0.0;                // kAlong: along the straight line from the last waypoint, with
                                     // the turn that belongs to it [m/s], >= 0
  Vector6d V_WE = Vector6d::Zero();  // kTwist [m/s, rad/s]
};

class PosePath {
 public:
  /// Allocates all that planning will need. @param most_waypoints >= 1
  explicit PosePath(int most_waypoints = 16);

  /// Plans from a state through the waypoints, which may be some of waypoints(), turning the short
  /// way to each. Bit for bit a function of its arguments. Allocates nothing, throws nothing.
  /// @returns whether it could; if not, error() says why, and there is no motion. A stop is never
  /// refused for the state it starts from: see excess()
  bool start(const PoseState& from, std::span<const PoseWaypoint> waypoints,
             const PoseLimits& limits);
  const PlanError& error() const { return error_; }

  bool planned() const { return !waypoints_.empty(); }
  double duration() const { return planned() ? ends_.back() : 0.0; }  // [s]

  /// The state t [s] after the start; before it, the start. After the end it goes on at the last
  /// waypoint's twist. @pre planned()
  PoseState at(double t) const;
  /// The waypoint that is under way at t; the last one after the end.
  int waypoint(double t) const;
  /// When a waypoint is reached [s].
  double arrival(int waypoint) const { return ends_[waypoint]; }

  /// The greatest norm of the motion over its limit, minus 1, where it is above: 0 but for a start
  /// beyond the limits, or so close to them that its acceleration takes it there.
  double excess() const { return excess_; }

  /// The arguments of start(): what a snapshot keeps.
  const PoseState& from() const { return from_; }
  std::span<const PoseWaypoint> waypoints() const { return waypoints_; }
  const PoseLimits& limits() const { return limits_; }

 private:
  struct Leg {
    Segment segment;       // of (x, phi), each in its basis
    Eigen::Matrix3d R_WL;  // basis of x: columns in W
    Eigen::Matrix3d R_WA;  // basis of phi: columns in W
    PoseState start, end;  // exactly
    // the ends of the segment, in the bases
    struct Ends {
      MotionState start;
      Coordinates q, v;
    };
  };
  // greatest norms over their limits; faults are over the start's norm where that is more
  struct Measure {
    double linear_fault = 0.0, angular_fault = 0.0, ratio = 0.0;
    double fault() const { return std::max(linear_fault, angular_fault); }
    double excess() const { return ratio > 1.0 + 1e-9 ? ratio - 1.0 : 0.0; }
  };
  static PoseState state(const Leg& leg, double t);
  Measure measure(const Leg& leg) const;
  PlanError check(const PoseState& from, std::span<const PoseWaypoint> waypoints,
                  const PoseLimits& limits) const;
  static Leg::Ends in_bases(Leg& leg, const Eigen::Vector3d& linear, const Eigen::Vector3d& angular,
                            const Eigen::Vector3d& rate_end);
  PlanRefusal plan_box(Leg& leg, const Eigen::Vector3d& rate_end, bool settle, Measure& best);
  PlanRefusal plan_leg(const PoseState& from, const PoseWaypoint& to, Leg& leg);

  SegmentPlanner planner_;
  PoseState from_;
  PoseLimits limits_;
  std::vector<PoseWaypoint> waypoints_;  // these three as long as the motion has waypoints,
  std::vector<Leg> legs_;                // with room for the most
  std::vector<double> ends_;             // [s] since the start
  double excess_ = 0.0;
  PlanError error_;
};

}  // namespace handspan
