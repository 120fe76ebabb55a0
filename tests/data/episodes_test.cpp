#include "data/episodes.hpp"

#include <gtest/gtest.h>

#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace episodes_test {

using test::SmallLog;

TEST(Episodes, ALogWithoutMarksIsOneEpisodeOfAllThatItTells) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file, {{"first_tick", "100"}});
    log.hashes(100, 50);
  }
  const auto episodes = episodes_or_all(LogFile(file));
  ASSERT_EQ(episodes.size(), 1U);
  EXPECT_EQ(episodes[0].start, 100);
  EXPECT_EQ(episodes[0].end, 150);
  EXPECT_EQ(episodes[0].outcome, "unmarked");
  EXPECT_EQ(episodes[0].task, "");
}

TEST(Episodes, MarksAreWhatIsTakenWhereThereAreSome) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    log.event(20, "episode", "start", "pick");
    log.event(30, "episode", "success");
    log.hashes(0, 50);
  }
  const auto episodes = episodes_or_all(LogFile(file));
  ASSERT_EQ(episodes.size(), 1U);
  EXPECT_EQ(episodes[0].start, 20);
  EXPECT_EQ(episodes[0].end, 30);
}

TEST(Episodes, WhatOfThemIsLostIsSaidAndNothingElse) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    log.hashes(0, 1000);
    log.hashes(1500, 500);  // ticks 1000 to 1499 are lost
    log.hashes(2600, 400);  // and 2000 to 2599
  }
  const LogFile log(file);
  const auto lost = [&](std::int64_t start, std::int64_t end) {
    Episode episode;
    episode.start = start;
    episode.end = end;
    return lost_of(log, episode);
  };
  EXPECT_EQ(lost(0, 999), "");
  EXPECT_EQ(lost(1500, 1999), "");
  EXPECT_EQ(lost(2600, 2999), "");
  // a tick more at either end
  EXPECT_EQ(lost(0, 1000), "the log lost 1.000 to 1.499 s");
  EXPECT_EQ(lost(1499, 1999), "the log lost 1.000 to 1.499 s");
  EXPECT_EQ(lost(1200, 1210), "the log lost 1.000 to 1.499 s");
  // the first of several
  EXPECT_EQ(lost(0, 3000), "the log lost 1.000 to 1.499 s");
  EXPECT_EQ(lost(1600, 3000), "the log lost 2.000 to 2.599 s");
}

}  // namespace episodes_test
}  // namespace handspan
