// handspan run APP: the loop without a page; a summary and a picture at the end.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/check_log.hpp"
#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "cli/param_option.hpp"
#include "cli/summary_text.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/named.hpp"
#include "core/overwritten.hpp"
#include "device/headset_csv.hpp"
#include "log/log_file.hpp"
#include "log/recorder.hpp"
#include "mujoco/picture.hpp"
#include "scene/data_folder.hpp"
#include "scene/own_robots.hpp"
#include "session/run.hpp"
#include "session/who_acts.hpp"
#include "study/changed_app.hpp"

namespace handspan {
namespace {

struct RunFlags {
  std::filesystem::path app;
  std::string duration;
  std::filesystem::path json, picture, record, input;
  std::string device;
  bool wall = false, full = false;
  bool no_picture = false;
  std::optional<std::uint64_t> seed;
  std::vector<ParameterOverride> parameters;
};

// @return whether all of it is in the file
bool print_recording(Recorder& recorder, const std::filesystem::path& file,
                     nlohmann::ordered_json& json) {
  const bool whole = recorder.close();
  const LogStatus status = recorder.status();
  const double megabytes = static_cast<double>(status.bytes) / 1e6;
  fmt::print("log: {}, {:.2f} MB ({:.1f} MB a minute), {} messages{}\n", file.string(), megabytes,
             60.0 * megabytes / std::max(1e-3, json["simulated"].get<double>()), status.messages,
             status.dropped > 0 ? fmt::format(", {} DROPPED", status.dropped) : "");
  if (status.failed) fmt::print("log: the recording ended early: {}\n", status.message);
  json["log"] = {{"file", file.string()},       {"bytes", status.bytes},
                 {"messages", status.messages}, {"dropped", status.dropped},
                 {"failed", status.failed},     {"message", std::string(status.message)}};
  return whole && status.dropped == 0;
}

// a recording given to the app's headset
std::vector<LoggedInput> recorded_headset(const RunFlags& options, const Session& session) {
  const App& app = session.app();
  std::vector<std::string> names;
  for (const auto& [name, config] : app.devices)
    if (config.driver.name == "headset") names.push_back(name);
  if (options.device.empty() && names.size() != 1)
    throw InputError(fmt::format(
        "{} is a recording of a headset, and the app {} has {}; {}", options.input.string(),
        app.name, names.empty() ? "none" : fmt::format("{} of them", names.size()),
        names.empty() ? "add one to its devices (driver: {type: headset})"
                      : fmt::format("say which with --device ({})", fmt::join(names, ", "))));
  const std::string device = options.device.empty() ? names.front() : options.device;
  if (!std::ranges::count(names, device))
    throw_not_found("the app " + app.name, "headset", device, names);
  return at_their_stamps(read_headset_csv(options.input, device), session.base_period());
}

// One function, since it is the options of one command, one after the other.
int run(const RunFlags& options, const Parts& parts) {
  refuse_robot_description(options.app);
  SessionOptions inputs;
  std::vector<ParameterOverride> of_files = options.parameters;
  inputs.parameters = take_live(of_files);
  ChangedApp changed(options.app, parts, of_files);
  App& app = changed.app;
  if (options.seed) app.seed = *options.seed;
  const Nanoseconds until = options.duration.empty() ? std::llround(app.duration * 1e9)
                                                     : read_duration(options.duration, "--for");
  const bool csv = options.input.extension() == ".csv";
  // a log has what the devices said then
  inputs.live_devices = options.input.empty() || csv;
  if (!options.input.empty() && !csv) {
    const LogFile log(options.input);
    log.refuse_imported("give an app its inputs");
    if (!log.damage().empty())
      fmt::print(stderr, "{}: {}\nits other inputs are given\n", options.input.string(),
                 log.damage());
    inputs.feed = std::make_unique<LogFeed>(log.inputs());
  }
  Session session(app, std::move(inputs));
  if (options.input.empty() && acts_alone(session) != kNobodyActs) {
    Input who;
    who.kind = InputKind::kOperator;
    who.text = acts_alone(session);
    session.mailbox("operator").post(who);
  }
  if (csv) session.set_feed(std::make_unique<LogFeed>(recorded_headset(options, session)));
  std::filesystem::path picture;
  if (!options.no_picture && session.world() != nullptr)
    picture = options.picture.empty() ? std::filesystem::path("handspan-out") / (app.name + ".png")
                                      : options.picture;
  const OutputOption outputs[] = {
      {"--record", options.record}, {"--json", options.json}, {"--picture", picture}};
  check_outputs(outputs);
  refuse_other_logs(options.record);
  for (const auto& line : own_before_shipped(app.scene)) fmt::print("{}\n", line);
  fmt::print("{}: {} robots, {} objects, {:.3g} s at a base tick of {} us\n", app.name,
             app.scene.robots.size(), app.scene.objects.size(), seconds(until),
             session.base_period() / 1000);
  for (const auto& [key, value] : options.parameters) fmt::print("with {}={}\n", key, value);
  if (session.world() == nullptr)
    for (const auto& judge : session.judges().texts()) fmt::print("{}\n", judge);
  const bool terminal = isatty(fileno(stderr));
  RunOptions how;
  how.until = until;
  how.goes_on = !options.duration.empty();
  how.clock = options.wall ? ClockKind::kWall : app.clock;
  std::optional<Recorder> recorder;
  bool told = false;  // that the recording ended by itself
  const auto tell_failure = [&] {
    if (told || !recorder || !recorder->status().failed) return;
    told = true;
    fmt::print(stderr, "{}the recording ended by itself: {}\n", terminal ? "\r\033[K" : "",
               recorder->status().message);
  };
  how.progress = [&](Nanoseconds now) {
    tell_failure();
    if (terminal) fmt::print(stderr, "\r{:.1f} of {:.1f} s", seconds(now), seconds(until));
    return true;
  };
  how.between = [](const PacerCounts&) { return !end_asked(); };
  if (!options.record.empty()) {
    if (options.record.has_parent_path())
      std::filesystem::create_directories(options.record.parent_path());
    RecorderOptions recording;
    recording.extent = options.full ? RecordExtent::kFull : app.record;
    recording.may_wait = how.clock == ClockKind::kVirtual;
    recorder.emplace(session, options.record, recording);
  }
  const RunSummary summary = run_session(session, how);
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (end_asked()) fmt::print("ended by a signal at {:.3f} s\n", seconds(session.now()));
  print_summary(summary);
  nlohmann::ordered_json json = to_json(app, summary);
  json["parameters"] = to_json(options.parameters);
  const bool recorded = !recorder || print_recording(*recorder, options.record, json);
  tell_failure();
  if (!options.json.empty()) write_json(json, options.json);
  // last: where it cannot be written, the rest is there
  if (!options.no_picture && session.world() == nullptr) {
    fmt::print("picture: none, since nothing of the scene is simulated\n");
  } else if (!options.no_picture) {
    if (picture.has_parent_path()) std::filesystem::create_directories(picture.parent_path());
    write_picture(*session.world(), {app.picture.size, app.picture.view}, picture);
    fmt::print("picture: {}\n", picture.string());
  }
  return recorded && summary.broken().empty() ? kHolds : kDoesNotHold;
}

}  // namespace

void add_run(CLI::App& cli, Action& action) {
  auto options = std::make_shared<RunFlags>();
  CLI::App* command = cli.add_subcommand(
      "run", "Run an app as fast as it goes; a summary and a picture of the scene at the end");
  command->add_option("APP", options->app, "app file, such as apps/hold.yaml")->required();
  command->add_option("--for", options->duration,
                      "simulated time, such as 20s; else as the app says");
  add_seed(*command, options->seed, "of everything random; else as the app says");
  add_parameters(*command, options->parameters,
                 "another value of a key of the app, by path (scene.objects.box.mass=0.6), or of a "
                 "live parameter (task.left_hand.stiffness=300)");
  command
      ->add_option("--input", options->input,
                   "give the app the inputs of a log (.mcap), or a recording of a headset (.csv)")
      ->type_name("FILE");
  command->add_option("--device", options->device, "the headset whose recording --input is")
      ->type_name("NAME");
  command->add_option("--record", options->record, "write a log to FILE (.mcap)")
      ->type_name("FILE");
  command->add_flag("--full", options->full, "record every channel at every tick");
  command->add_flag("--wall", options->wall, "in step with the clock, not as fast as it goes");
  command->add_option("--json", options->json, "write the summary to FILE")->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command
      ->add_option("--picture", options->picture,
                   "write the picture to FILE (default handspan-out/NAME.png)")
      ->type_name("FILE");
  command->add_flag("--no-picture", options->no_picture, "draw none");
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return run(*options, parts); };
  });
}

}  // namespace handspan
