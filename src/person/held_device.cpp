#include "person/held_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"

namespace handspan {

const char* name_of_side(std::size_t side) { return side == 0 ? "left" : "right"; }

Schema<HoldingHand> holding_hand_schema() {
  return choice<HoldingHand>({{"left", HoldingHand::kLeft}, {"right", HoldingHand::kRight}});
}

std::optional<Fault> controls_named_twice(const std::vector<std::string>& axes,
                                          const std::vector<std::string>& buttons) {
  std::set<std::string> seen;
  for (const auto* names : {&axes, &buttons})
    for (const std::string& name : *names)
      if (!seen.insert(name).second)
        return Fault{fmt::format("names '{}' twice", name), "give each control a name of its own"};
  return std::nullopt;
}

HeldDevice::HeldDevice(const HeldContext& context, const DeviceLayout& layout)
    : context_(context), layout_(layout) {}

std::size_t HeldDevice::control(const std::string& name) {
  std::vector<std::string> names;
  std::optional<Control> found;
  for (const bool is_axis : {true, false}) {
    const auto& all = is_axis ? layout_.axes : layout_.buttons;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Control control{is_axis, i};
      if (!in_hand() || !offers(control)) continue;
      names.push_back(all[i]);
      if (all[i] == name) found = control;
    }
  }
  const char* side = name_of_side(context_.side);
  if (!found)
    throw InputError(names.empty()
                         ? fmt::format("the {} hand holds nothing with a control '{}'; give its "
                                       "actions to the other hand",
                                       side, shown(name))
                         : fmt::format("the {} hand has no control '{}'; {}", side, shown(name),
                                       did_you_mean(name, names, "it has")));
  for (std::size_t i = 0; i < pressed_.size(); ++i)
    if (pressed_[i].control.is_axis == found->is_axis && pressed_[i].control.index == found->index)
      return i;
  pressed_.push_back({*found, 0.0, 0.0});
  return pressed_.size() - 1;
}

void HeldDevice::set(const std::vector<std::size_t>& controls, bool down) {
  for (const std::size_t c : controls) pressed_[c].target = down ? 1.0 : 0.0;
}

bool HeldDevice::settled(const std::vector<std::size_t>& controls) const {
  return std::ranges::all_of(
      controls, [&](std::size_t c) { return pressed_[c].value == pressed_[c].target; });
}

bool HeldDevice::all_are(const std::vector<std::size_t>& controls, double value) const {
  return std::ranges::all_of(controls, [&](std::size_t c) { return pressed_[c].value == value; });
}

bool HeldDevice::any_axis(const std::vector<std::size_t>& controls) const {
  return std::ranges::any_of(controls, [&](std::size_t c) { return pressed_[c].control.is_axis; });
}

void HeldDevice::work(double dt) {
  for (Pressed& pressed : pressed_) {
    const double most = pressed.control.is_axis && context_.press > 0.0 ? dt / context_.press : 1.0;
    pressed.value += std::clamp(pressed.target - pressed.value, -most, most);
  }
}

void HeldDevice::release_all() {
  for (Pressed& pressed : pressed_) pressed.target = 0.0;
}

void HeldDevice::reset() {
  for (Pressed& pressed : pressed_) pressed.target = pressed.value = 0.0;
}

void HeldDevice::write(const SubMovement& movement, const Eigen::Vector3d& tremor, Nanoseconds now,
                       DeviceSample& sample) const {
  if (!in_hand()) return;
  write_movement(movement, tremor, now, sample);
  for (const Pressed& pressed : pressed_) {
    if (pressed.control.is_axis)
      sample.set_axis(pressed.control.index, pressed.value);
    else
      sample.set_button(pressed.control.index, pressed.value > 0.5);
  }
}

}  // namespace handspan
