#pragma once
// What a robot may do, as its limits.yaml says. Plain data; SI and radians. Sources: each robot's
// SOURCES.md.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace handspan {

/// A velocity limit that depends on the position: upper side min(v_max, max(0, offset + sqrt(max(0,
/// gain (upper - q))))), lower side mirrored with q - lower (Franka's interface for the FR3).
struct VelocityCurve {
  double offset = 0.0;              // [rad/s]
  double gain = 0.0;                // [rad/s^2]
  double lower = 0.0, upper = 0.0;  // [rad]

  /// Largest velocity towards the upper end, and (negative) towards the lower one, at q [rad/s].
  double upper_velocity(double q, double v_max) const;
  double lower_velocity(double q, double v_max) const;
};

/// Of a prismatic joint read m for rad and N for N m.
struct JointLimits {
  double lower = 0.0, upper = 0.0;  // position a controller keeps within [rad]
  bool continuous = false;          // no position limit: lower and upper mean nothing
  double velocity = 0.0;            // [rad/s]
  double acceleration = 0.0;        // [rad/s^2]
  double braking = 0.0;             // deceleration counted on for stopping [rad/s^2]
  double jerk = 0.0;                // [rad/s^3]
  double torque = 0.0;              // [N m]
  double torque_rate = 0.0;         // [N m/s]
  std::optional<VelocityCurve> velocity_curve;
};

/// Of the flange.
struct CartesianLimits {
  double velocity = 0.0;              // [m/s]
  double acceleration = 0.0;          // [m/s^2]
  double jerk = 0.0;                  // [m/s^3]
  double angular_velocity = 0.0;      // [rad/s]
  double angular_acceleration = 0.0;  // [rad/s^2]
  double angular_jerk = 0.0;          // [rad/s^3]
};

/// Of the elbow, where the maker limits it.
struct ElbowLimits {
  std::string body;           // whose frame's origin is the elbow
  double velocity = 0.0;      // [m/s]
  double acceleration = 0.0;  // [m/s^2]
  double jerk = 0.0;          // [m/s^3]
};

struct RobotLimits {
  Rate rate;                                                // at which the robot takes commands
  std::vector<std::pair<std::string, JointLimits>> joints;  // by joint name, in the file's order
  std::optional<CartesianLimits> cartesian;
  std::optional<ElbowLimits> elbow;

  const JointLimits* find(const std::string& joint) const;
};

}  // namespace handspan
