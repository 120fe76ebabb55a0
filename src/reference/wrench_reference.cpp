#include "reference/wrench_reference.hpp"

#include <cmath>

#include "control/whole_arm.hpp"

namespace handspan {
namespace {

// rounding of a long sum of steps [N, N m]
constexpr double kWrenchThere = 1e-9;

}  // namespace

WrenchReference::WrenchReference(WrenchTask& task, const ControlState& state,
                                 const WrenchReferenceLimits& limits, WholeArm* arms)
    : Reference(kWrenchKind, task, -1),
      wrench_(task),
      control_(state),
      arms_(arms),
      follower_(limits) {}

void WrenchReference::start_own() {
  follower_.start(carries() ? wrench_.reference() : Vector6d::Zero());
}

// Of each axis of b the mean of those who have a say in it, by their shares.
void WrenchReference::follow_own(const FollowMoment& at, Motion& wanted) {
  Axes axes{};
  wanted.wrench = motion().wrench;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    double sum = 0.0, share = 0.0;
    for (const Wanted& one : at.wanted) {
      if (!one.axes[axis]) continue;
      share += one.share;
      sum += one.share * one.motion->wrench[static_cast<Eigen::Index>(axis)];
    }
    axes[axis] = share > 0.0;
    if (axes[axis]) wanted.wrench[static_cast<Eigen::Index>(axis)] = sum / share;
  }
  if (carries())
    follower_.follow(wanted.wrench, axes, at.moment.dt);
  else
    follower_.start(Vector6d::Zero());
}

void WrenchReference::brake_own(double /*dt*/, EventList& /*events*/, Motion& /*scratch*/) {
  if (carries())
    follower_.hold();
  else
    follower_.start(Vector6d::Zero());
}

bool WrenchReference::arrived() const {
  return (wanted().wrench - motion().wrench).lpNorm<Eigen::Infinity>() < kWrenchThere;
}

// what it presses with in the QP's answer, in the axes of the task
ReferenceError WrenchReference::error(const Pose* /*measured*/) const {
  if (arms_ == nullptr) return {};
  const Vector6d F = wrench_.wrench(arms_->system(), arms_->state(), arms_->problem().solution().x);
  ReferenceError e;
  for (int axis = 0; axis < 3; ++axis) {
    if (!wrench_.axes()[static_cast<std::size_t>(axis)]) continue;
    e.error = std::hypot(e.error, motion().wrench[axis] - F[axis]);
    e.lag = std::hypot(e.lag, wanted().wrench[axis] - F[axis]);
  }
  return e;
}

void WrenchReference::declare(ChannelTable& channels, Rate rate) {
  channel_ =
      channels.wrench("reference." + name() + ".wrench", wrench_task().frame(), rate,
                      "that the task follows, on the loop closure's second frame, in its axes");
}

void WrenchReference::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(channel_, motion().wrench, stamp);
}

void WrenchReference::state(StateArchive& archive) {
  Reference::state(archive);
  archive(follower_);
}

}  // namespace handspan
