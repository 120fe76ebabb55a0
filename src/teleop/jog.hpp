#pragma once
// A frame driven by rates, as with a joystick, a 3-D mouse or keys (what users of MoveIt Servo know
// as a twist jog). Its reference is moved on from where it is, so there is nothing to wind up: when
// the stick is let go it brakes and stays. What it gives is a pose with its twist, so that it
// drives references of both kinds: of a `pose` the pose moves on, of a `twist` the twist alone
// counts. Registered as `jog`. Frames: W world, E what is moved, O the axes in which the rates are
// meant, B those of the workspace box.
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "device/device_rate.hpp"
#include "reference/source.hpp"
#include "teleop/obstacles.hpp"
#include "teleop/snap.hpp"

namespace handspan {

enum class JogFrame {
  kWorld,
  kBase,  // of the robot that `moves` belongs to
  kTool,  // E itself
  kView,  // the operator's screen: x right, y up, z out of it
};

/// p_WE is kept in it: E slows down to stop at its faces and slides along them. From outside it may
/// come back, not go farther.
struct WorkspaceConfig {
  Eigen::Vector3d lower = Eigen::Vector3d::Constant(-1.0);  // [m]
  Eigen::Vector3d upper = Eigen::Vector3d::Constant(1.0);   // [m]
  std::optional<std::string> frame;                         // of the scene; none: W
};

struct JogConfig {
  std::string device;
  std::optional<RateBinding> x, y, z, roll, pitch, yaw;
  ResponseConfig response;
  double speed = 0.2;                  // at full deflection, in any direction [m/s]
  double angular_speed = 0.6;          // [rad/s]
  double acceleration = 2.0;           // [m/s^2]
  double angular_acceleration = 10.0;  // [rad/s^2]
  SpeedScaleConfig scale;
  std::optional<std::string> dead_man;
  JogFrame frame = JogFrame::kWorld;
  std::optional<std::string> moves;  // E, for kBase and slow-down: "left.tcp"
  std::optional<std::string> view;   // of the scene, for kView
  std::optional<WorkspaceConfig> workspace;
  std::optional<SlowDownConfig> slow_down;
  std::optional<SnapConfig> snap;
};

/// Velocity changes by at most acceleration dt a tick, and near a face of the workspace by as much
/// again along it: the reference's acceleration must be at least twice that, else the face is
/// overrun.
class Jog : public Source {
 public:
  /// @throws InputError, with the names there are, for what device, scene or robots do not have
  Jog(const JogConfig& config, const SourceContext& context);

  void start(const Moment& moment, const Motion& reference) override;
  void resume(const Moment& moment, const Motion& reference) override;
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;
  /// Its pose comes with its twist, so it moves references of either kind.
  bool moves(std::string_view kind) const override {
    return kind == kPoseKind || kind == kTwistKind;
  }
  bool shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) override;
  Eigen::Matrix3d R_WO() const override { return R_WO_; }
  const JogConfig& config() const { return config_; }
  bool button(std::string_view name) const override { return device_->pressed(name); }
  bool has_button(std::string_view name) const override { return has_control(*device_, name); }
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 private:
  Eigen::Matrix3d axes_of_rates(const Motion& reference);
  void base(const Motion& reference);
  void turn_on(const Eigen::Vector3d& rates, Eigen::Ref<Eigen::Vector3d> w);
  void ramp_inside(const Eigen::Vector3d& v_wanted, double dt);

  std::string name_;
  JogConfig config_;
  const DeviceState* device_;
  std::array<std::optional<RateInput>, 6> inputs_;
  DeadMan dead_man_;
  SpeedScale scale_;
  WholeArm* arms_ = nullptr;
  ControlSystem::FrameOf base_;                         // the robot's first body, for kBase
  std::unique_ptr<RobotData> base_data_;                // of a base that moves
  Eigen::Matrix3d R_WO_ = Eigen::Matrix3d::Identity();  // where it is fixed
  Pose X_WB_;
  std::unique_ptr<Obstacles> obstacles_;
  std::optional<Control> snap_;
  Eigen::Matrix3d R_WS_ = Eigen::Matrix3d::Identity();  // that it snaps to
  bool snap_was_ = false, snaps_ = false;               // pressed; turns there
  std::int64_t tick_ = -1;                              // it was last asked in
  // its own motion, which the reference follows
  Pose X_WE_;
  Vector6d V_WE_ = Vector6d::Zero(), A_WE_ = Vector6d::Zero();
  NumberChannel scale_channel_, nearest_channel_;
  VectorChannel twist_channel_;
  BooleanChannel clutch_channel_;  // where it has a dead man
};

/// jog.
void register_jog(SourceRegistry& registry);

}  // namespace handspan
