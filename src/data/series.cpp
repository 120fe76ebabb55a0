#include "data/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/escape.hpp"
#include "core/suggest.hpp"
#include "log/channel_messages.hpp"

namespace handspan {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

const std::vector<std::string> kPoseColumns = {"x", "y", "z", "qx", "qy", "qz", "qw"};
constexpr char kPoseUnits[] = "m, m, m, , , , ";

void fit_columns(Series& s, std::size_t n) {
  if (s.columns.size() == n) return;
  s.columns.clear();
  for (std::size_t i = 0; i < n; ++i)
    s.columns.push_back(n == 1 ? std::string("value") : std::to_string(i));
}

// How the numbers of a topic's messages lie in them. Messages of one topic differ in their stamp
// and their numbers only, as a rule: names, frames and counts stay. So what is laid out as the
// first one was is copied, and everything else is decoded.
class SeriesLayout {
 public:
  struct Block {
    std::size_t offset = 0, count = 0;  // in bytes; of doubles
  };

  /// @param parts the numbers that were decoded from the message, in the order of their lists
  /// @param tail bytes after the last of them
  void learn(ByteSpan message, const std::vector<std::span<const double>>& parts,
             std::size_t tail = 0) {
    first_.assign(message.begin(), message.end());
    blocks_.clear();
    // from the end: before the numbers of a list is its count, padded to 8 bytes
    std::size_t end = message.size() - std::min(tail, message.size());
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      const std::size_t size = part->size_bytes();
      if (part->empty() || end < size + kStampEnd ||
          std::memcmp(message.data() + end - size, part->data(), size) != 0)
        return blocks_.clear();
      blocks_.insert(blocks_.begin(), {end - size, part->size()});
      end = blocks_.front().offset - std::min<std::size_t>(8, blocks_.front().offset);
    }
  }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Whether the numbers of a message are where those of the first one were.
  bool fits(ByteSpan message) const {
    if (blocks_.empty() || message.size() != first_.size()) return false;
    const auto same = [&](std::size_t from, std::size_t to) {
      return std::memcmp(message.data() + from, first_.data() + from, to - from) == 0;
    };
    if (!same(0, kStamp)) return false;
    std::size_t from = kStampEnd;
    for (const Block& block : blocks_) {
      if (!same(from, block.offset)) return false;
      from = block.offset + block.count * sizeof(double);
    }
    return same(from, message.size());
  }

 private:
  // of the header, which may differ: the messages' publish time is what is used
  static constexpr std::size_t kStamp = 4, kStampEnd = 12;
  Bytes first_;
  std::vector<Block> blocks_;
};

// One topic of a log and the series that come of it: one, or the three of a joint state.
class SeriesTopic {
 public:
  SeriesTopic(const LogFile& log, const McapChannel& channel)
      : log_(log), schema_(log.reader().schema(channel.schema)) {
    if (schema_ == nullptr)
      throw InputError(
          fmt::format("{}: the channel {} has no schema, so that nobody knows what its messages "
                      "are; the log is "
                      "damaged, or another program wrote it",
                      log.file().string(), channel.topic));
    const auto& about = channel.metadata;
    const auto text = [&](const char* key) {
      const auto found = about.find(key);
      return found == about.end() ? std::string() : found->second;
    };
    group_ = text("type") == "group";
    Series s;
    s.name = text("channel");
    s.unit = text("unit");
    s.type = channel_type(text("type"));
    const std::vector<std::string> labels = split(text("labels"));
    (s.type == ChannelType::kChoice ? s.choices : s.columns) = labels;
    if (s.type == ChannelType::kPose) {
      s.columns = kPoseColumns;
      s.unit = kPoseUnits;
    }
    doc_ = text("doc");
    series_.push_back(s);
    if (!group_) return;
    series_.push_back(s);
    series_.push_back(s);
    series_[0].name += ".q";
    series_[1].name += ".v";
    series_[1].unit += "/s";
    series_[2].name += ".tau";
    series_[2].unit = "N m";
  }

  const std::vector<Series>& series() const { return series_; }
  std::vector<Series> take() { return std::move(series_); }
  const std::string& doc() const { return doc_; }

  void add(const McapMessage& message) {
    const std::int64_t tick = message.log_time / log_.base_period();
    // key frames repeat what was recorded at that tick already
    if (!series_[0].ticks.empty() && series_[0].ticks.back() == tick) return;
    if (layout_.fits(message.bytes)) {
      const auto& blocks = layout_.blocks();
      for (std::size_t b = 0; b < blocks.size(); ++b)
        copy_row(series_[b], message, tick, blocks[b]);
      return;
    }
    if (group_) {
      add_joints(message, tick);
      return;
    }
    Series& s = series_[0];
    read_channel(schema_->name, message.bytes, values_, word_);
    if (s.ticks.empty() && holds_doubles(s.type)) layout_.learn(message.bytes, {values_});
    add_row(s, message, tick, values_);
    if (s.type != ChannelType::kChoice || values_.empty()) return;
    s.words.push_back(word_);
    const auto choice = static_cast<std::size_t>(std::clamp(values_[0], 0.0, 255.0));
    if (s.choices.size() <= choice) s.choices.resize(choice + 1);
    s.choices[choice] = word_;
  }

 private:
  void add_row(Series& to, const McapMessage& message, std::int64_t tick,
               std::span<const double> row) const {
    if (to.ticks.empty()) fit_columns(to, row.size());
    if (row.size() != to.columns.size())
      throw InputError(fmt::format(
          "{}: at tick {} {} has {} elements, and {} before; the log is "
          "damaged",
          printable(log_.file().string()), tick, shown(to.name), row.size(), to.columns.size()));
    to.ticks.push_back(tick);
    to.stamps.push_back(message.publish_time);
    to.values.insert(to.values.end(), row.begin(), row.end());
  }
  static void copy_row(Series& to, const McapMessage& message, std::int64_t tick,
                       const SeriesLayout::Block& block) {
    to.ticks.push_back(tick);
    to.stamps.push_back(message.publish_time);
    const std::size_t at = to.values.size();
    to.values.resize(at + block.count);
    std::memcpy(to.values.data() + at, message.bytes.data() + block.offset,
                block.count * sizeof(double));
  }
  void add_joints(const McapMessage& message, std::int64_t tick) {
    const auto m = decode<messages::JointState>(message.bytes);
    if (series_[0].ticks.empty()) {
      for (Series& each : series_) each.columns = m.name;
      std::vector<std::span<const double>> parts = {m.position, m.velocity};
      if (!m.effort.empty()) parts.emplace_back(m.effort);
      // without efforts only their count follows
      layout_.learn(message.bytes, parts, m.effort.empty() ? sizeof(std::uint32_t) : 0);
    }
    add_row(series_[0], message, tick, m.position);
    add_row(series_[1], message, tick, m.velocity);
    if (!m.effort.empty()) add_row(series_[2], message, tick, m.effort);
  }

  const LogFile& log_;
  const McapSchema* schema_;
  bool group_ = false;
  std::string doc_;
  std::vector<Series> series_;
  SeriesLayout layout_;
  std::vector<double> values_;
  std::string word_;
};

bool is_series(const McapChannel& channel) {
  return channel.metadata.contains("channel") && channel.metadata.contains("type");
}

}  // namespace

std::vector<std::string> element_units(std::string_view unit, std::size_t elements) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= unit.size();) {
    const std::size_t end = std::min(unit.find(", ", at), unit.size());
    parts.emplace_back(unit.substr(at, end - at));
    at = end + 2;
  }
  if (parts.empty()) parts.emplace_back();
  std::vector<std::string> units(elements, std::string(unit));
  if (elements % parts.size() == 0)
    for (std::size_t e = 0; e < elements; ++e) units[e] = parts[e * parts.size() / elements];
  return units;
}

std::vector<std::string> column_names(const ChannelInfo& info) {
  if (info.type == ChannelType::kPose) {
    ChannelInfo pose = info;
    pose.type = ChannelType::kVector;
    pose.labels = kPoseColumns;
    pose.unit = kPoseUnits;
    return column_names(pose);
  }
  const auto units = element_units(info.unit, info.size);
  std::vector<std::string> names;
  for (std::size_t e = 0; e < info.size; ++e) {
    const std::string label = e < info.labels.size() ? info.labels[e]
                              : info.size == 1       ? "value"
                                                     : std::to_string(e);
    names.push_back(units[e].empty() ? label : fmt::format("{} [{}]", label, units[e]));
  }
  return names;
}

std::vector<ChannelInfo> channels_of(const LogFile& log) {
  std::vector<ChannelInfo> all;
  for (const McapChannel& channel : log.reader().channels()) {
    if (!is_series(channel)) continue;
    // its first message says how many elements there are, and whether joints have efforts
    SeriesTopic topic(log, channel);
    McapQuery query;
    query.topics = {channel.topic};
    log.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
      topic.add(message);
      return false;
    });
    const std::string doc = topic.doc();
    for (Series& s : topic.take()) {
      if (s.ticks.empty()) continue;
      ChannelInfo info;
      info.name = s.name;
      info.type = s.type;
      info.unit = s.unit;
      info.doc = doc;
      info.size = s.values.size();
      info.choices = s.choices;
      info.labels = s.columns;
      all.push_back(std::move(info));
    }
  }
  return all;
}

std::vector<Series> series_of(const LogFile& log, const std::vector<std::string>& only) {
  const auto wanted = [&](const std::string& name) {
    return only.empty() || std::ranges::count(only, name) > 0;
  };
  std::vector<SeriesTopic> topics;
  std::vector<int> topic_of_id;  // by the channel's id; -1: not read
  McapQuery query;
  for (const McapChannel& channel : log.reader().channels()) {
    if (!is_series(channel)) continue;
    SeriesTopic topic(log, channel);
    if (std::ranges::none_of(topic.series(), wanted, &Series::name)) continue;
    if (topic_of_id.size() <= channel.id) topic_of_id.resize(channel.id + std::size_t{1}, -1);
    topic_of_id[channel.id] = static_cast<int>(topics.size());
    query.topics.push_back(channel.topic);
    topics.push_back(std::move(topic));
  }
  if (!topics.empty())
    log.reader().messages(query, [&](const McapChannel& channel, const McapMessage& message) {
      // another channel may have the same topic
      if (channel.id < topic_of_id.size() && topic_of_id[channel.id] >= 0)
        topics[static_cast<std::size_t>(topic_of_id[channel.id])].add(message);
      return true;
    });
  std::vector<Series> all;
  for (SeriesTopic& topic : topics)
    for (Series& each : topic.take())
      if (!each.ticks.empty() && wanted(each.name)) all.push_back(std::move(each));
  for (const std::string& name : only) {
    if (std::ranges::count(all, name, &Series::name) > 0) continue;
    std::vector<std::string> names;
    for (const ChannelInfo& info : channels_of(log)) names.push_back(info.name);
    throw InputError(fmt::format("{}: there is no channel '{}'; {}", printable(log.file().string()),
                                 shown(name), did_you_mean(name, names, "it has")));
  }
  return all;
}

}  // namespace handspan
