#pragma once
// How one frame E moves in the world W: the task that a twist reference (reference/twist_reference)
// drives. Twists are linear first, angular last, of E's origin, in W [m/s, rad/s].
#include "control/frame_task.hpp"

namespace handspan {

/// Asks for the acceleration
///   a^d = A_ref + kd (V_ref - V) + kp e,
/// the law of a FrameTask, whose reference is where V_ref has brought the frame: e is what the arm
/// fell behind by disturbances. Its reference keeps e within a few millimetres, so nothing winds
/// up; with a stiffness of 0 there is no e, and what disturbs the arm moves it for good.
///
/// Its error is that of the twist, V_ref - V. It keeps its direction as hands do, and publishes
/// "task.NAME.twist", V as control has it.
class TwistTask : public FrameTask {
 public:
  /// @throws InputError as FrameTask, and for a stiffness of 0 without a damping
  TwistTask(const FrameTaskConfig& config, const TaskContext& context);

  std::string_view reference_kind() const override { return "twist"; }
  std::vector<Row> error_rows() const override;
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  VectorChannel twist_channel_;
};

/// twist.
void register_twist_task(TaskRegistry& registry);

}  // namespace handspan
