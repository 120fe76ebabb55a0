#pragma once
// How a mechanism comes to rest: all actuated joints together, in the least time that their limits
// of acceleration and jerk allow. They brake in proportion where their accelerations at the start
// let them, so that a tool stays on its way; else each takes the time of the one that needs
// longest. Where inverse dynamics exceeds a torque limit the stop is slowed as a whole.
#include <Eigen/Core>
#include <array>
#include <vector>

#include "control/system.hpp"

namespace handspan {

/// A velocity and an acceleration that come to zero within limits of acceleration and jerk: three
/// pieces of constant jerk. With V = v + a |a| / (2 j), what v comes to when a goes to zero, of the
/// side V > 0: the acceleration goes to -p at full jerk, stays there and goes to zero. The fastest
/// stop has p = sqrt(j v + a^2 / 2), or the limit; one that takes T has the p that gives that time.
class VelocityStop {
 public:
  /// The fastest. An acceleration beyond the limit counts as the limit. Limits are > 0.
  static VelocityStop fastest(double v, double a, double acceleration, double jerk);
  /// The gentlest that takes `time`, at least that of the fastest [s].
  static VelocityStop in(double time, double v, double a, double acceleration, double jerk);

  double duration() const { return end_[2]; }  // [s]
  /// The way since the start, velocity and acceleration at t >= 0.
  struct State {
    double way, v, a;
  };
  State at(double t) const;

 private:
  static VelocityStop through(double v, double a, double p, double side, double jerk);

  double v_ = 0.0, a_ = 0.0;
  std::array<double, 3> jerk_{}, end_{};  // of each piece [/s^3], [s]
};

/// Vectors are of the actuated joints, one each [rad, rad/s, rad/s^2].
class JointStop {
 public:
  /// @param mechanism outlives this  @param in_proportion whether joints brake in proportion where
  /// they can, at up to a tenth more time than the least
  explicit JointStop(const Mechanism& mechanism, bool in_proportion = true);

  /// From q, v, a at no more than `share` of the limits' accelerations and jerks (> 0). Allocates
  /// and throws nothing; what is not finite stops at once.
  /// @param rates one a joint: most jerk besides its limit [rad/s^3]; empty: the limits alone
  void plan(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double share = 1.0,
            const Eigen::VectorXd* rates = nullptr);
  /// The same, slowed until the torques at its ends and in between are within their limits, or to a
  /// tenth of the others. @param q_all of the whole mechanism (nq)
  void plan_within_torques(ConstVectorRef q_all, ConstVectorRef q, ConstVectorRef v,
                           ConstVectorRef a, RobotData& scratch,
                           const Eigen::VectorXd* rates = nullptr);

  /// The same plan from another q.
  void move(ConstVectorRef q) { start_ = q; }

  double duration() const { return duration_; }  // [s]
  /// Of the limits, that the plan uses.
  double share() const { return share_; }
  /// At t [s] after its start; at its end and after it at rest. The vectors have the joints'
  /// number.
  void at(double t, Eigen::VectorXd& q, Eigen::VectorXd& v, Eigen::VectorXd& a) const;

 private:
  bool fits(ConstVectorRef q_all, RobotData& scratch);

  const Mechanism& mechanism_;
  bool in_proportion_;
  std::vector<VelocityStop> joints_;
  bool together_ = false;      // all follow the first one, in proportion to `direction_`
  Eigen::VectorXd direction_;  // of it, one a joint
  Eigen::VectorXd start_, q_, v_, a_, q_all_, v_all_, a_all_;
  double duration_ = 0.0, share_ = 1.0;
};

/// The least time that a mechanism needs to come to rest from a state: the longest over the joints
/// of a stop within the limits of acceleration and jerk; where that stop's torques are more than
/// their limits, the time at which it fits when slowed as a whole [s]. Allocates.
/// @param q (nq), v, a (nv)
double least_stop_time(const Mechanism& mechanism, ConstVectorRef q, ConstVectorRef v,
                       ConstVectorRef a);

}  // namespace handspan
