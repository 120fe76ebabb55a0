#include "person/held_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "device/device_rate.hpp"

namespace handspan {
namespace {

// a key that is tapped stays down for so long at least [s] (Dhakal et al. 2018: 80 to 150 ms)
constexpr double kTap = 0.08;

/// What moves E, as the jog that listens has it.
struct DrivesConfig {
  std::optional<RateBinding> x, y, z, roll, pitch, yaw;
  const std::optional<RateBinding>& operator[](std::size_t i) const {
    const std::optional<RateBinding>* all[] = {&x, &y, &z, &roll, &pitch, &yaw};
    return *all[i];
  }
};

struct HeldRatesConfig {
  HoldingHand hand = HoldingHand::kRight;
  std::vector<std::string> axes, buttons;
  std::int64_t hats = 0;
  bool keys = false;  // the axes are -1, 0 or 1
  DrivesConfig drives;
  double speed = 0.2, angular_speed = 0.6;
  ResponseConfig response;
};

std::vector<std::string> buttons_of(const HeldRatesConfig& config) {
  std::vector<std::string> buttons = config.buttons;
  for (std::int64_t hat = 0; hat < config.hats; ++hat)
    for (const char* direction : {"up", "down", "left", "right"})
      buttons.push_back(fmt::format("hat{}.{}", hat, direction));
  return buttons;
}

double inverse_response(double rate, const ResponseConfig& r) {
  if (rate == 0.0) return 0.0;
  const double size = std::pow(std::min(1.0, std::abs(rate)), 1.0 / r.exponent);
  return std::copysign(r.dead_zone + (1.0 - r.dead_zone) * size, rate);
}

class HeldRates : public HeldDevice {
 public:
  HeldRates(const HeldRatesConfig& config, const HeldContext& context)
      : HeldDevice(context, {{}, config.axes, buttons_of(config), {}}),
        config_(config),
        in_hand_(holds(config.hand, context.side)) {
    const DeviceState names("held", layout(), {});
    for (std::size_t i = 0; i < 6; ++i) {
      if (!config.drives[i]) continue;
      const RateBinding& binding = *config.drives[i];
      Drive& drive = drives_[i];
      drive.sign = binding.sign;
      if (!binding.axis.empty()) drive.axis = names.axis_index(binding.axis);
      if (!binding.plus.empty()) drive.plus = names.control(binding.plus);
      if (!binding.minus.empty()) drive.minus = names.control(binding.minus);
    }
  }

  bool in_hand() const override { return in_hand_; }
  bool has_reach() const override { return false; }
  bool draws_curves() const override {
    return std::ranges::all_of(kAll, [&](std::size_t i) { return !is_held(i); });
  }
  double by_time(const Eigen::Vector3d& d_W) const override {
    SubMovement movement;
    movement.d_V = d_W;
    return holding(movement) > 0.0 ? config_.speed : 0.0;
  }
  double time_of(const Eigen::Vector3d& d_V, const Eigen::Vector3d& phi_V, double peak,
                 double time) const override {
    const SubMovement movement{{}, {}, d_V, phi_V};
    const bool deflects = std::ranges::any_of(
        kAll, [&](std::size_t i) { return is_deflected(i) && part(movement, i) != 0.0; });
    if (!deflects) return holding(movement);
    // the axes are deflected to their ends at most
    return holding(movement) + std::max({time, peak / config_.speed,
                                         kMinimumJerkPeak * phi_V.norm() / config_.angular_speed});
  }
  // fingers come off, and everything springs back
  SubMovement stopped(const SubMovement&, Nanoseconds now, double) const override {
    SubMovement rest;
    rest.start = now;
    return rest;
  }

 protected:
  bool offers(const Control& control) const override {
    const auto same = [&](const std::optional<Control>& other) {
      return other && other->is_axis == control.is_axis && other->index == control.index;
    };
    return std::ranges::none_of(drives_, [&](const Drive& drive) {
      return (drive.axis && control.is_axis && *drive.axis == control.index) || same(drive.plus) ||
             same(drive.minus);
    });
  }

  void write_movement(const SubMovement& movement, const Eigen::Vector3d& /*tremor*/,
                      Nanoseconds now, DeviceSample& sample) const override {
    const double t = seconds(now - movement.start);
    const double deflecting = seconds(movement.duration) - holding(movement);
    double held_from = deflecting;
    for (std::size_t i = 0; i < 6; ++i) {
      const Drive& drive = drives_[i];
      const double speed = i < 3 ? config_.speed : config_.angular_speed;
      if (is_deflected(i)) {
        const double rate =
            t < deflecting ? rate_of(movement, i, t / deflecting) / deflecting : 0.0;
        sample.set_axis(*drive.axis, drive.sign * inverse_response(rate / speed, config_.response));
      } else if (is_held(i)) {
        const double until = held_from + hold(movement, i);
        const bool down = t >= held_from && t < until && !movement.over(now);
        held_from = until;
        const double way = down ? std::copysign(1.0, part(movement, i)) : 0.0;
        if (drive.axis) sample.set_axis(*drive.axis, drive.sign * way);
        set(drive.plus, way > 0.0, sample);
        set(drive.minus, way < 0.0, sample);
      }
    }
  }

 private:
  static constexpr std::array<std::size_t, 6> kAll = {0, 1, 2, 3, 4, 5};
  struct Drive {
    double sign = 1.0;
    std::optional<std::size_t> axis;
    std::optional<Control> plus, minus;
  };

  bool is_deflected(std::size_t i) const { return drives_[i].axis && !config_.keys; }
  bool is_held(std::size_t i) const {
    const Drive& drive = drives_[i];
    return drive.plus || drive.minus || (drive.axis && config_.keys);
  }
  /// Of a movement along or about axis i [m, rad].
  static double part(const SubMovement& movement, std::size_t i) {
    const auto k = static_cast<Eigen::Index>(i % 3);
    return i < 3 ? movement.d_V[k] : movement.phi_V[k];
  }
  /// Its derivative by the share of its time.
  static double rate_of(const SubMovement& movement, std::size_t i, double x) {
    if (i < 3 && movement.through) return movement.through->rate(x)[static_cast<Eigen::Index>(i)];
    return minimum_jerk_rate(x) * part(movement, i);
  }
  /// How long a key of axis i is down [s].
  double hold(const SubMovement& movement, std::size_t i) const {
    if (!is_held(i)) return 0.0;
    const double way = part(movement, i);
    if (way > 0.0 ? !drives_[i].axis && !drives_[i].plus : !drives_[i].axis && !drives_[i].minus)
      return 0.0;
    const double time = std::abs(way) / (i < 3 ? config_.speed : config_.angular_speed);
    return time < 0.5 * kTap ? 0.0 : std::max(kTap, time);
  }
  double holding(const SubMovement& movement) const {
    double sum = 0.0;
    for (const std::size_t i : kAll) sum += hold(movement, i);
    return sum;
  }
  static void set(const std::optional<Control>& control, bool down, DeviceSample& sample) {
    if (!control) return;
    if (control->is_axis)
      sample.set_axis(control->index, down ? 1.0 : 0.0);
    else
      sample.set_button(control->index, down);
  }

  HeldRatesConfig config_;
  bool in_hand_;
  std::array<Drive, 6> drives_;
};

struct JoystickHeld : HeldRatesConfig {
  JoystickHeld() {
    axes = {"axis0", "axis1"};
    buttons = {"button0"};
  }
};

struct KeysHeld : HeldRatesConfig {
  KeysHeld() {
    keys = true;
    axes = {"x", "y", "z", "roll", "pitch", "yaw"};
    buttons = {"stop", "speed.up", "speed.down"};
    const auto binding = [&](std::size_t i) { return RateBinding{axes[i], 1.0, {}, {}}; };
    drives = {binding(0), binding(1), binding(2), binding(3), binding(4), binding(5)};
  }
};

std::optional<Fault> check_drives(const HeldRatesConfig& config) {
  const std::vector<std::string> buttons = buttons_of(config);
  if (auto fault = controls_named_twice(config.axes, buttons)) return fault;
  std::vector<std::string> all = config.axes;
  all.insert(all.end(), buttons.begin(), buttons.end());
  bool moves = false;
  for (std::size_t i = 0; i < 6; ++i) {
    if (!config.drives[i]) continue;
    moves = true;
    const RateBinding& binding = *config.drives[i];
    if (!binding.axis.empty() && !std::ranges::count(config.axes, binding.axis))
      return Fault{fmt::format("has '{}', which is not an axis", shown(binding.axis)),
                   did_you_mean(binding.axis, config.axes, "there are"), "drives"};
    for (const auto* control : {&binding.plus, &binding.minus})
      if (!control->empty() && !std::ranges::count(all, *control))
        return Fault{fmt::format("has '{}', which is not a control", shown(*control)),
                     did_you_mean(*control, all, "there are"), "drives"};
  }
  if (moves) return std::nullopt;
  return Fault{"moves nothing", "give one of x, y, z, roll, pitch, yaw at least", "drives"};
}

template <class T>
ObjectSchema<T> with_rates(const ObjectSchema<T>& schema) {
  using C = HeldRatesConfig;
  const auto rate = rate_binding_schema();
  const auto drives =
      object<DrivesConfig>("Drives",
                           "what moves E along and about the world's axes, as the jog "
                           "that listens has it")
          .optional("x", &DrivesConfig::x, rate)
          .optional("y", &DrivesConfig::y, rate)
          .optional("z", &DrivesConfig::z, rate)
          .optional("roll", &DrivesConfig::roll, rate)
          .optional("pitch", &DrivesConfig::pitch, rate)
          .optional("yaw", &DrivesConfig::yaw, rate);
  return schema.optional("hand", &C::hand, holding_hand_schema(), "that holds it")
      .optional("buttons", &C::buttons, list(text()), "their names")
      .optional("drives", &C::drives, drives)
      .optional("speed", &C::speed, number("m/s").above(0).max(10), "likewise")
      .optional("angular_speed", &C::angular_speed, number("rad/s").above(0).max(20), "likewise")
      .check([](const T& config) { return check_drives(config); },
             "drives name controls that there are");
}

}  // namespace

void register_held_rates(HeldDeviceRegistry& registry) {
  registry.add("joystick",
               with_rates(object<JoystickHeld>("HeldJoystick")
                              .optional("axes", &HeldRatesConfig::axes, list(text()), "their names")
                              .optional("hats", &HeldRatesConfig::hats, integer().min(0).max(4),
                                        "each is four buttons: hat0.up")
                              .optional("response", &HeldRatesConfig::response, response_schema(),
                                        "as the jog that listens has it")),
               "axes, buttons and hats that give rates, as joysticks and gamepads do",
               [](const JoystickHeld& config, const HeldContext& context) {
                 return std::make_unique<HeldRates>(config, context);
               });
  registry.add("keys", with_rates(object<KeysHeld>("HeldKeys")),
               "a keyboard's keys, by which axes x, y, z, roll, pitch and yaw are -1, 0 or 1",
               [](const KeysHeld& config, const HeldContext& context) {
                 return std::make_unique<HeldRates>(config, context);
               });
}

}  // namespace handspan
