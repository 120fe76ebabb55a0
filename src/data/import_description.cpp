#include "data/import_description.hpp"

#include <nlohmann/json.hpp>

#include "data/import_plan.hpp"
#include "data/series.hpp"

namespace handspan {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kPoseEnd = ".pose";
constexpr std::size_t kPosition = 3;

std::string unit_text(const std::string& unit) {
  const auto known = data_unit(unit);
  return known && known->factor == 1.0 ? unit : "none";
}

ordered_json pose_of_columns(const ColumnName& column, std::size_t index, const char* layout,
                             std::size_t turn) {
  return {{"position", {{"columns", {column(index, 0, kPosition)}}, {"unit", "m"}}},
          {"rotation", {{"columns", {column(index, kPosition, turn)}}, {"as", layout}}}};
}

// values in runs of one unit
ordered_json values_of_columns(const ColumnName& column, std::size_t index, const std::string& unit,
                               std::vector<std::string> labels) {
  const std::size_t size = labels.size();
  const auto units = element_units(unit, size);
  ordered_json values = ordered_json::array();
  for (std::size_t first = 0, e = 1; e <= size; ++e) {
    if (e < size && units[e] == units[first]) continue;
    values.push_back(
        {{"columns", {column(index, first, e - first)}}, {"unit", unit_text(units[first])}});
    first = e;
  }
  return {{"values", values}, {"labels", labels}};
}

std::string without_unit(const std::string& column) { return column.substr(0, column.find(" [")); }

}  // namespace

std::string import_description(const DemonstrationLayout& layout, const ImportDescription& of) {
  ordered_json channels = ordered_json::object();
  for (std::size_t o = 0; o < layout.observations.size(); ++o) {
    const ObservationInfo& info = layout.observations[o];
    std::vector<std::string> labels;
    for (const auto& column : info.columns) labels.push_back(without_unit(column));
    channels[info.channel] = info.channel.ends_with(kPoseEnd)
                                 ? pose_of_columns(of.observations, o, "xyzw", 4)
                                 : values_of_columns(of.observations, o, info.unit, labels);
  }
  for (std::size_t a = 0; a < layout.actions.size(); ++a) {
    const ActionPart& part = layout.actions[a];
    if (of.relative && part.kind == ActionPart::Kind::kJoints) continue;
    ordered_json channel;
    if (part.kind == ActionPart::Kind::kPose) {
      channel = pose_of_columns(of.actions, a, "rows_6d", 6);
      if (of.relative) channel["relative_to"] = "measured." + part.name + ".pose";
    } else {
      std::vector<std::string> labels;
      for (const auto& column : part.columns) labels.push_back(column.substr(part.name.size() + 1));
      channel = values_of_columns(of.actions, a, part.unit, labels);
    }
    channel["at"] = "next_row";
    channels[part.channel] = std::move(channel);
  }
  ordered_json plan;
  if (of.time.empty())
    plan["rate"] = of.rate;
  else
    plan["time"] = {{"column", of.time}, {"unit", "s"}};
  plan["channels"] = std::move(channels);
  return plan.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace handspan
