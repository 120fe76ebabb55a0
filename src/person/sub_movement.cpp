#include "person/sub_movement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace handspan {

double movement_time(double distance, double width, double a, double b) {
  return a + b * std::log2(distance / width + 1.0);
}

Pose SubMovement::at(Nanoseconds now) const {
  const double s =
      over(now) ? 1.0
                : minimum_jerk(static_cast<double>(now - start) / static_cast<double>(duration));
  return Pose::from(p_VC0 + s * d_V, exp_quaternion(s * phi_V) * q_VC0);
}

Vector6d SubMovement::velocity(Nanoseconds now) const {
  Vector6d V = Vector6d::Zero();
  if (over(now)) return V;
  const double T = seconds(duration);
  V << d_V, phi_V;
  return minimum_jerk_rate(seconds(now - start) / T) / T * V;
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
