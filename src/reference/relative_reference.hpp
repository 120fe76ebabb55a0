#pragma once
// Where a frame should be as another one sees it, as one hand in the other: the reference of a
// RelativePoseTask. Its motion is that of B in A, in A's axes (Motion::pose as if A were the
// world), so it does not move when both go together. It follows what is wanted as a PoseFollower
// does: within its limits, and within its leash from where the measured arms have B in A.
//
// When an arm stops, or nobody drives it, it brakes to rest by its own limits and stays: what two
// hands squeeze between them stays squeezed.
#include "control/relative_pose_task.hpp"
#include "reference/pose_follower.hpp"
#include "reference/reference.hpp"

namespace handspan {

inline constexpr std::string_view kRelativePoseKind = "relative_pose";

class RelativeReference : public Reference {
 public:
  /// @param arms whose task it is; none: where the frames are, is what the task says. Both outlive
  /// it
  RelativeReference(RelativePoseTask& task, const PoseReferenceLimits& limits,
                    WholeArm* arms = nullptr);

  /// B in A as it was measured in this tick.
  ArmFrame arm() const;

  double pace() const override { return pace_; }
  void slow(Motion& asked, double pace) const override;
  bool is_sane(const Motion& asked) const override { return handspan::is_sane(asked.pose); }
  bool takes_jumps() const override { return follower_.limits().jumps; }
  bool arrived() const override;
  bool at_rest() const override { return follower_.at_rest(); }
  bool arm_is_there(double distance, double angle) const override;

  ReferenceUnits units() const override { return {"m", 1e3, "mm"}; }
  ReferenceError error(const Pose* measured) const override;
  const LeashFigures& leash_figures() const override { return figures_; }

  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 protected:
  const Motion& own() const override { return follower_.motion(); }
  void start_own() override { follower_.start(relative_.reference().X_WE); }
  void rebase_own() override { follower_.start(relative_.X_AB()); }
  void follow_own(const FollowMoment& at, Motion& wanted) override;
  void brake_own(double dt, EventList& events, Motion& scratch) override;
  void give() override { relative_.set_reference(motion().pose); }

 private:
  RelativePoseTask& relative_;
  WholeArm* arms_;
  PoseFollower follower_;
  double pace_ = 1.0;  // at which plans go on
  LeashFigures figures_;
  PoseChannel pose_channel_;
  VectorChannel velocity_channel_;
};

}  // namespace handspan
