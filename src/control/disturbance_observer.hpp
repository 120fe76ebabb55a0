#pragma once
// Estimates the joint torques that neither the model nor the drive accounts for: loads, friction,
// contact. The generalised momentum observer (De Luca and Mattone 2003)
//   r' = L (p' - (tau + C^T v - g) - r),  p = M v,  C^T v = dM/dt v - C v
// follows the external torque as a first-order filter of bandwidth L and needs no acceleration.
#include <Eigen/Core>

#include "core/state_archive.hpp"

namespace handspan {

class DisturbanceObserver {
 public:
  /// @param coordinates nv of the mechanism
  /// @param bandwidth L [1/s]
  DisturbanceObserver(Eigen::Index coordinates, double bandwidth);

  /// The estimate is zero and the next update its first.
  void start();
  /// @param M (nv x nv), h (nv), v (nv) at a tick
  /// @param tau what the drives gave since the tick before (nv) [N m], constant in that time, and
  /// zero where there is no drive
  /// @param dt since the tick before [s]
  /// dM/dt is the difference of the two ticks' M: p_k - p_(k-1) less its integral is
  /// (M_k + M_(k-1)) / 2 (v_k - v_(k-1)) exactly; h enters by the trapezoidal rule. So r is right
  /// to the second order in dt, nothing is accumulated besides r itself, and what is said to have
  /// acted may be cut at a limit without a windup.
  void update(const Eigen::MatrixXd& M, const Eigen::VectorXd& h, const Eigen::VectorXd& v,
              const Eigen::VectorXd& tau, double dt);

  /// r: the torque on the joints from outside (nv) [N m].
  const Eigen::VectorXd& torque() const { return r_; }
  void state(StateArchive& archive) { archive(first_, r_, h_, v_, M_); }

 private:
  double bandwidth_;
  bool first_ = true;
  Eigen::VectorXd r_, h_, v_, change_, inertia_;  // last two: scratch
  Eigen::MatrixXd M_;
};

}  // namespace handspan
