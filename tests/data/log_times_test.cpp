#include "data/log_times.hpp"

#include <gtest/gtest.h>

#include "log/log_layout.hpp"
#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace log_times_test {

using test::SmallLog;

LogTimes times_of(const McapMap& about) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    const SmallLog log(file, about);
  }
  return LogTimes(LogFile(file));
}

LoggedInput input_at(std::int64_t tick, Nanoseconds stamp) {
  LoggedInput logged;
  logged.tick = tick;
  logged.input.stamp = stamp;
  return logged;
}

TEST(LogTimes, ATickIsSoManyPeriodsAndTheWorldsTimeIsSoMuchLater) {
  const LogTimes times =
      times_of({{"base_period_ns", "2500000"}, {kUnixStartKey, "1700000000000000123"}});
  EXPECT_EQ(times.run(0), 0);
  EXPECT_EQ(times.run(401), 1'002'500'000);
  EXPECT_EQ(times.unix_ns(0), 1'700'000'000'000'000'123);
  EXPECT_EQ(times.unix_ns(times.run(401)), 1'700'000'001'002'500'123);
}

TEST(LogTimes, AnOlderOrDamagedLogHasNoTimeOfTheWorld) {
  EXPECT_EQ(times_of({}).unix_ns(5), std::nullopt);
  for (const char* text : {"", "soon", "17 ", "1.7e18", "99999999999999999999"})
    EXPECT_EQ(times_of({{kUnixStartKey, text}}).unix_ns(5), std::nullopt) << text;
}

TEST(LogTimes, AStampCountsFromTheMachinesStartOrTheRuns) {
  // the machine has been on for three days
  constexpr Nanoseconds kStart = 3 * 86400 * kSecond;
  const LogTimes times = times_of({{kSteadyStartKey, std::to_string(kStart)}});
  // of a device, 4 ms before the tick that used it
  EXPECT_EQ(times.stamp(input_at(1000, kStart + 996'000'000)), 996'000'000);
  // of a script
  EXPECT_EQ(times.stamp(input_at(1000, 998'000'000)), 998'000'000);
  // late by a minute it is still nearer
  EXPECT_EQ(times.stamp(input_at(60'000, kStart + 1)), 1);
  EXPECT_EQ(times.stamp(input_at(0, 0)), 0);
}

TEST(LogTimes, WithoutTheMachinesStartAStampIsAsItWasGiven) {
  EXPECT_EQ(times_of({}).stamp(input_at(1000, 3 * 86400 * kSecond)), 3 * 86400 * kSecond);
}

}  // namespace log_times_test
}  // namespace handspan
