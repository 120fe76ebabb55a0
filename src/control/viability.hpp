#pragma once
// The accelerations of one joint that keep it inside its limits for ever, in exact discrete time:
// the acceleration is constant over each control period. The box is never empty for a state that
// was reached under it. After Del Prete 2018, "Joint position and velocity bounds in discrete-time
// acceleration/torque control of robot manipulators"; with velocity limits that depend on the
// position, and with a stop at the end that needs no turning round: a joint pushed against its end
// comes to rest there and stays, where the continuous stopping parabola would make it bounce.
#include "robot/limits.hpp"

namespace handspan {

struct AccelerationBox {
  double lower = 0.0, upper = 0.0;  // [rad/s^2]
  // the state was not inside the limits, by more than a 1e-9th of the range or of the velocity
  // limit; the box brings it back smoothly
  bool outside = false;
  // the two sides contradict each other: lower == upper then, the gentlest between the two. Never
  // for a state inside that was reached from rest under the boxes of one dt. Or an argument is not
  // finite, or dt not > 0: outside is set too, and the box is 0 to 0
  bool empty = false;
};

class JointViability {
 public:
  /// @throws InputError when a limit is missing, not finite or not positive, when braking exceeds
  /// the acceleration, when the range that is left by the velocity curve is too small to stop in (<
  /// 1e-6 rad), or when a continuous joint has a velocity curve
  explicit JointViability(const JointLimits& limits);

  /// Bounds on the acceleration held over the next `dt` [s] from position q [rad] and velocity v
  /// [rad/s]. For any finite state; a state outside is brought back at no more than the braking
  /// deceleration.
  /// @param missing acceleration that was asked for and that a contact kept from happening; the
  /// limit on its side is raised by as much, since the joint did not accelerate [rad/s^2]
  AccelerationBox box(double q, double v, double dt, double missing = 0.0) const;

  /// Largest velocity towards the upper end (>= 0) and towards the lower one (<= 0) at q from which
  /// the joint can still be stopped in time and that its velocity curve admits ahead [rad/s]. The
  /// limit for dt -> 0: box() keeps a stopping distance of at most braking dt^2 / 8 more.
  double upper_velocity(double q) const;
  double lower_velocity(double q) const;

  /// The positions that the box keeps within: of the limits, and where a velocity curve admits any
  /// velocity at all [rad]; infinite for a continuous joint.
  double lower_position() const { return -lower_.position; }
  double upper_position() const { return upper_.position; }

 private:
  // the upper side of the joint, or of the mirrored joint (-q, -v)
  struct Side {
    double position = 0.0;      // end of the range [rad]; infinite for a continuous joint
    double velocity = 0.0;      // [rad/s]
    double acceleration = 0.0;  // [rad/s^2]
    double braking = 0.0;       // [rad/s^2]
    double range = 0.0;         // of both sides [rad]; 0 for a continuous joint
    bool curved = false;
    double curve_offset = 0.0, curve_gain = 0.0, curve_end = 0.0;
    // the parabola of the braking deceleration that takes over from the curve: where it begins, as
    // a distance before the curve's end [rad], and its velocity there; infinite where there is none
    double tangent_distance = 0.0, tangent_velocity = 0.0;
  };
  static Side make_side(const JointLimits& limits, bool upper);
  static double curve_velocity(const Side& side, double q);
  static double velocity_at(const Side& side, double q);
  static double next_curve_velocity(const Side& side, double q, double v, double dt);
  static double next_stoppable_velocity(const Side& side, double room, double dt);
  static bool outside(const Side& side, double q, double v);
  static double bound(const Side& side, double q, double v, double dt, double missing);
  static double bound_beyond(const Side& side, double distance, double v, double dt);

  Side upper_, lower_;
};

}  // namespace handspan
