#include "person/sub_movement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace handspan {

double movement_time(double distance, double width, double a, double b) {
  return a + b * std::log2(distance / width + 1.0);
}

double SubMovement::share_of_time(Nanoseconds now) const {
  return over(now) ? 1.0 : static_cast<double>(now - start) / static_cast<double>(duration);
}

Pose SubMovement::at(Nanoseconds now) const {
  const double x = share_of_time(now), s = minimum_jerk(x);
  const Eigen::Vector3d way = through ? through->at(x) : Eigen::Vector3d(s * d_V);
  return Pose::from(p_VC0 + way, exp_quaternion(s * phi_V) * q_VC0);
}

Vector6d SubMovement::velocity(Nanoseconds now) const {
  Vector6d V = Vector6d::Zero();
  if (over(now)) return V;
  const double T = seconds(duration);
  V << d_V, phi_V;
  V *= minimum_jerk_rate(seconds(now - start) / T) / T;
  if (through) V.head<3>() = through->rate(share_of_time(now)) / T;
  return V;
}

SubMovement SubMovement::stopped(Nanoseconds now, double time) const {
  const Vector6d V = velocity(now);
  const Pose X = at(now);
  const double rest = V.isZero(0.0) ? 0.0 : time;
  const Vector6d way = 2.0 * rest / kMinimumJerkPeak * V;
  const Eigen::Vector3d d = way.head<3>(), phi = way.tail<3>();
  return {X.p - 0.5 * d,
          exp_quaternion(-0.5 * phi) * X.quaternion(),
          d,
          phi,
          now - std::llround(rest * 1e9),
          std::llround(2.0 * rest * 1e9)};
}

Tremor::Tremor(double rms, RandomStream& random)
    : amplitude_(rms * std::sqrt(2.0 / static_cast<double>(kSines))) {
  for (auto& axis : sines_)
    for (Sine& sine : axis) {
      sine.omega = 2.0 * std::numbers::pi * random.uniform(8.0, 12.0);
      sine.phase = 2.0 * std::numbers::pi * random.uniform();
    }
}

Eigen::Vector3d Tremor::at(Nanoseconds now) const {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const Sine& sine : sines_[axis])
      p[static_cast<Eigen::Index>(axis)] +=
          amplitude_ * std::sin(sine.omega * seconds(now) + sine.phase);
  return p;
}

}  // namespace handspan
