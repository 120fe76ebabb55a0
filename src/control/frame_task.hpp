#pragma once
// Position, orientation or pose of one frame E in the world W.
#include <Eigen/Cholesky>
#include <array>

#include "control/direction.hpp"
#include "control/feedback_task.hpp"

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

/// Of what a task's stiffness is: an acceleration per metre, or a spring's force.
enum class StiffnessUnit { kPerSecondSquared, kNewtonPerMetre };

/// Of an orientation's stiffness to that of the position, of a spring for which it is not given: as
/// if it pulled at 0.32 m [m^2/rad^2].
inline constexpr double kSpringLever = 0.1;

struct FrameTaskConfig : TaskGains {
  std::string frame;
  std::vector<bool> axes;  // x y z, then rotation about x y z; the ones that are rows
  TaskAxes axes_of = TaskAxes::kWorld;
  double orientation_weight = 1.0;  // of rotation against translation [m^2/rad^2]
  // of rotation [1/s^2]; none: the stiffness. Its ratio to that stays when gains change at run time
  std::optional<double> orientation_stiffness;
  std::optional<AxisGainsConfig> gains;  // axis by axis; none: all axes alike
  std::optional<double> speed;           // most that it asks for on the way [m/s]
  std::optional<double> angular_speed;   // [rad/s]
  std::optional<double> deceleration;    // with which it plans to arrive [m/s^2]
  // where limits or a singular pose bind, the wanted twist shrinks along itself; none: where a
  // reference drives it (Arbiter::add_pose), and not else
  std::optional<bool> keep_direction;
  // N/m: stiffness [N/m], damping [N s/m], orientation stiffness [N m/rad]
  StiffnessUnit stiffness_unit = StiffnessUnit::kPerSecondSquared;
};

/// What an error across the wanted twist costs, of one along it, in a task that keeps its
/// direction.
inline constexpr double kAcross = 100.0;

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
///
/// Gains of each axis, and shares of the feedback that change from one tick to the next, take the
/// place of kp and kd as matrices (feedback_task.hpp).
///
/// As a spring (stiffness in N/m) it asks for
///   a^d = a_ref + Lambda^-1 (K e + D (V_ref - V)),  Lambda^-1 = J M^-1 J^T,
/// Khatib 1987 with the spring's force in place of the acceleration, so that pushed at E it gives
/// way along the force: e = K^-1 f. Left out, D is critical: with B = K^1/2 Lambda^-1 K^1/2,
/// Lambda^-1 D = 2 K^-1/2 B^1/2 K^1/2, which damps every mode of e'' = -Lambda^-1 K e critically.
///
/// With keep_direction the wanted twist V_ref + (kp / kd) e shrinks along itself where limits or a
/// singular pose bind (direction.hpp), and what a row of the QP cannot give is taken along that
/// twist rather than across it: there errors cost kAcross times as much. Against an obstacle it
/// slides along as without.
class FrameTask : public FeedbackTask {
 public:
  /// @throws InputError when there is no such frame, or no axis is chosen
  FrameTask(const FrameTaskConfig& config, const TaskContext& context);

  /// A reference that is not sane is counted in rejected() and the last one stays.
  void set_reference(const PoseReference& reference);
  const PoseReference& reference() const { return reference_; }
  std::vector<Row> error_rows() const override;
  std::string_view reference_kind() const override { return "pose"; }
  void hold(const ControlSystem& system, ControlState& state) override;
  /// A spring's stiffness is in N/m and its damping in N s/m.
  void declare_parameters(PartParameters& parameters) override;
  void state(StateArchive& archive) override;

  const ControlSystem::FrameOf& frame() const { return frame_; }
  /// 1 for the axes of W in which a reference counts, 0 for those that no row has; rows in axes of
  /// the frame itself count in all three.
  Vector6d counted_axes() const;
  const std::string& frame_name() const { return config_.frame; }
  double orientation_weight() const { return config_.orientation_weight; }
  /// Which of x y z and rotation about x y z each row is, and in which axes.
  const std::vector<int>& selected() const { return selected_; }
  TaskAxes axes_of() const { return config_.axes_of; }
  /// p_ref - p and R log(R^T R_ref), in W [m, rad]; before masks and saturation.
  const Vector6d& pose_error() const { return pose_error_; }
  /// V_ref + (kp / kd) e, the rotation with its own gains, in W: the twist that brings E after its
  /// reference, for controllers on the level of velocities [m/s, rad/s]. Of the last update, before
  /// masks and after saturation.
  const Vector6d& wanted_twist() const { return wanted_twist_; }
  /// Where E was and how it moved at the last update, or where it was held.
  const Pose& X_WE() const { return X_WE_; }
  const Vector6d& V_WE() const { return V_WE_; }

  /// Unless its configuration says otherwise.
  void keep_direction_by_default() { keeps_ = config_.keep_direction.value_or(true); }
  bool keeps_direction() const { return keeps_; }
  /// While the arm's joints brake, each as it can, the task only follows where they come to rest.
  void brake_with_joints(bool brakes) { brakes_ = brakes; }
  /// How much of the wanted twist is allowed and what binds; of a task that keeps its direction.
  const DirectionKeeper& way() const { return way_; }

 protected:
  void fill(const ControlSystem& system, ControlState& state) override;

 private:
  double saturation(double linear, double angular) const;
  Vector6d towards(const Vector6d& V, const Vector6d& e, double scale) const;
  void turn_to_frame(const Eigen::Matrix3d& R_EW, std::initializer_list<Vector6d*> vectors);
  void keep(const MechanismState& state, const Vector6d& V, const Vector6d& pull,
            const Vector6d& wanted, const Vector6d& bias, double damping);
  void add_spring(const MechanismState& state, const Vector6d& V, Vector6d& pull, Vector6d& drag,
                  double& damping);
  void find_led(double dt);
  void add_gains(const AxisGainsConfig& gains, const TaskContext& context);
  double gain() const { return damping() > 0.0 ? stiffness() / damping() : 0.0; }

  FrameTaskConfig config_;
  ControlSystem::FrameOf frame_;
  std::vector<int> selected_;  // of the six axes
  PoseReference reference_;
  // of the gains of rotation to those of translation
  double stiffness_ratio_ = 1.0, damping_ratio_ = 1.0;
  Vector6d pose_error_ = Vector6d::Zero(), wanted_twist_ = Vector6d::Zero();
  double led_way_ = 0.0;  // of the error, that the reference made [m]
  Pose X_WE_;
  Vector6d V_WE_ = Vector6d::Zero();
  Matrix6Xd J_;
  bool keeps_ = false;
  bool brakes_ = false;
  DirectionKeeper way_;
  Eigen::LLT<Eigen::MatrixXd> inertia_;  // of a spring
  Eigen::MatrixXd accelerations_;        // M^-1 J^T
};

/// R log(R^T R_ref): the rotation from R to R_ref as a vector in W [rad].
Eigen::Vector3d orientation_error(const Eigen::Matrix3d& R_WE, const Eigen::Matrix3d& R_WE_ref);

/// position, orientation, pose.
void register_frame_tasks(TaskRegistry& registry);

}  // namespace handspan
