// A stop is a device input as well: it is latched, and a stop device that is not there stops too.
#include <gtest/gtest.h>

#include "device/headset.hpp"
#include "session_support.hpp"

namespace handspan {
namespace stop_device_test {

using test::AppFolder;
using test::kPairArms;
using test::operator_input;

// a headset moves the hand; another one is the box with the red button
const std::string kApp = R"(devices:
  headset: {driver: {type: headset}}
  box: {driver: {type: headset}, stop: [left.primary, right.trigger], reset: left.secondary}
sources:
  person: {type: hand, device: headset, pose: left, clutch: {motion: left.trigger}}
references:
  hand: {speed: 1 m/s, acceleration: 4 m/s^2, angular_speed: 2 rad/s, angular_acceleration: 8 rad/s^2}
machines:
  all:
    start: follow
    states:
      follow: {do: [{type: follow, task: hand, sources: [{source: person}]}]}
)";

class StopDevice : public testing::Test {
 protected:
  StopDevice() : app(folder.app(kPairArms + kApp)), session(app) {
    for (auto* sample : {&hand, &box}) {
      for (std::size_t a = 0; a < headset_layout().axes.size(); ++a) sample->set_axis(a, 0.0);
      for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b)
        sample->set_button(b, false);
    }
  }
  // so many samples of both, 10 ticks apart
  void send(int times, bool with_box = true) {
    for (int i = 0; i < times; ++i) {
      stamp += 10'000'000;
      const double t = seconds(stamp);
      for (auto* sample : {&hand, &box}) {
        sample->set_pose(0, TrackedAs::kController, {-0.2, 1.0, -0.3 - 0.1 * std::sin(2.0 * t)},
                         Eigen::Quaterniond::Identity());
        sample->set_stamp(stamp);
      }
      session.mailbox("headset").post(hand.input());
      if (with_box) session.mailbox("box").post(box.input());
      for (int k = 0; k < 10; ++k) session.tick();
    }
  }
  void follow() {
    send(5);
    hand.set_axis(0, 1.0);
    send(20);
    ASSERT_FALSE(holds()) << reason();
  }
  void press_anew() {
    hand.set_axis(0, 0.0);
    send(3);
    hand.set_axis(0, 1.0);
    send(20);
  }
  bool holds() { return session.arbiter().holding(session.arbiter().find_reference("hand")); }
  std::string reason() {
    return std::string(session.arbiter().reason(session.arbiter().find_reference("hand")));
  }
  bool stopped() { return session.arbiter().stopped(); }
  void resume() { session.mailbox("operator").post(operator_input(InputKind::kResume, "")); }

  AppFolder folder;
  App app;
  Session session;
  DeviceSample hand{"headset", headset_layout()}, box{"box", headset_layout()};
  Nanoseconds stamp = 0;
};

TEST_F(StopDevice, APressStopsAndIsLatchedUntilItIsResumedAtTheArm) {
  follow();
  box.set_button(0, true);
  send(1);
  EXPECT_TRUE(stopped());
  EXPECT_TRUE(holds());
  EXPECT_EQ(reason(), "stopped by box: left.primary – release it, then resume");
  // not while it is pressed
  resume();
  send(3);
  EXPECT_TRUE(stopped());
  box.set_button(0, false);
  send(20);
  press_anew();
  EXPECT_TRUE(stopped()) << "it resumed by itself";
  resume();
  send(3);
  EXPECT_FALSE(stopped());
  press_anew();
  EXPECT_FALSE(holds()) << reason();
}

TEST_F(StopDevice, AnAxisStopsAsWellAndAResetControlResumes) {
  follow();
  box.set_axis(4, 0.9);  // right.trigger
  send(1);
  EXPECT_EQ(reason(), "stopped by box: right.trigger – release it, then resume");
  // a reset that is pressed meanwhile does nothing, nor when the stop ends
  box.set_button(1, true);
  send(3);
  box.set_axis(4, 0.0);
  send(3);
  EXPECT_TRUE(stopped());
  box.set_button(1, false);
  send(3);
  box.set_button(1, true);
  send(3);
  EXPECT_FALSE(stopped());
}

TEST_F(StopDevice, OneThatIsPressedFromTheBeginningStops) {
  box.set_button(0, true);
  send(5);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(reason(), "stopped by box: left.primary – release it, then resume");
}

TEST_F(StopDevice, ADeviceThatIsNotThereYetHoldsUntilItIs) {
  hand.set_axis(0, 0.0);
  send(20, false);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(reason(), "the stop device box is not there yet – switch it on");
  send(1);
  EXPECT_FALSE(stopped()) << "nothing was stopped, it was waited for";
  follow();
}

TEST_F(StopDevice, ADeviceThatFallsSilentOrHasNoValueStopsAndIsLatched) {
  follow();
  send(15, false);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(reason(), "the stop device box gives no samples – switch it on, then resume");
  resume();
  send(3, false);
  EXPECT_TRUE(stopped());
  send(10);
  EXPECT_TRUE(stopped());
  resume();
  send(3);
  EXPECT_FALSE(stopped());
  press_anew();
  ASSERT_FALSE(holds()) << reason();
  box.set_axis(4, std::nan(""));
  send(1);
  EXPECT_EQ(reason(),
            "the stop right.trigger of box sends no valid value – check the device, then resume");
}

TEST_F(StopDevice, IsRestoredAndRunAgainToTheBit) {
  follow();
  box.set_button(0, true);
  send(1);
  box.set_button(0, false);
  send(1);
  std::vector<std::byte> at;
  session.snapshot(at);
  // resumed at once: whether that is allowed is a matter of the tick before
  const auto go_on = [&](Session& to) {
    to.mailbox("operator").post(operator_input(InputKind::kResume, ""));
    for (int k = 0; k < 50; ++k) to.tick();
    return to.hashes();
  };
  const TickHashes first = go_on(session);
  Session again(app);
  again.restore(at);
  EXPECT_EQ(go_on(again), first);
  EXPECT_FALSE(again.arbiter().stopped());
}

TEST(StopDeviceKeys, WhatIsWrongHasItsPlace) {
  const AppFolder folder;
  const auto error = [&](const std::string& keys) {
    return folder.error(kPairArms + "devices:\n  box: {driver: {type: headset}, " + keys + "}\n");
  };
  EXPECT_NE(
      error("stop: left.primry")
          .find("devices.box cannot be made: the device 'box' has no button or axis 'left.primry'"),
      std::string::npos);
  EXPECT_NE(error("stop: [left.primary], reset: [x]").find("has no button or axis 'x'"),
            std::string::npos);
  EXPECT_NE(error("centre: {left.stck: -1}").find("has no axis 'left.stck'"), std::string::npos);
  EXPECT_NE(error("centre: {left.stick_x: -2}").find("-2"), std::string::npos);
  EXPECT_EQ(error("centre: {left.stick_x: -1, left.stick_y: rest}, stop: left.primary"), "");
}

}  // namespace stop_device_test
}  // namespace handspan
