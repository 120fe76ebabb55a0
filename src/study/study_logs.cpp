#include "study/study_logs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "core/files_read.hpp"
#include "core/suggest.hpp"
#include "core/text_file.hpp"
#include "log/recorder.hpp"
#include "session/session.hpp"
#include "study/app_subject.hpp"
#include "study/journal.hpp"
#include "study/subject_files.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

// A log that was made before of the same, by the same build: it would have the same bits.
bool is_made(const std::filesystem::path& file, const std::filesystem::path& key_file,
             const std::string& key) {
  std::error_code none;
  return std::filesystem::is_regular_file(file, none) &&
         std::filesystem::is_regular_file(key_file, none) && read_text_file(key_file) == key;
}

// a part that did not become the log goes
class PartFileOf {
 public:
  explicit PartFileOf(std::filesystem::path part) : part_(std::move(part)) {}
  ~PartFileOf() {
    std::error_code none;
    std::filesystem::remove(part_, none);
  }
  PartFileOf(const PartFileOf&) = delete;
  PartFileOf& operator=(const PartFileOf&) = delete;

 private:
  std::filesystem::path part_;
};

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
  std::string own;
  for (const Node& tree : changed) own += yaml_text(tree);
  for (const auto& used : app.files) own += read_text_file(used);
  sources += own;
  std::filesystem::path key_file = file;
  key_file.replace_extension(".key");
  const std::string key = fingerprint_of(build_id() + own);
  if (is_made(file, key_file, key)) return;
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
  // under a name of its own until it is whole: nobody takes a part of it for the log, not after a
  // kill, nor another worker that reads it meanwhile
  std::filesystem::path part = file;
  part.replace_extension(fmt::format(".{}.part", getpid()));
  const PartFileOf guard(part);
  Recorder recorder(session, part, recording);
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
  std::error_code failed;
  std::filesystem::rename(part, file, failed);
  if (failed)
    throw refuse(fmt::format("cannot be kept as {}: {}", file.string(), failed.message()),
                 "look at the folder");
  std::ofstream(key_file, std::ios::binary) << key;
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
