#include "device/sdl_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/object.hpp"
#include "core/values.hpp"
#include "device/control_names.hpp"
#include "device/page_inputs.hpp"
#include "device/sdl_hub_impl.hpp"

namespace handspan {
namespace {

constexpr std::int64_t kMostAxes = 64, kMostButtons = 128, kMostHats = 8;

struct SdlConfig : SdlChoice {
  double rate = 100.0;  // [Hz]
};

struct GamepadConfig : SdlConfig {};

struct JoystickConfig : SdlConfig {
  std::vector<std::string> axes = {"axis0", "axis1"};
  std::vector<std::string> buttons = {"button0"};
  std::int64_t hats = 0;
  std::vector<std::string> inverted;
};

struct SpaceMouseConfig : SdlConfig {
  std::vector<std::int64_t> order = {1, 0, 2, 4, 3, 5};
  std::vector<std::int64_t> sign = {-1, -1, -1, -1, -1, -1};
  std::vector<std::string> buttons = {"button0", "button1"};
};

template <class Config>
ObjectSchema<Config> sdl_object(const std::string& name) {
  return object<Config>(name)
      .optional("index", &SdlConfig::index, integer().min(0),
                "which of those that suit, from 0; left out: the first that is free")
      .optional("name", &SdlConfig::name, text(), "of it; * stands for any text")
      .optional("guid", &SdlConfig::guid, text(), "of its model, as `handspan devices` shows it")
      .optional("unit", &SdlConfig::unit, text(),
                "its serial number or port, as `handspan devices` shows it")
      .optional("rate", &SdlConfig::rate, number("Hz").min(20).max(500),
                "samples that come when nothing changes");
}

// names, or how many there are: prefix0, prefix1 ...
Schema<std::vector<std::string>> names_or_count(const std::string& prefix, std::int64_t most) {
  const auto count = integer().min(0).max(most);
  const auto names = list(text().identifier()).max_size(static_cast<std::size_t>(most));
  Description description = names.description();
  description.type = "count or list of names";
  return {[=](const Node& node, Reader& reader) -> std::optional<std::vector<std::string>> {
            if (node.kind() == Node::Kind::kList) return names.read(node, reader);
            const auto number = count.read(node, reader);
            if (!number) return std::nullopt;
            std::vector<std::string> made;
            for (std::int64_t i = 0; i < *number; ++i)
              made.push_back(fmt::format("{}{}", prefix, i));
            return made;
          },
          std::move(description)};
}

// no -0
double with_sign(double sign, double value) { return sign * value + 0.0; }

class SdlDevice : public Device {
 public:
  using Read = std::function<void(const SdlOpen&, DeviceSample&)>;

  SdlDevice(const DeviceContext& context, const SdlConfig& config, const SdlNeeds& needs,
            DeviceLayout layout, Read read, std::vector<PageFeed> feeds)
      : layout_(std::move(layout)), client_(context.name, layout_), feeds_(std::move(feeds)) {
    client_.choice = config;
    client_.needs = needs;
    client_.period = std::llround(1e9 / config.rate);
    client_.read = std::move(read);
  }
  ~SdlDevice() override { close(); }
  SdlDevice(const SdlDevice&) = delete;
  SdlDevice& operator=(const SdlDevice&) = delete;

  const DeviceLayout& layout() const override { return layout_; }
  bool takes_samples() const override { return false; }
  bool gives_way() const override { return true; }
  std::vector<PageFeed> page_feeds() const override { return feeds_; }

  void open(Mailbox& mailbox) override {
    close();
    client_.mailbox = &mailbox;
    hub_ = SdlHub::shared();
    hub_->add(client_);
  }

  void close() noexcept override {
    if (hub_) hub_->remove(client_);
    hub_.reset();
    for (auto& motor : client_.rumble) motor = 0.0F;
  }

  void output(std::size_t index, std::span<const double> values) noexcept override {
    client_.rumble[index].store(static_cast<float>(std::clamp(values[0], 0.0, 1.0)),
                                std::memory_order_relaxed);
  }

 private:
  DeviceLayout layout_;
  SdlClient client_;
  std::vector<PageFeed> feeds_;
  std::shared_ptr<SdlHub> hub_;
};

const std::vector<DeviceOutput> kMotors = {{"left.rumble"}, {"right.rumble"}};

// ---- gamepad

struct PadAxis {
  const char* name;
  SDL_GameControllerAxis axis;
  double sign;  // SDL counts down as positive
};
constexpr PadAxis kPadAxes[] = {{"left.stick_x", SDL_CONTROLLER_AXIS_LEFTX, 1},
                                {"left.stick_y", SDL_CONTROLLER_AXIS_LEFTY, -1},
                                {"right.stick_x", SDL_CONTROLLER_AXIS_RIGHTX, 1},
                                {"right.stick_y", SDL_CONTROLLER_AXIS_RIGHTY, -1},
                                {"left.trigger", SDL_CONTROLLER_AXIS_TRIGGERLEFT, 1},
                                {"right.trigger", SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 1}};

struct PadButton {
  const char* name;
  SDL_GameControllerButton button;
};
constexpr PadButton kPadButtons[] = {{"south", SDL_CONTROLLER_BUTTON_A},
                                     {"east", SDL_CONTROLLER_BUTTON_B},
                                     {"west", SDL_CONTROLLER_BUTTON_X},
                                     {"north", SDL_CONTROLLER_BUTTON_Y},
                                     {"left.shoulder", SDL_CONTROLLER_BUTTON_LEFTSHOULDER},
                                     {"right.shoulder", SDL_CONTROLLER_BUTTON_RIGHTSHOULDER},
                                     {"left.stick", SDL_CONTROLLER_BUTTON_LEFTSTICK},
                                     {"right.stick", SDL_CONTROLLER_BUTTON_RIGHTSTICK},
                                     {"back", SDL_CONTROLLER_BUTTON_BACK},
                                     {"start", SDL_CONTROLLER_BUTTON_START},
                                     {"guide", SDL_CONTROLLER_BUTTON_GUIDE},
                                     {"dpad.up", SDL_CONTROLLER_BUTTON_DPAD_UP},
                                     {"dpad.down", SDL_CONTROLLER_BUTTON_DPAD_DOWN},
                                     {"dpad.left", SDL_CONTROLLER_BUTTON_DPAD_LEFT},
                                     {"dpad.right", SDL_CONTROLLER_BUTTON_DPAD_RIGHT},
                                     {"misc", SDL_CONTROLLER_BUTTON_MISC1},
                                     {"paddle1", SDL_CONTROLLER_BUTTON_PADDLE1},
                                     {"paddle2", SDL_CONTROLLER_BUTTON_PADDLE2},
                                     {"paddle3", SDL_CONTROLLER_BUTTON_PADDLE3},
                                     {"paddle4", SDL_CONTROLLER_BUTTON_PADDLE4},
                                     {"touchpad", SDL_CONTROLLER_BUTTON_TOUCHPAD}};

void read_pad(const SdlOpen& open, DeviceSample& sample) {
  for (std::size_t i = 0; i < std::size(kPadAxes); ++i) {
    const PadAxis& axis = kPadAxes[i];
    const auto from = SDL_GameControllerGetBindForAxis(open.pad, axis.axis);
    // not there, or nobody has touched it and SDL cannot know where it is
    if (from.bindType == SDL_CONTROLLER_BINDTYPE_NONE) continue;
    if (from.bindType == SDL_CONTROLLER_BINDTYPE_AXIS && std::isnan(open.axis(from.value.axis)))
      continue;
    const Sint16 value = SDL_GameControllerGetAxis(open.pad, axis.axis);
    sample.set_axis(i, with_sign(axis.sign, value < 0 ? value / 32768.0 : value / 32767.0));
  }
  for (std::size_t i = 0; i < std::size(kPadButtons); ++i) {
    const auto button = kPadButtons[i].button;
    if (SDL_GameControllerHasButton(open.pad, button) == SDL_TRUE)
      sample.set_button(i, SDL_GameControllerGetButton(open.pad, button) != 0);
  }
}

std::unique_ptr<Device> make_gamepad(const GamepadConfig& config, const DeviceContext& context) {
  DeviceLayout layout;
  for (const PadAxis& axis : kPadAxes) layout.axes.emplace_back(axis.name);
  for (const PadButton& button : kPadButtons) layout.buttons.emplace_back(button.name);
  layout.outputs = kMotors;
  // a browser knows which control of a pad is which, as SDL does, and gives them our signs
  std::vector<PageFeed> feeds;
  for (const auto* names : {&layout.axes, &layout.buttons})
    for (const std::string& name : *names)
      if (is_page_input("pad." + name)) feeds.push_back({name, "pad." + name});
  return std::make_unique<SdlDevice>(context, config, SdlNeeds{SdlKind::kGamepad}, layout, read_pad,
                                     std::move(feeds));
}

// ---- joystick

struct Direction {
  const char* name;
  Uint8 bit;
};
constexpr Direction kDirections[] = {
    {"up", SDL_HAT_UP}, {"down", SDL_HAT_DOWN}, {"left", SDL_HAT_LEFT}, {"right", SDL_HAT_RIGHT}};

std::vector<std::string> with_hats(std::vector<std::string> buttons, std::int64_t hats) {
  for (std::int64_t hat = 0; hat < hats; ++hat)
    for (const Direction& direction : kDirections)
      buttons.push_back(fmt::format("hat{}.{}", hat, direction.name));
  return buttons;
}

std::unique_ptr<Device> make_joystick(const JoystickConfig& config, const DeviceContext& context) {
  const int buttons = static_cast<int>(config.buttons.size()),
            axes = static_cast<int>(config.axes.size()), hats = static_cast<int>(config.hats);
  std::vector<double> signs;
  for (const std::string& axis : config.axes)
    signs.push_back(std::ranges::find(config.inverted, axis) == config.inverted.end() ? 1.0 : -1.0);
  DeviceLayout layout;
  layout.axes = config.axes;
  layout.buttons = with_hats(config.buttons, config.hats);
  layout.outputs = kMotors;
  const auto read = [=](const SdlOpen& open, DeviceSample& sample) {
    for (int i = 0; i < axes; ++i) sample.set_axis(i, with_sign(signs[i], open.axis(i)));
    for (int i = 0; i < buttons; ++i)
      sample.set_button(i, SDL_JoystickGetButton(open.joystick, i) != 0);
    for (int i = 0; i < hats; ++i) {
      const Uint8 hat = SDL_JoystickGetHat(open.joystick, i);
      for (int k = 0; k < 4; ++k)
        sample.set_button(buttons + 4 * i + k, (hat & kDirections[k].bit) != 0);
    }
  };
  std::vector<PageFeed> feeds;
  for (std::size_t i = 0; i < config.axes.size() && i < kPageStickAxes; ++i)
    feeds.push_back({config.axes[i], fmt::format("stick.axis{}", i), signs[i]});
  for (std::size_t i = 0; i < config.buttons.size() && i < kPageStickButtons; ++i)
    feeds.push_back({config.buttons[i], fmt::format("stick.button{}", i)});
  return std::make_unique<SdlDevice>(context, config,
                                     SdlNeeds{SdlKind::kJoystick, axes, buttons, hats}, layout,
                                     read, std::move(feeds));
}

std::optional<Fault> check_joystick(const JoystickConfig& config) {
  for (const std::string& axis : config.inverted)
    if (std::ranges::find(config.axes, axis) == config.axes.end())
      return Fault{fmt::format("has '{}', which is not an axis", axis),
                   did_you_mean(axis, config.axes, "there are"), "inverted"};
  const std::vector<std::string> buttons = with_hats(config.buttons, config.hats);
  return named_twice({{"", &config.axes}, {"", &buttons}});
}

// ---- 3-D mouse

std::unique_ptr<Device> make_space_mouse(const SpaceMouseConfig& config,
                                         const DeviceContext& context) {
  DeviceLayout layout;
  layout.axes = {"x", "y", "z", "roll", "pitch", "yaw"};
  layout.buttons = config.buttons;
  const int buttons = static_cast<int>(config.buttons.size());
  const int axes = 1 + static_cast<int>(*std::ranges::max_element(config.order));
  const auto read = [=, order = config.order, sign = config.sign](const SdlOpen& open,
                                                                  DeviceSample& sample) {
    for (std::size_t i = 0; i < order.size(); ++i)
      sample.set_axis(
          i, with_sign(static_cast<double>(sign[i]), open.axis(static_cast<int>(order[i]))));
    for (int i = 0; i < buttons; ++i)
      sample.set_button(i, SDL_JoystickGetButton(open.joystick, i) != 0);
  };
  // a browser does not say which of its sticks is a mouse: the page's keys move it
  return std::make_unique<SdlDevice>(context, config,
                                     SdlNeeds{SdlKind::kSpaceMouse, axes, buttons, 0}, layout, read,
                                     std::vector<PageFeed>());
}

std::optional<Fault> check_space_mouse(const SpaceMouseConfig& config) {
  const std::set<std::int64_t> different(config.order.begin(), config.order.end());
  if (different.size() != config.order.size())
    return Fault{"names an axis of the device twice", "each of the six is another one", "order"};
  if (std::ranges::find(config.sign, 0) != config.sign.end())
    return Fault{"has a 0", "each is 1 or -1", "sign"};
  const std::vector<std::string> axes = {"x", "y", "z", "roll", "pitch", "yaw"};
  return named_twice({{"", &axes}, {"", &config.buttons}});
}

}  // namespace

std::vector<SdlAttached> attached_sdl_devices() { return SdlHub::shared()->attached(); }

void register_sdl_devices(DeviceRegistry& registry) {
  registry.add("gamepad", sdl_object<GamepadConfig>("Gamepad"),
               "a gamepad of which SDL knows which control is which", make_gamepad);
  registry.add(
      "joystick",
      sdl_object<JoystickConfig>("Joystick")
          .optional("axes", &JoystickConfig::axes, names_or_count("axis", kMostAxes),
                    "the device's first ones; left out: 2")
          .optional("buttons", &JoystickConfig::buttons, names_or_count("button", kMostButtons),
                    "the device's first ones; left out: 1")
          .optional("hats", &JoystickConfig::hats, integer().min(0).max(kMostHats),
                    "each is four buttons")
          .optional("inverted", &JoystickConfig::inverted, list(text()),
                    "axes whose sign is the other one")
          .check([](const JoystickConfig& config) { return check_joystick(config); },
                 "controls have different names"),
      "any gamepad, joystick or pedals, by the numbers of its axes and buttons", make_joystick);
  registry.add(
      "space_mouse",
      sdl_object<SpaceMouseConfig>("SpaceMouse")
          .optional("order", &SpaceMouseConfig::order,
                    list(integer().min(0).max(kMostAxes - 1)).size(6),
                    "which of the device's axes x y z roll pitch yaw are; left out: "
                    "[1, 0, 2, 4, 3, 5], as 3Dconnexion's")
          .optional("sign", &SpaceMouseConfig::sign, list(integer().min(-1).max(1)).size(6),
                    "of each of them, 1 or -1; left out: all -1")
          .optional("buttons", &SpaceMouseConfig::buttons, names_or_count("button", kMostButtons),
                    "the device's first ones; left out: 2")
          .check([](const SpaceMouseConfig& config) { return check_space_mouse(config); }),
      "a 3-D mouse of six axes", make_space_mouse);
}

}  // namespace handspan
