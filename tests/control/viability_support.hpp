#pragma once
// Limits of robots and random ones, and states under a constant acceleration, for the tests of the
// viable joint box.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "control/viability.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "scene/robot_folder.hpp"
#include "support/sized.hpp"

namespace handspan::test {

inline constexpr std::uint64_t kViabilitySeed = 20260117;
inline constexpr double kPeriods[] = {1.0 / 1000.0, 1.0 / 125.0};
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NamedLimits {
  std::string name;
  JointLimits limits;
};

inline JointLimits simple_limits(double end, double velocity, double acceleration, double braking) {
  JointLimits limits;
  limits.lower = -end;
  limits.upper = end;
  limits.velocity = velocity;
  limits.acceleration = acceleration;
  limits.braking = braking;
  return limits;
}

inline const std::vector<NamedLimits>& robots_limits() {
  static const std::vector<NamedLimits> all = [] {
    std::vector<NamedLimits> found;
    for (const char* robot : {"fr3", "ur10"})
      for (const auto& [joint, limits] :
           load_robot_folder(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots" / robot)
               .limits.joints)
        found.push_back({fmt::format("{} {}", robot, joint), limits});
    return found;
  }();
  return all;
}

inline double log_uniform(RandomStream& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

// Any limits that JointViability accepts: ranges of a millimetre's size, slow and fast joints,
// curves of either sign of the offset that end before, at and beyond the position end.
inline JointLimits random_limits(RandomStream& random) {
  for (;;) {
    JointLimits limits =
        simple_limits(0.0, log_uniform(random, 0.02, 10.0), log_uniform(random, 0.5, 60.0), 0.0);
    limits.braking = limits.acceleration * random.uniform(0.2, 1.0);
    const double range = log_uniform(random, 1e-3, 12.0);
    limits.lower = random.uniform(-6.0, 6.0);
    limits.upper = limits.lower + range;
    if (random.integer(3) != 0)
      limits.velocity_curve = VelocityCurve{
          random.integer(8) == 0 ? 0.0 : random.uniform(-0.5, 0.3), log_uniform(random, 0.5, 60.0),
          limits.lower + range * random.uniform(-0.1, 0.1),
          limits.upper + range * random.uniform(-0.1, 0.1)};
    try {
      JointViability{limits};
      return limits;
    } catch (const InputError&) {  // the curve left no range
    }
  }
}

struct State {
  double q = 0.0, v = 0.0;
};

// The farthest that a period of constant acceleration goes up.
inline double peak(const State& s, double a, double dt) {
  const State end{s.q + (s.v + 0.5 * a * dt) * dt, s.v + a * dt};
  if (s.v > 0.0 && end.v < 0.0) return s.q - 0.5 * s.v * s.v / a;
  return std::max(s.q, end.q);
}

}  // namespace handspan::test
