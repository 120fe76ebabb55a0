// Plugging in and out: samples stop, and the very same device goes on.
#include "core/error.hpp"
#include "device/device_state.hpp"
#include "device/virtual_stick.hpp"

namespace handspan {
namespace sdl_hub_test {

using test::OpenDevice;
using test::VirtualStick;

class SdlHub : public test::WithSdl {};

// what the loop does with samples; arrivals by their stamps
class Loop {
 public:
  explicit Loop(const DeviceLayout& layout) : state_("pad", layout, {}) {}
  void receive(const Input& input) {
    now_ = input.stamp;
    state_.receive(moment(), input);
    state_.update(moment());
  }
  void pass(Nanoseconds time) {
    now_ += time;
    state_.update(moment());
  }
  const DeviceState& state() const { return state_; }

 private:
  Moment moment() const {
    Moment m;
    m.now = now_;
    return m;
  }
  DeviceState state_;
  Nanoseconds now_ = 0;
};

// every sample until one whose button is down
bool feed_until_pressed(Mailbox& mailbox, Loop& loop, const char* button) {
  return test::wait_for([&] {
    Input input;
    while (mailbox.take(input)) loop.receive(input);
    return loop.state().pressed(button);
  });
}

TEST_F(SdlHub, UnpluggedItSaysOnceThatNothingIsValidAndThenNothing) {
  VirtualStick stick("handspan pad");
  Mailbox mailbox(4096);  // outlives the device
  OpenDevice pad("{type: gamepad, name: handspan pad}");
  Loop loop(pad.layout());
  pad.device().open(mailbox);
  ASSERT_TRUE(test::wait_for([&] {
    Input input;
    while (mailbox.take(input)) loop.receive(input);
    return loop.state().samples() > 3;
  }));
  stick.button(0, true);
  stick.axis(0, 10000);
  ASSERT_TRUE(feed_until_pressed(mailbox, loop, "south"));

  stick.unplug();
  Input input, last;
  ASSERT_TRUE(test::wait_for([&] {
    while (mailbox.take(input)) {
      loop.receive(input);
      last = input;
    }
    return last.count > 0 && std::isnan(last.numbers[0]);
  }));
  for (const double number : last.values()) EXPECT_TRUE(std::isnan(number));
  // at once, not when the silence is noticed
  EXPECT_TRUE(loop.state().present());
  EXPECT_FALSE(loop.state().pressed("south"));
  EXPECT_EQ(loop.state().axis(0), 0.0);
  // another device still gets samples while this one is out: the thread runs
  VirtualStick other_stick("handspan other");
  OpenDevice other("{type: gamepad, name: handspan other}");
  other.open();
  EXPECT_TRUE(other.more(20));
  EXPECT_FALSE(mailbox.take(input));
  loop.pass(101'000'000);
  EXPECT_FALSE(loop.state().present());
  EXPECT_EQ(loop.state().why(), Break::kSilent);

  // back, with its button held: it must be let go first
  VirtualStick again("handspan pad");
  again.button(0, true);
  const auto samples = loop.state().samples();
  ASSERT_TRUE(test::wait_for([&] {
    while (mailbox.take(input)) loop.receive(input);
    return loop.state().samples() > samples + 5;
  }));
  EXPECT_TRUE(loop.state().present());
  EXPECT_FALSE(loop.state().pressed("south"));
  again.button(0, false);
  ASSERT_TRUE(test::wait_for([&] {
    while (mailbox.take(input)) loop.receive(input);
    return input.numbers[pad.layout().first_button()] == 0.0;
  }));
  again.button(0, true);
  EXPECT_TRUE(feed_until_pressed(mailbox, loop, "south"));
}

TEST_F(SdlHub, TwoThatComeBackUnderAnotherIndexAreNotSwapped) {
  auto left_stick = std::make_unique<VirtualStick>("handspan left");
  auto right_stick = std::make_unique<VirtualStick>("handspan right");
  OpenDevice left("{type: gamepad, name: 'handspan *'}", "left"),
      right("{type: gamepad, name: 'handspan *'}", "right");
  left.open();
  right.open();
  left_stick->button(0, true);
  EXPECT_TRUE(left.says("south", 1.0));
  EXPECT_TRUE(right.says("south", 0.0));
  left_stick.reset();
  right_stick.reset();
  ASSERT_TRUE(left.says("south", NAN));
  ASSERT_TRUE(right.says("south", NAN));
  right_stick = std::make_unique<VirtualStick>("handspan right");
  left_stick = std::make_unique<VirtualStick>("handspan left");
  left_stick->button(1, true);
  right_stick->button(2, true);
  EXPECT_TRUE(left.says("east", 1.0));
  EXPECT_TRUE(right.says("west", 1.0));
  EXPECT_EQ(left["west"], 0.0);
  EXPECT_EQ(right["east"], 0.0);
}

TEST_F(SdlHub, OneOfTwoAlikeComesBackToWhoLostIt) {
  auto first = std::make_unique<VirtualStick>("handspan twin");
  VirtualStick second("handspan twin");
  OpenDevice left("{type: gamepad, name: handspan twin}", "left"),
      right("{type: gamepad, name: handspan twin}", "right");
  left.open();
  right.open();
  first.reset();
  ASSERT_TRUE(left.says("south", NAN));
  first = std::make_unique<VirtualStick>("handspan twin");
  first->button(0, true);
  EXPECT_TRUE(left.says("south", 1.0));
  second.button(1, true);
  EXPECT_TRUE(right.says("east", 1.0));
  EXPECT_EQ(right["south"], 0.0);
  EXPECT_EQ(left["east"], 0.0);
}

TEST_F(SdlHub, TwoAlikeThatWereBothOutAreNotGuessed) {
  auto first = std::make_unique<VirtualStick>("handspan twin");
  auto second = std::make_unique<VirtualStick>("handspan twin");
  OpenDevice left("{type: gamepad, name: handspan twin}", "left"),
      right("{type: gamepad, name: handspan twin}", "right");
  left.open();
  right.open();
  first.reset();
  second.reset();
  ASSERT_TRUE(left.says("south", NAN));
  ASSERT_TRUE(right.says("south", NAN));
  first = std::make_unique<VirtualStick>("handspan twin");
  second = std::make_unique<VirtualStick>("handspan twin");
  // until the thread has listed them, and gone on
  VirtualStick third("handspan third");
  OpenDevice other("{type: gamepad, name: handspan third}");
  other.open();
  EXPECT_TRUE(other.more(20));
  EXPECT_EQ(left.take(), 0);
  EXPECT_EQ(right.take(), 0);
}

TEST_F(SdlHub, OneThatLayThereIsNotTakenUpForOneThatIsUnplugged) {
  auto mine = std::make_unique<VirtualStick>("handspan twin");
  VirtualStick spare("handspan twin");
  OpenDevice pad("{type: gamepad, name: handspan twin}");
  pad.open();
  mine.reset();
  ASSERT_TRUE(pad.says("south", NAN));
  VirtualStick third("handspan third");
  OpenDevice other("{type: gamepad, name: handspan third}");
  other.open();
  EXPECT_TRUE(other.more(20));
  EXPECT_EQ(pad.take(), 0);
  mine = std::make_unique<VirtualStick>("handspan twin");
  EXPECT_TRUE(pad.says("south", 0.0));
}

TEST_F(SdlHub, WhatADeviceHasIsNotGivenToAnother) {
  VirtualStick stick("handspan pad");
  OpenDevice left("{type: gamepad, name: handspan pad}", "left"),
      right("{type: joystick, name: handspan pad, index: 0}", "right");
  left.open();
  try {
    right.open();
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'handspan pad' (device 'left' has it)"),
              std::string::npos)
        << error.what();
  }
  left.device().close();
  right.open();
  EXPECT_TRUE(right.says("button0", 0.0));
}

TEST_F(SdlHub, AClosedDeviceGivesNoMoreAndOpensAgain) {
  VirtualStick stick("handspan pad");
  OpenDevice pad("{type: gamepad, name: handspan pad}");
  pad.open();
  ASSERT_TRUE(pad.more(3));
  pad.device().close();
  pad.take();
  VirtualStick third("handspan third");
  OpenDevice other("{type: gamepad, name: handspan third}");
  other.open();
  EXPECT_TRUE(other.more(20));
  EXPECT_EQ(pad.take(), 0);
  pad.open();
  EXPECT_TRUE(pad.more(3));
}

TEST_F(SdlHub, TellsWhatIsAttached) {
  VirtualStick pad("handspan pad");
  VirtualStick stick(
      "handspan stick",
      {.type = SDL_JOYSTICK_TYPE_FLIGHT_STICK, .axes = 3, .buttons = 2, .hats = 1, .product = 2});
  VirtualStick mouse("3Dconnexion of handspan",
                     {.type = SDL_JOYSTICK_TYPE_UNKNOWN, .axes = 6, .buttons = 2, .product = 3});
  std::vector<std::string> suits;
  for (const auto& attached : attached_sdl_devices()) {
    if (attached.name == "handspan pad") {
      EXPECT_EQ(attached.suits(), (std::vector<std::string>{"gamepad", "joystick"}));
      EXPECT_EQ(attached.guid.size(), 32U);
    } else if (attached.name == "handspan stick") {
      EXPECT_EQ(attached.axes, 3);
      EXPECT_EQ(attached.buttons, 2);
      EXPECT_EQ(attached.hats, 1);
      EXPECT_EQ(attached.suits(), (std::vector<std::string>{"joystick"}));
    } else if (attached.name == "3Dconnexion of handspan") {
      EXPECT_EQ(attached.suits(), (std::vector<std::string>{"space_mouse", "joystick"}));
    } else {
      continue;
    }
    suits.push_back(attached.name);
  }
  EXPECT_EQ(suits.size(), 3U);
}

}  // namespace sdl_hub_test
}  // namespace handspan
