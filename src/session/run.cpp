#include "session/run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plant/world.hpp"

namespace handspan {

// One function, since it is the loop of a run with all that may end it.
RunSummary run_session(Session& session, const RunOptions& options) {
  Summariser summariser(session);
  session.watch(summariser);
  Pacer pacer(std::llround(static_cast<double>(session.base_period()) / options.pace),
              session.plant().simulated());
  TickTimes ticks, behind;
  Nanoseconds behind_end = 0;
  const bool wall = options.clock == ClockKind::kWall;
  // a simulation has no time of its own
  const bool waits = options.clock == ClockKind::kPlant && session.plants() != nullptr &&
                     session.plants()->has_clock();
  std::optional<RealTimeScope> real_time;
  if (wall || waits) real_time.emplace();
  session.take_answers_as_they_come(wall || waits);
  bool plant_ended = false;
  const Nanoseconds start = steady_now();
  pacer.start(start);
  Nanoseconds shown = start;
  const auto ended = [&] {
    return !options.to_the_end && (options.goes_on ? session.over() : session.ended());
  };
  while (session.now() < options.until && !ended()) {
    session.await_answers();
    const Nanoseconds before = steady_now();
    Nanoseconds waited = 0;
    const bool writes = session.now() % session.plant().layout().period == 0;
    session.act();
    if (waits && writes) {
      const Nanoseconds since = steady_now();
      plant_ended = !session.plant().wait();
      waited = steady_now() - since;
    }
    // also after the last one: what was done in this tick is recorded
    session.observe();
    Nanoseconds after = steady_now();
    ticks.add(seconds(after - before - waited));
    // real arms go on being held
    if (plant_ended ||
        (diverged(session.world()) && session.plant().simulated() && !options.to_the_end))
      break;
    if (options.progress && after - shown > kSecond / 4) {
      if (!options.progress(session.now())) break;
      shown = after = steady_now();
    }
    if (options.between && !options.between(pacer.counts())) break;
    if (wall) {
      const Nanoseconds due = pacer.next(after);
      behind_end = std::max<Nanoseconds>(0, after - due);
      behind.add(seconds(behind_end));
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
  summary.on_plant_clock = waits;
  summary.plant_ended = plant_ended;
  summary.pacer = pacer.counts();
  summary.behind_p50 = behind.quantile(0.5);
  summary.behind_p999 = behind.quantile(0.999);
  summary.behind_max = behind.longest();
  summary.behind_end = seconds(behind_end);
  if (real_time) summary.real_time_thread = real_time->had();
  return summary;
}

RunSummary run_session(Session& session, Nanoseconds until) {
  RunOptions options;
  options.until = until;
  return run_session(session, options);
}

}  // namespace handspan
