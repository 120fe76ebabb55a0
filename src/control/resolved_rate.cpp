#include "control/resolved_rate.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

// of a limit, rounding
constexpr double kAtLimit = 1.0 - 1e-9;
// of what is wanted, that a singular pose takes before it is said to bind
constexpr double kReached = 0.9;
// a command that is farther ahead of its joint goes slower away from it, and no farther than the
// second: something is in the joint's way [rad]
constexpr double kAheadSlow = 0.01, kAheadMost = 0.04;

}  // namespace

ResolvedRate::ResolvedRate(const Mechanism& mechanism, Eigen::Index rows)
    : mechanism_(&mechanism), modes_(std::max<Eigen::Index>(1, rows)) {
  const auto n = static_cast<Eigen::Index>(mechanism.actuated.size());
  for (const JointLimits& limits : mechanism.limits) viability_.emplace_back(limits);
  G_ = Rows::Zero(rows, rows);
  AtU_ = Eigen::MatrixXd::Zero(n, rows);
  W_ = c_ = Eigen::VectorXd::Zero(rows);
  task_ = null_ = lower_ = upper_ = a_ = next_lower_ = next_upper_ = wanted_ =
      Eigen::VectorXd::Zero(n);
}

void ResolvedRate::solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& V,
                         const Eigen::VectorXd& v_posture, const RateDamping& damping) {
  task_.setZero();
  null_ = v_posture;
  reached_ = 1.0;
  if (A.rows() == 0) return;
  G_.noalias() = A.lazyProduct(A.transpose());
  modes_.compute(G_);
  const Rows& U = modes_.eigenvectors();
  AtU_.noalias() = A.transpose().lazyProduct(U);
  const auto damped = [&](const Eigen::VectorXd& rows, Eigen::VectorXd& rates, double sign) {
    c_.noalias() = U.transpose().lazyProduct(rows);
    for (Eigen::Index i = 0; i < c_.size(); ++i) {
      const double squared = std::max(0.0, modes_.eigenvalues()[i]);
      const double share = squared / (damping.singular * damping.singular);
      const double lambda = share < 1.0 ? damping.most * damping.most * (1.0 - share) : 0.0;
      c_[i] *= sign / std::max(1e-12, squared + lambda);
    }
    rates.noalias() += AtU_.lazyProduct(c_);
  };
  damped(V, task_, 1.0);
  W_.noalias() = A.lazyProduct(v_posture);
  damped(W_, null_, -1.0);
  const double wanted = V.squaredNorm();
  W_.noalias() = A.lazyProduct(task_);
  if (wanted > 0.0) reached_ = std::clamp(V.dot(W_) / wanted, 0.0, 1.0);
}

// What of the rows' velocities fits the joints' limits as a whole, and then of the nullspace's.
void ResolvedRate::shrink() {
  share_ = 1.0;
  bound_ = WayBound::kNone;
  joint_ = -1;
  double rest = 1.0;
  for (Eigen::Index k = 0; k < task_.size(); ++k) {
    const double most = task_[k] > 0.0 ? upper_[k] : -lower_[k], rate = std::abs(task_[k]);
    if (!(rate * share_ > most)) continue;
    share_ = most / rate;
    joint_ = static_cast<int>(k);
    bound_ = most < kAtLimit * mechanism_->limits[static_cast<std::size_t>(k)].velocity
                 ? WayBound::kEnd
                 : WayBound::kSpeed;
  }
  for (Eigen::Index k = 0; k < task_.size(); ++k) {
    const double x = share_ * task_[k], add = null_[k];
    if (add > 0.0 && x + add > upper_[k]) rest = std::min(rest, std::max(0.0, upper_[k] - x) / add);
    if (add < 0.0 && x + add < lower_[k]) rest = std::min(rest, std::min(0.0, lower_[k] - x) / add);
  }
  wanted_ = share_ * task_ + rest * null_;
  if (bound_ == WayBound::kNone && reached_ < kReached) bound_ = WayBound::kSingular;
  share_ *= reached_;
}

const Eigen::VectorXd& ResolvedRate::accelerations(const Eigen::VectorXd& q,
                                                   const Eigen::VectorXd& v,
                                                   const Eigen::VectorXd& ahead, double dt) {
  const auto slower = [](double ahead_by) {
    return std::clamp((kAheadMost - ahead_by) / (kAheadMost - kAheadSlow), 0.0, 1.0);
  };
  for (Eigen::Index k = 0; k < task_.size(); ++k) {
    const auto j = static_cast<std::size_t>(k);
    const double now = v[mechanism_->actuated[j]], at = q[mechanism_->actuated_q[j]];
    const JointLimits& limits = mechanism_->limits[j];
    const AccelerationBox box = viability_[j].box(at, now, dt);
    next_lower_[k] = now + dt * box.lower;
    next_upper_[k] = now + dt * box.upper;
    upper_[k] = std::max(0.0, viability_[j].upper_velocity(at)) * slower(ahead[k]);
    lower_[k] = std::min(0.0, viability_[j].lower_velocity(at)) * slower(-ahead[k]);
    // where not its acceleration but what lies ahead bounds it, in this tick already
    if (box.upper < kAtLimit * limits.acceleration)
      upper_[k] = std::min(upper_[k], std::max(0.0, next_upper_[k]));
    if (box.lower > -kAtLimit * limits.acceleration)
      lower_[k] = std::max(lower_[k], std::min(0.0, next_lower_[k]));
  }
  shrink();
  double step = 1.0;
  for (Eigen::Index k = 0; k < task_.size(); ++k) {
    const double now = v[mechanism_->actuated[static_cast<std::size_t>(k)]],
                 change = wanted_[k] - now;
    if (now + change > next_upper_[k] && change > 0.0)
      step = std::min(step, std::max(0.0, next_upper_[k] - now) / change);
    if (now + change < next_lower_[k] && change < 0.0)
      step = std::min(step, std::min(0.0, next_lower_[k] - now) / change);
  }
  for (Eigen::Index k = 0; k < task_.size(); ++k) {
    const double now = v[mechanism_->actuated[static_cast<std::size_t>(k)]];
    const double next = std::clamp(now + step * (wanted_[k] - now), next_lower_[k], next_upper_[k]);
    a_[k] = (next - now) / dt;
  }
  return a_;
}

}  // namespace handspan
