#pragma once
// Normalised Gaussians over the phase of a movement: what a curve is a weighted sum of.
#include <Eigen/Core>

namespace handspan {

/// phi_i(s) = b_i(s) / sum_j b_j(s) with b_i(s) = exp(-(s - c_i)^2 / (2 h)), centres c_i evenly from
/// 0 to 1, and h = -1 / (8 n^2 ln 0.7): neighbours meet at 0.7 of their height (as in the Python
/// package movement_primitives). The phase s has no unit: 0 is the movement's start, 1 its end.
///
/// Before 0 and after 1 each function goes on along its tangent there. So a movement is extended
/// beyond its ends at the velocity that it has there, as reference spreading wants it of what leads
/// to an impact, and the functions still sum up to 1.
class PhaseBasis {
 public:
  /// @param functions n, at least 2. @throws InputError when there are fewer
  explicit PhaseBasis(int functions);

  int size() const { return static_cast<int>(centers_.size()); }

  /// The functions and their derivatives by the phase, at a finite phase. Allocates nothing.
  /// @param values, slopes (n) out
  void at(double phase, Eigen::Ref<Eigen::VectorXd> values,
          Eigen::Ref<Eigen::VectorXd> slopes) const;

 private:
  Eigen::VectorXd centers_;
  double width_ = 0.0;  // h, a variance
};

}  // namespace handspan
