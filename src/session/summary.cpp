#include "session/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "plant/world.hpp"

namespace handspan {
namespace {

bool slide(const ModelDescription& robot, const std::vector<std::string>& joints) {
  std::size_t slides = 0;
  for (const auto& body : robot.bodies)
    for (const auto& joint : body.joints)
      slides += joint.type == JointType::kPrismatic && std::ranges::count(joints, joint.name) > 0;
  return !joints.empty() && slides == joints.size();
}

}  // namespace

Summariser::Summariser(Session& session) {
  waits_.reserve(kMostWaits);
  put_back_.reserve(kMostReasons);
  const PlantLayout& layout = session.plant().layout();
  const Observation& observation = session.plant().read();
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    Group group;
    group.summary.name = layout.groups[g].name;
    group.q_start = observation.groups[g].q;
    group.summary.kind = layout.groups[g].kind;
    if (group.summary.kind == GroupKind::kGripper) group.summary.gripper.emplace();
    const RobotInstance& robot = *session.app().scene.robot(layout.groups[g].robot);
    for (const auto& joint : layout.groups[g].joints)
      group.limits.push_back(*robot.limits.find(joint));
    group.summary.slides = slide(robot.description, layout.groups[g].joints);
    groups_.push_back(std::move(group));
  }
  const Arbiter& arbiter = session.arbiter();
  for (const ReferenceIndex r : arbiter.references()) {
    const Reference& reference = arbiter.reference(r);
    Tracking tracking;
    tracking.reference = r;
    tracking.summary.task = reference.name();
    tracking.summary.kind = reference.kind();
    tracking.summary.units = reference.units();
    // of another controller the model is not known
    if (session.whole_arm() != nullptr)
      tracking.frame = dynamic_cast<const FrameTask*>(&reference.task());
    if (tracking.frame) {
      const auto m = static_cast<std::size_t>(tracking.frame->frame().mechanism);
      tracking.mechanism = &session.whole_arm()->system().mechanisms()[m];
      tracking.data = std::make_unique<RobotData>(*tracking.mechanism->model);
      tracking.q = session.whole_arm()->state().mechanisms[m].q;
      tracking.v = Eigen::VectorXd::Zero(tracking.mechanism->model->nv());
      for (const auto& joint : tracking.mechanism->joint_names)
        for (std::size_t g = 0; g < layout.groups.size(); ++g)
          if (const auto at = std::ranges::find(layout.groups[g].joints, joint);
              at != layout.groups[g].joints.end())
            tracking.measured.emplace_back(g, at - layout.groups[g].joints.begin());
      measure(tracking, observation);
    }
    tracking_.push_back(std::move(tracking));
  }
}

void Summariser::measure(Tracking& tracking, const Observation& observation) noexcept {
  for (std::size_t k = 0; k < tracking.measured.size(); ++k) {
    const auto [group, index] = tracking.measured[k];
    tracking.q[tracking.mechanism->actuated_q[k]] = observation.groups[group].q[index];
  }
}

std::vector<std::string> RunSummary::broken() const {
  std::vector<std::string> reasons;
  if (diverged)
    reasons.push_back(
        fmt::format("the simulation diverged at {:.3f} s: {}; nothing after that is true",
                    seconds(diverged->time), diverged->what));
  if (control && control->counts.failed > 0)
    reasons.push_back(fmt::format("control found no answer in {} of {} ticks and braked",
                                  control->counts.failed, control->counts.ticks));
  return reasons;
}

void Summariser::after_tick(Session& session) noexcept {
  ++ticks_;
  if (!diverged_ && diverged(session.world())) diverged_ = session.now() - session.base_period();
  const Observation& observation = session.plant().read();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (group.summary.kind == GroupKind::kSuction) continue;
    const GroupState& state = observation.groups[g];
    GroupSummary& s = group.summary;
    if (s.gripper) {
      const bool holds = session.grasps().grasped(g);
      s.gripper->grasped += holds && !s.gripper->holds;
      s.gripper->lost += !holds && s.gripper->holds;
      s.gripper->holds = holds;
      s.gripper->width = session.grasps().width(g);
      s.gripper->force = session.grasps().force(g);
    }
    for (std::size_t j = 0; j < group.limits.size(); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      const JointLimits& l = group.limits[j];
      const double q = state.q[k], v = std::abs(state.v[k]);
      s.worst_deviation = std::max(s.worst_deviation, std::abs(q - group.q_start[k]));
      s.worst_velocity = std::max(s.worst_velocity, v);
      s.worst_effort = std::max(s.worst_effort, std::abs(state.tau[k]) / l.torque);
      if (!l.continuous)
        s.position_margin =
            std::min(s.position_margin, std::min(q - l.lower, l.upper - q) / (l.upper - l.lower));
      s.velocity_margin = std::min(s.velocity_margin, 1.0 - v / l.velocity);
    }
  }
  const Arbiter& arbiter = session.arbiter();
  for (Tracking& tracking : tracking_) {
    TrackingSummary& s = tracking.summary;
    const ReferenceIndex r = tracking.reference;
    if (arbiter.holding(r)) {
      if (tracking.followed) {
        if (arbiter.reason(r) != kNobody) ++s.holds;
        tracking.followed = false;
      }
      if (arbiter.reason(r) != kNobody) s.held += seconds(session.base_period());
      continue;
    }
    tracking.followed = true;
    ++s.ticks;
    Pose X;
    if (tracking.frame) {
      const RobotModel& model = *tracking.mechanism->model;
      update_kinematics(model, *tracking.data, tracking.q, tracking.v);
      X = frame_pose(model, *tracking.data, tracking.frame->frame().frame);
    }
    const auto [position, angle, lag, lag_angle] =
        arbiter.reference(r).error(tracking.frame ? &X : nullptr);
    tracking.position_sum += position * position;
    tracking.angle_sum += angle * angle;
    tracking.lag_sum += lag * lag;
    tracking.lag_angle_sum += lag_angle * lag_angle;
    s.position_max = std::max(s.position_max, position);
    s.angle_max = std::max(s.angle_max, angle);
    s.lag_max = std::max(s.lag_max, lag);
    s.lag_angle_max = std::max(s.lag_angle_max, lag_angle);
  }
  for (auto& tracking : tracking_)
    if (tracking.frame) measure(tracking, observation);
  count_events(session);
}

void Summariser::count_events(const Session& session) noexcept {
  for (const Event& event : session.events().events()) {
    if (event.kind == "unseen" && waits_.size() < kMostWaits &&
        std::ranges::none_of(waits_, [&](const auto& w) { return w.second == event.text.view(); }))
      waits_.emplace_back(event.name, event.text);
    if (event.kind == "timeout") ++timeouts_;
    if (event.kind == "scene" && event.name == "put back") count_put_back(event.text);
    if (event.kind == "scene" && event.name == "not put back") ++not_put_back_;
    if (!(event.kind == "episode")) continue;
    if (event.name == "start")
      ++episodes_;
    else if (event.name == "success")
      ++successes_;
    else if (event.name == "failure")
      ++failures_;
    else if (event.name == "discard")
      ++discarded_;
  }
}

// words without the numbers in them: "'box' fell to 0.12 m" is one reason with "to 0.13 m"
void Summariser::count_put_back(const FixedText<166>& why) noexcept {
  const auto words = [](std::string_view text) {
    return text.substr(0, std::min(text.size(), text.find_first_of("0123456789")));
  };
  for (PutBack& known : put_back_)
    if (words(known.why) == words(why)) {
      ++known.count;
      return;
    }
  if (put_back_.size() + 1 < kMostReasons)
    put_back_.push_back({why, 1});
  else if (put_back_.size() < kMostReasons)
    put_back_.push_back({"other reasons", 1});
  else
    ++put_back_.back().count;
}

// One function, since it is one line for each figure of a summary.
RunSummary Summariser::summary(Session& session) const {
  RunSummary s;
  s.ticks = ticks_;
  s.simulated = ticks_ * session.base_period();
  if (diverged_) s.diverged = Divergence{*diverged_, session.world()->divergence()};
  for (const auto& group : groups_) s.groups.push_back(group.summary);
  const Arbiter& arbiter = session.arbiter();
  for (const Tracking& tracking : tracking_) {
    TrackingSummary t = tracking.summary;
    const LeashFigures& figures = arbiter.reference(tracking.reference).leash_figures();
    t.dropped = figures.dropped;
    t.dropped_angle = figures.dropped_angle;
    const double n = std::max(1.0, static_cast<double>(t.ticks));
    t.position_rms = std::sqrt(tracking.position_sum / n);
    t.angle_rms = std::sqrt(tracking.angle_sum / n);
    t.lag_rms = std::sqrt(tracking.lag_sum / n);
    t.lag_angle_rms = std::sqrt(tracking.lag_angle_sum / n);
    s.tracking.push_back(t);
  }
  for (const auto& machine : session.machines())
    s.machines.emplace_back(machine.name(), machine.current_name());
  for (const ReferenceIndex r : arbiter.references())
    if (arbiter.holding(r) && arbiter.reason(r) != kNobody)
      s.holding.emplace_back(arbiter.reference(r).name(), arbiter.reason(r));
  for (const auto& [machine, what] : waits_) s.waits.emplace_back(machine.view(), what.view());
  s.episodes = episodes_;
  s.successes = successes_;
  s.failures = failures_;
  s.discarded = discarded_;
  s.put_back = put_back_;
  std::ranges::stable_sort(s.put_back, std::greater(), &PutBack::count);
  s.not_put_back = not_put_back_;
  s.timeouts = timeouts_;
  s.rejected_inputs = session.rejected_inputs();
  s.lost_inputs = session.lost_inputs();
  for (std::size_t d = 0; d < session.devices().size(); ++d) {
    const DeviceState& device = session.devices().state_of(d);
    s.devices.push_back(
        {device.name(), device.left_out(), device.out_of_range(), device.malformed()});
  }
  s.lost_observations = session.lost_observations();
  s.faults = session.plant().faults();
  if (const PlantSet* plants = session.plants())
    for (std::size_t m = 0; m < plants->members().size(); ++m) {
      const PlantMember& member = plants->members()[m];
      // one that a program gave is the whole
      if (member.name.empty()) continue;
      s.plants.push_back({member.name, member.plant->simulated(), member.plant->read().status,
                          session.plant_watch()->lost(m), member.plant->faults()});
    }
  const Judges& judges = session.judges();
  for (std::size_t j = 0; j < judges.size(); ++j)
    s.verdicts.push_back(
        {judges.name(j), name_of(judges.verdict(j)), std::string(judges.words(j).view())});
  s.watch = session.arm_watch().summary();
  if (session.unreached()) s.unreached = session.unreached()->summary();
  if (session.world()) s.contacts = session.world()->contacts().size();
  if (WholeArm* arms = session.whole_arm()) {
    ControlProblem& problem = arms->problem();
    problem.conflicts().flush();
    ControlSummary& c = s.control.emplace();
    c.counts = problem.counts();
    c.conflicts = problem.conflicts().entries();
    c.conflicts_passed_over = problem.conflicts().passed_over();
    for (const auto& task : problem.tasks()) c.rejected_references += task->rejected();
    for (std::size_t a = 0; a < arms->arms(); ++a)
      c.not_finite += arms->drive(static_cast<int>(a)).not_finite();
    for (const auto& goals : session.goals()) c.goals += goals.goals();
  }
  return s;
}

}  // namespace handspan
