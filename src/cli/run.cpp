// handspan run APP: the loop without a page; a summary and a picture at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/command.hpp"
#include "core/config.hpp"
#include "plant/picture.hpp"
#include "session/loop.hpp"

namespace handspan {
namespace {

struct Options {
  std::filesystem::path app;
  std::string duration;
  std::filesystem::path json, picture;
  bool no_picture = false;
  std::optional<std::uint64_t> seed;
};

constexpr ConstraintKind kRelaxable[] = {ConstraintKind::kTorque, ConstraintKind::kJointBox,
                                         ConstraintKind::kCollision, ConstraintKind::kCartesian,
                                         ConstraintKind::kJerk};

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
          {"conflicts_passed_over", c.conflicts_passed_over},
          {"tick", {{"p50", c.tick_p50}, {"p99", c.tick_p99}}}};
}

nlohmann::ordered_json to_json(const App& app, const LoopSummary& s) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const auto& g : s.groups)
    groups.push_back({{"name", g.name},
                      {"worst_deviation", g.worst_deviation},
                      {"worst_velocity", g.worst_velocity},
                      {"worst_effort", g.worst_effort}});
  return {{"app", app.name},
          {"simulated", seconds(s.simulated)},
          {"wall", s.wall},
          {"real_time_factor", s.real_time_factor()},
          {"ticks", s.ticks},
          {"tick", {{"p50", s.tick_p50}, {"p99", s.tick_p99}, {"max", s.tick_max}}},
          {"groups", groups},
          {"control", s.control ? to_json(*s.control) : nlohmann::ordered_json()},
          {"contacts", s.contacts},
          {"faults",
           {{"not_finite", s.faults.not_finite},
            {"clamped", s.faults.clamped},
            {"rate_limited", s.faults.rate_limited}}}};
}

void print_summary(const LoopSummary& s) {
  fmt::print(
      "{:.3f} s simulated in {:.2f} s: {:.0f} x real time. Tick p50 {:.0f} us, p99 {:.0f} us, max "
      "{:.0f} us\n",
      seconds(s.simulated), s.wall, s.real_time_factor(), 1e6 * s.tick_p50, 1e6 * s.tick_p99,
      1e6 * s.tick_max);
  fmt::print("{:<24} {:>14} {:>14} {:>14}\n", "group", "moved [deg]", "speed [deg/s]",
             "effort [%]");
  const double degree = 180.0 / M_PI;
  for (const auto& g : s.groups)
    fmt::print("{:<24} {:>14.3f} {:>14.3f} {:>14.1f}\n", g.name, degree * g.worst_deviation,
               degree * g.worst_velocity, 100.0 * g.worst_effort);
  fmt::print("{} contacts at the end; commands: {} not finite, {} clamped, {} limited in rate\n",
             s.contacts, s.faults.not_finite, s.faults.clamped, s.faults.rate_limited);
}

void print_control(const ControlSummary& c) {
  const auto share = [&](std::uint64_t n) {
    return 100.0 * static_cast<double>(n) /
           static_cast<double>(std::max<std::uint64_t>(1, c.counts.ticks));
  };
  fmt::print("control: p50 {:.1f} us, p99 {:.1f} us; limits given up in {:.3f} % of ticks (",
             1e6 * c.tick_p50, 1e6 * c.tick_p99, share(c.counts.relaxed));
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

// "20 s", "20s" or "20"
Nanoseconds read_duration(std::string text, double otherwise) {
  if (text.empty()) return std::llround(otherwise * 1e9);
  if (text.size() > 1 && text.back() == 's' &&
      std::isdigit(static_cast<unsigned char>(text[text.size() - 2])))
    text.insert(text.size() - 1, " ");
  const double duration = parse_yaml(text, "--for", number("s").above(0).max(1e6));
  return std::llround(duration * 1e9);
}

int run(const Options& options) {
  App app = load_app(options.app);
  if (options.seed) app.seed = *options.seed;
  const Nanoseconds until = read_duration(options.duration, app.duration);
  Loop loop(app);
  fmt::print("{}: {} robots, {} objects, {:.3g} s at a base tick of {} us\n", app.name,
             app.scene.robots.size(), app.scene.objects.size(), seconds(until),
             loop.base_period() / 1000);
  const bool terminal = isatty(fileno(stderr));
  const LoopSummary summary = loop.run(until, [&](Nanoseconds now) {
    if (terminal) fmt::print(stderr, "\r{:.1f} of {:.1f} s", seconds(now), seconds(until));
  });
  if (terminal) fmt::print(stderr, "\r\033[K");
  print_summary(summary);
  if (summary.control) print_control(*summary.control);
  if (!options.no_picture) {
    const std::filesystem::path file =
        options.picture.empty() ? std::filesystem::path("handspan-out") / (app.name + ".png")
                                : options.picture;
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    write_picture(loop.plant(), {app.picture.size, app.picture.view}, file);
    fmt::print("picture: {}\n", file.string());
  }
  if (!options.json.empty()) write_json(to_json(app, summary), options.json);
  return kHolds;
}

}  // namespace

void add_run(CLI::App& cli, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = cli.add_subcommand(
      "run", "Run an app as fast as it goes; a summary and a picture of the scene at the end");
  command->add_option("APP", options->app, "app file, such as apps/hold.yaml")->required();
  command->add_option("--for", options->duration,
                      "simulated time, such as 20s; else as the app says");
  command->add_option("--seed", options->seed, "of everything random; else as the app says");
  command->add_option("--json", options->json, "write the summary to FILE")->type_name("FILE");
  command
      ->add_option("--picture", options->picture,
                   "write the picture to FILE (default handspan-out/NAME.png)")
      ->type_name("FILE");
  command->add_flag("--no-picture", options->no_picture, "draw none");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace handspan
