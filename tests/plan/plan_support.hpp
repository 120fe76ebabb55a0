#pragma once
// Random motions, and how close a motion comes to its limits.
#include <algorithm>

#include "core/random.hpp"
#include "plan/motion_state.hpp"

namespace handspan::test {

inline Coordinates random_coordinates(RandomStream& random, int n, double most) {
  Coordinates x(n);
  for (int i = 0; i < n; ++i) x[i] = random.uniform(-most, most);
  return x;
}

inline MotionLimits random_limits(RandomStream& random, int n) {
  MotionLimits limits{Coordinates(n), Coordinates(n), Coordinates(n)};
  for (int i = 0; i < n; ++i) {
    limits.velocity[i] = random.uniform(0.5, 3.0);
    limits.acceleration[i] = random.uniform(1.0, 15.0);
    limits.jerk[i] = random.uniform(10.0, 1000.0);
  }
  return limits;
}

/// A state from which the limits can be kept: also the velocity that its acceleration still adds.
inline MotionState random_state(RandomStream& random, const MotionLimits& limits) {
  const int n = static_cast<int>(limits.velocity.size());
  MotionState state{random_coordinates(random, n, 2.0), Coordinates(n), Coordinates(n)};
  for (int i = 0; i < n; ++i) {
    state.a[i] = random.uniform(-1.0, 1.0) *
                 std::min(limits.acceleration[i], std::sqrt(limits.velocity[i] * limits.jerk[i]));
    const double added = state.a[i] * std::abs(state.a[i]) / (2.0 * limits.jerk[i]);
    const double low = -limits.velocity[i] - std::min(added, 0.0);
    const double high = limits.velocity[i] - std::max(added, 0.0);
    state.v[i] = random.uniform(low, high);
  }
  return state;
}

inline Coordinates coordinates(std::initializer_list<double> values) {
  Coordinates x(static_cast<int>(values.size()));
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

}  // namespace handspan::test
