#pragma once
// A smooth curve through waypoints at the highest speed, from rest to rest: a natural cubic spline
// over the waypoints' distances in units of the velocity limits, timed by TOPP-RA (Pham and Pham,
// "A new approach to time-optimal path parameterization based on reachability analysis", T-RO 2018)
// within limits of velocity and acceleration. Has no limit of jerk: the acceleration jumps. The
// coordinates are joints, or positions and rotation vectors (the limits are then those of the
// vector's rates).

#include <vector>

#include "plan/motion_state.hpp"

namespace handspan {

struct SmoothPathConfig {
  std::vector<Coordinates> waypoints;  // at least two, no two neighbours within 1 us of each other
                                       // at the velocity limits, all within 2 hours (n each)
  Coordinates velocity;                // limits (n) [/s], finite and > 0
  Coordinates acceleration;            // (n) [/s^2], finite and > 0
  int grid = 200;                      // grid intervals between two waypoints, 4 to 100000
};

class SmoothPath {
 public:
  /// Computes it. Where the timing that TOPP-RA found exceeds a limit between its grid points, all
  /// of the time is stretched so that it does not.
  /// @throws InputError when a part of the config is not as it says there, or when no timing is
  /// found
  explicit SmoothPath(const SmoothPathConfig& config);

  double duration() const { return time_.back(); }  // [s]

  /// The state t [s] after the start: before it the first waypoint and after the end the last one,
  /// at rest. Allocates nothing.
  MotionState at(double t) const;
  /// The waypoint that is under way at t: 1 at the start; the last one after the end.
  int waypoint(double t) const;
  /// When a waypoint is passed [s].
  double arrival(int waypoint) const { return time_[waypoint * config_.grid]; }

  const SmoothPathConfig& config() const { return config_; }

 private:
  struct Derivatives {
    Coordinates q, first, second;  // by the path coordinate
  };
  Derivatives spline(int piece, double s) const;
  void fit();
  void find_rates();
  double worst_ratio() const;
  void find_times();

  SmoothPathConfig config_;
  std::vector<double> knot_;             // path coordinate of each waypoint, about [s]
  std::vector<Coordinates> bend_;        // second derivative at each waypoint
  std::vector<double> s_, rate_, time_;  // at each grid point: path coordinate, its rate, time [s]
};

}  // namespace handspan
