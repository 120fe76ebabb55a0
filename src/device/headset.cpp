#include "device/headset.hpp"

#include "core/object.hpp"

namespace handspan {
namespace {

struct HeadsetConfig {};

class Headset : public Device {
 public:
  const DeviceLayout& layout() const override { return headset_layout(); }
};

}  // namespace

const DeviceLayout& headset_layout() {
  static const DeviceLayout layout = {
      {"left", "right", "head"},
      {"left.trigger", "left.squeeze", "left.stick_x", "left.stick_y", "right.trigger",
       "right.squeeze", "right.stick_x", "right.stick_y"},
      {"left.primary", "left.secondary", "left.stick", "right.primary", "right.secondary",
       "right.stick"},
      {{"left.rumble"}, {"right.rumble"}}};
  return layout;
}

void register_headset(DeviceRegistry& registry) {
  registry.add(
      "headset", object<HeadsetConfig>("Headset"),
      "a WebXR headset with controllers or hands: from the station or a recording",
      [](const HeadsetConfig&, const DeviceContext&) { return std::make_unique<Headset>(); });
}

}  // namespace handspan
