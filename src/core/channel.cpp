#include "core/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

// in the order of ChannelType
constexpr const char* kTypeNames[] = {"number", "vector",  "pose",    "twist",
                                      "wrench", "integer", "boolean", "choice"};

// parts of letters, digits, '_' and '-' with single dots between
bool is_dotted_name(std::string_view name) {
  bool part_is_empty = true;
  for (const char c : name) {
    const bool dot = c == '.';
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
    if (!dot && !word) return false;
    if (dot && part_is_empty) return false;
    part_is_empty = dot;
  }
  return !part_is_empty;
}

ChannelInfo info_of(std::string name, ChannelType type, std::string unit, Rate rate,
                    std::string doc) {
  ChannelInfo info;
  info.name = std::move(name);
  info.type = type;
  info.unit = std::move(unit);
  info.rate = rate;
  info.doc = std::move(doc);
  return info;
}

}  // namespace

const char* name_of(ChannelType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

ChannelType channel_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypeNames, name);
  return found == std::end(kTypeNames) ? ChannelType::kVector
                                       : static_cast<ChannelType>(found - std::begin(kTypeNames));
}

bool holds_doubles(ChannelType type) {
  return type != ChannelType::kInteger && type != ChannelType::kBoolean &&
         type != ChannelType::kChoice;
}

bool matches(std::string_view pattern, std::string_view name) {
  // greedy with one point of return: after the last '*', whose text then grows by one
  std::size_t p = 0, n = 0, star = std::string_view::npos, grown = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      grown = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++grown;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

NumberChannel ChannelTable::number(std::string name, std::string unit, Rate rate, std::string doc) {
  return {
      add(info_of(std::move(name), ChannelType::kNumber, std::move(unit), rate, std::move(doc)))};
}

VectorChannel ChannelTable::vector(std::string name, std::size_t size, std::string unit, Rate rate,
                                   std::string doc, std::vector<std::string> labels) {
  if (size == 0)
    throw InputError(fmt::format("the channel '{}' has no elements; give a size", name));
  if (!labels.empty() && labels.size() != size) {
    throw InputError(fmt::format("the channel '{}' has {} labels; it must have {} or none", name,
                                 labels.size(), size));
  }
  ChannelInfo info =
      info_of(std::move(name), ChannelType::kVector, std::move(unit), rate, std::move(doc));
  info.size = size;
  info.labels = std::move(labels);
  return {add(std::move(info))};
}

PoseChannel ChannelTable::pose(std::string name, Rate rate, std::string doc) {
  ChannelInfo info = info_of(std::move(name), ChannelType::kPose, "m", rate, std::move(doc));
  info.labels = {"x", "y", "z", "qx", "qy", "qz", "qw"};
  info.size = info.labels.size();
  return {add(std::move(info))};
}

VectorChannel ChannelTable::twist(std::string name, std::string frame, Rate rate, std::string doc) {
  ChannelInfo info =
      info_of(std::move(name), ChannelType::kTwist, "m/s, rad/s", rate, std::move(doc));
  info.labels = {"vx", "vy", "vz", "wx", "wy", "wz"};
  info.size = info.labels.size();
  info.frame = std::move(frame);
  return {add(std::move(info))};
}

VectorChannel ChannelTable::wrench(std::string name, std::string frame, Rate rate,
                                   std::string doc) {
  ChannelInfo info = info_of(std::move(name), ChannelType::kWrench, "N, N m", rate, std::move(doc));
  info.labels = {"fx", "fy", "fz", "tx", "ty", "tz"};
  info.size = info.labels.size();
  info.frame = std::move(frame);
  return {add(std::move(info))};
}

JointChannels ChannelTable::joints(const std::string& name, const std::vector<std::string>& joints,
                                   Rate rate, const JointWords& docs) {
  const auto part = [&](const char* end, const char* unit, const std::string& doc) {
    const VectorChannel channel = vector(name + end, joints.size(), unit, rate, doc, joints);
    infos_[channel.id.index].joints = name;
    return channel;
  };
  JointChannels channels{part(".q", "rad", docs.q), part(".v", "rad/s", docs.v), {}};
  if (!docs.tau.empty()) channels.tau = part(".tau", "N m", docs.tau);
  return channels;
}

IntegerChannel ChannelTable::integer(std::string name, std::string unit, Rate rate,
                                     std::string doc) {
  return {
      add(info_of(std::move(name), ChannelType::kInteger, std::move(unit), rate, std::move(doc)))};
}

BooleanChannel ChannelTable::boolean(std::string name, Rate rate, std::string doc) {
  return {add(info_of(std::move(name), ChannelType::kBoolean, "", rate, std::move(doc)))};
}

ChoiceChannel ChannelTable::choice(std::string name, std::vector<std::string> choices, Rate rate,
                                   std::string doc) {
  if (choices.empty()) {
    throw InputError(fmt::format("the channel '{}' has no choices; give their words", name));
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (std::find(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(i), choices[i]) !=
        choices.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw InputError(fmt::format("the channel '{}' has the choice '{}' twice; keep one", name,
                                   shown(choices[i])));
    }
  }
  ChannelInfo info = info_of(std::move(name), ChannelType::kChoice, "", rate, std::move(doc));
  info.choices = std::move(choices);
  return {add(std::move(info))};
}

ChannelId ChannelTable::add(ChannelInfo info) {
  if (sealed_) {
    throw InputError(
        fmt::format("the channel '{}' is declared after set-up; declare it before the "
                    "table is sealed",
                    shown(info.name)));
  }
  if (!is_dotted_name(info.name)) {
    throw InputError(
        fmt::format("the channel name '{}' is not dotted identifiers; use letters, "
                    "digits, '_' and '-' with single dots between, as in 'task.left.error'",
                    shown(info.name)));
  }
  if (!names_.insert(info.name).second) {
    throw InputError(
        fmt::format("the channel '{}' is declared twice; choose another name", info.name));
  }
  Slot slot;
  if (holds_doubles(info.type)) {
    slot.offset = numbers_.size();
    numbers_.resize(numbers_.size() + info.size, 0.0);
  } else {
    slot.offset = integers_.size();
    integers_.push_back(0);
  }
  slots_.push_back(slot);
  infos_.push_back(std::move(info));
  return {infos_.size() - 1};
}

ChannelId ChannelTable::find(std::string_view name) const {
  return {find_named("", "channel", name, infos_, &ChannelInfo::name)};
}

std::vector<ChannelId> ChannelTable::select(std::string_view pattern) const {
  std::vector<ChannelId> ids;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (matches(pattern, infos_[i].name)) ids.push_back({i});
  }
  return ids;
}

Subscription::Subscription(ChannelTable& table, std::string_view pattern)
    : table_(&table), channels_(table.select(pattern)), seen_(channels_.size(), 0) {
  if (channels_.empty()) {
    throw InputError(
        fmt::format("no channel matches '{}'; '*' stands for any text, '?' for one character",
                    shown(std::string(pattern))));
  }
  table.seal();
}

}  // namespace handspan
