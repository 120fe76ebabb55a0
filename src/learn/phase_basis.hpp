#pragma once
// Normalised Gaussians over the phase of a movement: what a curve is a weighted sum of.
#include <Eigen/Core>

namespace handspan {

/// Which functions. The default follows a curve to some 1e-5 of its size and its velocity, at the
/// ends too, to 1 %. {n, 0, 0.7} are those of the Python package movement_primitives; they ripple,
/// and the velocity at an end is wrong by up to a half, where a movement does not begin and end at
/// rest.
struct BasisShape {
  int functions = 10;     // n
  int beyond = 2;         // of them this many have their centre before 0, and as many after 1
  double overlap = 0.85;  // of its height, where a function meets one 1/n away; 0 to 1
};

/// phi_i(s) = b_i(u) / sum_j b_j(u) with b_i(u) = exp(-(u - c_i)^2 / (2 h)), n centres c_i evenly
/// from 0 to 1 and h = -1 / (8 n^2 ln(overlap)). The phase s has no unit: 0 is the movement's
/// start, 1 its end; u goes evenly with it, from the centre number `beyond` to the last but
/// `beyond`.
///
/// Before 0 and after 1 each function goes on along its tangent there. So a movement is extended
/// beyond its ends at the velocity that it has there, as reference spreading wants it of what leads
/// to an impact, and the functions still sum up to 1.
class PhaseBasis {
 public:
  /// @throws InputError: fewer than 2 functions from 0 to 1, the ends' included; `beyond` below 0;
  /// an overlap that is not in (0, 1)
  explicit PhaseBasis(const BasisShape& shape);

  int size() const { return static_cast<int>(centers_.size()); }

  /// The functions and their derivatives by the phase, at a finite phase. Allocates nothing.
  /// @param values, slopes (n) out
  void at(double phase, Eigen::Ref<Eigen::VectorXd> values,
          Eigen::Ref<Eigen::VectorXd> slopes) const;

 private:
  Eigen::VectorXd centers_;    // in s
  double per_variance_ = 0.0;  // of s
};

}  // namespace handspan
