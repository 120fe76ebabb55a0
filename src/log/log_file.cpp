#include "log/log_file.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/private_folder.hpp"
#include "log/hash_rows.hpp"
#include "log/log_layout.hpp"
#include "record/messages.hpp"
#include "record/metadata_checksum.hpp"
#include "robot/engine_versions.hpp"

namespace handspan {
namespace {

template <class Integer = std::int64_t>
Integer integer_of(const LogFile& log, const std::string& key) {
  const std::string& text = log.about(key);
  Integer value = 0;
  const auto end = text.data() + text.size();
  // one that is too large is read to its end, too
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (at != end || error != std::errc{} || text.empty())
    throw InputError(fmt::format("{}: its {} is '{}', which is not a number; the log is damaged",
                                 log.file().string(), key, shown(text)));
  return value;
}

template <class M>
void each(const McapReader& reader, const std::string& topic, Nanoseconds from,
          const std::function<void(const M&, const McapMessage&)>& visit) {
  if (reader.channel(topic) == nullptr) return;
  McapQuery query;
  query.topics = {topic};
  query.from = from;
  reader.messages(query, [&](const McapChannel&, const McapMessage& message) {
    visit(decode<M>(message.bytes), message);
    return true;
  });
}

}  // namespace

class LogFile::Folder : public PrivateFolder {
 public:
  Folder() : PrivateFolder("handspan-log-") {}
};

LogFile::LogFile(const std::filesystem::path& file, McapReader::Open how)
    : file_(file), reader_(file, how) {
  read_about();
  if (this->about(kVersionKey) != kFormat)
    throw InputError(fmt::format(
        "{}: its format is '{}'; this handspan reads format {}{}", file.string(),
        shown(this->about(kVersionKey)), kFormat,
        this->about(kVersionKey) == kFormerFormat
            ? ", and handspan 0.1 reads this one: its apps have other words (docs/renamed.md)"
            : ""));
  base_ = integer_of(*this, "base_period_ns");
  first_tick_ = integer_of(*this, "first_tick");
  if (base_ <= 0 || first_tick_ < 0)
    throw InputError(fmt::format("{}: its ticks are damaged", file.string()));
  if (how != McapReader::Open::kBySummary) find_lost();
}

// The first copy that holds. One without a checksum is of an older log, or its very key is damaged:
// another copy is worth more.
void LogFile::read_about() {
  std::string damage;
  bool found = false;
  for (const McapMetadataInfo& info : reader_.metadata()) {
    if (info.name != kRunMetadata) continue;
    found = true;
    try {
      McapMap map = reader_.metadata(info);
      const bool sure = map.contains(kChecksumKey);
      if (about_.empty() || sure) about_ = std::move(map);
      if (sure) return;
    } catch (const InputError& error) {
      damage = error.what();
    }
  }
  if (!about_.empty()) return;
  if (found) throw InputError(damage);
  throw InputError(fmt::format(
      "{}: it is an MCAP file, but no log of handspan: it has no metadata '{}'{}{}", file_.string(),
      kRunMetadata, reader_.damage().empty() ? "" : ";\n", reader_.damage()));
}

std::string LogFile::damage() const {
  std::string text = reader_.damage();
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  for (const LostTicks& lost : lost_)
    add(lost.last == INT64_MAX
            ? fmt::format("lost: the run from {:.3f} s on", seconds(lost.first * base_))
            : fmt::format("lost: the run from {:.3f} s to {:.3f} s", seconds(lost.first * base_),
                          seconds(lost.last * base_)));
  return text;
}

void LogFile::find_lost() {
  const std::int64_t end = ticks();
  for (const McapLoss& loss : reader_.losses()) {
    lost_.push_back({std::clamp(loss.from / base_, first_tick_, end),
                     loss.to / base_ >= end ? INT64_MAX : loss.to / base_});
  }
  // ticks without hashes: whoever wrote could not keep up
  std::int64_t next = first_tick_;
  each<messages::TickHashes>(
      reader_, kHashTopic, 0, [&](const messages::TickHashes& m, const McapMessage&) {
        const auto first = static_cast<std::int64_t>(m.first_tick);
        if (first > next && std::ranges::none_of(lost_, [&](const LostTicks& lost) {
              return lost.first <= first && lost.last >= next;
            }))
          lost_.push_back({next, first - 1});
        next = std::max(next, first + static_cast<std::int64_t>(hashed_ticks(m)));
      });
  std::ranges::sort(lost_, {}, &LostTicks::first);
  std::vector<LostTicks> joined;
  for (const LostTicks& lost : lost_)
    if (!joined.empty() && lost.first <= joined.back().last)
      joined.back().last = std::max(joined.back().last, lost.last);
    else
      joined.push_back(lost);
  lost_ = std::move(joined);
}

// A key frame at tick T is the state before T's inputs, and was written before them: one that is
// after what was lost, in the file, has them.
std::optional<std::int64_t> LogFile::resumes(const LostTicks& lost) const {
  for (const std::int64_t tick : key_frames())
    if (tick > lost.first && tick >= lost.last) return tick;
  return {};
}

const std::string& LogFile::about(const std::string& key) const {
  const auto found = about_.find(key);
  if (found == about_.end())
    throw InputError(
        fmt::format("{}: it does not say its {}; the log is damaged", file_.string(), key));
  return found->second;
}

std::optional<std::string> LogFile::imported() const {
  const auto found = about_.find(kImportedKey);
  return found == about_.end() ? std::nullopt : std::optional(found->second);
}

void LogFile::refuse_imported(const std::string& purpose) const {
  const auto from = imported();
  if (!from) return;
  throw InputError(fmt::format(
      "{}: it was imported from {} and has no app and no inputs, so that it cannot {}; an app "
      "repeats its episodes with replay_reference, and `handspan import-data ... --app APP` makes "
      "such an app and a log of its run",
      file_.string(), shown(*from), purpose));
}

std::int64_t LogFile::ticks() const {
  if (imported()) return reader_.statistics().last_time / base_ + 1;
  // the last message of hashes is near the end
  std::int64_t last = first_tick_;
  const Nanoseconds end = reader_.statistics().last_time;
  each<messages::TickHashes>(reader_, kHashTopic, std::max<Nanoseconds>(0, end - 2 * kSecond),
                             [&](const messages::TickHashes& m, const McapMessage&) {
                               last =
                                   std::max(last, static_cast<std::int64_t>(m.first_tick) +
                                                      static_cast<std::int64_t>(hashed_ticks(m)));
                             });
  return last;
}

App LogFile::app(const Parts& parts) {
  refuse_imported("be run again");
  if (!folder_) {
    folder_ = std::make_shared<Folder>();
    std::set<std::string> written;  // each file is there twice
    for (const auto& info : reader_.attachments()) {
      if (!info.name.starts_with(kFilePrefix) || written.contains(info.name)) continue;
      const std::filesystem::path relative = info.name.substr(std::strlen(kFilePrefix));
      // from a stranger's file: nothing is written elsewhere
      const auto normal = relative.lexically_normal();
      if (normal.empty() || normal.is_absolute() || *normal.begin() == "..")
        throw InputError(fmt::format("{}: an attachment has the path '{}'; the log is damaged",
                                     file_.string(), printable(info.name)));
      const auto path = folder_->path() / normal;
      std::filesystem::create_directories(path.parent_path());
      const McapAttachment attachment = reader_.attachment(info);
      std::ofstream out(path, std::ios::binary);
      out.write(reinterpret_cast<const char*>(attachment.bytes.data()),
                static_cast<std::streamsize>(attachment.bytes.size()));
      out.flush();
      if (!out)
        throw InputError(fmt::format("{}: cannot be written; is the disk of temporary files full?",
                                     path.string()));
      written.insert(info.name);
    }
  }
  const std::filesystem::path app_file = about("app_file");
  const auto normal = app_file.lexically_normal();
  if (normal.is_absolute() || *normal.begin() == "..")
    throw InputError(fmt::format("{}: its app has the path '{}'; the log is damaged",
                                 file_.string(), printable(app_file.string())));
  App app = [&] {
    try {
      return load_app(folder_->path() / normal, parts);
    } catch (const InputError& error) {
      // the folder is this object's: who reads it knows the log alone
      std::string text = error.what();
      const std::string folder = folder_->path().string() + "/";
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
        text.erase(at, folder.size());
      throw InputError(fmt::format("{}: in the files that it has: {}", file_.string(), text));
    }
  }();
  app.seed = integer_of<std::uint64_t>(*this, "seed");
  return app;
}

std::vector<LoggedInput> LogFile::inputs() const {
  std::vector<LoggedInput> inputs;
  each<messages::Input>(reader_, kInputTopic, 0, [&](const messages::Input& m, const McapMessage&) {
    LoggedInput logged;
    logged.tick = static_cast<std::int64_t>(m.tick);
    logged.input.kind = input_kind(m.kind);
    logged.input.to = m.source;
    logged.input.text = m.text;
    logged.input.stamp = m.integers.empty() ? m.header.stamp : m.integers.front();
    if (!logged.input.set(m.numbers))
      throw InputError(fmt::format("{}: an input at tick {} has {} numbers; {} is the most",
                                   file_.string(), m.tick, m.numbers.size(), kMostInputNumbers));
    inputs.push_back(logged);
  });
  return inputs;
}

std::vector<LoggedEvent> LogFile::events() const {
  std::vector<LoggedEvent> events;
  each<messages::Event>(reader_, kEventTopic, 0, [&](const messages::Event& m, const McapMessage&) {
    events.push_back({static_cast<std::int64_t>(m.tick), m.kind, m.name, m.text});
  });
  return events;
}

std::vector<Episode> LogFile::episodes() const {
  std::vector<Episode> episodes;
  std::string operator_name;
  std::map<std::string, LoggedEvent> authority;  // by reference
  bool open = false;
  for (const LoggedEvent& event : events()) {
    if (event.kind == "operator") operator_name = event.name;
    if (event.kind == "authority") {
      authority[event.name] = event;
      if (open) episodes.back().authority.push_back(event);
    }
    if (event.kind != "episode") continue;
    if (event.name == "start") {
      episodes.push_back({event.tick, event.tick, event.text, "unfinished", "", operator_name, {}});
      for (const auto& [reference, who] : authority) episodes.back().authority.push_back(who);
      open = true;
    } else if (open) {
      episodes.back().end = event.tick;
      episodes.back().outcome = event.name;
      episodes.back().remark = event.text;
      open = false;
    }
  }
  if (open) episodes.back().end = ticks();
  return episodes;
}

std::vector<HashedTicks> LogFile::hashes() const {
  std::vector<HashedTicks> runs;
  each<messages::TickHashes>(
      reader_, kHashTopic, 0, [&](const messages::TickHashes& m, const McapMessage&) {
        if (m.quantities != kQuantities || (hashed_ticks(m) == 0 && !m.hashes.empty()))
          throw InputError(
              fmt::format("{}: it has hashes of {} quantities and this handspan of {}; "
                          "replay it with the build that recorded it",
                          file_.string(), m.quantities, kQuantities));
        const auto first = static_cast<std::int64_t>(m.first_tick);
        if (runs.empty() || first != runs.back().first + std::ssize(runs.back().rows))
          runs.push_back({first, {}});
        const auto more = hash_rows(m);
        runs.back().rows.insert(runs.back().rows.end(), more.begin(), more.end());
      });
  return runs;
}

std::vector<std::int64_t> LogFile::key_frames() const {
  std::vector<std::int64_t> ticks;
  if (reader_.channel(kKeyFrameTopic) == nullptr) return ticks;
  McapQuery query;
  query.topics = {kKeyFrameTopic};
  reader_.messages(query, [&](const McapChannel&, const McapMessage& message) {
    const std::int64_t tick = message.log_time / base_;
    if (ticks.empty() || ticks.back() < tick) ticks.push_back(tick);
    return true;
  });
  return ticks;
}

std::pair<std::int64_t, std::vector<std::byte>> LogFile::key_frame(std::int64_t at) const {
  std::pair<std::int64_t, std::vector<std::byte>> found{-1, {}};
  if (reader_.channel(kKeyFrameTopic) != nullptr) {
    McapQuery query;
    query.topics = {kKeyFrameTopic};
    // key frames are a second apart; where some are missing, from the beginning
    for (const Nanoseconds from :
         {std::max<Nanoseconds>(0, (at - 1) * base_ - 2 * kSecond), Nanoseconds{0}}) {
      query.from = from;
      query.to = at * base_;
      reader_.messages(query, [&](const McapChannel&, const McapMessage& message) {
        const auto frame = decode<messages::KeyFrame>(message.bytes);
        found.first = static_cast<std::int64_t>(frame.tick);
        found.second.resize(frame.state.size());
        std::memcpy(found.second.data(), frame.state.data(), frame.state.size());
        return true;
      });
      if (found.first >= 0) return found;
    }
  }
  throw InputError(fmt::format("{}: it has no key frame at or before {:.3f} s", file_.string(),
                               seconds(at * base_)));
}

std::string LogFile::other_machine() const {
  std::string differs;
  const auto compare = [&](const std::string& key, const std::string& here) {
    const auto there = about_.find(key);
    if (there == about_.end() || there->second == here) return;
    differs +=
        fmt::format("{}{} was {} and is {}", differs.empty() ? "" : "; ", key, there->second, here);
  };
  compare("build", build_id());
  compare("cpu_features", cpu_features());
  for (const auto& [library, version] : engine_versions()) compare("version." + library, version);
  return differs;
}

std::vector<LoggedInput> at_their_stamps(std::vector<Input> inputs, Nanoseconds base) {
  std::vector<LoggedInput> result;
  result.reserve(inputs.size());
  std::int64_t last = 0;
  for (const Input& input : inputs) {
    // one whose time goes back comes when it came: after the one before
    const std::int64_t tick = std::max<std::int64_t>(0, (input.stamp + base - 1) / base);
    last = std::max(last, tick);
    result.push_back({last, input});
  }
  return result;
}

bool LogFeed::next(std::int64_t tick, Input& input) {
  // a session that was restored starts somewhere in between, or once more
  if (tick < last_ || (tick == last_ && finished_)) at_ = 0;
  last_ = tick;
  finished_ = false;
  while (at_ < inputs_.size() && inputs_[at_].tick < tick) ++at_;
  finished_ = at_ == inputs_.size() || inputs_[at_].tick != tick;
  if (finished_) return false;
  input = inputs_[at_++].input;
  return true;
}

}  // namespace handspan
