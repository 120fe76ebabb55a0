#pragma once
// The maker's drive of one joint, between a command and the simulated servo: delay, first-order
// lag, limits.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plant/plant.hpp"
#include "robot/limits.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

/// What the servo of one joint is told at a step.
struct ServoTarget {
  double q = 0.0;    // [rad]   velocity and position drives
  double v = 0.0;    // [rad/s]
  double tau = 0.0;  // [N m]   torque drives
};

/// The drives of one group's joints. Its state is one flat vector, so that a snapshot is a copy.
class GroupDrive {
 public:
  /// @param step of the physics [s]; steps_per_tick: physics steps in one tick of the robot's rate
  GroupDrive(const ActuatorGroup& group, const RobotLimits& limits, double step,
             int steps_per_tick);

  /// At rest at q. @param tau [N m]: what a torque drive gives until it is commanded, as a brake
  /// would hold the arm
  void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& tau);
  void reset(const Eigen::VectorXd& q) { reset(q, Eigen::VectorXd::Zero(n_)); }
  /// Latches commands for the next tick; what is not finite or beyond limits is replaced and
  /// counted.
  void command(const Eigen::VectorXd& values, CommandFaults& faults);
  /// One physics step: at ticks the latched command enters the delay; then lag and rate limits act.
  /// @param stretch [rad]: how far the servo's target may run ahead of the joint before its torque
  /// saturates
  void step(const Eigen::VectorXd& q, const Eigen::VectorXd& stretch, CommandFaults& faults);
  const ServoTarget& target(int joint) const { return targets_[static_cast<std::size_t>(joint)]; }

  std::vector<double>& state() { return state_; }
  const std::vector<double>& state() const { return state_; }
  /// Recomputes the targets from the state, after it was replaced.
  void refresh();

 private:
  double& latched(int joint) { return state_[static_cast<std::size_t>(joint)]; }
  double& target_q(int joint) { return state_[static_cast<std::size_t>(n_ + joint)]; }
  double& lagged(int joint) { return state_[static_cast<std::size_t>(2 * n_ + joint)]; }
  double& delayed(int tick, int joint) {
    return state_[static_cast<std::size_t>(3 * n_ + tick * n_ + joint)];
  }
  double& phase() { return state_.back(); }  // physics steps since the last tick

  Drive drive_;
  int n_, delay_ticks_, steps_per_tick_;
  double step_, lag_gain_;
  bool limit_rate_;
  std::vector<JointLimits> limits_;
  std::vector<double> state_;
  std::vector<ServoTarget> targets_;
};

}  // namespace handspan
