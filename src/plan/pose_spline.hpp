#pragma once
// Poses over time as one smooth curve: a cumulative cubic B-spline with equally spaced knots (Kim,
// Kim and Shin, "A general construction scheme for unit quaternion curves with simple high order
// derivatives", SIGGRAPH 1995, eq. 4 and 5; the derivatives by the recursion of Sommer et al.,
// "Efficient derivative computation for cumulative B-splines on Lie groups", CVPR 2020, eq. 23 and
// 25). Position and orientation are two curves with the same knots. Pose, velocity and acceleration
// are continuous, and velocity and acceleration are exactly the pose's derivatives. W is the world,
// E the frame that moves.
#include <vector>

#include "math/trajectory.hpp"

namespace handspan {

class PoseSpline {
 public:
  /// Of what is known at some times. The curve begins and ends exactly where `poses` does, at its
  /// velocity there. Between the ends each control pose is the mean of `poses` over the spacing
  /// around its knot, so that noise that is faster than the spacing is averaged out. A motion with
  /// the acceleration a [m/s^2] is left by at most 5/24 spacing^2 a [m], of turns alike.
  /// @param poses two at least, over some time  @param spacing of the knots, at most [s], > 0
  /// @throws InputError: `poses` is of one instant, or the spacing is not > 0
  PoseSpline(const PoseTrajectory& poses, double spacing);

  double start() const { return start_; }  // [s]
  double end() const { return end_; }      // [s]
  double spacing() const { return h_; }    // [s]

  /// Where E is at a time [s], and how it moves. Before the start and from the end on it is at rest
  /// there. Allocates nothing.
  PoseTrajectory::State at(double t) const;

 private:
  struct Control {
    Eigen::Vector3d p;
    Eigen::Quaterniond q;
    Eigen::Vector3d turn;  // from the control pose before, in its axes [rad]
  };

  double start_ = 0.0, end_ = 0.0, h_ = 0.0;
  std::vector<Control> controls_;  // of the knots -1 ... n + 1
};

}  // namespace handspan
