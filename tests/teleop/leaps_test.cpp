// A hand is where its motion leads, or the clutch opens; but one bad frame is left out.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>

#include "core/random.hpp"
#include "device/headset.hpp"
#include "device/headset_csv.hpp"
#include "math/so3.hpp"
#include "teleop_support.hpp"

namespace handspan {
namespace leaps_test {

using test::Pad;

constexpr double kDegree = std::numbers::pi / 180.0;

// a hand at constant velocity, sampled with any periods
class Thrown {
 public:
  explicit Thrown(const Eigen::Vector3d& v, const Eigen::Vector3d& w = Eigen::Vector3d::Zero())
      : v_(v), w_(w) {}
  /// A frame `ms` after the last one, `d` away from where the motion leads, turned by `phi`.
  void frame(int ms, const Eigen::Vector3d& d = Eigen::Vector3d::Zero(),
             const Eigen::Vector3d& phi = Eigen::Vector3d::Zero()) {
    pad.wait(ms);
    pad.stamp += ms * 1'000'000;
    t_ += 1e-3 * ms;
    pad.track(t_ * v_ + d, TrackedAs::kController, exp_quaternion(phi) * exp_quaternion(t_ * w_));
    pad.give();
  }
  void frames(int n, int ms = 11) {
    for (int i = 0; i < n; ++i) frame(ms);
  }
  std::uint32_t breaks() const { return pad.left().breaks(); }
  Eigen::Vector3d place() const { return t_ * v_; }
  Pad pad;

 private:
  Eigen::Vector3d v_, w_;
  double t_ = 0.0;
};

TEST(Leaps, OneBadFrameOfAThrowIsLeftOutAndCounted) {
  // 14.9 m/s for 8 ms in a throw of 6 m/s
  for (const auto& v : {Eigen::Vector3d(6.0, 0.0, 0.0), Eigen::Vector3d(0.0, 0.0, 0.0),
                        Eigen::Vector3d(1.0, -2.0, 0.5)}) {
    Thrown hand(v);
    hand.frames(20, 8);
    ASSERT_EQ(hand.breaks(), 0U);
    hand.frame(8, {(14.9 - 6.0) * 0.008, 0.0, 0.0});
    EXPECT_EQ(hand.pad.state.left_out(), 0U) << "it is not judged yet";
    hand.frame(8);
    hand.frames(20, 8);
    EXPECT_EQ(hand.breaks(), 0U);
    EXPECT_EQ(hand.pad.left().left_out(), 1U);
    EXPECT_EQ(hand.pad.state.left_out(), 2U) << "both poses have it";
    EXPECT_LT((hand.pad.left().estimate(hand.pad.now).V_VC.head<3>() - v).norm(), 1e-6);
  }
}

TEST(Leaps, AFrameThatMayBeBadMovesNothing) {
  Thrown hand({3.0, 0.0, 0.0});
  hand.frames(30);
  const Nanoseconds last = hand.pad.now;
  const PoseTrack before = hand.pad.left();
  hand.frame(11, {0.0, 0.34, 0.0}, {0.0, 0.0, 0.5});
  const PoseEstimate led = before.estimate(last + 11'000'000),
                     is = hand.pad.left().estimate(hand.pad.now);
  EXPECT_EQ(is.p_VC, led.p_VC);
  EXPECT_EQ(is.V_VC, led.V_VC);
  EXPECT_EQ(is.q_VC.coeffs(), led.q_VC.coeffs());
  EXPECT_EQ(hand.pad.left().p_VC(), before.p_VC());
}

TEST(Leaps, BadFramesOfAnySizeAndPlaceNeverHold) {
  RandomStream random(5, "bad_frames");
  for (int n = 0; n < 300; ++n) {
    Thrown hand(random.uniform(0.0, 7.0) * random.direction(),
                random.uniform(0.0, 10.0) * random.direction());
    const int ms = 4 + static_cast<int>(random.integer(15));
    hand.frames(12, ms);
    ASSERT_EQ(hand.breaks(), 0U) << n;
    const double size = std::pow(10.0, random.uniform(-3.0, 0.5));
    hand.frame(ms, size * random.direction(),
               std::min(3.0, std::pow(10.0, random.uniform(-2.0, 0.4))) * random.direction());
    hand.frames(12, ms);
    ASSERT_EQ(hand.breaks(), 0U) << "number " << n << ": " << size << " m at a period of " << ms
                                 << " ms";
  }
}

TEST(Leaps, WhatStaysElsewhereOpensTheClutch) {
  // 0.34 m in one frame, and 0.5 m after a gap of 60 ms
  for (const auto& [gap, leap] : {std::pair(11, 0.34), {60, 0.5}, {11, 0.05}, {90, 0.6}}) {
    for (const double speed : {0.0, 2.0}) {
      Thrown hand({0.0, speed, 0.0});
      hand.frames(20);
      const Eigen::Vector3d d(leap, 0.0, 0.0);
      hand.frame(gap, d);
      EXPECT_EQ(hand.breaks(), 0U);
      hand.frame(11, d);
      if (hand.breaks() == 0) {
        // one that rests repeats its frame, which is no news for 30 ms
        EXPECT_EQ(speed, 0.0);
        hand.frame(11, d);
        hand.frame(11, d);
      }
      EXPECT_EQ(hand.breaks(), 1U) << gap << " ms, " << leap << " m";
      EXPECT_EQ(hand.pad.left().why(), Break::kLeap);
      EXPECT_EQ(hand.pad.left().left_out(), 0U);
      hand.frame(11, d);
      hand.frame(11, d);
      EXPECT_TRUE(hand.pad.left().steady()) << "it may be clutched in where it is";
    }
  }
}

TEST(Leaps, AGapLeavesTheRoomThatAnAccelerationExplains) {
  // just inside and just outside of 0.03 m + 1/2 100 m/s^2 dt^2, 10 deg + 1/2 1000 rad/s^2 dt^2
  RandomStream random(7, "room");
  for (const int gap : {8, 11, 16, 20, 40, 60, 90}) {
    const double dt = 1e-3 * gap, room = 0.03 + 50.0 * dt * dt, turn = 10 * kDegree + 500 * dt * dt;
    for (const double share : {0.98, 1.02}) {
      for (const bool turns : {false, true}) {
        if (turns && share * turn > 3.0) continue;
        Thrown hand({0.3, 0.0, -0.2}, {0.0, 0.5, 0.0});
        hand.frames(20);
        const Eigen::Vector3d along = random.direction();
        const Eigen::Vector3d d = (turns ? 0.0 : share * room) * along,
                              phi = (turns ? share * turn : 0.0) * along;
        hand.frame(gap, d, phi);
        hand.frame(11, d, phi);
        EXPECT_EQ(hand.breaks(), share < 1.0 ? 0U : 1U)
            << "a gap of " << gap << " ms, " << share << (turns ? " of the turn" : " of the way");
      }
    }
  }
}

TEST(Leaps, ARecentreIsALeapAlsoWhenNobodySaysIt) {
  for (const double angle : {20.0, 45.0, -20.0}) {
    // V turns about the head, 0.6 m from the hand
    Pad pad;
    const Eigen::Quaterniond turn = exp_quaternion({0.0, angle * kDegree, 0.0});
    RandomStream random(1, "hand");
    const auto show = [&](const Eigen::Quaterniond& q) {
      const Eigen::Vector3d p = Eigen::Vector3d(0.1, 1.2, -0.6) + 3e-4 * random.direction();
      pad.track(q * p, TrackedAs::kController, q);
      pad.send();
    };
    for (int i = 0; i < 20; ++i) show(Eigen::Quaterniond::Identity());
    show(turn);
    show(turn);
    EXPECT_EQ(pad.left().breaks(), 1U) << angle;
    EXPECT_EQ(pad.left().why(), Break::kLeap);
  }
}

TEST(Leaps, ARecentreThatIsSaidOpensTheClutchAtOnce) {
  Pad pad;
  pad.send(20);
  pad.track({0.1, 1.0, -0.3}, TrackedAs::kRecentred);
  pad.send();
  EXPECT_EQ(pad.left().breaks(), 1U);
  EXPECT_EQ(pad.left().why(), Break::kRecentred);
  // also when the hand is in the same place afterwards
  pad.track({0.1, 1.0, -0.3});
  pad.send(3);
  EXPECT_TRUE(pad.left().steady());
  EXPECT_EQ(pad.left().breaks(), 1U);
}

TEST(Leaps, ThrowsAndStopsOfPeopleAreNone) {
  // 7 m/s and back in a fifth of a second, at any rate, frames repeated or not, stamps that jitter
  for (const int ms : {2, 4, 8, 11, 14}) {
    for (const int repeats : {1, 2}) {
      if (ms * repeats > 22) continue;
      Pad pad;
      RandomStream random(static_cast<std::uint64_t>(ms), "throws");
      double t = 0.0;
      for (int i = 0; i < 2000 / ms; ++i) {
        const int now = std::max(1, ms + static_cast<int>(random.integer(3)) - 1);
        pad.wait(now);
        pad.stamp += now * 1'000'000;
        t += 1e-3 * now;
        // 70 m/s^2 at its most
        if (i % repeats == 0)
          pad.track(
              Eigen::Vector3d(0.7 * std::sin(10.0 * t), 1.0, -0.3) + 5e-4 * random.direction(),
              TrackedAs::kController, exp_quaternion({0.0, 1.5 * std::sin(9.0 * t), 0.0}));
        pad.give();
        ASSERT_EQ(pad.left().breaks(), 0U)
            << "period " << ms << " ms, sample " << i << ", " << text_of(pad.left().why());
      }
      EXPECT_EQ(pad.left().left_out(), 0U) << ms << " ms, " << repeats;
    }
  }
}

TEST(Leaps, ARealRecordingHasNone) {
  const auto file =
      std::filesystem::path(HANDSPAN_SOURCE_DIR) / "../shared/data/quest-session/session.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the recording is not on this machine";
  DeviceState state("headset", headset_layout(), {});
  Nanoseconds now = 0;
  std::array<std::uint32_t, 2> breaks{};
  std::map<std::string, int> told;
  for (const Input& input : read_headset_csv(file, "headset")) {
    for (; now < input.stamp; now += 1'000'000) state.update({now / 1'000'000, now, 1e-3, nullptr});
    state.receive({now / 1'000'000, now, 1e-3, nullptr}, input);
    for (std::size_t i = 0; i < 2; ++i) {
      if (state.pose(i).breaks() != breaks[i]) ++told[text_of(state.pose(i).why())];
      breaks[i] = state.pose(i).breaks();
    }
  }
  std::string all;
  for (const auto& [why, times] : told) all += why + ": " + std::to_string(times) + "\n";
  EXPECT_EQ(told.count(text_of(Break::kLeap)), 0U) << all;
  EXPECT_EQ(state.left_out(), 0U) << all;
  EXPECT_GT(told.size(), 0U) << "its controllers are lost for a while";
}

TEST(Leaps, TwoBadFramesInARowAreALeap) {
  Thrown hand({2.0, 0.0, 0.0});
  hand.frames(20);
  hand.frame(11, {0.0, 0.2, 0.0});
  hand.frame(11, {0.0, 0.0, 0.2});
  EXPECT_EQ(hand.breaks(), 1U);
}

TEST(Leaps, AreRestoredToTheBitInTheMiddleOfADoubt) {
  Thrown hand({2.0, 0.0, 0.0}, {0.0, 3.0, 0.0});
  hand.frames(20);
  hand.frame(11, {0.0, 0.2, 0.0});
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  hand.pad.state.state(save);
  Thrown other = hand;
  other.frames(3);
  StateArchive load{std::span<const std::byte>(bytes)};
  hand.pad.state.state(load);
  hand.frames(3);
  EXPECT_EQ(hand.pad.left().left_out(), 1U);
  EXPECT_EQ(hand.breaks(), 0U);
  EXPECT_EQ(hand.pad.left().estimate(hand.pad.now).V_VC,
            other.pad.left().estimate(hand.pad.now).V_VC);
}

}  // namespace leaps_test
}  // namespace handspan
