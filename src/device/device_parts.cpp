#include "device/device_parts.hpp"

#include "device/headset.hpp"
#include "device/page_device.hpp"
#include "device/sdl_devices.hpp"
#include "device/terminal_keyboard.hpp"

namespace handspan {

void register_devices(Parts& parts) {
  DeviceRegistry& devices = parts.of<DeviceRegistry>();
  register_headset(devices);
  register_page_device(devices);
  register_sdl_devices(devices);
  register_terminal_keyboard(devices);
}

}  // namespace handspan
