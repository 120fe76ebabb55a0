#pragma once
// How fast a frame should move, wherever it is: the reference of a TwistTask. It goes to the twist
// that is wanted within limits of speed, acceleration and jerk, and to zero when nobody drives it.
// Letters: W world, E the frame. Twists are linear first, angular last, of E's origin, in W.
//
// It has a pose X_WE too, which the twist is integrated to, x' = x + v' dt, so that what disturbs
// the arm does not move it for good. No source says that pose and nothing leads it away: it stays
// within a short leash of the measured arm. Where the arm does not follow - a wall, the end of a
// joint, a singular pose - the twist that leads farther away shrinks, to nothing at the leash's
// end; where joints' limits or a singular pose bind, the leash is what the way allows in half a
// second. When the twist then turns back, what the pose was ahead is dropped, and the arm moves at
// once.
#include "control/arm_frame.hpp"
#include "control/twist_task.hpp"
#include "core/schema.hpp"
#include "reference/reference.hpp"
#include "reference/way_watch.hpp"

namespace handspan {

/// Of vector norms, each > 0.
struct TwistReferenceLimits {
  double speed = 1.5;                  // [m/s]
  double acceleration = 10.0;          // [m/s^2]
  double jerk = 500.0;                 // [m/s^3]
  double angular_speed = 3.0;          // [rad/s]
  double angular_acceleration = 30.0;  // [rad/s^2]
  double angular_jerk = 1500.0;        // [rad/s^3]
  double leash = 0.08;                 // of its pose from the arm [m]
  double leash_angle = 0.25;           // [rad]
};

Schema<TwistReferenceLimits> twist_reference_limits_schema();

class TwistReference : public Reference {
 public:
  /// The task keeps its direction from now on, unless its configuration says otherwise.
  /// @param arms whose task it is; none: where the frame is, is what the task says, and it brakes
  /// to rest by its own limits. Both outlive it
  TwistReference(TwistTask& task, const TwistReferenceLimits& limits, WholeArm* arms = nullptr);

  /// Where the frame was measured in this tick.
  ArmFrame arm() const;

  bool is_sane(const Motion& asked) const override;
  void begin_stop(const ArmStop& stop) override;
  bool hold_from_arm() override;
  /// At the twist that is wanted, within the speeds.
  bool arrived() const override;
  bool at_rest() const override;
  /// Whether the arm has stopped where it should; of one that should move, true.
  bool arm_is_there(double distance, double angle) const override;
  Eigen::Vector3d felt_force() const override;

  ReferenceUnits units() const override { return {"m/s", 1e3, "mm/s", "deg/s"}; }
  /// Of the twist, as control has it [m/s, rad/s].
  ReferenceError error(const Pose* measured) const override;
  const LeashFigures& leash_figures() const override { return figures_; }
  const Pose* pose() const override { return &motion().pose.X_WE; }
  std::string frame_name() const override { return task_.frame_name(); }

  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 protected:
  const Motion& own() const override { return own_; }
  void start_own() override;
  void rebase_own() override;
  void follow_own(const FollowMoment& at, Motion& wanted) override;
  void brake_own(double dt, EventList& events, Motion& scratch) override;
  void give() override;

 private:
  void place(const Pose& X_WE, const Vector6d& V_WE);
  Vector6d merged(const FollowMoment& at) const;
  Vector6d limited(const Vector6d& V_WE) const;
  Vector6d ahead_of(const Pose& X_WE) const;
  void hold_back(const ArmFrame& arm, Vector6d& V_WE);
  void go(const Vector6d& V_WE, const Vector6d& A_WE, double dt);
  void keep_leash(const ArmFrame& arm);
  void tell_way(bool follows, double dt, EventList& events);

  TwistTask& task_;
  WholeArm* arms_;
  TwistReferenceLimits limits_;
  Vector6d counted_;  // 1 for the axes of W that the task has
  Motion own_;
  double leash_ = 0.0, leash_angle_ = 0.0;  // in this tick [m], [rad]
  // while the arm stops: so far from where that takes it
  Eigen::Vector3d p_kept_ = Eigen::Vector3d::Zero();
  LeashFigures figures_;
  WayWatch way_;
  VectorChannel twist_channel_;
  PoseChannel pose_channel_, measured_channel_;
  NumberChannel distance_channel_;
};

}  // namespace handspan
