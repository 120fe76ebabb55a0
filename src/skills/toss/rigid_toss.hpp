#pragma once
// A toss by rigid time stepping: from a state in flight to rest. Letters as in rigid_model.hpp.
#include <limits>
#include <vector>

#include "contact/rigid_stepping.hpp"

namespace handspan {

struct TossOptions {
  double longest = 5.0;         // [s]
  double still_speed = 1e-3;    // of C against the surface [m/s]
  double still_turn = 1e-2;     // [rad/s]
  double still_for = 0.1;       // [s]
  double deepest_start = 1e-3;  // that the box may start deep in a surface [m]
  double sample_period = 0.0;   // of the trajectory [s], rounded to whole steps; 0: every step
};

struct TossSample {
  double time;  // [s]
  RigidState state;
};

struct TossResult {
  RigidState end;
  double time = 0.0;     // of `end`: first of the still ones when at rest [s]
  bool at_rest = false;  // else it still moved at the end
  int surface = -1;      // that it rests on, against which it is still
  double first_impact = std::numeric_limits<double>::infinity();  // [s]
  double impact_tilt = 0.0;  // at it: between the box's axis nearest the surface's normal and that
                             // normal [rad]
  RigidState before_impact;  // at the start of the step of the first impact
};

/// Steps from `start` until the box is still against a surface that it touches (a belt's skin, a
/// travelling tray), or for options.longest. Equal inputs give equal bits. Allocates only for the
/// trajectory.
/// @param data a workspace; afterwards it is at the end of what was stepped
/// @param trajectory when given, samples from the start on are appended
/// @throws InputError for a state that is none, one that starts deeper in a surface than
/// options.deepest_start, or options that are not > 0 (sample_period: >= 0)
TossResult toss(const RigidModel& model, RigidData& data, const RigidState& start,
                const TossOptions& options = {}, std::vector<TossSample>* trajectory = nullptr);

}  // namespace handspan
