#pragma once
// The pose of a frame of an arm as seen from an object that is observed: a hand that goes along
// with a box on a belt. Letters: E the frame, O the object, W the world.
#include "control/frame_task.hpp"

namespace handspan {

struct ObjectPoseTaskConfig : FrameTaskConfig {
  std::string object;       // of the scene, or a channel of poses in W
  double smoothing = 0.02;  // of what is seen of it [s]
  double lost_after = 0.2;  // that it was not seen [s]
};

/// A task of a frame in the world, which follows where the object takes its reference. The object
/// is no part of the control system: the reference looks at it and says what its motion adds to
/// pose, velocity and acceleration (reference/object_reference.hpp).
class ObjectPoseTask : public FrameTask {
 public:
  /// @throws InputError as FrameTask
  ObjectPoseTask(const ObjectPoseTaskConfig& config, const TaskContext& context)
      : FrameTask(config, context), object_(config) {}

  std::string_view reference_kind() const override { return "relative_pose"; }
  const std::string& object() const { return object_.object; }
  double smoothing() const { return object_.smoothing; }
  double lost_after() const { return object_.lost_after; }

 private:
  ObjectPoseTaskConfig object_;
};

void register_object_pose_task(TaskRegistry& registry);

}  // namespace handspan
