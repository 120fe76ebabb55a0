// The mode that follows what references did in a log: a demonstration repeated, another arm's
// motion.
#include "log/replay_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/values.hpp"
#include "log/logged_wrench.hpp"
#include "log/replay_demonstration.hpp"
#include "log/replay_source.hpp"
#include "session/end_effector.hpp"
#include "session/follow_mode.hpp"

namespace handspan {
namespace {

// A log that is sparser than this is followed along a smooth curve when nothing else is said [s].
constexpr double kSparse = 0.005;

// Of each of its references; what they share is null for a source that is alone.
std::vector<std::unique_ptr<ReplaySource>> sources_of(const ReplayReferenceConfig& config,
                                                      const LoggedDemonstration& demonstration,
                                                      const Scene& scene, const World* world,
                                                      std::shared_ptr<ReplayState> shared) {
  std::vector<std::unique_ptr<ReplaySource>> sources;
  std::optional<ReplayOffset> offset;
  if (config.offset) offset = replay_offset(*config.offset, demonstration, scene, world);
  const double sparse = 2.0 * demonstration.spacing / config.speed;
  const double smooth = config.smooth.value_or(demonstration.spacing > kSparse ? sparse : 0.0);
  const auto tasks = config.tasks();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    PoseTrajectory poses(demonstration.poses[i].poses);
    std::optional<PoseSpline> spline;
    if (smooth > 0.0 && poses.end() > poses.start()) spline.emplace(poses, smooth);
    const std::string text =
        fmt::format("does again what is in {}{}", config.log.filename().string(),
                    config.relative ? "" : ", after going to where that begins");
    sources.push_back(std::make_unique<ReplaySource>(
        ReplayedPoses{tasks[i], text, std::move(poses), std::move(spline), config.relative, offset,
                      world},
        shared));
  }
  return sources;
}

// What is for poses only. @return whether the one reference is of a wrench
bool is_of_wrench(const ReplayReferenceConfig& config, const Arbiter& arbiter) {
  for (const std::string& task : config.tasks()) {
    const std::string& kind = arbiter.reference(arbiter.find_reference(task)).kind();
    if (kind == kPoseKind) continue;
    if (kind != kWrenchKind)
      throw InputError(fmt::format(
          "the reference of '{}' is of the kind '{}'; this is for poses and wrenches", task, kind));
    if (!config.references.empty())
      throw InputError(fmt::format(
          "the reference of '{}' is of a wrench, and several at once are for poses; give it a mode "
          "of its own with 'task'",
          task));
    const std::pair<bool, const char*> of_poses[] = {
        {config.relative, "'relative' is for poses; leave it out for a wrench"},
        {config.change.has_value(), "'change' is for poses; leave it out for a wrench"},
        {!config.groups.empty(), "'groups' go with poses; leave them out for a wrench"},
        {config.offset.has_value(), "'offset' is for poses; leave it out for a wrench"},
        {!config.parts.empty(), "'parts' are for poses; leave them out for a wrench"},
        {config.cut_ends, "'cut_ends' is for poses; leave it out for a wrench"},
        {!config.warp.empty(), "'warp' is for poses; leave it out for a wrench"},
        {config.smooth.has_value(), "'smooth' is for poses; leave it out for a wrench"}};
    for (const auto& [given, problem] : of_poses)
      if (given) throw InputError(problem);
    return true;
  }
  return false;
}

std::unique_ptr<Source> wrench_source(const ReplayReferenceConfig& config) {
  return logged_wrench({config.log, config.channel.value_or("reference." + config.task + ".wrench"),
                        span_of(config.log, query_of(config)), config.speed});
}

// Commands of one group over the time of the demonstration.
struct GroupCommands {
  std::size_t group = 0;  // in the plant's layout
  std::string name;
  std::vector<TimedVector<Eigen::VectorXd>> values;
};

std::vector<GroupCommands> commands_of(const ReplayReferenceConfig& config,
                                       LoggedDemonstration& demonstration,
                                       const PlantLayout& layout) {
  std::vector<GroupCommands> all;
  for (auto& commands : demonstration.commands) {
    const std::size_t g = end_effector(layout, commands.group);
    const GroupLayout& group = layout.groups[g];
    for (const auto& command : commands.values)
      if (command.value.size() != group.size())
        throw InputError(fmt::format(
            "{}: {}.command has {} numbers at {:.3f} s, and '{}' takes {}; replay it with the "
            "gripper or the cup that it was recorded with",
            config.log.string(), group.name, command.value.size(), command.time, group.name,
            group.size()));
    all.push_back({g, commands.group, std::move(commands.values)});
  }
  return all;
}

// References that do again what a log has, in step, and with them suction cups and grippers.
class ReplayReferenceMode : public Mode {
 public:
  ReplayReferenceMode(const ReplayReferenceConfig& config, const ModeContext& context)
      : shared_(std::make_shared<ReplayState>()), world_(context.world) {
    if (is_of_wrench(config, context.arbiter)) {
      follow(config.task, wrench_source(config), context);
      return;
    }
    for (const auto& group : config.groups) end_effector(context.layout, group);
    LoggedDemonstration demonstration = demonstration_of(config, context.scene.name);
    if (config.offset)
      offset_ = replay_offset(*config.offset, demonstration, context.scene, world_);
    auto sources = sources_of(config, demonstration, context.scene, world_, shared_);
    const auto tasks = config.tasks();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      sources_.push_back(sources[i].get());
      ModeContext own = context;
      if (tasks.size() > 1) own.name += "." + tasks[i];
      follow(tasks[i], std::move(sources[i]), own);
    }
    commands_ = commands_of(config, demonstration, context.layout);
  }

  void enter(const ModeMoment& at) override {
    *shared_ = {};
    if (offset_) shared_->X_WD = offset_->now(world_);
    for (auto& follow : follows_) follow->enter(at);
    go_on(at, true);
  }
  bool update(const ModeMoment& at) override {
    go_on(at, false);
    bool end = true;
    for (auto& follow : follows_) end = follow->update(at) && end;
    return end;
  }
  std::string text() const override {
    std::vector<std::string> all;
    for (const auto& follow : follows_) all.push_back(follow->text());
    return fmt::format("{}", fmt::join(all, "; "));
  }
  std::vector<std::string> drives() const override {
    std::vector<std::string> all = tasks_;
    for (const GroupCommands& commands : commands_) all.push_back(commands.name);
    return all;
  }
  EventText waits_for(const ModeMoment& at) const override {
    EventText first;
    for (const auto& follow : follows_)
      if (first.empty()) first = follow->waits_for(at);
    return first;
  }
  void state(StateArchive& archive) override {
    archive(*shared_);
    for (auto& follow : follows_) follow->state(archive);
  }

 private:
  void follow(const std::string& task, std::unique_ptr<Source> source, const ModeContext& context) {
    tasks_.push_back(task);
    references_.push_back(context.arbiter.find_reference(task));
    follows_.push_back(std::make_unique<FollowMode>(task, std::move(source), context));
  }

  // All go on at the pace of the arm that is farthest behind, and wait while one of them is on its
  // way to where the demonstration goes on, or holds.
  void go_on(const ModeMoment& at, bool first) {
    if (sources_.empty()) return;
    double pace = 1.0;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const bool waits = !sources_[i]->ready() || (!first && at.arbiter.holding(references_[i]));
      pace = waits ? 0.0 : std::min(pace, at.arbiter.reference(references_[i]).pace());
    }
    shared_->step = at.moment.dt * pace;
    shared_->t += shared_->step;
    for (const GroupCommands& commands : commands_) {
      const auto next = std::ranges::upper_bound(commands.values, shared_->t + kSameTime, {},
                                                 &TimedVector<Eigen::VectorXd>::time);
      if (next != commands.values.begin()) at.manual.groups[commands.group] = (next - 1)->value;
    }
  }

  // sums of ticks are no exact times [s]
  static constexpr double kSameTime = 1e-6;

  std::shared_ptr<ReplayState> shared_;
  const World* world_;
  std::optional<ReplayOffset> offset_;
  std::vector<std::string> tasks_;
  std::vector<ReferenceIndex> references_;
  std::vector<std::unique_ptr<FollowMode>> follows_;
  std::vector<const ReplaySource*> sources_;  // none: of a wrench
  std::vector<GroupCommands> commands_;
};

}  // namespace

void register_replay_reference(Parts& parts) {
  const char* words = "poses, or a wrench, do again what they did in a log";
  parts.of<SourceRegistry>().add(
      "replay_reference",
      replay_schema("ReplayReferenceSource").check([](const ReplayReferenceConfig& config) {
        return fault_of(config);
      }),
      words,
      [](const ReplayReferenceConfig& config,
         const SourceContext& context) -> std::unique_ptr<Source> {
        if (is_of_wrench(config, *context.arbiter)) return wrench_source(config);
        const LoggedDemonstration demonstration = demonstration_of(config, context.scene->name);
        return std::move(
            sources_of(config, demonstration, *context.scene, context.world, nullptr).front());
      });
  parts.of<ModeRegistry>().add(
      "replay_reference",
      replay_schema("ReplayReference")
          .optional("references", &ReplayReferenceConfig::references, list(text()),
                    "tasks, instead of `task`: their poses go in step and wait for one another")
          .optional("channels", &ReplayReferenceConfig::channels, list(text()),
                    "of `references`, in their order; left out: those of the same tasks")
          .optional("groups", &ReplayReferenceConfig::groups, list(text()),
                    "suction cups and grippers that are commanded as in the log")
          .check([](const ReplayReferenceConfig& config) { return fault_of(config); }),
      words, [](const ReplayReferenceConfig& config, const ModeContext& context) {
        return std::make_unique<ReplayReferenceMode>(config, context);
      });
}

}  // namespace handspan
