#include "data/series.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    s.type = channel_type(type->second);
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
    std::vector<double> values;
    McapQuery query;
    query.topics = {channel.topic};
    log.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
      const std::int64_t tick = message.log_time / log.base_period();
      const auto add = [&](Series& to, std::span<const double> row) {
        // key frames repeat what was recorded at that tick already
        if (!to.ticks.empty() && to.ticks.back() == tick) return;
        fit_columns(to, row.size());
        to.ticks.push_back(tick);
        to.stamps.push_back(message.publish_time);
        to.values.insert(to.values.end(), row.begin(), row.end());
      };
      if (group) {
        const auto m = decode<messages::JointState>(message.bytes);
        s.columns = v.columns = tau.columns = m.name;
        add(s, m.position);
        add(v, m.velocity);
        if (!m.effort.empty()) add(tau, m.effort);
        return true;
      }
      std::string word;
      read_channel(schema->name, message.bytes, values, word);
      if (s.type == ChannelType::kPose) {
        s.columns = kPoseColumns;
        s.unit = kPoseUnits;
      }
      const std::size_t before = s.ticks.size();
      add(s, values);
      if (s.type != ChannelType::kChoice || s.ticks.size() == before || values.empty()) return true;
      s.words.push_back(word);
      const auto choice = static_cast<std::size_t>(std::clamp(values[0], 0.0, 255.0));
      if (s.choices.size() <= choice) s.choices.resize(choice + 1);
      s.choices[choice] = word;
      return true;
    });
    for (Series* each : {&s, &v, &tau})
      if (!each->ticks.empty()) all.push_back(std::move(*each));
  }
  return all;
}

}  // namespace handspan
