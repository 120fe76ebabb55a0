#include "control/control_parts.hpp"

#include "control/arms_controller.hpp"
#include "control/cartesian_limits.hpp"
#include "control/collision.hpp"
#include "control/direction_task.hpp"
#include "control/frame_task.hpp"
#include "control/hold.hpp"
#include "control/joint_rows.hpp"
#include "control/object_pose_task.hpp"
#include "control/posture_task.hpp"
#include "control/relative_pose_task.hpp"
#include "control/twist_task.hpp"
#include "control/velocity_law.hpp"
#include "control/wrench_task.hpp"

namespace handspan {

void register_control(Parts& parts) {
  register_hold_controllers(parts.of<ControllerRegistry>());
  TaskRegistry& tasks = parts.of<TaskRegistry>();
  register_frame_tasks(tasks);
  register_posture_tasks(tasks);
  register_direction_task(tasks);
  register_relative_pose_task(tasks);
  register_object_pose_task(tasks);
  register_wrench_task(tasks);
  register_twist_task(tasks);
  ConstraintRegistry& constraints = parts.of<ConstraintRegistry>();
  register_joint_rows(constraints);
  register_cartesian_limits(constraints);
  register_collision(constraints);
  // the whole-arm QP needs no name
  register_velocity_law(parts);
}

}  // namespace handspan
