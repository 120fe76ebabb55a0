#include "teleop/arbiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "teleop/pose_channel.hpp"

namespace handspan {
namespace {

// how far a reference may turn for what it may go ahead of a bound arm [rad/m]
constexpr double kLeadTurn = 5.0;
// rounding of a long sum of steps [m, rad]
constexpr double kArrived = 1e-9;
// not heard for so long, outlets that hold together hold nothing any more [s]
constexpr double kLetGo = 1.0, kLetGoEmpty = 0.1;
// an arm at rest so near to its reference is there: what friction leaves of a motion [m, rad]
constexpr double kNear = 1e-3, kNearAngle = 3e-3;
// from which a force is one: beyond noise; and beyond what moving a tool takes [N]
constexpr double kPresses = 5.0, kPressesMoving = 10.0;
// a reference that is slower is at rest for a hold [m/s, rad/s]
constexpr double kStill = 1e-3;
// of the leash, up to which a plan goes on at its own pace
constexpr double kFullPace = 0.6;
// a plan that goes on slower than so, for so long, waits [s]
constexpr double kWaits = 0.02, kWaitsFor = 0.5;
// told when so much was dropped [m or rad]; told what it was all in all when nothing was for so
// long [s]
constexpr double kTellDropped = 0.02, kDroppedFor = 0.5;
// an arm that is where it is wanted rests there: slower than so [m/s, rad/s]
constexpr double kThereSpeed = 0.005, kThereAngularSpeed = 0.015;
// one that presses is where its force lets it be: along the force it does not matter where, and
// what the force turns and pushes aside is so many times as much
constexpr double kPushedAside = 4.0, kTurned = 15.0;

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

int find(const auto& items, std::string_view name, const char* what) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return static_cast<int>(i);
  const std::string text(name);
  throw InputError(fmt::format("there is no {} '{}'; {}", what, shown(text),
                               did_you_mean(text, names_of(items), "there are")));
}

bool is_finite(const Motion& m) {
  return m.q.allFinite() && m.v.allFinite() && m.a.allFinite() && m.wrench.allFinite();
}

}  // namespace

Arbiter::Outlet& Arbiter::add(std::string name, Eigen::Index joints) {
  Outlet& outlet = outlets_.emplace_back();
  outlet.name = std::move(name);
  for (Motion* m : {&outlet.reference, &outlet.wanted})
    m->q = m->v = m->a = Eigen::VectorXd::Zero(joints);
  outlet.asked.fill(outlet.wanted);
  return outlet;
}

int Arbiter::add_pose(FrameTask& task, const PoseReferenceLimits& limits) {
  Outlet& outlet = add(task.name(), 0);
  outlet.pose_task = &task;
  task.keep_direction_by_default();
  outlet.pose.emplace(limits, task.counted_axes());
  if (arms_ != nullptr) outlet.mechanism = task.frame().mechanism;
  return outlets() - 1;
}

int Arbiter::add_joints(PostureTask& task, std::span<const JointLimits> limits) {
  const auto n = static_cast<Eigen::Index>(limits.size());
  if (n != task.rows())
    throw InputError(fmt::format("{} joint limits for the {} rows of the task '{}'", n, task.rows(),
                                 task.name()));
  Eigen::VectorXd lower(n), upper(n);
  std::vector<FollowLimits> follow;
  for (Eigen::Index i = 0; i < n; ++i) {
    const JointLimits& l = limits[static_cast<std::size_t>(i)];
    lower[i] = l.continuous ? -HUGE_VAL : l.lower;
    upper[i] = l.continuous ? HUGE_VAL : l.upper;
    follow.push_back({l.velocity, std::min(l.acceleration, l.braking), l.jerk});
  }
  Outlet& outlet = add(task.name(), n);
  outlet.posture_task = &task;
  outlet.home = Eigen::VectorXd::Zero(n);
  if (arms_ != nullptr) outlet.mechanism = task.mechanism();
  outlet.joints.emplace(lower, upper, std::move(follow));
  return outlets() - 1;
}

int Arbiter::add_wrench(WrenchTask& task, const ControlState& state,
                        const WrenchReferenceLimits& limits) {
  Outlet& outlet = add(task.name(), 0);
  outlet.wrench_task = &task;
  outlet.control = &state;
  outlet.wrench.emplace(limits);
  return outlets() - 1;
}

void Arbiter::hold_together(std::vector<int> outlets) {
  for (std::size_t i = 0; i < outlets.size(); ++i) {
    bool twice = std::count(outlets.begin(), outlets.end(), outlets[i]) > 1;
    for (const Together& other : together_)
      twice = twice || std::ranges::count(other.outlets, outlets[i]) > 0;
    if (twice)
      throw InputError(fmt::format("'{}' is to hold together with others twice; name it once",
                                   outlet_name(outlets[i])));
  }
  together_.push_back({std::move(outlets)});
}

int Arbiter::add_source(std::string name, std::unique_ptr<Source> source) {
  if (std::ranges::count(sources_, name, &Named::name))
    throw InputError(fmt::format("there are two sources '{}'; give one another name", name));
  sources_.push_back({std::move(name), std::move(source)});
  return source_count() - 1;
}

int Arbiter::outlet(std::string_view name) const {
  return find(outlets_, name, "reference of a task");
}
int Arbiter::source(std::string_view name) const { return find(sources_, name, "source"); }

void Arbiter::start() {
  for (auto& outlet : outlets_) {
    if (outlet.pose) {
      outlet.pose->start(outlet.pose_task->reference().X_WE);
      outlet.reference.pose = outlet.pose->reference();
    } else if (outlet.wrench) {
      outlet.wrench->start(outlet.wrench_task->carries(*outlet.control)
                               ? outlet.wrench_task->reference()
                               : Vector6d::Zero());
      outlet.reference.wrench = outlet.wrench->reference();
    } else {
      outlet.joints->start(outlet.posture_task->reference());
      outlet.reference.q = outlet.home = outlet.joints->q();
    }
    outlet.wanted = outlet.reference;
  }
}

void Arbiter::revoke(int source, const Outlet& keeps) {
  for (auto& other : outlets_) {
    if (&other == &keeps) continue;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < other.grants; ++i) {
      if (other.heard[i].grant.source == source) continue;
      if (kept != i) {
        other.heard[kept] = other.heard[i];
        other.asked[kept] = other.asked[i];
      }
      ++kept;
    }
    if (kept == other.grants) continue;
    other.grants = kept;
    tell_authority(other, events_);
  }
}

void Arbiter::tell_authority(const Outlet& outlet, EventList& events) const {
  FixedText<166> names = "nobody";
  char text[166];
  char *at = text, *end = text + sizeof text;
  for (std::uint32_t i = 0; i < outlet.grants; ++i)
    at = std::min(end, fmt::format_to_n(at, end - at, "{}{}", i == 0 ? "" : ", ",
                                        source_name(outlet.heard[i].grant.source))
                           .out);
  if (outlet.grants > 0) names = std::string_view(text, static_cast<std::size_t>(at - text));
  events.add("authority", outlet.name, names);
}

void Arbiter::tell_authorities(EventList& events) const {
  for (const Outlet& outlet : outlets_)
    if (outlet.grants > 0) tell_authority(outlet, events);
}

void Arbiter::grant(int index, std::span<const Grant> grants, const Moment& moment) {
  Outlet& outlet = outlets_[static_cast<std::size_t>(index)];
  const bool anybody = outlet.grants > 0 || !grants.empty();
  for (const Grant& grant : grants) revoke(grant.source, outlet);
  outlet.grants = static_cast<std::uint32_t>(std::min(grants.size(), kMostGrants));
  for (std::uint32_t i = 0; i < outlet.grants; ++i) {
    outlet.heard[i] = {};
    outlet.heard[i].grant = grants[i];
    outlet.asked[i] = outlet.reference;
    if (stopped_) continue;
    source(grants[i].source).start(moment, outlet.reference);
    outlet.heard[i].begun = outlet.heard[i].started = true;
  }
  outlet.done = false;
  outlet.pending = true;
  if (anybody) tell_authority(outlet, events_);
}

bool Arbiter::under_way(int index) const {
  const Outlet& outlet = at(index);
  if (outlet.pending) return true;
  for (std::uint32_t i = 0; i < outlet.grants; ++i) {
    const Heard& heard = outlet.heard[i];
    if (!heard.done && sources_[static_cast<std::size_t>(heard.grant.source)].source->ends())
      return true;
  }
  return false;
}

void Arbiter::rebase(int index) {
  Outlet& outlet = outlets_[static_cast<std::size_t>(index)];
  if (outlet.pose) {
    outlet.pose->start(outlet.pose_task->X_WE());
  } else if (outlet.joints) {
    outlet.wanted.q = outlet.posture_task->reference() - outlet.posture_task->error();
    outlet.joints->start(outlet.wanted.q);
    // and where they were is nowhere to go back to
    outlet.home = outlet.wanted.q;
    outlet.away = false;
  }
  write(outlet);
  outlet.wanted = outlet.reference;
  // a stop begins anew from where the arm is
  outlet.begins = outlet.begins || outlet.stops || stopped_;
}

void Arbiter::stop(std::string_view reason) {
  if (stopped_) return;
  stopped_ = true;
  for (auto& outlet : outlets_) {
    hold(outlet, reason);
    // also one that nobody drives: its arm may move all the same
    outlet.begins = true;
  }
}

void Arbiter::resume(const Moment& moment) {
  if (stopped_ && arms_ != nullptr)
    // an arm in which nobody has authority does what it did before it was stopped
    for (auto& outlet : outlets_) {
      const auto has = [&](const Outlet& o) {
        return o.mechanism == outlet.mechanism && o.grants > 0;
      };
      if (outlet.mechanism < 0 || std::ranges::any_of(outlets_, has)) continue;
      arms_->end_stop(outlet.mechanism);
      outlet.begins = outlet.stops = false;
    }
  stopped_ = false;
  for (auto& outlet : outlets_)
    for (std::uint32_t i = 0; i < outlet.grants; ++i) {
      Heard& heard = outlet.heard[i];
      if (!outlet.holding && heard.started && !heard.lost) continue;
      go_on(heard, outlet, moment);
    }
}

// one that was never started, as after a stop, begins; others go on with what is left
void Arbiter::go_on(Heard& heard, const Outlet& outlet, const Moment& moment) {
  Source& from = source(heard.grant.source);
  if (heard.begun)
    from.resume(moment, outlet.reference);
  else
    from.start(moment, outlet.reference);
  heard.begun = heard.started = true;
  heard.lost = false;
}

bool Arbiter::receive(const Moment& moment, const Input& input) {
  for (auto& named : sources_)
    if (input.to == named.name) {
      named.source->receive(moment, input);
      return true;
    }
  return false;
}

// whether the source is heard; else why not is in the outlet's reason
bool Arbiter::ask(Outlet& outlet, std::uint32_t index, const Moment& moment) {
  Heard& heard = outlet.heard[index];
  Source& from = source(heard.grant.source);
  // a plan's time goes on as the arm does
  Moment own = moment;
  const double pace = from.ends() ? outlet.pace : 1.0;
  own.dt *= pace;
  const auto slow = [&] {
    if (pace == 1.0) return;
    Motion& asked = outlet.asked[index];
    asked.pose.V_WE *= pace;
    asked.pose.A_WE *= pace * pace;
  };
  SourceAnswer answer = from.update(own, outlet.reference, outlet.asked[index]);
  slow();
  const bool asks = answer.status == SourceStatus::kActive || answer.status == SourceStatus::kDone;
  if (asks && !(outlet.pose ? is_sane(outlet.asked[index].pose) : is_finite(outlet.asked[index]))) {
    answer = {SourceStatus::kLost, "what it asked for is not a finite motion"};
    outlet.asked[index] = outlet.reference;
  }
  const auto lose = [&](const char* reason) {
    // longer than a reason, which cuts it at a border of characters
    char text[160];
    const auto end =
        fmt::format_to_n(text, sizeof text, "{}: {}", source_name(heard.grant.source), reason);
    outlet.reason = std::string_view(text, std::min(end.size, sizeof text));
  };
  heard.done = answer.status == SourceStatus::kDone;
  switch (answer.status) {
    case SourceStatus::kLost:
      // the first reason stands: what follows is most often a consequence
      if (!heard.lost) lose(answer.reason);
      heard.lost = true;
      heard.started = false;
      return false;
    case SourceStatus::kSilent:
      heard.started = false;
      if (!heard.lost) lose(answer.reason);
      return false;
    case SourceStatus::kActive:
    case SourceStatus::kDone:
      break;
  }
  if (heard.lost && !heard.grant.reengages) return false;
  if (!heard.started) {
    // it may have gone anywhere meanwhile: it begins anew from where the reference is
    go_on(heard, outlet, moment);
    outlet.asked[index] = outlet.reference;
    answer = from.update(own, outlet.reference, outlet.asked[index]);
    slow();
    if (answer.status != SourceStatus::kActive && answer.status != SourceStatus::kDone)
      return false;
    if (!(outlet.pose ? is_sane(outlet.asked[index].pose) : is_finite(outlet.asked[index])))
      return false;
  }
  for (std::size_t axis = 0; axis < 6; ++axis)
    heard.axes[axis] = heard.grant.axes[axis] && answer.axes[axis];
  const auto has_say =
      outlet.joints ? heard.axes[0] : std::ranges::any_of(heard.axes, [](bool a) { return a; });
  if (!has_say) lose("it has no say in any axis that it was given");
  return has_say;
}

// Of each axis of W the mean of those who have a say in it, by their shares. Rotations are averaged
// as vectors from the reference, which all of them are near to.
void Arbiter::merge_pose(Outlet& outlet, Axes& axes) const {
  const Pose& X = outlet.reference.pose.X_WE;
  Vector6d e = Vector6d::Zero(), V = Vector6d::Zero(), A = Vector6d::Zero(),
           share = Vector6d::Zero();
  int heard_by = 0, last = 0;
  for (std::uint32_t i = 0; i < outlet.grants; ++i) {
    const Heard& heard = outlet.heard[i];
    if (std::ranges::none_of(heard.axes, [](bool axis) { return axis; })) continue;
    const PoseReference& asked = outlet.asked[i].pose;
    Vector6d from;
    from << asked.X_WE.p - X.p, log_so3(asked.X_WE.R * X.R.transpose());
    for (int axis = 0; axis < 6; ++axis) {
      if (!heard.axes[static_cast<std::size_t>(axis)]) continue;
      share[axis] += heard.grant.share;
      e[axis] += heard.grant.share * from[axis];
      V[axis] += heard.grant.share * asked.V_WE[axis];
      A[axis] += heard.grant.share * asked.A_WE[axis];
    }
    ++heard_by;
    last = static_cast<int>(i);
  }
  bool all = true;
  for (int axis = 0; axis < 6; ++axis) {
    axes[static_cast<std::size_t>(axis)] = share[axis] > 0.0;
    all = all && share[axis] > 0.0;
    if (share[axis] == 0.0) continue;
    e[axis] /= share[axis];
    V[axis] /= share[axis];
    A[axis] /= share[axis];
  }
  // one that has all of it: exactly what it asks
  if (heard_by == 1 && all) {
    outlet.wanted.pose = outlet.asked[static_cast<std::size_t>(last)].pose;
    return;
  }
  outlet.wanted.pose.X_WE = {exp_so3(e.tail<3>()) * X.R, X.p + e.head<3>()};
  outlet.wanted.pose.V_WE = V;
  outlet.wanted.pose.A_WE = A;
}

void Arbiter::merge_joints(Outlet& outlet) const {
  double share = 0.0;
  for (std::uint32_t i = 0; i < outlet.grants; ++i)
    if (outlet.heard[i].axes[0]) share += outlet.heard[i].grant.share;
  outlet.wanted.q.setZero();
  outlet.wanted.v.setZero();
  outlet.wanted.a.setZero();
  for (std::uint32_t i = 0; i < outlet.grants; ++i) {
    if (!outlet.heard[i].axes[0]) continue;
    const double part = outlet.heard[i].grant.share / share;
    outlet.wanted.q += part * outlet.asked[i].q;
    outlet.wanted.v += part * outlet.asked[i].v;
    outlet.wanted.a += part * outlet.asked[i].a;
  }
}

// As of poses: of each axis of b the mean of those who have a say in it, by their shares.
void Arbiter::merge_wrench(Outlet& outlet, Axes& axes) const {
  outlet.wanted.wrench = outlet.reference.wrench;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    double sum = 0.0, share = 0.0;
    for (std::uint32_t i = 0; i < outlet.grants; ++i) {
      const Heard& heard = outlet.heard[i];
      if (!heard.axes[axis]) continue;
      share += heard.grant.share;
      sum += heard.grant.share * outlet.asked[i].wrench[static_cast<Eigen::Index>(axis)];
    }
    axes[axis] = share > 0.0;
    if (axes[axis]) outlet.wanted.wrench[static_cast<Eigen::Index>(axis)] = sum / share;
  }
}

void Arbiter::hold(Outlet& outlet, std::string_view reason) {
  if (!outlet.holding || outlet.reason != reason) events_.add("hold", outlet.name, reason);
  if (!outlet.holding) outlet.begins = true;
  outlet.holding = true;
  outlet.reason = reason;
}

bool Arbiter::at_rest(int index) const {
  const Outlet& outlet = at(index);
  if (outlet.wrench) return outlet.wrench->at_rest();
  return outlet.pose ? outlet.pose->at_rest() : outlet.joints->at_rest();
}

bool Arbiter::arrived(const Outlet& outlet) const {
  if (outlet.wrench)
    return (outlet.wanted.wrench - outlet.reference.wrench).lpNorm<Eigen::Infinity>() < kArrived;
  if (!outlet.pose)
    return (outlet.wanted.q - outlet.reference.q).lpNorm<Eigen::Infinity>() < kArrived;
  const Pose &X = outlet.reference.pose.X_WE, &X_w = outlet.wanted.pose.X_WE;
  return (X_w.p - X.p).norm() < kArrived && (X_w.R - X.R).norm() < kArrived;
}

void Arbiter::write(Outlet& outlet) {
  if (outlet.wrench) {
    outlet.reference.wrench = outlet.wrench->reference();
  } else if (outlet.pose) {
    outlet.reference.pose = outlet.pose->reference();
    outlet.pose_task->brake_with_joints(outlet.stops);
  } else {
    outlet.reference.q = outlet.joints->q();
    outlet.reference.v = outlet.joints->v();
    outlet.reference.a = outlet.joints->a();
  }
  give(outlet);
}

void Arbiter::give(const Outlet& outlet) {
  const Motion& r = outlet.reference;
  if (outlet.wrench)
    outlet.wrench_task->set_reference(r.wrench);
  else if (outlet.pose)
    outlet.pose_task->set_reference(r.pose);
  else
    outlet.posture_task->set_reference(r.q, r.v, r.a);
}

void Arbiter::impose(int index, const Motion& reference) {
  Outlet& outlet = outlets_[static_cast<std::size_t>(index)];
  outlet.reference = reference;
  give(outlet);
}

void Arbiter::tell_way(Outlet& outlet, bool follows, double dt) {
  const DirectionKeeper& way = outlet.pose_task->way();
  if (!outlet.pose_task->keeps_direction() || !outlet.way.update(way, follows, dt)) return;
  char bound[100], text[166];
  const auto end =
      fmt::format_to_n(text, sizeof text, "{}: slower; go back, or another way", way.tell(bound));
  events_.add("limit", outlet.name, {text, std::min(end.size, sizeof text)});
}

ArmFrame Arbiter::arm(int index) const {
  const FrameTask& task = *at(index).pose_task;
  if (arms_ != nullptr) return arms_->seen(task.frame());
  return {task.X_WE(), task.V_WE()};
}

bool Arbiter::arm_is_there(int index, double distance, double angle) const {
  const Outlet& outlet = at(index);
  if (outlet.wrench) return true;
  if (outlet.joints) {
    const PostureTask& task = *outlet.posture_task;
    for (Eigen::Index r = 0; arms_ != nullptr && r < outlet.wanted.q.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      const double e = outlet.wanted.q[r] - arms_->seen_q(outlet.mechanism, task.q_indices()[i]);
      if (!(std::abs(e) <= angle)) return false;
    }
    return arms_ == nullptr || arms_->rests(outlet.mechanism);
  }
  const Vector6d counted = outlet.pose_task->counted_axes();
  const ArmFrame is = arm(index);
  const Pose& X = outlet.wanted.pose.X_WE;
  Vector6d e;
  e << X.p - is.X_WE.p, log_so3(X.R * is.X_WE.R.transpose());
  e = counted.cwiseProduct(e);
  // as control has it: what is measured of an arm at rest is noise
  const Vector6d V = counted.cwiseProduct(outlet.pose_task->V_WE());
  if (const Eigen::Vector3d F = felt_force(outlet); F.norm() > kPresses) {
    e.head<3>() -= F * (F.dot(e.head<3>()) / F.squaredNorm());
    distance *= kPushedAside;
    angle *= kTurned;
  }
  return e.head<3>().norm() <= distance && e.tail<3>().norm() <= angle &&
         V.head<3>().norm() <= kThereSpeed && V.tail<3>().norm() <= kThereAngularSpeed;
}

Eigen::Vector3d Arbiter::felt_force(const Outlet& outlet) const {
  return arms_ != nullptr ? arms_->felt_force(outlet.mechanism) : Eigen::Vector3d::Zero();
}

// An arm stops when a hold began in it and nobody drives any of its references; it goes on when
// somebody does.
void Arbiter::find_stops() {
  if (arms_ == nullptr) return;
  for (std::size_t i = 0; i < outlets_.size(); ++i) {
    const int m = outlets_[i].mechanism;
    const auto same = [m](const Outlet& o) { return o.mechanism == m; };
    // once for each arm
    if (m < 0 ||
        std::any_of(outlets_.begin(), outlets_.begin() + static_cast<std::ptrdiff_t>(i), same))
      continue;
    bool driven = false, begins = false;
    for (const Outlet& outlet : outlets_) {
      if (!same(outlet)) continue;
      driven = driven || outlet.any;
      begins = begins || outlet.begins;
    }
    if (driven) {
      arms_->end_stop(m);
      // one that holds alone goes on from where the arm is
      for (Outlet& outlet : outlets_) {
        if (!same(outlet) || !outlet.begins || !outlet.pose) continue;
        outlet.begins = false;
        const FrameTask& task = *outlet.pose_task;
        outlet.pose->place({task.X_WE(), task.V_WE(), Vector6d::Zero()});
      }
    } else if (begins && arms_->stops(m)) {
      for (Outlet& outlet : outlets_)
        if (same(outlet)) outlet.begins = false;
    } else if (begins && arms_->due(m)) {
      begin_stop(m);
    }
    if (arms_->stops(m)) continue;
    for (Outlet& outlet : outlets_)
      if (same(outlet)) outlet.stops = false;
  }
}

bool Arbiter::joints_are_near(const Outlet& outlet) const {
  const auto& actuated =
      arms_->system().mechanisms()[static_cast<std::size_t>(outlet.mechanism)].actuated;
  const std::vector<int>& rows = outlet.posture_task->v_indices();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto j = std::ranges::find(actuated, rows[r]) - actuated.begin();
    const double q = arms_->stop_q(outlet.mechanism)[j];
    if (!(std::abs(outlet.joints->q()[static_cast<Eigen::Index>(r)] - q) < kNearAngle))
      return false;
  }
  return outlet.joints->v().isZero(kStill);
}

void Arbiter::begin_stop(int m) {
  const Eigen::Vector3d F = arms_->felt_force(m);
  const bool rests = arms_->rests(m);
  const bool presses = F.norm() > (rests ? kPresses : kPressesMoving);
  const bool kept = rests && (presses || arms_->is_kept(m));
  arms_->begin_stop(m, rests, presses || kept);
  for (Outlet& outlet : outlets_) {
    if (outlet.mechanism != m) continue;
    outlet.begins = false;
    if (outlet.joints) {
      // what balances a force stays, and what the arm rests at
      outlet.stops = !presses && !kept && !(rests && joints_are_near(outlet));
      if (outlet.driven) outlet.home = outlet.joints->q();
      outlet.away = outlet.away || (outlet.stops && !outlet.driven);
      continue;
    }
    const Pose X = arms_->stop_frame(outlet.pose_task->frame()).X_WE;
    const Pose& X_ref = outlet.reference.pose.X_WE;
    const Eigen::Vector3d ahead = X_ref.p - X.p;
    const Eigen::Matrix3d turned = X_ref.R * X.R.transpose();
    // what a way that is bound keeps from it would go on pulling
    const bool near = ahead.norm() < kNear && angle_between(X_ref.R, X.R) < kNearAngle &&
                      outlet.pose_task->way().bound() == WayBound::kNone;
    outlet.stops = true;
    outlet.p_kept.setZero();
    outlet.R_kept.setIdentity();
    if (rests && (kept || near) && outlet.reference.pose.V_WE.isZero(kStill)) {
      outlet.p_kept = ahead;
      outlet.R_kept = turned;
    } else if (presses) {
      outlet.p_kept = F * (F.dot(ahead) / F.squaredNorm());
      outlet.R_kept = turned;
    }
  }
}

// What of what is wanted is beyond the leash goes from the sources for good.
void Arbiter::drop(Outlet& outlet, const Axes& axes, const ArmFrame& arm, double dt) {
  const Vector6d back = outlet.pose->beyond_leash(outlet.wanted.pose.X_WE, axes, arm.X_WE);
  bool dropped = false;
  if (!back.isZero(0.0)) {
    const Eigen::Matrix3d R = exp_so3(back.tail<3>());
    for (std::uint32_t i = 0; i < outlet.grants; ++i)
      if (std::ranges::any_of(outlet.heard[i].axes, [](bool axis) { return axis; }))
        dropped = source(outlet.heard[i].grant.source).shift(back.head<3>(), R) || dropped;
  }
  if (dropped) {
    const double before = outlet.ahead.norm();
    outlet.ahead -= back;
    outlet.ahead_for = 0.0;
    outlet.figures.dropped += back.head<3>().norm();
    outlet.figures.dropped_angle += back.tail<3>().norm();
    if (before < kTellDropped && outlet.ahead.norm() >= kTellDropped)
      events_.add("leash", outlet.name,
                  "the hand is ahead of the arm; what it is ahead is dropped");
    return;
  }
  if (outlet.ahead.isZero(0.0)) return;
  outlet.ahead_for += dt;
  if (outlet.ahead_for < kDroppedFor) return;
  if (outlet.ahead.norm() >= kTellDropped) {
    char text[126];
    const auto end = fmt::format_to_n(
        text, sizeof text, "hand {:.2f} m and {:.0f} deg ahead of the arm: dropped",
        outlet.ahead.head<3>().norm(), outlet.ahead.tail<3>().norm() * 180.0 / std::numbers::pi);
    events_.add("leash", outlet.name, {text, std::min(end.size, sizeof text)});
  }
  outlet.ahead.setZero();
}

// How fast plans go on, by how far the arm is behind.
void Arbiter::wait(Outlet& outlet, const ArmFrame& arm, double dt) {
  outlet.pace = std::clamp((1.0 - outlet.pose->stretched(arm.X_WE)) / (1.0 - kFullPace), 0.0, 1.0);
  const bool plans =
      std::any_of(outlet.heard.begin(), outlet.heard.begin() + outlet.grants, [&](const Heard& h) {
        return !h.done && sources_[static_cast<std::size_t>(h.grant.source)].source->ends();
      });
  if (!plans || outlet.pace > kWaits) {
    outlet.waited = 0.0;
    return;
  }
  const double before = outlet.waited;
  outlet.waited += dt;
  if (before >= kWaitsFor || outlet.waited < kWaitsFor) return;
  char text[126];
  const auto end = fmt::format_to_n(text, sizeof text,
                                    "its plan waits: the arm is {:.2f} m behind and does not come",
                                    (outlet.reference.pose.X_WE.p - arm.X_WE.p).norm());
  events_.add("waits", outlet.name, {text, std::min(end.size, sizeof text)});
}

void Arbiter::follow_pose(Outlet& outlet, const Moment& moment) {
  Axes axes{};
  merge_pose(outlet, axes);
  const ArmFrame is = arm(static_cast<int>(&outlet - outlets_.data()));
  drop(outlet, axes, is, moment.dt);
  const double lead = std::max(kShortestLead, kLeadTime * outlet.pose_task->way().allowed());
  outlet.pose->shorten_leash(lead, kLeadTurn * lead);
  outlet.pose->follow(outlet.wanted.pose, axes, is, moment.dt);
  wait(outlet, is, moment.dt);
  const Pose& X = outlet.pose->reference().X_WE;
  const Vector6d counted = outlet.pose_task->counted_axes();
  outlet.figures.distance =
      std::max(outlet.figures.distance, counted.head<3>().cwiseProduct(X.p - is.X_WE.p).norm());
  if (!counted.tail<3>().isZero(0.0))
    outlet.figures.angle = std::max(outlet.figures.angle, angle_between(X.R, is.X_WE.R));
}

void Arbiter::brake_pose(Outlet& outlet, double dt) {
  outlet.ahead.setZero();
  outlet.pace = 1.0;
  outlet.waited = 0.0;
  if (!outlet.stops) {
    outlet.pose->brake(dt);
    return;
  }
  PoseReference on_its_way = arms_->stop_frame(outlet.pose_task->frame());
  on_its_way.X_WE.p += outlet.p_kept;
  on_its_way.X_WE.R = outlet.R_kept * on_its_way.X_WE.R;
  outlet.pose->place(on_its_way);
}

void Arbiter::move_joints(Outlet& outlet, double dt) {
  if (outlet.any) {
    outlet.driven = true;
    outlet.away = false;
    merge_joints(outlet);
    outlet.joints->follow(outlet.wanted.q, outlet.wanted.v, dt);
    return;
  }
  if (outlet.stops) {
    const std::vector<int>& rows = outlet.posture_task->v_indices();
    const Eigen::VectorXd &q = arms_->stop_q(outlet.mechanism),
                          &v = arms_->stop_v(outlet.mechanism),
                          &a = arms_->stop_a(outlet.mechanism);
    const auto& actuated =
        arms_->system().mechanisms()[static_cast<std::size_t>(outlet.mechanism)].actuated;
    Motion& to = outlet.wanted;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto j = std::ranges::find(actuated, rows[r]) - actuated.begin();
      const auto i = static_cast<Eigen::Index>(r);
      to.q[i] = q[j];
      to.v[i] = v[j];
      to.a[i] = a[j];
    }
    outlet.joints->place(to.q, to.v, to.a);
    return;
  }
  if (!outlet.away) {
    outlet.joints->brake(dt);
    return;
  }
  // back to where it was before the arm was stopped
  outlet.wanted.v.setZero();
  outlet.joints->follow(outlet.home, outlet.wanted.v, dt);
  outlet.away = outlet.joints->q() != outlet.home;
}

// Who is heard; the reason why nobody is, in the outlet.
void Arbiter::hear(Outlet& outlet, const Moment& moment) {
  outlet.any = false;
  outlet.pending = false;
  outlet.held_for = outlet.reason;
  if (stopped_) return;
  bool any = false;
  const FixedText<126> before = outlet.reason;
  outlet.reason = kNobody;
  for (std::uint32_t i = 0; i < outlet.grants; ++i) {
    outlet.heard[i].axes = {};
    // one that was lost keeps its reason until it is heard again
    if (outlet.heard[i].lost) outlet.reason = before;
    any = ask(outlet, i, moment) || any;
  }
  outlet.any = any;
}

// What several hold between them stays where it is when one of them is lost.
void Arbiter::keep_together(Together& together, const Moment& moment) {
  const Outlet* lost = nullptr;
  bool granted = true, any = false, all = true;
  for (const int o : together.outlets) {
    const Outlet& outlet = at(o);
    granted = granted && outlet.grants > 0;
    any = any || outlet.any;
    all = all && outlet.any;
    if (!outlet.any && lost == nullptr) lost = &outlet;
  }
  if (!granted) {
    together.engaged = false;
    return;
  }
  together.unheard = any ? 0.0 : together.unheard + moment.dt;
  // who has nothing between the hands may go on with one of them at once
  const bool carry = arms_ == nullptr || std::ranges::any_of(together.outlets, [&](int o) {
                       return felt_force(at(o)).norm() > kPresses;
                     });
  if (together.unheard > (carry ? kLetGo : kLetGoEmpty)) together.engaged = false;
  if (all) together.engaged = true;
  if (!together.engaged || all) return;
  for (const int o : together.outlets) {
    Outlet& outlet = outlets_[static_cast<std::size_t>(o)];
    if (!outlet.any) continue;
    outlet.any = false;
    // each goes on from where its reference is then
    for (std::uint32_t i = 0; i < outlet.grants; ++i) outlet.heard[i].started = false;
    char text[126];
    const auto end = fmt::format_to_n(text, sizeof text, "holds together with {} ({})", lost->name,
                                      lost->reason.view());
    outlet.reason = std::string_view(text, std::min(end.size, sizeof text));
  }
}

// What comes of who is heard.
void Arbiter::settle(Outlet& outlet) {
  if (stopped_) return;
  if (outlet.any) {
    if (outlet.holding) events_.add("follow", outlet.name, "");
    outlet.holding = outlet.begins = false;
    outlet.reason = "";
  } else {
    const FixedText<126> reason = outlet.reason;
    outlet.reason = outlet.held_for;
    hold(outlet, reason);
  }
}

void Arbiter::move(Outlet& outlet, const Moment& moment) {
  if (outlet.wrench) {
    Axes axes{};
    if (outlet.any) merge_wrench(outlet, axes);
    if (!outlet.wrench_task->carries(*outlet.control))
      outlet.wrench->start(Vector6d::Zero());
    else if (outlet.any)
      outlet.wrench->follow(outlet.wanted.wrench, axes, moment.dt);
    else
      outlet.wrench->hold();
  } else if (outlet.joints) {
    move_joints(outlet, moment.dt);
  } else if (outlet.any) {
    follow_pose(outlet, moment);
  } else {
    brake_pose(outlet, moment.dt);
  }
}

void Arbiter::update(const Moment& moment) {
  for (auto& outlet : outlets_) hear(outlet, moment);
  if (!stopped_)
    for (auto& together : together_) keep_together(together, moment);
  for (auto& outlet : outlets_) settle(outlet);
  find_stops();
  for (auto& outlet : outlets_) {
    move(outlet, moment);
    write(outlet);
    if (outlet.pose) tell_way(outlet, outlet.any, moment.dt);
    if (!outlet.any) outlet.wanted = outlet.reference;
    outlet.done = outlet.any && arrived(outlet) &&
                  std::all_of(outlet.heard.begin(), outlet.heard.begin() + outlet.grants,
                              [](const Heard& heard) { return heard.done; });
  }
}

void Arbiter::declare(ChannelTable& channels, Rate rate) {
  for (auto& outlet : outlets_) {
    const std::string name = "reference." + outlet.name;
    if (outlet.pose) {
      outlet.pose_channel = channels.pose(name + ".pose", rate, "that the task follows, in W");
      outlet.velocity_channel = channels.vector(name + ".velocity", 6, "m/s, rad/s", rate,
                                                "its linear and angular velocity, in W",
                                                {"vx", "vy", "vz", "wx", "wy", "wz"});
      outlet.distance_channel = channels.number(name + ".distance", "m", rate,
                                                "from where the arm was measured, to 1 mm");
      outlet.ahead_channel = channels.number(name + ".ahead", "m", rate,
                                             "of the leash that a hand is, and is dropped");
      outlet.measured_channel =
          channels.pose("measured." + outlet.name + ".pose", rate,
                        "where the task's frame is by the measured joints, in W, to 1e-6");
    } else if (outlet.wrench) {
      outlet.wrench_channel =
          channels.vector(name + ".wrench", 6, "N, N m", rate,
                          "that the task follows, on the loop closure's second frame, in its axes",
                          {"fx", "fy", "fz", "tx", "ty", "tz"});
    } else {
      outlet.joints_channel =
          channels.vector(name + ".q", static_cast<std::size_t>(outlet.reference.q.size()), "rad",
                          rate, "that the task follows", outlet.posture_task->joint_names());
    }
    outlet.holding_channel =
        channels.boolean(name + ".holding", rate, "nobody is heard: at rest, or braking to it");
  }
  for (auto& named : sources_) named.source->declare(channels, rate);
}

void Arbiter::publish(ChannelTable& channels, Nanoseconds stamp) const {
  for (const auto& outlet : outlets_) {
    if (outlet.pose) {
      write_pose(channels, outlet.pose_channel, outlet.reference.pose.X_WE, stamp);
      channels.write(outlet.velocity_channel, outlet.reference.pose.V_WE, stamp);
      const Pose X = arm(static_cast<int>(&outlet - outlets_.data())).X_WE;
      // noise would be written into every log
      const double distance = (outlet.reference.pose.X_WE.p - X.p).norm();
      channels.write(outlet.distance_channel, 1e-3 * std::round(1e3 * distance), stamp);
      channels.write(outlet.ahead_channel, outlet.ahead.head<3>().norm(), stamp);
      write_rounded_pose(channels, outlet.measured_channel, X, stamp);
    } else if (outlet.wrench) {
      channels.write(outlet.wrench_channel, outlet.reference.wrench, stamp);
    } else {
      channels.write(outlet.joints_channel, outlet.reference.q, stamp);
    }
    channels.write(outlet.holding_channel, outlet.holding, stamp);
  }
  for (const auto& named : sources_) named.source->publish(channels, stamp);
}

void Arbiter::state(StateArchive& archive) {
  archive.part("arbiter");
  archive(stopped_);
  for (auto& outlet : outlets_) {
    archive.part("reference", outlet.name);
    if (outlet.pose)
      archive(*outlet.pose);
    else if (outlet.wrench)
      archive(*outlet.wrench);
    else
      archive(*outlet.joints);
    archive(outlet.heard, outlet.grants, outlet.asked, outlet.reference, outlet.wanted,
            outlet.holding, outlet.done, outlet.pending, outlet.reason, outlet.any, outlet.begins,
            outlet.stops, outlet.p_kept, outlet.R_kept, outlet.home, outlet.away, outlet.driven,
            outlet.pace, outlet.waited, outlet.ahead, outlet.ahead_for, outlet.figures, outlet.way);
    if (archive.loading())
      for (std::uint32_t i = 0; i < kMostGrants; ++i)
        if (outlet.grants > kMostGrants || outlet.heard[i].grant.source < 0 ||
            outlet.heard[i].grant.source >= std::max(1, source_count()))
          throw InputError("the snapshot is damaged in the grants of " + outlet.name);
  }
  for (auto& together : together_) archive(together);
  for (auto& named : sources_) {
    archive.part("source", named.name);
    named.source->state(archive);
  }
}

}  // namespace handspan
