#include "control/wrench_task.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace handspan {
namespace {

Eigen::Matrix3d rotation_of(const ControlSystem& system, ControlState& state,
                            const LoopClosure& loop_closure) {
  const auto m = static_cast<std::size_t>(loop_closure.b);
  return frame_pose(*system.mechanisms()[m].model, state.mechanisms[m].data, loop_closure.frame_b)
      .R;
}

}  // namespace

WrenchTask::WrenchTask(const WrenchTaskConfig& config, const TaskContext& context)
    : Task(context.name, static_cast<int>(chosen_axes(config.axes, context.name).size()), config),
      config_(config),
      loop_closure_(context.system.loop_closure(config.loop_closure)),
      selected_(chosen_axes(config.axes, context.name)),
      reference_(config.wrench) {
  const LoopClosure& loop_closure =
      context.system.loop_closures()[static_cast<std::size_t>(loop_closure_)];
  frame_ = loop_closure.name_b;
  blocks_.push_back({loop_closure.offset, Eigen::MatrixXd::Zero(rows(), 6)});
}

void WrenchTask::set_reference(const Vector6d& F_b) {
  if (F_b.allFinite() && F_b.norm() < 1e4)
    reference_ = F_b;
  else
    ++rejected_;
}

std::vector<Task::Row> WrenchTask::error_rows() const { return axis_rows(selected_, "N", "N m"); }

void WrenchTask::hold(const ControlSystem&, ControlState&) { reference_ = config_.wrench; }

Vector6d WrenchTask::wrench(const ControlSystem& system, ControlState& state,
                            ConstVectorRef x) const {
  const LoopClosure& loop_closure = system.loop_closures()[static_cast<std::size_t>(loop_closure_)];
  const Eigen::Matrix3d R_bW = rotation_of(system, state, loop_closure).transpose();
  Vector6d F;
  F << R_bW * x.segment<3>(loop_closure.offset), R_bW * x.segment<3>(loop_closure.offset + 3);
  return F;
}

void WrenchTask::state(StateArchive& archive) {
  Task::state(archive);
  archive(reference_);
}

void WrenchTask::fill(const ControlSystem& system, ControlState& state) {
  const LoopClosure& loop_closure = system.loop_closures()[static_cast<std::size_t>(loop_closure_)];
  const Eigen::Matrix3d R_bW = rotation_of(system, state, loop_closure).transpose();
  const bool closed = state.loop_closures[static_cast<std::size_t>(loop_closure_)].closed;
  for (std::size_t row = 0; row < selected_.size(); ++row) {
    const int axis = selected_[row];
    const auto k = static_cast<Eigen::Index>(row);
    blocks_[0].A.block<1, 3>(k, axis < 3 ? 0 : 3) = R_bW.row(axis % 3);
    b_[k] = reference_[axis];
    w_[k] = closed ? weight() : 0.0;
    error_[k] = 0.0;
  }
}

void register_wrench_task(TaskRegistry& registry) {
  registry.add(
      "wrench",
      object<WrenchTaskConfig>("WrenchTask", "force and torque that a loop closure carries")
          .required("loop_closure", &WrenchTaskConfig::loop_closure, text())
          .optional("axes", &WrenchTaskConfig::axes, list(boolean()).size(6),
                    "in the loop closure's second frame: x, y, z, about x, y, z")
          .optional("wrench", &WrenchTaskConfig::wrench, vector<6>(),
                    "force [N] and torque [N m] on the second body, in its frame")
          .optional("weight", &TaskGains::weight, number().min(0).max(1e6), "per N^2 or (N m)^2"),
      "force and torque that a loop closure carries",
      [](const WrenchTaskConfig& config, const TaskContext& context) {
        return std::make_unique<WrenchTask>(config, context);
      });
}

}  // namespace handspan
