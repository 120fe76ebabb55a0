#include "person/wild_hand.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/config.hpp"
#include "device/device_state.hpp"
#include "device/headset.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace wild_hand_test {

std::unique_ptr<WildHand> wild(const std::string& yaml, std::uint64_t seed = 1) {
  return std::make_unique<WildHand>(parse_yaml(yaml, "wild.yaml", wild_hand_schema()),
                                    DeviceContext{"hands", seed});
}

std::unique_ptr<WildHand> only(Trouble trouble, double hz = 1.0) {
  return wild("troubles: {" + std::string(name_of(trouble)) + ": " + std::to_string(hz) + "}");
}

// what the samples of a minute are like; `visit` gets each with the time of its tick
int watch(WildHand& hand, const std::function<void(const Input&, Nanoseconds)>& visit,
          double time = 60.0) {
  Input input;
  int samples = 0;
  for (Nanoseconds now = 0; seconds(now) < time; now += kSecond / 1000)
    if (hand.sample(now, input)) {
      ++samples;
      visit(input, now);
    }
  return samples;
}

// how many samples of a minute have something
int count(Trouble trouble, const std::function<bool(const Input&)>& has) {
  const auto hand = only(trouble);
  int found = 0;
  watch(*hand, [&](const Input& input, Nanoseconds) { found += has(input) ? 1 : 0; });
  EXPECT_GT(hand->count(trouble), 20U) << name_of(trouble);
  for (std::size_t i = 0; i < kTroubles; ++i) {
    if (i == static_cast<std::size_t>(trouble)) continue;
    EXPECT_EQ(hand->count(static_cast<Trouble>(i)), 0U);
  }
  return found;
}

bool tracked_as(const Input& input, TrackedAs as) {
  return input.numbers[0] == static_cast<double>(as) || input.numbers[8] == static_cast<double>(as);
}

TEST(WildHand, WithoutTroubleIsAHandThatIsNeverInterrupted) {
  const auto hand = wild("{}");
  DeviceState state("hands", headset_layout(), {});
  bool pressed = false;
  const int samples = watch(*hand, [&](const Input& input, Nanoseconds now) {
    const Moment moment{now / 1'000'000, now, 1e-3, nullptr};
    state.receive(moment, input);
    state.update(moment);
    pressed = pressed || state.pressed("left.squeeze");
  });
  EXPECT_NEAR(samples, 60 * 90, 10);
  EXPECT_EQ(state.pose(0).breaks() + state.pose(1).breaks(), 0U);
  EXPECT_TRUE(pressed);
  EXPECT_EQ(hand->report(), "no trouble");
}

TEST(WildHand, EachKindOfTroubleComesWhenItIsAskedFor) {
  EXPECT_GT(
      count(Trouble::kDropOut, [](const Input& i) { return tracked_as(i, TrackedAs::kNone); }),
      100);
  EXPECT_GT(
      count(Trouble::kBecomesHand, [](const Input& i) { return tracked_as(i, TrackedAs::kHand); }),
      100);
  EXPECT_GT(count(Trouble::kNotFinite,
                  [](const Input& i) {
                    for (std::size_t n = 0; n < 16; ++n)
                      if (!std::isfinite(i.numbers[n])) return true;
                    return false;
                  }),
            20);
  const auto length = [](const Input& i, std::size_t first) {
    return std::hypot(std::hypot(i.numbers[first], i.numbers[first + 1]),
                      std::hypot(i.numbers[first + 2], i.numbers[first + 3]));
  };
  EXPECT_GT(count(Trouble::kZeroQuaternion,
                  [&](const Input& i) { return length(i, 4) == 0.0 || length(i, 12) == 0.0; }),
            20);
  EXPECT_GT(count(Trouble::kSignFlip, [](const Input& i) { return i.numbers[7] < 0.0; }), 100);
  EXPECT_GT(count(Trouble::kTwoOperators, [](const Input& i) { return i.text == "somebody else"; }),
            20);
  EXPECT_GT(count(Trouble::kMalformed,
                  [](const Input& i) { return i.count != headset_layout().numbers(); }),
            20);
  EXPECT_GT(
      count(Trouble::kNoControls,
            [](const Input& i) { return std::isnan(i.numbers[headset_layout().first_axis()]); }),
      100);
  EXPECT_GT(count(Trouble::kSwapped, [](const Input& i) { return i.numbers[1] > 0.06; }), 100);
}

TEST(WildHand, StampsGoBackOrAreOfAnotherClock) {
  Nanoseconds before = 0;
  EXPECT_GT(count(Trouble::kStampBack,
                  [&](const Input& i) {
                    const bool back = i.stamp < before;
                    before = i.stamp;
                    return back;
                  }),
            20);
  before = 0;
  EXPECT_GT(count(Trouble::kOtherClock,
                  [&](const Input& i) {
                    const bool jumps = std::abs(i.stamp - before) > kSecond;
                    before = i.stamp;
                    return jumps;
                  }),
            20);
}

TEST(WildHand, FallsSilentForLongerThanATimeout) {
  const auto hand = only(Trouble::kSilence);
  Nanoseconds before = 0;
  std::uint64_t silences = 0;
  watch(*hand, [&](const Input&, Nanoseconds now) {
    if (now - before > kSecond / 10) ++silences;
    before = now;
  });
  EXPECT_GE(silences + 1, hand->count(Trouble::kSilence));
  EXPECT_GT(silences, 10U);
}

// speeds of the left hand from sample to sample [m/s], and its distances from its rest [m]
std::pair<double, double> fastest_and_farthest(WildHand& hand) {
  double fastest = 0.0, farthest = 0.0;
  Eigen::Vector3d before = Eigen::Vector3d::Zero();
  Nanoseconds then = -1;
  watch(hand, [&](const Input& input, Nanoseconds now) {
    const Eigen::Vector3d p(input.numbers[1], input.numbers[2], input.numbers[3]);
    if (then >= 0) fastest = std::max(fastest, (p - before).norm() / seconds(now - then));
    farthest = std::max(farthest, (p - Eigen::Vector3d(-0.2, 1.1, -0.35)).norm());
    before = p;
    then = now;
  });
  return {fastest, farthest};
}

TEST(WildHand, FlicksReachSixMetresASecondAndTeleportsAreFaster) {
  const auto [calm, near] = fastest_and_farthest(*wild("{}"));
  EXPECT_LT(calm, 2.2);
  EXPECT_LT(near, 0.26);
  const auto [flick, there] = fastest_and_farthest(*only(Trouble::kFlick));
  EXPECT_GT(flick, 5.0);
  EXPECT_LT(flick, 6.1);
  const auto [reach, far] = fastest_and_farthest(*only(Trouble::kOutOfReach, 0.5));
  EXPECT_GT(far, 1.5);
  EXPECT_LT(reach, 6.0);
  const auto [jump, away] = fastest_and_farthest(*only(Trouble::kTeleport, 0.2));
  EXPECT_GT(jump, 60.0);
}

TEST(WildHand, TheClutchChatters) {
  const std::size_t squeeze = headset_layout().first_axis() + 1;
  const auto changes = [&](WildHand& hand) {
    int n = 0;
    double before = 0.0;
    watch(hand, [&](const Input& input, Nanoseconds) {
      n += input.numbers[squeeze] != before ? 1 : 0;
      before = input.numbers[squeeze];
    });
    return n;
  };
  const int calm = changes(*wild("{}"));
  EXPECT_LT(calm, 80);
  EXPECT_GT(changes(*only(Trouble::kClutchChatter)), calm + 300);
}

TEST(WildHand, ComesAsOftenAsAskedAndIsDeterministicFromItsSeed) {
  const std::string all =
      "troubles: {flick: 2, drop_out: 1, teleport: 0.5, stamp_back: 3, not_finite: 0.2}";
  const auto a = wild(all, 4), b = wild(all, 4);
  std::vector<Input> first;
  watch(*a, [&](const Input& input, Nanoseconds) { first.push_back(input); });
  std::size_t i = 0;
  watch(*b, [&](const Input& input, Nanoseconds) {
    ASSERT_LT(i, first.size());
    ASSERT_EQ(input.stamp, first[i].stamp);
    for (std::size_t n = 0; n < input.count; ++n)
      ASSERT_TRUE(input.numbers[n] == first[i].numbers[n] || std::isnan(input.numbers[n]));
    ++i;
  });
  EXPECT_EQ(i, first.size());
  EXPECT_EQ(a->report(), b->report());
  // of two hands in 60 s; four deviations of such a count
  EXPECT_NEAR(static_cast<double>(a->count(Trouble::kFlick)), 240.0, 4 * std::sqrt(240.0));
  EXPECT_NEAR(static_cast<double>(a->count(Trouble::kStampBack)), 180.0, 4 * std::sqrt(180.0));
  EXPECT_TRUE(a->report().starts_with("flick ")) << a->report();
}

TEST(WildHand, AllocatesNothing) {
  const auto hand = wild("troubles: {flick: 2, drop_out: 1, clutch_chatter: 1, silence: 0.5}");
  Input input;
  const test::AllocationCount allocations;
  for (Nanoseconds now = 0; now < 20 * kSecond; now += kSecond / 1000) hand->sample(now, input);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(WildHand, SaysWhatIsNoTrouble) {
  try {
    wild("troubles: {flicks: 1}");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "wild.yaml:1: troubles has 'flicks', which is not a trouble; did you mean 'flick'?");
  }
  try {
    wild("clutch: [left.grip]");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("the device 'hands' has no button or axis 'left.grip'; it has:"))
        << error.what();
  }
}

}  // namespace wild_hand_test
}  // namespace handspan
