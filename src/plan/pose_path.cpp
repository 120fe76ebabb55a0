#include "plan/pose_path.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation_vector.hpp"

namespace handspan {
namespace {

// an orthonormal basis [3x3, a rotation] with its first column along `first`, or along x for 0
Eigen::Matrix3d basis_along(const Eigen::Vector3d& first) {
  const double norm = first.norm();
  if (!(norm > 0.0)) return Eigen::Matrix3d::Identity();
  Eigen::Matrix3d R;
  R.col(0) = first / norm;
  int least = 0;
  R.col(0).cwiseAbs().minCoeff(&least);
  R.col(1) = R.col(0).cross(Eigen::Vector3d::Unit(least)).normalized();
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

// a vector that is nothing where the other is all there is
Eigen::Vector3d first_of(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return a.norm() > 1e-9 ? a : b;
}

bool good(const NormLimits& limits) {
  for (const double x : {limits.velocity, limits.acceleration, limits.jerk})
    if (!std::isfinite(x) || !(x > 0.0)) return false;
  return true;
}

bool finite(const Pose& X) { return X.R.allFinite() && X.p.allFinite(); }

bool rotation(const Eigen::Matrix3d& R) {
  return (R * R.transpose()).isIdentity(1e-6) && R.determinant() > 0.0;
}

// the limits of three coordinates whose norms keep `limits`, in `scale` of the time; a velocity
// that the segment has to end with (in the basis) is admitted
void fill_box(const NormLimits& limits, double scale, const Eigen::Vector3d& end, int first,
              MotionLimits& box) {
  const double share = 1.0 / std::sqrt(3.0);
  for (int i = 0; i < 3; ++i) {
    box.velocity[first + i] = std::max(share * scale * limits.velocity, std::abs(end[i]));
    box.acceleration[first + i] = share * scale * scale * limits.acceleration;
    box.jerk[first + i] = share * scale * scale * scale * limits.jerk;
  }
}

void fill_all(const NormLimits& limits, int first, MotionLimits& box) {
  box.velocity.segment<3>(first).setConstant(limits.velocity);
  box.acceleration.segment<3>(first).setConstant(limits.acceleration);
  box.jerk.segment<3>(first).setConstant(limits.jerk);
}

}  // namespace

PosePath::PosePath(int most_waypoints) {
  eigen_assert(most_waypoints >= 1);
  waypoints_.reserve(most_waypoints);
  legs_.resize(most_waypoints);
  ends_.reserve(most_waypoints);
}

PlanError PosePath::check(const PoseState& from, std::span<const PoseWaypoint> waypoints,
                          const PoseLimits& limits) const {
  if (waypoints.empty() || waypoints.size() > legs_.size()) return {PlanRefusal::kWaypoints};
  if (!finite(from.X_WE) || !from.V_WE.allFinite() || !from.A_WE.allFinite())
    return {PlanRefusal::kNotFinite};
  if (!rotation(from.X_WE.R)) return {PlanRefusal::kRotation};
  if (!good(limits.linear) || !good(limits.angular)) return {PlanRefusal::kLimits};
  for (int k = 0; k < static_cast<int>(waypoints.size()); ++k) {
    const PoseWaypoint& to = waypoints[k];
    const bool twist = to.passing == Passing::kTwist, along = to.passing == Passing::kAlong;
    if (!finite(to.X_WE) || (twist && !to.V_WE.allFinite()) || (along && !std::isfinite(to.speed)))
      return {PlanRefusal::kNotFinite, k};
    if (!rotation(to.X_WE.R)) return {PlanRefusal::kRotation, k};
  }
  return {};
}

bool PosePath::start(const PoseState& from, std::span<const PoseWaypoint> waypoints,
                     const PoseLimits& limits) {
  error_ = check(from, waypoints, limits);
  excess_ = 0.0;
  if (error_.reason == PlanRefusal::kNone) {
    from_ = from;
    limits_ = limits;
    keep_waypoints(waypoints, waypoints_);
    ends_.clear();
    double end = 0.0;
    for (int k = 0; k < static_cast<int>(waypoints_.size()); ++k) {
      const PoseState& state = k > 0 ? legs_[k - 1].end : from_;
      const PlanRefusal result = plan_leg(state, waypoints_[k], legs_[k]);
      if (result != PlanRefusal::kNone) {
        error_ = {result, k};
        break;
      }
      end += legs_[k].segment.duration();
      ends_.push_back(end);
    }
  }
  if (error_.reason != PlanRefusal::kNone) {
    waypoints_.clear();
    ends_.clear();
    return false;
  }
  return true;
}

PlanRefusal PosePath::plan_leg(const PoseState& from, const PoseWaypoint& to, Leg& leg) {
  const Eigen::Vector3d way = to.X_WE.p - from.X_WE.p;
  const Eigen::Vector3d turn = log_so3(to.X_WE.R * from.X_WE.R.transpose());
  leg.start = from;
  leg.end = {to.X_WE, Vector6d::Zero(), Vector6d::Zero()};
  if (to.passing == Passing::kTwist) leg.end.V_WE = to.V_WE;
  if (to.passing == Passing::kAlong && to.speed != 0.0) {
    if (!(way.norm() > 1e-9) || to.speed < 0.0) return PlanRefusal::kPassing;
    leg.end.V_WE << way * (to.speed / way.norm()), turn * (to.speed / way.norm());
  }
  // rounding of a velocity that was given as the limit is not a fault
  const double whole = 1.0 + 1e-12;
  const Eigen::Vector3d v_end = leg.end.V_WE.head<3>(), omega_end = leg.end.V_WE.tail<3>();
  if (v_end.norm() > whole * limits_.linear.velocity ||
      omega_end.norm() > whole * limits_.angular.velocity)
    return PlanRefusal::kPassing;
  const Eigen::Vector3d rate_end = left_jacobian_inverse_so3(turn) * omega_end;
  leg.end.A_WE.tail<3>() =
      angular_motion(turn, {rate_end, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()})
          .acceleration;

  // the line, when there is one: all of the way is along the first axes, and all of the limits
  Leg::Ends ends = in_bases(leg, way, turn, rate_end);
  ends.q << way.norm(), 0.0, 0.0, turn.norm(), 0.0, 0.0;
  MotionLimits box{Coordinates(6), Coordinates(6), Coordinates(6)};
  fill_all(limits_.linear, 0, box);
  fill_all(limits_.angular, 3, box);
  box.velocity = box.velocity.cwiseMax(ends.v.cwiseAbs());
  PlanRefusal result = planner_.plan_line(ends.start, ends.q, ends.v, box, leg.segment);
  Measure measured;
  if (result == PlanRefusal::kNumerical) {
    result = plan_box(leg, rate_end, false, measured);
    if (measured.fault() > 1.0 && !from.A_WE.isZero(0.0)) {
      Measure settled;
      const PlanRefusal after_settling = plan_box(leg, rate_end, true, settled);
      if (settled.fault() < measured.fault())
        result = after_settling, measured = settled;
      else
        plan_box(leg, rate_end, false, measured);
    }
    // a stop is needed from wherever it starts
    if (result == PlanRefusal::kNone && measured.fault() > 1.0 && !leg.end.V_WE.isZero(0.0))
      return PlanRefusal::kPassing;
  } else if (result == PlanRefusal::kNone) {
    measured = measure(leg);
  }
  if (result == PlanRefusal::kNone) excess_ = std::max(excess_, measured.excess());
  return result;
}

// chooses the leg's bases and gives its ends in them
PosePath::Leg::Ends PosePath::in_bases(Leg& leg, const Eigen::Vector3d& linear,
                                       const Eigen::Vector3d& angular,
                                       const Eigen::Vector3d& rate_end) {
  leg.R_WL = basis_along(linear);
  leg.R_WA = basis_along(angular);
  const auto take = [&leg](const auto& x, const auto& phi) {
    Coordinates result(6);
    result << leg.R_WL.transpose() * x, leg.R_WA.transpose() * phi;
    return result;
  };
  const Vector6d &V = leg.start.V_WE, &A = leg.start.A_WE;
  const Vector6d way = pose_difference(leg.start.X_WE, leg.end.X_WE);
  return {{Coordinates::Zero(6), take(V.head<3>(), V.tail<3>()), take(A.head<3>(), A.tail<3>())},
          take(way.head<3>(), way.tail<3>()),
          take(leg.end.V_WE.head<3>(), rate_end)};
}

// the best of some boxes, ever smaller where a norm is exceeded, and what is measured of it
PlanRefusal PosePath::plan_box(Leg& leg, const Eigen::Vector3d& rate_end, bool settle,
                               Measure& best) {
  const Eigen::Vector3d a0 = leg.start.A_WE.head<3>(), alpha0 = leg.start.A_WE.tail<3>();
  Coordinates settling = Coordinates::Zero(6);
  double across = 0.0;
  if (settle) {
    settling.head<3>().setConstant(a0.norm() / limits_.linear.jerk);
    // along the acceleration the rotation vector may have what phi' x phi'' / 2 leaves across it
    across = 0.5 * leg.start.V_WE.tail<3>().cross(alpha0).norm() / limits_.angular.jerk;
    const double share = std::sqrt(std::max(0.25, 1.0 - across * across));
    settling.tail<3>().setConstant(alpha0.norm() / (share * limits_.angular.jerk));
  }
  const Leg::Ends ends = in_bases(
      leg, first_of(leg.start.V_WE.head<3>() + 0.5 * settling[0] * a0, leg.end.V_WE.head<3>()),
      first_of(leg.start.V_WE.tail<3>() + 0.5 * settling[3] * alpha0, rate_end), rate_end);
  MotionLimits box{Coordinates(6), Coordinates(6), Coordinates(6)};
  const auto plan = [&](double linear, double angular) {
    fill_box(limits_.linear, linear, ends.v.head<3>(), 0, box);
    fill_box(limits_.angular, angular, ends.v.tail<3>(), 3, box);
    return settle ? planner_.plan_settled(ends.start, settling, ends.q, ends.v, box, leg.segment)
                  : planner_.plan(ends.start, ends.q, ends.v, box, leg.segment);
  };
  constexpr double kLess = 0.85;
  constexpr double kSlower = 1.01;
  constexpr int kTries = 6;
  double linear = 1.0, angular = 1.0, best_linear = 1.0, best_angular = 1.0;
  Coordinates best_settling = settling;
  const Measure none{HUGE_VAL, HUGE_VAL, HUGE_VAL};
  best = none;
  PlanRefusal result = PlanRefusal::kNone;
  for (int i = 0; i < kTries; ++i) {
    result = plan(linear, angular);
    if (result == PlanRefusal::kTooLong) break;
    const Measure measured = result == PlanRefusal::kNone ? measure(leg) : none;
    if (measured.fault() < best.fault()) {
      best = measured;
      best_linear = linear, best_angular = angular;
      best_settling = settling;
    }
    if (measured.fault() <= 1.0) return PlanRefusal::kNone;
    if (measured.linear_fault > 1.0) linear *= kLess;
    if (measured.angular_fault > 1.0) {
      angular *= kLess;
      if (across > 1e-6) settling.tail<3>() *= kSlower;
    }
  }
  settling = best_settling;
  return std::isfinite(best.fault()) ? plan(best_linear, best_angular) : result;
}

// the norms over their limits at the ends of every piece and between; as faults, over what the
// start has where it is beyond the limit already
PosePath::Measure PosePath::measure(const Leg& leg) const {
  Measure result;
  const auto take = [](const Eigen::Vector3d& x, double limit, double start, double& fault,
                       double& ratio) {
    const double norm = x.norm();
    // a state at its limit is not over it for rounding
    fault = std::max(fault, norm / (std::max(limit, start) * (1.0 + 1e-9)));
    ratio = std::max(ratio, norm / limit);
  };
  const PoseState& from = leg.start;
  const auto sample = [&](double t) {
    const MotionState state = leg.segment.at(t);
    const Coordinates jerk = leg.segment.jerk(t);
    const Eigen::Matrix3d& R_WA = leg.R_WA;
    const AngularMotion turn =
        angular_motion(R_WA * state.q.tail<3>(),
                       {R_WA * state.v.tail<3>(), R_WA * state.a.tail<3>(), R_WA * jerk.tail<3>()});
    const NormLimits &linear = limits_.linear, &angular = limits_.angular;
    double &lf = result.linear_fault, &af = result.angular_fault, &ratio = result.ratio;
    take(state.v.head<3>(), linear.velocity, from.V_WE.head<3>().norm(), lf, ratio);
    take(state.a.head<3>(), linear.acceleration, from.A_WE.head<3>().norm(), lf, ratio);
    take(jerk.head<3>(), linear.jerk, 0.0, lf, ratio);
    take(turn.velocity, angular.velocity, from.V_WE.tail<3>().norm(), af, ratio);
    take(turn.acceleration, angular.acceleration, from.A_WE.tail<3>().norm(), af, ratio);
    take(turn.jerk, angular.jerk, 0.0, af, ratio);
  };
  // between the times where any of the cubics changes, the motion is a polynomial
  const double duration = leg.segment.duration();
  std::array<double, Segment::kMostPieces * 6 + 1> times;
  int count = 0;
  leg.segment.for_each_piece([&](double t) { times[count++] = t; });
  times[count++] = duration;
  std::sort(times.begin(), times.begin() + count);
  constexpr int kLeast = 6;
  constexpr double kWhole = 40.0;
  for (int i = 0; i + 1 < count; ++i) {
    const double length = times[i + 1] - times[i];
    if (!(length > 0.0)) continue;
    const int parts = std::max(kLeast, static_cast<int>(kWhole * length / duration));
    for (int k = 0; k < parts; ++k) sample(times[i] + length * k / parts);
    sample(std::nextafter(times[i + 1], 0.0));
  }
  return result;
}

PoseState PosePath::state(const Leg& leg, double t) {
  if (!(t > 0.0)) return leg.start;
  const MotionState at = leg.segment.at(t);
  const AngularMotion turn = angular_motion(
      leg.R_WA * at.q.tail<3>(),
      {leg.R_WA * at.v.tail<3>(), leg.R_WA * at.a.tail<3>(), Eigen::Vector3d::Zero()});
  PoseState state;
  state.X_WE.p = leg.start.X_WE.p + leg.R_WL * at.q.head<3>();
  state.X_WE.R = exp_so3(leg.R_WA * at.q.tail<3>()) * leg.start.X_WE.R;
  state.V_WE << leg.R_WL * at.v.head<3>(), turn.velocity;
  state.A_WE << leg.R_WL * at.a.head<3>(), turn.acceleration;
  return state;
}

int PosePath::waypoint(double t) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), t);
  return static_cast<int>(std::min<std::ptrdiff_t>(end - ends_.begin(), std::ssize(ends_) - 1));
}

PoseState PosePath::at(double t) const {
  eigen_assert(planned());
  if (t >= ends_.back()) {
    PoseState state = legs_[ends_.size() - 1].end;
    const double after = t - ends_.back();
    if (after > 0.0) {
      state.X_WE.p += after * state.V_WE.head<3>();
      state.X_WE.R = exp_so3(after * state.V_WE.tail<3>()) * state.X_WE.R;
      state.A_WE.setZero();
    }
    return state;
  }
  const int k = waypoint(t);
  return state(legs_[k], k > 0 ? t - ends_[k - 1] : t);
}

}  // namespace handspan
