#pragma once
// A demonstrated toss adapted to another box and to a target that moves: a few trials in which the
// cup does not let go show what the box does under it, servo lag and bellows included; from there
// flight, impact and rest are predicted by rigid time stepping. W is the world, z up; B the box; T
// the target, the middle of its floor with z up, which travels without turning.
#include <cstdint>
#include <vector>

#include "plan/swing_change.hpp"
#include "skills/toss/rigid_toss.hpp"

namespace handspan {

/// What is tossed, into what.
struct TossTask {
  RigidBox box;
  /// Of the target, with their poses in T; their velocity is the target's.
  std::vector<RigidSurface> surfaces;
  ImpactLaw floor;          // of the box on T's floor
  double max_tilt = 0.524;  // of the box's z axis at rest, of a good toss [rad]
};

/// How the toss is done: the swing's change, and when the target sets out.
struct TossPlan {
  SwingChange swing;
  double target_later = 0.0;  // [s]
};

/// What may be changed, and how much of it counts as much as one unit of what is wanted: 0: it
/// stays as it is.
struct TossFreedom {
  double scale = 0.0, speed = 0.0;
  double turn = 0.0;                                // [rad]
  double release = 0.0;                             // [s]
  double lift = 0.0;                                // [m]
  Eigen::Vector3d flick = Eigen::Vector3d::Zero();  // [rad]
  double target_later = 0.0;                        // [s]
};

/// A trial of a plan in which the cup held the box all the time.
struct HeldSwing {
  struct Sample {
    double time = 0.0;  // [s]
    RigidState box;
    Eigen::Vector3d p_WE = Eigen::Vector3d::Zero();  // of the cup, about which a flick turns [m]
    Pose X_WT;
  };
  TossPlan plan;
  double release = 0.0;  // when it would have let go of it [s]
  double delay = 0.0;    // from the command until it does, in that [s]
  std::vector<Sample> samples;
};

/// What becomes of a toss.
struct TossForecast {
  RigidState release;  // the box when it is let go
  Pose X_WT;           // the target then
  Eigen::Vector3d v_WT = Eigen::Vector3d::Zero();
  TossResult toss;                                  // times are from the release
  Eigen::Vector3d off_T = Eigen::Vector3d::Zero();  // of the box's origin at rest, in T [m]
};

/// Where the box is let go with another plan than the trial's, as the trial and the geometry of the
/// change have it. @throws InputError when that is before or after what the trial has seen
TossForecast at_release(const HeldSwing& trial, const TossPlan& plan);

/// ... and what becomes of it on an endless floor.
TossForecast forecast(const TossTask& task, const HeldSwing& trial, const TossPlan& plan);

/// What an aim is for, besides which numbers are free.
struct TossAimOptions {
  Eigen::Vector2d off_T = Eigen::Vector2d::Zero();  // where the forecast is to rest [m]
  /// Weight of the change from the trial's plan, in units of the freedom: a forecast is worth less
  /// the farther it is from what was tried.
  double near = 0.0;
};

struct TossAim {
  TossPlan plan;
  TossForecast forecast;
  double cost = 0.0;  // half the sum of squares of what is wanted and how much is changed
};

/// The plan whose forecast rests in the target's middle, meets its floor flat and at its velocity,
/// with little change of the demonstration: least squares by Levenberg and Marquardt.
/// It meets the floor slowly, and is let go at least 2 cm above the target's walls. Units of what
/// is wanted: 5 cm beside the middle, 0.5 m/s along the floor and 1 m/s onto it, 0.15 rad, 3 rad/s.
/// @throws InputError as at_release() at the trial's own plan
TossAim aim_toss(const TossTask& task, const HeldSwing& trial, const TossFreedom& freedom,
                 const TossAimOptions& options = {});

/// Standard deviations of what differs from toss to toss.
struct TossSpread {
  double release = 0.0;                                // [s]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // of the box under the cup, in W [m]
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();      // the same, a rotation vector in W [rad]
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();      // when it is let go, in W [rad/s]
  double target = 0.0;                                 // along its way [m]
  double restitution = 0.0;                            // of the impacts
};

/// Share of n tosses with this spread that come to rest in the target, with its walls, their z axis
/// up. A function of its arguments alone.
double forecast_success(const TossTask& task, const HeldSwing& trial, const TossPlan& plan,
                        const TossSpread& spread, int n, std::uint64_t seed);

}  // namespace handspan
