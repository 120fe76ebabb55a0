#pragma once
// Position, orientation or pose of one frame E in the world W.
#include <array>

#include "control/task.hpp"

namespace handspan {

/// Where E should be, how it should move there, and with what acceleration.
struct PoseReference {
  Pose X_WE;
  Vector6d V_WE = Vector6d::Zero();  // linear, angular, in W [m/s, rad/s]
  Vector6d A_WE = Vector6d::Zero();  // its rate [m/s^2, rad/s^2]
  void state(StateArchive& archive) { archive(X_WE.p, X_WE.R, V_WE, A_WE); }
};

/// Finite, a rotation, within 1 km, 1 km/s and 100 km/s^2.
bool is_sane(const PoseReference& reference);

/// In which axes a task's rows are.
enum class TaskAxes { kWorld, kFrame };

struct FrameTaskConfig : TaskGains {
  std::string frame;
  std::vector<bool> axes;  // x y z, then rotation about x y z; the ones that are rows
  TaskAxes axes_of = TaskAxes::kWorld;
  double orientation_weight = 1.0;  // of rotation against translation [m^2/rad^2]
  // of rotation [1/s^2]; none: the stiffness. Its ratio to that stays when gains change at run time
  std::optional<double> orientation_stiffness;
  std::optional<double> speed;          // most that it asks for on the way [m/s]
  std::optional<double> angular_speed;  // [rad/s]
  std::optional<double> deceleration;   // with which it plans to arrive [m/s^2]
};

/// Largest accelerations that a frame's task asks for, beyond what an arm can do; its demand is
/// scaled down to them, keeping its direction [m/s^2], [rad/s^2].
inline constexpr double kMostTaskAcceleration = 50.0;
inline constexpr double kMostTaskAngularAcceleration = 100.0;

/// van Gorp 2022, eq. 3.10, 3.13, 3.17:
///   a^d = a_ref + kd (v_ref - v) + kp (p_ref - p)
///   alpha^d = alpha_ref - omega x (omega_ref - omega) + kd (omega_ref - omega)
///             + kp R log(R^T R_ref)
/// With an orientation stiffness of its own, kp of alpha^d is that and kd grows by the root of
/// their ratio, so that both are damped alike. Pushed at its plate, a task-space controlled arm
/// also turns, by kp^-1 J M^-1 J^T f, since its inertia couples force to rotation; this keeps it
/// from that. With speeds or a deceleration given, position and orientation error are scaled by one
/// common factor, so that a far goal asks for no more than those and its direction is kept.
class FrameTask : public Task {
 public:
  /// @throws InputError when there is no such frame, or no axis is chosen
  FrameTask(const FrameTaskConfig& config, const TaskContext& context);

  /// A reference that is not sane is counted in rejected() and the last one stays.
  void set_reference(const PoseReference& reference);
  const PoseReference& reference() const { return reference_; }
  void hold(const ControlSystem& system, ControlState& state) override;
  void state(StateArchive& archive) override;

  const ControlSystem::FrameOf& frame() const { return frame_; }
  /// 1 for the axes of W in which a reference counts, 0 for those that no row has; rows in axes of
  /// the frame itself count in all three.
  Vector6d counted_axes() const;
  const std::string& frame_name() const { return config_.frame; }
  double orientation_weight() const { return config_.orientation_weight; }
  /// p_ref - p and R log(R^T R_ref), in W [m, rad]; before masks and saturation.
  const Vector6d& pose_error() const { return pose_error_; }
  /// Where E was and how it moved at the last update, or where it was held.
  const Pose& X_WE() const { return X_WE_; }
  const Vector6d& V_WE() const { return V_WE_; }

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  double saturation(double linear, double angular) const;
  double gain() const { return damping() > 0.0 ? stiffness() / damping() : 0.0; }

  FrameTaskConfig config_;
  ControlSystem::FrameOf frame_;
  std::vector<int> selected_;  // of the six axes
  PoseReference reference_;
  // of the gains of rotation to those of translation
  double stiffness_ratio_ = 1.0, damping_ratio_ = 1.0;
  Vector6d pose_error_ = Vector6d::Zero();
  Pose X_WE_;
  Vector6d V_WE_ = Vector6d::Zero();
  Matrix6Xd J_;
};

/// R log(R^T R_ref): the rotation from R to R_ref as a vector in W [rad].
Eigen::Vector3d orientation_error(const Eigen::Matrix3d& R_WE, const Eigen::Matrix3d& R_WE_ref);

/// position, orientation, pose.
void register_frame_tasks(TaskRegistry& registry);

}  // namespace handspan
