#pragma once
// A rising map from one time to another, by which a motion is made slower in one part and faster in
// another.
#include <cstddef>
#include <vector>

namespace handspan {

/// That the motion is at `from` [s] comes at `to` [s].
struct WarpPoint {
  double from = 0.0, to = 0.0;
};

/// The monotone cubic through the points (Fritsch and Carlson, "Monotone piecewise cubic
/// interpolation", SIAM J. Numer. Anal. 1980, with the slopes of Fritsch and Butland, "A method for
/// constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 1984, eq.
/// 4): it rises everywhere, and its slope is continuous. Before the first point and after the last
/// one it goes on at the slope that it has there.
class TimeWarp {
 public:
  /// @throws InputError: fewer than two points, or one whose times are not finite and later than
  /// those of the one before
  explicit TimeWarp(std::vector<WarpPoint> points);

  /// When what was at `from` comes [s].
  double at(double from) const;

 private:
  std::vector<WarpPoint> points_;
  std::vector<double> slopes_;  // at the points
};

}  // namespace handspan
