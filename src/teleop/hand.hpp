#pragma once
// A person's hand, clutched: the end effector's reference moves as the hand moves while the clutch
// is closed, from where both were when it closed (pose_mapping.hpp). Registered as `hand`.
#include <optional>
#include <string>
#include <vector>

#include "reference/source.hpp"
#include "teleop/clutch.hpp"
#include "teleop/pose_mapping.hpp"
#include "teleop/snap.hpp"

namespace handspan {

struct HandConfig {
  std::string device;
  std::string pose;
  std::vector<TrackedAs> tracked_as = {TrackedAs::kController, TrackedAs::kTracker};
  ClutchConfig clutch;
  SpaceConfig space;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
  TurnAxes turn = TurnAxes::kWorld;
  std::optional<SnapConfig> snap;
};

class Hand : public Source {
 public:
  /// @throws InputError when the device, or what it should have, is not there
  Hand(const HandConfig& config, const SourceContext& context);

  void start(const Moment& moment, const Motion& reference) override;
  void resume(const Moment& moment, const Motion& reference) override;
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;
  bool shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) override;
  Eigen::Matrix3d R_WO() const override;
  bool button(std::string_view name) const override;
  bool has_button(std::string_view name) const override;
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

  bool clutched() const { return clutch_.closed(); }
  const HandConfig& config() const { return config_; }
  const PoseMapping& mapping() const { return mapping_; }

 private:
  void turn_on(const Pose& reference, const Pose& X_VC);

  std::string name_;
  HandConfig config_;
  const DeviceState* device_;
  std::size_t pose_;
  Clutch clutch_;
  PoseMapping mapping_;
  bool based_ = false;
  Pose X_WE0_, X_VC0_;
  Pose X_VC_;  // in this tick
  Pose X_WE_;  // that the last sample asks for, unfiltered
  std::optional<Control> snap_;
  Eigen::Matrix3d R_WS_ = Eigen::Matrix3d::Identity();  // that it snaps to
  bool snap_was_ = false;
  bool snaps_ = false;  // turns there, no farther ahead of the reference than the arm follows
  Eigen::Matrix3d R_WSnap_ = Eigen::Matrix3d::Identity();  // where it turns, from X_VC0_ on
  std::int64_t tick_ = -1;                                 // it was last asked in
  PoseChannel hand_channel_;
  BooleanChannel clutch_channel_;
};

/// hand.
/// @param mappings of `space`; outlives the registry
void register_hand(SourceRegistry& registry, const MappingRegistry& mappings);

}  // namespace handspan
