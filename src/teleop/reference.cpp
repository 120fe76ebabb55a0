#include "teleop/reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

// v cut at the speed, and its change from `before` at what a tick allows
Eigen::Vector3d limited(Eigen::Vector3d v, const Eigen::Vector3d& before, double speed,
                        double most_change) {
  const double n = v.norm();
  if (n > speed) v *= speed / n;
  const Eigen::Vector3d change = v - before;
  const double size = change.norm();
  return size > most_change ? Eigen::Vector3d(before + change * (most_change / size)) : v;
}

Eigen::Vector3d towards(const Eigen::Vector3d& e, const Eigen::Vector3d& v_wanted, double a,
                        double dt) {
  const double distance = e.norm();
  if (distance == 0.0) return v_wanted;
  return v_wanted + closing_speed(distance, a, dt) / distance * e;
}

}  // namespace

double closing_speed(double e, double a, double dt) {
  const double step = a * dt * dt;
  const double n = std::max(1.0, std::ceil(0.5 * (std::sqrt(1.0 + 8.0 * e / step) - 1.0)));
  return e / (n * dt) + 0.5 * (n - 1.0) * a * dt;
}

void PoseFollower::follow(const PoseReference& wanted, const Axes& axes, double dt) {
  Vector6d mask;
  for (int i = 0; i < 6; ++i) mask[i] = axes[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  const Vector6d V_w = mask.cwiseProduct(wanted.V_WE);
  const Eigen::Vector3d e_p =
      mask.head<3>().cwiseProduct(wanted.X_WE.p - (reference_.X_WE.p + V_w.head<3>() * dt));
  const Eigen::Matrix3d R = exp_so3(V_w.tail<3>() * dt) * reference_.X_WE.R;
  const Eigen::Vector3d e_R = mask.tail<3>().cwiseProduct(log_so3(wanted.X_WE.R * R.transpose()));
  Vector6d V;
  V << limited(towards(e_p, V_w.head<3>(), limits_.acceleration, dt), reference_.V_WE.head<3>(),
               limits_.speed, limits_.acceleration * dt),
      limited(towards(e_R, V_w.tail<3>(), limits_.angular_acceleration, dt),
              reference_.V_WE.tail<3>(), limits_.angular_speed, limits_.angular_acceleration * dt);
  step(V, dt);
}

void PoseFollower::brake(double dt) {
  Vector6d V;
  V << limited(Eigen::Vector3d::Zero(), reference_.V_WE.head<3>(), limits_.speed,
               limits_.acceleration * dt),
      limited(Eigen::Vector3d::Zero(), reference_.V_WE.tail<3>(), limits_.angular_speed,
              limits_.angular_acceleration * dt);
  step(V, dt);
}

void PoseFollower::step(const Vector6d& V, double dt) {
  reference_.A_WE = (V - reference_.V_WE) / dt;
  reference_.V_WE = V;
  reference_.X_WE.p += V.head<3>() * dt;
  Eigen::Matrix3d& R = reference_.X_WE.R;
  if (V.tail<3>().isZero(0.0)) return;
  const Eigen::Matrix3d turned = exp_so3(V.tail<3>() * dt) * R;
  // one Newton step to the nearest rotation: rounding does not add up
  R = 0.5 * turned * (3.0 * Eigen::Matrix3d::Identity() - turned.transpose() * turned);
}

JointFollower::JointFollower(Eigen::VectorXd lower, Eigen::VectorXd upper, Eigen::VectorXd speed,
                             Eigen::VectorXd acceleration)
    : lower_(std::move(lower)),
      upper_(std::move(upper)),
      speed_(std::move(speed)),
      acceleration_(std::move(acceleration)) {
  q_ = v_ = a_ = Eigen::VectorXd::Zero(lower_.size());
}

void JointFollower::start(const Eigen::VectorXd& q) {
  q_ = q;
  v_.setZero();
  a_.setZero();
}

void JointFollower::follow(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double dt) {
  for (Eigen::Index i = 0; i < q_.size(); ++i) {
    // a joint that is outside its limits already may come back, not go on
    const double goal = std::clamp(q[i], std::min(lower_[i], q_[i]), std::max(upper_[i], q_[i]));
    const double v_w = goal == q[i] ? v[i] : 0.0;
    const double e = goal - (q_[i] + v_w * dt);
    const double closing = e == 0.0 ? 0.0 : closing_speed(std::abs(e), acceleration_[i], dt);
    step(i, v_w + std::copysign(closing, e), dt);
  }
}

void JointFollower::brake(double dt) {
  for (Eigen::Index i = 0; i < q_.size(); ++i) step(i, 0.0, dt);
}

void JointFollower::step(Eigen::Index i, double wanted, double dt) {
  const double most = acceleration_[i] * dt;
  // a limit is something to stop at, too
  wanted = std::min(wanted, closing_speed(std::max(0.0, upper_[i] - q_[i]), acceleration_[i], dt));
  wanted = std::max(wanted, -closing_speed(std::max(0.0, q_[i] - lower_[i]), acceleration_[i], dt));
  const double v =
      std::clamp(std::clamp(wanted, -speed_[i], speed_[i]), v_[i] - most, v_[i] + most);
  a_[i] = (v - v_[i]) / dt;
  v_[i] = v;
  q_[i] += v * dt;
}

Schema<PoseReferenceLimits> pose_reference_limits_schema() {
  return object<PoseReferenceLimits>("PoseReferenceLimits", "how fast a pose reference may move")
      .optional("speed", &PoseReferenceLimits::speed, number("m/s").above(0).max(100))
      .optional("acceleration", &PoseReferenceLimits::acceleration,
                number("m/s^2").above(0).max(1000))
      .optional("angular_speed", &PoseReferenceLimits::angular_speed,
                number("rad/s").above(0).max(100))
      .optional("angular_acceleration", &PoseReferenceLimits::angular_acceleration,
                number("rad/s^2").above(0).max(10000));
}

}  // namespace handspan
