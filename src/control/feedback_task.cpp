#include "control/feedback_task.hpp"

#include <algorithm>

namespace handspan {

void FeedbackTask::use_gains(const AxisGainsConfig& gains, const TaskContext& context,
                             bool rotation) {
  const Eigen::Index numbers = std::max(gains.stiffness.value_or(Eigen::VectorXd()).size(),
                                        gains.damping.value_or(Eigen::VectorXd()).size());
  feedback_ = AxisFeedback(gains, context.system, context.name, numbers == 3 && rotation ? 3 : 0,
                           stiffness(), damping());
  shows_feedback_ = true;
}

bool FeedbackTask::share(const FeedbackShares& set, const FeedbackShares& given) {
  if (!is_sane(set) || !is_sane(given)) return false;
  return feedback_.set(
      {set.position.cwiseProduct(given.position), set.velocity.cwiseProduct(given.velocity)});
}

void FeedbackTask::set_feedback(const FeedbackShares& shares) {
  if (share(shares, given_))
    set_ = shares;
  else
    ++rejected_;
}

void FeedbackTask::share_feedback(const FeedbackShares* shares) {
  // the tick of most tasks: nobody gives any, and nobody did
  if (shares == nullptr && !is_given_) return;
  const FeedbackShares given = shares != nullptr ? *shares : FeedbackShares{};
  if (!share(set_, given)) {
    ++rejected_;
    return;
  }
  given_ = given;
  is_given_ = shares != nullptr;
}

void FeedbackTask::declare(ChannelTable& channels, Rate rate) {
  Task::declare(channels, rate);
  if (!shows_feedback_) return;
  feedback_channel_ = channels.vector(
      "task." + name() + ".feedback", 12, "", rate,
      "shares of position and of velocity feedback, in the axes of its gains",
      {"px", "py", "pz", "prx", "pry", "prz", "vx", "vy", "vz", "vrx", "vry", "vrz"});
}

void FeedbackTask::publish(ChannelTable& channels, Nanoseconds stamp) const {
  Task::publish(channels, stamp);
  if (!shows_feedback_) return;
  Eigen::Matrix<double, 12, 1> shares;
  shares << feedback().position, feedback().velocity;
  channels.write(feedback_channel_, shares, stamp);
}

void FeedbackTask::state(StateArchive& archive) {
  Task::state(archive);
  archive(feedback_, set_, given_, is_given_);
}

}  // namespace handspan
