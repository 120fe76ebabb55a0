#include "core/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

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

}  // namespace

const char* name_of(ChannelType type) {
  switch (type) {
    case ChannelType::kNumber:
      return "number";
    case ChannelType::kVector:
      return "vector";
    case ChannelType::kPose:
      return "pose";
    case ChannelType::kInteger:
      return "integer";
    case ChannelType::kBoolean:
      return "boolean";
    case ChannelType::kChoice:
      break;
  }
  return "choice";
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
  return {add(
      {std::move(name), ChannelType::kNumber, std::move(unit), rate, std::move(doc), 1, {}, {}})};
}

VectorChannel ChannelTable::vector(std::string name, std::size_t size, std::string unit, Rate rate,
                                   std::string doc, std::vector<std::string> labels) {
  if (size == 0)
    throw InputError(fmt::format("the channel '{}' has no elements; give a size", name));
  if (!labels.empty() && labels.size() != size) {
    throw InputError(fmt::format("the channel '{}' has {} labels; it must have {} or none", name,
                                 labels.size(), size));
  }
  return {add({std::move(name),
               ChannelType::kVector,
               std::move(unit),
               rate,
               std::move(doc),
               size,
               {},
               std::move(labels)})};
}

PoseChannel ChannelTable::pose(std::string name, Rate rate, std::string doc) {
  return {add({std::move(name),
               ChannelType::kPose,
               "m",
               rate,
               std::move(doc),
               7,
               {},
               {"x", "y", "z", "qx", "qy", "qz", "qw"}})};
}

IntegerChannel ChannelTable::integer(std::string name, std::string unit, Rate rate,
                                     std::string doc) {
  return {add(
      {std::move(name), ChannelType::kInteger, std::move(unit), rate, std::move(doc), 1, {}, {}})};
}

BooleanChannel ChannelTable::boolean(std::string name, Rate rate, std::string doc) {
  return {add({std::move(name), ChannelType::kBoolean, "", rate, std::move(doc), 1, {}, {}})};
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
  return {add({std::move(name),
               ChannelType::kChoice,
               "",
               rate,
               std::move(doc),
               1,
               std::move(choices),
               {}})};
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
  std::vector<std::string> names;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].name == name) return {i};
    names.push_back(infos_[i].name);
  }
  std::string message = fmt::format("there is no channel '{}'", shown(std::string(name)));
  const std::string hint = did_you_mean(name, names, "there are");
  throw InputError(hint.empty() ? message : message + "; " + hint);
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
