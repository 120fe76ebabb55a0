#include "device/sdl_choice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"

namespace handspan {
namespace sdl_choice_test {

using Found = std::vector<std::optional<std::size_t>>;

SdlAttached pad(int instance, const std::string& name, const std::string& guid) {
  SdlAttached a;
  a.instance = instance;
  a.name = name;
  a.guid = guid;
  a.gamepad = true;
  a.axes = 6;
  a.buttons = 15;
  return a;
}

SdlAttached stick(int instance, const std::string& name, int axes, int buttons) {
  SdlAttached a;
  a.instance = instance;
  a.name = name;
  a.guid = "55";
  a.axes = axes;
  a.buttons = buttons;
  return a;
}

std::string refusal(const SdlChoice& choice, const SdlNeeds& needs,
                    const std::vector<SdlAttached>& attached,
                    const std::vector<SdlTaken>& taken = {}) {
  try {
    choose("left", choice, needs, attached, taken);
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(SdlChoice, PatternsStandForAnyTextWithoutRegardToCase) {
  EXPECT_TRUE(looks_like("Xbox*", "xbox 360 pad"));
  EXPECT_TRUE(looks_like("*360*PAD", "xbox 360 pad"));
  EXPECT_FALSE(looks_like("xbox", "xbox 360"));
  EXPECT_FALSE(looks_like("*360", "xbox 360 pad"));
}

TEST(SdlChoice, TheFirstThatSuitsAndIsFree) {
  const std::vector<SdlAttached> attached = {stick(1, "stick", 2, 1), pad(2, "a", "1"),
                                             pad(3, "b", "2")};
  const SdlNeeds needs{SdlKind::kGamepad};
  EXPECT_EQ(choose("left", {}, needs, attached, {}), 1U);
  const std::vector<SdlTaken> taken = {{2, "left"}};
  EXPECT_EQ(choose("right", {}, needs, attached, taken), 2U);
}

TEST(SdlChoice, ByIndexAmongThoseThatSuitByNameByModelByUnit) {
  std::vector<SdlAttached> attached = {stick(1, "stick", 2, 1), pad(2, "a", "1"), pad(3, "b", "2"),
                                       pad(4, "c", "2")};
  attached[3].unit = "serial";
  const SdlNeeds needs{SdlKind::kGamepad};
  EXPECT_EQ(choose("d", {.index = 1}, needs, attached, {}), 2U);
  EXPECT_EQ(choose("d", {.index = 1, .guid = "2"}, needs, attached, {}), 3U);
  EXPECT_EQ(choose("d", {.name = "C"}, needs, attached, {}), 3U);
  EXPECT_EQ(choose("d", {.unit = "serial"}, needs, attached, {}), 3U);
}

TEST(SdlChoice, AThreeDMouseIsTakenByItsMakerOrWhenItIsMeant) {
  std::vector<SdlAttached> attached = {stick(1, "HOTAS", 6, 12), stick(2, "3D", 6, 2)};
  const SdlNeeds needs{SdlKind::kSpaceMouse, 6, 2};
  EXPECT_NE(refusal({}, needs, attached).find("'HOTAS' (it is no 3-D mouse by its maker"),
            std::string::npos);
  EXPECT_EQ(choose("d", {.name = "3D"}, needs, attached, {}), 1U);
  attached[1].space_mouse = true;
  EXPECT_EQ(choose("d", {}, needs, attached, {}), 1U);
}

TEST(SdlChoice, TellsWhatIsThereAndWhyItIsNotMeant) {
  std::vector<SdlAttached> attached = {stick(1, "stick", 2, 1), pad(2, "pad", "77")};
  EXPECT_EQ(refusal({}, {SdlKind::kJoystick, 8, 1}, attached),
            "device 'left': no joystick that is asked for is attached; there is 'stick' (it has 2 "
            "of 8 axes), 'pad' (it has 6 of 8 axes). `handspan devices` lists them");
  EXPECT_NE(refusal({.name = "x*"}, {SdlKind::kGamepad}, attached).find("its name is another"),
            std::string::npos);
  EXPECT_NE(refusal({.guid = "78"}, {SdlKind::kGamepad}, attached).find("its GUID is another"),
            std::string::npos);
  EXPECT_NE(refusal({.unit = "7"}, {SdlKind::kGamepad}, attached).find("its unit is another"),
            std::string::npos);
  EXPECT_NE(refusal({.index = 1}, {SdlKind::kGamepad}, attached)
                .find("'stick' (SDL knows no gamepad in it), 'pad' (index 0)"),
            std::string::npos);
  EXPECT_NE(refusal({}, {SdlKind::kGamepad}, attached, {{2, "right"}})
                .find("'pad' (device 'right' has it)"),
            std::string::npos);
  attached[1].fault = "Permission denied";
  EXPECT_NE(refusal({}, {SdlKind::kGamepad}, attached)
                .find("'pad' (it cannot be opened: Permission denied)"),
            std::string::npos);
  EXPECT_NE(refusal({}, {SdlKind::kJoystick, 2, 4}, attached).find("it has 1 of 4 buttons"),
            std::string::npos);
  EXPECT_NE(refusal({}, {SdlKind::kJoystick, 2, 1, 1}, attached).find("it has 0 of 1 hats"),
            std::string::npos);
}

TEST(SdlChoice, NothingAttachedNamesTheRightsThatMayBeMissing) {
  EXPECT_EQ(refusal({}, {SdlKind::kGamepad}, {}),
            "device 'left': no gamepad is attached; plug one in. If it is, see that you may read "
            "/dev/input/event*: join the group 'input' and log in again");
}

TEST(SdlChoice, TwoModelsComeBackInAnotherOrder) {
  const std::vector<SdlLost> lost = {{"1", "", true, false, 5}, {"2", "", true, false, 5}};
  const std::vector<SdlAttached> free = {pad(7, "b", "2"), pad(8, "a", "1")};
  EXPECT_EQ(find_again(lost, free), (Found{1, 0}));
}

TEST(SdlChoice, TwoOfAModelAreToldApartBySerialNumberOrPort) {
  for (const bool by_port : {false, true}) {
    const std::vector<SdlLost> lost = {{"1", "A", by_port, false, 5},
                                       {"1", "B", by_port, false, 5}};
    std::vector<SdlAttached> free = {pad(7, "p", "1"), pad(8, "p", "1")};
    for (auto& attached : free) attached.by_port = by_port;
    free[0].unit = "B";
    free[1].unit = "A";
    EXPECT_EQ(find_again(lost, free), (Found{1, 0}));
    // the second alone
    free.pop_back();
    EXPECT_EQ(find_again(lost, free), (Found{std::nullopt, 0}));
  }
}

TEST(SdlChoice, TwoThatLookAlikeAreNotGuessed) {
  const std::vector<SdlLost> lost = {{"1", "", true, false, 5}, {"1", "", true, false, 5}};
  std::vector<SdlAttached> free = {pad(7, "p", "1")};
  EXPECT_EQ(find_again(lost, free), (Found{std::nullopt, std::nullopt}));
  free.push_back(pad(8, "p", "1"));
  EXPECT_EQ(find_again(lost, free), (Found{std::nullopt, std::nullopt}));
  // nor is one of two that came
  EXPECT_EQ(find_again(std::span(lost).first(1), free), (Found{std::nullopt}));
  // the only one of its model is not a guess
  free.pop_back();
  EXPECT_EQ(find_again(std::span(lost).first(1), free), (Found{0}));
}

TEST(SdlChoice, AnotherSerialNumberIsAnotherDeviceAnotherPortIsNot) {
  std::vector<SdlAttached> free = {pad(7, "p", "1")};
  free[0].unit = "other";
  const std::vector<SdlLost> numbered = {{"1", "A", false, false, 5}};
  EXPECT_EQ(find_again(numbered, free), (Found{std::nullopt}));
  free[0].by_port = true;
  const std::vector<SdlLost> ported = {{"1", "A", true, false, 5}};
  EXPECT_EQ(find_again(ported, free), (Found{0}));
  // unless the app names the port
  const std::vector<SdlLost> named = {{"1", "A", true, true, 5}};
  EXPECT_EQ(find_again(named, free), (Found{std::nullopt}));
}

TEST(SdlChoice, WhatLayThereBeforeIsNotTakenUp) {
  const std::vector<SdlLost> lost = {{"1", "", true, false, 5}};
  const std::vector<SdlAttached> free = {pad(5, "p", "1")};
  EXPECT_EQ(find_again(lost, free), (Found{std::nullopt}));
}

TEST(SdlChoice, UnitsComeFromTheDeviceOrFromThePortThatTheKernelNames) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("handspan_sysfs_" + std::to_string(getpid()));
  const auto put = [&](const std::string& file, const std::string& content) {
    std::filesystem::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << content;
  };
  using Unit = std::pair<std::string, bool>;
  put("class/input/event4/device/phys", "usb-0000:00:14.0-2/input0\n");
  put("class/input/event4/device/uniq", "\n");
  put("class/input/event5/device/phys", "usb-0000:00:14.0-3/input0\n");
  put("class/input/event5/device/uniq", "a4:5e:60\n");
  put("class/hidraw/hidraw1/device/uevent", "HID_NAME=x\nHID_PHYS=usb-1/input0\nHID_UNIQ=\n");
  put("class/hidraw/hidraw2/device/uevent", "HID_PHYS=usb-1/input0\nHID_UNIQ=serial\n");
  EXPECT_EQ(unit_of("", "/dev/input/event4", folder), (Unit{"usb-0000:00:14.0-2/input0", true}));
  EXPECT_EQ(unit_of("", "/dev/input/event5", folder), (Unit{"a4:5e:60", false}));
  EXPECT_EQ(unit_of("S1", "/dev/input/event4", folder), (Unit{"S1", false}));
  EXPECT_EQ(unit_of("", "/dev/hidraw1", folder), (Unit{"usb-1/input0", true}));
  EXPECT_EQ(unit_of("", "/dev/hidraw2", folder), (Unit{"serial", false}));
  EXPECT_EQ(unit_of("", "/dev/input/event9", folder), (Unit{"", true}));
  EXPECT_EQ(unit_of("", "", folder), (Unit{"", true}));
  std::filesystem::remove_all(folder);
}

}  // namespace sdl_choice_test
}  // namespace handspan
