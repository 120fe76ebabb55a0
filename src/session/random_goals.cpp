#include "session/random_goals.hpp"

#include <cmath>

#include "core/error.hpp"

namespace handspan {

RandomGoals::RandomGoals(const RandomGoalsConfig& config, WholeArm& arms, std::uint64_t seed)
    : config_(config),
      task_(dynamic_cast<FrameTask*>(&arms.task(config.task))),
      random_(seed, "goals." + config.task) {
  if (!task_)
    throw InputError("goals are for tasks of type position or pose; '" + config.task +
                     "' is another");
  R_start_ = task_->reference().X_WE.R;
}

void RandomGoals::update(Nanoseconds now) {
  if (goals_ > 0 && seconds(now - since_) < config_.period) return;
  since_ = now;
  ++goals_;
  PoseReference goal;
  // the cube root makes it uniform in the ball
  goal.X_WE.p =
      config_.centre + config_.radius * std::cbrt(random_.uniform()) * random_.direction();
  goal.X_WE.R = exp_so3(random_.uniform(0.0, config_.max_turn) * random_.direction()) * R_start_;
  task_->set_reference(goal);
}

Schema<RandomGoalsConfig> random_goals_schema() {
  return object<RandomGoalsConfig>("RandomGoals", "random goals for a pose task, one after another")
      .required("task", &RandomGoalsConfig::task, text())
      .required("centre", &RandomGoalsConfig::centre, vector<3>("m"), "of the ball of goals")
      .required("radius", &RandomGoalsConfig::radius, number("m").above(0))
      .optional("max_turn", &RandomGoalsConfig::max_turn, number("rad").min(0).max(3.14),
                "from the orientation at the start")
      .optional("period", &RandomGoalsConfig::period, number("s").above(0), "a goal lasts");
}

}  // namespace handspan
