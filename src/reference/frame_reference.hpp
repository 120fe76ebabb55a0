#pragma once
// Where a frame should be: the reference of a FrameTask. It follows what is wanted as a
// PoseFollower does, so it keeps a leash from the measured arm. What a hand is ahead of that is
// dropped for good, as by a clutch, and a plan waits.
#include "control/frame_task.hpp"
#include "reference/pose_follower.hpp"
#include "reference/reference.hpp"
#include "reference/way_watch.hpp"

namespace handspan {

class FrameReference : public Reference {
 public:
  /// The task keeps its direction from now on, unless its configuration says otherwise.
  /// @param arms whose task it is; none: where the frame is, is what the task says, and it brakes
  /// to rest by its own limits. Both outlive it
  FrameReference(FrameTask& task, const PoseReferenceLimits& limits, WholeArm* arms = nullptr);

  /// Where the frame was measured in this tick.
  ArmFrame arm() const;
  /// How often and how long joints' limits or singular poses slowed its frame down.
  const WayWatch& way() const { return way_; }

  double pace() const override { return pace_; }
  void slow(Motion& asked, double pace) const override;
  bool is_sane(const Motion& asked) const override;
  bool takes_jumps() const override { return follower_.limits().jumps; }
  void begin_stop(const ArmStop& stop) override;
  bool hold_from_arm() override;
  bool arrived() const override;
  bool at_rest() const override { return follower_.at_rest(); }
  bool arm_is_there(double distance, double angle) const override;
  Eigen::Vector3d felt_force() const override;

  ReferenceUnits units() const override { return {"m", 1e3, "mm"}; }
  ReferenceError error(const Pose* measured) const override;
  const LeashFigures& leash_figures() const override { return figures_; }
  const Pose* pose() const override { return &motion().pose.X_WE; }
  std::string frame_name() const override { return frame_.frame_name(); }

  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 protected:
  const Motion& own() const override { return follower_.motion(); }
  void start_own() override;
  void rebase_own() override;
  void follow_own(const FollowMoment& at, Motion& wanted) override;
  void brake_own(double dt, EventList& events, Motion& scratch) override;
  void give() override;

 private:
  void tell_jump(const Axes& jumps, const Vector6d& V_before, EventList& events) const;
  void drop(const FollowMoment& at, Motion& wanted, const Axes& axes, const ArmFrame& arm);
  void wait(const FollowMoment& at, const ArmFrame& arm);
  void tell_way(bool follows, double dt, EventList& events);

  FrameTask& frame_;
  WholeArm* arms_;
  PoseFollower follower_;
  // while the arm stops: so far from where that takes it
  Eigen::Vector3d p_kept_ = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R_kept_ = Eigen::Matrix3d::Identity();
  double pace_ = 1.0;                  // at which plans go on
  double waited_ = 0.0;                // that a plan stands still [s]
  Vector6d ahead_ = Vector6d::Zero();  // of the leash, what is dropped since it began [m, rad]
  double ahead_for_ = 0.0;             // since something was dropped last [s]
  LeashFigures figures_;
  WayWatch way_;
  PoseChannel pose_channel_, measured_channel_;
  VectorChannel velocity_channel_;
  NumberChannel distance_channel_, ahead_channel_;
};

}  // namespace handspan
