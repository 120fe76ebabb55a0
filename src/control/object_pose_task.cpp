#include "control/object_pose_task.hpp"

namespace handspan {

void register_object_pose_task(TaskRegistry& registry) {
  using C = ObjectPoseTaskConfig;
  registry.add(
      "object_pose",
      with_gains(object<C>("ObjectPoseTask", "pose of a frame as seen from an object"))
          .required("frame", &C::frame, text(), "such as left.tcp")
          .required("object", &C::object, text(),
                    "an object of the scene, or a channel of poses in the world, as of a camera")
          .optional("smoothing", &C::smoothing, number("s").min(0).max(1),
                    "of what is seen of the object, whose velocity is found from it")
          .optional("lost_after", &C::lost_after, number("s").above(0).max(10),
                    "not seen for so long, it is lost and the arm holds")
          .optional("axes", &C::axes, list(boolean()).size(6),
                    "of the world: x, y, z, then about x, y, z; default all")
          .optional("gains", &C::gains, axis_gains_schema(6))
          .optional("orientation_weight", &C::orientation_weight,
                    number("m^2/rad^2").min(0).max(1e3), "of rotation against translation"),
      "pose of a frame as seen from an object that is observed",
      [](C config, const TaskContext& context) {
        if (config.axes.empty()) config.axes.assign(6, true);
        return std::make_unique<ObjectPoseTask>(config, context);
      });
}

}  // namespace handspan
