#include "teleop/clutch.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "teleop_support.hpp"

namespace handspan {
namespace {

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
  EXPECT_STREQ(clutch.reason(), "the safety clutch is open");
  hold(true, false);
  EXPECT_FALSE(after());
  EXPECT_STREQ(clutch.reason(), "the clutch is open");
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
  EXPECT_STREQ(clutch.reason(), "the clutch is held: release it and press it anew");
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
  EXPECT_STREQ(clutch.reason(), "tracking is lost");
  pad.track({0.1, 1.0, -0.3});
  EXPECT_FALSE(after(20)) << "it closed by itself";
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
  EXPECT_STREQ(clutch.reason(), "no sample came in time");
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
  EXPECT_STREQ(clutch.reason(), "it is tracked as something that may not be followed");
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
  EXPECT_STREQ(clutch.reason(), "tracking is lost");
  clutch.open();  // authority is given again
  EXPECT_TRUE(after());
}

TEST(Clutch, AControlThatIsNotThereIsAnError) {
  const Pad pad;
  EXPECT_THROW(Clutch({"c", {}, false}, pad.state, 0, {}), InputError);
  EXPECT_THROW(Clutch({{}, "left", false}, pad.state, 0, {}), InputError);
}

}  // namespace
}  // namespace handspan
