#include "data/data_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostNamed = 40;

[[noreturn]] void refuse(const Located<std::string>& text, const std::string& cause,
                         const std::string& hint) {
  throw ConfigError({{text.place, "", cause, hint}});
}

std::string names_text(const std::vector<DataColumn>& columns) {
  std::string all;
  for (std::size_t c = 0; c < std::min(columns.size(), kMostNamed); ++c)
    all += fmt::format("{}{} ({})", c == 0 ? "" : ", ", shown(columns[c].name), columns[c].width);
  if (columns.size() > kMostNamed) all += fmt::format(" and {} more", columns.size() - kMostNamed);
  return all;
}

std::optional<std::size_t> whole(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// what stands in brackets: "3", "0:3", "gripper"
std::optional<ColumnPart> part_of(std::size_t index, const DataColumn& column,
                                  const std::string& inside) {
  const auto element = std::ranges::find(column.elements, inside);
  if (element != column.elements.end())
    return ColumnPart{index, static_cast<std::size_t>(element - column.elements.begin()), 1};
  const std::size_t colon = inside.find(':');
  const auto from = whole(std::string_view(inside).substr(0, colon));
  if (!from) return std::nullopt;
  if (colon == std::string::npos)
    return *from < column.width ? std::optional(ColumnPart{index, *from, 1}) : std::nullopt;
  const auto to = whole(std::string_view(inside).substr(colon + 1));
  if (!to || *to > column.width || *to <= *from) return std::nullopt;
  return ColumnPart{index, *from, *to - *from};
}

}  // namespace

std::string DataReader::place(std::size_t episode, std::size_t row) const {
  return fmt::format("{}: {}, row {}", source(), episodes().at(episode).name, row);
}

ColumnPart find_column(const Located<std::string>& text, const std::string& source,
                       const std::vector<DataColumn>& columns) {
  const auto index = [&](const std::string& name) {
    const auto found = std::ranges::find(columns, name, &DataColumn::name);
    return static_cast<std::size_t>(found - columns.begin());
  };
  std::string name = text.value, inside;
  std::size_t c = index(name);
  const std::size_t bracket = name.rfind('[');
  // a name may end in brackets itself: "x [mm]"
  if (c == columns.size() && name.ends_with(']') && bracket != std::string::npos && bracket > 0) {
    inside = name.substr(bracket + 1, name.size() - bracket - 2);
    name.resize(bracket);
    c = index(name);
  }
  if (c == columns.size()) {
    std::vector<std::string> names;
    for (const DataColumn& column : columns) names.push_back(column.name);
    const auto near = nearest_name(name, names);
    refuse(
        text, fmt::format("{} has no column '{}'", source, shown(name)),
        near ? fmt::format("did you mean '{}'?", shown(*near)) : "it has: " + names_text(columns));
  }
  const DataColumn& column = columns[c];
  if (!column.numbers)
    refuse(text, fmt::format("the column '{}' of {} is {}", shown(name), source, column.type),
           "name one that has numbers: " + names_text(columns));
  if (inside.empty() && name == text.value) return {c, 0, column.width};
  const auto part = part_of(c, column, inside);
  if (part) return *part;
  refuse(
      text,
      fmt::format("the column '{}' of {} has no element '{}'", shown(name), source, shown(inside)),
      column.elements.empty()
          ? fmt::format("it has {} numbers a row: [0] to [{}], or a range such as [0:{}]",
                        column.width, column.width - 1, column.width)
          : did_you_mean(inside, column.elements, "its elements are"));
}

std::string list_columns(const std::vector<DataColumn>& columns) {
  std::string all;
  for (const DataColumn& column : columns) {
    all += fmt::format("  {} ({} x {}, {})", shown(column.name), column.rows, column.width,
                       column.type);
    if (!column.elements.empty())
      all += fmt::format(
          ": {}{}",
          fmt::join(column.elements.begin(),
                    column.elements.begin() +
                        static_cast<std::ptrdiff_t>(std::min(kMostNamed, column.elements.size())),
                    ", "),
          column.elements.size() > kMostNamed ? ", ..." : "");
    all += "\n";
  }
  return all;
}

}  // namespace handspan
