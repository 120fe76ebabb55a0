// The log of an import: its channels under the topics of the recorder's, and its episodes as
// events.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "data/data_import.hpp"
#include "log/channel_messages.hpp"
#include "log/channel_streams.hpp"
#include "log/log_layout.hpp"
#include "record/mcap_writer.hpp"
#include "record/metadata_checksum.hpp"

namespace handspan {
namespace {

// "ticks" of such a log: what episodes and events are counted in [ns]
constexpr Nanoseconds kTick = 1000;
constexpr Nanoseconds kBetween = kSecond;  // two episodes

// The file while it is written: it goes unless it became what it is for.
class UnfinishedLog {
 public:
  explicit UnfinishedLog(const std::filesystem::path& file)
      : file_(file), part_(file.string() + ".part") {}
  ~UnfinishedLog() {
    std::error_code failed;
    std::filesystem::remove(part_, failed);
  }
  UnfinishedLog(const UnfinishedLog&) = delete;
  UnfinishedLog& operator=(const UnfinishedLog&) = delete;
  const std::filesystem::path& path() const { return part_; }
  void becomes_the_file() const {
    std::error_code failed;
    std::filesystem::rename(part_, file_, failed);
    if (failed)
      throw InputError(
          fmt::format("{}: it cannot be written ({}); see that the folder is there "
                      "and may be written to",
                      file_.string(), failed.message()));
  }

 private:
  std::filesystem::path file_, part_;
};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char date[32] = {};
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return date;
}

class ImportedLog {
 public:
  ImportedLog(const std::filesystem::path& file, const std::string& source, const std::string& kind)
      : writer_(file, options()) {
    McapMap about = {{kVersionKey, kFormat},
                     {kImportedKey, source},
                     {kImportedAsKey, kind},
                     {"record", "full"},
                     {"base_period_ns", std::to_string(kTick)},
                     {"first_tick", "0"},
                     {"start", utc_now()},
                     {"build", build_id()}};
    about[kChecksumKey] = checksum_of(about);
    writer_.metadata(kRunMetadata, about);
    const MessageType& type = message_type<messages::Event>();
    events_ = writer_.add_channel(kEventTopic, writer_.add_schema(std::string(type.name), "ros2msg",
                                                                  std::string(type.definition)));
  }

  void add(const ImportedEpisode& episode, const std::vector<ChannelInfo>& channels) {
    if (streams_.empty()) declare(channels);
    Nanoseconds begin = 0, end = 0;
    for (const ImportedSeries& series : episode.series) {
      begin = std::max(begin, series.times.front());
      end = std::max(end, series.times.back());
    }
    // it begins when all channels have a value, at a whole second
    const Nanoseconds from = (next_ + begin + kSecond - 1) / kSecond * kSecond;
    const Nanoseconds shift = from - begin;
    struct Due {
      Nanoseconds time;
      std::size_t channel, row;
    };
    std::vector<Due> due;
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (std::size_t row = 0; row < episode.series[c].times.size(); ++row)
        due.push_back({episode.series[c].times[row] + shift, c, row});
    std::ranges::stable_sort(due, {}, &Due::time);
    bool begun = false;
    for (const Due& each : due) {
      if (!begun && each.time >= from) {
        if (!episode.about.operator_name.empty() && episode.about.operator_name != operator_)
          event(from, "operator", operator_ = episode.about.operator_name, "");
        event(from, "episode", "start", episode.about.task);
        begun = true;
      }
      write(each.time, streams_[each.channel], channels[each.channel].size,
            episode.series[each.channel].values, each.row);
    }
    event(end + shift, "episode", episode.about.outcome, "imported: " + episode.about.name);
    next_ = end + shift + kBetween;
  }

  void finish() { writer_.finish(); }

 private:
  struct Stream {
    std::uint16_t channel = 0;
    LogEncoder encode;
  };

  static McapOptions options() {
    McapOptions options;
    options.chunk_time = 10 * kSecond;
    options.by_channel = true;
    return options;
  }

  void declare(const std::vector<ChannelInfo>& channels) {
    for (const ChannelInfo& info : channels) {
      ChannelMessage message = message_of(info);
      const std::uint16_t schema = writer_.add_schema(std::string(message.type.name), "ros2msg",
                                                      std::string(message.type.definition));
      streams_.push_back({writer_.add_channel(topic_of(info.name), schema, channel_about(info)),
                          std::move(message.encode)});
    }
  }

  void write(Nanoseconds time, const Stream& stream, std::size_t size,
             const std::vector<double>& values, std::size_t row) {
    const auto tick = static_cast<std::uint64_t>(time / kTick);
    bytes_.clear();
    stream.encode({time, time, tick, std::as_bytes(std::span(values).subspan(row * size, size))},
                  bytes_);
    writer_.write({stream.channel, static_cast<std::uint32_t>(tick), time, time, bytes_});
  }

  // an episode's first and last row are within its ticks
  void event(Nanoseconds time, const char* kind, const std::string& name, const std::string& text) {
    messages::Event m;
    m.header.stamp = time;
    m.tick = static_cast<std::uint64_t>((time + kTick - 1) / kTick);
    m.kind = kind;
    m.name = name;
    m.text = text;
    encode(m, bytes_);
    writer_.write({events_, static_cast<std::uint32_t>(m.tick), time, time, bytes_});
  }

  McapWriter writer_;
  std::uint16_t events_ = 0;
  std::vector<Stream> streams_;
  Bytes bytes_;
  std::string operator_;
  Nanoseconds next_ = 0;
};

}  // namespace

ImportReport import_data(DataReader& reader, const ImportPlan& plan, const std::string& kind,
                         const std::filesystem::path& out,
                         const std::function<void(double share)>& progress) {
  DataImport import(reader, plan);
  if (out.has_parent_path()) {
    std::error_code failed;
    std::filesystem::create_directories(out.parent_path(), failed);
  }
  const UnfinishedLog unfinished(out);
  ImportReport report;
  {
    ImportedLog log(unfinished.path(), std::filesystem::path(reader.source()).filename().string(),
                    kind);
    for (const std::size_t e : import.episodes()) {
      if (progress)
        progress(static_cast<double>(report.episodes) /
                 static_cast<double>(import.episodes().size()));
      const ImportedEpisode episode = import.episode(e);
      log.add(episode, import.channels());
      ++report.episodes;
      report.rows += episode.rows;
      Nanoseconds end = 0;
      for (const ImportedSeries& series : episode.series) end = std::max(end, series.times.back());
      report.seconds += seconds(end);
    }
    log.finish();
  }
  unfinished.becomes_the_file();
  report.channels = import.channels();
  return report;
}

}  // namespace handspan
