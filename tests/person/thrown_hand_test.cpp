// A hand that throws: what a device makes of it. No single bad frame and no gap interrupts it, and
// whatever is not a motion of a hand does.
#include "person/thrown_hand.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/config.hpp"
#include "device/headset.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"
#include "teleop/clutch.hpp"

namespace handspan {
namespace thrown_hand_test {

std::unique_ptr<ThrownHand> thrown(const std::string& yaml, std::uint64_t seed) {
  return std::make_unique<ThrownHand>(parse_yaml(yaml, "thrown.yaml", thrown_hand_schema()),
                                      DeviceContext{"hands", seed});
}

struct Seen {
  std::uint64_t samples = 0, breaks = 0, left_out = 0;
  std::uint64_t wrongly_open = 0, wrongly_closed = 0;  // clutches, at the end of a throw
  double fastest = 0.0;                                // while it is clutched [m/s]
};

// throws until so many are over
Seen watch(ThrownHand& hand, std::uint64_t throws) {
  DeviceState state("hands", headset_layout(), {});
  Clutch clutch({"right.squeeze", "right.trigger", false}, state, 1, {TrackedAs::kController});
  Seen seen;
  Input input;
  bool was_closed = false, any = false;
  Throw kind = Throw::kBack;
  std::uint64_t begun = 0;
  for (Nanoseconds now = 0; begun <= throws; now += 1'000'000) {
    const Moment moment{now / 1'000'000, now, 1e-3, nullptr};
    if (hand.sample(now, input)) {
      std::uint64_t all = 0;
      for (std::size_t k = 0; k < kThrows; ++k) all += hand.begun(static_cast<Throw>(k));
      if (all != begun) {
        // one is over: its clutch is still what it was
        if (any && opens(kind) && was_closed) ++seen.wrongly_closed;
        if (any && !opens(kind) && !was_closed) ++seen.wrongly_open;
        begun = all;
        any = true;
      }
      kind = hand.kind();
      ++seen.samples;
      state.receive(moment, input);
    }
    state.update(moment);
    was_closed = clutch.update(state);
    if (was_closed) seen.fastest = std::max(seen.fastest, hand.v_VC(now).norm());
  }
  seen.breaks = state.pose(1).breaks();
  seen.left_out = state.pose(1).left_out();
  return seen;
}

std::uint64_t many() { return static_cast<std::uint64_t>(test::sized(800)); }

TEST(ThrownHand, BadFramesAndGapsOfAnyThrowHoldNothing) {
  for (const double speed : {2.0, 4.0, 5.5, 7.0}) {
    const auto hand = thrown(
        fmt::format("{{speed: {}, throws: [back, stop, out_of_reach, bad_frame, gap]}}", speed),
        static_cast<std::uint64_t>(10.0 * speed));
    const Seen seen = watch(*hand, many());
    EXPECT_EQ(seen.breaks, 0U) << speed << " m/s";
    EXPECT_EQ(seen.wrongly_open, 0U) << speed << " m/s";
    EXPECT_EQ(seen.left_out, hand->came(Throw::kBadFrame)) << speed << " m/s";
    EXPECT_GT(seen.left_out, many() / 10);
    EXPECT_NEAR(seen.fastest, speed, 1e-9);
  }
}

TEST(ThrownHand, EveryLeapAndRecentreOpensTheClutch) {
  for (const double speed : {2.0, 4.0, 5.5, 7.0}) {
    const auto hand = thrown(
        fmt::format("{{speed: {}, throws: [leap, gap_leap, recentre, said_recentre, release]}}",
                    speed),
        static_cast<std::uint64_t>(10.0 * speed));
    const Seen seen = watch(*hand, many());
    EXPECT_EQ(seen.wrongly_closed, 0U) << speed << " m/s";
    for (const Throw kind :
         {Throw::kLeap, Throw::kGapLeap, Throw::kRecentre, Throw::kSaidRecentre, Throw::kRelease})
      EXPECT_GT(hand->came(kind), many() / 10) << name_of(kind);
  }
}

TEST(ThrownHand, IsTheSameOfTheSameSeedAndAllocatesNothing) {
  const auto a = thrown("{}", 5), b = thrown("{}", 5), c = thrown("{}", 6);
  Input x, y, z;
  bool differs = false;
  for (Nanoseconds now = 0; now < 20 * kSecond; now += 1'000'000) {
    bool has = false;
    {
      const test::AllocationCount allocations;
      has = a->sample(now, x);
      ASSERT_EQ(allocations.count(), 0U);
    }
    ASSERT_EQ(has, b->sample(now, y));
    const bool other = c->sample(now, z);
    if (!has) continue;
    ASSERT_EQ(x.stamp, y.stamp);
    const auto same = [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); };
    ASSERT_TRUE(std::ranges::equal(x.values(), y.values(), same));
    differs = differs || !other || !std::ranges::equal(x.values(), z.values(), same);
  }
  EXPECT_TRUE(differs);
}

}  // namespace thrown_hand_test
}  // namespace handspan
