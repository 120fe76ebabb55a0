// The mode by which a person's buttons work a suction cup or a gripper.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "session/end_effector.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

struct OperateConfig {
  std::string group, device;
  std::optional<std::string> on, off, all_off, safety, width;
  bool toggles = false;
  std::optional<Eigen::VectorXd> open, closed;
  std::optional<double> speed, force;
};

// A device that falls silent has released nothing: what is held stays held until a button that is
// believed again is pressed or released anew.
class OperateMode : public Mode {
 public:
  OperateMode(const OperateConfig& config, const ModeContext& context)
      : config_(config),
        device_(context.devices.find(config.device)),
        group_(end_effector(context.layout, config.group)) {
    const GroupLayout& layout = context.layout.groups[group_];
    const bool suction = layout.kind == GroupKind::kSuction;
    const bool gripper = layout.kind == GroupKind::kGripper;
    if (suction && (config.open || config.closed || config.width))
      throw InputError(
          fmt::format("'{}' is a suction cup: it has no width, and is on or off", config.group));
    if (!suction && config.all_off)
      throw InputError(
          fmt::format("'{}' is not a suction cup: 'all_off' is for one", config.group));
    if (!gripper && (config.speed || config.force))
      throw InputError(
          fmt::format("'{}' is not a gripper, which alone has speed and force; give its "
                      "group 'gripper:' in robot.yaml, or leave them out",
                      config.group));
    if (gripper) {
      open_ = gripper_values(config.open, open_command(*layout.gripper), *layout.gripper);
      closed_ = gripper_values(config.closed, close_command(*layout.gripper), *layout.gripper);
      // by an axis it goes to widths, and presses on what is between all the same
      narrow_ = closed_;
      narrow_[0] = std::max(narrow_[0], layout.gripper->shut());
    } else if (!suction && !(config.open && config.closed)) {
      throw InputError(
          fmt::format("'{}' is not a suction cup: say at what positions it is open and "
                      "closed",
                      config.group));
    } else {
      open_ = config.open.value_or(Eigen::VectorXd::Zero(1));
      closed_ = config.closed.value_or(Eigen::VectorXd::Ones(1));
      narrow_ = closed_;
    }
    for (const auto* positions : {&open_, &closed_})
      if (positions->size() != layout.size())
        throw InputError(fmt::format("{} positions for the {} joints of '{}'", positions->size(),
                                     layout.size(), config.group));
    if (config.on) on_ = device_.control(*config.on);
    if (config.off) off_ = device_.control(*config.off);
    if (config.all_off) all_off_ = device_.control(*config.all_off);
    if (config.safety) safety_ = device_.control(*config.safety);
    if (config.width) width_ = device_.axis_index(*config.width);
  }

  // what is down already was not pressed for this
  void enter(const ModeMoment&) override {
    on_was_ = on_ && device_.pressed(*on_);
    off_was_ = off_ && device_.pressed(*off_);
    all_off_was_ = all_off_ && device_.pressed(*all_off_);
  }
  bool update(const ModeMoment& at) override {
    const Edge on = edge(on_, on_was_), off = edge(off_, off_was_),
               all_off = edge(all_off_, all_off_was_);
    if (safety_ && !device_.pressed(*safety_)) return false;
    Eigen::VectorXd& command = at.manual.groups[group_];
    if (width_ && device_.axis_valid(*width_))
      command = open_ + std::clamp(device_.axis(*width_), 0.0, 1.0) * (narrow_ - open_);
    const bool is_on = (command - closed_).squaredNorm() < (command - open_).squaredNorm();
    if (on == Edge::kPressed)
      command = config_.toggles && is_on ? open_ : closed_;
    else if (on == Edge::kReleased && !config_.toggles && !config_.off)
      command = open_;
    if (off == Edge::kPressed) command = open_;
    if (all_off == Edge::kPressed) command.setConstant(kAllOff);
    return false;
  }
  std::string text() const override {
    return fmt::format("{} works {}", config_.device, config_.group);
  }
  std::vector<std::string> drives() const override { return {config_.group}; }
  void state(StateArchive& archive) override { archive(on_was_, off_was_, all_off_was_); }

 private:
  // of a cup: neither vacuum nor blow-off
  static constexpr double kAllOff = -1.0;
  enum class Edge { kNone, kPressed, kReleased };

  Edge edge(const std::optional<Control>& control, bool& was) const {
    if (!control) return Edge::kNone;
    if (!device_.believed(*control)) {
      was = false;
      return Edge::kNone;
    }
    const bool is = device_.pressed(*control);
    const Edge edge = is == was ? Edge::kNone : is ? Edge::kPressed : Edge::kReleased;
    was = is;
    return edge;
  }

  Eigen::VectorXd gripper_values(const std::optional<Eigen::VectorXd>& width,
                                 const GripperCommand& command,
                                 const GripperDescription& gripper) const {
    if (width && width->size() != 1)
      throw InputError(fmt::format(
          "'{}' is a gripper: 'open' and 'closed' are one width, in metres", config_.group));
    GripperChanges changes{{}, config_.speed, config_.force};
    if (width) changes.width = (*width)[0];
    return values_of(changed(command, changes, gripper));
  }

  OperateConfig config_;
  const DeviceState& device_;
  std::size_t group_;
  Eigen::VectorXd open_, closed_, narrow_;  // commands; narrow: of the axis at its end
  std::optional<Control> on_, off_, all_off_, safety_;
  std::optional<std::size_t> width_;
  bool on_was_ = false, off_was_ = false, all_off_was_ = false;
};

}  // namespace

void register_operate_mode(ModeRegistry& registry) {
  registry.add(
      "operate",
      object<OperateConfig>("Operate", "a person's buttons work a suction cup or a gripper")
          .required("group", &OperateConfig::group, text(), "suction cup or gripper")
          .required("device", &OperateConfig::device, text())
          .optional("on", &OperateConfig::on, text(),
                    "closes, or suction on, when pressed; released again: the opposite")
          .optional("off", &OperateConfig::off, text(),
                    "opens, or suction off, when pressed; with it, releasing `on` does nothing")
          .optional("all_off", &OperateConfig::all_off, text(),
                    "a suction cup: vacuum and blow-off off when pressed; the others blow off")
          .optional("toggles", &OperateConfig::toggles, boolean(), "each press of `on` changes it")
          .optional("width", &OperateConfig::width, text(),
                    "axis that sets a gripper between open (0) and closed (1)")
          .optional("safety", &OperateConfig::safety, text(),
                    "nothing happens unless this is held; what is held stays held")
          .optional("open", &OperateConfig::open, dynamic_vector(),
                    "a gripper's width, left out: as wide as it goes; else positions of the joints")
          .optional("closed", &OperateConfig::closed, dynamic_vector(),
                    "likewise; left out: a gripper closes until something stops it")
          .optional("speed", &OperateConfig::speed, number("m/s").above(0).max(10),
                    "a gripper: of the width, at most")
          .optional("force", &OperateConfig::force, number("N").above(0).max(1e5),
                    "a gripper: at each pad, at most")
          .check(
              [](const OperateConfig& c) -> std::optional<Fault> {
                if (c.on || c.off || c.width) return std::nullopt;
                return Fault{"names no control", "give on, off or width"};
              },
              "at least one control"),
      "a person's buttons work a suction cup or a gripper",
      [](const OperateConfig& config, const ModeContext& context) {
        return std::make_unique<OperateMode>(config, context);
      });
}

}  // namespace handspan
