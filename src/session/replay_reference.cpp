// The mode that follows what a reference did in a log: a demonstration repeated, another arm's
// motion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "plan/pose_path.hpp"
#include "plan/swing_change.hpp"
#include "record/mcap_reader.hpp"
#include "record/messages.hpp"
#include "session/end_effector.hpp"
#include "session/log_file.hpp"
#include "session/log_layout.hpp"
#include "session/logged_wrench.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

struct ReplayReferenceConfig {
  std::string task;
  std::filesystem::path log;
  std::optional<std::string> channel;  // none: reference.TASK.pose (wrench)
  double from = 0.0;
  std::optional<double> to;
  bool relative = false;
  double speed = 1.0;
  std::optional<std::int64_t> episode;  // from and to are of it; none: of the log
  std::vector<std::string> groups;      // suction, grippers: commanded as then
  std::optional<SwingChange> change;
};

// what is asked for of the log [ns]
struct Span {
  Nanoseconds from = 0;
  std::optional<Nanoseconds> to;
};

Span span_of(const ReplayReferenceConfig& config) {
  Span span{std::llround(config.from * 1e9), {}};
  if (config.to) span.to = std::llround(*config.to * 1e9);
  if (!config.episode) return span;
  const LogFile log(config.log);
  const auto episodes = log.episodes();
  if (*config.episode > std::ssize(episodes))
    throw InputError(fmt::format("{} has {} episodes; episode {} is asked for", config.log.string(),
                                 episodes.size(), *config.episode));
  const Episode& episode = episodes[static_cast<std::size_t>(*config.episode - 1)];
  const Nanoseconds start = episode.start * log.base_period(),
                    end = episode.end * log.base_period();
  span.from += start;
  span.to = span.to ? std::min(end, start + *span.to) : end;
  return span;
}

McapQuery query_of(const std::string& topic, const Span& span) {
  McapQuery query;
  query.topics = {topic};
  query.from = span.from;
  if (span.to) query.to = *span.to;
  return query;
}

// @param begin of the first pose [ns]
std::vector<TimedPose> poses_of(const ReplayReferenceConfig& config, const Span& span,
                                Nanoseconds& begin) {
  const McapReader reader(config.log, McapReader::Open::kChecked);
  for (const McapLoss& loss : reader.losses())
    if (loss.from <= span.to.value_or(reader.statistics().last_time) && loss.to >= span.from)
      throw InputError(
          fmt::format("{}: a part of it was lost in the time that is asked for, from "
                      "{:.3f} s on; give another, or record it anew",
                      config.log.string(), seconds(loss.from)));
  const std::string topic = topic_of(config.channel.value_or("reference." + config.task + ".pose"));
  const McapChannel* channel = reader.channel(topic);
  const McapSchema* schema = channel ? reader.schema(channel->schema) : nullptr;
  if (schema == nullptr || schema->name != message_type<messages::PoseStamped>().name) {
    std::vector<std::string> poses;
    for (const auto& c : reader.channels())
      if (const McapSchema* s = reader.schema(c.schema);
          s && s->name == message_type<messages::PoseStamped>().name)
        poses.push_back(c.topic);
    throw InputError(fmt::format("{} has no poses under {}{}", config.log.string(), topic,
                                 poses.empty() ? std::string("; it has none at all")
                                               : "; " + did_you_mean(topic, poses, "it has")));
  }
  std::vector<TimedPose> poses;
  reader.messages(query_of(topic, span), [&](const McapChannel&, const McapMessage& message) {
    const auto m = decode<messages::PoseStamped>(message.bytes);
    const Eigen::Vector3d p(m.position[0], m.position[1], m.position[2]);
    const Eigen::Vector4d q(m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]);
    if (!p.allFinite() || !q.allFinite() || !(q.norm() > 1e-6))
      throw InputError(fmt::format("{}: {} has a pose at {:.3f} s that is none",
                                   config.log.string(), topic, seconds(message.log_time)));
    if (poses.empty()) begin = message.log_time;
    const double time = seconds(message.log_time - begin) / config.speed;
    if (!poses.empty() && time <= poses.back().time) return true;
    poses.push_back({time, p, quaternion_from_xyzw(q)});
    return true;
  });
  if (poses.size() < 2)
    throw InputError(fmt::format("{}: {} has {} poses in the time that is asked for; give another",
                                 config.log.string(), topic, poses.size()));
  return poses;
}

// Commands of one group from the first pose on, and the last one before it.
struct TimedCommand {
  double time = 0.0;  // since the first pose [s]
  Eigen::VectorXd values;
};

std::vector<TimedCommand> commands_of(const ReplayReferenceConfig& config, const Span& span,
                                      Nanoseconds begin, const GroupLayout& group) {
  const McapReader reader(config.log);
  const std::string topic = topic_of(group.name + ".command");
  const McapChannel* channel = reader.channel(topic);
  const McapSchema* schema = channel ? reader.schema(channel->schema) : nullptr;
  if (schema == nullptr || schema->name != message_type<messages::Vector>().name)
    throw InputError(
        fmt::format("{} has no commands of '{}' ({})", config.log.string(), group.name, topic));
  std::vector<TimedCommand> commands;
  // what stays as it is was not recorded again: the one that held when it began came before
  McapQuery query = query_of(topic, span);
  query.from = 0;
  reader.messages(query, [&](const McapChannel&, const McapMessage& message) {
    const auto m = decode<messages::Vector>(message.bytes);
    const Eigen::VectorXd values =
        Eigen::VectorXd::Map(m.values.data(), static_cast<Eigen::Index>(m.values.size()));
    if (values.size() != group.size() || !values.allFinite())
      throw InputError(fmt::format("{}: {} has a command at {:.3f} s that is none of '{}'",
                                   config.log.string(), topic, seconds(message.log_time),
                                   group.name));
    const double time = seconds(message.log_time - begin) / config.speed;
    if (!commands.empty() && time <= 0.0) commands.pop_back();
    // a log in full says it at every tick
    if (commands.empty() || commands.back().values != values) commands.push_back({time, values});
    return true;
  });
  if (commands.empty())
    throw InputError(fmt::format("{}: {} has no command in the time that is asked for",
                                 config.log.string(), topic));
  return commands;
}

// Further from where the log goes on than this, the reference first goes there by a planned motion,
// within limits that a person beside the arm is not startled by [m, rad].
constexpr double kNear = 0.005, kNearAngle = 0.035;
constexpr PoseLimits kApproach = {{0.25, 0.5, 5.0}, {0.5, 1.0, 10.0}};

class ReplayReference : public Source {
 public:
  ReplayReference(bool relative, std::vector<TimedPose> poses)
      : relative_(relative), poses_(std::move(poses)), approach_(1) {}

  void start(const Moment&, const Motion& reference) override { begin(reference.pose); }
  /// As start(), for who has to know before it is started.
  void begin(const PoseReference& reference) {
    t_ = 0.0;
    if (relative_)
      X_WL_ = {poses_.front().q.toRotationMatrix().transpose() * reference.X_WE.R,
               reference.X_WE.p - poses_.front().p};
    approach(reference);
  }
  // it goes on where it was, and the reference comes back to there: by itself where that is near
  void resume(const Moment&, const Motion& reference) override { approach(reference.pose); }
  bool ends() const override { return true; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    if (approaching_) {
      if (!approach_.planned())
        return {SourceStatus::kLost, "no way to where the log goes on can be planned", {}};
      s_ += moment.dt;
      const PoseState state = approach_.at(std::min(s_, approach_.duration()));
      wanted.pose = {state.X_WE, state.V_WE, state.A_WE};
      approaching_ = s_ < approach_.duration();
      return {SourceStatus::kActive};
    }
    t_ += moment.dt;
    bool end = false;
    wanted.pose = at(t_, end);
    return {end ? SourceStatus::kDone : SourceStatus::kActive};
  }
  void state(StateArchive& archive) override {
    archive(t_, X_WL_.p, X_WL_.R, approaching_, s_, from_, goal_.p, goal_.R);
    if (archive.loading() && approaching_) plan();
  }

  /// Of the log's motion, at the next update [s].
  double next_time(double dt) const { return approaching_ ? t_ : t_ + dt; }
  bool approaching() const { return approaching_; }
  /// Of the approach: its length [m], [rad], and time [s].
  double distance() const { return (goal_.p - from_.X_WE.p).norm(); }
  double angle() const { return angle_between(goal_.R, from_.X_WE.R); }
  double duration() const { return approach_.duration(); }

 private:
  PoseReference at(double t, bool& end) const {
    const auto next = std::ranges::upper_bound(poses_, t, {}, &TimedPose::time);
    end = next == poses_.end();
    const TimedPose& b = end ? poses_.back() : *next;
    const TimedPose& a = next == poses_.begin() ? b : *(next - 1);
    Pose X = Pose::from(b.p, b.q);
    Vector6d V = Vector6d::Zero();
    if (!end && b.time > a.time) {
      const double span = b.time - a.time, s = (t - a.time) / span;
      const Eigen::Vector3d turn = log_quaternion(b.q * a.q.conjugate());
      X = Pose::from(a.p + s * (b.p - a.p), exp_quaternion(s * turn) * a.q);
      V << (b.p - a.p) / span, turn / span;
    }
    if (relative_) X = {X.R * X_WL_.R, X.p + X_WL_.p};
    return {X, V, Vector6d::Zero()};
  }

  void approach(const PoseReference& reference) {
    bool end = false;
    goal_ = at(t_, end).X_WE;
    from_ = reference;
    s_ = 0.0;
    approaching_ = distance() > kNear || angle() > kNearAngle;
    if (approaching_) plan();
  }
  void plan() {
    PoseReference from = from_;
    // from within its limits; the reference itself is braked by its own
    const auto clip = [](auto&& x, double most) {
      if (x.norm() > most) x *= most / x.norm();
    };
    clip(from.V_WE.head<3>(), kApproach.linear.velocity);
    clip(from.V_WE.tail<3>(), kApproach.angular.velocity);
    clip(from.A_WE.head<3>(), kApproach.linear.acceleration);
    clip(from.A_WE.tail<3>(), kApproach.angular.acceleration);
    PoseWaypoint to;
    to.X_WE = goal_;
    approach_.start({from.X_WE, from.V_WE, from.A_WE}, {&to, 1}, kApproach);
  }

  bool relative_;
  std::vector<TimedPose> poses_;
  double t_ = 0.0;
  Pose X_WL_;
  PosePath approach_;
  bool approaching_ = false;
  double s_ = 0.0;  // in the approach [s]
  PoseReference from_;
  Pose goal_;
};

std::unique_ptr<Source> wrench_source(const ReplayReferenceConfig& config, const Span& span) {
  if (config.relative) throw InputError("'relative' is for poses; leave it out for a wrench");
  if (config.change) throw InputError("'change' is for poses; leave it out for a wrench");
  if (!config.groups.empty())
    throw InputError("'groups' go with poses; leave them out for a wrench");
  return logged_wrench({config.log, config.channel.value_or("reference." + config.task + ".wrench"),
                        seconds(span.from),
                        span.to ? std::optional(seconds(*span.to)) : std::nullopt, config.speed});
}

Schema<SwingChange> swing_change_schema() {
  return object<SwingChange>("SwingChange", "of poses and of the groups' commands")
      .optional("scale", &SwingChange::scale, number().above(0).max(10),
                "of the way from the first pose")
      .optional("speed", &SwingChange::speed, number().above(0).max(10), "times as fast")
      .optional("turn", &SwingChange::turn, number("rad"),
                "of the swing's direction, about the world's z")
      .optional("release", &SwingChange::release, number("s"), "the groups' commands come later")
      .optional("lift", &SwingChange::lift, number("m"), "it rises by so much more until then")
      .optional("flick", &SwingChange::flick, vector<3>("rad"),
                "an additional turn, a rotation vector in the world: half of it is done at the "
                "groups' first new command")
      .optional("flick_time", &SwingChange::flick_time, number("s").above(0), "that it takes");
}

class ReplayReferenceMode : public Mode {
 public:
  ReplayReferenceMode(const ReplayReferenceConfig& config, const ModeContext& context)
      : config_(config), outlet_(context.arbiter.outlet(config.task)) {
    const Span span = span_of(config);
    const MotionKind kind = context.arbiter.kind(outlet_);
    if (kind == MotionKind::kJoints)
      throw InputError(
          fmt::format("'{}' is a task of joints; this is for poses and wrenches", config.task));
    if (kind == MotionKind::kWrench) {
      source_ = context.arbiter.add_source(context.name, wrench_source(config, span));
      return;
    }
    Nanoseconds begin = span.from;
    std::vector<TimedPose> poses = poses_of(config, span, begin);
    find_commands(context.layout, span, begin);
    if (config.change) change(poses, *config.change);
    auto source = std::make_unique<ReplayReference>(config.relative, std::move(poses));
    replay_ = source.get();
    source_ = context.arbiter.add_source(context.name, std::move(source));
  }
  void enter(const ModeMoment& at) override {
    Grant grant;
    grant.source = source_;
    at.arbiter.grant(outlet_, {&grant, 1}, at.moment);
    if (replay_ == nullptr) return;
    replay_->begin(at.arbiter.reference(outlet_).pose);
    told_ = false;
    tell(at);
    command(at);
  }
  bool update(const ModeMoment& at) override {
    if (replay_ != nullptr) {
      tell(at);
      command(at);
    }
    return at.arbiter.done(outlet_);
  }
  std::string text() const override {
    return fmt::format(
        "{} does again what is in {}{}", config_.task, config_.log.filename().string(),
        replay_ != nullptr && !config_.relative ? ", after going to where that begins" : "");
  }
  std::vector<std::string> drives() const override {
    std::vector<std::string> all = {config_.task};
    all.insert(all.end(), config_.groups.begin(), config_.groups.end());
    return all;
  }
  void state(StateArchive& archive) override { archive(told_); }

 private:
  // once each time that it goes somewhere else first
  void tell(const ModeMoment& at) {
    const bool before = std::exchange(told_, replay_->approaching());
    if (before || !told_) return;
    char text[166];
    const auto end = fmt::format_to_n(
        text, sizeof text,
        "first goes to where the log goes on: {:.0f} mm and {:.0f} deg away, in {:.1f} s, at most "
        "{:g} m/s",
        1e3 * replay_->distance(), replay_->angle() * 180.0 / M_PI, replay_->duration(),
        kApproach.linear.velocity);
    at.events.add("move", config_.task, std::string_view(text, std::min(end.size, sizeof text)));
  }

  void find_commands(const PlantLayout& layout, const Span& span, Nanoseconds begin) {
    for (const auto& name : config_.groups) {
      const std::size_t group = end_effector(layout, name);
      commands_.push_back({group, commands_of(config_, span, begin, layout.groups[group])});
    }
  }

  // The flick is about when a group first gets another command than at the start, which lets go.
  void change(std::vector<TimedPose>& poses, const SwingChange& change) {
    double release = INFINITY;
    for (const auto& [group, commands] : commands_)
      if (commands.size() > 1) release = std::min(release, commands[1].time);
    if (!std::isfinite(release) &&
        (change.release != 0.0 || change.lift != 0.0 || !change.flick.isZero()))
      throw InputError(
          "'change' has a release, a lift or a flick, and no group lets go in the log; name the "
          "cup or the gripper in 'groups', or take a log in which it does");
    if (changed_release(change, release) <= 0.0)
      throw InputError(fmt::format(
          "'change' lets go {:.3f} s before the swing begins; give a release above {:.3f} "
          "s",
          -changed_release(change, release), change.release - changed_release(change, release)));
    change_swing(poses, change, release);
    for (auto& [group, commands] : commands_)
      for (TimedCommand& command : commands)
        // what held before the first pose holds from it on
        if (command.time > 0.0) command.time = changed_release(change, command.time);
  }

  // of the time of the motion in this tick: on the way to where it goes on that stands still
  void command(const ModeMoment& at) {
    const double t = replay_->next_time(at.moment.dt);
    for (const auto& [group, commands] : commands_) {
      const auto next = std::ranges::upper_bound(commands, t + kSameTime, {}, &TimedCommand::time);
      if (next != commands.begin()) at.manual.groups[group] = (next - 1)->values;
    }
  }

  // sums of ticks are no exact times [s]
  static constexpr double kSameTime = 1e-6;

  ReplayReferenceConfig config_;
  int outlet_, source_ = 0;
  ReplayReference* replay_ = nullptr;  // none: of a wrench
  bool told_ = false;                  // that it goes there first
  std::vector<std::pair<std::size_t, std::vector<TimedCommand>>> commands_;
};

}  // namespace

void register_replay_reference(ModeRegistry& registry) {
  registry.add(
      "replay_reference",
      object<ReplayReferenceConfig>("ReplayReference", "a reference does again what a log has")
          .required("task", &ReplayReferenceConfig::task, text(), "of a pose or a wrench")
          .required("log", &ReplayReferenceConfig::log, file())
          .optional("channel", &ReplayReferenceConfig::channel, text(),
                    "of poses or wrenches; left out: the reference of the same task")
          .optional("from", &ReplayReferenceConfig::from, number("s").min(0), "of the log")
          .optional("to", &ReplayReferenceConfig::to, number("s").above(0))
          .optional("relative", &ReplayReferenceConfig::relative, boolean(),
                    "moved so that it begins where the reference is")
          .optional("episode", &ReplayReferenceConfig::episode, integer().min(1),
                    "of the log, the first is 1: from and to are of it")
          .optional("groups", &ReplayReferenceConfig::groups, list(text()),
                    "suction cups and grippers that are commanded as in the log")
          .optional("speed", &ReplayReferenceConfig::speed, number().above(0).max(10),
                    "times as fast")
          .optional("change", &ReplayReferenceConfig::change, swing_change_schema(),
                    "how a swing is done otherwise than in the log"),
      "the reference of a pose or a wrench does again what one did in a log",
      [](const ReplayReferenceConfig& config, const ModeContext& context) {
        return std::make_unique<ReplayReferenceMode>(config, context);
      });
}

}  // namespace handspan
