#pragma once
// The way of least jerk from rest, through points without a stop, to rest: how a hand is moved that
// goes round something or draws (Flash and Hogan 1985, "The coordination of arm movements: an
// experimentally confirmed mathematical model", J. Neurosci. 5: the integral of the squared jerk is
// least, the points are passed, and the times at which they are passed are free too). Between two
// points it is a polynomial of degree 5; at a point position, velocity, acceleration, jerk and snap
// go on, and the fifth derivative jumps. Positions only, in whatever frame the points are given in;
// time x is 0 at the start and 1 at the end, so that derivatives are by x.
#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>

namespace handspan {

class ThroughPoints {
 public:
  /// Points at most, the end among them.
  static constexpr std::size_t kMost = 8;

  /// From the origin through the points to the last one, at the times that make the whole jerk
  /// least: for one point exactly, for more by going over them one after the other a few times. No
  /// part of the way takes less than a hundredth of the time. Allocates and throws nothing.
  /// @param points [m] (1 to kMost)
  void plan(std::span<const Eigen::Vector3d> points);
  /// Passing the points at given times. @param times (points - 1), rising, within 0 to 1
  void plan(std::span<const Eigen::Vector3d> points, std::span<const double> times);

  /// Where it is at x, cut at 0 and 1 [m].
  Eigen::Vector3d at(double x) const;
  /// Its derivative by x [m].
  Eigen::Vector3d rate(double x) const;
  /// The largest norm of rate(), of 100 that are alike apart [m].
  double peak() const;
  /// The integral of the squared third derivative by x over the whole way [m^2].
  double jerk() const;
  std::size_t points() const { return parts_; }
  /// When point i is passed; 1 for the last one.
  double time(std::size_t i) const { return x_[i + 1]; }

  /// The same way under a linear map of its points, passed at the same times.
  ThroughPoints mapped(const Eigen::Matrix3d& A) const;

 private:
  void solve();
  std::size_t part_at(double x) const;
  double slope(std::size_t i) const;
  void place(std::size_t i);

  std::size_t parts_ = 0;
  std::array<double, kMost + 1> x_{};                 // times of start, points and end
  std::array<Eigen::Vector3d, kMost + 1> p_, v_, a_;  // there, with derivatives by x
};

}  // namespace handspan
