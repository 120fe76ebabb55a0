// The mode that follows what a reference did in a log: a demonstration repeated, another arm's
// motion.
#include "log/replay_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "log/log_file.hpp"
#include "log/log_series.hpp"
#include "log/logged_wrench.hpp"
#include "math/trajectory.hpp"
#include "plan/pose_path.hpp"
#include "plan/swing_change.hpp"
#include "session/end_effector.hpp"
#include "session/follow_mode.hpp"

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

// what is asked for of the log
LogSpan span_of(const ReplayReferenceConfig& config) {
  LogSpan span{std::llround(config.from * 1e9), {}};
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

std::vector<TimedPose> poses_of(const std::vector<SeriesRow<LoggedPose>>& rows, double speed) {
  std::vector<TimedPose> poses;
  for (const auto& row : rows)
    poses.push_back({replay_time(row.time, rows.front().time, speed), row.value.p, row.value.q});
  return poses;
}

// Commands of one group; times are since the first pose.
using TimedCommand = TimedVector<Eigen::VectorXd>;

// @param span from the first pose on
std::vector<TimedCommand> commands_of(const ChannelLog& log, const LogSpan& span, double speed,
                                      const GroupLayout& group) {
  const std::string channel = group.name + ".command";
  std::vector<TimedCommand> commands;
  for (const auto& row : read_series<Eigen::VectorXd>(log, channel, span, {"commands", 1, true})) {
    if (row.value.size() != group.size())
      throw InputError(fmt::format(
          "{}: {} has {} numbers at {:.3f} s, and '{}' takes {}; replay it with the gripper or "
          "the cup that it was recorded with",
          log.file.string(), channel, row.value.size(), seconds(row.time), group.name,
          group.size()));
    // a log in full says it at every tick
    if (commands.empty() || commands.back().value != row.value)
      commands.push_back({replay_time(row.time, span.from, speed), row.value});
  }
  return commands;
}

// Further from where the log goes on than this, the reference first goes there by a planned motion,
// within limits that a person beside the arm is not startled by [m, rad].
constexpr double kNear = 0.005, kNearAngle = 0.035;
constexpr PoseLimits kApproach = {{0.25, 0.5, 5.0}, {0.5, 1.0, 10.0}};

class ReplayReference : public Source {
 public:
  ReplayReference(const ReplayReferenceConfig& config, std::vector<TimedPose> poses)
      : task_(config.task),
        text_(text_of(config)),
        relative_(config.relative),
        poses_(std::move(poses)),
        first_(poses_.samples().front()),
        approach_(1) {}

  void start(const Moment& moment, const Motion& reference) override {
    t_ = 0.0;
    if (relative_)
      X_WL_ = {first_.q.toRotationMatrix().transpose() * reference.pose.X_WE.R,
               reference.pose.X_WE.p - first_.p};
    approach(moment, reference.pose);
  }
  // it goes on where it was, and the reference comes back to there: by itself where that is near
  void resume(const Moment& moment, const Motion& reference) override {
    approach(moment, reference.pose);
  }
  std::string text() const override { return text_; }
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

 private:
  static std::string text_of(const ReplayReferenceConfig& config) {
    return fmt::format("does again what is in {}{}", config.log.filename().string(),
                       config.relative ? "" : ", after going to where that begins");
  }
  PoseReference at(double t, bool& end) const {
    const PoseTrajectory::State state = poses_.at(t);
    end = state.over;
    const Pose& X = state.X_WE;
    return {relative_ ? Pose{X.R * X_WL_.R, X.p + X_WL_.p} : X, state.V_WE, state.A_WE};
  }

  void approach(const Moment& moment, const PoseReference& reference) {
    bool end = false;
    goal_ = at(t_, end).X_WE;
    from_ = reference;
    s_ = 0.0;
    const double distance = (goal_.p - from_.X_WE.p).norm(),
                 angle = angle_between(goal_.R, from_.X_WE.R);
    approaching_ = distance > kNear || angle > kNearAngle;
    if (!approaching_) return;
    plan();
    if (moment.events == nullptr) return;
    char text[166];
    const auto written = fmt::format_to_n(
        text, sizeof text,
        "first goes to where the log goes on: {:.0f} mm and {:.0f} deg away, in {:.1f} s, at most "
        "{:g} m/s",
        1e3 * distance, angle * 180.0 / M_PI, approach_.duration(), kApproach.linear.velocity);
    moment.events->add("move", task_, {text, std::min(written.size, sizeof text)});
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

  std::string task_, text_;
  bool relative_;
  PoseTrajectory poses_;
  TimedPose first_;
  double t_ = 0.0;
  Pose X_WL_;
  PosePath approach_;
  bool approaching_ = false;
  double s_ = 0.0;  // in the approach [s]
  PoseReference from_;
  Pose goal_;
};

std::unique_ptr<Source> wrench_source(const ReplayReferenceConfig& config, const LogSpan& span) {
  if (config.relative) throw InputError("'relative' is for poses; leave it out for a wrench");
  if (config.change) throw InputError("'change' is for poses; leave it out for a wrench");
  if (!config.groups.empty())
    throw InputError("'groups' go with poses; leave them out for a wrench");
  return logged_wrench({config.log, config.channel.value_or("reference." + config.task + ".wrench"),
                        span, config.speed});
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

// Commands of groups over the time of the log's motion.
using GroupCommands = std::vector<std::pair<std::size_t, std::vector<TimedCommand>>>;

// The flick is about when a group first gets another command than at the start, which lets go.
void change_all(std::vector<TimedPose>& poses, GroupCommands& groups, const SwingChange& change) {
  double release = INFINITY;
  for (const auto& [group, commands] : groups)
    if (commands.size() > 1) release = std::min(release, commands[1].time);
  if (!std::isfinite(release) &&
      (change.release != 0.0 || change.lift != 0.0 || !change.flick.isZero()))
    throw InputError(
        "'change' has a release, a lift or a flick, and no group lets go in the log; name the "
        "cup or the gripper in 'groups', or take a log in which it does");
  if (changed_release(change, release) <= 0.0)
    throw InputError(fmt::format(
        "'change' lets go {:.3f} s before the swing begins; give a release above {:.3f} s",
        -changed_release(change, release), change.release - changed_release(change, release)));
  change_swing(poses, change, release);
  for (auto& [group, commands] : groups)
    for (TimedCommand& command : commands)
      // what held before the first pose holds from it on
      if (command.time > 0.0) command.time = changed_release(change, command.time);
}

// What a log has of a pose or a wrench, and of the groups that it is asked for.
// @param layout of the groups; null: none are asked for
std::unique_ptr<Source> replay_source(const ReplayReferenceConfig& config, const Arbiter& arbiter,
                                      const PlantLayout* layout, GroupCommands& groups) {
  LogSpan span = span_of(config);
  const std::string& kind = arbiter.reference(arbiter.find_reference(config.task)).kind();
  if (kind == kWrenchKind) return wrench_source(config, span);
  if (kind != kPoseKind)
    throw InputError(
        fmt::format("the reference of '{}' is of the kind '{}'; this is for poses and wrenches",
                    config.task, kind));
  const ChannelLog log(config.log);
  const auto rows = read_series<LoggedPose>(
      log, config.channel.value_or("reference." + config.task + ".pose"), span);
  std::vector<TimedPose> poses = poses_of(rows, config.speed);
  span.from = rows.front().time;
  if (layout != nullptr)
    for (const auto& name : config.groups) {
      const std::size_t group = end_effector(*layout, name);
      groups.emplace_back(group, commands_of(log, span, config.speed, layout->groups[group]));
    }
  if (config.change) change_all(poses, groups, *config.change);
  return std::make_unique<ReplayReference>(config, std::move(poses));
}

// A reference that does again what a log has, and with it suction cups and grippers.
class ReplayReferenceMode : public FollowMode {
 public:
  /// @param replay what `source` is; null: of a wrench, without groups
  ReplayReferenceMode(const ReplayReferenceConfig& config, const ReplayReference* replay,
                      std::unique_ptr<Source> source, GroupCommands groups,
                      const ModeContext& context)
      : FollowMode(config.task, std::move(source), context),
        groups_(config.groups),
        replay_(replay),
        commands_(std::move(groups)) {}

  void enter(const ModeMoment& at) override {
    FollowMode::enter(at);
    command(at);
  }
  bool update(const ModeMoment& at) override {
    command(at);
    return FollowMode::update(at);
  }
  std::vector<std::string> drives() const override {
    std::vector<std::string> all = FollowMode::drives();
    all.insert(all.end(), groups_.begin(), groups_.end());
    return all;
  }

 private:
  // of the time of the motion in this tick: on the way to where it goes on that stands still
  void command(const ModeMoment& at) {
    if (replay_ == nullptr) return;
    const double t = replay_->next_time(at.moment.dt);
    for (const auto& [group, commands] : commands_) {
      const auto next = std::ranges::upper_bound(commands, t + kSameTime, {}, &TimedCommand::time);
      if (next != commands.begin()) at.manual.groups[group] = (next - 1)->value;
    }
  }

  // sums of ticks are no exact times [s]
  static constexpr double kSameTime = 1e-6;

  std::vector<std::string> groups_;
  const ReplayReference* replay_;  // none: of a wrench
  GroupCommands commands_;
};

// The keys; of a source without groups, which no reference commands.
ObjectSchema<ReplayReferenceConfig> replay_schema(const char* name) {
  return object<ReplayReferenceConfig>(name, "a reference does again what a log has")
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
      .optional("speed", &ReplayReferenceConfig::speed, number().above(0).max(10), "times as fast")
      .optional("change", &ReplayReferenceConfig::change, swing_change_schema(),
                "how a swing is done otherwise than in the log");
}

}  // namespace

void register_replay_reference(Parts& parts) {
  const char* words = "a pose or a wrench does again what one did in a log";
  parts.of<SourceRegistry>().add(
      "replay_reference", replay_schema("ReplayReferenceSource"), words,
      [](const ReplayReferenceConfig& config, const SourceContext& context) {
        GroupCommands none;
        return replay_source(config, *context.arbiter, nullptr, none);
      });
  parts.of<ModeRegistry>().add(
      "replay_reference",
      replay_schema("ReplayReference")
          .optional("groups", &ReplayReferenceConfig::groups, list(text()),
                    "suction cups and grippers that are commanded as in the log"),
      words, [](const ReplayReferenceConfig& config, const ModeContext& context) {
        GroupCommands groups;
        auto source = replay_source(config, context.arbiter, &context.layout, groups);
        const auto* replay = dynamic_cast<const ReplayReference*>(source.get());
        return std::make_unique<ReplayReferenceMode>(config, replay, std::move(source),
                                                     std::move(groups), context);
      });
}

}  // namespace handspan
