#pragma once
// An arm that is pushed at its tool or its elbow while its hand stands: which way it gives way, and
// whether it comes back. Letters: W world, E the tool's tip, P where it is pushed.
#include <string>

#include "study/made_app.hpp"

namespace handspan {

struct PushCaseConfig {
  std::string frame;                // E: "arm.tcp"
  std::string body;                 // that is pushed, at its origin or at E: "arm.link4"
  std::string at;                   // P
  std::string elbow;                // body whose origin is the elbow
  Vector6d F_W = Vector6d::Zero();  // at its strongest [N, N m]
  double stiffness = 400.0;         // of the task in 1/s^2; of a spring it does not matter
};

struct PushFigures {
  double off_model =
      NAN;                // of the tip's largest displacement from J M^-1 J_P^T F / stiffness [rad]
  double off_push = NAN;  // from F; NaN where it is pushed by a torque [rad]
  double moved = 0.0;     // the tip, at most [m]
  double foreseen = 0.0;  // by that model [m]
  double turned = 0.0;    // the tool, at most [rad]
  double elbow = 0.0;     // moved, at most [m]
  double back = 0.0;      // from where the tip began, at the end [m]
};

/// Pushes for 2.5 s in all, and waits until the arm is back.
PushFigures push_arm(Session& session, const PushCaseConfig& config);

}  // namespace handspan
