// One file, since it is one derivation, case by case.
#include "reference/follow_law.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

template <int N>
using Vector = Eigen::Matrix<double, N, 1>;

// of the limits, what stopping is planned with
constexpr double kPlannedAcceleration = 0.95, kPlannedJerk = 0.8;
// and what the motion across the line to the goal may use
constexpr double kAcrossShare = 0.6;
// of the jerk, what turning the pull with the line may need
constexpr double kTurning = 0.1;
// and of the jerk, so that rounding can be made up for
constexpr double kClosingJerk = 1.0 - 1e-9;
// limits kept to this factor are kept; a goal that nearly keeps them is followed all the same
constexpr double kRounding = 1.0 + 1e-12, kNearly = 1.0 + 1e-6;
// the last ticks are planned one by one: at most so many, from so near [j dt^3], and with so much
// of the jerk, since a goal that moves does not just as was said
constexpr int kLandingTicks = 12;
constexpr double kLandingDistance = 300.0, kLandingJerk = 0.95;
// so near to a bound [j dt^3] so many ticks of braking are tried out; to touch it is not to pass it
constexpr double kNearPeriods = 20.0, kTouch = 1e-12;
constexpr int kBrakingTicks = 40;
// a leash so little longer is no longer
constexpr double kLeashed = 1.0 + 3e-4;

// the jerk that is used: a tick resolves none that takes all of the acceleration in less
double used_jerk(const FollowLimits& limits, double dt) {
  return std::min(limits.jerk, limits.acceleration / dt);
}

// what `a` still adds to the velocity when it is brought to zero as fast as the jerk allows
double velocity_to_come(double a, double jerk, double dt) {
  const double n = std::floor(a / (jerk * dt));
  return dt * (n * a - 0.5 * n * (n + 1.0) * jerk * dt);
}

// from v and a on, the speed can be kept for ever
template <int N>
bool keeps_speed(const Vector<N>& v, const Vector<N>& a, const FollowLimits& limits, double dt) {
  const double size = a.norm(), most = limits.speed * kRounding;
  if (v.squaredNorm() > most * most) return false;
  if (size <= limits.jerk * dt) return true;
  return (v + velocity_to_come(size, limits.jerk, dt) / size * a).squaredNorm() <= most * most;
}

template <int N>
Vector<N> cut(const Vector<N>& x, double most) {
  const double size = x.norm();
  return size > most ? Vector<N>(most / size * x) : x;
}

// the nearest that a tick allows but for the speed limit
template <int N>
Vector<N> within_jerk(const Vector<N>& a, const Vector<N>& before, const FollowLimits& limits,
                      double dt) {
  return cut<N>(before + cut<N>(a - before, limits.jerk * dt), limits.acceleration);
}

// the acceleration with which n steps of full jerk end exactly at the change of velocity
template <int N>
Vector<N> closing(const Vector<N>& change, double jerk, double dt) {
  const double size = change.norm();
  return size > 0.0 ? Vector<N>(closing_speed(size, jerk, dt) / size * change) : change;
}

// `a` as a tick allows it; to let the acceleration go to zero is always allowed
template <int N>
Vector<N> legal(const Vector<N>& a, const PointMotion<N>& now, const FollowLimits& limits,
                double dt) {
  const Vector<N> first = within_jerk<N>(a, now.a, limits, dt);
  const auto keeps = [&](const Vector<N>& x) {
    return keeps_speed<N>(now.v + x * dt, x, limits, dt);
  };
  if (keeps(first)) return first;
  // towards the nearest velocity at which it could stay
  const double size = first.norm();
  const Vector<N> end =
      now.v + (dt + (size > 0.0 ? velocity_to_come(size, limits.jerk, dt) / size : 0.0)) * first;
  const Vector<N> second = within_jerk<N>(
      closing<N>(cut<N>(end, limits.speed) - now.v, limits.jerk, dt), now.a, limits, dt);
  if (keeps(second)) return second;
  const double before = now.a.norm(), change = limits.jerk * dt;
  const Vector<N> easing =
      before > change ? Vector<N>((1.0 - change / before) * now.a) : Vector<N>(Vector<N>::Zero());
  double some = 0.0, more = 1.0;
  for (int i = 0; i < 20; ++i) {
    const double half = 0.5 * (some + more);
    (keeps(easing + half * (second - easing)) ? some : more) = half;
  }
  return easing + some * (second - easing);
}

double way_to_rest(double u, double acceleration, double jerk) {
  return u * jerk >= acceleration * acceleration
             ? 0.5 * u * (u / acceleration + acceleration / jerk)
             : u * std::sqrt(u / jerk);
}

// the jerk for one tick with which the way to rest ends at e; cut at +-most
double jerk_to(double e, double u, double a, double acceleration, double jerk, double most,
               double dt) {
  const auto beyond = [&](double j) {
    return dt * (u + dt * (0.5 * a + dt * j / 6.0)) - e +
           stopping_distance(u + dt * (a + 0.5 * dt * j), a + dt * j, acceleration, jerk);
  };
  double low = -most, high = most, f_high = beyond(high);
  if (f_high <= 0.0) return high;
  double f_low = beyond(low);
  if (f_low >= 0.0) return low;
  // regula falsi (Illinois)
  int side = 0;
  for (int i = 0; i < 24; ++i) {
    const double j = (low * f_high - high * f_low) / (f_high - f_low), f = beyond(j);
    if (f > 0.0) {
      high = j;
      f_high = f;
      if (side == 1) f_low *= 0.5;
      side = 1;
    } else {
      low = j;
      f_low = f;
      if (side == -1) f_high *= 0.5;
      side = -1;
    }
    if (high - low < 1e-6 * most || std::abs(f) < 1e-15) break;
  }
  return low;
}

// The first of n jerks with the least sum of squares that bring Y, V, A (in units of ticks and
// limits: dt = 1, jerk = 1) to zero in n ticks, for the first n for which all of them are allowed.
// They are c0 + c1 t + c2 (t^2 - (n^2 - 1) / 12) at t = (n - 1) / 2, (n - 3) / 2 ...; the three
// parts are orthogonal, so that A, V and Y in turn give c0, c1 and c2.
template <int N>
bool landing(const Vector<N>& Y, const Vector<N>& V, const Vector<N>& A, double most_acceleration,
             Vector<N>& first) {
  for (int ticks = 3; ticks <= kLandingTicks; ++ticks) {
    const double n = ticks, s1 = n * (n * n - 1.0) / 12.0, s2 = s1 * (n * n - 4.0) / 15.0;
    const Vector<N> c0 = -A / n;
    const Vector<N> c1 = -(V + 0.5 * n * A) / s1;
    const Vector<N> c2 =
        -2.0 / s2 * (Y + n * V + n * n * (0.5 * A + n / 6.0 * c0) + 0.5 * n * s1 * c1);
    Vector<N> a = A;
    bool fits = true;
    for (int i = 0; i < ticks && fits; ++i) {
      const double t = 0.5 * (n - 1.0) - i;
      const Vector<N> j = c0 + t * c1 + (t * t - (n * n - 1.0) / 12.0) * c2;
      if (i == 0) first = j;
      a += j;
      fits = j.squaredNorm() <= kLandingJerk * kLandingJerk &&
             a.squaredNorm() <= most_acceleration * most_acceleration;
    }
    if (fits) return true;
  }
  return false;
}

}  // namespace

double closing_speed(double e, double a, double dt) {
  const double step = a * dt * dt;
  const double n = std::max(1.0, std::ceil(0.5 * (std::sqrt(1.0 + 8.0 * e / step) - 1.0)));
  return e / (n * dt) + 0.5 * (n - 1.0) * a * dt;
}

double stopping_distance(double u, double A, double acceleration, double jerk) {
  if (u + 0.5 * A * std::abs(A) / jerk < 0.0) return -stopping_distance(-u, -A, acceleration, jerk);
  if (A < -acceleration) {
    // more than is planned with: back to that first
    const double t = -(A + acceleration) / jerk;
    return t * (u + t * (0.5 * A + jerk * t / 6.0)) +
           stopping_distance(u + t * (A + 0.5 * jerk * t), -acceleration, acceleration, jerk);
  }
  const double square = A * A / jerk;
  return A / jerk * (u + square / 3.0) + way_to_rest(u + 0.5 * square, acceleration, jerk);
}

template <int N>
Vector<N> follow_step(const PointMotion<N>& now, const MovingGoal<N>& goal,
                      const FollowLimits& limits, double dt) {
  const double change = limits.jerk * dt;
  // to the goal in this tick, with it in the next, and as it from then on
  const Vector<N> v1 = goal.e / dt, a1 = (v1 - now.v) / dt;
  const Vector<N> a2 = (goal.v + goal.a * dt - v1) / dt;
  if ((a1 - now.a).norm() <= change * kNearly && a1.norm() <= limits.acceleration * kNearly &&
      a2.norm() <= limits.acceleration * kNearly && (a2 - a1).norm() <= kLandingJerk * change &&
      (goal.a - a2).norm() <= kLandingJerk * change) {
    const Vector<N> a = legal<N>(a1, now, limits, dt);
    if (a == a1) return v1;
    if ((a - a1).norm() <= (kNearly - 1.0) * limits.acceleration) return now.v + a * dt;
  }
  // relative to the goal as it was a tick ago
  const double jerk = used_jerk(limits, dt);
  const Vector<N> v = now.v - (goal.v - goal.a * dt), A = now.a - goal.a, V = v - 0.5 * dt * A;
  const Vector<N> e = goal.e - goal.v * dt + v * dt - A * (dt * dt / 6.0);
  const double distance = e.norm(), most_A = limits.acceleration - goal.a.norm();
  const double unit_A = jerk * dt, unit_V = unit_A * dt, unit_Y = unit_V * dt;
  Vector<N> first;
  if (distance < kLandingDistance * unit_Y &&
      landing<N>(-e / unit_Y, V / unit_V, A / unit_A, most_A / unit_A, first))
    return now.v + legal<N>(now.a + first * unit_A, now, limits, dt) * dt;
  const Vector<N> along = distance > 0.0 ? Vector<N>(e / distance) : Vector<N>(Vector<N>::Unit(0));
  Vector<N> j = Vector<N>::Zero();
  if constexpr (N > 1) {
    const Vector<N> v_across = v - v.dot(along) * along, A_across = A - A.dot(along) * along;
    const Vector<N> wanted =
        cut<N>(closing<N>(-v_across, kAcrossShare * jerk, dt), kAcrossShare * limits.acceleration);
    j = cut<N>((wanted - A_across) / dt, kAcrossShare * jerk);
  }
  const double planned = std::max(most_A - (1.0 - kPlannedAcceleration) * limits.acceleration,
                                  0.3 * limits.acceleration);
  const double most = std::sqrt(jerk * jerk - j.squaredNorm());
  double j_along =
      jerk_to(distance, V.dot(along), A.dot(along), planned, kPlannedJerk * jerk, most, dt);
  if constexpr (N > 1) {
    // The line turns at v_across / distance, and what is left behind of a pull drives the motion
    // round the goal. A pull that the jerk turns with the line with ease leaves nothing behind;
    // with more the point would orbit for ever.
    const double turning = (v - v.dot(along) * along).norm() / distance;
    if (A.dot(along) + j_along * dt > kTurning * jerk / turning)
      j_along = std::max(-most, (kTurning * jerk / turning - A.dot(along)) / dt);
  }
  j += along * j_along;
  return now.v + legal<N>(now.a + j * dt, now, limits, dt) * dt;
}

template <int N>
Vector<N> brake_step(const PointMotion<N>& now, const FollowLimits& limits, double dt) {
  const Vector<N> wanted =
      cut<N>(closing<N>(-now.v, kClosingJerk * limits.jerk, dt), limits.acceleration);
  const Vector<N> a = legal<N>(wanted, now, limits, dt);
  const Vector<N> v = now.v + a * dt;
  // the last step ends at rest to the last bit
  return v.norm() <= 1e-13 * limits.acceleration * dt ? Vector<N>(Vector<N>::Zero()) : v;
}

template <int N>
Vector<N> stop_of(const PointMotion<N>& now, const FollowLimits& limits, double dt) {
  const double jerk = kPlannedJerk * used_jerk(limits, dt);
  const Vector<N>&A = now.a, V = now.v - 0.5 * dt * A;
  const Vector<N> start = -now.v * dt + A * (dt * dt / 6.0);
  const Vector<N> end = V + 0.5 * A.norm() / jerk * A;
  const double size = end.norm();
  const Vector<N> along = size > 0.0 ? Vector<N>(end / size) : Vector<N>(Vector<N>::Unit(0));
  const Vector<N> V_across = V - V.dot(along) * along, A_across = A - A.dot(along) * along;
  const double time = A_across.norm() / jerk;
  return start +
         stopping_distance(V.dot(along), A.dot(along), kPlannedAcceleration * limits.acceleration,
                           jerk) *
             along +
         time * (V_across + time / 3.0 * A_across);
}

namespace {

// where it comes to rest when it moves at v in this tick
template <int N>
Vector<N> end_after(const Vector<N>& v, const PointMotion<N>& now, const FollowLimits& limits,
                    double dt) {
  return v * dt + stop_of<N>({v, (v - now.v) / dt}, limits, dt);
}

// the largest velocity for this tick from which it still comes to rest within e
double most_velocity(double e, double v, double a, const FollowLimits& limits, double dt) {
  const double jerk = used_jerk(limits, dt);
  const double j =
      jerk_to(e + v * dt - a * (dt * dt / 6.0), v - 0.5 * dt * a, a,
              kPlannedAcceleration * limits.acceleration, kPlannedJerk * jerk, jerk, dt);
  return v + std::max(a + j * dt, -limits.acceleration) * dt;
}

// braking after this tick at v, tick by tick, does not leave the bounds; only the last ticks need
// that, in which a tick is not small
bool stops_within(double v, const PointMotion<1>& now, double lower, double upper,
                  const FollowLimits& limits, double dt) {
  PointMotion<1> point{Vector<1>(v), Vector<1>((v - now.v[0]) / dt)};
  double x = v * dt;
  for (int i = 0; i < kBrakingTicks && point.v[0] != 0.0; ++i) {
    if (x < lower || x > upper) return false;
    const Vector<1> next = brake_step<1>(point, limits, dt);
    point = {next, (next - point.v) / dt};
    x += next[0] * dt;
  }
  return x >= lower && x <= upper;
}

}  // namespace

double bounded_step(const PointMotion<1>& now, const MovingGoal<1>* goal, double lower,
                    double upper, const FollowLimits& limits, double dt) {
  double v = 0.0;
  if (goal == nullptr) {
    v = brake_step<1>(now, limits, dt)[0];
  } else {
    const double end = goal->e[0] + stop_of<1>({goal->v, goal->a}, limits, dt)[0];
    const MovingGoal<1> nearest{Vector<1>(std::clamp(end, lower, upper))};
    v = follow_step<1>(now, end < lower || end > upper ? nearest : *goal, limits, dt)[0];
  }
  const double near = kNearPeriods * used_jerk(limits, dt) * dt * dt * dt;
  double end = end_after<1>(Vector<1>(v), now, limits, dt)[0];
  if (end > upper + kTouch) v = std::min(v, most_velocity(upper, now.v[0], now.a[0], limits, dt));
  if (end < lower - kTouch)
    v = std::max(v, -most_velocity(-lower, -now.v[0], -now.a[0], limits, dt));
  if ((end > upper - near || end < lower + near) &&
      !stops_within(v, now, lower - kTouch, upper + kTouch, limits, dt))
    v = brake_step<1>(now, limits, dt)[0];
  return v;
}

Eigen::Vector3d leashed_step(const PointMotion<3>& now, const MovingGoal<3>& goal,
                             const Eigen::Vector3d& mask, const Leash& leash,
                             const FollowLimits& limits, double dt) {
  // all of it as seen from a centre that goes away; it is taken to go on with just that
  const double away = leash.centre.norm();
  const Eigen::Vector3d n =
      away > 0.0 ? Eigen::Vector3d(leash.centre / away) : Eigen::Vector3d::Zero();
  const Eigen::Vector3d drift = cut<3>(std::max(0.0, n.dot(leash.v)) * n, limits.speed);
  const auto end_of = [&](const Eigen::Vector3d& v) {
    const PointMotion<3> next{v - drift, (v - now.v) / dt};
    return ((v - drift) * dt + stop_of<3>(next, limits, dt) - leash.centre).norm();
  };
  // a goal that goes out, or could not stop before, is where it would come to rest, or near to that
  const Eigen::Vector3d out =
      goal.e - drift * dt + stop_of<3>({goal.v - drift, goal.a}, limits, dt) - leash.centre;
  Eigen::Vector3d v;
  double end = HUGE_VAL;
  if (out.norm() <= leash.radius) {
    v = follow_step<3>(now, goal, limits, dt);
    end = end_of(v);
  }
  if (end > leash.radius) {
    // what the other axes take of the radius is not there for those that move
    const Eigen::Vector3d moves = mask.cwiseProduct(out), others = out - moves;
    const double left =
        std::sqrt(std::max(0.0, leash.radius * leash.radius - others.squaredNorm()));
    const Eigen::Vector3d nearest = leash.centre + drift * dt + others + cut<3>(moves, left);
    v = follow_step<3>(now, {nearest, drift}, limits, dt);
    end = end_of(v);
  }
  if (end <= leash.radius * kLeashed) return v;
  // as much of that as keeps it in, or takes it no farther out than braking does
  const Eigen::Vector3d braking = drift + brake_step<3>({now.v - drift, now.a}, limits, dt);
  const double most = std::max(leash.radius * kLeashed, end_of(braking));
  double some = 0.0, more = 1.0;
  if (end <= most) return v;
  for (int i = 0; i < 8; ++i) {
    const double part = 0.5 * (some + more);
    (end_of(braking + part * (v - braking)) <= most ? some : more) = part;
  }
  const Eigen::Vector3d a = (braking + some * (v - braking) - now.v) / dt;
  return now.v + legal<3>(a, now, limits, dt) * dt;
}

Eigen::Vector3d jump_step(const PointMotion<3>& now, const Eigen::Vector3d& v, Eigen::Vector3d& a,
                          const Leash* leash, const FollowLimits& limits, double dt) {
  const Eigen::Vector3d wanted = cut<3>(v, limits.speed);
  a = cut<3>(a, limits.acceleration);
  if (!keeps_speed<3>(wanted, a, limits, dt)) a.setZero();
  if (leash == nullptr) return wanted;
  const double away = leash->centre.norm();
  const Eigen::Vector3d n =
      away > 0.0 ? Eigen::Vector3d(leash->centre / away) : Eigen::Vector3d::Zero();
  const Eigen::Vector3d drift = cut<3>(std::max(0.0, n.dot(leash->v)) * n, limits.speed);
  const auto end_of = [&](const Eigen::Vector3d& speed, const Eigen::Vector3d& acceleration) {
    return ((speed - drift) * dt + stop_of<3>({speed - drift, acceleration}, limits, dt) -
            leash->centre)
        .norm();
  };
  const Eigen::Vector3d braking = drift + brake_step<3>({now.v - drift, now.a}, limits, dt);
  const double most = std::max(leash->radius * kLeashed, end_of(braking, (braking - now.v) / dt));
  if (end_of(wanted, a) <= most) return wanted;
  a.setZero();
  double some = 0.0, more = 1.0;
  for (int i = 0; i < 20; ++i) {
    const double share = 0.5 * (some + more);
    (end_of(braking + share * (wanted - braking), a) <= most ? some : more) = share;
  }
  return braking + some * (wanted - braking);
}

template <int N>
Vector<N> goal_velocity(const Vector<N>& moved, const Vector<N>& v_before, const Vector<N>& v_now,
                        const FollowLimits& limits, double dt, bool& jumped) {
  const Vector<N> v = moved / dt, change = v_now - v_before;
  const double size = change.squaredNorm();
  const double part = size > 0.0 ? std::clamp((v - v_before).dot(change) / size, 0.0, 1.0) : 0.0;
  jumped = (v - v_before - part * change).norm() > 0.1 * limits.jerk * dt * dt;
  return jumped ? v_now : v;
}

template Vector<1> follow_step<1>(const PointMotion<1>&, const MovingGoal<1>&, const FollowLimits&,
                                  double);
template Vector<3> follow_step<3>(const PointMotion<3>&, const MovingGoal<3>&, const FollowLimits&,
                                  double);
template Vector<1> brake_step<1>(const PointMotion<1>&, const FollowLimits&, double);
template Vector<3> brake_step<3>(const PointMotion<3>&, const FollowLimits&, double);
template Vector<1> stop_of<1>(const PointMotion<1>&, const FollowLimits&, double);
template Vector<3> stop_of<3>(const PointMotion<3>&, const FollowLimits&, double);
template Vector<1> goal_velocity<1>(const Vector<1>&, const Vector<1>&, const Vector<1>&,
                                    const FollowLimits&, double, bool&);
template Vector<3> goal_velocity<3>(const Vector<3>&, const Vector<3>&, const Vector<3>&,
                                    const FollowLimits&, double, bool&);

}  // namespace handspan
