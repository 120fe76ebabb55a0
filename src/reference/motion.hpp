#pragma once
// What references and those who move them say to one another in a tick: the moment, a motion, the
// axes that somebody has a say in.
#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string_view>

#include "control/frame_task.hpp"
#include "core/state_archive.hpp"
#include "plant/plant.hpp"
#include "reference/event.hpp"

namespace handspan {

/// The tick that a source is asked in.
struct Moment {
  std::int64_t tick = 0;
  Nanoseconds now = 0;  // of the tick [ns]
  double dt = 0.001;    // since the last tick [s]
  const Observation* observation = nullptr;
  EventList* events = nullptr;  // where to say what a person should know; null: nobody reads it
};

/// Kinds of references, and of what sources ask for. More kinds register by a name of their own
/// (reference.hpp).
inline constexpr std::string_view kPoseKind = "pose", kJointsKind = "joints",
                                  kWrenchKind = "wrench", kTwistKind = "twist";

/// What a source asks for, or what a reference is. Which members count depends on the kind: of
/// "pose" the pose with its twist and acceleration, of "twist" the pose's V_WE alone, of "joints"
/// q, v and a, of "wrench" the wrench. A kind from elsewhere uses what suits it: numbers of any
/// meaning q.
struct Motion {
  PoseReference pose;       // of a frame E in W
  Eigen::VectorXd q, v, a;  // of joints [rad, rad/s, rad/s^2]
  Vector6d wrench =
      Vector6d::Zero();  // of a loop closure, on its b at b's origin, in b's axes [N, N m]
  void state(StateArchive& archive) { archive(pose, q, v, a, wrench); }
};

/// The axes of W (a wrench: of b) along and about which a source has a say; joints: the first
/// counts for all.
using Axes = std::array<bool, 6>;
inline constexpr Axes kAllAxes = {true, true, true, true, true, true};

}  // namespace handspan
