// handspan check LOG: what a log holds, whether it is whole, and a repaired copy.
#include "cli/check_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "record/mcap_reader.hpp"
#include "record/repair.hpp"
#include "session/log_file.hpp"
#include "session/log_layout.hpp"

namespace handspan {
namespace {

void print_session(const LogFile& log) {
  const auto value = [&](const char* key) {
    const auto found = log.about().find(key);
    return found == log.about().end() ? std::string("unknown") : found->second;
  };
  const auto time = [&](std::int64_t tick) { return seconds(tick * log.base_period()); };
  fmt::print("app {} in scene {}, seed {}, recorded {} from {}\n", value("app"), value("scene"),
             value("seed"), value("record") == "full" ? "in full" : "by default", value("start"));
  fmt::print("{:.3f} s: ticks {} to {} of {} us, {} key frames\n",
             time(log.ticks() - log.first_tick()), log.first_tick(), log.ticks(),
             log.base_period() / 1000, log.key_frames().size());
  fmt::print("build {} ({}), cpu {}\n", value("build").substr(0, 12), value("compiler"),
             value("cpu"));
  const auto episodes = log.episodes();
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const Episode& episode = episodes[e];
    fmt::print(
        "episode {}: {:.3f} s to {:.3f} s, {}{}{}{}\n", e + 1, time(episode.start),
        time(episode.end), episode.outcome,
        episode.task.empty() ? "" : fmt::format(", task: {}", episode.task),
        episode.operator_name.empty() ? "" : fmt::format(", operator: {}", episode.operator_name),
        episode.remark.empty() ? "" : fmt::format(", {}", episode.remark));
  }
}

}  // namespace

int check_log(const std::filesystem::path& path, const std::filesystem::path& repair) {
  const McapReader reader(path, McapReader::Open::kChecked);
  const McapStatistics& s = reader.statistics();
  std::set<std::string> files;  // most are there twice
  for (const McapAttachmentInfo& info : reader.attachments()) files.insert(info.name);
  fmt::print("log '{}': {} messages on {} topics, {} attached files, {} chunks, by {}\n",
             path.string(), s.messages, reader.channels().size(), files.size(), s.chunks,
             reader.library());
  std::string damage = reader.damage();
  if (std::ranges::count(reader.metadata(), kRunMetadata, &McapMetadataInfo::name) > 0) {
    const LogFile log(path);
    print_session(log);
    damage = log.damage();
  } else {
    fmt::print("it is no log of a handspan session: it cannot be run again\n");
  }
  if (!repair.empty()) {
    refuse_overwriting(repair, "--repair");
    fmt::print("{}", mend_log(path, repair));
    fmt::print("\nrepaired copy: {}\n", repair.string());
    return kHolds;
  }
  if (damage.empty()) {
    fmt::print("{}: whole\n", path.string());
    return kHolds;
  }
  fmt::print("{}\n{}: NOT whole", damage, path.string());
  const bool mended =
      std::ranges::count(reader.metadata(), kMendedMetadata, &McapMetadataInfo::name) > 0;
  fmt::print("{}\n",
             mended ? "; it is a repaired copy, and what it has can be read"
                    : fmt::format("; handspan check {} --repair OUT writes a repaired copy", shell_word(path)));
  return kDoesNotHold;
}

bool is_log(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".mcap";
}

}  // namespace handspan
