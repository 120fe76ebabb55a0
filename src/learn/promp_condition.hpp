#pragma once
// A movement primitive that is told more: where it has to pass, or what it is for.
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "learn/promp.hpp"

namespace handspan {

/// Where some dimensions have to be at a phase.
struct ViaPoint {
  double phase = 1.0;
  std::vector<int> dimensions;  // which; empty: all, in their order
  Eigen::VectorXd position;     // of those [u]
  Eigen::MatrixXd covariance;   // of those [u^2]; empty: exactly there
};

/// The movement given that it passes a point (P18, eq. 12 and 13):
///   K = S H^T (S_y + H S H^T)^-1,   mean' = mean + K (y - H mean),   S' = S - K H S
/// with S the covariance of (w, c) and H the basis at that phase. The context learns from it too.
/// @throws InputError: sizes that do not match, a dimension that there is not or that is named
/// twice, numbers that are not finite, a covariance that is none, a point whose covariance and the
/// movement's own are singular together
Promp conditioned(const Promp& promp, const ViaPoint& via);

/// The movement given its context, whose numbers are known up to a covariance (empty: exactly). The
/// result has no context any more; `freedom` and `prediction` are those of a linear regression on
/// the context when it is known exactly.
/// @throws InputError as above, and for a movement without context
Promp conditioned_on_context(const Promp& promp, const Eigen::VectorXd& context,
                             const Eigen::MatrixXd& covariance = Eigen::MatrixXd());

/// Weights at random: equal streams give equal bits.
class PrompSampler {
 public:
  /// @throws InputError when the covariance of the weights is not one
  explicit PrompSampler(const Promp& promp);

  /// Weights w, drawn from N(mean, covariance) (D weights).
  Eigen::VectorXd draw(RandomStream& random) const;

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd root_;  // root_ root_^T is the covariance
};

/// Whether a matrix is finite, symmetric (to 1e-9 of its largest number) and has no eigenvalue
/// below -1e-9 of its largest: "" when it is, else what is wrong, to be said of it ("is not
/// symmetric: ...").
std::string covariance_fault(const Eigen::MatrixXd& matrix);

}  // namespace handspan
