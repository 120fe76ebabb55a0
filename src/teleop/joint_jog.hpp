#pragma once
// Joints driven by rates: an axis a joint, or one joint that buttons choose. The reference is moved
// on from where it is; limits of position, speed and acceleration are the reference's. Registered
// as `joint_jog`.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device_rate.hpp"
#include "reference/source.hpp"

namespace handspan {

/// One joint at a time.
struct JointChoiceConfig {
  std::string next;                     // control of the device: the joint after this one
  std::optional<std::string> previous;  // the one before
  RateBinding rate;
};

struct JointJogConfig {
  std::string device;
  std::string task;                                         // posture whose joints it moves
  std::vector<std::pair<std::string, RateBinding>> joints;  // an axis a joint, by name ...
  std::optional<JointChoiceConfig> choice;                  // ... or this
  ResponseConfig response;
  double speed = 0.5;  // at full deflection [rad/s, m/s]
  SpeedScaleConfig scale;
  std::optional<std::string> dead_man;
};

class JointJog : public Source {
 public:
  /// @throws InputError, with the names there are, for what device or task do not have
  JointJog(const JointJogConfig& config, const SourceContext& context);

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
  void choose();
  void take_up();

  std::string name_;
  JointJogConfig config_;
  const DeviceState* device_;
  std::vector<std::string> joints_;              // of the task, one a row
  std::vector<std::optional<RateInput>> rates_;  // one a joint; with a choice: the same for all
  std::optional<Control> next_, previous_;
  bool next_was_ = false, previous_was_ = false;
  std::size_t chosen_ = 0;
  DeadMan dead_man_;
  SpeedScale scale_;
  std::int64_t tick_ = -1;  // it was last asked in
  Eigen::VectorXd v_;       // that it asks for [rad/s]
  NumberChannel scale_channel_;
  VectorChannel velocity_channel_;
  ChoiceChannel joint_channel_;
};

/// joint_jog.
void register_joint_jog(SourceRegistry& registry);

}  // namespace handspan
