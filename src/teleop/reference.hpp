#pragma once
// The reference that a task gets: it follows what is wanted as fast as its limits allow and no
// faster, is never ahead of what it can stop from, and brakes to rest when nothing is wanted
// (design section 3.7). So a hand-over, a wild hand and a hold are the same thing and none is a
// jump. What is wanted and lies within the limits is followed exactly, without lag.
//
// In each tick of dt the velocity becomes
//   v' = v_w + r(|e|) e / |e|,   e = x_w - (x + v_w dt),
// cut at the speed limit, then its change at the acceleration limit; x' = x + v' dt. r is the
// largest closing speed from which braking by a in steps of dt ends exactly at e = 0: n steps at r,
// r - a dt, r - 2 a dt ... cover e, so
//   r(e) = e / (n dt) + (n - 1) a dt / 2,  n the smallest with e <= a dt^2 n (n + 1) / 2.
#include <Eigen/Core>

#include "core/schema.hpp"
#include "teleop/source.hpp"

namespace handspan {

/// Slower than this is at rest: what rounding leaves of following a goal that stands [m/s, rad/s].
inline constexpr double kRest = 1e-9;

/// r(e) above [m/s or rad/s], for e, a and dt > 0.
double closing_speed(double e, double a, double dt);

struct PoseReferenceLimits {
  double speed = 1.5;                  // [m/s]
  double acceleration = 10.0;          // [m/s^2]
  double angular_speed = 3.0;          // [rad/s]
  double angular_acceleration = 30.0;  // [rad/s^2]
};

Schema<PoseReferenceLimits> pose_reference_limits_schema();

class PoseFollower {
 public:
  explicit PoseFollower(const PoseReferenceLimits& limits) : limits_(limits) {}

  /// At rest at X_WE.
  void start(const Pose& X_WE) { reference_ = {X_WE, Vector6d::Zero(), Vector6d::Zero()}; }
  /// One tick towards what `wanted` says for this tick, in the axes that are chosen (of W); in the
  /// others it brakes to rest. `wanted` is sane.
  void follow(const PoseReference& wanted, const Axes& axes, double dt);
  /// One tick towards rest.
  void brake(double dt);

  const PoseReference& reference() const { return reference_; }
  bool at_rest() const { return reference_.V_WE.isZero(kRest); }
  void state(StateArchive& archive) { archive(reference_); }

 private:
  void step(const Vector6d& V, double dt);

  PoseReferenceLimits limits_;
  PoseReference reference_;
};

/// The same for joints, each for itself, within its position limits.
class JointFollower {
 public:
  /// One a joint [rad], [rad/s], [rad/s^2]; lower <= upper.
  JointFollower(Eigen::VectorXd lower, Eigen::VectorXd upper, Eigen::VectorXd speed,
                Eigen::VectorXd acceleration);

  void start(const Eigen::VectorXd& q);
  void follow(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double dt);
  void brake(double dt);

  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& v() const { return v_; }
  const Eigen::VectorXd& a() const { return a_; }
  bool at_rest() const { return v_.isZero(kRest); }
  void state(StateArchive& archive) { archive(q_, v_, a_); }

 private:
  void step(Eigen::Index joint, double wanted, double dt);

  Eigen::VectorXd lower_, upper_, speed_, acceleration_, q_, v_, a_;
};

}  // namespace handspan
