#pragma once
// A session as the station runs it: with a tap for those who look on and a gate for recorders.
#include "session/session.hpp"
#include "station/loop_tap.hpp"
#include "station/recording.hpp"

namespace handspan {

class LiveLoop {
 public:
  /// @param app outlives this  @param parameters that have another value than the app's
  /// @throws as Session
  explicit LiveLoop(const App& app, ParameterValues parameters = {})
      : session(app,
                SessionOptions{nullptr, nullptr, nullptr, true, true, {}, std::move(parameters)}),
        gate(session),
        tap(session) {}

  /// The loop's thread, between ticks; nothing allocates, locks or throws.
  void between_ticks(const PacerCounts& counts) noexcept {
    tap.set_pacer(counts);
    gate.between_ticks(session);
  }

  Session session;
  RecorderGate gate;
  LoopTap tap;
};

}  // namespace handspan
