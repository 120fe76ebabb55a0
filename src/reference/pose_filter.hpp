#pragma once
// Where something is and how fast it goes, from poses that are seen of it now and then: as often as
// a tick, or thirty times a second and late. Letters: O the thing, W the world.
//
// A critically damped g-h filter, of a fading memory (Brookner 1998, Tracking and Kalman Filtering
// Made Easy: g = 1 - theta^2, h = (1 - theta)^2): between two looks it goes on as it went, and of
// what a look tells, innovation e after the time T, it takes
//   X = X^ + (1 - theta^2) e,  V = V + (1 - theta)^2 e / T,  theta = exp(-T / smoothing).
// Something of constant velocity is followed without lag; of an acceleration a it lags by about
// a smoothing^2. Rotations are as vectors in W, of the small turn between what is expected and
// what is seen.
#include "core/state_archive.hpp"
#include "core/time.hpp"
#include "math/pose.hpp"
#include "math/se3.hpp"

namespace handspan {

class PoseFilter {
 public:
  /// What is seen farther than so from where it is expected, by the time between the looks, was put
  /// elsewhere and did not go there [m/s, rad/s].
  static constexpr double kLeap = 10.0, kLeapAngle = 30.0;

  /// @param smoothing [s]; 0: what was seen last, and differences
  explicit PoseFilter(double smoothing = 0.02) : smoothing_(smoothing) {}

  /// It is seen for the first time, and is at rest.
  void start(const Pose& X_WO, Nanoseconds stamp);
  /// It is seen. A stamp that is no later than the last one is left out.
  /// @return false: it was put elsewhere, and the filter started anew there
  bool see(const Pose& X_WO, Nanoseconds stamp);
  /// Where it is, if it goes on as it went. @param time no earlier than the last look [ns]
  Pose at(Nanoseconds time) const;
  /// V_WO of its origin, linear, angular [m/s, rad/s].
  const Vector6d& velocity() const { return V_WO_; }
  /// Of the last look [ns].
  Nanoseconds stamp() const { return stamp_; }
  void state(StateArchive& archive) { archive(X_WO_.p, X_WO_.R, V_WO_, stamp_); }

 private:
  double smoothing_;
  Pose X_WO_;  // at stamp_
  Vector6d V_WO_ = Vector6d::Zero();
  Nanoseconds stamp_ = 0;
};

}  // namespace handspan
