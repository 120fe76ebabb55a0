#pragma once
// A task of a frame whose feedback has gains of each axis (axis_feedback.hpp) and shares that
// change from one tick to the next: those that a mode sets, which stay, and those that whoever
// moves its reference gives in a tick, which are in force in that tick alone. What acts is their
// product.
#include "control/axis_feedback.hpp"
#include "control/task.hpp"

namespace handspan {

class FeedbackTask : public Task {
 public:
  /// What of position and velocity feedback acts from the next tick on, in the axes of its gains;
  /// at once, without a ramp. Shares that are not from 0 to 1 are counted in rejected() and the
  /// last ones stay. A spring shares out its force in the same way.
  void set_feedback(const FeedbackShares& shares);
  /// What of that acts in this tick, as who moves its reference says. Null: all of it.
  void share_feedback(const FeedbackShares* shares);
  /// What acts.
  const FeedbackShares& feedback() const { return feedback_.shares(); }
  /// At set-up: its shares will be changed, so it shows them in "task.NAME.feedback".
  void show_feedback() { shows_feedback_ = true; }

  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

 protected:
  using Task::Task;
  /// At set-up. @param rotation whether three numbers are about axes, not along them
  /// @throws InputError as AxisFeedback
  void use_gains(const AxisGainsConfig& gains, const TaskContext& context, bool rotation);

  AxisFeedback feedback_;

 private:
  bool share(const FeedbackShares& set, const FeedbackShares& given);

  FeedbackShares set_, given_;
  bool is_given_ = false;
  bool shows_feedback_ = false;
  VectorChannel feedback_channel_;
};

}  // namespace handspan
