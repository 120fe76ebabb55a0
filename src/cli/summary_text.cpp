#include "cli/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

constexpr ConstraintKind kRelaxable[] = {ConstraintKind::kTorque, ConstraintKind::kJointBox,
                                         ConstraintKind::kCollision, ConstraintKind::kCartesian,
                                         ConstraintKind::kJerk};
constexpr double kDegree = 180.0 / M_PI;

std::uint64_t times(const std::vector<PutBack>& put_back) {
  std::uint64_t n = 0;
  for (const auto& p : put_back) n += p.count;
  return n;
}

nlohmann::ordered_json to_json(const ControlSummary& c) {
  nlohmann::ordered_json kinds, conflicts = nlohmann::ordered_json::array();
  for (const ConstraintKind kind : kRelaxable)
    kinds[name_of(kind)] = c.counts.by_kind[static_cast<std::size_t>(kind)];
  for (const auto& entry : c.conflicts)
    conflicts.push_back(
        {{"name", entry.name}, {"count", entry.count}, {"first_tick", entry.first_tick}});
  return {{"ticks", c.counts.ticks},
          {"relaxed", c.counts.relaxed},
          {"relaxed_by_kind", kinds},
          {"failed", c.counts.failed},
          {"empty_boxes", c.counts.empty_boxes},
          {"outside_boxes", c.counts.outside_boxes},
          {"rejected_references", c.rejected_references},
          {"not_finite_measurements", c.not_finite},
          {"goals", c.goals},
          {"conflicts", conflicts},
          {"conflicts_passed_over", c.conflicts_passed_over}};
}

nlohmann::ordered_json to_json(const TrackingSummary& t) {
  return {{"task", t.task},
          {"of", t.kind},
          {"ticks", t.ticks},
          {"position", {{"rms", t.position_rms}, {"max", t.position_max}}},
          {"angle", {{"rms", t.angle_rms}, {"max", t.angle_max}}},
          {"lag", {{"rms", t.lag_rms}, {"max", t.lag_max}}},
          {"lag_angle", {{"rms", t.lag_angle_rms}, {"max", t.lag_angle_max}}},
          {"holds", t.holds},
          {"held", t.held},
          {"dropped", {{"position", t.dropped}, {"angle", t.dropped_angle}}}};
}

void print_control(const ControlSummary& c) {
  const auto share = [&](std::uint64_t n) {
    return 100.0 * static_cast<double>(n) /
           static_cast<double>(std::max<std::uint64_t>(1, c.counts.ticks));
  };
  fmt::print("control: limits given up in {:.3f} % of ticks (", share(c.counts.relaxed));
  for (const ConstraintKind kind : kRelaxable)
    fmt::print("{}{} {:.3f} %", kind == kRelaxable[0] ? "" : ", ", name_of(kind),
               share(c.counts.by_kind[static_cast<std::size_t>(kind)]));
  fmt::print("; jerk alone does not count), {} failed, {} empty boxes\n", c.counts.failed,
             c.counts.empty_boxes);
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(kShown, c.conflicts.size()); ++i)
    fmt::print("  {:>6} x {}\n", c.conflicts[i].count, c.conflicts[i].name);
  if (c.conflicts.size() > kShown)
    fmt::print("  and {} conflicts more; --json has them\n", c.conflicts.size() - kShown);
}

nlohmann::ordered_json to_json(const CommandFaults& faults) {
  return {{"not_finite", faults.not_finite},
          {"clamped", faults.clamped},
          {"rate_limited", faults.rate_limited}};
}

nlohmann::ordered_json to_json(const ArmWatchSummary& w) {
  return {{"group", w.group},
          {"stops",
           {{"deviation", w.deviations},
            {"speed", w.overspeeds},
            {"beyond_stop", w.beyond_stops},
            {"silence", w.silences},
            {"force", w.forces}}},
          {"speed_jumps", w.jumps},
          {"force_peaks", w.peaks},
          {"not_finite", w.not_finite},
          {"worst_deviation", w.worst_deviation},
          {"worst_speed", w.worst_speed},
          {"worst_beyond_stop", w.worst_beyond},
          {"worst_force", w.worst_force}};
}

nlohmann::ordered_json to_json(const UnreachedSummary& u) {
  return {{"task", u.task},         {"times", u.times}, {"time", u.time},
          {"distance", u.distance}, {"angle", u.angle}, {"last", u.last}};
}

// what was measured that nobody asked for, and what could not be reached; nothing of what is well
void print_watch(const RunSummary& s) {
  for (const auto& w : s.watch) {
    const auto group = std::ranges::find(s.groups, w.group, &GroupSummary::name);
    const bool slides = group != s.groups.end() && group->slides;
    const double unit = slides ? 1e3 : kDegree;
    const char* name = slides ? "mm" : "deg";
    if (w.stops() + w.jumps + w.peaks > 0)
      fmt::print(
          "watch {}: stopped {} times (deviation {}, speed {}, beyond a stop {}, silence {}, force "
          "{}); {} jumps of speed, {} peaks of force; worst: {:.1f} {} from its command, {:.2f} x "
          "its speed, {:.1f} {} beyond a stop, {:.0f} N\n",
          w.group, w.stops(), w.deviations, w.overspeeds, w.beyond_stops, w.silences, w.forces,
          w.jumps, w.peaks, unit * w.worst_deviation, name, w.worst_speed, unit * w.worst_beyond,
          name, w.worst_force);
  }
  for (const auto& u : s.unreached)
    if (u.times > 0)
      fmt::print("{} was not reached {} times, {:.2f} s, up to {:.0f} mm and {:.0f} deg: {}\n",
                 u.task, u.times, u.time, 1e3 * u.distance, kDegree * u.angle, u.last);
}

void print_groups(const RunSummary& s) {
  fmt::print("{:<24} {:>16} {:>16} {:>12} {:>16} {:>16}\n", "group", "moved", "speed", "effort [%]",
             "room to q [%]", "room to v [%]");
  for (const auto& g : s.groups) {
    if (g.kind == GroupKind::kSuction) continue;
    const double unit = g.slides ? 1e3 : kDegree;
    fmt::print("{:<24} {:>12.3f} {:>3} {:>10.3f} {:>5} {:>12.1f} {:>16.1f} {:>16.1f}\n", g.name,
               unit * g.worst_deviation, g.slides ? "mm" : "deg", unit * g.worst_velocity,
               g.slides ? "mm/s" : "deg/s", 100.0 * g.worst_effort, 100.0 * g.position_margin,
               100.0 * g.velocity_margin);
  }
  for (const auto& g : s.groups)
    if (g.gripper)
      fmt::print(
          "gripper {}: grasped {} times, lost or let go {} times; at the end {:.1f} mm wide, "
          "{:.1f} N at each pad, {}\n",
          g.name, g.gripper->grasped, g.gripper->lost, 1e3 * g.gripper->width,
          std::round(10.0 * g.gripper->force) / 10.0 + 0.0,
          g.gripper->holds ? "holds something" : "holds nothing");
}

void print_tracking(const RunSummary& s) {
  const bool any = std::ranges::any_of(s.tracking, [](const auto& t) { return t.ticks > 0; });
  if (!any) return;
  // error: of the arm to its limited reference; lag: behind what was wanted before the limits
  fmt::print("{:<24} {:>14} {:>14} {:>14} {:>14} {:>14} {:>8} {:>9}\n", "reference", "error rms",
             "error max", "angle rms", "lag rms", "lag angle", "gaps", "held [s]");
  for (const auto& t : s.tracking) {
    if (t.ticks == 0) continue;
    const double unit = t.units.shown;
    const char* name = t.units.shown_unit;
    fmt::print(
        "{:<24} {:>10.3f} {:>3} {:>10.3f} {:>3} {:>10.3f} {:>3} {:>10.1f} {:>3} {:>10.2f} {:>3} "
        "{:>8} {:>9.2f}\n",
        t.task, unit * t.position_rms, name, unit * t.position_max, name, kDegree * t.angle_rms,
        t.units.shown_angle, unit * t.lag_rms, name, kDegree * t.lag_angle_rms, t.units.shown_angle,
        t.holds, t.held);
    if (t.dropped > 0.0 || t.dropped_angle > 0.0)
      fmt::print(
          "  hands were ahead of the arm by more than the leash: {:.3f} m and {:.1f} deg of "
          "their way are dropped\n",
          t.dropped, kDegree * t.dropped_angle);
  }
}

}  // namespace

// One function, since it is one line for each key, in the order of the file.
nlohmann::ordered_json to_json(const App& app, const RunSummary& s) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array(),
                         tracking = nlohmann::ordered_json::array(),
                         machines = nlohmann::ordered_json::object(),
                         watch = nlohmann::ordered_json::array(),
                         unreached = nlohmann::ordered_json::array();
  for (const auto& w : s.watch) watch.push_back(to_json(w));
  for (const auto& u : s.unreached) unreached.push_back(to_json(u));
  for (const auto& g : s.groups) {
    nlohmann::ordered_json gripper;
    if (g.gripper)
      gripper = {{"grasped", g.gripper->grasped},
                 {"lost", g.gripper->lost},
                 {"width", g.gripper->width},
                 {"force", g.gripper->force},
                 {"holds", g.gripper->holds}};
    groups.push_back({{"name", g.name},
                      {"slides", g.slides},
                      {"worst_deviation", g.worst_deviation},
                      {"worst_velocity", g.worst_velocity},
                      {"worst_effort", g.worst_effort},
                      {"position_margin", g.position_margin},
                      {"velocity_margin", g.velocity_margin},
                      {"gripper", std::move(gripper)}});
  }
  for (const auto& t : s.tracking) tracking.push_back(to_json(t));
  for (const auto& [machine, state] : s.machines) machines[machine] = state;
  nlohmann::ordered_json plants = nlohmann::ordered_json::array();
  for (const auto& p : s.plants)
    plants.push_back({{"name", p.name},
                      {"simulated", p.simulated},
                      {"status", name_of(p.status)},
                      {"lost_observations", p.lost_observations},
                      {"faults", to_json(p.faults)}});
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const auto& d : s.devices)
    devices.push_back({{"name", d.name},
                       {"left_out", d.left_out},
                       {"out_of_range", d.out_of_range},
                       {"malformed", d.malformed}});
  nlohmann::ordered_json put_back = nlohmann::ordered_json::array();
  for (const auto& p : s.put_back) put_back.push_back({{"why", p.why.view()}, {"count", p.count}});
  nlohmann::ordered_json waits = nlohmann::ordered_json::array();
  for (const auto& [machine, what] : s.waits)
    waits.push_back({{"machine", machine}, {"what", what}});
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::array();
  for (const auto& v : s.verdicts)
    verdicts.push_back({{"judge", v.judge}, {"verdict", v.verdict}, {"words", v.words}});
  nlohmann::ordered_json diverged;
  if (s.diverged) diverged = {{"time", seconds(s.diverged->time)}, {"what", s.diverged->what}};
  nlohmann::ordered_json holding = nlohmann::ordered_json::object();
  for (const auto& [task, reason] : s.holding) holding[task] = reason;
  return {{"app", app.name},
          {"seed", app.seed},
          {"simulated", seconds(s.simulated)},
          {"wall", s.wall},
          {"real_time_factor", s.real_time_factor()},
          {"ticks", s.ticks},
          {"diverged", diverged},
          {"broken", s.broken()},
          {"tick", {{"p50", s.tick_p50}, {"p99", s.tick_p99}, {"max", s.tick_max}}},
          {"control_tick", {{"p50", s.control_p50}, {"p99", s.control_p99}}},
          {"clock",
           {{"wall", s.on_wall_clock},
            {"plant", s.on_plant_clock},
            {"plant_ended", s.plant_ended},
            {"lost_observations", s.lost_observations},
            {"overruns", s.pacer.overruns},
            {"caught_up", s.pacer.caught_up},
            {"slips", s.pacer.slips},
            {"slipped", seconds(s.pacer.slipped)},
            {"behind",
             {{"p50", s.behind_p50},
              {"p999", s.behind_p999},
              {"max", s.behind_max},
              {"end", s.behind_end}}},
            {"real_time_scheduling", s.real_time_thread.scheduled},
            {"locked_memory", s.real_time_thread.locked}}},
          {"groups", groups},
          {"tracking", tracking},
          {"machines", machines},
          {"holding", holding},
          {"waits", waits},
          {"judges", verdicts},
          {"episodes",
           {{"started", s.episodes},
            {"success", s.successes},
            {"failure", s.failures},
            {"discarded", s.discarded}}},
          {"scene",
           {{"put_back", times(s.put_back)}, {"not_put_back", s.not_put_back}, {"why", put_back}}},
          {"timeouts", s.timeouts},
          {"inputs", {{"rejected", s.rejected_inputs}, {"lost", s.lost_inputs}}},
          {"devices", devices},
          {"control", s.control ? to_json(*s.control) : nlohmann::ordered_json()},
          {"watch", watch},
          {"unreached", unreached},
          {"contacts", s.contacts},
          {"faults", to_json(s.faults)},
          {"plants", plants}};
}

void print_summary(const RunSummary& s) {
  fmt::print(
      "{:.3f} s simulated in {:.2f} s: {:.1f} x real time. Tick p50 {:.0f} us, p99 {:.0f} us, max "
      "{:.0f} us; control p50 {:.1f} us, p99 {:.1f} us\n",
      seconds(s.simulated), s.wall, s.real_time_factor(), 1e6 * s.tick_p50, 1e6 * s.tick_p99,
      1e6 * s.tick_max, 1e6 * s.control_p50, 1e6 * s.control_p99);
  if (s.on_wall_clock)
    fmt::print(
        "clock: {} ticks late, {} caught up, behind by p99.9 {:.2f} ms, max {:.2f} ms, at the end "
        "{:.2f} ms; simulated time slipped {} times ({:.3f} s); real-time scheduling {}, locked "
        "memory {}\n",
        s.pacer.overruns, s.pacer.caught_up, 1e3 * s.behind_p999, 1e3 * s.behind_max,
        1e3 * s.behind_end, s.pacer.slips, seconds(s.pacer.slipped),
        s.real_time_thread.scheduled ? "on" : "not allowed",
        s.real_time_thread.locked ? "on" : "not allowed");
  if (s.on_plant_clock)
    fmt::print("clock: the plant's, {} observations lost{}; real-time scheduling {}\n",
               s.lost_observations, s.plant_ended ? ", until it ended" : "",
               s.real_time_thread.scheduled ? "on" : "not allowed");
  print_groups(s);
  print_tracking(s);
  print_watch(s);
  for (const auto& p : s.plants)
    fmt::print("plant {}: {}, {}; {} observations lost, commands: {} not finite, {} clamped\n",
               p.name, p.simulated ? "simulated" : "real", name_of(p.status), p.lost_observations,
               p.faults.not_finite, p.faults.clamped);
  for (const auto& [machine, state] : s.machines) fmt::print("{} ended in '{}'\n", machine, state);
  for (const auto& [task, reason] : s.holding) fmt::print("{} holds: {}\n", task, reason);
  for (const auto& [machine, what] : s.waits) fmt::print("{} {}\n", machine, what);
  for (const auto& v : s.verdicts)
    fmt::print("judge {}: {}{}{}\n", v.judge, v.verdict, v.words.empty() ? "" : ": ", v.words);
  if (s.episodes > 0)
    fmt::print("episodes: {} started, {} successes, {} failures, {} discarded\n", s.episodes,
               s.successes, s.failures, s.discarded);
  if (!s.put_back.empty() || s.not_put_back > 0)
    fmt::print("scene: put back {} times; {} times something was in the way\n", times(s.put_back),
               s.not_put_back);
  for (const auto& p : s.put_back)
    if (!p.why.empty()) fmt::print("  {:>6} x such as: {}\n", p.count, p.why.view());
  if (s.timeouts > 0) fmt::print("{} states of machines came to no end in time\n", s.timeouts);
  if (s.rejected_inputs + s.lost_inputs > 0)
    fmt::print("inputs: {} not understood, {} lost\n", s.rejected_inputs, s.lost_inputs);
  for (const auto& d : s.devices)
    if (d.left_out + d.out_of_range + d.malformed > 0)
      fmt::print(
          "device {}: {} single bad frames left out, {} numbers brought into their range, {} "
          "samples malformed\n",
          d.name, d.left_out, d.out_of_range, d.malformed);
  fmt::print("{} contacts at the end; commands: {} not finite, {} clamped, {} limited in rate\n",
             s.contacts, s.faults.not_finite, s.faults.clamped, s.faults.rate_limited);
  if (s.control) print_control(*s.control);
  for (const auto& reason : s.broken()) fmt::print("DOES NOT HOLD: {}\n", reason);
}

}  // namespace handspan
