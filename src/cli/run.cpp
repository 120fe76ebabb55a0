// handspan run APP: the loop without a page; a summary and a picture at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/command.hpp"
#include "core/config.hpp"
#include "plant/picture.hpp"
#include "cli/summary_text.hpp"
#include "session/run.hpp"

namespace handspan {
namespace {

struct Options {
  std::filesystem::path app;
  std::string duration;
  std::filesystem::path json, picture;
  bool no_picture = false;
  std::optional<std::uint64_t> seed;
};

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
  Session session(app);
  fmt::print("{}: {} robots, {} objects, {:.3g} s at a base tick of {} us\n", app.name,
             app.scene.robots.size(), app.scene.objects.size(), seconds(until),
             session.base_period() / 1000);
  const bool terminal = isatty(fileno(stderr));
  RunOptions how;
  how.until = until;
  how.clock = app.clock;
  how.progress = [&](Nanoseconds now) {
    if (terminal) fmt::print(stderr, "\r{:.1f} of {:.1f} s", seconds(now), seconds(until));
    return true;
  };
  const RunSummary summary = run_session(session, how);
  if (terminal) fmt::print(stderr, "\r\033[K");
  print_summary(summary);
  if (!options.no_picture) {
    const std::filesystem::path file =
        options.picture.empty() ? std::filesystem::path("handspan-out") / (app.name + ".png")
                                : options.picture;
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    write_picture(*session.simulation(), {app.picture.size, app.picture.view}, file);
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
