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

// controls of one device
struct OperateControls {
  std::string device;
  std::optional<std::string> on, off, all_off, safety;
};

struct OperateConfig : OperateControls {
  std::string group;
  std::optional<std::string> width;
  std::vector<OperateControls> also;
  bool toggles = false;
  std::optional<Eigen::VectorXd> open, closed;
  std::optional<double> speed, force;
};

// A device that falls silent has released nothing: what is held stays held until a button that is
// believed again is pressed or released anew.
class OperateMode : public Mode {
 public:
  OperateMode(const OperateConfig& config, const ModeContext& context)
      : config_(config), group_(end_effector(context.layout, config.group)) {
    const GroupLayout& layout = context.layout.groups[group_];
    const bool suction = layout.kind == GroupKind::kSuction;
    const bool gripper = layout.kind == GroupKind::kGripper;
    if (suction && (config.open || config.closed || config.width))
      throw InputError(
          fmt::format("'{}' is a suction cup: it has no width, and is on or off", config.group));
    const auto has_all_off = [](const OperateControls& c) { return c.all_off.has_value(); };
    if (!suction && (config.all_off || std::ranges::any_of(config.also, has_all_off)))
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
    hands_.emplace_back(config, context.devices);
    for (const OperateControls& other : config.also) hands_.emplace_back(other, context.devices);
    if (config.width) width_ = hands_.front().device->axis_index(*config.width);
  }

  // what is down already was not pressed for this
  void enter(const ModeMoment&) override {
    for (Hand& hand : hands_)
      for (Button* button : {&hand.on, &hand.off, &hand.all_off}) button->begin(*hand.device);
  }
  bool update(const ModeMoment& at) override {
    Eigen::VectorXd& command = at.manual.groups[group_];
    bool pressed = false;
    for (Hand& hand : hands_) pressed = operate(hand, command, pressed) || pressed;
    return false;
  }
  std::string text() const override {
    std::string who = config_.device;
    for (const OperateControls& other : config_.also) who += " or " + other.device;
    return fmt::format("{} works {}", who, config_.group);
  }
  std::vector<std::string> drives() const override { return {config_.group}; }
  void state(StateArchive& archive) override { archive(hands_); }

 private:
  // of a cup: neither vacuum nor blow-off
  static constexpr double kAllOff = -1.0;
  enum class Edge { kNone, kPressed, kReleased };

  // A control, which may be none, and whether it was down.
  struct Button {
    std::optional<Control> control;
    bool was = false;

    void begin(const DeviceState& device) { was = control && device.pressed(*control); }
    Edge edge(const DeviceState& device) {
      if (!control) return Edge::kNone;
      if (!device.believed(*control)) {
        was = false;
        return Edge::kNone;
      }
      const bool is = device.pressed(*control);
      const Edge edge = is == was ? Edge::kNone : is ? Edge::kPressed : Edge::kReleased;
      was = is;
      return edge;
    }
  };
  // What a person works it with.
  struct Hand {
    Hand(const OperateControls& controls, const Devices& devices)
        : device(&devices.find(controls.device)) {
      if (controls.on) on.control = device->control(*controls.on);
      if (controls.off) off.control = device->control(*controls.off);
      if (controls.all_off) all_off.control = device->control(*controls.all_off);
      if (controls.safety) safety = device->control(*controls.safety);
    }
    void state(StateArchive& archive) { archive(on.was, off.was, all_off.was); }

    const DeviceState* device;
    Button on, off, all_off;
    std::optional<Control> safety;
  };

  // `changed`: another hand has pressed in this tick, and two at once mean one change.
  // Returns whether `on` was pressed.
  bool operate(Hand& hand, Eigen::VectorXd& command, bool changed) const {
    const DeviceState& device = *hand.device;
    const Edge on = hand.on.edge(device), off = hand.off.edge(device),
               all_off = hand.all_off.edge(device);
    if (hand.safety && !device.pressed(*hand.safety)) return false;
    if (&hand == &hands_.front() && width_ && device.axis_valid(*width_))
      command = open_ + std::clamp(device.axis(*width_), 0.0, 1.0) * (narrow_ - open_);
    const bool is_on = (command - closed_).squaredNorm() < (command - open_).squaredNorm();
    if (on == Edge::kPressed && !changed)
      command = config_.toggles && is_on ? open_ : closed_;
    else if (on == Edge::kReleased && !config_.toggles && !hand.off.control)
      command = open_;
    if (off == Edge::kPressed) command = open_;
    if (all_off == Edge::kPressed) command.setConstant(kAllOff);
    return on == Edge::kPressed;
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
  std::size_t group_;
  std::vector<Hand> hands_;                 // that of the mode's own keys is the first
  Eigen::VectorXd open_, closed_, narrow_;  // commands; narrow: of the axis at its end
  std::optional<std::size_t> width_;        // of the first
};

template <class Config>
ObjectSchema<Config> with_controls(const ObjectSchema<Config>& schema) {
  return schema.required("device", &OperateControls::device, text())
      .optional("on", &OperateControls::on, text(),
                "closes, or suction on, when pressed; released again: the opposite")
      .optional("off", &OperateControls::off, text(),
                "opens, or suction off, when pressed; with it, releasing `on` does nothing")
      .optional("all_off", &OperateControls::all_off, text(),
                "a suction cup: vacuum and blow-off off when pressed; the others blow off")
      .optional("safety", &OperateControls::safety, text(),
                "nothing happens unless this is held; what is held stays held");
}

}  // namespace

void register_operate_mode(ModeRegistry& registry) {
  registry.add(
      "operate",
      with_controls(
          object<OperateConfig>("Operate", "a person's buttons work a suction cup or a gripper")
              .required("group", &OperateConfig::group, text(), "suction cup or gripper"))
          .optional("also", &OperateConfig::also,
                    list(with_controls(object<OperateControls>("OperateControls",
                                                               "another device that works it"))
                             .check(
                                 [](const OperateControls& c) -> std::optional<Fault> {
                                   if (c.on || c.off) return std::nullopt;
                                   return Fault{"names no control", "give on or off"};
                                 },
                                 "at least one control")),
                    "other devices that work it too, each with its controls")
          .optional("toggles", &OperateConfig::toggles, boolean(), "each press of `on` changes it")
          .optional("width", &OperateConfig::width, text(),
                    "axis that sets a gripper between open (0) and closed (1)")
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
