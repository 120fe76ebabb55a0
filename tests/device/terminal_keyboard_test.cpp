#include "device/terminal_keyboard.hpp"

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "core/config.hpp"
#include "core/error.hpp"
#include "device/device_parts.hpp"
#include "device/pseudo_terminal.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace terminal_keyboard_test {

using test::PseudoTerminal;

// a generous bound of what comes in milliseconds
constexpr std::chrono::seconds kLong{20};

class Keyboard {
 public:
  explicit Keyboard(const std::string& more = "", bool open = true)
      : device_(parse_yaml("{type: terminal_keyboard, terminal: " + terminal_.path() + more + "}",
                           "k.yaml", parts_of<register_devices>().of<DeviceRegistry>().schema())
                    .make(DeviceContext{"keys", 0})) {
    if (open) device_->open(mailbox_);
  }

  PseudoTerminal& terminal() { return terminal_; }
  Device& device() { return *device_; }
  Mailbox& mailbox() { return mailbox_; }
  // of the sample that was taken last
  double operator[](const std::string& name) const {
    const DeviceLayout& l = device_->layout();
    for (std::size_t i = 0; i < l.axes.size(); ++i)
      if (l.axes[i] == name) return input_.numbers[i];
    for (std::size_t i = 0; i < l.buttons.size(); ++i)
      if (l.buttons[i] == name) return input_.numbers[l.first_button() + i];
    return NAN;
  }
  // the next sample. @return false when none comes
  bool next() {
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (std::chrono::steady_clock::now() < end) {
      if (mailbox_.take(input_)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  // until a sample says so. @return false when none does among the next 2000
  bool says(const std::string& name, double value) {
    for (int i = 0; i < 2000; ++i) {
      if (!next()) return false;
      if ((*this)[name] == value) return true;
    }
    return false;
  }
  Nanoseconds stamp() const { return input_.stamp; }

 private:
  PseudoTerminal terminal_;
  Mailbox mailbox_{1024};
  Input input_;
  std::unique_ptr<Device> device_;
};

std::string refusal(const std::string& yaml) {
  try {
    parse_yaml("{type: terminal_keyboard, " + yaml + "}", "k.yaml",
               parts_of<register_devices>().of<DeviceRegistry>().schema());
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(TerminalKeyboard, EachKeyMovesItsAxisWithItsSignAndNoOther) {
  Keyboard keys(", first: 0.1 s");
  ASSERT_TRUE(keys.next());
  const struct {
    const char *key, *axis;
    double value;
  } cases[] = {{"w", "x", 1},     {"s", "x", -1},     {"a", "y", 1},    {"d", "y", -1},
               {"e", "z", 1},     {"q", "z", -1},     {"o", "roll", 1}, {"u", "roll", -1},
               {"i", "pitch", 1}, {"k", "pitch", -1}, {"j", "yaw", 1},  {"l", "yaw", -1}};
  for (const auto& c : cases) {
    keys.terminal().type(c.key);
    EXPECT_TRUE(keys.says(c.axis, c.value)) << c.key;
    for (const auto& axis : keys.device().layout().axes)
      if (axis != c.axis) {
        EXPECT_EQ(keys[axis], 0.0) << axis << " moved with " << c.key;
      }
    EXPECT_TRUE(keys.says(c.axis, 0.0)) << c.key;
  }
}

TEST(TerminalKeyboard, AKeyIsUpAtTheStatedTimeAfterItsCharacter) {
  Keyboard keys(", first: 0.3 s, repeat: 0.1 s");
  keys.terminal().type("w");
  ASSERT_TRUE(keys.says("x", 1.0));
  const Nanoseconds down = keys.stamp();
  ASSERT_TRUE(keys.says("x", 0.0));
  // by the stamps, which are steady; the character came before the sample
  EXPECT_GT(keys.stamp() - down, 290'000'000);
}

TEST(TerminalKeyboard, ALatchedButtonIsDownFromOnePressToTheNextOrToStop) {
  Keyboard keys(
      ", keys: {clutch: c, vacuum: v}, latched: [clutch, vacuum], first: 0.1 s, repeat: 0.05 s");
  // a key that repeats is one press; others move something meanwhile. It is up again before w is:
  // it came before, and is down no longer
  keys.terminal().type("ccc");
  ASSERT_TRUE(keys.says("clutch", 1.0));
  keys.terminal().type("w");
  EXPECT_TRUE(keys.says("x", 1.0));
  EXPECT_EQ(keys["clutch"], 1.0);
  EXPECT_TRUE(keys.says("x", 0.0));
  EXPECT_EQ(keys["clutch"], 1.0);
  keys.terminal().type("c");
  EXPECT_TRUE(keys.says("clutch", 0.0));
  EXPECT_EQ(keys["vacuum"], 0.0);
  keys.terminal().type("v");
  EXPECT_TRUE(keys.says("vacuum", 1.0));
  keys.terminal().type(" ");
  EXPECT_TRUE(keys.says("vacuum", 0.0));
  EXPECT_EQ(
      refusal("keys: {clutch: c}, latched: [clutsh]"),
      "k.yaml:1: the file latches 'clutsh', which is not a button of it; did you mean 'clutch'?");
  EXPECT_EQ(refusal("latched: [stop]"),
            "k.yaml:1: the file has 'stop' among latched; it ends the others");
}

TEST(TerminalKeyboard, ButtonsHaveKeysAndStopEndsAllOthers) {
  Keyboard keys(", keys: {grip: g, speed.up: page_up}");
  EXPECT_EQ(keys.device().layout().buttons,
            (std::vector<std::string>{"stop", "speed.up", "speed.down", "grip"}));
  keys.terminal().type("g");
  EXPECT_TRUE(keys.says("grip", 1.0));
  keys.terminal().type("\x1b[5~");
  EXPECT_TRUE(keys.says("speed.up", 1.0));
  keys.terminal().type("-");
  EXPECT_TRUE(keys.says("speed.down", 1.0));
  keys.terminal().type("wj");
  EXPECT_TRUE(keys.says("yaw", 1.0));
  EXPECT_EQ(keys["x"], 1.0);
  keys.terminal().type(" ");
  EXPECT_TRUE(keys.says("stop", 1.0));
  EXPECT_EQ(keys["x"], 0.0);
  EXPECT_EQ(keys["yaw"], 0.0);
  EXPECT_TRUE(keys.says("stop", 0.0));
}

TEST(TerminalKeyboard, TheOtherEndOfAnAxisTakesOver) {
  Keyboard keys;
  keys.terminal().type("w");
  ASSERT_TRUE(keys.says("x", 1.0));
  keys.terminal().type("s");
  EXPECT_TRUE(keys.says("x", -1.0));
  // and the first one is not down any more
  ASSERT_TRUE(keys.says("x", 0.0));
}

TEST(TerminalKeyboard, WhatWasTypedBeforeItOpensIsNotMeant) {
  Keyboard keys("", false);
  keys.terminal().type("www");
  keys.device().open(keys.mailbox());
  ASSERT_TRUE(keys.next());
  EXPECT_EQ(keys["x"], 0.0);
  keys.terminal().type("a");
  ASSERT_TRUE(keys.says("y", 1.0));
  EXPECT_EQ(keys["x"], 0.0);
}

TEST(TerminalKeyboard, AxesTakeOtherKeys) {
  Keyboard keys(", axes: {x: [up, down], yaw: ['ö', 'ä']}");
  keys.terminal().type("\x1b[B");
  EXPECT_TRUE(keys.says("x", -1.0));
  keys.terminal().type("ö");
  EXPECT_TRUE(keys.says("yaw", 1.0));
}

TEST(TerminalKeyboard, SamplesComeWithoutKeysAtASteadyRate) {
  Keyboard keys;
  ASSERT_TRUE(keys.next());
  const Nanoseconds first = keys.stamp();
  Nanoseconds last = first;
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(keys.next());
    EXPECT_GT(keys.stamp(), last);
    last = keys.stamp();
  }
  // not more often than 50 Hz, but for the first step
  EXPECT_GE(last - first, 24 * 20'000'000);
}

TEST(TerminalKeyboard, TheTerminalIsRestoredOnCloseAndOpensAgain) {
  Keyboard keys("", false);
  const termios before = keys.terminal().modes();
  for (int i = 0; i < 2; ++i) {
    keys.device().open(keys.mailbox());
    EXPECT_FALSE(test::same_modes(before, keys.terminal().modes()));
    keys.terminal().type("w");
    EXPECT_TRUE(keys.says("x", 1.0));
    keys.device().close();
    EXPECT_TRUE(test::same_modes(before, keys.terminal().modes()));
    Input input;
    while (keys.mailbox().take(input)) {
    }
  }
}

TEST(TerminalKeyboard, WhenTheTerminalIsClosedSamplesStop) {
  Keyboard keys;
  ASSERT_TRUE(keys.next());
  keys.terminal().hang_up();
  // its thread ends: what was on the way, and then nothing for many periods
  Input input;
  int silent = 0;
  for (int i = 0; i < 2000 && silent < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    silent = keys.mailbox().take(input) ? 0 : silent + 1;
  }
  EXPECT_EQ(silent, 20);
}

TEST(TerminalKeyboard, WithoutATerminalItSaysWhoAndWhy) {
  const auto device = parse_yaml("{type: terminal_keyboard, terminal: /dev/null}", "k.yaml",
                                 parts_of<register_devices>().of<DeviceRegistry>().schema())
                          .make(DeviceContext{"keys", 0});
  Mailbox mailbox;
  try {
    device->open(mailbox);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "device 'keys': '/dev/null' is not a terminal; run it in one, or name yours: "
                 "terminal: /dev/tty");
  }
}

TEST(TerminalKeyboard, BadConfigurationsAreRefused) {
  EXPECT_EQ(refusal("axes: {x: [w, a]}"),
            "k.yaml:1: the file uses the key 'a' for 'x' and for 'y'; give each a key of its own");
  EXPECT_EQ(refusal("keys: {grip: w}"),
            "k.yaml:1: the file uses the key 'w' for 'grip' and for 'x'; give each a key of its "
            "own");
  EXPECT_EQ(refusal("keys: {x: b}"),
            "k.yaml:1: the file names a button 'x', as an axis; give each control a name of its "
            "own");
  EXPECT_NE(refusal("keys: {grip: G}")
                .find("keys.grip is 'G'; it must be the name of a key: a character (letters "
                      "small) or space"),
            std::string::npos);
  EXPECT_NE(refusal("axes: {x: [w]}").find("axes.x has 1 item"), std::string::npos)
      << refusal("axes: {x: [w]}");
  EXPECT_NE(refusal("first: 0 s").find("first is 0"), std::string::npos);
}

}  // namespace terminal_keyboard_test
}  // namespace handspan
