#include "control/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

// Persons change gains around what the app says: it is tuned for that. What it leaves at zero (a
// task that only damps) stays so.
void Task::declare_gains(PartParameters& parameters, const char* stiffness_unit,
                         const char* damping_unit, bool damping_for_persons) {
  constexpr double kLeast = 0.25, kMost = 2.0;  // of what the app says
  const auto around = [](double value, double most) {
    return std::array{kLeast * value, std::min(most, kMost * value)};
  };
  const TaskGains now = gains();
  parameters.add(
      {"stiffness", stiffness_unit, 0.0, kMostStiffness, "how hard it pulls towards its reference",
       ParameterKind::kNumber, around(now.stiffness, kMostStiffness)},
      [this] { return stiffness(); },
      [this](double value, double time) { set_stiffness(value, time); });
  parameters.add(
      {"damping", damping_unit, 0.0, kMostDamping,
       "how hard it brakes against its reference's velocity", ParameterKind::kNumber,
       damping_for_persons ? around(*now.damping, kMostDamping) : std::array{0.0, 0.0}},
      [this] { return damping(); },
      [this](double value, double time) { set_damping(value, time); });
}

// down to none: the other tasks then have its joints. One that is off at first goes up to the
// weight of a task for which the app says nothing.
void Task::declare_weight(PartParameters& parameters) {
  const double now = weight();
  parameters.add(
      {"weight", "", 0.0, kMostWeight, "how much it counts against the other tasks",
       ParameterKind::kNumber,
       std::array{0.0, now > 0.0 ? std::min(kMostWeight, 2.0 * now) : TaskGains{}.weight}},
      [this] { return weight(); }, [this](double value, double time) { set_weight(value, time); });
}

void Task::declare_parameters(PartParameters& parameters) {
  declare_gains(parameters, "1/s^2", "1/s");
  declare_weight(parameters);
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

}  // namespace handspan
