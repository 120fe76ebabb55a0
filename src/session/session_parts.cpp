#include "session/session_parts.hpp"

#include "session/condition.hpp"
#include "session/feedback_mode.hpp"
#include "session/follow_mode.hpp"
#include "session/joint_move.hpp"
#include "session/modes.hpp"
#include "session/place_judge.hpp"
#include "session/planned_move.hpp"
#include "session/policy.hpp"
#include "session/pose_goal.hpp"
#include "session/pose_move.hpp"
#include "session/wrench_goal.hpp"

namespace handspan {

void register_session(Parts& parts) {
  ModeRegistry& modes = parts.of<ModeRegistry>();
  register_modes(modes);
  register_follow_mode(modes);
  register_feedback_mode(modes);
  register_pose_move(parts);
  register_planned_move(parts.of<SourceRegistry>());
  register_policy(parts.of<SourceRegistry>());
  register_pose_goals(parts);
  register_joint_moves(parts);
  register_wrench_goal(parts);
  register_grip_modes(modes);
  register_operate_mode(modes);
  register_reset_scene_mode(modes);
  register_conditions(parts.of<ConditionRegistry>());
  register_place_judge(parts.of<JudgeRegistry>());
}

}  // namespace handspan
