#pragma once
// The pose of one end effector seen from another: two arms that carry, hand over or squeeze,
// wherever the pair goes. Letters: A and B the two frames, W the world.
#include "control/frame_task.hpp"

namespace handspan {

struct RelativePoseTaskConfig : TaskGains {
  std::string frame_a, frame_b;
  double orientation_weight = 1.0;                      // [m^2/rad^2]
  std::vector<bool> axes = std::vector<bool>(6, true);  // in A: x y z, about x y z
  std::optional<AxisGainsConfig> gains;                 // axis by axis; none: all axes alike
};

/// All quantities of B relative to A as seen in A. With r = p_B - p_A and the relative velocity
/// u = v_B - v_A - omega_A x r, in W axes:
///   r'' seen in A = a_B - a_A - alpha_A x r - omega_A x (omega_A x r) - 2 omega_A x u
///   alpha_AB seen in A = alpha_B - alpha_A - omega_A x omega_B
/// Gains of each axis are of B: `tool` are B's axes, and `contact` those of the force that B's arm
/// feels.
class RelativePoseTask : public FeedbackTask {
 public:
  /// @throws InputError when a frame is missing or both are one, or no axis is chosen
  RelativePoseTask(const RelativePoseTaskConfig& config, const TaskContext& context);

  /// X_AB with its rate and acceleration as seen in A, in A's axes. Insane ones are rejected.
  void set_reference(const PoseReference& reference);
  std::vector<Row> error_rows() const override;
  std::string_view reference_kind() const override { return "relative_pose"; }
  const PoseReference& reference() const { return reference_; }
  /// Where B is in A and how it moves as seen there, at the last update or where it was held; in
  /// A's axes.
  const Pose& X_AB() const { return X_AB_; }
  const Vector6d& V_AB() const { return V_AB_; }
  const ControlSystem::FrameOf& frame_a() const { return frame_a_; }
  const ControlSystem::FrameOf& frame_b() const { return frame_b_; }
  /// 1 for the axes of A that are rows.
  Vector6d counted_axes() const;
  void hold(const ControlSystem& system, ControlState& state) override;
  void state(StateArchive& archive) override;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  RelativePoseTaskConfig config_;
  ControlSystem::FrameOf frame_a_, frame_b_;
  std::vector<int> selected_;
  PoseReference reference_;
  Pose X_AB_;
  Vector6d V_AB_ = Vector6d::Zero();
  Matrix6Xd J_a_, J_b_;
};

/// The motion of B as seen from A, in A's axes, from those of both in W: r' = v_B - v_A - omega_A x
/// r.
Vector6d relative_velocity(const Pose& X_WA, const Vector6d& V_WA, const Pose& X_WB,
                           const Vector6d& V_WB);

void register_relative_pose_task(TaskRegistry& registry);

}  // namespace handspan
