#include "teleop/clutch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "teleop_support.hpp"

namespace handspan {
namespace clutch_test {

using test::Pad;

const ClutchConfig kTwo{"a", "trigger", false};

class Clutched : public testing::Test {
 protected:
  explicit Clutched(const ClutchConfig& config = kTwo)
      : clutch(config, pad.state, 0, {TrackedAs::kController}) {}
  bool after(int samples = 1) {
    bool closed = false;
    for (int i = 0; i < samples; ++i) {
      pad.send();
      closed = clutch.update(pad.state);
    }
    return closed;
  }
  void hold(bool safety, bool motion) {
    pad.sample.set_button(0, safety);
    pad.sample.set_axis(0, motion ? 1.0 : 0.0);
  }
  Pad pad;
  Clutch clutch;
};

TEST_F(Clutched, BothControlsAreNeeded) {
  EXPECT_FALSE(after(5));
  EXPECT_STREQ(clutch.reason(), "left hand: safety clutch open – hold a and trigger");
  hold(true, false);
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(), "left hand: clutch open – hold trigger too");
  hold(false, true);
  EXPECT_FALSE(after());
  hold(true, true);
  EXPECT_TRUE(after());
  hold(true, false);
  EXPECT_FALSE(after());
  hold(true, true);
  EXPECT_TRUE(after());
  hold(false, true);
  EXPECT_FALSE(after());
}

TEST_F(Clutched, WhatIsHeldAtFirstMustBeReleased) {
  EXPECT_FALSE(after(5));
  hold(true, true);
  pad.send(2);
  clutch.open();  // authority is given while it is held
  EXPECT_FALSE(after(5));
  EXPECT_STREQ(clutch.reason(),
               "left hand: clutch was held before – release a and trigger, press again");
  hold(true, false);
  after();
  hold(true, true);
  EXPECT_TRUE(after());
}

TEST_F(Clutched, AnInterruptionTakesAFreshClutchIn) {
  after(5);
  hold(true, true);
  ASSERT_TRUE(after());
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kNone);
  EXPECT_FALSE(after(3));
  const char* lost = "left hand: tracking lost – release a and trigger, press again";
  EXPECT_STREQ(clutch.reason(), lost);
  pad.track({0.1, 1.0, -0.3});
  EXPECT_FALSE(after(20)) << "it closed by itself";
  EXPECT_STREQ(clutch.reason(), lost);
  hold(true, false);
  after();
  hold(true, true);
  EXPECT_TRUE(after());
}

TEST_F(Clutched, SilenceIsNoRelease) {
  after(5);
  hold(true, true);
  ASSERT_TRUE(after());
  for (int i = 0; i < 300; ++i) {
    pad.wait(1);
    clutch.update(pad.state);
  }
  EXPECT_FALSE(clutch.closed());
  EXPECT_STREQ(clutch.reason(),
               "left hand: no sample came in time – switch the device on, then hold a and trigger");
  pad.stamp += 300'000'000;
  // the controls are still held when it comes back: each must be seen released
  EXPECT_FALSE(after(20));
  hold(true, false);
  after();
  hold(true, true);
  EXPECT_FALSE(after());
  hold(false, false);
  after();
  hold(true, true);
  EXPECT_TRUE(after());
}

TEST_F(Clutched, WhatIsNotAcceptedIsNotFollowed) {
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kHand);
  after(5);
  hold(true, true);
  EXPECT_FALSE(after(5));
  EXPECT_STREQ(clutch.reason(),
               "left hand: tracked as something that may not be followed – take the controller");
}

TEST_F(Clutched, TheReasonIsThePresentOne) {
  after(5);
  hold(true, true);
  ASSERT_TRUE(after());
  // somebody else took over, then the controller is gone: that is what is in the way
  pad.sample.set_operator("bob");
  EXPECT_FALSE(after());
  EXPECT_STREQ(
      clutch.reason(),
      "left hand: two operators give samples at once – release a and trigger, press again");
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kNone);
  pad.sample.set_axis(0, std::nan(""));
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(), "left hand: tracking lost – release a and trigger, press again");
  // and when they were let go, what to do is another
  pad.track({0.1, 1.0, -0.3});
  hold(false, false);
  after(3);
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kNone);
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(),
               "left hand: tracking lost – bring it into view, then hold a and trigger");
}

TEST_F(Clutched, ATriggerWithoutAValueIsToldAsThat) {
  after(5);
  // after a clock that leapt, which is over
  pad.stamp += 3'600'000'000'000;
  after(5);
  hold(true, true);
  ASSERT_TRUE(after());
  pad.sample.set_axis(0, std::nan(""));
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(), "left hand: a and trigger without a value – check the controller");
  pad.sample.set_axis(0, 1.0);
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(),
               "left hand: clutch not seen released yet – release a and trigger, press again");
}

TEST_F(Clutched, ALeapOpensItAndOneBadFrameDoesNot) {
  after(5);
  hold(true, true);
  ASSERT_TRUE(after());
  pad.track({0.5, 1.0, -0.3});
  EXPECT_TRUE(after()) << "it may be a bad frame";
  pad.track({0.1, 1.0, -0.3});
  EXPECT_TRUE(after());
  EXPECT_EQ(pad.left().left_out(), 1U);
  pad.track({0.5, 1.0, -0.3});
  after();
  pad.track({0.5, 1.001, -0.3});
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(),
               "left hand: it leapt away from its motion – release a and trigger, press again");
}

class Held : public Clutched {
 protected:
  Held() : Clutched({{}, {}, true}) {}
};

TEST_F(Held, ClosesWhileItIsTrackedAndAgainByItself) {
  EXPECT_FALSE(after(2));
  EXPECT_TRUE(after());
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kNone);
  EXPECT_FALSE(after());
  pad.track({0.5, 1.0, -0.3});
  EXPECT_FALSE(after(2)) << "two samples are not steady";
  EXPECT_TRUE(after());
}

class HeldOnce : public Clutched {
 protected:
  HeldOnce() : Clutched({{}, {}, false}) {}
};

TEST_F(HeldOnce, StaysOpenAfterAnInterruptionUntilItIsOpenedAnew) {
  EXPECT_TRUE(after(3));
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kNone);
  after();
  pad.track({0.1, 1.0, -0.3});
  EXPECT_FALSE(after(10));
  EXPECT_STREQ(clutch.reason(),
               "left hand: tracking lost – stop and resume, or give it authority anew");
  clutch.open();  // authority is given again
  EXPECT_TRUE(after());
}

TEST(Clutch, AControlThatIsNotThereIsAnError) {
  const Pad pad;
  EXPECT_THROW(Clutch({"c", {}, false}, pad.state, 0, {}), InputError);
  EXPECT_THROW(Clutch({{}, "left", false}, pad.state, 0, {}), InputError);
}

}  // namespace clutch_test
}  // namespace handspan
