#include "device/device_rate.hpp"

#include <gtest/gtest.h>

#include "core/config.hpp"
#include "teleop/jog_support.hpp"

namespace handspan {
namespace device_rate_test {

using test::JogPad;

RateBinding binding(const std::string& yaml) {
  return parse_yaml(yaml, "rate.yaml", rate_binding_schema());
}

std::string error_of(const std::string& yaml) {
  try {
    binding(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Response, BeginsAtZeroBeyondTheDeadZoneAndEndsAtOne) {
  const ResponseConfig r{0.2, 2.0};
  EXPECT_EQ(respond(0.2, r), 0.0);
  EXPECT_EQ(respond(-0.1, r), 0.0);
  EXPECT_NEAR(respond(0.2 + 1e-9, r), 0.0, 1e-15);
  EXPECT_DOUBLE_EQ(respond(0.6, r), 0.25);  // half of the way, squared
  EXPECT_DOUBLE_EQ(respond(-0.6, r), -0.25);
  EXPECT_EQ(respond(1.0, r), 1.0);
  EXPECT_EQ(respond(-1.5, r), -1.0);
}

TEST(RateInput, ReadsAxesEitherWayRoundAndPairsOfButtons) {
  JogPad pad;
  pad.tick();
  pad.axis("left.stick_y", 0.5);
  pad.axis("right.trigger", 1.0);
  pad.tick();
  const auto value = [&](const char* yaml) {
    return RateInput(binding(yaml), pad.state()).value(pad.state());
  };
  EXPECT_EQ(value("left.stick_y"), 0.5);
  EXPECT_EQ(value("-left.stick_y"), -0.5);
  EXPECT_EQ(value("{axis: left.stick_y, sign: -1}"), -0.5);
  // an axis may be used as a button
  EXPECT_EQ(value("{plus: left.primary, minus: right.trigger}"), -1.0);
  EXPECT_EQ(value("{plus: right.trigger}"), 1.0);
  pad.button("left.primary", true);
  pad.tick();
  EXPECT_EQ(value("{plus: left.primary, minus: right.trigger}"), 0.0);
}

TEST(RateInput, SaysWhatCannotBeBound) {
  EXPECT_EQ(error_of("{axis: a, plus: b}"),
            "rate.yaml:1: the file has an axis and buttons; give axis, or plus and minus");
  EXPECT_EQ(error_of("{sign: 1}"),
            "rate.yaml:1: the file has neither axis nor buttons; give axis, or plus and minus");
  EXPECT_EQ(error_of("{plus: b, sign: -1}"),
            "rate.yaml:1: sign is for an axis; exchange plus and minus instead");
  EXPECT_EQ(error_of("{axis: a, sign: 2}"), "rate.yaml:1: sign is 2; it must be one of: 1, -1");
  JogPad pad;
  try {
    RateInput(binding("left.stick_z"), pad.state());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the device 'pad' has no axis 'left.stick_z'; did you mean 'left.stick_x'?");
  }
  EXPECT_THROW(RateInput(binding("{plus: fire}"), pad.state()), InputError);
}

TEST(SpeedScale, StepsOncePerPressWithinItsBounds) {
  JogPad pad;
  SpeedScaleConfig config;
  config.faster = "right.primary";
  config.slower = "right.secondary";
  config.step = 2.0;
  config.min = 0.2;
  config.start = 0.5;
  SpeedScale scale(config, pad.state());
  const auto press = [&](const char* name) {
    for (bool down : {true, false}) {
      pad.button(name, down);
      pad.tick();
      // twice a tick is no second press
      scale.update(pad.state());
      scale.update(pad.state());
    }
    return scale.value();
  };
  pad.tick();
  scale.begin(pad.state());
  EXPECT_EQ(press("right.primary"), 1.0);
  EXPECT_EQ(press("right.primary"), 1.0);
  EXPECT_EQ(press("right.secondary"), 0.5);
  EXPECT_EQ(press("right.secondary"), 0.25);
  EXPECT_EQ(press("right.secondary"), 0.2);
  // what is held when it begins is not a press
  pad.button("right.primary", true);
  pad.tick();
  scale.begin(pad.state());
  scale.update(pad.state());
  EXPECT_EQ(scale.value(), 0.2);
}

TEST(SpeedScale, TheStartMustBeWithinItsBounds) {
  try {
    parse_yaml("{start: 0.5, max: 0.3}", "s.yaml", speed_scale_schema());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "s.yaml:1: start is not from min to max; min <= start <= max must hold");
  }
}

TEST(DeadMan, MustBePressedAnewAfterWhateverInterrupted) {
  JogPad pad;
  pad.button("left.primary", true);
  pad.tick();
  DeadMan dead_man(std::string("left.primary"), pad.state());
  const auto after = [&](bool down) {
    pad.button("left.primary", down);
    pad.tick();
    return dead_man.update(pad.state(), true);
  };
  EXPECT_FALSE(after(true));
  EXPECT_STREQ(dead_man.reason(),
               "the dead man's button was held before – release it, press again");
  EXPECT_FALSE(after(false));
  EXPECT_STREQ(dead_man.reason(), "the dead man's button is not held – hold it to move");
  EXPECT_TRUE(after(true));
  dead_man.open();
  EXPECT_FALSE(after(true));
  EXPECT_FALSE(after(false));
  EXPECT_TRUE(after(true));
  // silence
  pad.silent = true;
  for (int i = 0; i < 150; ++i) pad.tick();
  EXPECT_FALSE(dead_man.update(pad.state(), true));
  EXPECT_STREQ(dead_man.reason(), "no sample came in time");
  pad.silent = false;
  EXPECT_FALSE(after(true));
  EXPECT_FALSE(after(true));
  EXPECT_FALSE(after(false));
  EXPECT_TRUE(after(true));
}

TEST(DeadMan, WithoutOneTheRatesMustHaveBeenAtRest) {
  JogPad pad;
  pad.tick();
  DeadMan dead_man(std::nullopt, pad.state());
  EXPECT_FALSE(dead_man.update(pad.state(), false));
  EXPECT_STREQ(dead_man.reason(), "an axis or button is held – let it go first");
  EXPECT_TRUE(dead_man.update(pad.state(), true));
  EXPECT_TRUE(dead_man.update(pad.state(), false));
}

}  // namespace device_rate_test
}  // namespace handspan
