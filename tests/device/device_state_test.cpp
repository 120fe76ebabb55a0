#include "device/device_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/error.hpp"
#include "math/so3.hpp"
#include "teleop/teleop_support.hpp"

namespace handspan {
namespace device_state_test {

using test::Pad;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(DeviceState, ATrackedPoseIsSteadyAfterAFewSamples) {
  Pad pad;
  EXPECT_FALSE(pad.left().steady());
  EXPECT_EQ(pad.left().why(), Break::kNothingYet);
  pad.send(2);
  EXPECT_FALSE(pad.left().steady());
  pad.send();
  EXPECT_TRUE(pad.left().steady());
  EXPECT_TRUE(pad.state.present());
}

TEST(DeviceState, AConstantVelocityIsEstimatedWithoutLag) {
  Pad pad;
  const Eigen::Vector3d v(0.5, -0.3, 0.2), w(0.0, 2.0, 1.0);
  for (int i = 0; i < 60; ++i) {
    const double t = 0.01 * i;
    pad.track(t * v, TrackedAs::kController, exp_quaternion(t * w));
    pad.send();
  }
  const PoseEstimate e = pad.left().estimate(pad.now + 10'000'000);
  EXPECT_LT((e.V_VC.head<3>() - v).norm(), 1e-6);
  EXPECT_LT((e.V_VC.tail<3>() - w).norm(), 1e-6);
  EXPECT_LT((e.p_VC - 0.60 * v).norm(), 1e-6);
  EXPECT_LT(log_quaternion(e.q_VC * exp_quaternion(0.60 * w).conjugate()).norm(), 1e-6);
}

TEST(DeviceState, FramesThatRepeatAreNoNews) {
  // every second frame is that before, as of a real headset: the velocity is the hand's all along
  Pad pad;
  const Eigen::Vector3d v(0.6, 0.0, 0.0);
  for (int i = 0; i < 80; ++i) {
    pad.track(0.02 * (i / 2) * v);
    pad.send();
    if (i > 30) {
      const auto e = pad.left().estimate(pad.now);
      ASSERT_NEAR(e.V_VC[0], 0.6, 1e-3) << "frame " << i;
    }
  }
  EXPECT_EQ(pad.left().breaks(), 0U);
  // and when it goes on repeating, the hand rests
  pad.send(30);
  EXPECT_LT(pad.left().estimate(pad.now).V_VC.norm(), 1e-3);
  EXPECT_TRUE(pad.left().steady());
}

TEST(DeviceState, AfterTheLastNewsAPoseComesToRest) {
  Pad pad;
  for (int i = 0; i < 40; ++i) {
    pad.track(Eigen::Vector3d(0.007 * i, 0, 0));
    pad.send();
  }
  double before = pad.left().estimate(pad.now).p_VC.x(), last = before;
  for (int ms = 1; ms <= 100; ++ms) {
    const double x = pad.left().estimate(pad.now + ms * 1'000'000).p_VC.x();
    ASSERT_GE(x, last);
    last = x;
  }
  // 0.7 m/s for 25 ms and 30 ms of slowing down
  EXPECT_NEAR(last - before, 0.7 * 0.055, 0.7 * 0.055 * 0.09);
}

struct Fault {
  const char* name;
  Break why;
  std::function<void(Pad&)> happens;  // in one sample
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class DeviceFault : public testing::TestWithParam<Fault> {};

TEST_P(DeviceFault, BreaksThePoseAndSaysWhy) {
  Pad pad;
  pad.send(20);
  const auto breaks = pad.left().breaks();
  GetParam().happens(pad);
  EXPECT_EQ(pad.left().breaks(), breaks + 1);
  EXPECT_FALSE(pad.left().steady());
  EXPECT_EQ(pad.left().why(), GetParam().why) << text_of(pad.left().why());
  EXPECT_TRUE(pad.left().estimate(pad.now).p_VC.allFinite());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DeviceFault,
    testing::Values(
        Fault{"lost", Break::kNotTracked,
              [](Pad& p) { p.track({0.1, 1, -0.3}, TrackedAs::kNone), p.send(); }},
        Fault{"hand", Break::kTrackedAsOther,
              [](Pad& p) { p.track({0.1, 1, -0.3}, TrackedAs::kHand), p.send(); }},
        Fault{"nan", Break::kNotFinite, [](Pad& p) { p.track({kNan, 1, -0.3}), p.send(); }},
        Fault{"infinite", Break::kNotFinite,
              [](Pad& p) { p.track({0.1, HUGE_VAL, -0.3}), p.send(); }},
        Fault{"huge", Break::kNotFinite, [](Pad& p) { p.track({0.1, 1e30, -0.3}), p.send(); }},
        Fault{"kind_is_nan", Break::kNotFinite,
              [](Pad& p) {
                Input input = p.sample.input();
                input.numbers[0] = kNan;
                input.stamp = p.stamp + 10'000'000;
                p.wait(10);
                p.state.receive(p.moment(), input);
              }},
        Fault{"no_kind", Break::kNotTracked,
              [](Pad& p) {
                Input input = p.sample.input();
                input.numbers[0] = 1e300;
                input.stamp = p.stamp + 10'000'000;
                p.wait(10);
                p.state.receive(p.moment(), input);
              }},
        Fault{"quaternion_nan", Break::kNotFinite,
              [](Pad& p) {
                p.track({0.1, 1, -0.3}, TrackedAs::kController, {kNan, 0, 0, 0}), p.send();
              }},
        Fault{"quaternion_zero", Break::kNoRotation,
              [](Pad& p) {
                p.track({0.1, 1, -0.3}, TrackedAs::kController, {0, 0, 0, 0}), p.send();
              }},
        Fault{"teleport", Break::kLeap, [](Pad& p) { p.track({1.1, 1, -0.3}), p.send(4); }},
        Fault{"swapped", Break::kLeap,
              [](Pad& p) {
                p.sample.set_pose(0, TrackedAs::kController, {-0.4, 1, -0.3},
                                  Eigen::Quaterniond::Identity());
                p.send(4);
              }},
        Fault{"spun", Break::kLeap,
              [](Pad& p) {
                p.track({0.1, 1, -0.3}, TrackedAs::kController, {0, 1, 0, 0}), p.send(4);
              }},
        Fault{"recentred", Break::kRecentred,
              [](Pad& p) { p.track({0.1, 1, -0.3}, TrackedAs::kRecentred), p.send(); }},
        Fault{"time_back", Break::kClockBack, [](Pad& p) { p.stamp -= 500'000'000, p.send(); }},
        Fault{"other_clock", Break::kClockJump,
              [](Pad& p) { p.stamp += 3'600'000'000'000, p.send(); }},
        Fault{"silent", Break::kSilent, [](Pad& p) { p.wait(101); }},
        Fault{"two_operators", Break::kTwoOperators,
              [](Pad& p) { p.sample.set_operator("bob"), p.send(); }},
        Fault{"malformed", Break::kMalformed,
              [](Pad& p) {
                Input input = p.sample.input();
                input.count -= 1;
                p.wait(10);
                p.state.receive(p.moment(), input);
              }}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(DeviceState, ASignFlippedQuaternionIsTheSameRotation) {
  Pad pad;
  const Eigen::Quaterniond q = exp_quaternion({0.3, 1.0, -0.2});
  for (int i = 0; i < 40; ++i) {
    const Eigen::Quaterniond flipped(-q.w(), -q.x(), -q.y(), -q.z());
    pad.track({0.1, 1.0, -0.3}, TrackedAs::kController, i % 2 == 0 ? q : flipped);
    pad.send();
  }
  EXPECT_EQ(pad.left().breaks(), 0U);
  const PoseEstimate e = pad.left().estimate(pad.now);
  EXPECT_LT(e.V_VC.norm(), 1e-9);
  EXPECT_LT(log_quaternion(e.q_VC * q.conjugate()).norm(), 1e-9);
}

TEST(DeviceState, FastHandsAreNoLeap) {
  // 6 m/s with frames that repeat and drop-outs of three frames, turned round at 60 m/s^2
  Pad pad;
  double x = 0.1, v = 6.0;
  for (int i = 0; i < 400; ++i) {
    const auto go = [&](double dt) {
      v += std::clamp((i % 80 < 40 ? 6.0 : -6.0) - v, -60.0 * dt, 60.0 * dt);
      x += v * dt;
    };
    if (i % 17 == 0 && i > 0 && (i % 40 < 28 || i % 40 > 34)) {
      pad.wait(30);
      pad.stamp += 30'000'000;
      go(0.03);
    }
    go(0.01);
    // repeated once, and now and then four times, where it does not turn round
    if (i % 2 == 0 && i % 40 != 30) pad.track({x, 1.0, -0.3});
    pad.send();
    ASSERT_EQ(pad.left().breaks(), 0U) << "frame " << i << ": " << text_of(pad.left().why());
  }
}

TEST(DeviceState, OneSideThatFailsLeavesTheOther) {
  Pad pad;
  pad.send(10);
  pad.sample.set_pose(0, TrackedAs::kNone, Eigen::Vector3d::Zero(), Eigen::Quaterniond::Identity());
  pad.send(5);
  EXPECT_FALSE(pad.state.pose(0).steady());
  EXPECT_TRUE(pad.state.pose(1).steady());
  EXPECT_EQ(pad.state.pose(1).breaks(), 0U);
}

TEST(DeviceState, APoseThatIsAwayIsOneBreak) {
  Pad pad;
  pad.send(10);
  pad.track({0, 0, 0}, TrackedAs::kNone);
  pad.send(50);
  EXPECT_EQ(pad.left().breaks(), 1U);
  pad.track({0.1, 1.0, -0.3});
  pad.send(3);
  EXPECT_TRUE(pad.left().steady());
  EXPECT_EQ(pad.left().breaks(), 1U);
}

TEST(DeviceState, AnAxisCountsWhenItWasSeenAtRest) {
  Pad pad;
  pad.sample.set_axis(0, 1.0);
  pad.send(20);
  EXPECT_EQ(pad.state.axis(0), 0.0);
  EXPECT_FALSE(pad.state.axis_valid(0));
  const Control trigger = pad.state.control("trigger");
  EXPECT_FALSE(pad.state.pressed(trigger));
  pad.sample.set_axis(0, 0.1);
  pad.send();
  pad.sample.set_axis(0, 0.9);
  pad.send();
  EXPECT_EQ(pad.state.axis(0), 0.9);
  EXPECT_TRUE(pad.state.pressed(trigger));
  // let go a little: still pressed; more: not
  pad.sample.set_axis(0, 0.5);
  pad.send();
  EXPECT_TRUE(pad.state.pressed(trigger));
  pad.sample.set_axis(0, 0.3);
  pad.send();
  EXPECT_FALSE(pad.state.pressed(trigger));
  pad.sample.set_axis(0, kNan);
  pad.send();
  EXPECT_FALSE(pad.state.axis_valid(0));
}

TEST(DeviceState, AnAxisThatRestsAtMinusOneIsNotPressed) {
  // as triggers of some drivers: SDL says 0 for one until it is first touched
  for (const double first : {-1.0, 0.0}) {
    Pad pad;
    const Control trigger = pad.state.control("trigger");
    const auto is = [&](double x) {
      pad.sample.set_axis(0, x);
      pad.send();
      return pad.state.pressed(trigger);
    };
    is(first);
    EXPECT_TRUE(pad.state.believed(trigger));
    for (int times = 0; times < 2; ++times) {
      EXPECT_FALSE(is(-1.0));
      EXPECT_FALSE(is(-0.2));
      EXPECT_FALSE(is(0.5));
      EXPECT_TRUE(is(1.0));
      EXPECT_TRUE(is(0.45));
      EXPECT_FALSE(is(-0.7));
    }
  }
}

TEST(DeviceState, AnAxisThatNeverRestsAtItsMiddleIsCalibratedByItsCentre) {
  // {axis: -1}, {axis: rest}, and one that rests at the other end
  const auto state = [](const std::vector<AxisCentre>& centres) {
    Pad pad;
    pad.state = DeviceState("pad", test::pad_layout(), {}, centres);
    return pad;
  };
  for (Pad pad : {state({{"stick", -1.0}}), state({{"stick", {}}})}) {
    const auto is = [&](double x) {
      pad.sample.set_axis(1, x);
      pad.send();
      return pad.state.axis(1);
    };
    EXPECT_EQ(is(-1.0), 0.0);
    EXPECT_TRUE(pad.state.axis_valid(1));
    EXPECT_EQ(is(0.0), 0.5);
    EXPECT_EQ(is(1.0), 1.0);
    EXPECT_TRUE(pad.state.pressed("stick"));
    EXPECT_EQ(is(-1.0), 0.0);
    EXPECT_FALSE(pad.state.pressed("stick"));
    // the calibration stays through a silence
    pad.wait(200);
    pad.stamp += 200'000'000;
    is(-0.98);
    EXPECT_EQ(is(0.0), 0.5);
  }
  Pad other = state({{"stick", 1.0}});
  const auto at = [&](Pad& pad, double x) {
    pad.sample.set_axis(1, x);
    pad.send();
    return pad.state.axis(1);
  };
  EXPECT_EQ(at(other, 1.0), 0.0);
  EXPECT_EQ(at(other, -1.0), 1.0);
  // one that rests a little beside its middle goes both ways
  Pad beside = state({{"stick", 0.2}});
  EXPECT_EQ(at(beside, 0.2), 0.0);
  EXPECT_EQ(at(beside, 1.0), 1.0);
  EXPECT_EQ(at(beside, -1.0), -1.0);
  EXPECT_NEAR(at(beside, 0.6), 0.5, 1e-15);
  // without: a rate that was never seen at rest moves nothing
  Pad none;
  EXPECT_EQ(at(none, -1.0), 0.0);
  EXPECT_FALSE(none.state.axis_valid(1));
  EXPECT_THROW(state({{"stck", 0.0}}), InputError);
}

TEST(DeviceState, WhatIsBroughtIntoItsRangeIsCounted) {
  Pad pad;
  const double half = std::sqrt(0.5);
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kController, {half, 0.0, half, 0.0});
  pad.send(5);
  EXPECT_EQ(pad.state.out_of_range(), 0U);
  pad.sample.set_axis(0, 1e9);
  pad.send();
  EXPECT_EQ(pad.state.out_of_range(), 1U);
  pad.sample.set_axis(0, -1.0);
  // of both poses, each of length 2; a sign is none
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kController, {2.0 * half, 0.0, 2.0 * half, 0.0});
  pad.send(2);
  EXPECT_EQ(pad.state.out_of_range(), 5U);
  EXPECT_LT((pad.left().q_VC().coeffs() - Eigen::Vector4d(0.0, half, 0.0, half)).norm(), 1e-12);
  // three decimals, as recordings have them, are of length 1
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kController, {0.707, 0.0, 0.708, 0.0});
  pad.send();
  EXPECT_EQ(pad.state.out_of_range(), 5U);
}

TEST(DeviceState, WhyIsThePresentReason) {
  Pad pad;
  pad.send(20);
  pad.sample.set_operator("bob");
  pad.send();
  EXPECT_EQ(pad.left().why(), Break::kTwoOperators);
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kNone);
  pad.send();
  EXPECT_EQ(pad.left().why(), Break::kNotTracked);
  pad.wait(200);
  EXPECT_EQ(pad.left().why(), Break::kSilent);
}

TEST(DeviceState, AButtonCountsWhenItWasSeenUp) {
  Pad pad;
  pad.sample.set_button(0, true);
  pad.send(5);
  EXPECT_FALSE(pad.state.pressed("a"));
  pad.sample.set_button(0, false);
  pad.send();
  pad.sample.set_button(0, true);
  pad.send();
  EXPECT_TRUE(pad.state.pressed("a"));
  // a device that falls silent has nothing pressed, and gives no edge when it comes back
  pad.wait(200);
  EXPECT_FALSE(pad.state.pressed("a"));
  pad.stamp += 200'000'000;
  pad.send(3);
  EXPECT_FALSE(pad.state.pressed("a"));
}

TEST(DeviceState, AnAxisBeyondItsRangeIsCut) {
  Pad pad;
  pad.send();
  pad.sample.set_axis(1, 0.0);
  pad.send();
  pad.sample.set_axis(1, -1e9);
  pad.send();
  EXPECT_EQ(pad.state.axis(1), -1.0);
}

std::string error(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(DeviceState, NamesThatItDoesNotHaveAreErrors) {
  const Pad pad;
  EXPECT_EQ(error([&] { pad.state.pose_index("lft"); }),
            "the device 'pad' has no pose 'lft'; did you mean 'left'?");
  EXPECT_EQ(error([&] { pad.state.control("tigger"); }),
            "the device 'pad' has no button or axis 'tigger'; did you mean 'trigger'?");
  EXPECT_EQ(error([&] { pad.state.axis_index("a"); }),
            "the device 'pad' has no axis 'a'; it has: trigger, stick");
  DeviceLayout many;
  many.axes.resize(257, "x");
  EXPECT_EQ(error([&] { DeviceState("many", many, {}); }),
            "the device 'many' has 257 numbers a sample; 256 is the most");
  DeviceLayout none;
  EXPECT_EQ(error([&] { DeviceState("none", none, {}).pose_index("left"); }),
            "the device 'none' has no pose 'left', nor any other");
}

TEST(DeviceState, IsRestoredToTheBit) {
  Pad pad;
  pad.send(20);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  pad.state.state(save);
  Pad other;
  StateArchive load{std::span<const std::byte>(bytes)};
  other.state.state(load);
  other.now = pad.now;
  other.stamp = pad.stamp;
  for (Pad* p : {&pad, &other}) {
    p->track({0.12, 1.0, -0.3});
    p->send(7);
  }
  const PoseEstimate a = pad.left().estimate(pad.now), b = other.left().estimate(other.now);
  EXPECT_EQ(a.p_VC, b.p_VC);
  EXPECT_EQ(a.V_VC, b.V_VC);
}

}  // namespace device_state_test
}  // namespace handspan
