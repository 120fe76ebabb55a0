#include "plan/segment.hpp"

#include <algorithm>
#include <cmath>
#include <ruckig/ruckig.hpp>

namespace handspan {
namespace {

constexpr double kMostDuration = 7200.0;  // [s]; ruckig itself ends a little later
// of a limit: a velocity that far from the line is on it
constexpr double kOnLine = 1e-12;
// [s]: what the limits take away in this time is not a motion: a start that rests but for rounding
constexpr double kNoTime = 1e-7;

struct Along {
  double rate = 0.0;
  bool collinear = false;
};

// the rate with which `vector` is along `direction`, and whether it is nothing else but `rounding`
Along along(const Coordinates& vector, const Coordinates& direction, const Coordinates& rounding) {
  Along result;
  result.rate = vector.dot(direction) / direction.squaredNorm();
  result.collinear = true;
  for (int i = 0; i < vector.size(); ++i)
    if (!(std::abs(vector[i] - result.rate * direction[i]) <= rounding[i]))
      result.collinear = false;
  return result;
}

// returns the time that the curve takes [s]
template <class Curve>
double read(const ruckig::Profile& profile, Curve& curve) {
  curve.pieces = 0;
  double time = 0.0;
  const auto append = [&](double duration, double q, double v, double a, double j) {
    if (!(duration > 0.0)) return;
    curve.piece[curve.pieces++] = {time, q, v, a, j};
    time += duration;
  };
  const auto& brake = profile.brake;
  if (brake.duration > 0.0)
    for (int i = 0; i < 2; ++i) append(brake.t[i], brake.p[i], brake.v[i], brake.a[i], brake.j[i]);
  for (int i = 0; i < 7; ++i)
    append(profile.t[i], profile.p[i], profile.v[i], profile.a[i], profile.j[i]);
  // a coordinate that stays where it is has no pieces
  if (curve.pieces == 0)
    curve.piece[curve.pieces++] = {0.0, profile.p[7], profile.v[7], profile.a[7], 0.0};
  return time;
}

template <std::size_t N>
PlanRefusal refusal(ruckig::Result result, const ruckig::Trajectory<N>& trajectory) {
  if (result == ruckig::Result::ErrorTrajectoryDuration) return PlanRefusal::kTooLong;
  if (result != ruckig::Result::Working || !std::isfinite(trajectory.get_duration()))
    return PlanRefusal::kNumerical;
  if (trajectory.get_duration() > kMostDuration) return PlanRefusal::kTooLong;
  return PlanRefusal::kNone;
}

}  // namespace

struct SegmentPlanner::Workspace {
  ruckig::Ruckig<1> one;
  ruckig::InputParameter<1> one_input;
  ruckig::Trajectory<1> one_trajectory;
  ruckig::Ruckig<kMostCoordinates> each;
  ruckig::InputParameter<kMostCoordinates> each_input;
  ruckig::Trajectory<kMostCoordinates> each_trajectory;
};

SegmentPlanner::SegmentPlanner() : workspace_(std::make_unique<Workspace>()) {}
SegmentPlanner::~SegmentPlanner() = default;
SegmentPlanner::SegmentPlanner(SegmentPlanner&&) noexcept = default;
SegmentPlanner& SegmentPlanner::operator=(SegmentPlanner&&) noexcept = default;

const Segment::Curve::Piece& Segment::Curve::of(double t) const {
  int i = pieces - 1;
  while (i > 0 && t < piece[i].begin) --i;
  return piece[i];
}

MotionState Segment::at(double t) const {
  if (t >= duration_) return at_end(t - duration_);
  if (!(t > 0.0)) return start_;
  MotionState state = end_;
  const auto value = [t](const Curve& curve, double& q, double& v, double& a) {
    const auto& piece = curve.of(t);
    const double dt = t - piece.begin;
    q = piece.q + dt * (piece.v + dt * (piece.a / 2.0 + dt * piece.j / 6.0));
    v = piece.v + dt * (piece.a + dt * piece.j / 2.0);
    a = piece.a + dt * piece.j;
  };
  if (straight_) {
    double q = 0.0, v = 0.0, a = 0.0;
    value(curves_[0], q, v, a);
    state.q = start_.q + q * direction_;
    state.v = v * direction_;
    state.a = a * direction_;
    return state;
  }
  for (int i = 0; i < state.q.size(); ++i) value(curves_[i], state.q[i], state.v[i], state.a[i]);
  return state;
}

Coordinates Segment::jerk(double t) const {
  Coordinates jerk = Coordinates::Zero(end_.q.size());
  if (!(t >= 0.0 && t < duration_)) return jerk;
  if (straight_) return curves_[0].of(t).j * direction_;
  for (int i = 0; i < jerk.size(); ++i) jerk[i] = curves_[i].of(t).j;
  return jerk;
}

PlanRefusal SegmentPlanner::plan(const MotionState& from, const Coordinates& q,
                                 const Coordinates& v, const MotionLimits& limits,
                                 Segment& segment) {
  PlanRefusal result = plan_line(from, q, v, limits, segment);
  if (result != PlanRefusal::kNumerical) return result;
  result = plan_each(segment, limits);
  // where rounding keeps ruckig from a root, the roots of slightly lower limits are elsewhere
  MotionLimits lower = limits;
  for (int more = 0; more < 3 && result == PlanRefusal::kNumerical; ++more) {
    lower.acceleration *= 0.99;
    lower.jerk *= 0.98;
    result = plan_each(segment, lower);
  }
  // over ways as short as rounding it can only not stretch a coordinate to the time of another
  if (result == PlanRefusal::kNumerical) result = plan_each(segment, limits, false);
  return result;
}

PlanRefusal SegmentPlanner::plan_line(const MotionState& from, const Coordinates& q,
                                      const Coordinates& v, const MotionLimits& limits,
                                      Segment& segment) {
  segment.start_ = from;
  segment.end_ = {q, v, Coordinates::Zero(q.size())};
  if ((v.array().abs() > limits.velocity.array()).any()) return PlanRefusal::kPassing;
  const Coordinates way = segment.end_.q - segment.start_.q;
  const double length = way.cwiseAbs().maxCoeff();
  segment.straight_ = true;
  const Coordinates no_velocity =
      (kOnLine * limits.velocity).cwiseMax(kNoTime * limits.acceleration);
  const Coordinates no_acceleration =
      (kOnLine * limits.acceleration).cwiseMax(kNoTime * limits.jerk);
  if (length == 0.0) {
    if ((segment.start_.v.cwiseAbs().array() > no_velocity.array()).any() ||
        (segment.start_.a.cwiseAbs().array() > no_acceleration.array()).any() ||
        !segment.end_.v.isZero(0.0))
      return PlanRefusal::kNumerical;
    segment.duration_ = 0.0;
    return PlanRefusal::kNone;
  }
  segment.direction_ = way / length;
  const Coordinates& u = segment.direction_;
  const Along v0 = along(segment.start_.v, u, no_velocity);
  const Along a0 = along(segment.start_.a, u, no_acceleration);
  const Along v1 = along(segment.end_.v, u, kOnLine * limits.velocity);
  if (!v0.collinear || !a0.collinear || !v1.collinear) return PlanRefusal::kNumerical;

  const auto least = [&u](const Coordinates& limit) {
    double value = HUGE_VAL;
    for (int i = 0; i < u.size(); ++i)
      if (u[i] != 0.0) value = std::min(value, limit[i] / std::abs(u[i]));
    return value;
  };
  auto& input = workspace_->one_input;
  input.current_position[0] = 0.0;
  input.current_velocity[0] = v0.rate;
  input.current_acceleration[0] = a0.rate;
  input.target_position[0] = length;
  input.target_velocity[0] = v1.rate;
  // a passing velocity equal to the limit stays within it when rounded
  input.max_velocity[0] = std::max(least(limits.velocity), std::abs(v1.rate));
  input.max_acceleration[0] = least(limits.acceleration);
  input.max_jerk[0] = least(limits.jerk);
  auto& trajectory = workspace_->one_trajectory;
  const PlanRefusal result = refusal(workspace_->one.calculate(input, trajectory), trajectory);
  if (result != PlanRefusal::kNone) return result;
  segment.duration_ = trajectory.get_duration();
  read(trajectory.get_profiles()[0][0], segment.curves_[0]);
  return PlanRefusal::kNone;
}

PlanRefusal SegmentPlanner::plan_settled(const MotionState& from, const Coordinates& settle,
                                         const Coordinates& q, const Coordinates& v,
                                         const MotionLimits& limits, Segment& segment) {
  const double time = settle.maxCoeff();
  MotionState settled = from;
  for (int i = 0; i < q.size(); ++i) {
    settled.v[i] += 0.5 * settle[i] * from.a[i];
    settled.q[i] +=
        settle[i] * (from.v[i] + settle[i] * from.a[i] / 3.0) + (time - settle[i]) * settled.v[i];
    settled.a[i] = 0.0;
  }
  const PlanRefusal result = plan(settled, q, v, limits, segment);
  if (result != PlanRefusal::kNone) return result;
  if (segment.straight_) {
    // the pieces before are not along the line
    segment.straight_ = false;
    const Segment::Curve line = segment.curves_[0];
    for (int i = 0; i < q.size(); ++i) {
      const double u = segment.direction_.size() == q.size() ? segment.direction_[i] : 0.0;
      segment.curves_[i] = line;
      if (segment.duration_ == 0.0) segment.curves_[i].pieces = 0;
      for (int k = 0; k < segment.curves_[i].pieces; ++k) {
        auto& piece = segment.curves_[i].piece[k];
        piece = {piece.begin, settled.q[i] + u * piece.q, u * piece.v, u * piece.a, u * piece.j};
      }
    }
  }
  for (int i = 0; i < q.size(); ++i) {
    Segment::Curve& curve = segment.curves_[i];
    Segment::Curve whole;
    const double s = settle[i];
    if (s > 0.0)
      whole.piece[whole.pieces++] = {0.0, from.q[i], from.v[i], from.a[i], -from.a[i] / s};
    if (s < time)
      whole.piece[whole.pieces++] = {s, settled.q[i] - (time - s) * settled.v[i], settled.v[i], 0.0,
                                     0.0};
    for (int k = 0; k < curve.pieces; ++k) {
      whole.piece[whole.pieces] = curve.piece[k];
      whole.piece[whole.pieces++].begin += time;
    }
    curve = whole;
  }
  segment.start_ = from;
  segment.duration_ += time;
  return PlanRefusal::kNone;
}

// not `together`: a coordinate that stops may be there before the others
PlanRefusal SegmentPlanner::plan_each(Segment& segment, const MotionLimits& limits, bool together) {
  const int size = static_cast<int>(segment.end_.q.size());
  auto& input = workspace_->each_input;
  input.synchronization =
      together ? ruckig::Synchronization::Time : ruckig::Synchronization::TimeIfNecessary;
  for (int i = 0; i < kMostCoordinates; ++i) {
    input.enabled[i] = i < size;
    input.current_position[i] = i < size ? segment.start_.q[i] : 0.0;
    input.current_velocity[i] = i < size ? segment.start_.v[i] : 0.0;
    input.current_acceleration[i] = i < size ? segment.start_.a[i] : 0.0;
    input.target_position[i] = i < size ? segment.end_.q[i] : 0.0;
    input.target_velocity[i] = i < size ? segment.end_.v[i] : 0.0;
    input.max_velocity[i] = i < size ? limits.velocity[i] : 1.0;
    input.max_acceleration[i] = i < size ? limits.acceleration[i] : 1.0;
    input.max_jerk[i] = i < size ? limits.jerk[i] : 1.0;
  }
  auto& trajectory = workspace_->each_trajectory;
  const PlanRefusal result = refusal(workspace_->each.calculate(input, trajectory), trajectory);
  if (result != PlanRefusal::kNone) return result;
  segment.straight_ = false;
  segment.duration_ = trajectory.get_duration();
  const auto profiles = trajectory.get_profiles();
  for (int i = 0; i < size; ++i) {
    Segment::Curve& curve = segment.curves_[i];
    const double time = read(profiles[0][i], curve);
    if (!together && time < segment.duration_)
      curve.piece[curve.pieces++] = {time, segment.end_.q[i], segment.end_.v[i], 0.0, 0.0};
  }
  return PlanRefusal::kNone;
}

}  // namespace handspan
