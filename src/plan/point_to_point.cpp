#include "plan/point_to_point.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

// first coordinate that is not finite, or -1
int not_finite(const Coordinates& x) {
  for (int i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return i;
  return -1;
}

int not_a_limit(const Coordinates& x) {
  for (int i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !(x[i] > 0.0)) return i;
  return -1;
}

}  // namespace

PointToPoint::PointToPoint(int most_waypoints) {
  eigen_assert(most_waypoints >= 1);
  waypoints_.reserve(most_waypoints);
  segments_.resize(most_waypoints);
  ends_.reserve(most_waypoints);
}

PlanError PointToPoint::check(const MotionState& from, std::span<const Waypoint> waypoints,
                              const MotionLimits& limits) const {
  const auto n = from.q.size();
  if (waypoints.empty() || waypoints.size() > segments_.size()) return {PlanRefusal::kWaypoints};
  if (n < 1 || from.v.size() != n || from.a.size() != n || limits.velocity.size() != n ||
      limits.acceleration.size() != n || limits.jerk.size() != n)
    return {PlanRefusal::kSize};
  for (const Coordinates* x : {&from.q, &from.v, &from.a})
    if (const int i = not_finite(*x); i >= 0) return {PlanRefusal::kNotFinite, -1, i};
  for (const Coordinates* x : {&limits.velocity, &limits.acceleration, &limits.jerk})
    if (const int i = not_a_limit(*x); i >= 0) return {PlanRefusal::kLimits, -1, i};
  for (int k = 0; k < static_cast<int>(waypoints.size()); ++k) {
    const Waypoint& to = waypoints[k];
    if (to.q.size() != n || (to.v.size() != 0 && to.v.size() != n)) return {PlanRefusal::kSize, k};
    for (const Coordinates* x : {&to.q, &to.v})
      if (const int i = not_finite(*x); i >= 0) return {PlanRefusal::kNotFinite, k, i};
    for (int i = 0; i < to.v.size(); ++i)
      if (std::abs(to.v[i]) > limits.velocity[i]) return {PlanRefusal::kPassing, k, i};
  }
  return {};
}

bool PointToPoint::start(const MotionState& from, std::span<const Waypoint> waypoints,
                         const MotionLimits& limits) {
  error_ = check(from, waypoints, limits);
  if (error_.reason == PlanRefusal::kNone) {
    const auto n = from.q.size();
    MotionState state = from;
    double end = 0.0;
    keep_waypoints(waypoints, waypoints_);
    ends_.clear();
    for (int k = 0; k < static_cast<int>(waypoints_.size()); ++k) {
      const Waypoint& to = waypoints_[k];
      const Coordinates v = to.v.size() == n ? to.v : Coordinates(Coordinates::Zero(n));
      const PlanRefusal result = planner_.plan(state, to.q, v, limits, segments_[k]);
      if (result != PlanRefusal::kNone) {
        error_ = {result, k};
        break;
      }
      end += segments_[k].duration();
      ends_.push_back(end);
      state = {to.q, v, Coordinates::Zero(n)};
    }
  }
  if (error_.reason != PlanRefusal::kNone) {
    waypoints_.clear();
    ends_.clear();
    return false;
  }
  from_ = from;
  limits_ = limits;
  return true;
}

int PointToPoint::waypoint(double t) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), t);
  return static_cast<int>(std::min<std::ptrdiff_t>(end - ends_.begin(), std::ssize(ends_) - 1));
}

MotionState PointToPoint::at(double t) const {
  eigen_assert(planned());
  // by the end of the sum, which is not the sum of the ends to the last bit
  if (t >= ends_.back()) return segments_[ends_.size() - 1].at_end(t - ends_.back());
  const int k = waypoint(t);
  return segments_[k].at(k > 0 ? t - ends_[k - 1] : t);
}

}  // namespace handspan
