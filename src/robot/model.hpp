#pragma once
// Kinematics and dynamics of one mechanism, fixed in the world or on a moving base. Model / Data
// split: RobotModel is immutable after construction and may be shared by threads; RobotData is one
// thread's workspace. Letters: W world, B body, F frame. Spatial vectors are linear first, angular
// last. Every twist, acceleration and Jacobian here is of a frame's origin, expressed in the
// world's axes ("V_WF"); positions of configuration follow joint_nq() in description.hpp. Nothing
// here allocates after construction, and nothing throws in the algorithms.
#include <Eigen/Core>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "robot/description.hpp"

namespace handspan {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;

/// Index of a frame in a RobotModel; bodies are frames too.
struct FrameId {
  int index = -1;
  friend bool operator==(FrameId, FrameId) = default;
};

/// Where a joint's coordinates stand in q and v.
struct JointSlot {
  std::string name;
  JointType type = JointType::kRevolute;
  int q = 0, v = 0;  // first index in q and in v
};

class RobotModel {
 public:
  /// @param description validated here; its roots stand in the world where X_PB says.
  /// @param gravity in the world [m/s^2]
  /// @throws InputError as validate() does
  explicit RobotModel(ModelDescription description,
                      const Eigen::Vector3d& gravity = Eigen::Vector3d(0.0, 0.0, -9.81));
  ~RobotModel();
  RobotModel(RobotModel&&) noexcept;
  RobotModel& operator=(RobotModel&&) noexcept;

  const ModelDescription& description() const { return description_; }
  const std::string& name() const { return description_.name; }
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const std::vector<JointSlot>& joints() const { return joints_; }
  /// @throws std::out_of_range naming the joints there are
  const JointSlot& joint(std::string_view name) const;
  /// The frame or body of that name. @throws std::out_of_range naming the frames there are
  FrameId frame(std::string_view name) const;
  FrameId body_frame(int body) const { return {body_frames_[static_cast<std::size_t>(body)]}; }
  /// The configuration at which joints read zero and a free base stands as described (nq).
  const Eigen::VectorXd& neutral() const { return neutral_; }
  const Eigen::Vector3d& gravity() const { return gravity_; }
  double mass() const;
  /// Equality rows on velocities: one a mimic joint, one a rolling frame, in the order of the
  /// description.
  int constraint_rows() const {
    return static_cast<int>(description_.mimics.size() + description_.rollings.size());
  }

  struct Impl;  // Pinocchio, behind robot/model_impl.hpp
  const Impl& impl() const { return *impl_; }

 private:
  ModelDescription description_;
  Eigen::Vector3d gravity_;
  int nq_ = 0, nv_ = 0;
  std::vector<JointSlot> joints_;
  std::vector<int> body_frames_;
  Eigen::VectorXd neutral_;
  std::unique_ptr<Impl> impl_;
};

/// Workspace of the algorithms below. Of one model; copyable, since a snapshot copies it.
class RobotData {
 public:
  explicit RobotData(const RobotModel& model);
  ~RobotData();
  RobotData(const RobotData& other);
  RobotData& operator=(const RobotData& other);
  RobotData(RobotData&&) noexcept;
  RobotData& operator=(RobotData&&) noexcept;

  struct Impl;
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Poses, velocities, bias accelerations and Jacobians of all bodies. What the frame_* functions
/// read.
/// @param q (nq), v (nv) [rad, m and per second]
void update_kinematics(const RobotModel& model, RobotData& data, ConstVectorRef q,
                       ConstVectorRef v);

/// X_WF. Needs update_kinematics.
Pose frame_pose(const RobotModel& model, const RobotData& data, FrameId frame);
/// V_WF: velocity of F's origin and F's angular velocity, in W [m/s, rad/s]. Needs
/// update_kinematics.
Vector6d frame_velocity(const RobotModel& model, const RobotData& data, FrameId frame);
/// J_WF (6 x nv): V_WF = J_WF v. J must have that size. Needs update_kinematics.
void frame_jacobian(const RobotModel& model, RobotData& data, FrameId frame,
                    Eigen::Ref<Matrix6Xd> J);
/// row += F^T J_WF, for a force and torque (or any 6 weights) on the frame's rows (1 x nv). Needs
/// update_kinematics.
void add_frame_jacobian_transpose(const RobotModel& model, RobotData& data, FrameId frame,
                                  const Vector6d& weights, Eigen::Ref<Eigen::RowVectorXd> row);
/// The part of F's acceleration that is not J v': dJ/dt v [m/s^2, rad/s^2]. Needs
/// update_kinematics.
Vector6d frame_bias_acceleration(const RobotModel& model, const RobotData& data, FrameId frame);
/// Jacobian rows (3 x nv) of a point fixed to a body, velocity in W. Needs update_kinematics.
/// @param p_WP the point's present position in W [m]
void point_jacobian(const RobotModel& model, RobotData& data, FrameId body,
                    const Eigen::Vector3d& p_WP, Eigen::Ref<Eigen::Matrix3Xd> J);
/// Velocity and bias acceleration of a point fixed to a body, in W. Needs update_kinematics.
Eigen::Vector3d point_velocity(const RobotModel& model, const RobotData& data, FrameId body,
                               const Eigen::Vector3d& p_WP);
Eigen::Vector3d point_bias_acceleration(const RobotModel& model, const RobotData& data,
                                        FrameId body, const Eigen::Vector3d& p_WP);

/// M(q), symmetric, reflected rotor inertia included (nv x nv) [kg, kg m, kg m^2]. The reference
/// stays valid until the next call with this data.
const Eigen::MatrixXd& mass_matrix(const RobotModel& model, RobotData& data, ConstVectorRef q);
/// h(q, v): Coriolis, centrifugal and gravity forces (nv) [N, N m]; M v' + h = tau.
const Eigen::VectorXd& nonlinear_effects(const RobotModel& model, RobotData& data, ConstVectorRef q,
                                         ConstVectorRef v);
/// Gravity forces alone (nv) [N, N m].
const Eigen::VectorXd& gravity_forces(const RobotModel& model, RobotData& data, ConstVectorRef q);
/// tau of M v' + h = tau (nv) by recursive Newton-Euler; friction and damping are not in it.
const Eigen::VectorXd& inverse_dynamics(const RobotModel& model, RobotData& data, ConstVectorRef q,
                                        ConstVectorRef v, ConstVectorRef vdot);
/// v' of M v' + h = tau (nv) by the articulated-body algorithm.
const Eigen::VectorXd& forward_dynamics(const RobotModel& model, RobotData& data, ConstVectorRef q,
                                        ConstVectorRef v, ConstVectorRef tau);

/// Kinetic plus potential energy [J]; its zero of height is the world's origin.
double mechanical_energy(const RobotModel& model, RobotData& data, ConstVectorRef q,
                         ConstVectorRef v);

/// Linear momentum and angular momentum about the centre of mass, in W [N s, N m s].
Vector6d centroidal_momentum(const RobotModel& model, RobotData& data, ConstVectorRef q,
                             ConstVectorRef v);

/// q moved by v for one second on the configuration's manifold: q_out = q (+) v; scale v by dt
/// before (nq).
void integrate(const RobotModel& model, ConstVectorRef q, ConstVectorRef v,
               Eigen::Ref<Eigen::VectorXd> q_out);
/// v with q1 = q0 (+) v (nv).
void difference(const RobotModel& model, ConstVectorRef q0, ConstVectorRef q1,
                Eigen::Ref<Eigen::VectorXd> v_out);

/// Equality rows of mimic joints and rolling bases: A v = 0 and A v' = b (A rows x nv, b rows, e
/// rows: what a mimic's position is off by). Needs update_kinematics with the same q, v.
void constraint_rows(const RobotModel& model, RobotData& data, ConstVectorRef q, ConstVectorRef v,
                     Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::VectorXd> b,
                     Eigen::Ref<Eigen::VectorXd> e);

}  // namespace handspan
