#pragma once
// How fast a frame may go along its way so that it can keep to it: where joints' limits or a
// singular pose bind, the twist that is wanted shrinks along itself, as a whole. Letters: W world,
// E the frame; n actuated joints.
//
// With q' = J^+ V the joints' velocities on the way V (least squares, metric of the task's weights)
// and q''_c = -J^+ J' q' what the way's own curvature in joint space asks of them, a share s of V
// is allowed for which
//   s |q'_j|      <= what the joint's velocity limit and its stop ahead allow,
//   s^2 |q''_c,j| <= kCurvatureShare of its braking deceleration,
//   s q'.q''_c / |q'|^2 <= 1 / kApproachTime where q' grows along the way: near a singular pose
// joints turn by ~ 1/d for the same V, so V goes down with d and the pose is approached, not met.
// Going away from it nothing but the joints' own limits counts. J' q' is in closed form: the
// columns of a chain's J are its axes z_i and z_i x (p - p_i), and z_i turns with the joints before
// it.
#include <Eigen/Core>
#include <span>
#include <string_view>
#include <vector>

#include "control/system.hpp"
#include "control/viability.hpp"

namespace handspan {

/// What keeps a motion from being as fast as it is wanted.
enum class WayBound { kNone, kSpeed, kEnd, kAcceleration, kSingular };

/// How far a reference may lead an arm whose way is bound: what is allowed, for so long, and never
/// less than this [s], [m].
inline constexpr double kLeadTime = 0.5, kShortestLead = 0.002;

/// In words, after the joint's name: "is at its speed limit".
const char* words_of(WayBound bound);

/// Rate of a velocity along a chain: J' v for the columns of J at joint velocities v.
/// @param J 6 x n, linear first, columns from the base outwards; others' columns are zero
Vector6d bias_along(const Matrix6Xd& J, const Eigen::VectorXd& v);

class DirectionKeeper {
 public:
  /// @param mechanism outlives this
  explicit DirectionKeeper(const Mechanism& mechanism);

  /// @param J 6 x nv of E  @param roots of the rows' weights, 0 for those that are no rows
  /// @param V wanted twist of E, in J's axes  @param asked the part of it that the reference goes
  /// by itself  @param gain how fast what is left of the way is caught up [1/s]
  /// @param q of the mechanism (nq)
  void update(const Matrix6Xd& J, const Vector6d& roots, const Vector6d& V, double asked,
              const Vector6d& V_now, const Eigen::VectorXd& q, double dt);
  /// Nothing is wanted: all of it is allowed.
  void clear();

  /// Of the wanted twist, that is allowed now [0 ... 1].
  double share() const { return share_; }
  /// The same, before what fell behind is caught up slowly.
  double limited() const { return limited_; }
  /// What it is that binds, and which joint (of Mechanism::actuated; -1: none of them).
  WayBound bound() const { return bound_; }
  int joint() const { return joint_; }
  /// In words: "left.joint4 is near its end"; empty when nothing binds. What does not fit is cut.
  std::string_view tell(std::span<char> text) const;
  /// The wanted twist's direction in units of the weights' metric; zero when nothing is wanted.
  const Vector6d& direction() const { return u_; }
  /// Its size in that metric [m/s], and what of it limits allow: infinite when nothing binds.
  double wanted() const { return wanted_; }
  double allowed() const;
  /// What of an acceleration along the direction is left of a frame that goes along it at `speed`:
  /// so much that it does not pass the allowed speed, which falls along the way [m/s^2]. One that
  /// rests, as against a contact, presses as it is asked to.
  double limit(double acceleration, double speed, double dt) const;

  void state(StateArchive& archive);

 private:
  void bind(double share, WayBound bound, int joint, double fall);
  void catch_up(double asked, double speed, double dt);

  const Mechanism& mechanism_;
  std::vector<JointViability> joints_;
  Eigen::VectorXd v_, a_;  // of all joints (nv): q' and q''_c of the wanted twist
  Vector6d u_ = Vector6d::Zero();
  double wanted_ = 0.0, share_ = 1.0;
  double limited_ = 1.0;  // the share before catch_up()
  double fall_ = 0.0;     // of the logarithm of the allowed speed, along the way at speed 1 [1/m]
  WayBound bound_ = WayBound::kNone;
  int joint_ = -1;
  // what fell behind is caught up at little more than was asked for
  bool behind_ = false;
  double asked_ = 0.0;
  double blocked_ = 0.0;  // for so long it did not go on although it might [s]
};

}  // namespace handspan
