#include "skills/toss/toss_parts.hpp"

#include "skills/toss/aim_stage.hpp"
#include "skills/toss/cube_toss_trial.hpp"
#include "skills/toss/toss_judge.hpp"
#include "skills/toss/toss_metric.hpp"

namespace handspan {

void register_toss(Parts& parts) {
  register_toss_judge(parts.of<JudgeRegistry>());
  register_toss_metric(parts.of<MetricRegistry>());
  register_cube_toss_trial(parts.of<TrialRegistry>());
  register_aim_stage(parts.of<StageRegistry>());
}

}  // namespace handspan
