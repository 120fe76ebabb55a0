#include "reference/frame_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/whole_arm.hpp"
#include "reference/merge_poses.hpp"
#include "reference/pose_channel.hpp"
#include "reference/source.hpp"

namespace handspan {
namespace {

// how far a reference may turn for what it may go ahead of a bound arm [rad/m]
constexpr double kLeadTurn = 5.0;
// rounding of a long sum of steps [m, rad]
constexpr double kThere = 1e-9;
// an arm at rest so near to its reference is there: what friction leaves of a motion [m, rad]
constexpr double kNear = 1e-3, kNearAngle = 3e-3;
// a reference that is slower is at rest for a hold [m/s, rad/s]
constexpr double kStill = 1e-3;
// of the leash, up to which a plan goes on at its own pace
constexpr double kFullPace = 0.6;
// a plan that goes on slower than so, for so long, waits [s]
constexpr double kWaits = 0.02, kWaitsFor = 0.5;
// told when so much was dropped [m or rad]; told what it was all in all when nothing was for so
// long [s]
constexpr double kTellDropped = 0.02, kDroppedFor = 0.5;
// an arm that is where it is wanted rests there: slower than so [m/s, rad/s]
constexpr double kThereSpeed = 0.005, kThereAngularSpeed = 0.015;
// one that presses is where its force lets it be: along the force it does not matter where, and
// what the force turns and pushes aside is so many times as much
constexpr double kPushedAside = 4.0, kTurned = 15.0;

}  // namespace

FrameReference::FrameReference(FrameTask& task, const PoseReferenceLimits& limits, WholeArm* arms)
    : Reference(kPoseKind, task, arms != nullptr ? task.frame().mechanism : -1),
      frame_(task),
      arms_(arms),
      follower_(limits, task.counted_axes()) {
  task.keep_direction_by_default();
}

ArmFrame FrameReference::arm() const {
  if (arms_ != nullptr) return arms_->seen(frame_.frame());
  return {frame_.X_WE(), frame_.V_WE()};
}

Eigen::Vector3d FrameReference::felt_force() const {
  return arms_ != nullptr ? arms_->felt_force(mechanism()) : Eigen::Vector3d::Zero();
}

void FrameReference::slow(Motion& asked, double pace) const {
  asked.pose.V_WE *= pace;
  asked.pose.A_WE *= pace * pace;
}

bool FrameReference::is_sane(const Motion& asked) const { return handspan::is_sane(asked.pose); }

void FrameReference::start_own() { follower_.start(frame_.reference().X_WE); }

void FrameReference::rebase_own() { follower_.start(frame_.X_WE()); }

bool FrameReference::hold_from_arm() {
  follower_.place({frame_.X_WE(), frame_.V_WE(), Vector6d::Zero()});
  return true;
}

void FrameReference::give() {
  frame_.brake_with_joints(stops_);
  frame_.set_reference(motion().pose);
}

// What of what is wanted is beyond the leash goes from the sources for good.
void FrameReference::drop(const FollowMoment& at, Motion& wanted, const Axes& axes,
                          const ArmFrame& arm) {
  const Vector6d back = follower_.beyond_leash(wanted.pose.X_WE, axes, arm.X_WE, at.R_WA);
  bool dropped = false;
  if (!back.isZero(0.0)) {
    const Eigen::Matrix3d R = exp_so3(back.tail<3>());
    for (const Wanted& one : at.wanted)
      if (one.active()) dropped = one.source->shift(back.head<3>(), R) || dropped;
  }
  if (dropped) {
    const double before = ahead_.norm();
    ahead_ -= back;
    ahead_for_ = 0.0;
    figures_.dropped += back.head<3>().norm();
    figures_.dropped_angle += back.tail<3>().norm();
    if (before < kTellDropped && ahead_.norm() >= kTellDropped)
      at.events.add("leash", name(), "the hand is ahead of the arm; what it is ahead is dropped");
    return;
  }
  if (ahead_.isZero(0.0)) return;
  ahead_for_ += at.moment.dt;
  if (ahead_for_ < kDroppedFor) return;
  if (ahead_.norm() >= kTellDropped) {
    char text[126];
    const auto end = fmt::format_to_n(
        text, sizeof text, "hand {:.2f} m and {:.0f} deg ahead of the arm: dropped",
        ahead_.head<3>().norm(), ahead_.tail<3>().norm() * 180.0 / std::numbers::pi);
    at.events.add("leash", name(), {text, std::min(end.size, sizeof text)});
  }
  ahead_.setZero();
}

// How fast plans go on, by how far the arm is behind.
void FrameReference::wait(const FollowMoment& at, const ArmFrame& arm) {
  pace_ = std::clamp((1.0 - follower_.stretched(arm.X_WE)) / (1.0 - kFullPace), 0.0, 1.0);
  const bool plans = std::ranges::any_of(
      at.wanted, [](const Wanted& one) { return !one.done && one.source->ends(); });
  if (!plans || pace_ > kWaits) {
    waited_ = 0.0;
    return;
  }
  const double before = waited_;
  waited_ += at.moment.dt;
  if (before >= kWaitsFor || waited_ < kWaitsFor) return;
  char text[126];
  const auto end = fmt::format_to_n(text, sizeof text,
                                    "its plan waits: the arm is {:.2f} m behind and does not come",
                                    (motion().pose.X_WE.p - arm.X_WE.p).norm());
  at.events.add("waits", name(), {text, std::min(end.size, sizeof text)});
}

void FrameReference::follow_own(const FollowMoment& at, Motion& wanted) {
  const double dt = at.moment.dt;
  Axes axes{}, jumps{};
  merge_poses(at, motion().pose, wanted.pose, axes, jumps);
  const ArmFrame is = arm();
  drop(at, wanted, axes, is);
  const double lead = std::max(kShortestLead, kLeadTime * frame_.way().allowed());
  follower_.shorten_leash(lead, kLeadTurn * lead);
  const Vector6d V_before = motion().pose.V_WE;
  follower_.follow(wanted.pose, axes, is, dt, at.R_WA, jumps);
  const Vector6d change = motion().pose.V_WE - V_before;
  const PoseReferenceLimits& limits = follower_.limits();
  // what the limits allow in a tick anyway is no jump to tell of
  if (takes_jumps() && (change.head<3>().norm() > limits.acceleration * dt ||
                        change.tail<3>().norm() > limits.angular_acceleration * dt))
    tell_jump(jumps, V_before, at.events);
  wait(at, is);
  const Pose& X = follower_.reference().X_WE;
  const Vector6d counted = frame_.counted_axes();
  figures_.distance =
      std::max(figures_.distance, counted.head<3>().cwiseProduct(X.p - is.X_WE.p).norm());
  if (!counted.tail<3>().isZero(0.0))
    figures_.angle = std::max(figures_.angle, angle_between(X.R, is.X_WE.R));
  tell_way(true, dt, at.events);
}

void FrameReference::tell_jump(const Axes& jumps, const Vector6d& V_before,
                               EventList& events) const {
  if (std::ranges::none_of(jumps, [](bool axis) { return axis; })) return;
  const Vector6d change = motion().pose.V_WE - V_before;
  char text[126];
  const auto end =
      fmt::format_to_n(text, sizeof text, "its velocity by {:.3f} m/s and {:.2f} rad/s",
                       change.head<3>().norm(), change.tail<3>().norm());
  events.add("jump", name(), {text, std::min(end.size, sizeof text)});
}

void FrameReference::brake_own(double dt, EventList& events, Motion& /*scratch*/) {
  ahead_.setZero();
  pace_ = 1.0;
  waited_ = 0.0;
  if (stops_) {
    PoseReference on_its_way = arms_->stop_frame(frame_.frame());
    on_its_way.X_WE.p += p_kept_;
    on_its_way.X_WE.R = R_kept_ * on_its_way.X_WE.R;
    follower_.place(on_its_way);
  } else {
    follower_.brake(dt);
  }
  tell_way(false, dt, events);
}

void FrameReference::tell_way(bool follows, double dt, EventList& events) {
  const DirectionKeeper& way = frame_.way();
  if (!frame_.keeps_direction() || !way_.update(way, follows, dt)) return;
  char bound[100], text[166];
  const auto end =
      fmt::format_to_n(text, sizeof text, "{}: slower; go back, or another way", way.tell(bound));
  events.add("limit", name(), {text, std::min(end.size, sizeof text)});
}

void FrameReference::begin_stop(const ArmStop& stop) {
  const Pose X = arms_->stop_frame(frame_.frame()).X_WE;
  const PoseReference& reference = motion().pose;
  const Eigen::Vector3d ahead = reference.X_WE.p - X.p;
  const Eigen::Matrix3d turned = reference.X_WE.R * X.R.transpose();
  // what a way that is bound keeps from it would go on pulling
  const bool near = ahead.norm() < kNear && angle_between(reference.X_WE.R, X.R) < kNearAngle &&
                    frame_.way().bound() == WayBound::kNone;
  stops_ = true;
  p_kept_.setZero();
  R_kept_.setIdentity();
  if (stop.rests && (stop.kept || near) && reference.V_WE.isZero(kStill)) {
    p_kept_ = ahead;
    R_kept_ = turned;
  } else if (stop.presses) {
    p_kept_ = stop.F * (stop.F.dot(ahead) / stop.F.squaredNorm());
    R_kept_ = turned;
  }
}

bool FrameReference::arrived() const {
  const Pose &X = motion().pose.X_WE, &X_w = wanted().pose.X_WE;
  return (X_w.p - X.p).norm() < kThere && (X_w.R - X.R).norm() < kThere;
}

bool FrameReference::arm_is_there(double distance, double angle) const {
  const Vector6d counted = frame_.counted_axes();
  const ArmFrame is = arm();
  const Pose& X = wanted().pose.X_WE;
  Vector6d e;
  e << X.p - is.X_WE.p, log_so3(X.R * is.X_WE.R.transpose());
  e = counted.cwiseProduct(e);
  // as control has it: what is measured of an arm at rest is noise
  const Vector6d V = counted.cwiseProduct(frame_.V_WE());
  if (const Eigen::Vector3d F = felt_force(); F.norm() > kPresses) {
    e.head<3>() -= F * (F.dot(e.head<3>()) / F.squaredNorm());
    distance *= kPushedAside;
    angle *= kTurned;
  }
  return e.head<3>().norm() <= distance && e.tail<3>().norm() <= angle &&
         V.head<3>().norm() <= kThereSpeed && V.tail<3>().norm() <= kThereAngularSpeed;
}

ReferenceError FrameReference::error(const Pose* measured) const {
  if (measured == nullptr) return {};
  const Pose &X = motion().pose.X_WE, &X_w = wanted().pose.X_WE;
  return {(X.p - measured->p).norm(), angle_between(X.R, measured->R), (X_w.p - measured->p).norm(),
          angle_between(X_w.R, measured->R)};
}

void FrameReference::declare(ChannelTable& channels, Rate rate) {
  const std::string channel = "reference." + name();
  pose_channel_ = channels.pose(channel + ".pose", rate, "that the task follows, in W");
  velocity_channel_ =
      channels.twist(channel + ".velocity", "world", rate, "its linear and angular velocity, in W");
  distance_channel_ =
      channels.number(channel + ".distance", "m", rate, "from where the arm was measured, to 1 mm");
  ahead_channel_ =
      channels.number(channel + ".ahead", "m", rate, "of the leash that a hand is, and is dropped");
  measured_channel_ = channels.pose("measured." + name() + ".pose", rate,
                                    "where the task's frame is by the measured joints, in W, to "
                                    "1e-6");
}

void FrameReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  const PoseReference& reference = motion().pose;
  write_pose(channels, pose_channel_, reference.X_WE, stamp);
  channels.write(velocity_channel_, reference.V_WE, stamp);
  const Pose X = arm().X_WE;
  // noise would be written into every log
  channels.write(distance_channel_, 1e-3 * std::round(1e3 * (reference.X_WE.p - X.p).norm()),
                 stamp);
  channels.write(ahead_channel_, ahead_.head<3>().norm(), stamp);
  write_rounded_pose(channels, measured_channel_, X, stamp);
}

void FrameReference::state(StateArchive& archive) {
  Reference::state(archive);
  archive(follower_, p_kept_, R_kept_, pace_, waited_, ahead_, ahead_for_, figures_, way_);
}

}  // namespace handspan
