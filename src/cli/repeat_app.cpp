#include "cli/repeat_app.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/end_signals.hpp"
#include "cli/summary_text.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "log/log_file.hpp"
#include "log/logged_demonstration.hpp"
#include "log/recorder.hpp"
#include "plant/scene_layout.hpp"
#include "session/run.hpp"

namespace handspan {
namespace {

// what an app has of its own that would move its references, or that reads such a thing
constexpr const char* kTakenAway[] = {"devices", "sources", "goals", "hold_together"};
// beside the demonstration's own time: the way to where it begins, and an arm that is slower [s]
constexpr double kSlower = 3.0, kApproach = 20.0;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::filesystem::path from_folder(const std::filesystem::path& path,
                                  const std::filesystem::path& folder) {
  const auto absolute = std::filesystem::absolute(path).lexically_normal();
  return absolute.lexically_relative(std::filesystem::absolute(folder).lexically_normal());
}

std::vector<std::string> references_in(const App& app, const DemonstrationQuery& there,
                                       const std::filesystem::path& log) {
  Session session(app);
  std::vector<std::string> found, of_app;
  Arbiter& arbiter = session.arbiter();
  for (const ReferenceIndex index : arbiter.references()) {
    const Reference& reference = arbiter.reference(index);
    if (reference.kind() != kPoseKind) continue;
    of_app.push_back(reference.name());
    if (std::ranges::count(there.poses, "reference." + reference.name() + ".pose") > 0)
      found.push_back(reference.name());
  }
  if (found.empty())
    throw InputError(fmt::format(
        "{}: its app '{}' has pose references {}, and the log {} has {}; name the channels of the "
        "import after the app's tasks: reference.TASK.pose",
        app.file.string(), app.name,
        of_app.empty() ? std::string("none") : fmt::format("{}", fmt::join(of_app, ", ")),
        log.string(),
        there.poses.empty() ? std::string("no channels reference.TASK.pose")
                            : fmt::format("{}", fmt::join(there.poses, ", "))));
  return found;
}

std::vector<std::string> groups_in(const App& app, const DemonstrationQuery& there) {
  std::vector<std::string> found;
  for (const GroupLayout& group : scene_layout(app.scene).groups)
    if ((group.kind == GroupKind::kGripper || group.kind == GroupKind::kSuction) &&
        std::ranges::count(there.commands, group.name) > 0)
      found.push_back(group.name);
  return found;
}

bool can_reset(const App& app) {
  if (app.scene.objects.empty()) return false;
  for (const auto& robot : app.scene.robots)
    for (const auto& suction : robot.suctions)
      if (!suction.holds.empty()) return false;
  return true;
}

std::string states(const RepeatedApp& repeated, const std::vector<Episode>& episodes,
                   const std::string& log, bool reset) {
  const std::string all = fmt::format("{}", fmt::join(repeated.references, ", "));
  std::string yaml;
  for (std::size_t e = 1; e <= episodes.size(); ++e) {
    const std::string next = e < episodes.size() ? fmt::format("before_{}", e + 1) : "end";
    yaml += fmt::format(
        "      before_{}: {{do: [{{type: hold, tasks: [{}]}}{}], next: [{{to: episode_{}, when: "
        "[{{type: after, time: 0.3 s}}]}}]}}\n",
        e, all, e > 1 && reset ? ", {type: reset_scene}" : "", e);
    yaml += fmt::format(
        "      # {}{}\n      episode_{}:\n        episode: start\n        do:\n          - {{type: "
        "replay_reference, references: [{}], groups: [{}], log: {}, episode: {}}}\n        next: "
        "[{{to: done_{}, when: [{{type: done}}]}}]\n",
        episodes[e - 1].task.empty() ? "no task was said" : shown(episodes[e - 1].task),
        fmt::format(", {}", episodes[e - 1].outcome), e, all, fmt::join(repeated.groups, ", "),
        quoted(log), e, e);
    yaml += fmt::format(
        "      done_{}: {{episode: success, do: [{{type: hold, tasks: [{}]}}], next: [{{to: {}, "
        "when: [{{type: after, time: 0.5 s}}]}}]}}\n",
        e, all, next);
  }
  return yaml + "      end: {final: true}\n";
}

}  // namespace

RepeatedApp repeat_app(const std::filesystem::path& path, const std::filesystem::path& log,
                       const std::filesystem::path& file, const Parts& parts) {
  const App app = load_app(path, parts);
  const Node tree = load_tree(path);
  const LogFile logged(log);
  const DemonstrationQuery there = all_of(ChannelLog(log));
  RepeatedApp repeated;
  repeated.references = references_in(app, there, log);
  repeated.groups = groups_in(app, there);
  const auto episodes = logged.episodes();
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  double length = 0.0;
  for (const Episode& episode : episodes)
    length += seconds((episode.end - episode.start) * logged.base_period());
  std::string& yaml = repeated.yaml;
  yaml = fmt::format("{}: repeats the episodes of {}\nextends: {}\nname: {}-imported\n",
                     kRepeatedAppHead, shown(log.filename().string()),
                     quoted(from_folder(path, folder).string()), app.name);
  // a file's name is meant from the file that extends
  const Node* scene = tree.find("scene");
  if (scene != nullptr)
    yaml += fmt::format("scene: {}\n",
                        quoted(from_folder(path.parent_path() / scene->scalar(), folder).string()));
  yaml += fmt::format("duration: {:.0f} s\n",
                      kSlower * length + kApproach * static_cast<double>(episodes.size()));
  for (const char* key : kTakenAway)
    if (tree.find(key) != nullptr) yaml += fmt::format("{}:\n", key);
  yaml += "machines:\n";
  if (const Node* machines = tree.find("machines"))
    for (const auto& entry : machines->entries())
      if (entry.key != "imported") yaml += fmt::format("  {}:\n", entry.key);
  yaml +=
      fmt::format("  imported:\n    start: before_1\n    states:\n{}",
                  states(repeated, episodes, from_folder(log, folder).string(), can_reset(app)));
  return repeated;
}

bool run_repeated(const std::filesystem::path& file, const std::filesystem::path& record,
                  const Parts& parts) {
  const App app = load_app(file, parts);
  Session session(app);
  RecorderOptions options;
  options.extent = app.record;
  options.may_wait = true;
  Recorder recorder(session, record, options);
  RunOptions how;
  how.until = std::llround(app.duration * 1e9);
  how.between = [](const PacerCounts&) { return !end_asked(); };
  const RunSummary summary = run_session(session, how);
  const bool whole = recorder.close();
  print_summary(summary);
  if (!whole) fmt::print("log: the recording ended early: {}\n", recorder.status().message);
  if (!session.ended())
    fmt::print("NOT repeated to its end: after {:.1f} s it is in the state {}\n",
               seconds(session.now()), session.machines().back().current_name());
  return whole && session.ended() && summary.broken().empty();
}

}  // namespace handspan
