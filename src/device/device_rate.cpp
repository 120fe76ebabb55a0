#include "device/device_rate.hpp"

#include <algorithm>
#include <cmath>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

Schema<RateBinding> rate_binding_schema() {
  const Schema<RateBinding> full =
      object<RateBinding>("Rate", "an axis of the device, or a button for each direction")
          .optional("axis", &RateBinding::axis, text())
          .optional("sign", &RateBinding::sign, choice<double>({{"1", 1.0}, {"-1", -1.0}}),
                    "-1: the other way round")
          .optional("plus", &RateBinding::plus, text(), "button, or axis used as one")
          .optional("minus", &RateBinding::minus, text())
          .check(
              [](const RateBinding& b) -> std::optional<Fault> {
                const bool buttons = !b.plus.empty() || !b.minus.empty();
                if (b.axis.empty() != buttons)
                  return Fault{
                      b.axis.empty() ? "has neither axis nor buttons" : "has an axis and buttons",
                      "give axis, or plus and minus"};
                if (buttons && b.sign < 0.0)
                  return Fault{"is for an axis", "exchange plus and minus instead", "sign"};
                return std::nullopt;
              },
              "axis, or plus and minus");
  Description description = full.description();
  description.rules.push_back("or the axis alone, '-' before it for the other way round");
  return {[full](const Node& node, Reader& reader) -> std::optional<RateBinding> {
            if (node.kind() != Node::Kind::kScalar) return full.read(node, reader);
            std::optional<std::string> name = text().read(node, reader);
            if (!name) return std::nullopt;
            RateBinding binding;
            if (name->starts_with('-')) binding.sign = -1.0;
            binding.axis = name->substr(binding.sign < 0.0 ? 1 : 0);
            return binding;
          },
          std::move(description)};
}

RateInput::RateInput(const RateBinding& binding, const DeviceState& device) : sign_(binding.sign) {
  if (!binding.axis.empty()) axis_ = device.axis_index(binding.axis);
  if (!binding.plus.empty()) plus_ = device.control(binding.plus);
  if (!binding.minus.empty()) minus_ = device.control(binding.minus);
}

double RateInput::value(const DeviceState& device) const {
  if (axis_) return sign_ * device.axis(*axis_);
  double value = 0.0;
  if (plus_ && device.pressed(*plus_)) value += 1.0;
  if (minus_ && device.pressed(*minus_)) value -= 1.0;
  return value;
}

double respond(double x, const ResponseConfig& r) {
  const double beyond = (std::min(1.0, std::abs(x)) - r.dead_zone) / (1.0 - r.dead_zone);
  return beyond <= 0.0 ? 0.0 : std::copysign(std::pow(beyond, r.exponent), x);
}

Schema<ResponseConfig> response_schema() {
  return object<ResponseConfig>("Response", "how a deflection becomes a rate")
      .optional("dead_zone", &ResponseConfig::dead_zone, number().min(0).max(0.9),
                "less is nothing; beyond it a rate begins at 0")
      .optional("exponent", &ResponseConfig::exponent, number().min(0.2).max(5),
                "above 1: finer near rest");
}

SpeedScale::SpeedScale(const SpeedScaleConfig& config, const DeviceState& device)
    : config_(config), value_(config.start) {
  if (config.faster) controls_[0] = device.control(*config.faster);
  if (config.slower) controls_[1] = device.control(*config.slower);
}

void SpeedScale::begin(const DeviceState& device) {
  for (std::size_t i = 0; i < 2; ++i) was_[i] = controls_[i] && device.pressed(*controls_[i]);
}

void SpeedScale::update(const DeviceState& device) {
  for (std::size_t i = 0; i < 2; ++i) {
    const bool is = controls_[i] && device.pressed(*controls_[i]);
    if (is && !was_[i])
      value_ = std::clamp(i == 0 ? value_ * config_.step : value_ / config_.step, config_.min,
                          config_.max);
    was_[i] = is;
  }
}

Schema<SpeedScaleConfig> speed_scale_schema() {
  return object<SpeedScaleConfig>("SpeedScale", "of the full speed, stepped by buttons")
      .optional("faster", &SpeedScaleConfig::faster, text(), "control of the device")
      .optional("slower", &SpeedScaleConfig::slower, text())
      .optional("step", &SpeedScaleConfig::step, number().above(1).max(10), "factor a press")
      .optional("min", &SpeedScaleConfig::min, number().above(0).max(1))
      .optional("max", &SpeedScaleConfig::max, number().above(0).max(1))
      .optional("start", &SpeedScaleConfig::start, number().above(0).max(1))
      .check(
          [](const SpeedScaleConfig& c) -> std::optional<Fault> {
            if (c.min <= c.start && c.start <= c.max) return std::nullopt;
            return Fault{"is not from min to max", "min <= start <= max must hold", "start"};
          },
          "min <= start <= max");
}

DeadMan::DeadMan(const std::optional<std::string>& control, const DeviceState& device) {
  if (control) control_ = device.control(*control);
  open();
}

void DeadMan::open() {
  closed_ = may_close_ = false;
  why_ = control_ ? Why::kHeldBefore : Why::kNotAtRest;
}

bool DeadMan::update(const DeviceState& device, bool at_rest) {
  if (!device.present()) {
    closed_ = may_close_ = false;
    why_ = Why::kBroken;
    break_ = device.why();
    return false;
  }
  if (why_ == Why::kBroken) open();
  if (!control_) {
    closed_ = closed_ || at_rest;
    return closed_;
  }
  if (!device.pressed(*control_)) {
    // an axis that was not seen at rest since the interruption is not released
    may_close_ = may_close_ || device.believed(*control_);
    closed_ = false;
    if (!device.valid(*control_))
      why_ = Why::kNoValue;
    else
      why_ = may_close_ ? Why::kOpen : Why::kHeldBefore;
    return false;
  }
  if (!may_close_ && !closed_) why_ = Why::kHeldBefore;
  closed_ = closed_ || may_close_;
  return closed_;
}

const char* DeadMan::reason() const {
  switch (why_) {
    case Why::kOpen:
      return "the dead man's button is not held – hold it to move";
    case Why::kHeldBefore:
      return "the dead man's button was held before – release it, press again";
    case Why::kNotAtRest:
      return "an axis or button is held – let it go first";
    case Why::kNoValue:
      return "the dead man's button gives no value – check the device";
    case Why::kBroken:
      return text_of(break_);
  }
  return "";
}

bool has_control(const DeviceState& device, std::string_view name) {
  return std::ranges::count(device.layout().axes, name) +
             std::ranges::count(device.layout().buttons, name) >
         0;
}

}  // namespace handspan
