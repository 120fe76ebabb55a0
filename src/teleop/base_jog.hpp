#pragma once
// A base on wheels driven by rates in its own axes: forward, left and turning. The reference is
// moved on from where it is, along what the wheels allow. Registered as `base_jog`.
#include <array>
#include <optional>
#include <string>

#include "device/device_rate.hpp"
#include "reference/source.hpp"

namespace handspan {

struct BaseJogConfig {
  std::string device;
  std::string task;  // posture of the base's joints: x, y and yaw, in this order
  std::optional<RateBinding> forward, left, turn;
  ResponseConfig response;
  double speed = 0.4;                 // at full deflection, in any direction [m/s]
  double angular_speed = 0.8;         // [rad/s]
  double acceleration = 0.8;          // [m/s^2]
  double angular_acceleration = 2.0;  // [rad/s^2]
  SpeedScaleConfig scale;
  std::optional<std::string> dead_man;
};

/// Speeds along and about the base's axes change by at most acceleration dt a tick, and the wanted
/// motion is the path that a base with these speeds makes. Of a base that rolls without side slip
/// the wanted place keeps no distance across its way from where the base is: its wheels could never
/// make that good.
class BaseJog : public Source {
 public:
  /// @throws InputError for what the device or the task does not have, joints that are not two that
  /// slide and one that turns, and `left` of a base that cannot go there
  BaseJog(const BaseJogConfig& config, const SourceContext& context);

  void start(const Moment& moment, const Motion& reference) override;
  void resume(const Moment& moment, const Motion& reference) override;
  std::string_view asks_for() const override { return kJointsKind; }
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;
  bool button(std::string_view name) const override { return device_->pressed(name); }
  bool has_button(std::string_view name) const override { return has_control(*device_, name); }
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 private:
  void base(const Motion& reference);
  void take_up();

  std::string name_;
  BaseJogConfig config_;
  const DeviceState* device_;
  std::array<std::optional<RateInput>, 3> inputs_;  // forward, left, turn
  WholeArm* arms_;
  std::size_t mechanism_ = 0;
  std::array<int, 3> q_index_{};
  bool rolls_ = false;
  DeadMan dead_man_;
  SpeedScale scale_;
  std::int64_t tick_ = -1;                         // it was last asked in
  Eigen::Vector3d q_ = Eigen::Vector3d::Zero();    // x, y, yaw that it asks for [m, rad]
  Eigen::Vector3d V_B_ = Eigen::Vector3d::Zero();  // in the base's axes [m/s, rad/s]
  NumberChannel scale_channel_;
  VectorChannel velocity_channel_;
};

/// base_jog.
void register_base_jog(SourceRegistry& registry);

}  // namespace handspan
