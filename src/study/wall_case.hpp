#pragma once
// A hand that goes into something that does not let it: how hard the arm of the plant presses, how
// far its tool slips, what is said. Letters: W world, E the tool's tip, B the body that it touches.
#include <optional>
#include <string>

#include "study/made_app.hpp"

namespace handspan {

struct WallCaseConfig {
  std::string frame;                                 // of the tip: "arm.tcp"
  std::string obstacle;                              // bodies whose name begins so
  Eigen::Vector3d along = Eigen::Vector3d::UnitX();  // the hand's way, unit
  double depth = 0.1;               // of the hand beyond where the tool touches [m]
  double speed = 0.2;               // of the hand [m/s]
  std::optional<double> max_force;  // with which it stops [N]
  double stiffness = 100.0;         // with which the arm is pulled to its reference [1/s^2]
  double leash = 0.15;              // [m]
};

struct WallFigures {
  double force = 0.0;  // largest mean over kForceWindow, of the contacts [N]
  double press = 0.0;  // likewise, without 0.3 s after a stop for its force; without max_force
                       // without 0.2 s after it touched [N]
  double says = 0.0;   // n^T (J M^-1 J^T)^-1 stiffness leash n, where it touched [N]
  double slip = 0.0;   // of the tip across the way, as B has it [m]
  double distance = 0.0, angle = 0.0;  // of the reference from the tip, at most [m, rad]
  double dropped = 0.0;                // of what the hand was ahead [m]
  double named = NAN;                  // beyond max_force: 1: a hold named the force
  int missed = 0;                      // events that should have come and did not
  int watched = 0;                     // stops by the watch
};

/// Moves the session's hand from where it is until the tool touches, on to its depth, and stays.
/// @throws InputError when it touches nothing
WallFigures press_wall(Session& session, const WallCaseConfig& config);

}  // namespace handspan
