#include "reference/twist_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/whole_arm.hpp"
#include "core/object.hpp"
#include "reference/pose_channel.hpp"
#include "reference/velocity_ramp.hpp"

namespace handspan {
namespace {

// how far a pose may turn for what it may go ahead of a bound arm [rad/m]
constexpr double kAheadTurn = 5.0;
// of the leash, up to which a twist that leads away from the arm stays what it is
constexpr double kFullTwist = 0.6;
// rounding of a long sum of steps [m/s, rad/s]
constexpr double kTwistThere = 1e-9;
// of an arm that stops and rests, so near to its pose that it is there [m, rad]; at rest for a hold
// [m/s, rad/s]
constexpr double kTwistNear = 1e-3, kTwistNearAngle = 3e-3, kTwistStill = 1e-3;
// an arm that is to stop rests: slower than so [m/s, rad/s]
constexpr double kTwistRest = 0.005, kTwistAngularRest = 0.015;
// beyond what a task takes for a motion [m/s, rad/s]
constexpr double kMostTwist = 1e3;

Eigen::Vector3d cut_at(const Eigen::Vector3d& x, double most) {
  const double norm = x.norm();
  return norm <= most ? x : Eigen::Vector3d(most / norm * x);
}

}  // namespace

TwistReference::TwistReference(TwistTask& task, const TwistReferenceLimits& limits, WholeArm* arms)
    : Reference(kTwistKind, task, arms != nullptr ? task.frame().mechanism : -1),
      task_(task),
      arms_(arms),
      limits_(limits),
      counted_(task.counted_axes()),
      leash_(limits.leash),
      leash_angle_(limits.leash_angle) {
  task.keep_direction_by_default();
}

ArmFrame TwistReference::arm() const {
  if (arms_ != nullptr) return arms_->seen(task_.frame());
  return {task_.X_WE(), task_.V_WE()};
}

Eigen::Vector3d TwistReference::felt_force() const {
  return arms_ != nullptr ? arms_->felt_force(mechanism()) : Eigen::Vector3d::Zero();
}

bool TwistReference::is_sane(const Motion& asked) const {
  return asked.pose.V_WE.allFinite() && asked.pose.V_WE.norm() < kMostTwist;
}

void TwistReference::place(const Pose& X_WE, const Vector6d& V_WE) {
  own_.pose = {X_WE, V_WE, Vector6d::Zero()};
}

void TwistReference::start_own() { place(task_.reference().X_WE, Vector6d::Zero()); }

void TwistReference::rebase_own() { place(task_.X_WE(), Vector6d::Zero()); }

bool TwistReference::hold_from_arm() {
  place(task_.X_WE(), task_.V_WE());
  return true;
}

void TwistReference::give() {
  task_.brake_with_joints(stops_);
  task_.set_reference(motion().pose);
}

// Of each axis the mean of those who have a say in it, by their shares; of the others none.
Vector6d TwistReference::merged(const FollowMoment& at) const {
  const Eigen::Matrix3d R_WA =
      at.R_WA != nullptr ? *at.R_WA : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  Vector6d sum = Vector6d::Zero(), share = Vector6d::Zero();
  for (const Wanted& one : at.wanted) {
    Vector6d V_A = one.motion->pose.V_WE;
    if (at.R_WA != nullptr)
      V_A << R_WA.transpose() * one.motion->pose.V_WE.head<3>(),
          R_WA.transpose() * one.motion->pose.V_WE.tail<3>();
    for (int axis = 0; axis < 6; ++axis) {
      if (!one.axes[static_cast<std::size_t>(axis)]) continue;
      sum[axis] += one.share * V_A[axis];
      share[axis] += one.share;
    }
  }
  for (int axis = 0; axis < 6; ++axis)
    sum[axis] = share[axis] > 0.0 ? sum[axis] / share[axis] : 0.0;
  if (at.R_WA == nullptr) return sum;
  Vector6d V_WE;
  V_WE << R_WA * sum.head<3>(), R_WA * sum.tail<3>();
  return V_WE;
}

Vector6d TwistReference::limited(const Vector6d& V_WE) const {
  Vector6d V;
  V << cut_at(V_WE.head<3>(), limits_.speed), cut_at(V_WE.tail<3>(), limits_.angular_speed);
  return V;
}

// how far our pose is from X, in the axes that count [m, rad]
Vector6d TwistReference::ahead_of(const Pose& X_WE) const {
  Vector6d ahead;
  ahead << own_.pose.X_WE.p - X_WE.p, log_so3(own_.pose.X_WE.R * X_WE.R.transpose());
  return counted_.cwiseProduct(ahead);
}

// What leads farther from an arm that does not follow shrinks as a whole. Of what turns back, the
// pose drops what it was ahead.
void TwistReference::hold_back(const ArmFrame& arm, Vector6d& V_WE) {
  const double lead = std::max(kShortestLead, kLeadTime * task_.way().allowed());
  leash_ = std::min(limits_.leash, lead);
  leash_angle_ = std::min(limits_.leash_angle, kAheadTurn * lead);
  const Vector6d ahead = ahead_of(arm.X_WE);
  double share = 1.0;
  const auto look = [&](const Eigen::Vector3d& e, const Eigen::Vector3d& V, double leash) {
    const double stretched = e.norm() / leash;
    if (stretched <= kFullTwist) return Eigen::Vector3d(Eigen::Vector3d::Zero());
    if (e.dot(V) > 0.0)
      share = std::min(share, std::max(0.0, 1.0 - stretched) / (1.0 - kFullTwist));
    else if (e.dot(V) < 0.0)
      return Eigen::Vector3d(e.dot(V) / V.squaredNorm() * V);
    return Eigen::Vector3d(Eigen::Vector3d::Zero());
  };
  const Eigen::Vector3d p = look(ahead.head<3>(), V_WE.head<3>(), leash_),
                        turn = look(ahead.tail<3>(), V_WE.tail<3>(), leash_angle_);
  Pose& X_WE = own_.pose.X_WE;
  X_WE.p -= p;
  if (!turn.isZero(0.0)) X_WE.R = exp_so3(-turn) * X_WE.R;
  V_WE *= share;
}

void TwistReference::go(const Vector6d& V_WE, const Vector6d& A_WE, double dt) {
  PoseReference& now = own_.pose;
  ramp_velocity<3>(V_WE.head<3>(), A_WE.head<3>(), limits_.acceleration, limits_.jerk, dt,
                   now.V_WE.head<3>(), now.A_WE.head<3>());
  ramp_velocity<3>(V_WE.tail<3>(), A_WE.tail<3>(), limits_.angular_acceleration,
                   limits_.angular_jerk, dt, now.V_WE.tail<3>(), now.A_WE.tail<3>());
  now.X_WE = {exp_so3(dt * now.V_WE.tail<3>()) * now.X_WE.R, now.X_WE.p + dt * now.V_WE.head<3>()};
}

// The pose is where the arm is in axes that do not count, and within the leash in the others.
void TwistReference::keep_leash(const ArmFrame& arm) {
  const Vector6d ahead = ahead_of(arm.X_WE);
  Pose& X_WE = own_.pose.X_WE;
  const bool all = counted_ == Vector6d::Ones();
  if (!all || ahead.head<3>().norm() > leash_)
    X_WE.p = arm.X_WE.p + cut_at(ahead.head<3>(), leash_);
  if (!all || ahead.tail<3>().norm() > leash_angle_)
    X_WE.R = exp_so3(cut_at(ahead.tail<3>(), leash_angle_)) * arm.X_WE.R;
  figures_.distance = std::max(figures_.distance, std::min(leash_, ahead.head<3>().norm()));
  figures_.angle = std::max(figures_.angle, std::min(leash_angle_, ahead.tail<3>().norm()));
}

void TwistReference::follow_own(const FollowMoment& at, Motion& wanted) {
  const double dt = at.moment.dt;
  const Vector6d V_before = limited(wanted.pose.V_WE);
  wanted.pose = own_.pose;
  wanted.pose.V_WE = merged(at);
  Vector6d V = limited(wanted.pose.V_WE);
  // what changes within the limits is followed without lag; what jumps has no rate
  Vector6d A = (V - V_before) / dt;
  if (A.head<3>().norm() > limits_.acceleration) A.head<3>().setZero();
  if (A.tail<3>().norm() > limits_.angular_acceleration) A.tail<3>().setZero();
  const ArmFrame is = arm();
  const Vector6d asked = V;
  hold_back(is, V);
  if (V != asked) A.setZero();
  go(V, A, dt);
  keep_leash(is);
  tell_way(true, dt, at.events);
}

void TwistReference::brake_own(double dt, EventList& events, Motion& /*scratch*/) {
  if (stops_) {
    own_.pose = arms_->stop_frame(task_.frame());
    own_.pose.X_WE.p += p_kept_;
  } else {
    go(Vector6d::Zero(), Vector6d::Zero(), dt);
  }
  tell_way(false, dt, events);
}

void TwistReference::tell_way(bool follows, double dt, EventList& events) {
  const DirectionKeeper& way = task_.way();
  if (!task_.keeps_direction() || !way_.update(way, follows, dt)) return;
  char bound[100], text[166];
  const auto end =
      fmt::format_to_n(text, sizeof text, "{}: slower; go back, or another way", way.tell(bound));
  events.add("limit", name(), {text, std::min(end.size, sizeof text)});
}

// What an arm that rests where it is held, or presses, is ahead of it, it keeps: it would move.
void TwistReference::begin_stop(const ArmStop& stop) {
  const Vector6d ahead = ahead_of(arms_->stop_frame(task_.frame()).X_WE);
  const bool near = ahead.head<3>().norm() < kTwistNear &&
                    ahead.tail<3>().norm() < kTwistNearAngle &&
                    task_.way().bound() == WayBound::kNone;
  stops_ = true;
  p_kept_.setZero();
  if (stop.rests && (stop.kept || near) && own_.pose.V_WE.isZero(kTwistStill))
    p_kept_ = ahead.head<3>();
  else if (stop.presses)
    p_kept_ = stop.F * (stop.F.dot(ahead.head<3>()) / stop.F.squaredNorm());
}

bool TwistReference::arrived() const {
  return (motion().pose.V_WE - limited(wanted().pose.V_WE)).isZero(kTwistThere);
}

bool TwistReference::at_rest() const { return motion().pose.V_WE.isZero(kRest); }

bool TwistReference::arm_is_there(double /*distance*/, double /*angle*/) const {
  const Vector6d V = counted_.cwiseProduct(task_.V_WE());
  return !wanted().pose.V_WE.isZero(kRest) ||
         (V.head<3>().norm() <= kTwistRest && V.tail<3>().norm() <= kTwistAngularRest);
}

ReferenceError TwistReference::error(const Pose* /*measured*/) const {
  const Vector6d error = counted_.cwiseProduct(motion().pose.V_WE - task_.V_WE()),
                 lag = counted_.cwiseProduct(wanted().pose.V_WE - task_.V_WE());
  return {error.head<3>().norm(), error.tail<3>().norm(), lag.head<3>().norm(),
          lag.tail<3>().norm()};
}

void TwistReference::declare(ChannelTable& channels, Rate rate) {
  const std::string channel = "reference." + name();
  twist_channel_ = channels.vector(channel + ".twist", 6, "m/s, rad/s", rate,
                                   "that the task follows, linear and angular, in W",
                                   {"vx", "vy", "vz", "wx", "wy", "wz"});
  pose_channel_ = channels.pose(channel + ".pose", rate,
                                "that the twist has brought its frame to, within the leash, in W");
  distance_channel_ = channels.number(channel + ".distance", "m", rate,
                                      "of that pose from where the arm was measured, to 1 mm");
  measured_channel_ = channels.pose("measured." + name() + ".pose", rate,
                                    "where the task's frame is by the measured joints, in W, to "
                                    "1e-6");
}

void TwistReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  const PoseReference& reference = motion().pose;
  channels.write(twist_channel_, reference.V_WE, stamp);
  write_pose(channels, pose_channel_, reference.X_WE, stamp);
  const Pose X = arm().X_WE;
  // noise would be written into every log
  channels.write(distance_channel_, 1e-3 * std::round(1e3 * (reference.X_WE.p - X.p).norm()),
                 stamp);
  write_rounded_pose(channels, measured_channel_, X, stamp);
}

void TwistReference::state(StateArchive& archive) {
  Reference::state(archive);
  archive(own_, leash_, leash_angle_, p_kept_, figures_, way_);
}

Schema<TwistReferenceLimits> twist_reference_limits_schema() {
  using L = TwistReferenceLimits;
  return object<L>("TwistReferenceLimits", "how a twist reference may move")
      .optional("speed", &L::speed, number("m/s").above(0).max(100))
      .optional("acceleration", &L::acceleration, number("m/s^2").above(0).max(1000))
      .optional("jerk", &L::jerk, number("m/s^3").above(0).max(1e6))
      .optional("angular_speed", &L::angular_speed, number("rad/s").above(0).max(100))
      .optional("angular_acceleration", &L::angular_acceleration,
                number("rad/s^2").above(0).max(10000))
      .optional("angular_jerk", &L::angular_jerk, number("rad/s^3").above(0).max(1e7))
      .optional("leash", &L::leash, number("m").above(0).max(1),
                "farthest that what the twist is integrated to goes from the measured arm")
      .optional("leash_angle", &L::leash_angle, number("rad").above(0).max(1.5));
}

}  // namespace handspan
