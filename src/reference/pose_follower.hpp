#pragma once
// How a pose follows what is wanted: as fast as its limits of speed, acceleration and jerk allow
// and no faster. It is never ahead of what it can stop from, and brakes to rest when nothing is
// wanted. So a hand-over, a wild hand and a hold are the same thing and none is a jump. What is
// wanted and lies within the limits is followed exactly, without lag; the law is in follow_law.hpp.
// In each tick x' = x + v' dt: what a motion within the limits went in each tick keeps the limits,
// too, since differences are means of derivatives.
//
// A leash keeps the reference near the measured arm while it follows, so that an arm that cannot
// follow is not wound up. The reference keeps to what it could stop from within the leash if the
// arm stood, so a short leash bounds its speed, too; when the arm goes away from it, it goes after
// the arm. An arm that does so with more than the reference's acceleration, as one that is pushed,
// drags it along: the reference is then set to the leash's end, and is never farther.
//
// A source may announce that from this tick on it has another velocity and acceleration, as after
// an impact. With `jumps` they are taken at once, within the limits of speed and acceleration and
// what can stop within the leash; the pose goes on from where it is and never jumps. The
// acceleration that the task is told is the source's then, and not the jump by dt.
#include <Eigen/Core>
#include <cmath>
#include <optional>

#include "control/arm_frame.hpp"
#include "core/schema.hpp"
#include "reference/follow_law.hpp"
#include "reference/motion.hpp"

namespace handspan {

/// Of vector norms.
struct PoseReferenceLimits {
  double speed = 1.5;                  // [m/s]
  double acceleration = 10.0;          // [m/s^2]
  double jerk = 500.0;                 // [m/s^3]
  double angular_speed = 3.0;          // [rad/s]
  double angular_acceleration = 30.0;  // [rad/s^2]
  double angular_jerk = 1500.0;        // [rad/s^3]
  std::optional<double> leash = 0.15;  // from the arm; none: as far as it is asked for [m]
  std::optional<double> leash_angle = 0.5235987755982988;  // [rad]
  bool jumps = false;  // takes jumps of velocity and acceleration that its source announces
};

Schema<PoseReferenceLimits> pose_reference_limits_schema();

class PoseFollower {
 public:
  /// @param counted 1 for the axes of W in which the leash counts: those that the task has
  explicit PoseFollower(const PoseReferenceLimits& limits,
                        const Vector6d& counted = Vector6d::Ones())
      : limits_(limits), counted_(counted) {}

  /// At rest at X_WE.
  void start(const Pose& X_WE);
  /// One tick towards what `wanted` says for this tick, in the axes that are chosen (of W); in the
  /// others it brakes to rest. `wanted` is sane. `arm` is of this tick, or of an earlier one as
  /// long as it stays the same to the bit: what is looked at more seldom goes on as it went.
  /// @param R_WA the frame in whose axes they are chosen; null: W  @param jumps those of them in
  /// which velocity and acceleration are taken at once; none unless the limits allow it
  void follow(const PoseReference& wanted, const Axes& axes, const ArmFrame& arm, double dt,
              const Eigen::Matrix3d* R_WA = nullptr, const Axes& jumps = {});
  /// Of an arm whose way is bound, the leash in the next follow() is no longer than this, but for
  /// what the reference is ahead already [m], [rad].
  void shorten_leash(double most, double most_angle) {
    most_ahead_ = most;
    most_turned_ = most_angle;
  }
  /// It is there and moves so, whatever its limits say: where the arm is on its way to rest.
  void place(const PoseReference& reference);
  /// What of `wanted` is beyond the leash from the arm, in the axes that are chosen: how far it has
  /// to be moved and turned (in W, about its origin) to be at the leash's end [m, rad].
  Vector6d beyond_leash(const Pose& X_wanted, const Axes& axes, const Pose& X_arm,
                        const Eigen::Matrix3d* R_WA = nullptr) const;
  /// How far the reference is from the arm, as shares of the leashes: the larger one.
  double stretched(const Pose& X_arm) const;
  const PoseReferenceLimits& limits() const { return limits_; }
  /// One tick towards rest.
  void brake(double dt);

  /// The reference itself: its pose counts.
  const Motion& motion() const { return motion_; }
  const PoseReference& reference() const { return motion_.pose; }
  bool at_rest() const { return reference().V_WE.isZero(kRest); }
  void state(StateArchive& archive) {
    archive(motion_, X_wanted_.p, X_wanted_.R, V_wanted_, V_goal_, X_arm_.p, X_arm_.R, age_);
  }

 private:
  void step(const Vector6d& V, double dt);
  void wants_rest();
  void keep_leash(const ArmFrame& arm);

  PoseReferenceLimits limits_;
  Vector6d counted_;
  Motion motion_;
  // of the tick before, to tell how the goal moves: what was wanted, and how fast it went
  Pose X_wanted_;
  Vector6d V_wanted_ = Vector6d::Zero(), V_goal_ = Vector6d::Zero();
  Pose X_arm_;        // as it was looked at last
  double age_ = 0.0;  // of that look at the last tick [s]
  double most_ahead_ = HUGE_VAL, most_turned_ = HUGE_VAL;
};

}  // namespace handspan
