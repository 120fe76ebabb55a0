#include "reference/pose_follower.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

// an arm that was not looked at for so long is where it was then [s]
constexpr double kOldestLook = 0.02;

// Of axes that brake beside others that follow, shares of the limits: 0.6^2 + 0.8^2 = 1. What they
// have of an acceleration at first is not taken from them in one tick.
constexpr double kBrakingShare = 0.6, kLeftShare = 0.8;

FollowLimits for_braking(FollowLimits limits, double acceleration) {
  limits.acceleration = std::max(kBrakingShare * limits.acceleration, acceleration);
  limits.jerk *= kBrakingShare;
  return limits;
}

// beside axes that have that speed and acceleration
FollowLimits what_is_left(FollowLimits limits, double speed, double acceleration) {
  const auto rest = [](double whole, double part) {
    return whole * std::sqrt(std::max(1e-12, 1.0 - part * part / (whole * whole)));
  };
  limits.speed = rest(limits.speed, speed);
  limits.acceleration = rest(limits.acceleration, acceleration);
  limits.jerk *= kLeftShare;
  return limits;
}

FollowLimits linear(const PoseReferenceLimits& l) { return {l.speed, l.acceleration, l.jerk}; }
FollowLimits angular(const PoseReferenceLimits& l) {
  return {l.angular_speed, l.angular_acceleration, l.angular_jerk};
}

}  // namespace

void PoseFollower::start(const Pose& X_WE) {
  motion_.pose = {X_WE, Vector6d::Zero(), Vector6d::Zero()};
  wants_rest();
}

void PoseFollower::place(const PoseReference& reference) {
  motion_.pose = reference;
  wants_rest();
}

namespace {

Eigen::Vector3d turn_of(const Eigen::Matrix3d& from, const Eigen::Matrix3d& to) {
  return log_so3(to * from.transpose());
}

// from a ball about nothing to its surface; zero within
Eigen::Vector3d back_to(const Eigen::Vector3d& x, double radius) {
  const double size = x.norm();
  return size > radius ? Eigen::Vector3d((radius / size - 1.0) * x) : Eigen::Vector3d::Zero();
}

}  // namespace

Vector6d PoseFollower::beyond_leash(const Pose& X_wanted, const Axes& axes, const Pose& X_arm,
                                    const Eigen::Matrix3d* R_WA) const {
  Vector6d back = Vector6d::Zero();
  const auto chosen = [&](Eigen::Vector3d e, std::size_t first) {
    if (R_WA != nullptr) e = R_WA->transpose() * e;
    for (std::size_t i = 0; i < 3; ++i)
      if (!axes[first + i]) e[static_cast<Eigen::Index>(i)] = 0.0;
    return R_WA != nullptr ? Eigen::Vector3d(*R_WA * e) : e;
  };
  if (limits_.leash) {
    const Eigen::Vector3d e = counted_.head<3>().cwiseProduct(X_wanted.p - X_arm.p);
    back.head<3>() = back_to(chosen(e, 0), *limits_.leash);
  }
  if (limits_.leash_angle) {
    const Eigen::Vector3d e = counted_.tail<3>().cwiseProduct(turn_of(X_arm.R, X_wanted.R));
    back.tail<3>() = back_to(chosen(e, 3), *limits_.leash_angle);
  }
  return back;
}

double PoseFollower::stretched(const Pose& X_arm) const {
  const Pose& X = motion_.pose.X_WE;
  double share = 0.0;
  if (limits_.leash) share = counted_.head<3>().cwiseProduct(X.p - X_arm.p).norm() / *limits_.leash;
  if (limits_.leash_angle)
    share = std::max(share, counted_.tail<3>().cwiseProduct(turn_of(X_arm.R, X.R)).norm() /
                                *limits_.leash_angle);
  return share;
}

// an arm that goes away faster than the reference may, drags it along
void PoseFollower::keep_leash(const ArmFrame& arm) {
  Pose& X = motion_.pose.X_WE;
  if (limits_.leash) {
    const Eigen::Vector3d from = arm.X_WE.p + age_ * arm.V_WE.head<3>();
    X.p += back_to(counted_.head<3>().cwiseProduct(X.p - from), *limits_.leash);
  }
  if (!limits_.leash_angle) return;
  const Eigen::Matrix3d from = exp_so3(age_ * arm.V_WE.tail<3>()) * arm.X_WE.R;
  const Eigen::Vector3d back =
      back_to(counted_.tail<3>().cwiseProduct(turn_of(from, X.R)), *limits_.leash_angle);
  if (!back.isZero(0.0)) X.R = exp_so3(back) * X.R;
}

// a source begins from the reference
void PoseFollower::wants_rest() {
  X_wanted_ = motion_.pose.X_WE;
  V_wanted_ = V_goal_ = motion_.pose.V_WE;
}

// One function, since position and rotation take the same steps side by side, and each step reads
// both.
void PoseFollower::follow(const PoseReference& wanted, const Axes& axes, const ArmFrame& arm,
                          double dt, const Eigen::Matrix3d* R_WA, const Axes& jumps) {
  Vector6d mask, jump, e, moved, centre, V, V_goal, A = Vector6d::Zero();
  for (int i = 0; i < 6; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    mask[i] = axes[axis] ? 1.0 : 0.0;
    jump[i] = axes[axis] && jumps[axis] && limits_.jumps ? 1.0 : 0.0;
  }
  const Pose& X = motion_.pose.X_WE;
  const auto turn = [](const Eigen::Matrix3d& from, const Eigen::Matrix3d& to) {
    return log_so3(to * from.transpose());
  };
  e << wanted.X_WE.p - X.p, turn(X.R, wanted.X_WE.R);
  // most often the reference was where it was wanted
  const bool there = X_wanted_.R == X.R;
  moved << wanted.X_WE.p - X_wanted_.p,
      there ? Eigen::Vector3d(e.tail<3>()) : turn(X_wanted_.R, wanted.X_WE.R);
  const bool same = arm.X_WE.p == X_arm_.p && arm.X_WE.R == X_arm_.R;
  age_ = same ? std::min(age_ + dt, kOldestLook) : 0.0;
  X_arm_ = arm.X_WE;
  centre << arm.X_WE.p + age_ * arm.V_WE.head<3>() - X.p, Eigen::Vector3d::Zero();
  if (limits_.leash_angle)
    centre.tail<3>() = turn(X.R, exp_so3(age_ * arm.V_WE.tail<3>()) * arm.X_WE.R);
  // where it does not count, the arm is where the reference is
  centre = counted_.cwiseProduct(centre);
  const auto half = [&]<int kFirst>(const FollowLimits& limits,
                                    const std::optional<double>& radius) {
    // in the axes that are chosen from
    const auto part = [&](const Vector6d& x) -> Eigen::Vector3d {
      if (R_WA == nullptr) return x.segment<3>(kFirst);
      return R_WA->transpose() * x.segment<3>(kFirst);
    };
    const Eigen::Vector3d has = mask.segment<3>(kFirst);
    const auto masked = [&](const Vector6d& x) -> Eigen::Vector3d {
      return has.cwiseProduct(part(x));
    };
    const auto in_W = [&](const Eigen::Vector3d& x) -> Eigen::Vector3d {
      return R_WA == nullptr ? x : Eigen::Vector3d(*R_WA * x);
    };
    PointMotion<3> now{part(motion_.pose.V_WE), part(motion_.pose.A_WE)};
    Eigen::Vector3d v_goal = masked(V_goal_);
    const MovingGoal<3> goal = moving_goal<3>(masked(e), masked(moved), masked(V_wanted_),
                                              masked(wanted.V_WE), limits, dt, v_goal);
    V_goal.segment<3>(kFirst) = in_W(v_goal);
    // The other axes brake by themselves: in one law with these, what they have left would be
    // turned with the motion and grow. Together they keep the limits.
    FollowLimits left = limits;
    Eigen::Vector3d braked = Eigen::Vector3d::Zero(), braking_now = Eigen::Vector3d::Zero();
    if (const Eigen::Vector3d others = Eigen::Vector3d::Ones() - has; !others.isZero(0.0)) {
      const PointMotion<3> rest{others.cwiseProduct(now.v), others.cwiseProduct(now.a)};
      now = {has.cwiseProduct(now.v), has.cwiseProduct(now.a)};
      if (rest.v.norm() > kRest || rest.a.norm() > kRest / dt) {
        braking_now = rest.v;
        braked = brake_step<3>(rest, for_braking(limits, rest.a.norm()), dt);
        left = what_is_left(limits, braked.norm(), ((braked - rest.v) / dt).norm());
      }
    }
    const Leash leash{part(centre), part(arm.V_WE), radius.value_or(0.0)};
    Eigen::Vector3d own = radius ? leashed_step(now, goal, has, leash, left, dt)
                                 : follow_step<3>(now, goal, left, dt);
    if (const Eigen::Vector3d jumped = jump.segment<3>(kFirst); !jumped.isZero(0.0)) {
      const Eigen::Vector3d others = Eigen::Vector3d::Ones() - jumped;
      const auto taken = [&](const Eigen::Vector3d& law, const Eigen::Vector3d& asked) {
        return Eigen::Vector3d(others.cwiseProduct(law) + jumped.cwiseProduct(asked));
      };
      Eigen::Vector3d a = taken((own - now.v) / dt, part(wanted.A_WE));
      own = jump_step(now, taken(own, part(wanted.V_WE)), a, radius ? &leash : nullptr, left, dt);
      // of the law what it did, also where the leash took some of it
      a = taken((has.cwiseProduct(own) - now.v) / dt, a);
      A.segment<3>(kFirst) = in_W(has.cwiseProduct(a) + (braked - braking_now) / dt);
      v_goal = taken(v_goal, masked(wanted.V_WE));
      V_goal.segment<3>(kFirst) = in_W(v_goal);
    }
    V.segment<3>(kFirst) = in_W(has.cwiseProduct(own) + braked);
  };
  const auto shortened = [](std::optional<double> leash, double most, double ahead) {
    if (leash) *leash = std::min(*leash, std::max(most, ahead));
    return leash;
  };
  half.operator()<0>(linear(limits_),
                     shortened(limits_.leash, most_ahead_, centre.head<3>().norm()));
  half.operator()<3>(angular(limits_),
                     shortened(limits_.leash_angle, most_turned_, centre.tail<3>().norm()));
  step(V, dt);
  for (int first = 0; first < 6; first += 3)
    if (!jump.segment<3>(first).isZero(0.0))
      motion_.pose.A_WE.segment<3>(first) = A.segment<3>(first);
  keep_leash(arm);
  X_wanted_ = wanted.X_WE;
  V_wanted_ = wanted.V_WE;
  V_goal_ = V_goal;
  if ((motion_.pose.X_WE.p - wanted.X_WE.p).norm() < kSame) motion_.pose.X_WE.p = wanted.X_WE.p;
  if ((motion_.pose.X_WE.R - wanted.X_WE.R).norm() < kSame) motion_.pose.X_WE.R = wanted.X_WE.R;
}

void PoseFollower::brake(double dt) {
  const Vector6d &V = motion_.pose.V_WE, &A = motion_.pose.A_WE;
  Vector6d next;
  next << brake_step<3>({V.head<3>(), A.head<3>()}, linear(limits_), dt),
      brake_step<3>({V.tail<3>(), A.tail<3>()}, angular(limits_), dt);
  step(next, dt);
  wants_rest();
}

void PoseFollower::step(const Vector6d& V, double dt) {
  motion_.pose.A_WE = (V - motion_.pose.V_WE) / dt;
  motion_.pose.V_WE = V;
  motion_.pose.X_WE.p += V.head<3>() * dt;
  Eigen::Matrix3d& R = motion_.pose.X_WE.R;
  if (V.tail<3>().isZero(0.0)) return;
  const Eigen::Matrix3d turned = exp_so3(V.tail<3>() * dt) * R;
  // one Newton step to the nearest rotation: rounding does not add up
  R = 0.5 * turned * (3.0 * Eigen::Matrix3d::Identity() - turned.transpose() * turned);
}

Schema<PoseReferenceLimits> pose_reference_limits_schema() {
  using L = PoseReferenceLimits;
  return object<L>("PoseReferenceLimits", "how a pose reference may move")
      .optional("speed", &L::speed, number("m/s").above(0).max(100))
      .optional("acceleration", &L::acceleration, number("m/s^2").above(0).max(1000))
      .optional("jerk", &L::jerk, number("m/s^3").above(0).max(1e6))
      .optional("angular_speed", &L::angular_speed, number("rad/s").above(0).max(100))
      .optional("angular_acceleration", &L::angular_acceleration,
                number("rad/s^2").above(0).max(10000))
      .optional("angular_jerk", &L::angular_jerk, number("rad/s^3").above(0).max(1e7))
      .optional("leash", &L::leash, number("m").above(0).max(100),
                "farthest that it goes from the measured arm; left out: 0.15 m; 100 m: as far as "
                "asked")
      .optional("leash_angle", &L::leash_angle, number("rad").above(0).max(3.2),
                "most that it turns from the measured arm; left out: 30 deg; 180 deg: as far as "
                "asked")
      .optional("jumps", &L::jumps, boolean(),
                "takes jumps of velocity and acceleration that its source announces, as at an "
                "impact; else it goes to the new velocity within its limits");
}

}  // namespace handspan
