#include "control/joint_stop.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

// what the accelerations at the start may be off from being in proportion to the velocities, of the
// limits: they jump by so much then
constexpr double kInProportion = 0.05;
// of the time that the slowest joint needs by itself: what braking in proportion may cost
constexpr double kCost = 1.1;
// slower than this is at rest [rad/s]
constexpr double kStillSpeed = 1e-9;
// how a stop is slowed, and the least of the limits that it still uses
constexpr double kSlower = 0.85, kLeastShare = 0.1;
constexpr int kSamples = 8;

}  // namespace

// to -p on the side of V > 0, which `side` (1 or -1) mirrors
VelocityStop VelocityStop::through(double v, double a, double p, double side, double jerk) {
  VelocityStop stop;
  stop.v_ = v;
  stop.a_ = a;
  if (!(p > 0.0)) return stop;
  const double u = side * v, b = side * a;
  // a braking beyond p is eased to it
  const double down = b >= -p ? 1.0 : -1.0;
  const double first = down * (b + p) / jerk, last = p / jerk;
  const double left = u + 0.5 * (b - p) * first - 0.5 * p * last;
  const double middle = std::max(0.0, left / p);
  stop.jerk_ = {-side * down * jerk, 0.0, side * jerk};
  stop.end_ = {first, first + middle, first + middle + last};
  return stop;
}

VelocityStop VelocityStop::fastest(double v, double a, double acceleration, double jerk) {
  a = std::clamp(a, -acceleration, acceleration);
  const double side = v + 0.5 * a * std::abs(a) / jerk >= 0.0 ? 1.0 : -1.0;
  const double p = std::sqrt(std::max(0.0, jerk * side * v + 0.5 * a * a));
  return through(v, a, std::min(p, acceleration), side, jerk);
}

VelocityStop VelocityStop::in(double time, double v, double a, double acceleration, double jerk) {
  const VelocityStop fast = fastest(v, a, acceleration, jerk);
  if (fast.duration() <= 0.0 || time <= fast.duration()) return fast;
  a = std::clamp(a, -acceleration, acceleration);
  const double side = v + 0.5 * a * std::abs(a) / jerk >= 0.0 ? 1.0 : -1.0;
  const double u = side * v, b = side * a;
  // T = (b + p) / j + (u + b^2 / (2 j) - p^2 / j) / p + p / j
  const double V = u + 0.5 * b * b / jerk, left = time - b / jerk;
  double p = 0.5 * jerk * (left - std::sqrt(std::max(0.0, left * left - 4.0 * V / jerk)));
  // T = -(b + p) / j + (u - b^2 / (2 j)) / p + p / j, where it brakes harder already
  if (p < -b) p = (u - 0.5 * b * b / jerk) / (time + b / jerk);
  return p > 0.0 ? through(v, a, p, side, jerk) : fast;
}

VelocityStop::State VelocityStop::at(double t) const {
  State s{0.0, v_, a_};
  double begin = 0.0;
  for (std::size_t k = 0; k < end_.size(); ++k) {
    const double dt = std::clamp(t, begin, end_[k]) - begin;
    s.way += dt * (s.v + dt * (0.5 * s.a + dt * jerk_[k] / 6.0));
    s.v += dt * (s.a + 0.5 * dt * jerk_[k]);
    s.a += dt * jerk_[k];
    begin = end_[k];
  }
  if (t >= end_.back()) s.v = s.a = 0.0;
  return s;
}

JointStop::JointStop(const Mechanism& mechanism, bool in_proportion)
    : mechanism_(mechanism), in_proportion_(in_proportion), joints_(mechanism.actuated.size()) {
  const auto n = static_cast<Eigen::Index>(joints_.size());
  direction_ = start_ = q_ = v_ = a_ = Eigen::VectorXd::Zero(n);
  v_all_ = a_all_ = Eigen::VectorXd::Zero(mechanism.model->nv());
  q_all_ = mechanism.model->neutral();
}

void JointStop::plan(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double share,
                     const Eigen::VectorXd* rates) {
  start_ = q;
  share_ = share;
  together_ = false;
  duration_ = 0.0;
  std::ranges::fill(joints_, VelocityStop());
  if (!q.allFinite() || !v.allFinite() || !a.allFinite()) return;
  const auto acceleration = [&](std::size_t j) {
    return share * mechanism_.limits[j].acceleration;
  };
  const auto jerk = [&](std::size_t j) {
    const double most = share * mechanism_.limits[j].jerk;
    return rates != nullptr ? std::min(most, (*rates)[static_cast<Eigen::Index>(j)]) : most;
  };
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    joints_[j] = VelocityStop::fastest(v[i], a[i], acceleration(j), jerk(j));
    duration_ = std::max(duration_, joints_[j].duration());
  }
  const double moving = v.squaredNorm();
  if (moving < kStillSpeed * kStillSpeed) return;
  const double rate = v.dot(a) / moving;  // a = rate v, [1/s]
  bool proportional = in_proportion_;
  double most_acceleration = HUGE_VAL, most_jerk = HUGE_VAL;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const double size = std::abs(v[i]);
    proportional = proportional && std::abs(a[i] - rate * v[i]) <= kInProportion * acceleration(j);
    if (size < kStillSpeed) continue;
    most_acceleration = std::min(most_acceleration, acceleration(j) / size);
    most_jerk = std::min(most_jerk, jerk(j) / size);
  }
  if (proportional) {
    const VelocityStop all = VelocityStop::fastest(1.0, rate, most_acceleration, most_jerk);
    if (all.duration() <= kCost * duration_) {
      together_ = true;
      direction_ = v;
      joints_[0] = all;
      duration_ = all.duration();
      return;
    }
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    joints_[j] = VelocityStop::in(duration_, v[i], a[i], acceleration(j), jerk(j));
  }
}

void JointStop::at(double t, Eigen::VectorXd& q, Eigen::VectorXd& v, Eigen::VectorXd& a) const {
  q = start_;
  if (together_) {
    const VelocityStop::State s = joints_[0].at(t);
    q += s.way * direction_;
    v = s.v * direction_;
    a = s.a * direction_;
    return;
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const VelocityStop::State s = joints_[j].at(t);
    q[i] += s.way;
    v[i] = s.v;
    a[i] = s.a;
  }
}

bool JointStop::fits(ConstVectorRef q_all, RobotData& scratch) {
  q_all_ = q_all;
  for (int k = 0; k <= kSamples; ++k) {
    at(duration_ * k / kSamples, q_, v_, a_);
    v_all_.setZero();
    a_all_.setZero();
    for (std::size_t j = 0; j < mechanism_.actuated.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      q_all_[mechanism_.actuated_q[j]] = q_[i];
      v_all_[mechanism_.actuated[j]] = v_[i];
      a_all_[mechanism_.actuated[j]] = a_[i];
    }
    const Eigen::VectorXd& tau =
        inverse_dynamics(*mechanism_.model, scratch, q_all_, v_all_, a_all_);
    for (std::size_t j = 0; j < mechanism_.actuated.size(); ++j)
      if (std::abs(tau[mechanism_.actuated[j]]) > mechanism_.limits[j].torque) return false;
  }
  return true;
}

void JointStop::plan_within_torques(ConstVectorRef q_all, ConstVectorRef q, ConstVectorRef v,
                                    ConstVectorRef a, RobotData& scratch,
                                    const Eigen::VectorXd* rates) {
  plan(q, v, a, 1.0, rates);
  for (double share = kSlower; share > kLeastShare && duration_ > 0.0; share *= kSlower) {
    if (fits(q_all, scratch)) return;
    plan(q, v, a, share, rates);
  }
}

double least_stop_time(const Mechanism& mechanism, ConstVectorRef q, ConstVectorRef v,
                       ConstVectorRef a) {
  const auto n = static_cast<Eigen::Index>(mechanism.actuated.size());
  Eigen::VectorXd q_j(n), v_j(n), a_j(n);
  for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    q_j[i] = q[mechanism.actuated_q[j]];
    v_j[i] = v[mechanism.actuated[j]];
    a_j[i] = a[mechanism.actuated[j]];
  }
  JointStop stop(mechanism, false);
  RobotData scratch(*mechanism.model);
  stop.plan_within_torques(q, q_j, v_j, a_j, scratch);
  return stop.duration();
}

}  // namespace handspan
