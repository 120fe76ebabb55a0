#pragma once
// How hard an arm presses with its tool: from its wrist sensor where it has one, else from the
// torques of its drives. Mean over a window, so that the peak of an impact is not a press.
#include <Eigen/Core>
#include <memory>
#include <optional>

#include "control/whole_arm.hpp"
#include "core/state_archive.hpp"
#include "plant/plant.hpp"

namespace handspan {

/// Over which forces are averaged [s].
inline constexpr double kForceWindow = 0.05;

/// From drive torques: with M q'' + h + friction = tau + J^T F, friction as described, and means,
///   J^T F = M (v - v_then) / window + mean(h + friction - tau),
/// by least squares for the force on the tool, its torque free, as far as the joints have a lever.
/// What the model does not know (a load that it was not told of) counts as force; near a singular
/// posture what presses along the lost direction is not seen.
class ArmForce {
 public:
  /// @param arm index in the whole-arm controller; sensor: in observations, or -1; dt: between
  /// measurements [s]
  ArmForce(const WholeArm& arms, int arm, int sensor, double dt);
  /// At every tick of the loop, before update(): torques are averaged between the arm's own ticks.
  /// A drive that goes after steps of its command ripples with them, and at its ticks always in the
  /// same phase.
  void listen(const Observation& observation);
  /// At the arm's ticks.
  void update(const Observation& observation);
  /// Of the mean force over the window; 0 until it is full [N].
  double mean() const { return mean_; }
  /// Of the last measurement: a sensor's; of torques, their mean [N].
  double now() const { return now_; }
  /// The mean force of what is around on the tool, in W; zero until the window is full [N].
  const Eigen::Vector3d& force() const { return force_; }
  ControlSystem::FrameOf tool() const {
    return {arms_.mechanism_of(static_cast<int>(arm_)), tool_};
  }
  bool by_sensor() const { return sensor_ >= 0; }
  void forget();
  void state(StateArchive& archive);

 private:
  void from_torques(const Observation& observation);

  const WholeArm& arms_;
  const Mechanism& mechanism_;
  const MechanismState& state_;
  std::size_t arm_;
  int sensor_;
  std::size_t group_;
  FrameId tool_;
  std::vector<Eigen::Index> places_;   // in the group, of each of its joints
  std::vector<std::size_t> actuated_;  // among the mechanism's, of each of them
  std::vector<int> others_;            // into v, of what other groups drive of the mechanism
  RobotData data_;
  Eigen::MatrixXd ring_;    // of what is averaged, a column a measurement
  Eigen::MatrixXd speeds_;  // v of the mechanism then
  Eigen::Index next_ = 0, filled_ = 0;
  double window_ = 0.0;  // [s]
  double mean_ = 0.0, now_ = 0.0;
  Eigen::Vector3d force_ = Eigen::Vector3d::Zero();
  Eigen::VectorXd q_, v_, load_, sum_;
  Eigen::VectorXd tau_;  // of the group, summed since the last update [N m]
  std::int64_t heard_ = 0;
  Matrix6Xd J_;
};

}  // namespace handspan
