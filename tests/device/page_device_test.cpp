// Devices that an operator's page is: any layout, and what of the page feeds it.
#include "device/page_device.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/text_file.hpp"
#include "device/device_parts.hpp"
#include "device/devices.hpp"
#include "device/page_inputs.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace page_device_test {

const DeviceRegistry& devices() { return parts_of<register_devices>().of<DeviceRegistry>(); }

std::unique_ptr<Device> made(const std::string& yaml) {
  return parse_yaml(yaml, "d.yaml", devices().schema()).make(DeviceContext{"d", 1});
}

std::string refusal(const std::string& yaml) {
  try {
    made(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

using Names = std::vector<std::string>;

TEST(PageDevice, WithNoKeyItHasOneHand) {
  const auto device = made("{type: page}");
  EXPECT_EQ(device->layout().axes, (Names{"x", "y", "z", "roll", "pitch", "yaw"}));
  EXPECT_EQ(device->layout().buttons,
            (Names{"clutch", "trigger", "squeeze", "primary", "secondary", "stick"}));
  EXPECT_TRUE(device->layout().poses.empty());
  EXPECT_TRUE(device->layout().outputs.empty());
  EXPECT_TRUE(device->takes_samples());
  EXPECT_FALSE(device->gives_way());
  EXPECT_TRUE(device->page_feeds().empty());
}

TEST(PageDevice, HandsHaveTheirNamesBeforeThemAndMoreMayStandBeside) {
  const auto device = made("{type: page, hands: [left, right], axes: [throttle], buttons: [fire]}");
  ASSERT_EQ(device->layout().axes.size(), 13U);
  EXPECT_EQ(device->layout().axes[5], "left.yaw");
  EXPECT_EQ(device->layout().axes[6], "right.x");
  EXPECT_EQ(device->layout().axes.back(), "throttle");
  EXPECT_EQ(device->layout().buttons[6], "right.clutch");
  EXPECT_EQ(device->layout().buttons.back(), "fire");
}

TEST(PageDevice, ItsControlsAreFedAsTheAppSays) {
  const auto device = made(R"(
type: page
poses: [left]
axes:
  roll: stick.axis0
  throttle: -stick.axis2
  lift: [pen.tilt_y, {plus: key.KeyR, minus: key.KeyF}]
buttons: {fire: stick.button0}
outputs: {force: {size: 3, unit: N}, light: {size: 3}, buzz: {}}
)");
  const DeviceLayout& layout = device->layout();
  EXPECT_EQ(layout.poses, Names{"left"});
  EXPECT_EQ(layout.axes, (Names{"roll", "throttle", "lift"}));
  EXPECT_EQ(layout.buttons, Names{"fire"});
  EXPECT_EQ(layout.numbers(), 8U + 3U + 1U);
  ASSERT_EQ(layout.outputs.size(), 3U);
  EXPECT_EQ(layout.outputs[0].name, "force");
  EXPECT_EQ(layout.outputs[0].size, 3U);
  EXPECT_EQ(layout.outputs[0].unit, "N");
  EXPECT_EQ(layout.outputs[2].size, 1U);
  const auto feeds = device->page_feeds();
  ASSERT_EQ(feeds.size(), 5U);
  EXPECT_EQ(feeds[1].control, "throttle");
  EXPECT_EQ(feeds[1].axis, "stick.axis2");
  EXPECT_EQ(feeds[1].sign, -1.0);
  EXPECT_EQ(feeds[3].control, "lift");
  EXPECT_EQ(feeds[3].plus, "key.KeyR");
  EXPECT_EQ(feeds[3].minus, "key.KeyF");
  EXPECT_EQ(feeds[4].control, "fire");
}

TEST(PageDevice, WhatIsWrongInALayoutHasItsPlaceCauseAndHint) {
  EXPECT_EQ(refusal("type: page\naxes: [x, y, x]\n"),
            "d.yaml:2: axes names 'x' twice; give each control a name of its own");
  EXPECT_NE(
      refusal("type: page\naxes:\n  x: pad.left.stick_x\n  x: pad.left.stick_y\n").find("d.yaml:4"),
      std::string::npos);
  EXPECT_EQ(refusal("type: page\naxes: [x]\nbuttons: [fire, x]\n"),
            "d.yaml:3: buttons names 'x' twice; give each control a name of its own");
  EXPECT_EQ(refusal("type: page\nhands: [left, left]\n"),
            "d.yaml:2: hands names 'left' twice; give each control a name of its own");
  EXPECT_EQ(refusal("type: page\nposes: [head, head]\n"),
            "d.yaml:2: poses names 'head' twice; give each control a name of its own");
  EXPECT_EQ(refusal("type: page\nhands: [left]\naxes: [left.x]\n"),
            "d.yaml:3: axes names 'left.x' twice; give each control a name of its own");
  EXPECT_EQ(refusal("type: page\naxes:\n  x: pad.left.stik_x\n"),
            "d.yaml:3: axes.x names 'pad.left.stik_x', which the page does not have; did you mean "
            "'pad.left.stick_x'?");
  EXPECT_EQ(refusal("type: page\nbuttons:\n  go: key.Space\n"),
            "d.yaml:3: buttons.go names 'key.Space', which the page does not have; this key stops; "
            "take another one");
  EXPECT_NE(refusal("type: page\naxes:\n  x: [pad.left.stick_x, {plus: wheel}]\n")
                .find("axes.x[1] names 'wheel', which the page does not have; such as "
                      "pad.left.stick_x"),
            std::string::npos);
  EXPECT_EQ(refusal("type: page\noutputs: {force: {size: 9}}\n"),
            "d.yaml:2: outputs.force.size is 9; it must be <= 8");
  EXPECT_NE(refusal("type: page\naxes: {\"a b\": pen.x}\n").find("d.yaml:2: axes names 'a b'"),
            std::string::npos);
}

TEST(PageDevice, OneThatHasTooManyNumbersIsRefused) {
  std::string axes = "a0";
  for (int i = 1; i < 300; ++i) axes += ", a" + std::to_string(i);
  Devices all;
  EXPECT_THROW(all.add("d",
                       parse_yaml("driver: {type: page, axes: [" + axes + "]}", "d.yaml",
                                  device_schema(parts_of<register_devices>())),
                       1),
               InputError);
}

// the page is tested against the same list
TEST(PageDevice, TheInputsAreThoseOfThePage) {
  const auto file =
      std::filesystem::path(HANDSPAN_SOURCE_DIR) / "tests/station/fixtures/page_inputs.json";
  EXPECT_EQ(nlohmann::json::parse(read_text_file(file)), nlohmann::json(page_inputs()));
}

}  // namespace page_device_test
}  // namespace handspan
