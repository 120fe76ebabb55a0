#include "core/time.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"

namespace handspan {
namespace time_test {

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Time, RatesAreReduced) {
  EXPECT_EQ(Rate::of(2000, 2), Rate::of(1000));
  EXPECT_EQ(Rate::of(60000, 2002), Rate::of(30000, 1001));
  EXPECT_EQ(Rate::of(1000).text(), "1000 Hz");
  EXPECT_EQ(Rate::of(30000, 1001).text(), "30000/1001 Hz");
  EXPECT_EQ(Rate::of(125).period(), 8'000'000);
  EXPECT_EQ(Rate::of(30).period(), std::nullopt);
  EXPECT_EQ(Rate::of(1, 10).hz(), 0.1);
}

TEST(Time, RatesOfDoublesAreTheSimplestRatioWithThoseBits) {
  EXPECT_EQ(Rate::hz(1000.0), Rate::of(1000));
  EXPECT_EQ(Rate::hz(0.1), Rate::of(1, 10));
  EXPECT_EQ(Rate::hz(29.97), Rate::of(2997, 100));
  EXPECT_EQ(Rate::hz(62.5), Rate::of(125, 2));
  EXPECT_EQ(Rate::hz(1.0 / 3.0), Rate::of(1, 3));
  for (std::int64_t num = 1; num < 200; ++num) {
    for (std::int64_t den = 1; den < 200; ++den) {
      const Rate rate = Rate::of(num, den);
      ASSERT_EQ(Rate::hz(rate.hz()), rate) << num << "/" << den;
    }
  }
}

TEST(Time, RatesThatAreNoneSaySo) {
  EXPECT_EQ(error_of([] { Rate::of(0); }), "a rate of 0/1 Hz; it must be > 0");
  EXPECT_EQ(error_of([] { Rate::of(1, -1); }), "a rate of 1/-1 Hz; it must be > 0");
  EXPECT_EQ(error_of([] { Rate::of(1, (std::int64_t{1} << 32) + 1); }),
            "a rate of 1/4294967297 Hz; its terms must be at most 4294967296");
  EXPECT_EQ(error_of([] { Rate::hz(std::numeric_limits<double>::infinity()); }),
            "a rate of inf Hz; it must be > 0 and finite");
  EXPECT_EQ(error_of([] { Rate::hz(-1.5); }), "a rate of -1.5 Hz; it must be > 0 and finite");
  EXPECT_EQ(error_of([] { Rate::hz(std::nan("")); }),
            "a rate of nan Hz; it must be > 0 and finite");
  for (const double hz : {3.141592653589793, 1e-9, 1e300}) {
    EXPECT_EQ(error_of([&] { Rate::hz(hz); }),
              fmt::format("a rate of {} Hz is not a ratio of small integers; write one, such as "
                          "30000/1001",
                          hz));
  }
  EXPECT_EQ(error_of([] { Rate::from_period(0); }), "a period of 0 ns; it must be > 0");
}

TEST(Time, PeriodsAndRatesAreInverse) {
  for (const Nanoseconds period : {1, 3, 1'000'000, 8'000'000, 123'456'789}) {
    EXPECT_EQ(Rate::from_period(period).period(), period);
  }
}

TEST(Time, BaseTickIsTheCommonDivisorOfThePeriods) {
  EXPECT_EQ(base_period(std::vector{Rate::of(1000), Rate::of(125)}), 1'000'000);
  EXPECT_EQ(base_period(std::vector{Rate::of(500), Rate::of(125)}), 2'000'000);
  EXPECT_EQ(base_period(std::vector{Rate::of(1000), Rate::of(400)}), 500'000);
  EXPECT_EQ(error_of([] { base_period({}); }), "no plant or controller has a rate; one must");
  EXPECT_EQ(error_of([] { base_period(std::vector{Rate::of(1000), Rate::of(30)}); }),
            "a plant or controller at 30 Hz has no period of whole nanoseconds; choose a rate that "
            "divides 1,000,000,000");
}

TEST(Time, SlowComponentsRunAtTheFirstTickAtOrAfterTheirEvent) {
  // a camera of 30 Hz on ticks of 1 ms: 0, 33.3, 66.6, 100 ms
  const Rate camera = Rate::of(30);
  const std::int64_t ticks[] = {0, 34, 67, 100, 134};
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(tick_of(k, camera, 1'000'000), ticks[k]);
  EXPECT_EQ(stamp_of(1, camera), 33'333'333);
  EXPECT_EQ(stamp_of(3, camera), 100'000'000);
  EXPECT_EQ(stamp_of(-1, camera), -33'333'334);
  EXPECT_EQ(tick_of(-1, camera, 1'000'000), -33);
  EXPECT_TRUE(due(34, camera, 1'000'000));
  EXPECT_FALSE(due(33, camera, 1'000'000));
}

TEST(Time, RatesAboveTheTicksHaveSeveralEventsInOne) {
  const Events events = events_at(1, Rate::of(2500), 1'000'000);
  // 0.4 and 0.8 ms
  EXPECT_EQ(events.first, 1);
  EXPECT_EQ(events.last, 3);
  EXPECT_EQ(events.count(), 2);
}

TEST(Time, EveryEventIsDueAtItsTickAndThereOnly) {
  constexpr std::uint64_t kSeed = 5;
  RandomStream random(kSeed, "time");
  for (int run = 0; run < 10'000; ++run) {
    const Rate rate = Rate::of(1 + static_cast<std::int64_t>(random.integer(100'000)),
                               1 + static_cast<std::int64_t>(random.integer(2'000)));
    const auto base = 1 + static_cast<Nanoseconds>(random.integer(20'000'000));
    const auto k = static_cast<std::int64_t>(random.integer(1'000'000)) - 500'000;
    SCOPED_TRACE(
        fmt::format("seed {} run {}: k {} of {} at {} ns", kSeed, run, k, rate.text(), base));
    const std::int64_t tick = tick_of(k, rate, base);
    const Events events = events_at(tick, rate, base);
    EXPECT_LE(events.first, k);
    EXPECT_LT(k, events.last);
    EXPECT_LE(stamp_of(k, rate), tick * base);
    EXPECT_GE(stamp_of(k, rate) + 1, (tick - 1) * base);
    // ticks share no event and leave none out
    EXPECT_EQ(events_at(tick + 1, rate, base).first, events.last);
    EXPECT_EQ(events_at(tick - 1, rate, base).last, events.first);
  }
}

TEST(Time, NothingDriftsOrOverflowsInCenturies) {
  // 290 years of NTSC frames: k T is a whole number of seconds for k = 30000 n
  const Rate ntsc = Rate::of(30000, 1001);
  const std::int64_t n = 9'000'000;
  EXPECT_EQ(stamp_of(30000 * n, ntsc), 1001 * n * kSecond);
  EXPECT_EQ(tick_of(30000 * n, ntsc, 1'000'000), 1001 * n * 1000);
  EXPECT_EQ(tick_of(30000 * n + 1, ntsc, 1'000'000), 1001 * n * 1000 + 34);
  EXPECT_EQ(tick_of(INT64_MAX, Rate::of(1'000'000'000), 1), INT64_MAX);
}

}  // namespace time_test
}  // namespace handspan
