// handspan replay LOG: runs a log again, and tells whether it is the same run.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "cli/summary_text.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "log/replay.hpp"

namespace handspan {
namespace {

struct ReplayFlags {
  std::filesystem::path log, json;
  bool verify = false, open = false;
  std::string from, to;
};

void print_difference(const LogFile& log, const Difference& d) {
  fmt::print("differs first at tick {} ({:.3f} s), in the {}\n", d.tick,
             seconds(d.tick * log.base_period()), name_of(d.quantity));
  for (const auto& channel : d.channels) fmt::print("  {}\n", channel);
}

int replay_log(const ReplayFlags& options, const Parts& parts) {
  LogFile log(options.log);
  if (!options.json.empty()) refuse_overwriting(options.json, "--json");
  if (!log.damage().empty()) fmt::print("{}: {}\n", options.log.string(), log.damage());
  ReplayOptions how;
  how.verify = options.verify;
  how.open = options.open;
  if (!options.from.empty()) how.from = read_time(options.from, "--from");
  if (!options.to.empty()) how.to = read_duration(options.to, "--to");
  if (how.to && *how.to <= how.from)
    throw InputError(fmt::format("--to {} is not after --from {}; give a later one",
                                 shown(options.to), shown(options.from)));
  const Nanoseconds end = std::min(how.to.value_or(INT64_MAX), log.ticks() * log.base_period());
  const bool terminal = isatty(fileno(stderr));
  how.progress = [&](Nanoseconds now) {
    if (terminal) fmt::print(stderr, "\r{:.1f} of {:.1f} s", seconds(now), seconds(end));
    return !end_asked();
  };
  const ReplayReport report = replay(log, parts, how);
  if (terminal) fmt::print(stderr, "\r\033[K");
  print_summary(report.summary);
  for (const ReplayGap& gap : report.gaps)
    fmt::print("NOT run, as inputs are lost: from {:.3f} s {}\n",
               seconds(gap.first * log.base_period()),
               gap.resumed < log.ticks()
                   ? fmt::format("to {:.3f} s, where it went on with the log's key frame",
                                 seconds(gap.resumed * log.base_period()))
                   : "on");
  nlohmann::ordered_json json = {{"log", options.log.string()},
                                 {"first_tick", report.first_tick},
                                 {"ticks", report.ticks},
                                 {"other_machine", report.other_machine}};
  json["gaps"] = nlohmann::ordered_json::array();
  for (const ReplayGap& gap : report.gaps)
    json["gaps"].push_back({{"first_tick", gap.first}, {"resumed", gap.resumed}});
  if (options.verify) {
    if (!report.other_machine.empty())
      fmt::print("not the build and CPU that recorded it: {}\n", report.other_machine);
    if (report.by_values)
      fmt::print("so values at {} key frames are compared: {} within {:g} (worst {:.3g})\n",
                 report.compared, report.same() ? "all" : "not all", how.tolerance, report.worst);
    else if (report.compared == 0)
      fmt::print("nothing was compared: the log has no hashes from there on\n");
    else
      fmt::print("{} of {} ticks compared: {}\n", report.compared, report.ticks,
                 report.same() ? "the same bits" : "NOT the same bits");
    if (report.difference) print_difference(log, *report.difference);
    json["compared"] = report.compared;
    json["by_values"] = report.by_values;
    json["same"] = report.same();
    if (report.by_values) json["worst"] = report.worst;
    if (report.difference)
      json["difference"] = {{"tick", report.difference->tick},
                            {"quantity", name_of(report.difference->quantity)},
                            {"channels", report.difference->channels}};
  }
  json["summary"] = to_json(log.app(parts), report.summary);
  if (!options.json.empty()) write_json(json, options.json);
  // nothing compared is nothing that holds, nor is a run with holes; the same divergence is the
  // same run
  if (!report.gaps.empty()) return kDoesNotHold;
  if (options.verify) return report.same() && report.compared > 0 ? kHolds : kDoesNotHold;
  return report.summary.broken().empty() ? kHolds : kDoesNotHold;
}

}  // namespace

void add_replay(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ReplayFlags>();
  CLI::App* command =
      cli.add_subcommand("replay", "Run a log again, from the app and the inputs that it holds");
  command->add_option("LOG", options->log, "a log of run --record")->required();
  command->add_flag("--verify", options->verify,
                    "compare every tick with the log; exit 1 at the first that differs");
  command->add_flag("--open", options->open,
                    "run the controller on the recorded observations instead of simulating; needs "
                    "a log in full");
  command->add_option("--from", options->from, "start at the last key frame before, such as 12.5s");
  command->add_option("--to", options->to, "stop there");
  command->add_option("--json", options->json, "write the report to FILE")->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return replay_log(*options, parts); };
  });
}

}  // namespace handspan
