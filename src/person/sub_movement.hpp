#pragma once
// How a person's hand gets from one place to another: in minimum-jerk sub-movements, whose time
// grows with distance and precision, with a tremor on top. Frames: V, that of the device's
// tracking; C the hand.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <optional>

#include "core/random.hpp"
#include "core/time.hpp"
#include "math/minimum_jerk.hpp"
#include "math/pose.hpp"
#include "math/se3.hpp"
#include "person/through_points.hpp"

namespace handspan {

/// T [s] to reach a target of width W [m] at a distance D [m]: a + b log2(D / W + 1) (Fitts 1954,
/// in Shannon's form: MacKenzie 1992, eq. 4). W > 0.
double movement_time(double distance, double width, double a, double b);

/// One movement of a hand, about one axis and in a straight line, or through points without rest.
struct SubMovement {
  Eigen::Vector3d p_VC0 = Eigen::Vector3d::Zero();            // from here [m]
  Eigen::Quaterniond q_VC0 = Eigen::Quaterniond::Identity();  // unit
  Eigen::Vector3d d_V = Eigen::Vector3d::Zero();              // by so much [m]
  Eigen::Vector3d phi_V = Eigen::Vector3d::Zero();            // rotation vector, in V [rad]
  Nanoseconds start = 0, duration = 0;                        // [ns]
  std::optional<ThroughPoints> through = std::nullopt;        // instead of straight by d_V

  bool over(Nanoseconds now) const { return now - start >= duration; }
  /// Of its time, 0 to 1.
  double share_of_time(Nanoseconds now) const;
  /// Where it is: turned, and gone a straight way, by minimum_jerk() of the time gone by.
  Pose at(Nanoseconds now) const;
  /// Its velocity in V [m/s, rad/s].
  Vector6d velocity(Nanoseconds now) const;
  /// It goes on for a little, as a hand must: the half of a minimum-jerk way that slows down from
  /// its velocity there within `time` [s].
  SubMovement stopped(Nanoseconds now, double time) const;
};

/// Physiological tremor: noise between 8 and 12 Hz, alike in all directions. A sum of sines whose
/// frequencies and phases are drawn once; it does not vary in strength over minutes.
class Tremor {
 public:
  /// @param rms of each axis [m]
  Tremor(double rms, RandomStream& random);
  /// [m]
  Eigen::Vector3d at(Nanoseconds now) const;

 private:
  static constexpr std::size_t kSines = 8;
  struct Sine {
    double omega = 0.0, phase = 0.0;  // [rad/s], [rad]
  };
  double amplitude_;
  std::array<std::array<Sine, kSines>, 3> sines_;
};

}  // namespace handspan
