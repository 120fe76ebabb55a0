#pragma once
// How a point of N coordinates (3: positions or rotation vectors; 1: a joint) may change its
// velocity in one tick, with speed, acceleration and jerk limited in norm. It knows where it would
// come to rest if it braked from now on, and never goes on beyond what it can stop from.
//
// The discrete motion. In a tick of dt: a' = a + j dt, v' = v + a' dt, x' = x + v' dt. In
//   Y = x - v dt + a dt^2 / 6,  V = v - a dt / 2,  A = a
// this is the motion under constant jerk j over dt, exactly; so what is known of continuous motion
// holds for the ticks. Under acceleration a and jerk j the way to rest from u at no acceleration is
//   D(u) = u^2 / (2 a) + u a / (2 j)  for u >= a^2 / j,  else u sqrt(u / j),
// and from u at acceleration A, of the side that u + A |A| / (2 j) has,
//   S(u, A) = t (u + A^2 / (3 j)) + D(u + A^2 / (2 j)),  t = A / j,
// since A rises or falls to no acceleration in t (before now, if it brakes already).
//
// Along the line to the goal the jerk is the largest from which S still ends at the goal; the
// motion across the line is brought to rest with what the limits leave. S is taken with a little
// less than the limits, so that there is something left to correct with.
#include <Eigen/Core>

namespace handspan {

/// Slower than this is at rest: what rounding leaves of following a goal that stands [m/s, rad/s].
inline constexpr double kRest = 1e-9;
/// What is so near is the goal itself, so that rounding does not add up [m, rad].
inline constexpr double kSame = 1e-13;
/// Of a speed or an acceleration at its limit, rounding.
inline constexpr double kRoundedUpSpeed = 1.0 + 1e-6;

/// Of a norm, each > 0.
struct FollowLimits {
  double speed = 0.0;         // [m/s or rad/s]
  double acceleration = 0.0;  // [/s^2]
  double jerk = 0.0;          // [/s^3]
};

/// The largest speed of closing e from which braking by a in steps of dt ends exactly at e = 0:
/// n steps at r, r - a dt, r - 2 a dt ... cover e, so
///   r(e) = e / (n dt) + (n - 1) a dt / 2,  n the smallest with e <= a dt^2 n (n + 1) / 2.
/// Just so the largest deceleration that closes a speed e under a jerk a. For e >= 0, a, dt > 0.
double closing_speed(double e, double a, double dt);

/// S(u, A): the signed way to rest from the continuous velocity u and acceleration A, under an
/// acceleration and a jerk > 0.
double stopping_distance(double u, double A, double acceleration, double jerk);

/// Where a goal is at the end of the tick, and how it moves: over the tick at v, which changes by
/// a dt in the next.
template <int N>
struct MovingGoal {
  Eigen::Matrix<double, N, 1> e;  // from where the point is now
  Eigen::Matrix<double, N, 1> v = Eigen::Matrix<double, N, 1>::Zero();
  Eigen::Matrix<double, N, 1> a = Eigen::Matrix<double, N, 1>::Zero();
};

/// The point's velocity over the last tick, and that minus the one before it, by dt.
template <int N>
struct PointMotion {
  Eigen::Matrix<double, N, 1> v = Eigen::Matrix<double, N, 1>::Zero();
  Eigen::Matrix<double, N, 1> a = Eigen::Matrix<double, N, 1>::Zero();
};

/// The velocity over one tick towards the goal: with it when the limits allow that in this tick and
/// the next ones, else the fastest way there. All of these are for N = 1 and 3, and dt > 0.
template <int N>
Eigen::Matrix<double, N, 1> follow_step(const PointMotion<N>& now, const MovingGoal<N>& goal,
                                        const FollowLimits& limits, double dt);

/// follow_step() for one coordinate that never leaves lower <= x <= upper, given from where it is
/// now (they may be infinite, and are nowhere else than around it): the goal may be beyond. Without
/// a goal it brakes to rest.
double bounded_step(const PointMotion<1>& now, const MovingGoal<1>* goal, double lower,
                    double upper, const FollowLimits& limits, double dt);

/// A ball that a point is to stay in, about a centre that moves by itself.
struct Leash {
  Eigen::Vector3d centre;  // from where the point is now
  Eigen::Vector3d v;       // of the centre
  double radius = 0.0;
};

/// follow_step() for a point that stays on a leash, also when it brakes: exactly along a line, to a
/// twentieth of the radius whatever is wanted. A goal beyond is the nearest point within, of the
/// axes that have authority (1 in `mask`).
///
/// While the centre comes nearer or goes past, it may stop at any time: the point keeps to what it
/// could stop from if the centre stood. While it goes away from the point, it may go on: the point
/// keeps to where it could come to go along with it. What it was taken out of, as by a centre that
/// goes away faster than the limits let it follow, it comes back into.
Eigen::Vector3d leashed_step(const PointMotion<3>& now, const MovingGoal<3>& goal,
                             const Eigen::Vector3d& mask, const Leash& leash,
                             const FollowLimits& limits, double dt);

/// The velocity v and acceleration a that a point has from this tick on, whatever it had before:
/// cut at the limits of speed and acceleration. With a leash it is as much of v as stops within it,
/// or what braking comes to, where that is beyond; then, and where the speed would go beyond its
/// limit, a is 0. @param leash none: as far as asked
Eigen::Vector3d jump_step(const PointMotion<3>& now, const Eigen::Vector3d& v, Eigen::Vector3d& a,
                          const Leash* leash, const FollowLimits& limits, double dt);

/// The velocity of one tick of braking to rest: along a straight line and without turning back from
/// a constant velocity v, within v^2 / (2 a) + v a / (2 j) + v dt.
template <int N>
Eigen::Matrix<double, N, 1> brake_step(const PointMotion<N>& now, const FollowLimits& limits,
                                       double dt);

/// From where the point is to where follow_step() would let it come to rest: exact along a line,
/// else what speed and acceleration across it add is added as if nothing else braked.
template <int N>
Eigen::Matrix<double, N, 1> stop_of(const PointMotion<N>& now, const FollowLimits& limits,
                                    double dt);

/// The velocity that a goal had over the last tick: what it went, `moved` / dt, when that lies
/// between the velocities that were said of it before and after (to what a legal jerk explains);
/// else it jumped, and it is the one that is said now.
template <int N>
Eigen::Matrix<double, N, 1> goal_velocity(const Eigen::Matrix<double, N, 1>& moved,
                                          const Eigen::Matrix<double, N, 1>& v_before,
                                          const Eigen::Matrix<double, N, 1>& v_now,
                                          const FollowLimits& limits, double dt, bool& jumped);

/// A goal e from where the point is, that went `moved` in this tick and is said to have the
/// velocity v_now. `v_goal` is its velocity in the tick before, and becomes the one in this.
template <int N>
MovingGoal<N> moving_goal(const Eigen::Matrix<double, N, 1>& e,
                          const Eigen::Matrix<double, N, 1>& moved,
                          const Eigen::Matrix<double, N, 1>& v_before,
                          const Eigen::Matrix<double, N, 1>& v_now, const FollowLimits& limits,
                          double dt, Eigen::Matrix<double, N, 1>& v_goal) {
  bool jumped = false;
  MovingGoal<N> goal{e, goal_velocity<N>(moved, v_before, v_now, limits, dt, jumped)};
  if (!jumped) goal.a = (goal.v - v_goal) / dt;
  v_goal = goal.v;
  // faster than the limits, but for rounding: as fast as they are, and no telling how it goes on
  const double speed = goal.v.norm();
  const bool fast = speed > limits.speed * kRoundedUpSpeed;
  if (fast) goal.v *= limits.speed / speed;
  if (fast || goal.a.norm() > limits.acceleration * kRoundedUpSpeed) goal.a.setZero();
  return goal;
}

}  // namespace handspan
