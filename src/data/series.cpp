#include "data/series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "record/messages.hpp"

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
const std::vector<std::string> kWrenchColumns = {"fx", "fy", "fz", "tx", "ty", "tz"};

ChannelType type_of(const std::string& name) {
  for (const ChannelType type : {ChannelType::kNumber, ChannelType::kVector, ChannelType::kPose,
                                 ChannelType::kInteger, ChannelType::kBoolean})
    if (name == name_of(type)) return type;
  return name == name_of(ChannelType::kChoice) ? ChannelType::kChoice : ChannelType::kVector;
}

void fit_columns(Series& s, std::size_t n) {
  if (s.columns.size() == n) return;
  s.columns.clear();
  for (std::size_t i = 0; i < n; ++i)
    s.columns.push_back(n == 1 ? std::string("value") : std::to_string(i));
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

std::vector<Series> series_of(const LogFile& log) {
  std::vector<Series> all;
  for (const McapChannel& channel : log.reader().channels()) {
    const auto name = channel.metadata.find("channel"), type = channel.metadata.find("type");
    if (name == channel.metadata.end() || type == channel.metadata.end()) continue;
    const auto unit = channel.metadata.find("unit"), labels = channel.metadata.find("labels");
    const bool group = type->second == "group";
    Series s;
    s.name = name->second;
    if (unit != channel.metadata.end()) s.unit = unit->second;
    s.type = type_of(type->second);
    if (labels != channel.metadata.end() && s.type != ChannelType::kChoice)
      s.columns = split(labels->second);
    Series v = s, tau = s;
    if (group) {
      s.name += ".q";
      v.name += ".v";
      v.unit += "/s";
      tau.name += ".tau";
      tau.unit = "N m";
    }
    const McapSchema* schema = log.reader().schema(channel.schema);
    if (schema == nullptr)
      throw InputError(
          fmt::format("{}: the channel {} has no schema, so that nobody knows what its messages "
                      "are; the log is "
                      "damaged, or another program wrote it",
                      log.file().string(), channel.topic));
    McapQuery query;
    query.topics = {channel.topic};
    log.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
      const std::int64_t tick = message.log_time / log.base_period();
      const auto add = [&](Series& to, std::span<const double> values) {
        // key frames repeat what was recorded at that tick already
        if (!to.ticks.empty() && to.ticks.back() == tick) return;
        fit_columns(to, values.size());
        to.ticks.push_back(tick);
        to.stamps.push_back(message.publish_time);
        to.values.insert(to.values.end(), values.begin(), values.end());
      };
      if (group) {
        const auto m = decode<messages::JointState>(message.bytes);
        s.columns = v.columns = tau.columns = m.name;
        add(s, m.position);
        add(v, m.velocity);
        if (!m.effort.empty()) add(tau, m.effort);
      } else if (type->second == "pose") {
        const auto m = decode<messages::PoseStamped>(message.bytes);
        s.columns = kPoseColumns;
        s.unit = kPoseUnits;
        add(s, std::vector<double>{m.position[0], m.position[1], m.position[2], m.orientation[0],
                                   m.orientation[1], m.orientation[2], m.orientation[3]});
      } else if (schema->name == message_type<messages::WrenchStamped>().name) {
        const auto m = decode<messages::WrenchStamped>(message.bytes);
        s.columns = kWrenchColumns;
        add(s, std::vector<double>{m.force[0], m.force[1], m.force[2], m.torque[0], m.torque[1],
                                   m.torque[2]});
      } else if (type->second == "number" || type->second == "vector") {
        add(s, decode<messages::Vector>(message.bytes).values);
      } else {
        const auto m = decode<messages::Integer>(message.bytes);
        const std::size_t before = s.ticks.size();
        add(s, std::vector<double>{static_cast<double>(m.value)});
        if (s.type != ChannelType::kChoice || s.ticks.size() == before) return true;
        s.words.push_back(m.word);
        const auto word = static_cast<std::size_t>(std::clamp<std::int64_t>(m.value, 0, 255));
        if (s.choices.size() <= word) s.choices.resize(word + 1);
        s.choices[word] = m.word;
      }
      return true;
    });
    for (Series* each : {&s, &v, &tau})
      if (!each->ticks.empty()) all.push_back(std::move(*each));
  }
  return all;
}

}  // namespace handspan
