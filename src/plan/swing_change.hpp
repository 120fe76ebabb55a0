#pragma once
// A demonstrated swing done otherwise: how far, in which direction, how fast, with which turn of
// the wrist, and when it lets go. W is the world, z up; E the frame that swings.
#include <Eigen/Core>
#include <span>

#include "math/trajectory.hpp"

namespace handspan {

struct SwingChange {
  double scale = 1.0;    // of the way from the first pose, > 0
  double speed = 1.0;    // times as fast, > 0
  double turn = 0.0;     // of its direction, about W's z [rad]; how E lies at the first pose stays
  double release = 0.0;  // it lets go so much later [s]
  double lift = 0.0;     // until then it rises by so much more, as a minimum-jerk motion [m]
  Eigen::Vector3d flick =
      Eigen::Vector3d::Zero();  // an additional turn of E about its origin, a rotation vector in W
                                // [rad]: half of it is done when it lets go
  double flick_time = 0.3;      // that it takes, as a minimum-jerk motion, > 0 [s]
};

/// Changes poses X_WE, the first of which is the start; their times are since it, and are divided
/// by the speed.
/// @param release when E lets go without the change, by those times [s]; of flick and lift only
void change_swing(std::span<TimedPose> poses, const SwingChange& change, double release);

/// When it lets go with the change, if it does at `release` without.
inline double changed_release(const SwingChange& change, double release) {
  return release / change.speed + change.release;
}

}  // namespace handspan
