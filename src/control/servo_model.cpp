#include "control/servo_model.hpp"

#include <cmath>

namespace handspan {

ServoModel::ServoModel(GroupKind kind, Eigen::Index joints, double lag, int delay)
    : kind_(kind),
      lag_(kind == GroupKind::kTorque ? 0.0 : lag),
      q_(Eigen::VectorXd::Zero(joints)),
      v_(Eigen::VectorXd::Zero(joints)),
      delayed_(Eigen::MatrixXd::Zero(joints, delay + 1)) {}

void ServoModel::start(const Eigen::VectorXd& q) {
  q_ = q;
  v_.setZero();
  if (kind_ == GroupKind::kVelocity)
    delayed_.setZero();
  else
    delayed_.colwise() = q;
}

void ServoModel::start(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  start(q);
  v_ = v;
  if (kind_ == GroupKind::kVelocity) delayed_.colwise() = v;
}

void ServoModel::step(const Eigen::VectorXd& command, double dt) {
  delayed_.col(next_) = command;
  next_ = (next_ + 1) % delayed_.cols();
  // the oldest one acts now
  const auto u = delayed_.col(next_);
  const double decay = lag_ > 0.0 ? std::exp(-dt / lag_) : 0.0;
  for (Eigen::Index j = 0; j < q_.size(); ++j) {
    if (kind_ == GroupKind::kVelocity) {
      // v(t) = u + (v(0) - u) exp(-t / lag)
      const double away = v_[j] - u[j];
      q_[j] += u[j] * dt + away * lag_ * (1.0 - decay);
      v_[j] = u[j] + away * decay;
    } else {
      const double before = q_[j];
      q_[j] = u[j] + (before - u[j]) * decay;
      v_[j] = (q_[j] - before) / dt;
    }
  }
}

void ServoModel::shift(const Eigen::VectorXd& by) {
  q_ += by;
  if (kind_ != GroupKind::kVelocity) delayed_.colwise() += by;
}

}  // namespace handspan
