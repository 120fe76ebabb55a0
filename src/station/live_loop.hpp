#pragma once
// A session as the station runs it: with a tap for those who look on, a gate for recorders, and a
// switch between the scripted person and one at a page.
#include <atomic>

#include "session/session.hpp"
#include "station/loop_tap.hpp"
#include "station/recording.hpp"

namespace handspan {

class LiveLoop {
 public:
  /// @param app outlives this. @throws as Session
  explicit LiveLoop(const App& app)
      : session(app, SessionOptions{nullptr, nullptr, nullptr, true, true}),
        gate(session),
        tap(session) {}

  /// From any thread: whether devices that live in the loop are asked, from the next tick on.
  void set_scripted(bool scripted) { scripted_.store(scripted, std::memory_order_relaxed); }
  bool scripted() const { return scripted_.load(std::memory_order_relaxed); }

  /// The loop's thread, between ticks; nothing allocates, locks or throws.
  void between_ticks(const PacerCounts& counts) noexcept {
    tap.set_pacer(counts);
    for (std::size_t d = 0; d < session.devices().size(); ++d) session.set_scripted(d, scripted());
    gate.between_ticks(session);
  }

  Session session;
  RecorderGate gate;
  LoopTap tap;

 private:
  std::atomic<bool> scripted_{true};
};

}  // namespace handspan
