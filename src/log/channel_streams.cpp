#include "log/channel_streams.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "log/log_layout.hpp"
#include "record/messages.hpp"
#include "reference/wrench_reference.hpp"

namespace handspan {
namespace {

std::span<const double> doubles(ByteSpan raw) {
  return {reinterpret_cast<const double*>(raw.data()), raw.size() / sizeof(double)};
}

bool holds_doubles(ChannelType type) {
  return type == ChannelType::kNumber || type == ChannelType::kVector || type == ChannelType::kPose;
}

McapMap about(const ChannelInfo& info) {
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

// NAME.q, NAME.v and, where there is one, NAME.tau of the same joints; else nothing
std::vector<ChannelId> joints_of(const ChannelTable& table, const ChannelInfo& q) {
  std::vector<ChannelId> found;
  if (!q.name.ends_with(".q") || q.labels.empty()) return found;
  const std::string name = q.name.substr(0, q.name.size() - 2);
  for (const char* part : {".q", ".v", ".tau"})
    for (const ChannelId id : table.select(name + part))
      if (table.info(id).labels == q.labels) found.push_back(id);
  if (found.size() < 2 || !table.info(found[1]).name.ends_with(".v")) found.clear();
  return found;
}

// in whose axes a sensor's wrench, or the reference of one, is; none: the channel is not a wrench
std::optional<std::string> wrench_frame(Session& session, const std::string& channel) {
  for (const SensorLayout& sensor : session.plant().layout().sensors)
    if (channel == sensor.name + ".wrench") return sensor.frame;
  const Arbiter& arbiter = session.arbiter();
  for (const ReferenceIndex r : arbiter.references()) {
    const auto* wrench = dynamic_cast<const WrenchReference*>(&arbiter.reference(r));
    if (wrench != nullptr && channel == "reference." + wrench->name() + ".wrench")
      return wrench->wrench_task().frame();
  }
  return std::nullopt;
}

void encode_pose(const LogSample& sample, Bytes& out) {
  const auto x = doubles(sample.raw);
  messages::PoseStamped m;
  m.header = {sample.source_stamp, "world"};
  std::copy_n(x.begin(), 3, m.position.begin());
  std::copy_n(x.begin() + 3, 4, m.orientation.begin());
  encode(m, out);
}

}  // namespace

ChannelStreams::ChannelStreams(Session& session, LogWriter& writer, bool every_write)
    : writer_(writer), every_write_(every_write) {
  const ChannelTable& table = session.channels();
  const auto& channels = table.channels();
  std::vector<bool> done(channels.size(), false);
  for (const ChannelInfo& info : channels) {
    const auto joints = joints_of(table, info);
    if (joints.empty()) continue;
    add_joints(table, joints);
    for (const ChannelId id : joints) done[id.index] = true;
  }
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (!done[i]) add_channel(session, {i});
}

void ChannelStreams::add(const std::string& topic, const MessageType& type, const McapMap& about,
                         LogEncoder encoder, const ChannelTable& table,
                         std::vector<ChannelId> channels) {
  Stream stream;
  stream.id = writer_.add(topic, type, about, std::move(encoder));
  stream.doubles = holds_doubles(table.info(channels.front()).type);
  std::size_t size = 0;
  for (const ChannelId id : channels) size += sizeof(double) * table.info(id).size;
  stream.channels = std::move(channels);
  stream.last.resize(size);
  raw_.resize(std::max(raw_.size(), size));
  streams_.push_back(std::move(stream));
}

void ChannelStreams::add_joints(const ChannelTable& table, const std::vector<ChannelId>& channels) {
  const ChannelInfo& q = table.info(channels.front());
  const std::string name = q.name.substr(0, q.name.size() - 2);
  McapMap map = about(q);
  map["channel"] = name;
  map["type"] = "group";
  // without torques that list stays empty, as ROS has it
  add(
      topic_of(name) + "/joint_states", message_type<messages::JointState>(), map,
      [names = q.labels, m = messages::JointState()](const LogSample& sample, Bytes& out) mutable {
        const auto x = doubles(sample.raw);
        const auto n = static_cast<std::ptrdiff_t>(names.size());
        m.header.stamp = sample.source_stamp;
        m.name = names;
        m.position.assign(x.begin(), x.begin() + n);
        m.velocity.assign(x.begin() + n, x.begin() + 2 * n);
        m.effort.assign(x.begin() + 2 * n, x.end());
        encode(m, out);
      },
      table, channels);
}

void ChannelStreams::add_channel(Session& session, ChannelId channel) {
  const ChannelTable& table = session.channels();
  const ChannelInfo& info = table.info(channel);
  const auto with = [&](const MessageType& type, LogEncoder encoder) {
    add(topic_of(info.name), type, about(info), std::move(encoder), table, {channel});
  };
  switch (info.type) {
    case ChannelType::kPose:
      with(message_type<messages::PoseStamped>(), encode_pose);
      return;
    case ChannelType::kInteger:
    case ChannelType::kBoolean:
    case ChannelType::kChoice:
      with(message_type<messages::Integer>(),
           [words = info.choices](const LogSample& sample, Bytes& out) {
             messages::Integer m;
             m.header.stamp = sample.source_stamp;
             std::memcpy(&m.value, sample.raw.data(), sizeof m.value);
             if (m.value >= 0 && static_cast<std::size_t>(m.value) < words.size())
               m.word = words[static_cast<std::size_t>(m.value)];
             encode(m, out);
           });
      return;
    case ChannelType::kNumber:
    case ChannelType::kVector:
      break;
  }
  const auto frame = wrench_frame(session, info.name);
  if (!frame) {
    with(message_type<messages::Vector>(), [](const LogSample& sample, Bytes& out) {
      encode_vector(sample.source_stamp, doubles(sample.raw), out);
    });
    return;
  }
  with(message_type<messages::WrenchStamped>(),
       [frame = *frame](const LogSample& sample, Bytes& out) {
         const auto x = doubles(sample.raw);
         messages::WrenchStamped m;
         m.header = {sample.source_stamp, frame};
         std::copy_n(x.begin(), 3, m.force.begin());
         std::copy_n(x.begin() + 3, 3, m.torque.begin());
         encode(m, out);
       });
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
