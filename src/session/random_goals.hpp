#pragma once
// A script that gives pose tasks random goals, inside, at and beyond reach, one after another: what
// apps/reach.yaml and the tests of whole-arm control drive the arms with.
#include <string>
#include <vector>

#include "control/frame_task.hpp"
#include "control/whole_arm.hpp"
#include "core/random.hpp"

namespace handspan {

struct RandomGoalsConfig {
  std::string task;                                  // of type position or pose
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  // of the ball of goals, in W [m]
  double radius = 1.0;                               // of the ball [m]
  double max_turn = 3.0;                             // from the pose at the start [rad]
  double period = 3.0;                               // a goal lasts this long [s]
};

class RandomGoals {
 public:
  /// @throws InputError when the task does not exist or is not a frame's
  RandomGoals(const RandomGoalsConfig& config, WholeArm& arms, std::uint64_t seed);

  /// Sets a new goal when the last one's time is over. Allocates nothing.
  void update(Nanoseconds now);
  FrameTask& task() { return *task_; }
  std::uint64_t goals() const { return goals_; }
  /// When the present goal was set [ns].
  Nanoseconds since() const { return since_; }
  void state(StateArchive& archive) { archive(random_, since_, goals_); }

 private:
  RandomGoalsConfig config_;
  FrameTask* task_;
  RandomStream random_;
  Eigen::Matrix3d R_start_;
  Nanoseconds since_ = 0;
  std::uint64_t goals_ = 0;
};

Schema<RandomGoalsConfig> random_goals_schema();

}  // namespace handspan
