#include "data/episode_report.hpp"

#include <gtest/gtest.h>

#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace episode_report_test {

using test::SmallLog;

// One hand that goes on at 1 m/s where `moving`; stamps as the ticks but for `back`.
void record(SmallLog& log, int from, int to, bool moving, bool back = false) {
  for (int t = from; t < to; t += 10) {
    messages::PoseStamped m;
    m.position = {moving ? 1e-3 * (t - from) : 0.0, 0.0, 0.5};
    m.orientation = {0.0, 0.0, 0.0, 1.0};
    log.sample("reference.hand.pose", {{"type", "pose"}, {"unit", "m"}}, t,
               (back && t > from + 200 ? t - 100 : t) * SmallLog::kBase, m);
  }
}
bool says(const EpisodeReport& report, const std::string& text) {
  return std::ranges::any_of(report.problems, [&](const std::string& problem) {
    return problem.find(text) != std::string::npos;
  });
}

TEST(EpisodeReport, SaysWhatMovesAndWhatIsWrongWithEach) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    const auto episode = [&](int from, int to, const char* outcome) {
      log.event(from, "episode", "start", "reach");
      log.event(to, "episode", outcome);
    };
    episode(0, 500, "success");
    episode(1000, 1500, "success");
    episode(2000, 2500, "success");
    episode(3000, 3100, "discard");
    log.event(4000, "episode", "start", "reach");
    record(log, 0, 600, true);
    record(log, 1000, 1600, false);
    record(log, 2000, 2600, true, true);
    record(log, 3000, 3200, true);
    record(log, 4000, 4600, true);
    log.hashes(0, 4600);
  }
  const auto reports = report_episodes(file);
  ASSERT_EQ(reports.size(), 5U);
  EXPECT_TRUE(reports[0].good());
  ASSERT_EQ(reports[0].references.size(), 1U);
  EXPECT_EQ(reports[0].references[0].name, "hand");
  EXPECT_NEAR(reports[0].references[0].way, 0.5, 0.011);
  EXPECT_EQ(reports[0].parts.size(), 1U);
  EXPECT_EQ(reports[0].episode.task, "reach");
  ASSERT_EQ(reports[1].problems.size(), 1U);
  EXPECT_TRUE(says(reports[1], "nothing moves in it"));
  ASSERT_EQ(reports[2].problems.size(), 1U);
  EXPECT_TRUE(says(reports[2], "the stamps of reference.hand.pose go back at 2.210 s"));
  EXPECT_EQ(reports[2].problems[0].find(folder.path().string()), std::string::npos);
  EXPECT_TRUE(says(reports[3], "it was discarded"));
  EXPECT_TRUE(says(reports[3], "it is 0.100 s long, and 0.3 s are the least"));
  EXPECT_TRUE(says(reports[4], "it was cut off: the log ends before it does"));
}

TEST(EpisodeReport, AnObjectWhosePosesWereCutIsSaidAndTheRestIsReported) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    SmallLog log(file);
    const auto episode = [&](int from, int to) {
      log.event(from, "episode", "start", "reach");
      log.event(to, "episode", "success");
    };
    episode(0, 500);
    episode(1000, 1500);
    record(log, 0, 600, true);
    record(log, 1000, 1600, true);
    // its first poses are not in the log
    for (int t = 200; t < 1600; t += 10) {
      messages::PoseStamped m;
      m.position = {1e-3 * t, 0.0, 0.5};
      m.orientation = {0.0, 0.0, 0.0, 1.0};
      log.sample("object.box.pose", {{"type", "pose"}, {"unit", "m"}}, t, t * SmallLog::kBase, m);
    }
    log.hashes(0, 1600);
  }
  const auto reports = report_episodes(file);
  ASSERT_EQ(reports.size(), 2U);
  ASSERT_EQ(reports[0].problems.size(), 1U);
  EXPECT_TRUE(says(reports[0], "where 'box' is, is known from 0.200 s on only"))
      << reports[0].problems[0];
  EXPECT_TRUE(says(reports[0], "give a later 'from', or record the episode anew"));
  EXPECT_TRUE(reports[1].good());
  ASSERT_EQ(reports[1].objects.size(), 1U);
  EXPECT_EQ(reports[1].objects[0].name, "box");
}

TEST(EpisodeReport, ALogWithoutPosesOrWithAHoleSaysSo) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.mcap", hole = folder.path() / "b.mcap";
  {
    SmallLog log(file);
    log.hashes(0, 1000);
  }
  auto reports = report_episodes(file);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].episode.outcome, "unmarked");
  EXPECT_TRUE(
      says(reports[0], "the log has no poses of references; record an app with pose tasks"));
  {
    SmallLog log(hole);
    record(log, 0, 1000, true);
    log.hashes(0, 400);
    log.hashes(500, 500);
  }
  reports = report_episodes(hole);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_TRUE(says(reports[0], "the log lost 0.400 to 0.499 s; give another part of it"))
      << reports[0].problems.front();
}

}  // namespace episode_report_test
}  // namespace handspan
