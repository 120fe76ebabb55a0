#include "session/arm_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

// of a plant's period, that one of its measurements may come late
constexpr double kLatePeriods = 2.5;
constexpr double kGivesWay = 1.0;     // for so long [s]
constexpr double kMostForce = 150.0;  // of arms that do not give way by themselves [N]

// for how long something lasts: noise that hides it for some samples only counts back
double lasting(double before, bool now, double dt) {
  return now ? before + dt : std::max(0.0, before - dt);
}

// Whether some joint of the group moves a body whose frame may not slip sideways.
bool rolls(const RobotInstance& robot, const GroupLayout& group) {
  const ModelDescription& d = robot.description;
  return std::ranges::any_of(d.rollings, [&](const RollingDescription& rolling) {
    const int frame = d.frame_index(rolling.frame);
    const auto& body = d.bodies[static_cast<std::size_t>(
        std::max(0, d.frames[static_cast<std::size_t>(frame)].body))];
    return std::ranges::any_of(body.joints, [&](const JointDescription& joint) {
      return std::ranges::count(group.joints, joint.name) > 0;
    });
  });
}

}  // namespace

Schema<WatchConfig> watch_schema() {
  return object<WatchConfig>("Watch", "when what is measured of the arms stops them")
      .optional("deviation", &WatchConfig::deviation, number("rad").above(0).max(10),
                "of a joint from where its commands should have brought it, as the model of its "
                "servo has it")
      .optional("deviation_time", &WatchConfig::deviation_time, number("s").min(0).max(10),
                "that it lasts")
      .optional("speed", &WatchConfig::speed, number().above(0).max(100),
                "of a joint, as a multiple of its limit")
      .optional("speed_time", &WatchConfig::speed_time, number("s").min(0).max(10),
                "that it lasts; shorter jumps, as of impacts, are counted")
      .optional("beyond_stop", &WatchConfig::beyond_stop, number("rad").min(0).max(10),
                "that a joint may be beyond its position limit; more stops the arms at once")
      .optional("silence", &WatchConfig::silence, number("s").above(0).max(10),
                "without a measurement that is a number; at least two and a half periods of what "
                "measures");
}

ArmWatch::ArmWatch(const WatchConfig& config, const Scene& scene, const PlantLayout& layout,
                   WholeArm* arms, const WholeArmConfig* arm_config, Nanoseconds base,
                   const std::vector<bool>& limp)
    : config_(config), base_(base), arms_(arms) {
  groups_.resize(layout.groups.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const GroupLayout& from = layout.groups[g];
    Group& group = groups_[g];
    group.layout = &from;
    group.seen.group = from.name;
    group.silence = std::max(config.silence, kLatePeriods * 1.0 / from.rate.hz());
    if (from.kind == GroupKind::kSuction || (g < limp.size() && limp[g])) continue;
    const RobotInstance& robot = *scene.robot(from.robot);
    for (const std::string& name : from.joints) {
      const JointDescription* joint = nullptr;
      for (const auto& body : robot.description.bodies)
        for (const auto& j : body.joints)
          if (j.name == name) joint = &j;
      group.joints.push_back(
          {robot.limits.find(name),
           joint != nullptr && joint->type == JointType::kPrismatic ? "m" : "rad"});
    }
    if (arms == nullptr) continue;
    for (std::size_t a = 0; a < arms->arms(); ++a)
      if (arms->group_of(static_cast<int>(a)) == static_cast<int>(g))
        group.arm = static_cast<int>(a);
    if (group.arm < 0) continue;
    std::optional<double> most;
    // what the ground does to wheels that roll is not in the torques of the base's joints
    if (from.kind != GroupKind::kTorque && !rolls(robot, from)) most = kMostForce;
    for (const auto& [name, arm] : arm_config->arms)
      if (name == from.name && arm.max_force) most = arm.max_force;
    if (!most) continue;
    int sensor = -1;
    for (std::size_t s = 0; s < layout.sensors.size() && sensor < 0; ++s)
      if (layout.sensors[s].name.starts_with(from.robot + ".")) sensor = static_cast<int>(s);
    group.force.emplace(*arms, group.arm, sensor, 1.0 / from.rate.hz());
    group.most_force = *most;
  }
}

// The first reason of a tick stands as that of the stop; each has its event.
template <class... Args>
void ArmWatch::tell(Group& group, std::string_view name, EventList& events, const char* format,
                    const Args&... args) {
  char text[166];
  const auto end = fmt::format_to_n(text, sizeof text, fmt::runtime(format), args...);
  const std::string_view told(text, std::min(end.size, sizeof text));
  events.add("watch", name, told);
  group.tripped = true;
  if (!reason_.empty()) return;
  char why[126];
  const auto why_end = fmt::format_to_n(why, sizeof why, "{} {}", name, told);
  reason_ = std::string_view(why, std::min(why_end.size, sizeof why));
}

void ArmWatch::joint(Group& group, std::size_t j, double q, double v, double expected, double dt,
                     EventList& events) {
  Joint& joint = group.joints[j];
  ArmWatchSummary& seen = group.seen;
  const JointLimits& limits = *joint.limits;
  const std::string& name = group.layout->joints[j];

  const double deviation = std::abs(q - expected);
  seen.worst_deviation = std::max(seen.worst_deviation, deviation);
  joint.deviates = lasting(joint.deviates, deviation > config_.deviation, dt);
  if (joint.deviates >= config_.deviation_time && joint.deviates > 0.0 && !joint.told_deviation) {
    joint.told_deviation = true;
    ++seen.deviations;
    tell(group, name, events,
         "is {:.2f} {} from where it is commanded (at most {:.2f}): free it, then resume",
         deviation, joint.unit, config_.deviation);
  }

  const double speed = std::abs(v) / limits.velocity;
  seen.worst_speed = std::max(seen.worst_speed, speed);
  const double before = joint.speeds;
  joint.speeds = lasting(joint.speeds, speed > config_.speed, dt);
  if (before > 0.0 && joint.speeds == 0.0 && !joint.told_speed) ++seen.jumps;
  if (joint.speeds >= config_.speed_time && joint.speeds > 0.0 && !joint.told_speed) {
    joint.told_speed = true;
    ++seen.overspeeds;
    tell(group, name, events,
         "moves at {:.2f} {}/s, its limit is {:.2f}: see what moves it, then resume", std::abs(v),
         joint.unit, limits.velocity);
  }

  // jaws press on their own stops when there is nothing between them
  if (limits.continuous || group.layout->kind == GroupKind::kGripper) return;
  const double beyond = std::max({limits.lower - q, q - limits.upper, 0.0});
  seen.worst_beyond = std::max(seen.worst_beyond, beyond);
  joint.allowed = std::min(joint.allowed, beyond);
  if (beyond > joint.allowed + config_.beyond_stop && !joint.told_stop) {
    joint.told_stop = true;
    ++seen.beyond_stops;
    tell(group, name, events,
         "is {:.3f} {} beyond its position limit {:.3f}: free it, then resume; it goes back",
         beyond, joint.unit, q > limits.upper ? limits.upper : limits.lower);
  }
}

bool ArmWatch::update(const Observation& observation, std::span<const Nanoseconds> stamps,
                      std::int64_t tick, EventList& events) {
  const Nanoseconds now = tick * base_;
  reason_ = {};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.tripped = group.still_presses = false;
    if (group.force) group.force->listen(observation);
    if (group.joints.empty() || !due(tick, group.layout->rate, base_)) continue;
    const double dt = 1.0 / group.layout->rate.hz();
    const GroupState& measured = observation.groups[g];
    const bool finite = measured.q.allFinite() && measured.v.allFinite();
    if (!finite) ++group.seen.not_finite;
    if (tick == 0 || (finite && stamps[g] != group.stamp)) {
      group.stamp = stamps[g];
      group.heard = now;
    }
    if (const double silent = seconds(now - group.heard);
        silent > group.silence && !group.told_silence) {
      group.told_silence = true;
      ++group.seen.silences;
      tell(group, group.layout->name, events,
           "{} for {:.0f} ms: see to its connection, then resume",
           finite ? "was not observed" : "measures NaN or infinity", 1e3 * silent);
    }
    if (!finite) continue;
    const ArmDrive* drive = group.arm < 0 ? nullptr : &arms_->drive(group.arm);
    for (std::size_t j = 0; j < group.joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      joint(group, j, measured.q[i], measured.v[i],
            drive != nullptr ? drive->expected_q(i) : measured.q[i], dt, events);
    }
    if (!group.force) continue;
    group.force->update(observation);
    group.seen.worst_force = std::max(group.seen.worst_force, group.force->mean());
    const bool presses = group.force->now() > group.most_force;
    if (presses && !group.pressing) ++group.seen.peaks;
    group.pressing = presses;
    // what presses on all the same is no contact that it could leave, such as a load
    group.still_presses = group.told_force && presses && group.force->mean() > group.most_force &&
                          group.gave_way < kGivesWay;
    if (group.still_presses) group.gave_way += dt;
    if (group.force->mean() > group.most_force && !group.told_force) {
      group.told_force = true;
      ++group.seen.forces;
      tell(group, group.layout->name, events,
           "presses with {:.0f} N (max_force {:.0f} N): move the hand back, then resume",
           group.force->mean(), group.most_force);
    }
  }
  return !reason_.empty();
}

bool ArmWatch::told(std::size_t group) const {
  const Group& g = groups_[group];
  return g.told_force || g.told_silence || std::ranges::any_of(g.joints, [](const Joint& joint) {
           return joint.told_deviation || joint.told_speed || joint.told_stop;
         });
}

void ArmWatch::arm(const Observation& observation) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.told_force = group.told_silence = group.pressing = false;
    group.gave_way = 0.0;
    if (group.force) group.force->forget();
    for (std::size_t j = 0; j < group.joints.size(); ++j) {
      Joint& joint = group.joints[j];
      const JointLimits& limits = *joint.limits;
      const double q = observation.groups[g].q[static_cast<Eigen::Index>(j)];
      const double beyond = std::max({limits.lower - q, q - limits.upper, 0.0});
      joint = {joint.limits, joint.unit};
      if (!limits.continuous && std::isfinite(beyond)) joint.allowed = beyond;
    }
  }
}

std::vector<ArmWatchSummary> ArmWatch::summary() const {
  std::vector<ArmWatchSummary> all;
  for (const Group& group : groups_)
    if (!group.joints.empty()) all.push_back(group.seen);
  return all;
}

void ArmWatch::Group::state(StateArchive& archive) {
  for (Joint& joint : joints) archive(joint);
  if (force) archive(*force);
  archive(pressing, told_force, told_silence, gave_way, stamp, heard);
  archive(seen.deviations, seen.overspeeds, seen.beyond_stops, seen.silences, seen.forces,
          seen.jumps, seen.peaks, seen.not_finite, seen.worst_deviation, seen.worst_speed,
          seen.worst_beyond, seen.worst_force);
}

void ArmWatch::state(StateArchive& archive) {
  archive.part("arm watch");
  for (Group& group : groups_) archive(group);
}

}  // namespace handspan
