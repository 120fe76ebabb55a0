#include "teleop/reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

// what is so near is the goal itself, so that rounding does not add up [m, rad]
constexpr double kSame = 1e-13;
constexpr double kRoundedUp = 1.0 + 1e-6;
// an arm that was not looked at for so long is where it was then [s]
constexpr double kOldestLook = 0.02;

// a goal e from where the point is, that went `moved` in this tick; `v_goal` is its velocity in the
// tick before, and becomes the one in this
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
  const bool fast = speed > limits.speed * kRoundedUp;
  if (fast) goal.v *= limits.speed / speed;
  if (fast || goal.a.norm() > limits.acceleration * kRoundedUp) goal.a.setZero();
  return goal;
}

FollowLimits linear(const PoseReferenceLimits& l) { return {l.speed, l.acceleration, l.jerk}; }
FollowLimits angular(const PoseReferenceLimits& l) {
  return {l.angular_speed, l.angular_acceleration, l.angular_jerk};
}

}  // namespace

void PoseFollower::start(const Pose& X_WE) {
  reference_ = {X_WE, Vector6d::Zero(), Vector6d::Zero()};
  wants_rest();
}

void PoseFollower::place(const PoseReference& reference) {
  reference_ = reference;
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

Vector6d PoseFollower::beyond_leash(const Pose& X_wanted, const Axes& axes,
                                    const Pose& X_arm) const {
  Vector6d mask = counted_, back = Vector6d::Zero();
  for (int i = 0; i < 6; ++i)
    if (!axes[static_cast<std::size_t>(i)]) mask[i] = 0.0;
  if (limits_.leash) {
    const Eigen::Vector3d e = mask.head<3>().cwiseProduct(X_wanted.p - X_arm.p);
    back.head<3>() = back_to(e, *limits_.leash);
  }
  if (limits_.leash_angle) {
    const Eigen::Vector3d e = mask.tail<3>().cwiseProduct(turn_of(X_arm.R, X_wanted.R));
    back.tail<3>() = back_to(e, *limits_.leash_angle);
  }
  return back;
}

double PoseFollower::stretched(const Pose& X_arm) const {
  const Pose& X = reference_.X_WE;
  double share = 0.0;
  if (limits_.leash) share = counted_.head<3>().cwiseProduct(X.p - X_arm.p).norm() / *limits_.leash;
  if (limits_.leash_angle)
    share = std::max(share, counted_.tail<3>().cwiseProduct(turn_of(X_arm.R, X.R)).norm() /
                                *limits_.leash_angle);
  return share;
}

// an arm that goes away faster than the reference may, drags it along
void PoseFollower::keep_leash(const ArmFrame& arm) {
  Pose& X = reference_.X_WE;
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
  X_wanted_ = reference_.X_WE;
  V_wanted_ = V_goal_ = reference_.V_WE;
}

void PoseFollower::follow(const PoseReference& wanted, const Axes& axes, const ArmFrame& arm,
                          double dt) {
  Vector6d mask, e, moved, centre, V, V_goal;
  for (int i = 0; i < 6; ++i) mask[i] = axes[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  const Pose& X = reference_.X_WE;
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
    const auto part = [](const Vector6d& x) { return Eigen::Vector3d(x.segment<3>(kFirst)); };
    const auto masked = [&](const Vector6d& x) { return part(mask.cwiseProduct(x)); };
    const PointMotion<3> now{part(reference_.V_WE), part(reference_.A_WE)};
    Eigen::Vector3d v_goal = masked(V_goal_);
    MovingGoal<3> goal = moving_goal<3>(masked(e), masked(moved), masked(V_wanted_),
                                        masked(wanted.V_WE), limits, dt, v_goal);
    V_goal.segment<3>(kFirst) = v_goal;
    // the other axes go to where they come to rest
    const Eigen::Vector3d others = Eigen::Vector3d::Ones() - part(mask);
    if (!others.isZero(0.0)) goal.e += others.cwiseProduct(stop_of<3>(now, limits, dt));
    V.segment<3>(kFirst) = radius
                               ? leashed_step(now, goal, part(mask),
                                              {part(centre), part(arm.V_WE), *radius}, limits, dt)
                               : follow_step<3>(now, goal, limits, dt);
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
  keep_leash(arm);
  X_wanted_ = wanted.X_WE;
  V_wanted_ = wanted.V_WE;
  V_goal_ = V_goal;
  if ((reference_.X_WE.p - wanted.X_WE.p).norm() < kSame) reference_.X_WE.p = wanted.X_WE.p;
  if ((reference_.X_WE.R - wanted.X_WE.R).norm() < kSame) reference_.X_WE.R = wanted.X_WE.R;
}

void PoseFollower::brake(double dt) {
  const Vector6d &V = reference_.V_WE, &A = reference_.A_WE;
  Vector6d next;
  next << brake_step<3>({V.head<3>(), A.head<3>()}, linear(limits_), dt),
      brake_step<3>({V.tail<3>(), A.tail<3>()}, angular(limits_), dt);
  step(next, dt);
  wants_rest();
}

void PoseFollower::step(const Vector6d& V, double dt) {
  reference_.A_WE = (V - reference_.V_WE) / dt;
  reference_.V_WE = V;
  reference_.X_WE.p += V.head<3>() * dt;
  Eigen::Matrix3d& R = reference_.X_WE.R;
  if (V.tail<3>().isZero(0.0)) return;
  const Eigen::Matrix3d turned = exp_so3(V.tail<3>() * dt) * R;
  // one Newton step to the nearest rotation: rounding does not add up
  R = 0.5 * turned * (3.0 * Eigen::Matrix3d::Identity() - turned.transpose() * turned);
}

JointFollower::JointFollower(Eigen::VectorXd lower, Eigen::VectorXd upper,
                             std::vector<FollowLimits> limits)
    : limits_(std::move(limits)), lower_(std::move(lower)), upper_(std::move(upper)) {
  q_ = v_ = a_ = q_wanted_ = v_wanted_ = v_goal_ = Eigen::VectorXd::Zero(lower_.size());
}

void JointFollower::start(const Eigen::VectorXd& q) {
  q_ = q_wanted_ = q;
  for (Eigen::VectorXd* x : {&v_, &a_, &v_wanted_, &v_goal_}) x->setZero();
}

void JointFollower::place(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          const Eigen::VectorXd& a) {
  q_ = q_wanted_ = q;
  v_ = v_wanted_ = v_goal_ = v;
  a_ = a;
}

void JointFollower::follow(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double dt) {
  using Vector1 = Eigen::Matrix<double, 1, 1>;
  for (Eigen::Index i = 0; i < q_.size(); ++i) {
    Vector1 v_goal(v_goal_[i]);
    const MovingGoal<1> goal =
        moving_goal<1>(Vector1(q[i] - q_[i]), Vector1(q[i] - q_wanted_[i]), Vector1(v_wanted_[i]),
                       Vector1(v[i]), limits_[static_cast<std::size_t>(i)], dt, v_goal);
    v_goal_[i] = v_goal[0];
    step(i, &goal, dt);
    if (std::abs(q_[i] - q[i]) < kSame) q_[i] = q[i];
  }
  q_wanted_ = q;
  v_wanted_ = v;
}

void JointFollower::brake(double dt) {
  for (Eigen::Index i = 0; i < q_.size(); ++i) step(i, nullptr, dt);
  q_wanted_ = q_;
  v_wanted_ = v_goal_ = v_;
}

void JointFollower::step(Eigen::Index i, const MovingGoal<1>* goal, double dt) {
  const PointMotion<1> now{Eigen::Matrix<double, 1, 1>(v_[i]), Eigen::Matrix<double, 1, 1>(a_[i])};
  const double v =
      bounded_step(now, goal, std::min(lower_[i] - q_[i], 0.0), std::max(upper_[i] - q_[i], 0.0),
                   limits_[static_cast<std::size_t>(i)], dt);
  a_[i] = (v - v_[i]) / dt;
  v_[i] = v;
  q_[i] += v * dt;
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
                "asked");
}

}  // namespace handspan
