#include "plant/drive.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {

GroupDrive::GroupDrive(const ActuatorGroup& group, const RobotLimits& limits, double step,
                       int steps_per_tick)
    : drive_(group.drive),
      n_(static_cast<int>(group.joints.size())),
      delay_ticks_(group.delay_ticks),
      steps_per_tick_(steps_per_tick),
      step_(step),
      // the exact discrete first-order lag; without lag a command acts at once
      lag_gain_(group.lag > 0.0 ? 1.0 - std::exp(-step / group.lag) : 1.0),
      limit_rate_(group.torque_rate) {
  for (const auto& joint : group.joints) limits_.push_back(*limits.find(joint));
  state_.assign(static_cast<std::size_t>(3 * n_ + (delay_ticks_ + 1) * n_ + 1), 0.0);
  targets_.resize(static_cast<std::size_t>(n_));
}

void GroupDrive::reset(const Eigen::VectorXd& q, const Eigen::VectorXd& tau) {
  std::ranges::fill(state_, 0.0);
  for (int j = 0; j < n_; ++j) {
    target_q(j) = q[j];
    if (drive_ == Drive::kVelocity) continue;
    const double torque = limits_[static_cast<std::size_t>(j)].torque;
    latched(j) = lagged(j) =
        drive_ == Drive::kPosition ? q[j] : std::clamp(tau[j], -torque, torque);
    for (int t = 0; t <= delay_ticks_; ++t) delayed(t, j) = latched(j);
  }
  refresh();
}

void GroupDrive::command(const Eigen::VectorXd& values, CommandFaults& faults) {
  if (values.size() != n_ || !values.allFinite()) {
    ++faults.not_finite;
    return;
  }
  for (int j = 0; j < n_; ++j) {
    const JointLimits& l = limits_[static_cast<std::size_t>(j)];
    double low = -l.torque, high = l.torque;
    if (drive_ == Drive::kVelocity) {
      low = -l.velocity;
      high = l.velocity;
    } else if (drive_ == Drive::kPosition) {
      low = l.continuous ? -HUGE_VAL : l.lower;
      high = l.continuous ? HUGE_VAL : l.upper;
    }
    latched(j) = std::clamp(values[j], low, high);
    faults.clamped += latched(j) != values[j];
  }
}

void GroupDrive::step(const Eigen::VectorXd& q, const Eigen::VectorXd& stretch,
                      CommandFaults& faults) {
  if (phase() == 0.0) {
    for (int t = delay_ticks_; t > 0; --t)
      for (int j = 0; j < n_; ++j) delayed(t, j) = delayed(t - 1, j);
    for (int j = 0; j < n_; ++j) delayed(0, j) = latched(j);
  }
  phase() = phase() + 1.0 == steps_per_tick_ ? 0.0 : phase() + 1.0;
  for (int j = 0; j < n_; ++j) {
    const double wanted = delayed(delay_ticks_, j);
    ServoTarget& target = targets_[static_cast<std::size_t>(j)];
    if (drive_ == Drive::kTorque) {
      const double most = limits_[static_cast<std::size_t>(j)].torque_rate * step_;
      const double limited =
          limit_rate_ ? std::clamp(wanted, lagged(j) - most, lagged(j) + most) : wanted;
      // a controller that uses all of the rate is beyond it by rounding
      faults.rate_limited += std::abs(limited - wanted) > 1e-9 * most;
      target.tau = lagged(j) = limited;
      continue;
    }
    const double before = lagged(j);
    lagged(j) += lag_gain_ * (wanted - lagged(j));
    if (drive_ == Drive::kPosition) {
      // a drive goes to a far position at its top speed
      const double most = limits_[static_cast<std::size_t>(j)].velocity * step_;
      lagged(j) = std::clamp(lagged(j), before - most, before + most);
    }
    target.v = drive_ == Drive::kVelocity ? lagged(j) : (lagged(j) - before) / step_;
    const double moved = drive_ == Drive::kVelocity ? target_q(j) + step_ * lagged(j) : lagged(j);
    // a joint held fast must not wind the target up: its torque is at the limit long before
    target_q(j) = std::clamp(moved, q[j] - stretch[j], q[j] + stretch[j]);
    target.q = target_q(j);
  }
}

void GroupDrive::refresh() {
  for (int j = 0; j < n_; ++j) {
    ServoTarget& target = targets_[static_cast<std::size_t>(j)];
    target.q = target_q(j);
    target.v = drive_ == Drive::kVelocity ? lagged(j) : 0.0;
    target.tau = drive_ == Drive::kTorque ? lagged(j) : 0.0;
  }
}

}  // namespace handspan
