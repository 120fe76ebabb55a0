#include "teleop/arbiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
constexpr double kLetGo = 1.0;

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
  outlet.pose.emplace(limits);
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
      outlet.reference.q = outlet.joints->q();
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
  }
  write(outlet);
  outlet.wanted = outlet.reference;
}

void Arbiter::stop(std::string_view reason) {
  if (stopped_) return;
  stopped_ = true;
  for (auto& outlet : outlets_) hold(outlet, reason);
}

void Arbiter::resume(const Moment& moment) {
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
  SourceAnswer answer = from.update(moment, outlet.reference, outlet.asked[index]);
  const bool asks = answer.status == SourceStatus::kActive || answer.status == SourceStatus::kDone;
  if (asks && !(outlet.pose ? is_sane(outlet.asked[index].pose) : is_finite(outlet.asked[index]))) {
    answer = {SourceStatus::kLost, "it asked for something that is no motion"};
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
    answer = from.update(moment, outlet.reference, outlet.asked[index]);
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
    outlet.wrench_task->set_reference(outlet.reference.wrench);
    return;
  }
  if (outlet.pose) {
    outlet.reference.pose = outlet.pose->reference();
    outlet.pose_task->set_reference(outlet.reference.pose);
  } else {
    outlet.reference.q = outlet.joints->q();
    outlet.reference.v = outlet.joints->v();
    outlet.reference.a = outlet.joints->a();
    outlet.posture_task->set_reference(outlet.reference.q, outlet.reference.v, outlet.reference.a);
  }
}

void Arbiter::tell_way(Outlet& outlet, bool follows, double dt) {
  const DirectionKeeper& way = outlet.pose_task->way();
  if (!outlet.pose_task->keeps_direction() || !outlet.way.update(way, follows, dt)) return;
  char bound[100], text[166];
  const auto end =
      fmt::format_to_n(text, sizeof text, "{}: slower; go back, or another way", way.tell(bound));
  events_.add("limit", outlet.name, {text, std::min(end.size, sizeof text)});
}

// Who is heard; the reason why nobody is, in the outlet.
bool Arbiter::ask_all(Outlet& outlet, const Moment& moment) {
  bool any = false;
  const FixedText<126> before = outlet.reason;
  outlet.reason = kNobody;
  for (std::uint32_t i = 0; i < outlet.grants; ++i) {
    outlet.heard[i].axes = {};
    // one that was lost keeps its reason until it is heard again
    if (outlet.heard[i].lost) outlet.reason = before;
    any = ask(outlet, i, moment) || any;
  }
  return any;
}

// What several hold between them stays where it is when one of them is lost.
void Arbiter::keep_together(Together& together, const Moment& moment) {
  const Outlet* lost = nullptr;
  bool granted = true, any = false, all = true;
  for (const int o : together.outlets) {
    const Outlet& outlet = at(o);
    granted = granted && outlet.grants > 0;
    any = any || outlet.heard_now;
    all = all && outlet.heard_now;
    if (!outlet.heard_now && lost == nullptr) lost = &outlet;
  }
  if (!granted) {
    together.engaged = false;
    return;
  }
  together.unheard = any ? 0.0 : together.unheard + moment.dt;
  if (together.unheard > kLetGo) together.engaged = false;
  if (all) together.engaged = true;
  if (!together.engaged || all) return;
  for (const int o : together.outlets) {
    Outlet& outlet = outlets_[static_cast<std::size_t>(o)];
    if (!outlet.heard_now) continue;
    outlet.heard_now = false;
    // each goes on from where its reference is then
    for (std::uint32_t i = 0; i < outlet.grants; ++i) outlet.heard[i].started = false;
    char text[126];
    const auto end = fmt::format_to_n(text, sizeof text, "holds together with {} ({})", lost->name,
                                      lost->reason.view());
    outlet.reason = std::string_view(text, std::min(end.size, sizeof text));
  }
}

void Arbiter::update(const Moment& moment) {
  for (auto& outlet : outlets_) {
    outlet.pending = false;
    outlet.held_for = outlet.reason;
    outlet.heard_now = !stopped_ && ask_all(outlet, moment);
  }
  if (!stopped_)
    for (auto& together : together_) keep_together(together, moment);
  for (auto& outlet : outlets_) {
    const bool any = outlet.heard_now;
    if (!stopped_) {
      if (any) {
        if (outlet.holding) events_.add("follow", outlet.name, "");
        outlet.holding = false;
        outlet.reason = "";
      } else {
        const FixedText<126> reason = outlet.reason;
        outlet.reason = outlet.held_for;
        hold(outlet, reason);
      }
    }
    if (outlet.wrench) {
      Axes axes{};
      if (any) merge_wrench(outlet, axes);
      if (!outlet.wrench_task->carries(*outlet.control))
        outlet.wrench->start(Vector6d::Zero());
      else if (any)
        outlet.wrench->follow(outlet.wanted.wrench, axes, moment.dt);
      else
        outlet.wrench->hold();
    } else if (any && outlet.pose) {
      Axes axes{};
      merge_pose(outlet, axes);
      const FrameTask& task = *outlet.pose_task;
      const double lead = std::max(kShortestLead, kLeadTime * task.way().allowed());
      outlet.pose->shorten_leash(lead, kLeadTurn * lead);
      outlet.pose->follow(outlet.wanted.pose, axes, {task.X_WE(), task.V_WE()}, moment.dt);
    } else if (any) {
      merge_joints(outlet);
      outlet.joints->follow(outlet.wanted.q, outlet.wanted.v, moment.dt);
    } else if (outlet.pose) {
      outlet.pose->brake(moment.dt);
    } else {
      outlet.joints->brake(moment.dt);
    }
    write(outlet);
    if (outlet.pose) tell_way(outlet, any, moment.dt);
    if (!any) outlet.wanted = outlet.reference;
    outlet.done = any && arrived(outlet) &&
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
                                                "its linear and angular velocity, in W");
    } else if (outlet.wrench) {
      outlet.wrench_channel =
          channels.vector(name + ".wrench", 6, "N, N m", rate,
                          "that the task follows, on the join's second frame, in its axes",
                          {"fx", "fy", "fz", "tx", "ty", "tz"});
    } else {
      outlet.joints_channel =
          channels.vector(name + ".q", static_cast<std::size_t>(outlet.reference.q.size()), "rad",
                          rate, "that the task follows");
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
            outlet.holding, outlet.done, outlet.pending, outlet.reason, outlet.way);
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
