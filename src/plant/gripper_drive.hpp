#pragma once
// The controller inside a simulated gripper: it goes to a width at a speed and presses with a
// force, as those of makers do, and sets joint servos accordingly.
#include <vector>

#include "plant/drive.hpp"

namespace handspan {

class GripperDrive {
 public:
  /// @param group with a gripper; friction: dry friction that each of its joints must overcome, on
  /// top of what presses [N m, N]; step of the physics [s]; steps_per_tick: physics steps in one
  /// tick of the robot's rate
  GripperDrive(const ActuatorGroup& group, const RobotLimits& limits, std::vector<double> friction,
               double step, int steps_per_tick);

  /// At rest at q, without a command: it stays there.
  void reset(const Eigen::VectorXd& q);
  /// Latches the values of a GripperCommand for the next tick; what is not finite or beyond the
  /// gripper's own is replaced and counted. A width narrower than the gripper's presses on.
  void command(const Eigen::VectorXd& values, CommandFaults& faults);
  /// One physics step.
  /// @param kp of the joint servos [N m/rad]
  void step(const Eigen::VectorXd& q, const Eigen::VectorXd& kp);
  const ServoTarget& target(int joint) const { return targets_[static_cast<std::size_t>(joint)]; }
  /// Torque that the servo of a joint may exert besides what carries the jaw [N m].
  double torque(int joint) const { return torques_[static_cast<std::size_t>(joint)]; }

  std::vector<double>& state() { return state_; }
  const std::vector<double>& state() const { return state_; }

 private:
  static constexpr std::size_t kValues = kGripperCommandSize;
  double& latched(std::size_t value) { return state_[value]; }
  double& width() { return state_[kValues]; }      // set-point [m]
  double& speed() { return state_[kValues + 1]; }  // its [m/s]
  double& delayed(int tick, std::size_t value) {
    return state_[kValues + 2 + static_cast<std::size_t>(tick) * kValues + value];
  }
  // physics steps since the last tick
  double& phase() { return state_[state_.size() - 1 - kMoves]; }
  static constexpr std::size_t kMoves = 4;
  double& stopped() { return state_[state_.size() - 4]; }  // for how long it has been [s]
  double& last() { return state_[state_.size() - 3]; }     // width one step before [m]
  double& told() { return state_[state_.size() - 2]; }     // width that was asked for last [m]
  double& left_at() { return state_[state_.size() - 1]; }  // measured when it was asked for [m]

  GripperDescription gripper_;
  int n_, delay_ticks_, steps_per_tick_;
  double step_;
  std::vector<double> limits_, friction_;  // torques of the joints [N m, N]
  std::vector<double> state_, torques_;
  std::vector<ServoTarget> targets_;
};

}  // namespace handspan
