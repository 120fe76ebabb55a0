#pragma once
// The force and torque that a loop closure carries: how hard two arms squeeze the box that they
// hold. Acts on the loop closure's own unknowns; stiffness and damping mean nothing here.
#include "control/task.hpp"

namespace handspan {

struct WrenchTaskConfig : TaskGains {
  std::string loop_closure;
  std::vector<bool> axes = std::vector<bool>(6, true);  // in the loop closure's frame b
  Vector6d wrench = Vector6d::Zero();                   // [N, N m]
};

class WrenchTask : public Task {
 public:
  /// @throws InputError when there is no such loop closure, or no axis is chosen
  WrenchTask(const WrenchTaskConfig& config, const TaskContext& context);

  /// Force and torque on b's mechanism at b's origin, in b's axes [N, N m]. What is not finite or
  /// beyond 10 kN is counted in rejected() and ignored.
  void set_reference(const Vector6d& F_b);
  /// Of the configured wrench.
  std::vector<Row> error_rows() const override;
  std::string_view reference_kind() const override { return "wrench"; }
  void hold(const ControlSystem& system, ControlState& state) override;
  /// Its weight only.
  void declare_parameters(PartParameters& parameters) override { declare_weight(parameters); }
  void state(StateArchive& archive) override;
  const Vector6d& reference() const { return reference_; }
  const std::vector<bool>& axes() const { return config_.axes; }
  /// The frame b, by its full name.
  const std::string& frame() const { return frame_; }
  /// Whether its loop closure is closed, or about to be: an open one carries nothing.
  bool carries(const ControlState& state) const {
    const LoopClosureState& loop_closure =
        state.loop_closures[static_cast<std::size_t>(loop_closure_)];
    return loop_closure.closed || loop_closure.closing;
  }
  /// As the QP's last answer had it, in b's axes [N, N m].
  Vector6d wrench(const ControlSystem& system, ControlState& state, ConstVectorRef x) const;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  WrenchTaskConfig config_;
  int loop_closure_ = 0;
  std::string frame_;
  std::vector<int> selected_;
  Vector6d reference_;
};

void register_wrench_task(TaskRegistry& registry);

}  // namespace handspan
