#pragma once
// The force and torque that a join carries: how hard two arms squeeze the box that they hold. Acts
// on the join's own unknowns; stiffness and damping mean nothing here.
#include "control/task.hpp"

namespace handspan {

struct WrenchTaskConfig : TaskGains {
  std::string join;
  std::vector<bool> axes = std::vector<bool>(6, true);  // in the join's frame b
  Vector6d wrench = Vector6d::Zero();                   // [N, N m]
};

class WrenchTask : public Task {
 public:
  /// @throws InputError when there is no such join, or no axis is chosen
  WrenchTask(const WrenchTaskConfig& config, const TaskContext& context);

  /// Force and torque on b's mechanism at b's origin, in b's axes [N, N m]. What is not finite or
  /// beyond 10 kN is counted in rejected() and ignored.
  void set_reference(const Vector6d& F_b);
  /// Of the configured wrench.
  std::vector<Row> error_rows() const override;
  void hold(const ControlSystem& system, ControlState& state) override;
  void state(StateArchive& archive) override;
  const Vector6d& reference() const { return reference_; }
  const std::vector<bool>& axes() const { return config_.axes; }
  /// The frame b, by its full name.
  const std::string& frame() const { return frame_; }
  /// Whether its join is closed, or about to be: an open one carries nothing.
  bool carries(const ControlState& state) const {
    const JoinState& join = state.joins[static_cast<std::size_t>(join_)];
    return join.closed || join.closing;
  }
  /// As the QP's last answer had it, in b's axes [N, N m].
  Vector6d wrench(const ControlSystem& system, ControlState& state, ConstVectorRef x) const;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  WrenchTaskConfig config_;
  int join_ = 0;
  std::string frame_;
  std::vector<int> selected_;
  Vector6d reference_;
};

void register_wrench_task(TaskRegistry& registry);

}  // namespace handspan
