#include "reference/direction_reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

// rounding of a long sum of steps [rad]
constexpr double kDirectionThere = 1e-9;

PoseReferenceLimits turning_limits(const DirectionReferenceLimits& limits) {
  PoseReferenceLimits l;
  l.angular_speed = limits.angular_speed;
  l.angular_acceleration = limits.angular_acceleration;
  l.angular_jerk = limits.angular_jerk;
  l.leash.reset();
  l.leash_angle.reset();
  l.jumps = limits.jumps;
  return l;
}

double between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

Eigen::Matrix3d orientation_along(const Eigen::Vector3d& direction, const Eigen::Matrix3d& near) {
  return Eigen::Quaterniond::FromTwoVectors(near.col(2), direction).toRotationMatrix() * near;
}

Schema<DirectionReferenceLimits> direction_reference_limits_schema() {
  using L = DirectionReferenceLimits;
  return object<L>("DirectionReferenceLimits", "how a direction may turn")
      .optional("angular_speed", &L::angular_speed, number("rad/s").above(0).max(100))
      .optional("angular_acceleration", &L::angular_acceleration,
                number("rad/s^2").above(0).max(10000))
      .optional("angular_jerk", &L::angular_jerk, number("rad/s^3").above(0).max(1e7))
      .optional("jumps", &L::jumps, boolean(),
                "takes jumps of angular velocity and acceleration that its source announces");
}

DirectionReference::DirectionReference(DirectionTask& task, const DirectionReferenceLimits& limits)
    : Reference(kDirectionKind, task, -1), pointing_(task), follower_(turning_limits(limits)) {}

void DirectionReference::start_own() {
  const Eigen::Matrix3d R = orientation_along(pointing_.direction(), Eigen::Matrix3d::Identity());
  follower_.start(Pose::rotation(R));
}

void DirectionReference::rebase_own() {
  if (!driven_) return;
  follower_.start(Pose::rotation(orientation_along(pointing_.points(), motion().pose.X_WE.R)));
}

// The mean of those who have a say, by their shares, of the turns that bring the direction to where
// each wants it.
void DirectionReference::follow_own(const FollowMoment& at, Motion& wanted) {
  driven_ = true;
  const Eigen::Matrix3d& R = motion().pose.X_WE.R;
  Eigen::Vector3d turn = Eigen::Vector3d::Zero(), omega = turn, alpha = turn;
  double share = 0.0;
  bool jumps = true;
  for (const Wanted& one : at.wanted) {
    if (!one.axes[0]) continue;
    const PoseReference& asked = one.motion->pose;
    turn += one.share * log_so3(orientation_along(asked.X_WE.R.col(2), R) * R.transpose());
    omega += one.share * asked.V_WE.tail<3>();
    alpha += one.share * asked.A_WE.tail<3>();
    share += one.share;
    jumps = jumps && one.jump;
  }
  wanted.pose = {};
  wanted.pose.X_WE = Pose::rotation(exp_so3(turn / share) * R);
  const Eigen::Vector3d d = wanted.pose.X_WE.R.col(2);
  const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - d * d.transpose();
  wanted.pose.V_WE.tail<3>() = across * omega / share;
  wanted.pose.A_WE.tail<3>() = across * alpha / share;
  follower_.follow(wanted.pose, kAllAxes, {}, at.moment.dt, nullptr, jumps ? kAllAxes : Axes{});
}

void DirectionReference::brake_own(double dt, EventList& /*events*/, Motion& /*scratch*/) {
  follower_.brake(dt);
}

void DirectionReference::give() {
  if (!driven_) return;
  const PoseReference& m = motion().pose;
  pointing_.set_reference(m.X_WE.R.col(2), m.V_WE.tail<3>(), m.A_WE.tail<3>());
}

bool DirectionReference::arrived() const {
  return (motion().pose.X_WE.R.col(2) - wanted().pose.X_WE.R.col(2)).norm() < kDirectionThere;
}

bool DirectionReference::arm_is_there(double /*distance*/, double angle) const {
  return between(pointing_.points(), wanted().pose.X_WE.R.col(2)) <= angle;
}

ReferenceError DirectionReference::error(const Pose* /*measured*/) const {
  const double e = between(pointing_.points(), direction());
  return {e, 0.0, between(pointing_.points(), wanted().pose.X_WE.R.col(2)), 0.0};
}

void DirectionReference::declare(ChannelTable& channels, Rate rate) {
  channel_ = channels.vector("reference." + name() + ".direction", 3, "", rate,
                             "that the task follows, in W", {"x", "y", "z"});
}

void DirectionReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(channel_, direction(), stamp);
}

void DirectionReference::state(StateArchive& archive) {
  Reference::state(archive);
  archive(follower_, driven_);
}

}  // namespace handspan
