// The modes by which a machine closes and opens what takes hold of things.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "plant/world.hpp"
#include "session/end_effector.hpp"
#include "session/grasp_watch.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

// a cup that does not seal for so long says why [s]
constexpr double kTellAfter = 1.0;
// a gripper is at rest when it stands still for so long at its width or on what it grasps, or where
// something blocks it for long [s]
constexpr double kRested = 0.06, kBlocked = 0.4;
// a gripper that is so much wider than shut is not shut [m]
constexpr double kAjar = 1e-3;

struct GripConfig {
  std::string group;
  std::optional<Eigen::VectorXd> to;
  GripperChanges gripper;
  std::optional<double> time;
};

class GripMode : public Mode {
 public:
  GripMode(const GripConfig& config, const ModeContext& context, bool grips)
      : config_(config),
        grips_(grips),
        world_(context.world),
        grasps_(context.grasps),
        group_(end_effector(context.layout, config.group)),
        layout_(context.layout.groups[group_]) {
    const bool of_gripper = config.gripper.width || config.gripper.speed || config.gripper.force;
    if (layout_.kind != GroupKind::kGripper && of_gripper)
      throw InputError(
          fmt::format("'{}' is not a gripper, which alone has width, speed and force; "
                      "give its group 'gripper:' in robot.yaml, or leave them out",
                      config.group));
    switch (layout_.kind) {
      case GroupKind::kSuction:
        command_ = Eigen::VectorXd::Constant(1, grips ? 1.0 : 0.0);
        if (config.to) refuse_positions("a suction cup, which is on or off");
        break;
      case GroupKind::kGripper: {
        const GripperDescription& gripper = *layout_.gripper;
        command_ = values_of(changed(grips ? close_command(gripper) : open_command(gripper),
                                     config.gripper, gripper));
        if (config.to) refuse_positions("a gripper: say how wide ('width')");
        break;
      }
      default:
        if (!config.to)
          throw InputError(
              fmt::format("'{}' is not a suction cup: say to what positions ('to')", config.group));
        command_ = *config.to;
    }
    if (command_.size() != layout_.size())
      throw InputError(fmt::format("'to' has {} values for the {} joints of '{}'", command_.size(),
                                   layout_.size(), config.group));
  }

  void enter(const ModeMoment& at) override {
    at.manual.groups[group_] = command_;
    left_ = config_.time.value_or(0.0);
    waited_ = 0.0;
    told_ = false;
  }

  bool update(const ModeMoment& at) override {
    const double dt = at.moment.dt;
    left_ -= dt;
    waited_ += dt;
    if (config_.time) return left_ <= 0.0;
    if (layout_.kind == GroupKind::kSuction) return seals(at);
    if (layout_.kind == GroupKind::kGripper) return comes_to_rest(at);
    return left_ <= 0.0;
  }

  EventText waits_for(const ModeMoment& at) const override {
    if (config_.time) return {};
    if (layout_.kind == GroupKind::kGripper) {
      char words[64];
      const auto end = fmt::format_to_n(words, sizeof words, "still moves: it is {:.0f} mm wide",
                                        1e3 * grasps_.width(group_));
      return EventText(std::string_view(words, std::min(end.size, sizeof words)));
    }
    if (layout_.kind != GroupKind::kSuction) return {};
    if (!grips_) return "still holds what it is to let go";
    if (holds(at) == grips_) return {};
    return world_ != nullptr
               ? world_->why_not_sealed(config_.group)
               : EventText("holds nothing; move the cup onto a face, or look at hose and pump");
  }

  std::string text() const override {
    if (layout_.kind == GroupKind::kGripper && (config_.gripper.width || !grips_))
      return fmt::format("{} {} to {:.0f} mm", config_.group, grips_ ? "closes" : "opens",
                         1e3 * command_[0]);
    return fmt::format("{} {}", config_.group, grips_ ? "grips" : "releases");
  }
  std::vector<std::string> drives() const override { return {config_.group}; }
  void state(StateArchive& archive) override { archive(left_, waited_, told_); }

 private:
  [[noreturn]] void refuse_positions(const char* is) const {
    throw InputError(
        fmt::format("'to' has positions of joints, and '{}' is {}", config_.group, is));
  }
  bool holds(const ModeMoment& at) const {
    return cup_state(at.moment.observation->groups[group_]).holds;
  }
  // of a cup: when something is held, or no longer
  bool seals(const ModeMoment& at) {
    const bool done = holds(at) == grips_;
    if (done) waited_ = 0.0;
    if (waited_ >= kTellAfter && !told_) at.events.add("suction", config_.group, waits_for(at));
    told_ = waited_ >= kTellAfter;
    return done;
  }
  // of a gripper: at its width, shut, or stopped by what is between
  bool comes_to_rest(const ModeMoment& at) {
    const GripperDescription& gripper = *layout_.gripper;
    const double to = std::max(command_[0], gripper.shut());
    const bool there = std::abs(grasps_.width(group_) - to) < kAjar;
    const double needed = there || (grips_ && grasps_.grasped(group_)) ? kRested : kBlocked;
    if (std::min(waited_, grasps_.rests(group_)) < needed) return false;
    if (grips_ && !told_ && command_[0] < gripper.shut() && !grasps_.grasped(group_) &&
        grasps_.width(group_) < gripper.shut() + kAjar) {
      told_ = true;
      at.events.add("gripper", config_.group,
                    "closes on nothing: move it to where the thing is, and open first");
    }
    return true;
  }

  GripConfig config_;
  bool grips_;
  const World* world_;  // none: nothing is simulated
  const GraspWatch& grasps_;
  std::size_t group_;
  GroupLayout layout_;
  Eigen::VectorXd command_;
  double left_ = 0.0, waited_ = 0.0;
  bool told_ = false;
};

}  // namespace

void register_grip_modes(ModeRegistry& registry) {
  const auto schema = [](const char* name) {
    struct Flat : GripConfig {
      std::optional<double> width, speed, force;
    };
    return object<Flat>(name)
        .required("group", &Flat::group, text(), "suction cup or gripper")
        .optional("width", &Flat::width, number("m").min(0).max(10),
                  "a gripper: between the pads; left out: closes until it is stopped, or opens all "
                  "the way")
        .optional("speed", &Flat::speed, number("m/s").above(0).max(10),
                  "a gripper: of the width, at most")
        .optional("force", &Flat::force, number("N").above(0).max(1e5),
                  "a gripper: at each pad, at most")
        .optional("to", &Flat::to, dynamic_vector(),
                  "a position-driven group that is not a gripper: positions of its joints")
        .optional("time", &Flat::time, number("s").min(0),
                  "after which it is done; left out: a cup when something is held or let go, a "
                  "gripper when it has come to rest, others at once")
        .map([](Flat f) {
          GripConfig config = f;
          config.gripper = {f.width, f.speed, f.force};
          return config;
        });
  };
  registry.add("grip", schema("Grip"), "closes a gripper, switches suction on",
               [](const GripConfig& config, const ModeContext& context) {
                 return std::make_unique<GripMode>(config, context, true);
               });
  registry.add("release", schema("Release"), "opens a gripper, switches suction off",
               [](const GripConfig& config, const ModeContext& context) {
                 return std::make_unique<GripMode>(config, context, false);
               });
}

}  // namespace handspan
