#pragma once
// When the next tick of a loop on the wall clock is due, and what becomes of late ones.
// With a simulated plant late ticks are caught up back to back, so that simulated
// time keeps up with the clock; more than kMostCaughtUp of them at once are given up: simulated
// time slips. With a real plant, whose time cannot be made up, every late tick slips.
#include <cstdint>
#include <optional>

#include "core/time.hpp"

namespace handspan {

inline constexpr std::int64_t kMostCaughtUp = 50;

struct PacerCounts {
  std::uint64_t overruns = 0;   // ticks that ended after the next one was due
  std::uint64_t caught_up = 0;  // ticks that ran late, back to back
  std::uint64_t slips = 0;      // times that simulated time was let go
  Nanoseconds slipped = 0;      // by how much in all [ns]
};

class Pacer {
 public:
  /// @param period of a tick [ns > 0]
  Pacer(Nanoseconds period, bool simulated) : period_(period), simulated_(simulated) {}

  /// The first tick is due at `now` [ns, of any steady clock].
  void start(Nanoseconds now) { due_ = now; }
  /// After a tick. @return when the next one is due: in the past, it runs at once
  Nanoseconds next(Nanoseconds now);
  const PacerCounts& counts() const { return counts_; }

 private:
  Nanoseconds period_, due_ = 0;
  bool simulated_;
  PacerCounts counts_;
};

/// What was had of what a 1 kHz thread wants.
struct RealTime {
  bool scheduled = false;  // SCHED_FIFO
  bool locked = false;     // memory
};

/// Asks for real-time scheduling and locked memory for the calling thread, and gives both back.
class RealTimeScope {
 public:
  RealTimeScope();
  ~RealTimeScope();
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;
  const RealTime& had() const { return had_; }

 private:
  RealTime had_;
  int policy_ = 0, priority_ = 0;
};

/// Of the steady clock [ns].
Nanoseconds steady_now();
/// Sleeps until the steady clock shows `due` [ns].
void sleep_until(Nanoseconds due);

}  // namespace handspan
