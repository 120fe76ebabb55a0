#include "control/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/direction_task.hpp"
#include "control/frame_task.hpp"
#include "control/posture_task.hpp"
#include "control/relative_pose_task.hpp"
#include "control/wrench_task.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

// what is finer is noise, and every log would hold it
constexpr double kErrorGrid = 1 << 24;
constexpr Eigen::Index kMostShown = 64;  // rows that are rounded

}  // namespace

std::vector<int> chosen_axes(const std::vector<bool>& axes, const std::string& task) {
  std::vector<int> chosen;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) chosen.push_back(static_cast<int>(i));
  if (chosen.empty())
    throw InputError(
        fmt::format("the task '{}' controls no axis; set one of its axes to true", task));
  return chosen;
}

std::vector<Task::Row> axis_rows(std::span<const int> axes, const char* along, const char* about) {
  constexpr const char* kNames[] = {"x", "y", "z", "rx", "ry", "rz"};
  std::vector<Task::Row> rows;
  for (const int axis : axes) rows.push_back({kNames[axis], axis < 3 ? along : about});
  return rows;
}

Task::Task(std::string name, int rows, const TaskGains& gains)
    : b_(Eigen::VectorXd::Zero(rows)),
      w_(Eigen::VectorXd::Zero(rows)),
      error_(Eigen::VectorXd::Zero(rows)),
      name_(std::move(name)),
      stiffness_(gains.stiffness),
      damping_(gains.damping.value_or(0.0)),
      weight_(gains.weight),
      critical_(gains.damping ? 0.0 : 1.0) {}

void Task::update(const ControlSystem& system, ControlState& state) {
  stiffness_.advance(state.dt);
  damping_.advance(state.dt);
  critical_.advance(state.dt);
  weight_.advance(state.dt);
  fill(system, state);
}

void Task::set_weight(double weight, double time) {
  if (weight >= 0.0 && weight <= kMostWeight) weight_.set(weight, time);
}

void Task::set_stiffness(double stiffness, double time) {
  if (stiffness >= 0.0 && stiffness <= kMostStiffness) stiffness_.set(stiffness, time);
}

void Task::set_damping(std::optional<double> damping, double time) {
  if (!damping) {
    critical_.set(1.0, time);
    return;
  }
  if (!(*damping >= 0.0 && *damping <= kMostDamping)) return;
  // while all of it is critical, the given damping has no share and may jump
  if (critical_.value() == 1.0)
    damping_.jump(*damping);
  else
    damping_.set(*damping, time);
  critical_.set(0.0, time);
}

void Task::state(StateArchive& archive) {
  archive.part("task", name_);
  archive(stiffness_, damping_, weight_, critical_, error_, demand_, rejected_);
}

std::vector<Task::Row> Task::error_rows() const {
  std::vector<Row> numbered;
  for (int row = 0; row < rows(); ++row) numbered.push_back({std::to_string(row), ""});
  return numbered;
}

void Task::declare(ChannelTable& channels, Rate rate) {
  std::vector<std::string> labels;
  std::string units;
  for (const Row& row : error_rows()) {
    labels.push_back(row.label);
    units += (units.empty() ? "" : ", ") + row.unit;
  }
  error_channel_ = channels.vector("task." + name_ + ".error", static_cast<std::size_t>(rows()),
                                   units, rate, "reference minus actual, to 6e-8", labels);
  weight_channel_ = channels.number("task." + name_ + ".weight", "", rate, "the ramped weight");
}

void Task::publish(ChannelTable& channels, Nanoseconds stamp) const {
  // on the stack: a tick takes nothing from the heap
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostShown, 1> shown(
      std::min(error_.size(), kMostShown));
  for (Eigen::Index row = 0; row < shown.size(); ++row)
    shown[row] = std::round(error_[row] * kErrorGrid) / kErrorGrid;
  if (error_.size() <= kMostShown)
    channels.write(error_channel_, shown, stamp);
  else
    channels.write(error_channel_, error_, stamp);
  channels.write(weight_channel_, weight_.value(), stamp);
}

TaskRegistry& tasks() {
  static TaskRegistry registry = [] {
    TaskRegistry built_in("task");
    register_frame_tasks(built_in);
    register_posture_tasks(built_in);
    register_direction_task(built_in);
    register_relative_pose_task(built_in);
    register_wrench_task(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
