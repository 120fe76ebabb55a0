#include "data/import_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/values.hpp"

namespace handspan {
namespace {

constexpr char kPureNumber[] = "none";

Schema<DataUnit> unit_schema() {
  return text()
      .check(
          [](const std::string& unit) -> std::optional<Fault> {
            if (data_unit(unit)) return std::nullopt;
            return Fault{fmt::format("is '{}'", shown(unit)),
                         "it must be a unit such as m, mm, rad, deg, N or m/s, or `none` for pure "
                         "numbers"};
          },
          "m, mm, rad, deg, N, ..., or none")
      .map([](const std::string& unit) { return *data_unit(unit); });
}

Schema<std::vector<Located<std::string>>> columns_schema() {
  return list(located(text())).min_size(1);
}

std::optional<Fault> needs_unit(const DataUnit& unit, const std::string& si) {
  if (unit.si == si) return std::nullopt;
  return Fault{fmt::format("is of {}", unit.si.empty() ? "pure numbers" : unit.si),
               fmt::format("it must be a unit that converts to {}", si), "unit"};
}

struct NumbersEntry : NumbersPlan {
  Eigen::VectorXd constants;
};

ObjectSchema<NumbersEntry> numbers_object(const char* name, const char* doc) {
  using E = NumbersEntry;
  return object<E>(name, doc)
      .place(&E::place)
      .optional("columns", &E::columns, columns_schema(),
                "names; with [0], [0:3] or an element's name in brackets a part of one")
      .optional("constant", &E::constants, dynamic_vector(), "numbers instead of columns")
      .required("unit", &E::unit, unit_schema(), "that the file has them in")
      .optional("scale", &E::scale, number(), "they are offset + scale * column, in the unit")
      .optional("offset", &E::offset, number())
      .check([](const E& entry) -> std::optional<Fault> {
        if (entry.columns.empty() != (entry.constants.size() == 0)) return std::nullopt;
        return Fault{entry.columns.empty() ? "has neither columns nor a constant"
                                           : "has columns and a constant",
                     "give one of them"};
      });
}

NumbersPlan plan_of(NumbersEntry&& entry) {
  NumbersPlan plan = std::move(entry);
  plan.constant.assign(entry.constants.begin(), entry.constants.end());
  return plan;
}

Schema<NumbersPlan> position_schema() {
  return numbers_object("ImportPosition", "three numbers of each row: x, y, z")
      .check([](const NumbersEntry& entry) { return needs_unit(entry.unit, "m"); })
      .map([](NumbersEntry entry) { return plan_of(std::move(entry)); });
}

Schema<NumbersPlan> values_schema() {
  return numbers_object("ImportValues", "numbers of each row, of one unit")
      .map([](NumbersEntry entry) { return plan_of(std::move(entry)); });
}

Schema<RotationPlan> rotation_schema() {
  using R = RotationPlan;
  return object<R>("ImportRotation", "how the tool is turned in each row")
      .place(&R::place)
      .optional("columns", &R::columns, columns_schema())
      .optional("as", &R::layout,
                choice<RotationLayout>({{"xyzw", RotationLayout::kXyzw},
                                        {"wxyz", RotationLayout::kWxyz},
                                        {"rotation_vector", RotationLayout::kRotationVector},
                                        {"rpy", RotationLayout::kRpy},
                                        {"rows_6d", RotationLayout::kRows6d},
                                        {"columns_6d", RotationLayout::kColumns6d},
                                        {"matrix", RotationLayout::kMatrix}}),
                "a quaternion; an axis times an angle; roll, pitch, yaw about fixed x, y, z; the "
                "first two rows or columns of the matrix; all of it, row by row")
      .optional("unit", &R::unit, unit_schema(), "of the angles of rotation_vector and rpy")
      .optional("fixed", &R::fixed, vector<3>("rad"),
                "roll, pitch, yaw of all rows, where the file has no turns")
      .check([](const R& plan) -> std::optional<Fault> {
        if (plan.columns.empty() != plan.fixed.has_value())
          return Fault{plan.fixed ? "has columns and a fixed turn" : "has no columns",
                       "give columns and what they are (`as`), or one turn of all rows (`fixed`)"};
        const bool angles = !plan.fixed && (plan.layout == RotationLayout::kRotationVector ||
                                            plan.layout == RotationLayout::kRpy);
        if (angles && !plan.unit)
          return Fault{"has no unit", "say rad or deg: both are common", "unit"};
        if (!angles && plan.unit)
          return Fault{"has no angles to be of a unit", "leave it out", "unit"};
        return angles ? needs_unit(*plan.unit, "rad") : std::nullopt;
      });
}

std::optional<Fault> fault_of(const ChannelPlan& plan) {
  if (plan.position.has_value() == !plan.values.empty())
    return Fault{plan.position ? "has a position and values" : "has neither position nor values",
                 "give position and rotation for a pose, or values for any other channel"};
  if (plan.position && !plan.rotation)
    return Fault{
        "has no rotation",
        "say in which columns it is, or `rotation: {fixed: [0, 0, 0]}` when the tool never "
        "turns"};
  if (plan.position) return std::nullopt;
  const std::pair<bool, const char*> of_poses[] = {{plan.rotation.has_value(), "rotation"},
                                                   {plan.frame.has_value(), "frame"},
                                                   {plan.relative_to.has_value(), "relative_to"}};
  for (const auto& [given, key] : of_poses)
    if (given) return Fault{"is for poses", "leave it out, or give a position", key};
  return std::nullopt;
}

Schema<ChannelPlan> channel_schema() {
  using C = ChannelPlan;
  return object<C>("ImportChannel", "a pose, or values")
      .place(&C::place)
      .optional("position", &C::position, position_schema())
      .optional("rotation", &C::rotation, rotation_schema())
      .optional("values", &C::values, list(values_schema()).min_size(1),
                "one after the other, each of its own columns and unit")
      .optional("labels", &C::labels, list(text()), "names of the values")
      .optional("at", &C::at,
                choice<RowTime>({{"row", RowTime::kRow}, {"next_row", RowTime::kNextRow}}),
                "when a value holds: at its row's time, as what is measured, or at the next one's, "
                "as what is to be reached in the row")
      .optional("frame", &C::frame, import_detail::frame_schema(), "instead of the file's")
      .optional("tool", &C::tool, import_detail::frame_schema(),
                "where the frame of our task is in the tool whose poses they are")
      .optional("relative_to", &C::relative_to, located(text()),
                "a pose channel of this file: poses are in its frame, as it is in the same row")
      .check([](const C& plan) { return fault_of(plan); });
}

struct FrameEntry {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  std::optional<Eigen::Vector3d> rpy;
  std::optional<Eigen::Quaterniond> quaternion;
};

}  // namespace

namespace import_detail {

Schema<Pose> frame_schema() {
  return object<FrameEntry>("ImportFrame", "a pose")
      .optional("position", &FrameEntry::position, vector<3>("m").min(-1000.0).max(1000.0))
      .optional("rpy", &FrameEntry::rpy, vector<3>("rad"), "roll, pitch, yaw about fixed x, y, z")
      .optional("quaternion", &FrameEntry::quaternion, quaternion(), "x y z w, instead of rpy")
      .check([](const FrameEntry& entry) -> std::optional<Fault> {
        if (!entry.rpy || !entry.quaternion) return std::nullopt;
        return Fault{"stands beside quaternion", "give one of them", "rpy"};
      })
      .map([](const FrameEntry& entry) {
        return entry.quaternion
                   ? Pose::from(entry.position, *entry.quaternion)
                   : Pose::from_rpy(entry.position, entry.rpy.value_or(Eigen::Vector3d::Zero()));
      });
}

Schema<TimePlan> time_schema() {
  return object<TimePlan>("ImportTime", "when rows were")
      .required("column", &TimePlan::column, located(text()))
      .required("unit", &TimePlan::unit, unit_schema(), "s, ms, us")
      .check([](const TimePlan& plan) { return needs_unit(plan.unit, "s"); });
}

Schema<std::vector<std::pair<std::string, ChannelPlan>>> channels_schema() {
  using Channels = std::vector<std::pair<std::string, ChannelPlan>>;
  return dictionary(channel_schema())
      .min_size(1)
      .check([](const Channels& channels) -> std::optional<Fault> {
        for (const auto& [name, plan] : channels) {
          if (schema_detail::is_identifier(name) && !name.starts_with('.') &&
              !name.ends_with('.') && name.find("..") == std::string::npos &&
              !name.starts_with("handspan."))
            continue;
          return Fault{
              fmt::format("'{}' is no name of a channel", shown(name)),
              "names are words with dots between them, such as left.gripper.command; those "
              "that begin with handspan. are taken"};
        }
        return std::nullopt;
      });
}

std::optional<Fault> fault_of(const ImportPlan& plan) {
  if (plan.rate && plan.time)
    return Fault{"stands beside time", "give the rate, or the column of the times", "rate"};
  std::set<std::int64_t> seen;
  for (const std::int64_t episode : plan.episodes)
    if (!seen.insert(episode).second)
      return Fault{fmt::format("has {} twice", episode), "name each once", "episodes"};
  return std::nullopt;
}

}  // namespace import_detail

std::optional<DataUnit> data_unit(const std::string& text) {
  if (text == kPureNumber) return DataUnit{};
  const auto number = parse_number_with_unit("1 " + text);
  if (!number || number->unit.empty()) return std::nullopt;
  return DataUnit{number->value, number->unit};
}

}  // namespace handspan
