#include "reference/joint_reference.hpp"

#include <algorithm>
#include <cmath>

#include "control/whole_arm.hpp"

namespace handspan {
namespace {

// rounding of a long sum of steps [rad]
constexpr double kJointsThere = 1e-9;
// joints at rest so near to their reference are there: what friction leaves of a motion [rad]
constexpr double kNearJoint = 3e-3;
// a reference that is slower is at rest for a hold [rad/s]
constexpr double kStillJoint = 1e-3;

JointFollower follower_of(const PostureTask& task) {
  const std::vector<JointLimits>& limits = task.limits();
  const auto n = static_cast<Eigen::Index>(limits.size());
  Eigen::VectorXd lower(n), upper(n);
  std::vector<FollowLimits> follow;
  for (Eigen::Index i = 0; i < n; ++i) {
    const JointLimits& l = limits[static_cast<std::size_t>(i)];
    lower[i] = l.continuous ? -HUGE_VAL : l.lower;
    upper[i] = l.continuous ? HUGE_VAL : l.upper;
    follow.push_back({l.velocity, std::min(l.acceleration, l.braking), l.jerk});
  }
  return {lower, upper, std::move(follow)};
}

}  // namespace

JointReference::JointReference(PostureTask& task, WholeArm* arms)
    : Reference(kJointsKind, task, arms != nullptr ? task.mechanism() : -1),
      posture_(task),
      arms_(arms),
      follower_(follower_of(task)),
      home_(Eigen::VectorXd::Zero(task.rows())) {}

Eigen::Vector3d JointReference::felt_force() const {
  return arms_ != nullptr ? arms_->felt_force(mechanism()) : Eigen::Vector3d::Zero();
}

// which of the mechanism's actuated joints a row is
Eigen::Index JointReference::actuated(std::size_t row) const {
  const auto& all = arms_->system().mechanisms()[static_cast<std::size_t>(mechanism())].actuated;
  return std::ranges::find(all, posture_.v_indices()[row]) - all.begin();
}

void JointReference::start_own() {
  follower_.start(posture_.reference());
  home_ = follower_.q();
}

void JointReference::rebase_own() {
  // and where they were is nowhere to go back to
  home_ = posture_.reference() - posture_.error();
  follower_.start(home_);
  away_ = false;
}

void JointReference::give() {
  const Motion& m = motion();
  posture_.set_reference(m.q, m.v, m.a);
}

// The mean of those who have a say, by their shares.
void JointReference::follow_own(const FollowMoment& at, Motion& wanted) {
  driven_ = true;
  away_ = false;
  double share = 0.0;
  for (const Wanted& one : at.wanted)
    if (one.axes[0]) share += one.share;
  wanted.q.setZero();
  wanted.v.setZero();
  wanted.a.setZero();
  for (const Wanted& one : at.wanted) {
    if (!one.axes[0]) continue;
    const double part = one.share / share;
    wanted.q += part * one.motion->q;
    wanted.v += part * one.motion->v;
    wanted.a += part * one.motion->a;
  }
  follower_.follow(wanted.q, wanted.v, at.moment.dt);
}

void JointReference::brake_own(double dt, EventList& /*events*/, Motion& scratch) {
  if (stops_) {
    const Eigen::VectorXd &q = arms_->stop_q(mechanism()), &v = arms_->stop_v(mechanism()),
                          &a = arms_->stop_a(mechanism());
    for (std::size_t r = 0; r < posture_.v_indices().size(); ++r) {
      const Eigen::Index j = actuated(r);
      const auto i = static_cast<Eigen::Index>(r);
      scratch.q[i] = q[j];
      scratch.v[i] = v[j];
      scratch.a[i] = a[j];
    }
    follower_.place(scratch.q, scratch.v, scratch.a);
    return;
  }
  if (!away_) {
    follower_.brake(dt);
    return;
  }
  // back to where it was before the arm was stopped
  scratch.v.setZero();
  follower_.follow(home_, scratch.v, dt);
  away_ = follower_.q() != home_;
}

bool JointReference::is_near_stop() const {
  for (std::size_t r = 0; r < posture_.v_indices().size(); ++r) {
    const double q = arms_->stop_q(mechanism())[actuated(r)];
    if (!(std::abs(follower_.q()[static_cast<Eigen::Index>(r)] - q) < kNearJoint)) return false;
  }
  return follower_.v().isZero(kStillJoint);
}

void JointReference::begin_stop(const ArmStop& stop) {
  // what balances a force stays, and what the arm rests at
  stops_ = !stop.presses && !stop.kept && !(stop.rests && is_near_stop());
  if (driven_) home_ = follower_.q();
  away_ = away_ || (stops_ && !driven_);
}

bool JointReference::arrived() const {
  return (wanted().q - motion().q).lpNorm<Eigen::Infinity>() < kJointsThere;
}

bool JointReference::arm_is_there(double /*distance*/, double angle) const {
  if (arms_ == nullptr) return true;
  for (Eigen::Index r = 0; r < wanted().q.size(); ++r) {
    const int at = posture_.q_indices()[static_cast<std::size_t>(r)];
    const double e = wanted().q[r] - arms_->seen_q(mechanism(), at);
    if (!(std::abs(e) <= angle)) return false;
  }
  return arms_->rests(mechanism());
}

ReferenceUnits JointReference::units() const { return {"rad", 180.0 / M_PI, "deg"}; }

ReferenceError JointReference::error(const Pose* /*measured*/) const {
  return {posture_.error().lpNorm<Eigen::Infinity>(), 0.0,
          (wanted().q - motion().q + posture_.error()).lpNorm<Eigen::Infinity>(), 0.0};
}

void JointReference::declare(ChannelTable& channels, Rate rate) {
  channel_ =
      channels.vector("reference." + name() + ".q", static_cast<std::size_t>(motion().q.size()),
                      "rad", rate, "that the task follows", posture_.joint_names());
}

void JointReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(channel_, motion().q, stamp);
}

void JointReference::state(StateArchive& archive) {
  Reference::state(archive);
  archive(follower_, home_, away_, driven_);
}

}  // namespace handspan
