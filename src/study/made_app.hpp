#pragma once
// What trials of arms that hands drive have in common: an app made of text, its arm as the plant
// has it, and the reference on its leash. Letters: W world, E the frame that is followed, P a
// point.
#include <Eigen/Core>
#include <filesystem>
#include <string>

#include "robot/model.hpp"
#include "session/session.hpp"

namespace handspan {

/// An app of a scene, and of the other keys' text, without files of its own.
/// @param keys whole_arm, devices, sources, references and machines, as an app has them
/// @param parts that they are made of; may go afterwards
/// @throws ConfigError or InputError as load_app()
App made_app(Scene scene, const std::string& keys, const Parts& parts);

/// One robot of a scene: "NAME: {robot: ..., tool: ..., MORE}". @param tool may be empty
std::string robot_text(const std::string& name, const std::filesystem::path& robot,
                       const std::filesystem::path& tool, const std::string& more);

/// Keys of its arm in whole_arm, but for the feedback: of one that is driven by torques, its dry
/// friction is compensated as apps/grab.yaml does.
std::string arm_text(const RobotInstance& robot);

/// How late a drive does what it is told.
struct DriveLag {
  double delay =
      0.0;  // before a command acts: its ticks, and the one in which it waits to be sent [s]
  double lag = 0.0;  // time constant of what then follows [s]
};
DriveLag lag_of(const RobotInstance& robot);

/// A robot as the plant has it, whatever was measured and commanded.
class PlantArm {
 public:
  /// @throws InputError when nothing is simulated, std::out_of_range for a frame it does not have
  PlantArm(Session& session, const std::string& robot, const std::string& frame);
  /// As it is now.
  void look();
  const Pose& X_WE() const { return X_WE_; }
  const Vector6d& V_WE() const { return V_WE_; }
  const Eigen::VectorXd& v() const { return v_; }  // of the whole robot (nv)
  const RobotModel& model() const { return model_; }
  /// Of a frame or body of it ("arm.link4"). @throws std::out_of_range
  Pose pose(const std::string& frame) const;
  /// J_E M^-1 J_P^T F: how E accelerates by a force and a torque at the origin of a frame P
  /// [m/s^2, rad/s^2]. @param F_W [N, N m]
  Vector6d acceleration_by(const Vector6d& F_W, const std::string& P);
  /// (J M^-1 J^T)^-1 of E (6 x 6) [kg, kg m, kg m^2]
  Eigen::Matrix<double, 6, 6> inertia();

 private:
  Eigen::MatrixXd accelerations(const Matrix6Xd& J);  // M^-1 J^T

  const World& world_;
  std::string name_;
  RobotModel model_;
  RobotData data_;
  FrameId frame_;
  Eigen::VectorXd q_, v_;
  Pose X_WE_;
  Vector6d V_WE_ = Vector6d::Zero();
};

/// A hand that a trial moves, given to a relative pose_stream named `person`.
class StreamedHand {
 public:
  explicit StreamedHand(Session& session) : mailbox_(session.mailbox("person")) {}
  /// Before each tick: where it is from where it began, and how fast [m, m/s].
  void show(const Eigen::Vector3d& p, const Eigen::Vector3d& v);

 private:
  Mailbox& mailbox_;
};

/// How far a reference gets from the arm that the plant has, while it follows somebody.
class LeashWatch {
 public:
  explicit LeashWatch(ReferenceIndex reference) : reference_(reference) {}
  /// After each tick. @param X_WE of the arm before it
  void after_tick(Session& session, const Pose& X_WE);
  double distance() const { return distance_; }  // at most [m]
  double angle() const { return angle_; }        // [rad]

 private:
  ReferenceIndex reference_;
  double distance_ = 0.0, angle_ = 0.0;
};

}  // namespace handspan
