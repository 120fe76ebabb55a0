#pragma once
// How a velocity goes to one that is wanted, with its rate and the rate of that limited in norm.
#include <Eigen/Core>
#include <algorithm>

#include "reference/follow_law.hpp"

namespace handspan {

/// One tick from velocity v and acceleration a towards the velocity `wanted` at the end of the
/// tick, which is reached without a step in acceleration:
///   a' = a + j dt,  v' = v + a' dt,  |a'| <= acceleration,  |j| <= jerk.
/// One that moves by itself at `wanted_rate` and keeps the limits is followed without lag.
/// @param dt of the tick [s], > 0, as acceleration [/s^2] and jerk [/s^3]
template <int N>
void ramp_velocity(const Eigen::Matrix<double, N, 1>& wanted,
                   const Eigen::Matrix<double, N, 1>& wanted_rate, double acceleration, double jerk,
                   double dt, Eigen::Ref<Eigen::Matrix<double, N, 1>> v,
                   Eigen::Ref<Eigen::Matrix<double, N, 1>> a) {
  using Vector = Eigen::Matrix<double, N, 1>;
  const Vector change = wanted - dt * wanted_rate - v;
  const double e = change.norm();
  Vector goal = wanted_rate;
  if (e > 0.0) goal += std::min(acceleration, closing_speed(e, jerk, dt)) / e * change;
  const double most = goal.norm();
  if (most > acceleration) goal *= acceleration / most;
  Vector da = goal - a;
  const double size = da.norm();
  if (size > jerk * dt) da *= jerk * dt / size;
  a += da;
  v += dt * a;
}

}  // namespace handspan
