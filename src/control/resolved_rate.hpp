#pragma once
// Resolved motion rate control of one arm (Whitney 1969): joint velocities that give frames the
// velocities that are wanted, by a damped inverse of the Jacobian (Nakamura and Hanafusa 1986;
// damped along nearly singular directions only: Maciejewski and Klein 1988),
//   v = v_p + A^# (V - A v_p),  A^# = A^T U diag(1 / (sigma_i^2 + lambda_i^2)) U^T,
//   lambda_i^2 = lambda^2 (1 - (sigma_i / epsilon)^2) for sigma_i < epsilon, else 0,
// with A A^T = U diag(sigma_i^2) U^T and v_p what a posture wants of the joints, of which the rows
// leave what lies in their nullspace. n: actuated joints; m: rows.
//
// Where a joint's limits bind, A^# V shrinks as a whole, so that frames keep to their way, and the
// nullspace motion by itself. Accelerations bound the change from one velocity to the next, along a
// straight line between both. Last of all each joint keeps to its own viable velocities
// (viability.hpp), so that limits hold whatever is asked.
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <span>
#include <string_view>
#include <vector>

#include "control/direction.hpp"
#include "control/system.hpp"
#include "control/viability.hpp"

namespace handspan {

/// Rows of one arm's frames, at most: four whole frames. With a bound the decomposition's scratch
/// is on the stack.
inline constexpr int kMostRateRows = 24;

struct RateDamping {
  double singular = 0.05;  // epsilon: singular values below it are damped [m and rad]
  double most = 0.05;      // lambda, at a singular pose [m and rad]
};

class ResolvedRate {
 public:
  /// @param mechanism outlives this  @param rows that solve() is given, kMostRateRows at most
  ResolvedRate(const Mechanism& mechanism, Eigen::Index rows);

  // in a tick; nothing allocates, locks or throws

  /// @param A (m, n)  @param V (m) wanted [the rows' units]  @param v_posture (n) [rad/s]
  void solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& V, const Eigen::VectorXd& v_posture,
             const RateDamping& damping);
  /// The accelerations that the joints are to have over the next dt [s], of what was solved.
  /// @param q, v of the mechanism (nq), (nv)  @param ahead how far each joint's command is ahead of
  /// where the joint is, beyond what its servo explains (n) [rad]
  const Eigen::VectorXd& accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                       const Eigen::VectorXd& ahead, double dt);

  /// A^# V and the nullspace part, before limits (n) [rad/s].
  const Eigen::VectorXd& task_rates() const { return task_; }
  const Eigen::VectorXd& null_rates() const { return null_; }
  /// Of what the rows want, that limits and singular poses leave [0 ... 1], and what binds: the
  /// joint of Mechanism::actuated, -1: none.
  double share() const { return share_; }
  WayBound bound() const { return bound_; }
  int joint() const { return joint_; }
  void state(StateArchive& archive) { archive(share_, bound_, joint_); }

 private:
  void shrink();

  const Mechanism* mechanism_;
  std::vector<JointViability> viability_;
  using Rows =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostRateRows, kMostRateRows>;
  Rows G_;
  Eigen::MatrixXd AtU_;                               // A A^T; A^T U (n, m)
  Eigen::VectorXd W_, c_;                             // V - A v_p and what becomes of it (m)
  Eigen::VectorXd task_, null_, lower_, upper_, a_;   // (n)
  Eigen::VectorXd next_lower_, next_upper_, wanted_;  // (n)
  Eigen::SelfAdjointEigenSolver<Rows> modes_;
  double reached_ = 1.0;  // of V along itself, that A^# V gives
  double share_ = 1.0;
  WayBound bound_ = WayBound::kNone;
  int joint_ = -1;
};

}  // namespace handspan
