#include "session/run.hpp"

#include <optional>

namespace handspan {

RunSummary run_session(Session& session, const RunOptions& options) {
  Summariser summariser(session);
  session.watch(summariser);
  Pacer pacer(session.base_period(), session.simulation() != nullptr);
  TickTimes ticks;
  const bool wall = options.clock == ClockKind::kWall;
  std::optional<RealTimeScope> real_time;
  if (wall) real_time.emplace();
  const Nanoseconds start = steady_now();
  pacer.start(start);
  Nanoseconds shown = start;
  while (session.now() < options.until && (options.to_the_end || !session.ended())) {
    if (options.clock == ClockKind::kPlant && !session.plant().wait()) break;
    const Nanoseconds before = steady_now();
    session.tick();
    Nanoseconds after = steady_now();
    ticks.add(seconds(after - before));
    if (options.progress && after - shown > kSecond / 4) {
      if (!options.progress(session.now())) break;
      shown = after = steady_now();
    }
    if (options.between && !options.between(pacer.counts())) break;
    if (wall) {
      const Nanoseconds due = pacer.next(after);
      if (due > after) sleep_until(due);
    }
  }
  RunSummary summary = summariser.summary(session);
  session.unwatch(summariser);
  session.finish();
  summary.wall = seconds(steady_now() - start);
  summary.tick_p50 = ticks.quantile(0.5);
  summary.tick_p99 = ticks.quantile(0.99);
  summary.tick_max = ticks.longest();
  summary.control_p50 = session.control_times().quantile(0.5);
  summary.control_p99 = session.control_times().quantile(0.99);
  summary.on_wall_clock = wall;
  summary.pacer = pacer.counts();
  if (real_time) summary.real_time_thread = real_time->had();
  return summary;
}

RunSummary run_session(Session& session, Nanoseconds until) {
  RunOptions options;
  options.until = until;
  return run_session(session, options);
}

}  // namespace handspan
