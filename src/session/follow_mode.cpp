#include "session/follow_mode.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "control/feedback_task.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "reference/direction_reference.hpp"
#include "reference/parted_source.hpp"
#include "reference/relative_reference.hpp"
#include "scene/scene_frame.hpp"

namespace handspan {
namespace {

// after which it is said that the arm does not come [s]
constexpr double kTellsAfter = 0.5;

AuthorityAxes axes_named(const std::string& name, const Scene& scene) {
  if (name == "world") return {};
  if (name == "tool") return {AxesOf::kTool, Eigen::Matrix3d::Identity()};
  if (name == "operator") return {AxesOf::kOperator, Eigen::Matrix3d::Identity()};
  if (name == "contact") return {AxesOf::kContact, Eigen::Matrix3d::Identity()};
  return {AxesOf::kFixed, scene_frame(scene, name).R};
}

// which mode moves a reference of a kind
std::string_view mode_for(std::string_view kind) {
  if (kind == kPoseKind) return "; use move_to";
  if (kind == kJointsKind) return "; use move_joints";
  if (kind == kWrenchKind) return "; use apply_wrench";
  if (kind == kRelativePoseKind) return "; use move_relative";
  if (kind == kDirectionKind) return "; use point";
  return "";
}

}  // namespace

SourceContext source_context(const ModeContext& context) {
  SourceContext source;
  source.name = context.name;
  source.devices = &context.devices;
  source.scene = &context.scene;
  source.arms = context.arms;
  source.world = context.world;
  source.arbiter = &context.arbiter;
  return source;
}

FollowMode::FollowMode(const Config& config, const ModeContext& context)
    : task_(config.task), reference_(context.arbiter.find_reference(config.task)) {
  if (config.sources.size() > kMaxSharing)
    throw InputError(fmt::format("{} sources share '{}'; {} is the most", config.sources.size(),
                                 config.task, kMaxSharing));
  std::vector<std::string> names;
  for (const Share& share : config.sources) {
    add(context.arbiter.find_source(share.source), share, config.reengages, context);
    names.push_back(share.source);
  }
  try {
    axes_ = axes_named(config.axes_of, context.scene);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("axes_of must be world, tool, operator, contact or a frame of the "
                    "scene: {}",
                    error.what()));
  }
  if (const std::string& kind = context.arbiter.reference(reference_).kind();
      axes_.of != AxesOf::kWorld && kind != kPoseKind && kind != kTwistKind)
    throw InputError(
        fmt::format("the reference of '{}' is of the kind '{}', which has no axes but "
                    "its own; leave axes_of out",
                    config.task, kind));
  text_ = fmt::format("follows {}", fmt::join(names, ", "));
}

FollowMode::FollowMode(const std::string& task, std::unique_ptr<Source> source,
                       const ModeContext& context)
    : task_(task), reference_(context.arbiter.find_reference(task)), own_(true) {
  const std::string& kind = context.arbiter.reference(reference_).kind();
  if (source->asks_for() != kind)
    throw InputError(fmt::format("the reference of '{}' is of the kind '{}', and this moves '{}'{}",
                                 task, kind, source->asks_for(), mode_for(kind)));
  text_ = source->text();
  add(context.arbiter.add_source(context.name, std::move(source)), {}, false, context);
}

void FollowMode::add(SourceIndex source, const Share& share, bool reengages,
                     const ModeContext& context) {
  Authority authority{source, {}, share.share, reengages};
  if (const auto* whole =
          dynamic_cast<const PartedSource*>(&std::as_const(context.arbiter).source(source)))
    throw InputError(fmt::format(
        "the source '{0}' asks for several references, one by each of its parts; follow {0}.{1}",
        share.source, fmt::join(whole->parts(), fmt::format(" or {}.", share.source))));
  const Source& moves = context.arbiter.source(source);
  const std::string_view asks = moves.asks_for(), is = context.arbiter.reference(reference_).kind();
  if (!moves.moves(is))
    throw InputError(fmt::format(
        "the source '{}' moves references of the kind '{}', and that of '{}' is of the kind '{}'",
        share.source, asks, task_, is));
  if (context.arbiter.source(source).jumps() &&
      !context.arbiter.reference(reference_).takes_jumps())
    throw InputError(fmt::format(
        "the source '{}' announces jumps of velocity, and the reference of '{}' takes none; {}",
        context.arbiter.source_name(source), task_,
        is == kPoseKind
            ? fmt::format("say jumps: true in references.{}", task_)
            : fmt::format("one of the kind '{}' never does, use a source without jumps", is)));
  if (moves.shares_feedback()) {
    FeedbackTask* const task = context.arbiter.reference(reference_).feedback_task();
    if (task == nullptr)
      throw InputError(
          fmt::format("the source '{}' gives shares of feedback, and the task '{}' is none of a "
                      "frame; move a pose, or use a source without them",
                      context.arbiter.source_name(source), task_));
    task->show_feedback();
  }
  std::copy(share.axes.begin(), share.axes.end(), authority.axes.begin());
  if (is == kJointsKind) authority.axes = kAllAxes;
  authorities_.push_back(authority);
}

void FollowMode::enter(const ModeMoment& at) {
  at.arbiter.give_authority(reference_, authorities_, at.moment, axes_);
  waited_ = 0.0;
}

// a posture may be one that other tasks do not let the arm have: of joints nobody asks for it
bool FollowMode::is_there(const Arbiter& arbiter) const {
  return arbiter.done(reference_) && std::ranges::all_of(authorities_, [&](const Authority& a) {
           const auto tolerance = arbiter.source(a.source).tolerance();
           return !tolerance ||
                  arbiter.reference(reference_).arm_is_there(tolerance->distance, tolerance->angle);
         });
}

bool FollowMode::update(const ModeMoment& at) {
  if (!at.arbiter.done(reference_)) return false;
  if (is_there(at.arbiter)) return true;
  const double before = waited_;
  waited_ += at.moment.dt;
  if (before < kTellsAfter && waited_ >= kTellsAfter)
    at.events.add("waits", task_, "the move is at its end and the arm is not, or not at rest");
  return false;
}

EventText FollowMode::waits_for(const ModeMoment& at) const {
  if (!own_ || is_there(at.arbiter)) return {};
  char text[EventText::kMost];
  const bool holds = at.arbiter.holding(reference_);
  const auto end = fmt::format_to_n(text, sizeof text, "{} is not where it is to go{}{}", task_,
                                    holds ? ": " : "", holds ? at.arbiter.reason(reference_) : "");
  return std::string_view(text, std::min(end.size, sizeof text));
}

std::string FollowMode::text() const { return fmt::format("{} {}", task_, text_); }

std::vector<Following> FollowMode::follows() const {
  std::vector<Following> all;
  // what a state has for itself is no hand that somebody could take
  if (!own_)
    for (const Authority& a : authorities_) all.push_back({reference_, a.source});
  return all;
}

void register_follow_mode(ModeRegistry& registry) {
  using Config = FollowMode::Config;
  using Share = FollowMode::Share;
  const auto share = object<Share>("Share")
                         .required("source", &Share::source, text())
                         .optional("axes", &Share::axes, list(boolean()).size(6),
                                   "of axes_of: x, y, z, then about x, y, z; default all")
                         .optional("share", &Share::share, number().above(0).max(1e3),
                                   "against the others on the same axes");
  registry.add(
      "follow",
      object<Config>("Follow", "a reference follows sources")
          .required("task", &Config::task, text(), "whose reference follows")
          .required("sources", &Config::sources, list(share).min_size(1).max_size(kMaxSharing),
                    "a person, a plan, vision, a policy")
          .optional("reengages", &Config::reengages, boolean(),
                    "goes on by itself when a source that was lost is good again; else after "
                    "resume")
          .optional("axes_of", &Config::axes_of, text(),
                    "whose axes these are: world, tool, operator (of the first person among them), "
                    "contact (z along the force that is felt), or a frame of the scene"),
      "a reference follows one source, or several that share it, until they are at their end",
      [](const Config& config, const ModeContext& context) {
        return std::make_unique<FollowMode>(config, context);
      });
}

}  // namespace handspan
