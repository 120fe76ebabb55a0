#pragma once
// The pose of one end effector seen from another: two arms that carry, hand over or squeeze,
// wherever the pair goes. Letters: A and B the two frames, W the world.
#include "control/frame_task.hpp"

namespace handspan {

struct RelativePoseTaskConfig : TaskGains {
  std::string frame_a, frame_b;
  double orientation_weight = 1.0;                      // [m^2/rad^2]
  std::vector<bool> axes = std::vector<bool>(6, true);  // in A: x y z, about x y z
};

/// All quantities of B relative to A as seen in A. With r = p_B - p_A and the relative velocity
/// u = v_B - v_A - omega_A x r, in W axes:
///   r'' seen in A = a_B - a_A - alpha_A x r - omega_A x (omega_A x r) - 2 omega_A x u
///   alpha_AB seen in A = alpha_B - alpha_A - omega_A x omega_B
class RelativePoseTask : public Task {
 public:
  /// @throws InputError when a frame is missing or both are one, or no axis is chosen
  RelativePoseTask(const RelativePoseTaskConfig& config, const TaskContext& context);

  /// X_AB with its rate and acceleration as seen in A, in A's axes. Insane ones are rejected.
  void set_reference(const PoseReference& reference);
  std::vector<Row> error_rows() const override;
  void hold(const ControlSystem& system, ControlState& state) override;
  void state(StateArchive& archive) override;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  RelativePoseTaskConfig config_;
  ControlSystem::FrameOf frame_a_, frame_b_;
  std::vector<int> selected_;
  PoseReference reference_;
  Matrix6Xd J_a_, J_b_;
};

void register_relative_pose_task(TaskRegistry& registry);

}  // namespace handspan
