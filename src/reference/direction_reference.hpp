#pragma once
// Where an axis of a frame should point: the reference of a DirectionTask, a unit vector of W that
// moves on the sphere within limits of angular speed, acceleration and jerk, the shortest way.
//
// It is kept as an orientation whose z is the direction and which turns about axes across it alone:
// Motion::pose has that orientation, its angular velocity and acceleration in W. What turns about z
// in what a source asks for has no meaning and is left out. It has no leash: a direction that the
// arm cannot follow is at most half a turn away.
#include "control/direction_task.hpp"
#include "reference/pose_follower.hpp"
#include "reference/reference.hpp"

namespace handspan {

inline constexpr std::string_view kDirectionKind = "direction";

struct DirectionReferenceLimits {
  double angular_speed = 3.0;          // [rad/s]
  double angular_acceleration = 30.0;  // [rad/s^2]
  double angular_jerk = 1500.0;        // [rad/s^3]
  bool jumps = false;                  // takes jumps that its source announces
};

Schema<DirectionReferenceLimits> direction_reference_limits_schema();

/// An orientation whose z is along a direction of any length but zero. @param near turned the
/// shortest way from this one
Eigen::Matrix3d orientation_along(const Eigen::Vector3d& direction, const Eigen::Matrix3d& near);

class DirectionReference : public Reference {
 public:
  /// A direction of the task's file stays until somebody drives the reference.
  /// @param task outlives it
  DirectionReference(DirectionTask& task, const DirectionReferenceLimits& limits);

  /// In W, a unit vector.
  Eigen::Vector3d direction() const { return motion().pose.X_WE.R.col(2); }

  bool is_sane(const Motion& asked) const override { return handspan::is_sane(asked.pose); }
  bool has_say(const Axes& axes) const override { return axes[0]; }
  bool takes_jumps() const override { return follower_.limits().jumps; }
  bool arrived() const override;
  bool at_rest() const override { return follower_.at_rest(); }
  bool arm_is_there(double distance, double angle) const override;

  ReferenceUnits units() const override { return {"rad", 57.29577951308232, "deg"}; }
  ReferenceError error(const Pose* measured) const override;

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
  DirectionTask& pointing_;
  PoseFollower follower_;
  bool driven_ = false;
  VectorChannel channel_;
};

}  // namespace handspan
