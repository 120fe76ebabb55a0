#pragma once
// Joysticks that exist in SDL only, and the devices of the tests that read them. Names are those of
// no real device, so that what is plugged into the machine does not matter.
#include <SDL.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>

#include "core/config.hpp"
#include "device/device.hpp"
#include "device/device_parts.hpp"
#include "device/sdl_devices.hpp"
#include "reference/mailbox.hpp"
#include "support/parts.hpp"

namespace handspan::test {

/// A generous bound of what comes in milliseconds.
inline constexpr std::chrono::seconds kLong{20};

/// Until it holds. @return whether it did
template <class Condition>
bool wait_for(Condition&& holds) {
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

struct VirtualStickConfig {
  SDL_JoystickType type = SDL_JOYSTICK_TYPE_GAMECONTROLLER;
  int axes = 6, buttons = 21, hats = 0;
  Uint16 vendor = 0x6873, product = 1;
};

/// Attached as long as it lives.
class VirtualStick {
 public:
  using Config = VirtualStickConfig;

  explicit VirtualStick(const std::string& name, const Config& config = Config()) {
    SDL_LockJoysticks();
    SDL_VirtualJoystickDesc description{};
    description.version = SDL_VIRTUAL_JOYSTICK_DESC_VERSION;
    description.type = static_cast<Uint16>(config.type);
    description.naxes = static_cast<Uint16>(config.axes);
    description.nbuttons = static_cast<Uint16>(config.buttons);
    description.nhats = static_cast<Uint16>(config.hats);
    description.vendor_id = config.vendor;
    description.product_id = config.product;
    description.name = name.c_str();
    description.userdata = this;
    description.Rumble = [](void* self, Uint16 low, Uint16 high) {
      static_cast<VirtualStick*>(self)->rumbled_ = (Uint32{low} << 16) | high;
      ++static_cast<VirtualStick*>(self)->rumbles_;
      return 0;
    };
    const int index = SDL_JoystickAttachVirtualEx(&description);
    EXPECT_GE(index, 0) << SDL_GetError();
    joystick_ = SDL_JoystickOpen(index);
    instance_ = SDL_JoystickInstanceID(joystick_);
    // triggers at rest
    if (config.type == SDL_JOYSTICK_TYPE_GAMECONTROLLER) {
      axis(4, -32768);
      axis(5, -32768);
    }
    SDL_UnlockJoysticks();
  }
  ~VirtualStick() { unplug(); }
  VirtualStick(const VirtualStick&) = delete;
  VirtualStick& operator=(const VirtualStick&) = delete;

  void axis(int index, Sint16 value) { SDL_JoystickSetVirtualAxis(joystick_, index, value); }
  void button(int index, bool down) {
    SDL_JoystickSetVirtualButton(joystick_, index, down ? SDL_PRESSED : SDL_RELEASED);
  }
  void hat(int index, Uint8 value) { SDL_JoystickSetVirtualHat(joystick_, index, value); }
  void unplug() {
    if (joystick_ == nullptr) return;
    SDL_LockJoysticks();
    for (int i = 0; i < SDL_NumJoysticks(); ++i)
      if (SDL_JoystickGetDeviceInstanceID(i) == instance_) {
        SDL_JoystickDetachVirtual(i);
        break;
      }
    SDL_JoystickClose(joystick_);
    SDL_UnlockJoysticks();
    joystick_ = nullptr;
  }
  /// As SDL reads it as a gamepad.
  std::string mapping() const {
    SDL_LockJoysticks();
    std::string text;
    for (int i = 0; i < SDL_NumJoysticks(); ++i)
      if (SDL_JoystickGetDeviceInstanceID(i) == instance_) {
        char* mapping = SDL_GameControllerMappingForDeviceIndex(i);
        text = mapping == nullptr ? "" : mapping;
        SDL_free(mapping);
      }
    SDL_UnlockJoysticks();
    return text;
  }
  /// Low frequency in the upper 16 bits.
  Uint32 rumbled() const { return rumbled_; }
  int rumbles() const { return rumbles_; }

 private:
  SDL_Joystick* joystick_ = nullptr;
  SDL_JoystickID instance_ = -1;
  std::atomic<Uint32> rumbled_{0};
  std::atomic<int> rumbles_{0};
};

/// A device made from YAML, such as "{type: gamepad, name: mine}", and what came from it.
class OpenDevice {
 public:
  explicit OpenDevice(const std::string& yaml, const std::string& name = "pad")
      : device_(parse_yaml(yaml, "test.yaml",
                           parts_of<register_devices>().of<DeviceRegistry>().schema())
                    .make(DeviceContext{name, 0})) {}

  Device& device() { return *device_; }
  const DeviceLayout& layout() const { return device_->layout(); }
  void open() { device_->open(mailbox_); }
  /// All that has come. @return how many
  int take() {
    int count = 0;
    while (mailbox_.take(input_)) ++count;
    taken_ += count;
    return count;
  }
  int taken() const { return taken_; }
  const Input& last() const { return input_; }
  /// Of the last that was taken; NaN when there is no control of that name.
  double operator[](const std::string& name) const {
    const DeviceLayout& l = layout();
    for (std::size_t i = 0; i < l.axes.size(); ++i)
      if (l.axes[i] == name) return input_.numbers[l.first_axis() + i];
    for (std::size_t i = 0; i < l.buttons.size(); ++i)
      if (l.buttons[i] == name) return input_.numbers[l.first_button() + i];
    return NAN;
  }
  /// Waits until the sample says so.
  testing::AssertionResult says(const std::string& name, double value, double tolerance = 1e-9) {
    const auto holds = [&] {
      take();
      return std::isnan(value) ? taken_ > 0 && std::isnan((*this)[name])
                               : std::abs((*this)[name] - value) <= tolerance;
    };
    if (wait_for(holds)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << name << " is " << (*this)[name] << ", not " << value;
  }
  /// Waits for some more.
  bool more(int count) {
    const int end = taken_ + count;
    return wait_for([&] {
      take();
      return taken_ >= end;
    });
  }

 private:
  Mailbox mailbox_;
  Input input_;
  int taken_ = 0;
  std::unique_ptr<Device> device_;  // ends before its mailbox does
};

/// SDL runs for the sticks, whether a device is open or not.
class WithSdl : public testing::Test {
 protected:
  WithSdl() {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    EXPECT_EQ(SDL_InitSubSystem(SDL_INIT_JOYSTICK | SDL_INIT_GAMECONTROLLER), 0) << SDL_GetError();
  }
  ~WithSdl() override { SDL_QuitSubSystem(SDL_INIT_JOYSTICK | SDL_INIT_GAMECONTROLLER); }
};

}  // namespace handspan::test
