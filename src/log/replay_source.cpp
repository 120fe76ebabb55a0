#include "log/replay_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/event.hpp"

namespace handspan {
namespace {

constexpr double kNear = 0.005, kNearAngle = 0.035;  // [m], [rad]
constexpr PoseLimits kApproach = {{0.25, 0.5, 5.0}, {0.5, 1.0, 10.0}};

}  // namespace

Pose ReplayOffset::now(const World* world) const {
  Pose X_WD;
  Eigen::Vector3d c = about;
  if (body >= 0) {
    const Pose X_WO = world->body_pose(body);
    X_WD = X_WO * X_DO.inverse();
    c = X_WO.p;
  }
  return Pose{R, position + c - R * c} * X_WD;
}

ReplaySource::ReplaySource(ReplayedPoses poses, std::shared_ptr<ReplayState> shared)
    : poses_(std::move(poses)),
      alone_(shared == nullptr),
      now_(alone_ ? std::make_shared<ReplayState>() : std::move(shared)),
      approach_(1) {}

void ReplaySource::start(const Moment& moment, const Motion& reference) {
  if (alone_) {
    *now_ = {};
    if (poses_.offset) now_->X_WD = poses_.offset->now(poses_.world);
  }
  if (poses_.relative) {
    const TimedPose& first = poses_.poses.samples().front();
    X_WL_ = {first.q.toRotationMatrix().transpose() * reference.pose.X_WE.R,
             reference.pose.X_WE.p - first.p};
  }
  started_ = true;
  approach(moment, reference.pose);
}

void ReplaySource::resume(const Moment& moment, const Motion& reference) {
  started_ = true;
  approach(moment, reference.pose);
}

SourceAnswer ReplaySource::update(const Moment& moment, const Motion&, Motion& wanted) {
  if (approaching_) {
    if (!approach_.planned())
      return {SourceStatus::kLost, "no way to where the log goes on can be planned", {}};
    s_ += moment.dt;
    const PoseState state = approach_.at(std::min(s_, approach_.duration()));
    wanted.pose = {state.X_WE, state.V_WE, state.A_WE};
    approaching_ = s_ < approach_.duration();
    return {SourceStatus::kActive};
  }
  if (alone_) {
    now_->step = moment.dt;
    now_->t += moment.dt;
  }
  bool end = false;
  wanted.pose = at(now_->t, end);
  // the arbiter slows it to this arm's pace, and all of them go at that of the slowest
  const double pace = moment.dt > 0.0 ? std::min(1.0, now_->step / moment.dt) : 0.0;
  wanted.pose.V_WE *= pace;
  wanted.pose.A_WE *= pace * pace;
  return {end ? SourceStatus::kDone : SourceStatus::kActive};
}

void ReplaySource::state(StateArchive& archive) {
  if (alone_) archive(*now_);
  archive(started_, X_WL_.p, X_WL_.R, approaching_, s_, from_, goal_.p, goal_.R);
  if (archive.loading() && approaching_) plan();
}

PoseReference ReplaySource::at(double t, bool& end) const {
  const PoseTrajectory::State state = poses_.smooth ? poses_.smooth->at(t) : poses_.poses.at(t);
  end = state.over;
  const Pose& X = state.X_WE;
  if (poses_.relative) return {{X.R * X_WL_.R, X.p + X_WL_.p}, state.V_WE, state.A_WE};
  if (!poses_.offset) return {X, state.V_WE, state.A_WE};
  PoseReference moved;
  const Eigen::Matrix3d& R_WD = now_->X_WD.R;
  moved.X_WE = now_->X_WD * X;
  moved.V_WE << R_WD * state.V_WE.head<3>(), R_WD * state.V_WE.tail<3>();
  moved.A_WE << R_WD * state.A_WE.head<3>(), R_WD * state.A_WE.tail<3>();
  return moved;
}

void ReplaySource::approach(const Moment& moment, const PoseReference& reference) {
  bool end = false;
  goal_ = at(now_->t, end).X_WE;
  from_ = reference;
  s_ = 0.0;
  const double distance = (goal_.p - from_.X_WE.p).norm(),
               angle = angle_between(goal_.R, from_.X_WE.R);
  approaching_ = distance > kNear || angle > kNearAngle;
  if (!approaching_) return;
  plan();
  if (moment.events == nullptr) return;
  char text[166];
  const auto written = fmt::format_to_n(
      text, sizeof text,
      "first goes to where the log goes on: {:.0f} mm and {:.0f} deg away, in {:.1f} s, at most "
      "{:g} m/s",
      1e3 * distance, angle * 180.0 / M_PI, approach_.duration(), kApproach.linear.velocity);
  moment.events->add("move", poses_.task, {text, std::min(written.size, sizeof text)});
}

void ReplaySource::plan() {
  PoseReference from = from_;
  // from within its limits; the reference itself is braked by its own
  const auto clip = [](auto&& x, double most) {
    if (x.norm() > most) x *= most / x.norm();
  };
  clip(from.V_WE.head<3>(), kApproach.linear.velocity);
  clip(from.V_WE.tail<3>(), kApproach.angular.velocity);
  clip(from.A_WE.head<3>(), kApproach.linear.acceleration);
  clip(from.A_WE.tail<3>(), kApproach.angular.acceleration);
  PoseWaypoint to;
  to.X_WE = goal_;
  approach_.start({from.X_WE, from.V_WE, from.A_WE}, {&to, 1}, kApproach);
}

}  // namespace handspan
