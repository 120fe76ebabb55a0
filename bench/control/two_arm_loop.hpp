#pragma once
// The two-arm problem of bench/peer_process.hpp as handspan's whole-arm controller has it: from an
// observation to torques. No plant: what is observed next is integrated from the accelerations that
// the tick asked for, as the rivals' states are.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/figure.hpp"
#include "control/frame_task.hpp"
#include "control/whole_arm.hpp"

namespace handspan {

enum class TwoArmProblem {
  // as the rivals have it: limits of joint position, velocity, acceleration and torque; the
  // measured state. A little more than theirs: braking and the velocity curves of limits.yaml
  kWithoutCollision,
  // as apps have it: also limits of torque rate, of jerk, of both flanges' speed and acceleration,
  // and kCollisionPairs of links with a table, a post and one another; the commanded state
  kAllLimits,
  // the same with kManyCollisionPairs: also of the links with their own arm's
  kManyPairs,
};

/// Collision pairs of a problem.
int collision_pairs(TwoArmProblem problem);

/// What a loop of two arms starts from: all limits, kCollisionPairs.
struct TwoArmSetup {
  Scene scene;
  PlantLayout layout;
  Observation observation;
  std::string config;  // YAML of the whole-arm controller
};
/// @param tasks in place of the problem's own; null: those
TwoArmSetup two_arm_setup(const std::filesystem::path& root, const char* tasks,
                          TwoArmProblem problem = TwoArmProblem::kAllLimits);
/// The accelerations of the last tick, over a millisecond, make the next observation.
void integrate_two_arms(const WholeArm& arms, const PlantLayout& layout, const Command& command,
                        Observation& observation);

class TwoArmLoop {
 public:
  static constexpr int kCollisionPairs = 12, kManyCollisionPairs = 60;

  /// @param root has robots/  @throws InputError or ConfigError when that cannot be used
  TwoArmLoop(TwoArmProblem problem, const std::filesystem::path& root);

  /// Sets both hands' references for the present time. Not timed.
  void refer();
  /// One tick from observation to command, which is what is timed. Allocates nothing.
  void tick();
  /// The accelerations of the tick become the next observation. Not timed.
  void integrate();

  /// Farthest that a hand was from its reference at the state of the last tick [m].
  double error() const;
  /// Collision pairs of the last tick that were nearer than their influence distance.
  int pairs_near() const;
  const WholeArm& arms() const { return *arms_; }
  WholeArm& arms() { return *arms_; }
  const Command& command() const { return command_; }

 private:
  struct Hand {
    FrameTask* task = nullptr;
    Pose start;
  };

  Scene scene_;
  PlantLayout layout_;
  Observation observation_;
  Command command_;
  std::unique_ptr<WholeArm> arms_;
  std::vector<Hand> hands_;
  std::int64_t ticks_ = 0;
};

/// Runs the loop from its start: kWarmUpTicks, then kMeasuredTicks one by one.
/// @throws std::runtime_error when a tick's QP failed or gave way, when pairs were too far to be
/// measured, or when a hand went farther than kLargestTracking from its circle: the cost of a
/// controller that does not do its work is none
TickSamples measure_two_arms(TwoArmProblem problem, const std::filesystem::path& root);

}  // namespace handspan
