#include "reference/relative_reference.hpp"

#include <algorithm>
#include <cmath>

#include "control/whole_arm.hpp"
#include "reference/merge_poses.hpp"
#include "reference/pose_channel.hpp"

namespace handspan {
namespace {

// rounding of a long sum of steps [m, rad]
constexpr double kRelativeThere = 1e-9;
// of the leash, up to which a plan goes on at its own pace
constexpr double kRelativeFullPace = 0.6;
// frames that are where they are wanted rest there: slower than so [m/s, rad/s]
constexpr double kRelativeSpeed = 0.005, kRelativeAngularSpeed = 0.015;

}  // namespace

RelativeReference::RelativeReference(RelativePoseTask& task, const PoseReferenceLimits& limits,
                                     WholeArm* arms)
    : Reference(kRelativePoseKind, task, -1),
      relative_(task),
      arms_(arms),
      follower_(limits, task.counted_axes()) {}

ArmFrame RelativeReference::arm() const {
  if (arms_ == nullptr) return {relative_.X_AB(), relative_.V_AB()};
  const ArmFrame A = arms_->seen(relative_.frame_a()), B = arms_->seen(relative_.frame_b());
  return {A.X_WE.inverse() * B.X_WE, relative_velocity(A.X_WE, A.V_WE, B.X_WE, B.V_WE)};
}

void RelativeReference::slow(Motion& asked, double pace) const {
  asked.pose.V_WE *= pace;
  asked.pose.A_WE *= pace * pace;
}

void RelativeReference::follow_own(const FollowMoment& at, Motion& wanted) {
  Axes axes{}, jumps{};
  merge_poses(at, motion().pose, wanted.pose, axes, jumps);
  const ArmFrame is = arm();
  follower_.follow(wanted.pose, axes, is, at.moment.dt, at.R_WA, jumps);
  pace_ = std::clamp((1.0 - follower_.stretched(is.X_WE)) / (1.0 - kRelativeFullPace), 0.0, 1.0);
  const Pose& X = follower_.reference().X_WE;
  figures_.distance = std::max(
      figures_.distance, relative_.counted_axes().head<3>().cwiseProduct(X.p - is.X_WE.p).norm());
}

void RelativeReference::brake_own(double dt, EventList& /*events*/, Motion& /*scratch*/) {
  pace_ = 1.0;
  follower_.brake(dt);
}

bool RelativeReference::arrived() const {
  const Pose &X = motion().pose.X_WE, &X_w = wanted().pose.X_WE;
  return (X_w.p - X.p).norm() < kRelativeThere && (X_w.R - X.R).norm() < kRelativeThere;
}

bool RelativeReference::arm_is_there(double distance, double angle) const {
  const Vector6d counted = relative_.counted_axes();
  const ArmFrame is = arm();
  const Pose& X = wanted().pose.X_WE;
  Vector6d e;
  e << X.p - is.X_WE.p, log_so3(X.R * is.X_WE.R.transpose());
  e = counted.cwiseProduct(e);
  const Vector6d V = counted.cwiseProduct(relative_.V_AB());
  return e.head<3>().norm() <= distance && e.tail<3>().norm() <= angle &&
         V.head<3>().norm() <= kRelativeSpeed && V.tail<3>().norm() <= kRelativeAngularSpeed;
}

ReferenceError RelativeReference::error(const Pose* /*measured*/) const {
  const Pose &X = motion().pose.X_WE, &X_w = wanted().pose.X_WE, is = arm().X_WE;
  const Eigen::Vector3d counted = relative_.counted_axes().head<3>();
  return {counted.cwiseProduct(X.p - is.p).norm(), angle_between(X.R, is.R),
          counted.cwiseProduct(X_w.p - is.p).norm(), angle_between(X_w.R, is.R)};
}

void RelativeReference::declare(ChannelTable& channels, Rate rate) {
  const std::string channel = "reference." + name();
  pose_channel_ = channels.pose(channel + ".pose", rate, "of B in A, that the task follows");
  velocity_channel_ =
      channels.vector(channel + ".velocity", 6, "m/s, rad/s", rate, "of B as seen from A, in A",
                      {"vx", "vy", "vz", "wx", "wy", "wz"});
}

void RelativeReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  write_pose(channels, pose_channel_, motion().pose.X_WE, stamp);
  channels.write(velocity_channel_, motion().pose.V_WE, stamp);
}

void RelativeReference::state(StateArchive& archive) {
  Reference::state(archive);
  archive(follower_, pace_, figures_);
}

}  // namespace handspan
