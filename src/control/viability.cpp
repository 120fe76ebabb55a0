#include "control/viability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallestRange = 1e-6;       // [rad]
constexpr double kOutsideTolerance = 1e-9;    // of the range and of the velocity limit
constexpr double kRounding = 1e-12;           // of the range
constexpr double kReturnTimeConstant = 0.05;  // from beyond the end [s]

void require_positive(double value, const char* name) {
  if (!std::isfinite(value) || value <= 0.0)
    throw InputError(fmt::format("the joint's {} is {}; it must be finite and > 0", name, value));
}

void check(const JointLimits& limits) {
  require_positive(limits.velocity, "velocity limit");
  require_positive(limits.acceleration, "acceleration limit");
  require_positive(limits.braking, "braking deceleration");
  if (limits.braking > limits.acceleration)
    throw InputError(fmt::format(
        "the joint's braking deceleration is {}; it must not exceed the acceleration limit {}",
        limits.braking, limits.acceleration));
  if (!limits.continuous && !(std::isfinite(limits.lower) && std::isfinite(limits.upper)))
    throw InputError(fmt::format(
        "the joint's position limits are {} to {}; they must be finite, or the joint continuous",
        limits.lower, limits.upper));
  if (!limits.velocity_curve) return;
  const VelocityCurve& curve = *limits.velocity_curve;
  if (limits.continuous)
    throw InputError(
        "a continuous joint has a velocity curve; give it position limits, or leave the curve out");
  require_positive(curve.gain, "velocity curve's gain");
  if (!(std::isfinite(curve.offset) && std::isfinite(curve.lower) && std::isfinite(curve.upper)))
    throw InputError(
        fmt::format("the joint's velocity curve has offset {} and ends {} to {}; they must be "
                    "finite",
                    curve.offset, curve.lower, curve.upper));
}

}  // namespace

JointViability::Side JointViability::make_side(const JointLimits& limits, bool upper) {
  Side side;
  side.position = limits.continuous ? kInfinity : upper ? limits.upper : -limits.lower;
  side.velocity = limits.velocity;
  side.acceleration = limits.acceleration;
  side.braking = limits.braking;
  if (!limits.velocity_curve) return side;

  const VelocityCurve& curve = *limits.velocity_curve;
  side.curved = true;
  side.curve_offset = curve.offset;
  side.curve_gain = curve.gain;
  side.curve_end = upper ? curve.upper : -curve.lower;
  if (curve.offset >= 0.0) {
    // the curve ends with an infinite slope: the parabola through its end stands before it
    side.tangent_velocity = curve.offset;
    return side;
  }
  side.position =
      std::min(side.position, side.curve_end - curve.offset * curve.offset / curve.gain);
  // with s = v - offset, s^2 = gain (end - q), the curve asks for -v dv/dq = gain/2 (1 + offset/s),
  // rising with s: it is the braking deceleration at s below, and more before it
  const double share = 1.0 - 2.0 * limits.braking / curve.gain;
  if (share > 0.0) {
    const double s = -curve.offset / share;
    side.tangent_distance = s * s / curve.gain;
    side.tangent_velocity = s + curve.offset;
  } else {
    side.tangent_distance = side.tangent_velocity = kInfinity;
  }
  return side;
}

JointViability::JointViability(const JointLimits& limits) {
  check(limits);
  upper_ = make_side(limits, true);
  lower_ = make_side(limits, false);
  if (limits.continuous) return;
  const double range = upper_.position + lower_.position;
  if (range < kSmallestRange)
    throw InputError(fmt::format(
        "the joint's position limits and velocity curve leave {} to {}; it needs a range of at "
        "least {} rad to stop in",
        lower_position(), upper_position(), kSmallestRange));
  upper_.range = lower_.range = range;
}

// The largest function below the curve that never asks for more than the braking deceleration: its
// backward sweep in closed form.
double JointViability::curve_velocity(const Side& side, double q) {
  const double distance = side.curve_end - q;
  const double curve =
      std::max(0.0, side.curve_offset + std::sqrt(std::max(0.0, side.curve_gain * distance)));
  if (distance <= side.tangent_distance) return curve;
  const double parabola = std::sqrt(side.tangent_velocity * side.tangent_velocity +
                                    2.0 * side.braking * (distance - side.tangent_distance));
  return std::min(curve, parabola);
}

double JointViability::velocity_at(const Side& side, double q) {
  const double stopping = std::sqrt(2.0 * side.braking * std::max(0.0, side.position - q));
  const double v = std::min(side.velocity, stopping);
  return side.curved ? std::min(v, curve_velocity(side, q)) : v;
}

double JointViability::upper_velocity(double q) const { return velocity_at(upper_, q); }
double JointViability::lower_velocity(double q) const { return -velocity_at(lower_, -q); }

// The largest v1 with v1 <= curve_velocity(q1), q1 = q + (v + v1) dt / 2; unique, as the left side
// rises with v1 and the right one falls.
double JointViability::next_curve_velocity(const Side& side, double q, double v, double dt) {
  const double distance = side.curve_end - q - 0.5 * v * dt;  // left when v1 = 0
  const double offset = side.curve_offset;
  // w = v1 - offset: w^2 = gain (distance - (w + offset) dt / 2)
  const double half = 0.25 * side.curve_gain * dt;
  const double square = half * half + side.curve_gain * (distance - 0.5 * offset * dt);
  const double curve = offset + std::max(0.0, std::sqrt(std::max(0.0, square)) - half);
  if (distance - 0.5 * side.tangent_velocity * dt <= side.tangent_distance) return curve;
  // v1^2 = tangent_velocity^2 + 2 braking (distance - v1 dt / 2 - tangent_distance)
  const double half_step = 0.5 * side.braking * dt;
  const double parabola =
      std::sqrt(half_step * half_step + side.tangent_velocity * side.tangent_velocity +
                2.0 * side.braking * (distance - side.tangent_distance)) -
      half_step;
  return std::min(curve, parabola);
}

// The largest v1 from which whole periods of braking, the last one as weak as stops it, end before
// the position end. `room` [rad] is what is left of the way when v1 = 0. With h = braking dt and
// v1 = k h + r, 0 <= r < h, the joint goes v1 dt / 2 in this period and dt (k^2 h / 2 + (k + 1/2)
// r) after it: room = dt (k (k + 1) h / 2 + (k + 1) r).
double JointViability::next_stoppable_velocity(const Side& side, double room, double dt) {
  const double h = side.braking * dt;
  // the stop takes at most h dt / 8 longer than in continuous time
  const double v = side.velocity;
  if (room >= 0.5 * v * v / side.braking + 0.5 * v * dt + 0.125 * h * dt) return v;
  const double k = std::floor(0.5 * (std::sqrt(1.0 + 8.0 * room / (h * dt)) - 1.0));
  return std::min(v, 0.5 * k * h + room / ((k + 1.0) * dt));
}

bool JointViability::outside(const Side& side, double q, double v) {
  const double tolerance = kOutsideTolerance * side.range;
  return q > side.position + tolerance ||
         v > velocity_at(side, q - tolerance) + kOutsideTolerance * side.velocity;
}

// Beyond the end: the way out is braked at once, and the joint returns with an exponential, at a
// velocity that leaves the other side free.
double JointViability::bound_beyond(const Side& side, double distance, double v, double dt) {
  // critically damped; at least two periods so that the discrete loop is well damped too
  const double approach = std::max(0.25 * kReturnTimeConstant, 2.0 * dt);
  const double time_constant = 4.0 * approach;
  const double fastest = 0.5 * std::min(side.velocity, side.braking * time_constant);
  const double wanted = std::max(distance / time_constant, -fastest);
  if (v <= wanted) return (wanted - v) / dt;
  return std::min(-v / dt, (wanted - v) / approach);
}

// The box of an inside state is not empty. Say v > 0, and take a = -min(braking, v / dt). If it is
// -braking, (q, v) moves along a parabola on which the curve, asking for no more, stays above it,
// and the stopping distance of whole periods shrinks by just the way gone; if it is -v / dt, the
// joint stops, within the room that was kept for it. So a_upper >= a. And v1 >= 0, q1 >= q are
// inside the lower side: a_lower <= a. Likewise mirrored.
double JointViability::bound(const Side& side, double q, double v, double dt, double missing) {
  const double distance = side.position - q;
  const double room = distance - 0.5 * v * dt;
  double a = 0.0;
  if (distance < 0.0) {
    a = bound_beyond(side, distance, v, dt);
  } else if (room < 0.0) {
    // it cannot stop at the period's end but must turn round within it. Only of states that were
    // not reached under the box, and of rounding, which must not become a kick
    a = std::min(-v / dt, -0.5 * v * v / (distance + kRounding * side.range));
  } else {
    double v1 = next_stoppable_velocity(side, room, dt);
    if (side.curved) v1 = std::min(v1, next_curve_velocity(side, q, v, dt));
    a = (v1 - v) / dt;
  }
  return std::clamp(a, -side.braking, side.acceleration + std::max(0.0, missing));
}

AccelerationBox JointViability::box(double q, double v, double dt, double missing) const {
  AccelerationBox box;
  if (!(std::isfinite(q) && std::isfinite(v) && std::isfinite(missing) && std::isfinite(dt) &&
        dt > 0.0)) {
    box.outside = box.empty = true;
    return box;
  }
  box.outside = outside(upper_, q, v) || outside(lower_, -q, -v);
  box.upper = bound(upper_, q, v, dt, missing);
  box.lower = -bound(lower_, -q, -v, dt, -missing);
  if (box.lower > box.upper) {
    // the gentlest of what lies between the two
    box.lower = box.upper = std::clamp(0.0, box.upper, box.lower);
    box.empty = !box.outside;
  }
  return box;
}

}  // namespace handspan
