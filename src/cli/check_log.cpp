// handspan check LOG: what a log holds, whether it is whole, and a repaired copy.
#include "cli/check_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "log/log_file.hpp"
#include "log/log_layout.hpp"
#include "record/mcap_reader.hpp"
#include "record/repair.hpp"

namespace handspan {
namespace {

std::string value_of(const LogFile& log, const char* key) {
  const auto found = log.about().find(key);
  return found == log.about().end() ? std::string("unknown") : found->second;
}

double time_of(const LogFile& log, std::int64_t tick) { return seconds(tick * log.base_period()); }

void print_import(const LogFile& log, nlohmann::ordered_json& json) {
  const double length = time_of(log, log.ticks());
  fmt::print(
      "imported from {} by the reader {}, {:.3f} s: it has no app and cannot be run again; "
      "replay_reference repeats its episodes\n",
      shown(value_of(log, kImportedKey)), shown(value_of(log, kImportedAsKey)), length);
  for (const char* key : {kImportedKey, kImportedAsKey, "start", "build"})
    json[key] = value_of(log, key);
  json["seconds"] = length;
}

void print_run(const LogFile& log, nlohmann::ordered_json& json) {
  const auto value = [&](const char* key) { return value_of(log, key); };
  const auto time = [&](std::int64_t tick) { return time_of(log, tick); };
  fmt::print("app {} in scene {}, seed {}, recorded {} from {}\n", value("app"), value("scene"),
             value("seed"), value("record") == "full" ? "in full" : "by default", value("start"));
  fmt::print("{:.3f} s: ticks {} to {} of {} us, {} key frames\n",
             time(log.ticks() - log.first_tick()), log.first_tick(), log.ticks(),
             log.base_period() / 1000, log.key_frames().size());
  fmt::print("build {} ({}), cpu {}\n", value("build").substr(0, 12), value("compiler"),
             value("cpu"));
  for (const char* key : {"app", "scene", "seed", "record", "start", "build", "compiler", "cpu"})
    json[key] = value(key);
  json["seconds"] = time(log.ticks() - log.first_tick());
  json["first_tick"] = log.first_tick();
  json["ticks"] = log.ticks();
  json["base_period_ns"] = log.base_period();
  json["key_frames"] = log.key_frames().size();
}

void print_session(const LogFile& log, nlohmann::ordered_json& json) {
  const auto time = [&](std::int64_t tick) { return time_of(log, tick); };
  if (log.imported())
    print_import(log, json);
  else
    print_run(log, json);
  json["episodes"] = nlohmann::ordered_json::array();
  const auto episodes = log.episodes();
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const Episode& episode = episodes[e];
    json["episodes"].push_back({{"number", e + 1},
                                {"start", time(episode.start)},
                                {"end", time(episode.end)},
                                {"outcome", episode.outcome},
                                {"task", episode.task},
                                {"operator", episode.operator_name},
                                {"remark", episode.remark}});
    fmt::print(
        "episode {}: {:.3f} s to {:.3f} s, {}{}{}{}\n", e + 1, time(episode.start),
        time(episode.end), episode.outcome,
        episode.task.empty() ? "" : fmt::format(", task: {}", episode.task),
        episode.operator_name.empty() ? "" : fmt::format(", operator: {}", episode.operator_name),
        episode.remark.empty() ? "" : fmt::format(", {}", episode.remark));
  }
}

}  // namespace

int check_log(const std::filesystem::path& path, const std::filesystem::path& repair,
              nlohmann::ordered_json& json) {
  const McapReader reader(path, McapReader::Open::kChecked);
  const McapStatistics& s = reader.statistics();
  std::set<std::string> files;  // most are there twice
  for (const McapAttachmentInfo& info : reader.attachments()) files.insert(info.name);
  fmt::print("log '{}': {} messages on {} topics, {} attached files, {} chunks, by {}\n",
             path.string(), s.messages, reader.channels().size(), files.size(), s.chunks,
             reader.library());
  json["messages"] = s.messages;
  json["topics"] = reader.channels().size();
  json["files"] = files;
  json["chunks"] = s.chunks;
  json["library"] = reader.library();
  std::string damage = reader.damage();
  if (std::ranges::count(reader.metadata(), kRunMetadata, &McapMetadataInfo::name) > 0) {
    const LogFile log(path);
    json["session"] = nlohmann::ordered_json::object();
    print_session(log, json["session"]);
    damage = log.damage();
  } else {
    json["session"] = nullptr;
    fmt::print("it is not a log of a handspan session: it cannot be run again\n");
  }
  json["whole"] = damage.empty();
  json["damage"] = nlohmann::ordered_json::array();
  std::istringstream lines(damage);
  for (std::string line; std::getline(lines, line);) json["damage"].push_back(line);
  if (!repair.empty()) {
    refuse_overwriting(repair, "--repair");
    fmt::print("{}", repair_log(path, repair));
    fmt::print("\nrepaired copy: {}\n", repair.string());
    json["repaired_copy"] = repair.string();
    return kHolds;
  }
  if (damage.empty()) {
    fmt::print("{}: whole\n", path.string());
    return kHolds;
  }
  fmt::print("{}\n{}: NOT whole", damage, path.string());
  const bool repaired =
      std::ranges::count(reader.metadata(), kRepairedMetadata, &McapMetadataInfo::name) > 0;
  fmt::print("{}\n", repaired
                         ? "; it is a repaired copy, and the rest of it can be used"
                         : fmt::format("; handspan check {} --repair OUT writes a repaired copy",
                                       shell_word(path)));
  return kDoesNotHold;
}

bool is_log(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".mcap";
}

void refuse_other_logs(const std::filesystem::path& record) {
  std::error_code none;
  // a folder is told otherwise; a pipe or a terminal has no name to go by
  if (record.empty() || is_log(record) || std::filesystem::is_directory(record, none) ||
      std::filesystem::is_other(record, none))
    return;
  throw InputError(
      fmt::format("--record {}: logs are MCAP files; name it {}", printable(record.string()),
                  printable(std::filesystem::path(record).replace_extension(".mcap").string())));
}

}  // namespace handspan
