// handspan serve APP: the operator station, on this machine's own address until Ctrl-C.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "cli/serve.hpp"
#include "cli/serve_terminal.hpp"
#include "cli/summary_text.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "core/own_file.hpp"
#include "core/private_folder.hpp"
#include "scene/data_folder.hpp"
#include "scene/own_robots.hpp"
#include "station/certificate.hpp"
#include "station/host_check.hpp"
#include "station/station.hpp"
#include "study/changed_app.hpp"

namespace handspan {
namespace {

std::atomic<Station*> g_station{nullptr};

// Ctrl-C, a polite end and a closed terminal end it
class StopOnSignal {
 public:
  explicit StopOnSignal(Station& station) {
    g_station = &station;
    on_end([] {
      if (Station* running = g_station.load()) running->stop();
    });
    if (end_asked()) station.stop();
  }
  ~StopOnSignal() {
    on_end(nullptr);
    g_station = nullptr;
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

// In the desktop's browser, when there is one. Not by its address: what a program is given others
// on this machine can read, and the key in it is for one page. A file of one's own leads there.
void open_page(const std::string& address, const PrivateFolder& folder) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const auto file = folder.path() / "handspan.html";
  const std::string page = fmt::format(
      "<!doctype html><meta charset=utf-8><title>handspan</title>"
      "<meta http-equiv=refresh content=\"0;url={0}\"><a href=\"{0}\">the page</a>\n",
      address);
  if (!write_own_file(file, page, 0600) ||
      std::system(("xdg-open '" + file.string() + "' >/dev/null 2>&1 &").c_str()) != 0)
    fmt::print(stderr, "open the address above in a browser\n");
}

// A header of HTTP with a token, for programs of who runs the station; gone with the object.
class TokenFile {
 public:
  TokenFile(std::filesystem::path file, Station& station) : file_(std::move(file)) {
    if (file_.empty()) return;
    const std::string text =
        fmt::format("Authorization: Bearer {}\n", station.new_token(file_.filename().string()));
    if (!write_own_file(file_, text, 0600))
      throw InputError(fmt::format("--token-file: {} cannot be written ({}); name another file",
                                   file_.string(), std::strerror(errno)));
  }
  ~TokenFile() {
    std::error_code none;
    if (!file_.empty()) std::filesystem::remove(file_, none);
  }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

 private:
  std::filesystem::path file_;
};

// where the certificate is kept, so that a headset that trusts it once goes on to
std::filesystem::path state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::filesystem::path(state) / "handspan";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : ".") / ".local/state/handspan";
}

// @return the certificate's fingerprint
std::string open_to_lan(StationOptions& how) {
  LanOptions lan;
  lan.hosts = lan_addresses();
  if (lan.hosts.empty())
    throw InputError("--lan: this machine has no network address; connect it, or leave --lan out");
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0 && host_of(name) == name)
    lan.hosts.emplace_back(name);
  const Certificate own = own_certificate(state_folder(), lan.hosts);
  lan.certificate = own.certificate;
  lan.key = own.key;
  how.lan = std::move(lan);
  return own.fingerprint;
}

// Before the page opens: what is to be recorded and cannot be is not run unrecorded, and who may
// want to record later is told now.
void check_records(const ServeOptions& options) {
  // a name in the folder stands for all of them
  const OutputOption any[] = {{"--records", options.records / "any.mcap"}};
  try {
    check_outputs(any);
  } catch (const InputError& error) {
    const std::string why =
        fmt::format("{}: nothing can be recorded: {}", options.records.string(), error.what());
    if (options.record)
      throw InputError(why + "; choose another folder with --records, or leave --record out");
    fmt::print(stderr, "{}\n", why);
  }
}

}  // namespace

int serve(const ServeOptions& options, const Parts& parts) {
  refuse_robot_description(options.app);
  std::vector<ParameterOverride> of_files = options.parameters;
  StationOptions how;
  how.parameters = take_live(of_files);
  // recordings take the files of the app as long as it runs
  ChangedApp changed(options.app, parts, of_files);
  App& app = changed.app;
  if (options.seed) app.seed = *options.seed;
  const OutputOption outputs[] = {{"--json", options.json}, {kTokenFileOption, options.token_file}};
  check_outputs(outputs);
  check_records(options);
  for (const auto& line : own_before_shipped(app.scene)) fmt::print("{}\n", line);
  how.port = static_cast<std::uint16_t>(options.port);
  how.page = data_folder() / "web" / "dist";
  how.records = options.records;
  how.record = options.record;
  how.once = options.once;
  how.rate = options.rate;
  how.pace = options.pace;
  for (const auto& [name, plant] : app.plants)
    if (options.pace != 1.0 && plant.driver.name != kMujoco)
      throw InputError(fmt::format(
          "--pace: plant '{}' is not a simulation and has no slow motion; leave --pace out", name));
  if (!options.duration.empty()) how.until = read_duration(options.duration, "--for");
  std::string fingerprint;
  if (options.lan) fingerprint = open_to_lan(how);
  Station station(app, parts, how);
  const TokenFile token_file(options.token_file, station);
  std::optional<PrivateFolder> opening;
  if (!options.no_page_open) opening.emplace("handspan-page-");
  const std::string address =
      fmt::format("{}://localhost:{}/", how.lan ? "https" : "http", station.port());
  // a page that is opened with a key is paired; each key opens one
  fmt::print("{}: {}#key={} (Ctrl-C ends it)\n", app.name, address, station.new_key());
  if (how.lan) {
    for (const auto& host : how.lan->hosts)
      fmt::print("from other machines: https://{}:{}\n",
                 host.find(':') == std::string::npos ? host : fmt::format("[{}]", host),
                 station.port());
    fmt::print("fingerprint of its certificate (SHA-256): {}\n", fingerprint);
  }
  fmt::print("pairing code of other pages: {}\n", station.code());
  std::fflush(stdout);
  RunSummary summary;
  {
    const StopOnSignal signals(station);
    const ServeTerminal terminal(station);
    if (opening) open_page(address + "#key=" + station.new_key(), *opening);
    summary = station.run();
  }
  print_summary(summary);
  nlohmann::ordered_json json = to_json(app, summary);
  json["parameters"] = to_json(options.parameters);
  if (!options.json.empty()) write_json(json, options.json);
  const int failed = station.failed_recordings();
  if (failed > 0) fmt::print("DOES NOT HOLD: {} recordings ended by themselves\n", failed);
  return summary.broken().empty() && failed == 0 ? kHolds : kDoesNotHold;
}

void add_page_options(CLI::App& command, ServeOptions& options) {
  command.add_option("--port", options.port, "where the page is; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command.add_flag("--no-page-open", options.no_page_open, "do not open the page in a browser");
  command.add_flag("--lan", options.lan, "reachable from other machines, over TLS");
  command.add_option("--for", options.duration, "simulated time in all, such as 20s");
  command.add_option("--view-rate", options.rate, "of the picture, until a page asks for another")
      ->check(CLI::Range(1.0, kMostRate))
      ->type_name("HZ")
      ->capture_default_str();
  command
      .add_option("--token-file", options.token_file,
                  "write a token for curl (curl -H @FILE) and scripts to FILE, for its owner only")
      ->type_name("FILE");
}

void add_serve(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = cli.add_subcommand(
      "serve", "Run an app on the wall clock with a page to see it, move it and record");
  command->add_option("APP", options->app, "app file, such as apps/lift.yaml")->required();
  add_page_options(*command, *options);
  command->add_flag("--record", options->record, "record from the start, each run in its own file");
  command->add_option("--records", options->records, "folder of recordings")
      ->type_name("FOLDER")
      ->capture_default_str();
  add_seed(*command, options->seed, "of everything random; else as the app says");
  add_parameters(*command, options->parameters,
                 "another value of a key of the app, by path (scene.objects.box.mass=0.6), or of a "
                 "live parameter (task.left_hand.stiffness=300)");
  command->add_flag("--once", options->once,
                    "end when the app's machines have ended; else it starts again");
  command
      ->add_option("--pace", options->pace, "of simulated time to the clock's: 0.5 is slow motion")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  command->add_option("--json", options->json, "write the summary to FILE")->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return serve(*options, parts); };
  });
}

}  // namespace handspan
