#pragma once
// Where a frame should be as an observed object sees it: the reference of an ObjectPoseTask. Its
// motion is that of E in O, in O's axes, so a goal in it stays while the object moves. What the
// task follows is that motion carried on by the object's own, with the object's velocity as
// feed-forward: X_WE = X_WO X_OE, V_WE with omega_O x r and so on. Letters: E frame, O object, W.
//
// The object's pose is read from a channel, and how it moves is found from what was seen of it
// (pose_filter.hpp). Limits and leash hold in the world, for the motion as it comes to the arm. An
// object that was never seen is waited for; one that is not seen for `lost_after`, or that is
// elsewhere from one look to the next, is lost: the arm holds, at rest in the world, as when a
// person's device is lost.
#include <array>
#include <string>

#include "control/object_pose_task.hpp"
#include "reference/frame_reference.hpp"
#include "reference/pose_filter.hpp"

namespace handspan {

/// How something goes, at X_WO with V_WO and without acceleration, and what goes in it.
struct MovingObject {
  Pose X_WO;
  Vector6d V_WO = Vector6d::Zero();  // of its origin, linear, angular, in W [m/s, rad/s]
};
/// The motion of E in W, from that in O in O's axes, and back: what control/relative_pose_task.hpp
/// states, of an O without acceleration. With r from O to E and u the velocity of E in O, both in
/// W's axes:
///   v_E = v_O + omega_O x r + u,  a_E = a_OE + omega_O x (omega_O x r) + 2 omega_O x u
///   omega_E = omega_O + omega_OE,  alpha_E = alpha_OE + omega_O x omega_OE
PoseReference in_world(const MovingObject& O, const PoseReference& in_object);
PoseReference in_object(const MovingObject& O, const PoseReference& in_world);

class ObjectReference : public Reference {
 public:
  /// @param arms as FrameReference. Both outlive it
  ObjectReference(ObjectPoseTask& task, const PoseReferenceLimits& limits,
                  WholeArm* arms = nullptr);

  /// @throws InputError when there is no such object or channel, or it is none of poses
  void connect(const ChannelTable& channels) override;
  SourceAnswer look(const Moment& moment) override;
  /// Where the object is taken to be in this tick, and how it goes.
  const MovingObject& object() const { return object_; }

  double pace() const override { return world_.pace(); }
  void slow(Motion& asked, double pace) const override { world_.slow(asked, pace); }
  bool is_sane(const Motion& asked) const override { return handspan::is_sane(asked.pose); }
  bool takes_jumps() const override { return world_.takes_jumps(); }
  void begin_stop(const ArmStop& stop) override;
  bool hold_from_arm() override { return world_.hold_from_arm(); }
  bool arrived() const override;
  bool at_rest() const override { return world_.at_rest(); }
  /// Rests as the object sees it.
  bool arm_is_there(double distance, double angle) const override;
  Eigen::Vector3d felt_force() const override { return world_.felt_force(); }

  ReferenceUnits units() const override { return world_.units(); }
  ReferenceError error(const Pose* measured) const override { return world_.error(measured); }
  const LeashFigures& leash_figures() const override { return world_.leash_figures(); }
  const Pose* pose() const override { return world_.pose(); }
  std::string frame_name() const override { return world_.frame_name(); }

  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 protected:
  const Motion& own() const override { return in_object_; }
  void start_own() override;
  void rebase_own() override;
  void follow_own(const FollowMoment& at, Motion& wanted) override;
  void brake_own(double dt, EventList& events, Motion& scratch) override;
  void give() override;

 private:
  void see_own();
  const char* see();

  ObjectPoseTask& task_;
  FrameReference world_;  // the same in W, which the task follows
  std::string channel_name_, waits_, lost_, leapt_;
  const ChannelTable* channels_ = nullptr;
  ChannelId channel_;
  std::uint64_t writes_ = 0;  // of the channel, that were looked at
  PoseFilter filter_;
  bool seen_ = false;
  MovingObject object_;
  Motion in_object_;
  std::array<Motion, kMaxSharing> asked_;  // in W, of each who moves it
  PoseChannel in_object_channel_, object_channel_;
  VectorChannel velocity_channel_;
};

}  // namespace handspan
