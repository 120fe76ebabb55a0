#pragma once
// The accelerations of one joint that keep it inside its limits for ever, in exact discrete time:
// the acceleration is constant over each control period. The box is never empty for a state that
// was reached under it. After Del Prete 2018, "Joint position and velocity bounds in discrete-time
// acceleration/torque control of robot manipulators"; with velocity limits that depend on the
// position.
#include "robot/limits.hpp"

namespace handspan {

struct AccelerationBox {
  double lower = 0.0, upper = 0.0;  // [rad/s^2]
  bool outside = false;  // the state was not inside the limits; the box brings it back smoothly
  bool empty = false;    // never for a state inside the limits; lower == upper then
};

class JointViability {
 public:
  /// @throws InputError when a limit is missing, not finite or not positive, when braking exceeds
  /// the acceleration, or when the range is too small to stop in
  explicit JointViability(const JointLimits& limits);

  /// Bounds on the acceleration held over the next `dt` [s] from position q [rad] and velocity v
  /// [rad/s]. For any finite state; a state outside is brought back at no more than the braking
  /// deceleration.
  AccelerationBox box(double q, double v, double dt) const;

  /// Largest velocity towards the upper end (>= 0) and towards the lower one (<= 0) at q from which
  /// the joint can still be stopped in time and that its velocity curve admits ahead [rad/s].
  double upper_velocity(double q) const;
  double lower_velocity(double q) const;

  /// The positions that the box keeps within: of the limits, and where a velocity curve admits any
  /// velocity at all [rad].
  double lower_position() const;
  double upper_position() const;

 private:
  // one direction; the other is the mirrored joint
  struct Side {
    double position = 0.0;  // end of the range [rad]; infinite for a continuous joint
    double velocity = 0.0;  // [rad/s]
    double braking = 0.0;   // [rad/s^2]
    bool curved = false;
    double curve_offset = 0.0, curve_gain = 0.0, curve_end = 0.0;
    // where the curve asks for the braking deceleration exactly; before it a parabola of that
    // deceleration takes over
    double tangent_q = 0.0, tangent_v = 0.0;
  };
  static Side make_side(const JointLimits& limits, bool upper);
  static double velocity_at(const Side& side, double q);
  static double bound(const Side& side, double q, double v, double dt, bool& outside);

  Side upper_, lower_;
  double acceleration_ = 0.0;
};

}  // namespace handspan
