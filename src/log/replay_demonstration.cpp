#include "log/replay_demonstration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/values.hpp"
#include "log/demonstration_parts.hpp"
#include "log/log_layout.hpp"

namespace handspan {
namespace {

// Poses mean places in a scene, unless they are moved to where they are meant.
void refuse_other_scene(const ReplayReferenceConfig& config, const ChannelLog& log,
                        const std::string& scene) {
  if (config.relative || config.offset ||
      std::ranges::count(log.reader.metadata(), kRunMetadata, &McapMetadataInfo::name) == 0)
    return;
  const McapMap about = *log.reader.metadata(kRunMetadata);
  const auto there = about.find("scene");
  if (there == about.end() || there->second == scene) return;
  throw InputError(fmt::format(
      "{} was recorded in the scene '{}', and this is '{}', where its poses are other places; give "
      "`relative: true` or an 'offset', or a log of this scene",
      log.file.string(), there->second, scene));
}

// The parts that are asked for, as `handspan check LOG --episodes` counts them: what begins one may
// be of a reference or a sensor that is not repeated.
LoggedDemonstration taken_parts(const ReplayReferenceConfig& config, const ChannelLog& log,
                                const LogSpan& span, const LoggedDemonstration& demonstration) {
  const LoggedDemonstration whole = read_demonstration(log, span, all_of(log));
  const auto parts = split(whole);
  if (config.parts.back() > std::ssize(parts))
    throw InputError(fmt::format(
        "{} has {} part{}; part {} is asked for; `handspan check LOG --episodes` lists them",
        whole.name, parts.size(), parts.size() == 1 ? "" : "s", config.parts.back()));
  const double later = seconds(whole.begin - demonstration.begin);
  const auto time = [&](double t) { return std::clamp(t + later, 0.0, demonstration.length); };
  return clipped(demonstration,
                 time(parts[static_cast<std::size_t>(config.parts.front() - 1)].from),
                 time(parts[static_cast<std::size_t>(config.parts.back() - 1)].to));
}

void change_speed(LoggedDemonstration& demonstration, double speed) {
  for (auto& named : demonstration.poses)
    for (TimedPose& pose : named.poses) pose.time /= speed;
  for (auto& commands : demonstration.commands)
    for (auto& value : commands.values) value.time /= speed;
  demonstration.length /= speed;
}

// The flick is about when a group first gets another command than at the start, which lets go.
void change_all(LoggedDemonstration& demonstration, const SwingChange& change) {
  double release = INFINITY;
  for (const auto& [group, commands] : demonstration.commands)
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
  for (auto& named : demonstration.poses) change_swing(named.poses, change, release);
  for (auto& [group, commands] : demonstration.commands)
    for (auto& command : commands)
      // what held before the first pose holds from it on
      if (command.time > 0.0) command.time = changed_release(change, command.time);
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

}  // namespace

ObjectSchema<ReplayReferenceConfig> replay_schema(const char* name) {
  using Config = ReplayReferenceConfig;
  return object<Config>(name, "references do again what a log has")
      .optional("task", &Config::task, text(), "of a pose or a wrench")
      .required("log", &Config::log, file())
      .optional("channel", &Config::channel, text(),
                "of poses or wrenches; left out: the reference of the same task")
      .optional("episode", &Config::episode, text(),
                "of the log: a number from 1 on, `last`, or the words of its task; from and to are "
                "of it. `handspan check LOG --episodes` lists them")
      .optional("from", &Config::from, number("s").min(0), "of the log, or of the episode")
      .optional("to", &Config::to, number("s").above(0))
      .optional("parts", &Config::parts, list(integer().min(1)),
                "of the episode or the log, which begin at pauses, at commands of grippers and "
                "where something is touched; the first is 1")
      .optional("cut_ends", &Config::cut_ends, boolean(),
                "without the time before anything moves and after everything came to rest")
      .optional("relative", &Config::relative, boolean(),
                "moved so that it begins where the reference is")
      .optional("offset", &Config::offset, replay_offset_schema(), "how it is moved")
      .optional("speed", &Config::speed, number().above(0).max(10), "times as fast")
      .optional("warp", &Config::warp, list(vector<2>("s")).min_size(2),
                "points [time of the demonstration, when that comes]; between them time goes "
                "smoothly")
      .optional("smooth", &Config::smooth, number("s").min(0).max(1),
                "spacing of the smooth curve that is followed; left out: 0, as recorded, for a log "
                "in full, and else two recordings")
      .optional("change", &Config::change, swing_change_schema(),
                "how a swing is done otherwise than in the log");
}

std::optional<Fault> fault_of(const ReplayReferenceConfig& config) {
  if (config.task.empty() == config.references.empty())
    return Fault{
        config.task.empty() ? "has neither task nor references" : "has task and references",
        "give 'task' for one reference, or 'references' for several that go in step"};
  if (config.channel && !config.references.empty())
    return Fault{"stands beside references", "give 'channels', one for each of them", "channel"};
  if (!config.channels.empty() && config.channels.size() != config.references.size())
    return Fault{fmt::format("has {} channels for {} references", config.channels.size(),
                             config.references.size()),
                 "give one for each of 'references', in their order", "channels"};
  if (config.relative && config.offset)
    return Fault{"stands beside relative", "give one of them: both say where the motion begins",
                 "offset"};
  if (!config.parts.empty() && (config.from != 0.0 || config.to))
    return Fault{"stands beside from or to", "give parts, or a time of the log", "parts"};
  for (std::size_t i = 1; i < config.parts.size(); ++i)
    if (config.parts[i] != config.parts[i - 1] + 1)
      return Fault{fmt::format("has part {} after part {}", config.parts[i], config.parts[i - 1]),
                   "give parts that follow one another, such as [2, 3]; others are a state each",
                   "parts"};
  return std::nullopt;
}

DemonstrationQuery query_of(const ReplayReferenceConfig& config) {
  DemonstrationQuery query;
  query.episode = config.episode;
  query.from = config.from;
  query.to = config.to;
  const auto tasks = config.tasks();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    query.poses.push_back(!config.channels.empty()
                              ? config.channels[i]
                              : config.channel.value_or("reference." + tasks[i] + ".pose"));
  query.commands = config.groups;
  if (config.offset && config.offset->object) query.objects = {*config.offset->object};
  return query;
}

LoggedDemonstration demonstration_of(const ReplayReferenceConfig& config,
                                     const std::string& scene) {
  const DemonstrationQuery query = query_of(config);
  const LogSpan span = span_of(config.log, query);
  const ChannelLog log(config.log);
  refuse_other_scene(config, log, scene);
  LoggedDemonstration demonstration = read_demonstration(log, span, query);
  if (!config.parts.empty()) demonstration = taken_parts(config, log, span, demonstration);
  if (!moves(demonstration))
    throw InputError(fmt::format(
        "{}: nothing moves in it: {} {} within {:g} mm and {:.1f} deg of where {} began; give "
        "another episode or part, or leave the mode out",
        demonstration.name, fmt::join(query.poses, ", "),
        query.poses.size() == 1 ? "stays" : "stay", 1e3 * kMoves, kTurns * 180.0 / M_PI,
        query.poses.size() == 1 ? "it" : "they"));
  if (config.cut_ends) demonstration = cut_idle_ends(demonstration);
  if (!config.warp.empty()) {
    std::vector<WarpPoint> points;
    for (const Eigen::Vector2d& point : config.warp) points.push_back({point.x(), point.y()});
    demonstration = warped(std::move(demonstration), TimeWarp(points));
  }
  change_speed(demonstration, config.speed);
  if (config.change) change_all(demonstration, *config.change);
  return demonstration;
}

}  // namespace handspan
