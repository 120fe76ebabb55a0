#include "control/twist_task.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace handspan {

TwistTask::TwistTask(const FrameTaskConfig& config, const TaskContext& context)
    : FrameTask(config, context) {
  if (config.stiffness == 0.0 && config.damping.value_or(0.0) == 0.0)
    throw InputError(fmt::format(
        "the task '{}' has neither stiffness nor damping, so that nothing makes its frame move; "
        "give it a damping, such as 20",
        context.name));
}

std::vector<Task::Row> TwistTask::error_rows() const {
  return axis_rows(selected(), "m/s", "rad/s");
}

void TwistTask::fill(const ControlSystem& system, ControlState& state) {
  FrameTask::fill(system, state);
  Vector6d error = reference().V_WE - V_WE();
  if (axes_of() == TaskAxes::kFrame) {
    const Eigen::Matrix3d R_EW = X_WE().R.transpose();
    error << Eigen::Vector3d(R_EW * error.head<3>()), Eigen::Vector3d(R_EW * error.tail<3>());
  }
  for (std::size_t row = 0; row < selected().size(); ++row)
    error_[static_cast<Eigen::Index>(row)] = error[selected()[row]];
}

void TwistTask::declare(ChannelTable& channels, Rate rate) {
  FrameTask::declare(channels, rate);
  twist_channel_ =
      channels.vector("task." + name() + ".twist", 6, "m/s, rad/s", rate,
                      "of its frame as control has it, in W", {"vx", "vy", "vz", "wx", "wy", "wz"});
}

void TwistTask::publish(ChannelTable& channels, Nanoseconds stamp) const {
  FrameTask::publish(channels, stamp);
  channels.write(twist_channel_, V_WE(), stamp);
}

void register_twist_task(TaskRegistry& registry) {
  registry.add(
      "twist",
      with_gains(object<FrameTaskConfig>("TwistTask", "how a frame moves"))
          .required("frame", &FrameTaskConfig::frame, text(), "such as left.tcp")
          .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(6),
                    "x, y, z, then about x, y, z; default all")
          .optional("axes_of", &FrameTaskConfig::axes_of,
                    choice<TaskAxes>({{"world", TaskAxes::kWorld}, {"frame", TaskAxes::kFrame}}),
                    "in which axes its rows are")
          .optional("orientation_weight", &FrameTaskConfig::orientation_weight,
                    number("m^2/rad^2").min(0).max(1e3), "of rotation against translation")
          .optional(
              "keep_direction", &FrameTaskConfig::keep_direction, boolean(),
              "where joints' limits or a singular pose bind, go slower on the same way rather "
              "than another way; left out: true"),
      "how a frame moves in the world", [](FrameTaskConfig config, const TaskContext& context) {
        if (config.axes.empty()) config.axes.assign(6, true);
        return std::make_unique<TwistTask>(config, context);
      });
}

}  // namespace handspan
