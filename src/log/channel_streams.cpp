#include "log/channel_streams.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "log/log_layout.hpp"

namespace handspan {

McapMap channel_about(const ChannelInfo& info) {
  McapMap map = {
      {"channel", info.name}, {"type", name_of(info.type)}, {"unit", info.unit}, {"doc", info.doc}};
  std::string labels;
  for (const auto& label : info.type == ChannelType::kChoice ? info.choices : info.labels)
    labels += (labels.empty() ? "" : " ") + label;
  if (!labels.empty()) map["labels"] = labels;
  // what does not change is written once a second: a line between two values is not a truth
  map["between"] = "hold last value";
  return map;
}

ChannelStreams::ChannelStreams(const ChannelTable& table, LogWriter& writer, bool every_write)
    : writer_(writer), every_write_(every_write) {
  const auto& channels = table.channels();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const ChannelInfo& info = channels[i];
    if (info.joints.empty()) {
      add(topic_of(info.name), message_of(info), channel_about(info), table, {ChannelId{i}});
      continue;
    }
    // with the first part of a joint state all of it
    std::vector<ChannelId> parts;
    for (std::size_t p = 0; p < channels.size(); ++p)
      if (channels[p].joints == info.joints) parts.push_back({p});
    if (parts.front().index != i) continue;
    McapMap map = channel_about(info);
    map["channel"] = info.joints;
    map["type"] = "group";
    add(topic_of(info.joints) + "/joint_states", joint_message(info.labels), map, table,
        std::move(parts));
  }
}

void ChannelStreams::add(const std::string& topic, ChannelMessage message, const McapMap& about,
                         const ChannelTable& table, std::vector<ChannelId> channels) {
  Stream stream;
  stream.id = writer_.add(topic, message.type, about, std::move(message.encode));
  stream.doubles = holds_doubles(table.info(channels.front()).type);
  std::size_t size = 0;
  for (const ChannelId id : channels) size += sizeof(double) * table.info(id).size;
  stream.channels = std::move(channels);
  stream.last.resize(size);
  raw_.resize(std::max(raw_.size(), size));
  streams_.push_back(std::move(stream));
}

void ChannelStreams::copy(const Stream& stream, const ChannelTable& table,
                          std::span<std::byte> to) noexcept {
  if (!stream.doubles) {
    const std::int64_t x = table.integer(stream.channels.front());
    std::memcpy(to.data(), &x, sizeof x);
    return;
  }
  std::byte* at = to.data();
  for (const ChannelId channel : stream.channels) {
    const auto x = table.numbers(channel);
    const std::size_t size = sizeof(double) * static_cast<std::size_t>(x.size());
    std::memcpy(at, x.data(), size);
    at += size;
  }
}

void ChannelStreams::push(const ChannelTable& table, std::int64_t tick, Nanoseconds now,
                          bool all) noexcept {
  const auto t = static_cast<std::uint64_t>(tick);
  for (Stream& stream : streams_) {
    const ChannelId first = stream.channels.front();
    const std::uint64_t writes = table.writes(first);
    if (writes == stream.seen && !all) continue;
    stream.seen = writes;
    const Nanoseconds stamp = table.stamp(first);
    if (every_write_) {
      const auto room = writer_.reserve(stream.id, now, stamp, t, stream.last.size());
      if (room.data() == nullptr) continue;
      copy(stream, table, room);
      writer_.commit();
      continue;
    }
    // what stays as it is is said once a second
    const std::span<std::byte> raw(raw_.data(), stream.last.size());
    copy(stream, table, raw);
    if (!all && std::memcmp(raw.data(), stream.last.data(), raw.size()) == 0) continue;
    std::memcpy(stream.last.data(), raw.data(), raw.size());
    writer_.push(stream.id, now, stamp, t, raw);
  }
}

}  // namespace handspan
