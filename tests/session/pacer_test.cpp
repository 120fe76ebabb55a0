#include "session/pacer.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace pacer_test {

constexpr Nanoseconds kMs = 1'000'000;

TEST(Pacer, OnTimeTicksAreDuePeriodAfterPeriod) {
  Pacer pacer(kMs, true);
  pacer.start(5 * kMs);
  for (int i = 1; i < 10; ++i) EXPECT_EQ(pacer.next((5 + i) * kMs - 300'000), (5 + i) * kMs);
  EXPECT_EQ(pacer.counts().overruns, 0U);
}

TEST(Pacer, ASimulationCatchesUpAtMostFiftyTicks) {
  Pacer pacer(kMs, true);
  pacer.start(0);
  // one tick took 40 ms: 39 others are due at once
  Nanoseconds now = 40 * kMs;
  int at_once = 0;
  while (pacer.next(now) <= now) ++at_once;
  EXPECT_EQ(at_once, 40);
  EXPECT_EQ(pacer.counts().slips, 0U);
  EXPECT_EQ(pacer.counts().overruns, 39U);
  // one took 100 ms: simulated time slips by what it was late, and goes on from there
  now += 101 * kMs;
  EXPECT_EQ(pacer.next(now), now);
  EXPECT_EQ(pacer.counts().slips, 1U);
  EXPECT_EQ(pacer.counts().slipped, 99 * kMs);
  EXPECT_EQ(pacer.next(now + kMs / 2), now + kMs);
}

TEST(Pacer, ARealPlantsLateTicksSlip) {
  Pacer pacer(kMs, false);
  pacer.start(0);
  EXPECT_EQ(pacer.next(3 * kMs), 3 * kMs);
  EXPECT_EQ(pacer.counts().slips, 1U);
  EXPECT_EQ(pacer.counts().slipped, 2 * kMs);
  EXPECT_EQ(pacer.counts().caught_up, 0U);
  EXPECT_EQ(pacer.next(3 * kMs + kMs / 2), 4 * kMs);
}

TEST(Pacer, SleepsUntilItIsDue) {
  const Nanoseconds due = steady_now() + 2 * kMs;
  sleep_until(due);
  EXPECT_GE(steady_now(), due);
}

}  // namespace pacer_test
}  // namespace handspan
