#pragma once
// What `handspan import-data` is told of a file of others: when its rows were, and which columns,
// in which units, layouts and frames, become which of our channels. W is the world, D the frame
// that the data's poses are in, T the tool whose poses they are, E the frame of our task.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/object.hpp"
#include "core/values.hpp"
#include "math/pose.hpp"

namespace handspan {

/// A unit as the file has it: SI is `factor` times it.
struct DataUnit {
  double factor = 1.0;
  std::string si;  // "" of pure numbers
};

/// Numbers of each row: those of columns, one after the other, or constants.
struct NumbersPlan {
  Place place;
  std::vector<Located<std::string>> columns;  // "obs/eef_pos", "action[0:3]", "action[gripper]"
  std::vector<double> constant;
  DataUnit unit;
  double scale = 1.0, offset = 0.0;  // the value is offset + scale * column, in the unit
};

/// How numbers are a rotation. kRows6d: the first two rows of its matrix, one after the other;
/// kColumns6d: its first two columns; kMatrix: row by row.
enum class RotationLayout { kXyzw, kWxyz, kRotationVector, kRpy, kRows6d, kColumns6d, kMatrix };

struct RotationPlan {
  Place place;
  std::vector<Located<std::string>> columns;
  RotationLayout layout = RotationLayout::kXyzw;
  std::optional<DataUnit> unit;          // of angles
  std::optional<Eigen::Vector3d> fixed;  // instead of columns: roll, pitch, yaw [rad]
};

/// When a row's value holds: what was measured at the row's own time, what was to be reached by the
/// end of a row at the next one's.
enum class RowTime { kRow, kNextRow };

struct ChannelPlan {
  Place place;
  std::optional<NumbersPlan> position;  // of a pose
  std::optional<RotationPlan> rotation;
  std::vector<NumbersPlan> values;  // of any other channel
  std::vector<std::string> labels;
  RowTime at = RowTime::kRow;
  std::optional<Pose> frame;                        // X_WD of this channel
  Pose tool;                                        // X_TE
  std::optional<Located<std::string>> relative_to;  // D is where that channel is in the same row
};

struct TimePlan {
  Located<std::string> column;
  DataUnit unit;
};

struct ImportPlan {
  Place place;
  std::optional<double> rate;  // rows a second [Hz]
  std::optional<TimePlan> time;
  std::vector<std::int64_t> episodes;  // counted from 1; none: all
  std::string task, outcome;           // of all episodes; "": as the file says
  Pose frame;                          // X_WD
  std::vector<std::pair<std::string, ChannelPlan>> channels;
};

namespace import_detail {
Schema<Pose> frame_schema();
Schema<TimePlan> time_schema();
Schema<std::vector<std::pair<std::string, ChannelPlan>>> channels_schema();
std::optional<Fault> fault_of(const ImportPlan& plan);
}  // namespace import_detail

/// A schema of the plan's keys; more are added to it: import_object<F>("File").required(...).
template <class P>
ObjectSchema<P> import_object(std::string name) {
  return object<P>(std::move(name), "columns of a file of others, as channels")
      .place(&P::place)
      .optional("rate", &P::rate, handspan::number("Hz").above(0).max(1e6),
                "rows a second, where no column "
                "has their times and the file does not say it")
      .optional("time", &P::time, import_detail::time_schema(), "the column of the rows' times")
      .optional("episodes", &P::episodes, list(integer().min(1)),
                "those that are taken, counted from 1; left out: all")
      .optional("task", &P::task, text(), "words of all episodes' task; left out: the file's")
      .optional("outcome", &P::outcome, text().one_of({"success", "failure", "discard", "stop"}),
                "of all episodes; left out: the file's, or stop")
      .optional("frame", &P::frame, import_detail::frame_schema(),
                "where the frame is that poses are in, in the world; left out: it is the world")
      .required("channels", &P::channels, import_detail::channels_schema(),
                "by our name, such as reference.left_hand.pose")
      .check([](const P& plan) { return import_detail::fault_of(plan); });
}

/// The unit of a text such as mm, deg or N m; `none` of pure numbers. None when it is no unit.
std::optional<DataUnit> data_unit(const std::string& text);

}  // namespace handspan
