#include "device/sdl_devices.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "device/device_parts.hpp"
#include "device/virtual_stick.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace sdl_devices_test {

using test::OpenDevice;
using test::VirtualStick;

class SdlDevices : public test::WithSdl {};

std::string refusal(const std::string& yaml) {
  try {
    parse_yaml(yaml, "d.yaml", parts_of<register_devices>().of<DeviceRegistry>().schema());
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST_F(SdlDevices, EachAxisOfAGamepadReachesItsNumberWithItsSign) {
  VirtualStick stick("handspan pad");
  OpenDevice pad("{type: gamepad, name: handspan pad}");
  pad.open();
  // SDL's order is left x y, right x y, triggers; its y is positive down
  const struct {
    const char* name;
    int axis;
    Sint16 value;
    double expected;
  } cases[] = {{"left.stick_x", 0, 32767, 1.0},   {"left.stick_x", 0, -32768, -1.0},
               {"left.stick_y", 1, -32768, 1.0},  {"left.stick_y", 1, 32767, -1.0},
               {"right.stick_x", 2, 32767, 1.0},  {"right.stick_x", 2, -16384, -0.5},
               {"right.stick_y", 3, -32768, 1.0}, {"right.stick_y", 3, 16384, -16384.0 / 32767.0},
               {"left.trigger", 4, 32767, 1.0},   {"right.trigger", 5, 32767, 1.0},
               {"left.trigger", 4, -32768, 0.0},  {"right.trigger", 5, -32768, 0.0}};
  for (const auto& c : cases) {
    for (const auto& axis : pad.layout().axes) {
      stick.axis(
          static_cast<int>(std::ranges::find(pad.layout().axes, axis) - pad.layout().axes.begin()),
          axis.ends_with("trigger") ? Sint16{-32768} : Sint16{0});
      EXPECT_TRUE(pad.says(axis, 0.0));
    }
    stick.axis(c.axis, c.value);
    EXPECT_TRUE(pad.says(c.name, c.expected)) << c.name << " " << c.value;
    for (const auto& axis : pad.layout().axes)
      if (axis != c.name) {
        EXPECT_EQ(pad[axis], 0.0) << axis << " moved with " << c.name;
      }
  }
}

TEST_F(SdlDevices, EachButtonOfAGamepadReachesItsNumber) {
  // as SDL numbers them
  const std::vector<std::string> names = {
      "south",     "east",       "west",        "north",         "back",           "guide",
      "start",     "left.stick", "right.stick", "left.shoulder", "right.shoulder", "dpad.up",
      "dpad.down", "dpad.left",  "dpad.right",  "misc",          "paddle1",        "paddle2",
      "paddle3",   "paddle4",    "touchpad"};
  VirtualStick stick("handspan full pad", {.product = 20});
  // SDL's own mapping of virtual pads leaves out the touchpad
  std::string mapping = stick.mapping();
  mapping.insert(mapping.find("crc:"), "touchpad:b20,");
  ASSERT_GE(SDL_GameControllerAddMapping(mapping.c_str()), 0) << SDL_GetError();
  OpenDevice pad("{type: gamepad, name: handspan full pad}");
  pad.open();
  ASSERT_EQ(pad.layout().buttons.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    stick.button(static_cast<int>(i), true);
    EXPECT_TRUE(pad.says(names[i], 1.0)) << names[i];
    double down = 0.0;
    for (const auto& other : names) down += pad[other];
    EXPECT_EQ(down, 1.0) << "with " << names[i];
    stick.button(static_cast<int>(i), false);
    EXPECT_TRUE(pad.says(names[i], 0.0)) << names[i];
  }
}

TEST_F(SdlDevices, WhatAPadHasNotIsNeverValid) {
  VirtualStick stick("handspan small pad", {.axes = 2, .buttons = 11});
  OpenDevice pad("{type: gamepad, name: handspan small pad}");
  pad.open();
  EXPECT_TRUE(pad.says("south", 0.0));
  EXPECT_TRUE(std::isnan(pad["touchpad"]));
  EXPECT_TRUE(std::isnan(pad["paddle1"]));
  EXPECT_TRUE(std::isnan(pad["right.trigger"]));
  EXPECT_EQ(pad["left.stick_x"], 0.0);
}

TEST_F(SdlDevices, AJoystickHasTheAxesButtonsAndHatsThatTheAppAsksFor) {
  VirtualStick stick("handspan stick",
                     {.type = SDL_JOYSTICK_TYPE_FLIGHT_STICK, .axes = 4, .buttons = 5, .hats = 2});
  OpenDevice device(
      "{type: joystick, name: handspan stick, axes: [x, y, throttle], inverted: [y], buttons: 5, "
      "hats: 2}");
  device.open();
  EXPECT_EQ(device.layout().axes, (std::vector<std::string>{"x", "y", "throttle"}));
  EXPECT_EQ(device.layout().buttons,
            (std::vector<std::string>{"button0", "button1", "button2", "button3", "button4",
                                      "hat0.up", "hat0.down", "hat0.left", "hat0.right", "hat1.up",
                                      "hat1.down", "hat1.left", "hat1.right"}));
  stick.axis(0, 32767);
  EXPECT_TRUE(device.says("x", 1.0));
  stick.axis(1, 32767);
  EXPECT_TRUE(device.says("y", -1.0));
  stick.axis(2, -32768);
  EXPECT_TRUE(device.says("throttle", -1.0));
  stick.button(4, true);
  EXPECT_TRUE(device.says("button4", 1.0));
  EXPECT_EQ(device["button3"], 0.0);
  stick.hat(1, SDL_HAT_RIGHTUP);
  EXPECT_TRUE(device.says("hat1.right", 1.0));
  EXPECT_EQ(device["hat1.up"], 1.0);
  EXPECT_EQ(device["hat1.left"], 0.0);
  EXPECT_EQ(device["hat0.right"], 0.0);
  stick.hat(0, SDL_HAT_LEFTDOWN);
  EXPECT_TRUE(device.says("hat0.left", 1.0));
  EXPECT_EQ(device["hat0.down"], 1.0);
}

TEST_F(SdlDevices, AThreeDMouseSpeaksInTheFrameOfWhoSitsBeforeIt) {
  VirtualStick stick(
      "handspan 3-D mouse",
      {.type = SDL_JOYSTICK_TYPE_UNKNOWN, .axes = 6, .buttons = 2, .vendor = 0x256f, .product = 9});
  OpenDevice mouse("{type: space_mouse, guid: " + [&] {
    for (const auto& a : attached_sdl_devices())
      if (a.name == "handspan 3-D mouse") return a.guid;
    return std::string("none");
  }() + "}");
  mouse.open();
  // the device's own axes: right, towards the person, down; rotations about them
  const struct {
    int axis;
    const char* name;
  } cases[] = {{1, "x"}, {0, "y"}, {2, "z"}, {4, "roll"}, {3, "pitch"}, {5, "yaw"}};
  for (const auto& c : cases) {
    stick.axis(c.axis, 32767);
    EXPECT_TRUE(mouse.says(c.name, -1.0)) << c.name;
    for (const auto& axis : mouse.layout().axes)
      if (axis != c.name) {
        EXPECT_EQ(mouse[axis], 0.0) << axis << " moved with " << c.name;
      }
    stick.axis(c.axis, 0);
    EXPECT_TRUE(mouse.says(c.name, 0.0)) << c.name;
  }
  stick.button(1, true);
  EXPECT_TRUE(mouse.says("button1", 1.0));
}

TEST_F(SdlDevices, AnotherMakersThreeDMouseIsDescribedByOrderAndSign) {
  VirtualStick stick("handspan other mouse",
                     {.type = SDL_JOYSTICK_TYPE_UNKNOWN, .axes = 7, .buttons = 0, .product = 10});
  OpenDevice mouse(
      "{type: space_mouse, name: handspan other mouse, buttons: 0, order: [6, 1, 2, 3, 4, 0], "
      "sign: [1, 1, -1, 1, 1, 1]}");
  mouse.open();
  stick.axis(6, 32767);
  EXPECT_TRUE(mouse.says("x", 1.0));
  stick.axis(2, 32767);
  EXPECT_TRUE(mouse.says("z", -1.0));
  stick.axis(0, -32768);
  EXPECT_TRUE(mouse.says("yaw", -1.0));
}

TEST_F(SdlDevices, SamplesComeWhenNothingChangesToo) {
  VirtualStick stick("handspan pad");
  OpenDevice pad("{type: gamepad, name: handspan pad}");
  pad.open();
  ASSERT_TRUE(pad.says("left.stick_x", 0.0));
  const Nanoseconds before = pad.last().stamp;
  EXPECT_TRUE(pad.more(20));
  // not more often than it asks for
  EXPECT_GT(pad.last().stamp - before, 19 * 8'000'000);
}

TEST_F(SdlDevices, RumbleReachesTheMotorsAndEndsWithTheDevice) {
  VirtualStick stick("handspan pad");
  OpenDevice pad("{type: gamepad, name: handspan pad}");
  pad.open();
  const test::AllocationCount allocations;
  pad.device().output(0, std::array{1.0});
  pad.device().output(1, std::array{0.5});
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(test::wait_for([&] { return stick.rumbled() == 0xffff8000U; })) << stick.rumbled();
  pad.device().output(0, std::array{0.0});
  EXPECT_TRUE(test::wait_for([&] { return stick.rumbled() == 0x00008000U; })) << stick.rumbled();
  pad.device().output(1, std::array{7.0});
  EXPECT_TRUE(test::wait_for([&] { return stick.rumbled() == 0x0000ffffU; })) << stick.rumbled();
  pad.device().close();
  EXPECT_EQ(stick.rumbled(), 0U);
}

TEST_F(SdlDevices, AMotorGoesOnBeyondTheTimeThatSdlGivesIt) {
  VirtualStick stick("handspan pad");
  OpenDevice pad("{type: gamepad, name: handspan pad}");
  pad.open();
  pad.device().output(0, std::array{1.0});
  ASSERT_TRUE(test::wait_for([&] { return stick.rumbled() == 0xffff0000U; }));
  const Nanoseconds start = pad.more(1) ? pad.last().stamp : 0;
  // SDL would have stopped it after a second
  while (pad.last().stamp < start + 2 * kSecond) {
    ASSERT_TRUE(pad.more(1));
    ASSERT_EQ(stick.rumbled(), 0xffff0000U);
  }
}

TEST_F(SdlDevices, WhatIsNotThereIsNamedWithWhatIs) {
  VirtualStick stick("handspan pad");
  OpenDevice pad("{type: gamepad, name: handspan nothing}", "left");
  try {
    pad.open();
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("device 'left': no gamepad that is asked for is attached"),
              std::string::npos)
        << what;
    EXPECT_NE(what.find("'handspan pad' (its name is another)"), std::string::npos) << what;
    EXPECT_NE(what.find("`handspan devices`"), std::string::npos) << what;
  }
  pad.device().close();
}

TEST_F(SdlDevices, LayoutsAreKnownWithoutTheDevice) {
  const OpenDevice stick("{type: joystick, axes: 3, buttons: [fire]}");
  EXPECT_EQ(stick.layout().numbers(), 4U);
  ASSERT_EQ(stick.layout().outputs.size(), 2U);
  EXPECT_EQ(stick.layout().outputs[1].name, "right.rumble");
  EXPECT_EQ(stick.layout().outputs[1].size, 1U);
}

TEST_F(SdlDevices, APageThatTakesOverFillsTheSameLayout) {
  OpenDevice pad("{type: gamepad}");
  EXPECT_FALSE(pad.device().takes_samples());
  EXPECT_TRUE(pad.device().gives_way());
  // each control that browsers know too, and each under its own name
  const auto feeds = pad.device().page_feeds();
  EXPECT_EQ(feeds.size(), 21U);  // 6 axes, 15 buttons
  for (const PageFeed& feed : feeds) {
    EXPECT_EQ(feed.axis, "pad." + feed.control);
    EXPECT_EQ(feed.sign, 1.0);
  }
  OpenDevice stick("{type: joystick, axes: [x, twist], buttons: [fire], inverted: [twist]}");
  const auto three = stick.device().page_feeds();
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[1].control, "twist");
  EXPECT_EQ(three[1].axis, "stick.axis1");
  EXPECT_EQ(three[1].sign, -1.0);
  EXPECT_EQ(three[2].axis, "stick.button0");
}

TEST_F(SdlDevices, BadConfigurationsAreRefused) {
  EXPECT_EQ(refusal("{type: gamepad, rate: 5}"), "d.yaml:1: rate is 5; it must be >= 20 Hz");
  EXPECT_EQ(refusal("{type: joystick, axes: [x, x]}"),
            "d.yaml:1: the file names 'x' twice; give each control a name of its own");
  EXPECT_EQ(refusal("{type: joystick, axes: [x], buttons: [x]}"),
            "d.yaml:1: the file names 'x' twice; give each control a name of its own");
  EXPECT_EQ(refusal("{type: joystick, axes: 2, inverted: [axis2]}"),
            "d.yaml:1: inverted has 'axis2', which is not an axis; did you mean 'axis0'?");
  EXPECT_EQ(refusal("{type: joystick, axes: 65}"), "d.yaml:1: axes is 65; it must be <= 64");
  EXPECT_EQ(refusal("{type: space_mouse, order: [0, 1, 2, 3, 4, 4]}"),
            "d.yaml:1: order names an axis of the device twice; each of the six is another one");
  EXPECT_EQ(refusal("{type: space_mouse, sign: [0, 1, 1, 1, 1, 1]}"),
            "d.yaml:1: sign has a 0; each is 1 or -1");
  EXPECT_EQ(refusal("{type: space_mouse, buttons: [yaw]}"),
            "d.yaml:1: the file names 'yaw' twice; give each control a name of its own");
}

}  // namespace sdl_devices_test
}  // namespace handspan
