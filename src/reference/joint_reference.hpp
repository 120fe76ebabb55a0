#pragma once
// Where joints should be: the reference of a PostureTask. It keeps the joints' own limits of
// position, speed, acceleration and jerk. Joints that nobody drives stay where they are; when the
// arm was stopped elsewhere meanwhile, they go back.
#include <span>

#include "control/posture_task.hpp"
#include "reference/joint_follower.hpp"
#include "reference/reference.hpp"

namespace handspan {

class JointReference : public Reference {
 public:
  /// @param arms whose task it is; none: it brakes to rest by its own limits. Both outlive it
  explicit JointReference(PostureTask& task, WholeArm* arms = nullptr);

  bool has_say(const Axes& axes) const override { return axes[0]; }
  void begin_stop(const ArmStop& stop) override;
  bool arrived() const override;
  bool at_rest() const override { return follower_.at_rest(); }
  bool arm_is_there(double distance, double angle) const override;
  Eigen::Vector3d felt_force() const override;

  ReferenceUnits units() const override;
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
  bool is_near_stop() const;
  Eigen::Index actuated(std::size_t row) const;

  PostureTask& posture_;
  WholeArm* arms_;
  JointFollower follower_;
  // joints that nobody drove: where they go back to after a stop, while they are not there
  Eigen::VectorXd home_;
  bool away_ = false, driven_ = false;
  VectorChannel channel_;
};

}  // namespace handspan
