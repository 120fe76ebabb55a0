#pragma once
// How hard a loop closure should press: the reference of a WrenchTask. That of an open one stays
// zero.
#include "control/wrench_task.hpp"
#include "reference/reference.hpp"
#include "reference/wrench_follower.hpp"

namespace handspan {

class WrenchReference : public Reference {
 public:
  /// @param state of the task's system  @param arms whose task it is; none: nobody knows what the
  /// loop closure really carries, and error() is zero. All outlive it
  WrenchReference(WrenchTask& task, const ControlState& state, const WrenchReferenceLimits& limits,
                  WholeArm* arms = nullptr);

  const WrenchTask& wrench_task() const { return wrench_; }
  const WrenchReferenceLimits& limits() const { return follower_.limits(); }
  /// Whether its loop closure is closed, or about to be.
  bool carries() const { return wrench_.carries(control_); }

  bool arrived() const override;
  bool at_rest() const override { return follower_.at_rest(); }

  ReferenceUnits units() const override { return {"N", 1.0, "N"}; }
  ReferenceError error(const Pose* measured) const override;

  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 protected:
  const Motion& own() const override { return follower_.motion(); }
  void start_own() override;
  void rebase_own() override {}
  void follow_own(const FollowMoment& at, Motion& wanted) override;
  void brake_own(double dt, EventList& events, Motion& scratch) override;
  void give() override { wrench_.set_reference(motion().wrench); }

 private:
  WrenchTask& wrench_;
  const ControlState& control_;
  WholeArm* arms_;
  WrenchFollower follower_;
  VectorChannel channel_;
};

}  // namespace handspan
