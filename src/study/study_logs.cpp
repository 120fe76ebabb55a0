#include "study/study_logs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "core/files_read.hpp"
#include "core/suggest.hpp"
#include "core/text_file.hpp"
#include "log/recorder.hpp"
#include "session/session.hpp"
#include "study/app_subject.hpp"
#include "study/subject_files.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

// in full, since what repeats a log does so tick by tick
void record(const std::string& name, const LogConfig& config, const Parts& parts,
            const std::filesystem::path& file, std::string& sources,
            const std::function<void(const std::string&, Nanoseconds)>& progress) {
  SubjectFiles files = SubjectFiles::of_app(config.app);
  std::vector<KeyChange> changes;
  for (const auto& [key, value] : config.set)
    changes.push_back({files.address(key, value.place()), value});
  FileTrees trees;
  const std::vector<Node> changed = changed_trees(files, changes, config.seed);
  for (std::size_t f = 0; f < changed.size(); ++f) trees.give(files.path(f), changed[f]);
  const App app = load_app(config.app, parts);
  for (const Node& tree : changed) sources += yaml_text(tree);
  for (const auto& used : app.files) sources += read_text_file(used);
  const auto refuse = [&](const std::string& cause, const char* hint) {
    return ConfigError({{config.place, "logs." + name, cause, hint}});
  };
  if (app.clock != ClockKind::kVirtual)
    throw refuse("is of an app in step with a clock", "give one with clock: virtual");
  SessionOptions options;
  options.live_devices = true;
  Session session(app, std::move(options));
  RecorderOptions recording;
  recording.extent = RecordExtent::kFull;
  recording.may_wait = true;
  Recorder recorder(session, file, recording);
  const Nanoseconds until = std::llround(app.duration * 1e9);
  auto shown = Clock::now();
  while (!session.ended() && !diverged(session.world()) && session.now() < until &&
         !recorder.status().failed) {
    session.tick();
    if (!progress || Clock::now() - shown < std::chrono::milliseconds(250)) continue;
    shown = Clock::now();
    progress(name, session.now());
  }
  session.finish();
  if (!recorder.close())
    throw refuse(fmt::format("cannot be recorded: {}", recorder.status().message),
                 "look at the disk");
  if (diverged(session.world()))
    throw refuse("cannot be recorded: the simulation diverged: " + session.world()->divergence(),
                 "look at the app");
  if (!session.ended())
    throw refuse(fmt::format("does not come to an end within {:g} s: no machine of the app did",
                             app.duration),
                 "give the app a final state, or a longer duration");
}

void put(const std::vector<std::pair<std::string, std::string>>& uses, const StudyConfig& study,
         const std::filesystem::path& folder, KeyValues& set) {
  for (const auto& [key, name] : uses) {
    std::vector<std::string> names;
    for (const auto& [known, log] : study.logs) names.push_back(known);
    const Place place{study.file.string(), 0, 0};
    if (!std::ranges::count(names, name))
      throw ConfigError(
          {{place, "use." + key,
            fmt::format("is the log '{}', which the study has not", shown(name)),
            names.empty() ? "add it under logs" : did_you_mean(name, names, "there are")}});
    set.emplace_back(key, scalar_node((folder / (name + ".mcap")).string(), place));
  }
}

}  // namespace

StudyLogs::StudyLogs(StudyConfig& study, const Parts& parts, const std::filesystem::path& folder,
                     const std::function<void(const std::string&, Nanoseconds)>& progress) {
  auto at = folder;
  if (folder.empty()) at = temporary_.emplace("handspan-study-").path();
  at = std::filesystem::absolute(at);
  put(study.use, study, at, study.set);
  for (auto& [name, cell] : study.cells) put(cell.use, study, at, cell.set);
  if (study.logs.empty()) return;
  std::filesystem::create_directories(at);
  for (const auto& [name, config] : study.logs)
    refuse_overwriting(at / (name + ".mcap"), "the study's log");
  for (const auto& [name, config] : study.logs)
    record(name, config, parts, at / (name + ".mcap"), sources_, progress);
}

}  // namespace handspan
