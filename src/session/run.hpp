#pragma once
// Runs a session for a time on its clock, and says what it was like.
#include <functional>
#include <optional>

#include "session/summary.hpp"

namespace handspan {

struct RunOptions {
  Nanoseconds until = 0;  // of simulated time, from the session's start [ns]
  ClockKind clock = ClockKind::kVirtual;
  double pace = 1.0;        // of simulated time to the wall clock's; below 1: slow motion
  bool to_the_end = false;  // go on when all machines are in final states
  bool goes_on = false;     // likewise, as long as one of these leads on
  /// About four times a second; false: stop here.
  std::function<bool(Nanoseconds now)> progress;
  /// Between any two ticks, in the loop's thread: allocates, locks and throws nothing. false: stop
  /// here.
  std::function<bool(const PacerCounts& counts)> between;
};

/// Ends at `until`, when all machines are in final states (and none of these leads on, as it says),
/// when progress says so, when the plant is the clock and has no more observations, or when
/// everything is simulated and has diverged. A tick's time is without the waiting for it.
RunSummary run_session(Session& session, const RunOptions& options);
/// For a time, on the virtual clock.
RunSummary run_session(Session& session, Nanoseconds until);

}  // namespace handspan
