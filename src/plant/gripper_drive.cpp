#include "plant/gripper_drive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace handspan {
namespace {

// what is thinner is not pressed with all of the force [m]
constexpr double kThin = 1e-3;
// Dry friction is made up for while the jaws move, faster than about this, and until they have come
// away so far from where they were told to move: at rest it would press on what is between [m/s, m]
constexpr double kMoving = 5e-3, kAway = 5e-4;
// Jaws that have hardly moved for so long although they should are stopped by something: from then
// on the force is there within the second time, however soft their servos are [s]
constexpr double kStopped = 0.03, kRise = 0.05, kHardly = 0.1;

}  // namespace

GripperDrive::GripperDrive(const ActuatorGroup& group, const RobotLimits& limits,
                           std::vector<double> friction, double step, int steps_per_tick)
    : gripper_(*group.gripper),
      n_(static_cast<int>(group.joints.size())),
      delay_ticks_(group.delay_ticks),
      steps_per_tick_(steps_per_tick),
      step_(step),
      friction_(std::move(friction)),
      torques_(group.joints.size(), 0.0),
      targets_(group.joints.size()) {
  for (const auto& joint : group.joints) limits_.push_back(limits.find(joint)->torque);
  state_.assign(kValues + 2 + static_cast<std::size_t>(delay_ticks_ + 1) * kValues + 1 + kMoves,
                0.0);
}

void GripperDrive::reset(const Eigen::VectorXd& q) {
  std::ranges::fill(state_, 0.0);
  width() = last() = left_at() = gripper_.width(q);
  told() = width();
  const double values[kValues] = {width(), gripper_.speed, gripper_.force};
  for (std::size_t i = 0; i < kValues; ++i) {
    latched(i) = values[i];
    for (int t = 0; t <= delay_ticks_; ++t) delayed(t, i) = values[i];
  }
  for (int j = 0; j < n_; ++j) {
    targets_[static_cast<std::size_t>(j)] = {q[j], 0.0, 0.0};
    torques_[static_cast<std::size_t>(j)] = limits_[static_cast<std::size_t>(j)];
  }
}

void GripperDrive::command(const Eigen::VectorXd& values, CommandFaults& faults) {
  if (values.size() != static_cast<Eigen::Index>(kValues) || !values.allFinite()) {
    ++faults.not_finite;
    return;
  }
  // as narrow as is asked: it presses on, and what it touches stops it
  const double most[kValues] = {gripper_.wide(), gripper_.speed, gripper_.force};
  for (std::size_t i = 0; i < kValues; ++i) {
    const double value = values[static_cast<Eigen::Index>(i)];
    latched(i) = std::min(i == 0 ? value : std::max(value, 0.0), most[i]);
    faults.clamped += latched(i) != value;
  }
}

void GripperDrive::step(const Eigen::VectorXd& q, const Eigen::VectorXd& kp) {
  if (phase() == 0.0) {
    for (int t = delay_ticks_; t > 0; --t)
      for (std::size_t i = 0; i < kValues; ++i) delayed(t, i) = delayed(t - 1, i);
    for (std::size_t i = 0; i < kValues; ++i) delayed(0, i) = latched(i);
  }
  phase() = phase() + 1.0 == steps_per_tick_ ? 0.0 : phase() + 1.0;
  const double wanted = delayed(delay_ticks_, 0), fastest = delayed(delay_ticks_, 1),
               force = delayed(delay_ticks_, 2);

  // to the width, no faster than it can stop
  const double left = wanted - width(), a = gripper_.acceleration;
  const double goal = std::copysign(
      std::min({fastest, std::sqrt(2.0 * a * std::abs(left)), std::abs(left) / step_}), left);
  speed() = std::clamp(goal, speed() - a * step_, speed() + a * step_);
  const double moved = width() + step_ * speed();
  const bool arrives = (wanted - moved) * left <= 0.0;
  width() = arrives ? wanted : moved;
  if (arrives) speed() = 0.0;

  // a jaw that is held must not wind the set-point up: the force is all there long before
  const double share = gripper_.share(q), measured = gripper_.width(share);
  const double slope = gripper_.slope(share);
  const double moves = std::abs(measured - last()) / step_;
  last() = measured;
  if (wanted != told()) {
    told() = wanted;
    left_at() = measured;
  }
  const bool stuck = std::abs(measured - left_at()) < kAway;
  const double rubs = stuck ? 1.0 : std::tanh(moves / kMoving);
  double lead = 0.0;
  for (int j = 0; j < n_; ++j) {
    const auto k = static_cast<std::size_t>(j);
    torques_[k] = std::min(gripper_.torque(j, force, share) + rubs * friction_[k], limits_[k]);
    lead = std::max(lead,
                    torques_[k] / kp[j] * slope / std::abs(gripper_.open[j] - gripper_.closed[j]));
  }
  stopped() = moves < kHardly * std::abs(speed()) ? stopped() + step_ : 0.0;
  if (stopped() > kStopped) width() += std::copysign(lead * step_ / kRise, wanted - measured);
  // it presses only the way that it is to go, and not on its own stop when there is nothing
  // between; what a servo in motion is behind comes on top
  const double behind = std::abs(speed()) * step_;
  const double between = std::clamp((measured - gripper_.shut()) / kThin, 0.0, 1.0);
  width() = std::clamp(width(), measured - (wanted < measured ? lead * between : 0.0) - behind,
                       measured + (wanted > measured ? lead : 0.0) + behind);

  const double to = gripper_.share_of(width()), rate = speed() / gripper_.slope(to);
  for (int j = 0; j < n_; ++j) {
    const double travel = gripper_.open[j] - gripper_.closed[j];
    targets_[static_cast<std::size_t>(j)] = {gripper_.closed[j] + to * travel, rate * travel, 0.0};
  }
}

}  // namespace handspan
