#include "reference/reference.hpp"

#include <algorithm>

#include "control/feedback_task.hpp"

namespace handspan {

bool Wanted::active() const {
  return std::ranges::any_of(axes, [](bool axis) { return axis; });
}

Reference::Reference(std::string_view kind, Task& task, int mechanism)
    : kind_(kind),
      task_(task),
      feedback_task_(dynamic_cast<FeedbackTask*>(&task)),
      mechanism_(mechanism) {}

bool Reference::is_sane(const Motion& asked) const {
  return asked.q.allFinite() && asked.v.allFinite() && asked.a.allFinite() &&
         asked.wrench.allFinite();
}

bool Reference::has_say(const Axes& axes) const {
  return std::ranges::any_of(axes, [](bool axis) { return axis; });
}

void Reference::start() {
  start_own();
  wanted_ = imposed_motion_ = own();
}

void Reference::rebase() {
  rebase_own();
  imposed_ = false;
  give();
  wanted_ = own();
}

void Reference::follow(const FollowMoment& at) {
  follow_own(at, wanted_);
  imposed_ = false;
  share_feedback(at.wanted);
  give();
}

// The mean of what those who move it give, by their shares; who gives none means all of it. Of one
// alone: exactly what it gives.
void Reference::share_feedback(std::span<const Wanted> wanted) {
  if (feedback_task_ == nullptr) return;
  double all = 0.0;
  int active = 0;
  const FeedbackShares* given = nullptr;
  for (const Wanted& one : wanted) {
    if (!one.active()) continue;
    ++active;
    all += one.share;
    if (one.feedback != nullptr) given = one.feedback;
  }
  if (given == nullptr || active == 1) {
    feedback_task_->share_feedback(given);
    return;
  }
  const FeedbackShares whole;
  FeedbackShares mean{Vector6d::Zero(), Vector6d::Zero()};
  for (const Wanted& one : wanted) {
    if (!one.active()) continue;
    const FeedbackShares& its = one.feedback != nullptr ? *one.feedback : whole;
    mean.position += one.share / all * its.position;
    mean.velocity += one.share / all * its.velocity;
  }
  // rounding of a sum of shares
  mean.position = mean.position.cwiseMin(1.0);
  mean.velocity = mean.velocity.cwiseMin(1.0);
  feedback_task_->share_feedback(&mean);
}

void Reference::brake(double dt, EventList& events) {
  brake_own(dt, events, wanted_);
  imposed_ = false;
  share_feedback({});
  give();
  wanted_ = own();
}

void Reference::impose(const Motion& motion) {
  imposed_motion_ = motion;
  imposed_ = true;
  give();
}

const LeashFigures& Reference::leash_figures() const {
  static constexpr LeashFigures kNone;
  return kNone;
}

// What was imposed is what it is until the next tick: a loop that was stepped from outside has the
// state of one that went there by itself.
void Reference::state(StateArchive& archive) {
  if (!imposed_ && !archive.loading()) imposed_motion_ = own();
  archive(wanted_, imposed_motion_, stops_);
  imposed_ = imposed_ || archive.loading();
}

std::vector<ReferenceRegistry::Part> reference_kinds(const ReferenceRegistry& kinds) {
  std::vector<ReferenceRegistry::Part> all;
  for (const std::string& name : kinds.names()) all.push_back(kinds.plain(name));
  return all;
}

Schema<ReferenceRegistry::Part> reference_schema(const ReferenceRegistry& kinds) {
  const auto with_type = kinds.schema();
  const auto plain = kinds.schema_of(std::string(kPoseKind));
  return {[with_type, plain](const Node& node, Reader& reader) {
            const bool says = node.kind() == Node::Kind::kObject && node.find("type") != nullptr;
            return says ? with_type.read(node, reader) : plain.read(node, reader);
          },
          with_type.description()};
}

}  // namespace handspan
