#include "core/parameter_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

bool within(double value, double low, double high) {
  return std::isfinite(value) && value >= low && value <= high;
}

// names of robots and joints are others': only what has no part or no owner is refused
bool is_dotted(std::string_view name) {
  return name.find('.') != std::string_view::npos && name.front() != '.' && name.back() != '.';
}

}  // namespace

const char* name_of(ParameterKind kind) {
  return kind == ParameterKind::kSwitch ? "switch" : "number";
}

std::string out_of_range(const ParameterInfo& info, double value,
                         const std::array<double, 2>& range) {
  return fmt::format("{} is {:g}{}{}; it must be {:g} to {:g}", info.name, value,
                     info.unit.empty() ? "" : " ", info.unit, range[0], range[1]);
}

void ParameterTable::add(Entry entry) {
  const ParameterInfo& info = entry.info;
  const auto bad = [&](const std::string& why) {
    return InputError(fmt::format("the parameter '{}' cannot be added: {}", shown(info.name), why));
  };
  if (!is_dotted(info.name))
    throw bad("its name is not of words with dots between them, such as task.hand.weight");
  if (look_up(info.name)) throw bad("there is one of that name already; choose another name");
  if (!(std::isfinite(info.min) && std::isfinite(info.max) && info.min < info.max))
    throw bad(fmt::format("its range is {:g} to {:g}; give the lowest value, then the highest",
                          info.min, info.max));
  if (info.kind == ParameterKind::kSwitch && (info.min != 0.0 || info.max != 1.0))
    throw bad(
        fmt::format("its range is {:g} to {:g}; that of a switch is 0 to 1", info.min, info.max));
  const auto [low, high] = info.persons_range();
  if (!(within(low, info.min, info.max) && within(high, low, info.max)))
    throw bad(fmt::format("persons may set {:g} to {:g}; that must be within {:g} to {:g}", low,
                          high, info.min, info.max));
  entries_.push_back(std::move(entry));
}

void ParameterTable::add(ParameterInfo info, Get get, Set set) {
  add(Entry{std::move(info), std::move(get), std::move(set)});
}

void ParameterTable::add(ParameterInfo info, double& value) {
  add(Entry{std::move(info), [&value] { return value; }, [&value](double x, double) { value = x; },
            &value});
}

std::optional<std::size_t> ParameterTable::look_up(std::string_view name) const noexcept {
  for (std::size_t p = 0; p < entries_.size(); ++p)
    if (entries_[p].info.name == name) return p;
  return {};
}

std::size_t ParameterTable::find(std::string_view name) const {
  if (const auto found = look_up(name)) return *found;
  throw_not_found("", "parameter", name,
                  names_of(entries_, [](const Entry& entry) { return entry.info.name; }));
}

bool ParameterTable::set(std::size_t parameter, double value, double time) const {
  const Entry& entry = entries_[parameter];
  if (!within(value, entry.info.min, entry.info.max)) return false;
  entry.set(value, time);
  return true;
}

void ParameterTable::state(StateArchive& archive) {
  for (Entry& entry : entries_) {
    if (entry.saved == nullptr) continue;
    archive(*entry.saved);
    if (archive.loading() && !std::isfinite(*entry.saved))
      throw InputError("the snapshot is damaged in the parameter " + entry.info.name);
  }
}

}  // namespace handspan
