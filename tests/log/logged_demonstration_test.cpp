#include "log/logged_demonstration.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace logged_demonstration_test {

using test::SmallLog;

McapMap of(const std::string& type, const std::string& unit) {
  return {{"type", type}, {"unit", unit}};
}
messages::PoseStamped pose(double x) {
  messages::PoseStamped m;
  m.position = {x, 0.0, 0.5};
  m.orientation = {0.0, 0.0, 0.0, 1.0};
  return m;
}
void hand(SmallLog& log, std::int64_t tick, double x, const std::string& name = "hand",
          Nanoseconds stamp = -1) {
  log.sample("reference." + name + ".pose", of("pose", "m"), tick,
             stamp < 0 ? tick * SmallLog::kBase : stamp, pose(x));
}
void box(SmallLog& log, std::int64_t tick, double x) {
  log.sample("object.box.pose", of("pose", "m"), tick, tick * SmallLog::kBase, pose(x));
}
std::string error_of(const std::filesystem::path& file, const DemonstrationQuery& query) {
  try {
    read_demonstration(file, query);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class LoggedDemonstrationTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "a.mcap";
  DemonstrationQuery hand_ = {"", 0.0, {}, {"reference.hand.pose"}, {}, {}, {}};
};

TEST_F(LoggedDemonstrationTest, AnEpisodeIsFoundByNumberAsTheLastAndByItsTask) {
  {
    SmallLog log(file_);
    log.event(100, "episode", "start", "pick");
    log.event(200, "episode", "success");
    log.event(300, "episode", "start", "place");
    log.event(500, "episode", "success");
    for (int t = 0; t <= 600; t += 10) hand(log, t, 1e-3 * t);
    log.hashes(0, 601);
  }
  const auto begin = [&](const std::string& episode, double from = 0.0) {
    hand_.episode = episode;
    hand_.from = from;
    return read_demonstration(file_, hand_);
  };
  EXPECT_EQ(begin("1").begin, 100'000'000);
  EXPECT_NEAR(begin("1").length, 0.1, 1e-12);
  EXPECT_EQ(begin("last").begin, 300'000'000);
  EXPECT_EQ(begin("pick").begin, 100'000'000);
  EXPECT_EQ(begin("place", 0.05).begin, 350'000'000);
  EXPECT_NEAR(begin("place").poses[0].poses.front().p.x(), 0.3, 1e-15);
  EXPECT_NEAR(begin("place").poses[0].poses.back().p.x(), 0.5, 1e-15);
  EXPECT_TRUE(has(error_of(file_, {"pik", 0.0, {}, {"reference.hand.pose"}, {}, {}, {}}),
                  "has no episode of the task 'pik'; did you mean 'pick'?"));
  EXPECT_TRUE(has(error_of(file_, {"3", 0.0, {}, {"reference.hand.pose"}, {}, {}, {}}),
                  "has 2 episodes; episode 3 is asked for"));
}

TEST_F(LoggedDemonstrationTest, ALogWithoutEpisodesSaysHowToGetSome) {
  {
    SmallLog log(file_);
    hand(log, 0, 0.0);
    log.hashes(0, 10);
  }
  hand_.episode = "last";
  EXPECT_TRUE(has(error_of(file_, hand_),
                  "has 0 episodes; episode last is asked for; leave "
                  "'episode' out, or mark episodes in the app"));
}

// at 60 Hz, what stays as it is once a second: between the last two a line would be no truth
TEST_F(LoggedDemonstrationTest, WhatWasNotRecordedSinceItStayedAsItWasStandsStill) {
  {
    SmallLog log(file_);
    for (int t = 0; t <= 160; t += 16) hand(log, t, 1e-3 * t);
    for (int t = 960; t <= 1120; t += 16) hand(log, t, 1e-3 * (t - 784));
    log.hashes(0, 1121);
  }
  const auto demonstration = read_demonstration(file_, hand_);
  EXPECT_NEAR(demonstration.spacing, 0.016, 1e-12);
  const PoseTrajectory poses(demonstration.poses[0].poses);
  EXPECT_NEAR(poses.at(0.5).X_WE.p.x(), 0.16, 1e-12);
  EXPECT_NEAR(poses.at(0.94).X_WE.p.x(), 0.16, 1e-12);
  EXPECT_NEAR(poses.at(0.96).X_WE.p.x(), 0.176, 1e-12);
}

TEST_F(LoggedDemonstrationTest, SeveralReferencesBeginTogetherAndOneThatStandsIsHeld) {
  {
    SmallLog log(file_);
    hand(log, 0, 7.0, "other");
    for (int t = 0; t <= 500; t += 10) hand(log, t, 1e-3 * t);
    log.hashes(0, 501);
  }
  hand_.from = 0.2;
  hand_.poses.push_back("reference.other.pose");
  const auto demonstration = read_demonstration(file_, hand_);
  EXPECT_EQ(demonstration.begin, 200'000'000);
  ASSERT_EQ(demonstration.poses[1].poses.size(), 1U);
  EXPECT_EQ(demonstration.poses[1].poses[0].time, 0.0);
  EXPECT_EQ(demonstration.poses[1].poses[0].p.x(), 7.0);
  EXPECT_NEAR(demonstration.length, 0.3, 1e-12);
}

TEST_F(LoggedDemonstrationTest, ObjectsCommandsAndTouchesAreOfItsTimes) {
  {
    SmallLog log(file_);
    const auto command = [&](int t, double value) {
      messages::Vector m;
      m.values = {value};
      log.sample("arm.cup.command", of("vector", ""), t, t * SmallLog::kBase, m);
    };
    const auto force = [&](int t, double f) {
      messages::WrenchStamped m;
      m.force = {0.0, f, 0.0};
      log.sample("arm.wrist.wrench", of("vector", "N, N m"), t, t * SmallLog::kBase, m);
    };
    for (int t = 0; t <= 500; t += 10) {
      hand(log, t, 1e-3 * t);
      force(t, t < 250 ? 1.0 : t < 300 ? 9.0 : t < 310 ? 4.0 : t < 400 ? 9.0 : 1.0);
      command(t, t < 350 ? 1.0 : 0.0);
    }
    box(log, 0, 0.6);
    log.hashes(0, 501);
  }
  const ChannelLog log(file_);
  DemonstrationQuery all = all_of(log);
  EXPECT_EQ(all.poses, std::vector<std::string>{"reference.hand.pose"});
  EXPECT_EQ(all.commands, std::vector<std::string>{"arm.cup"});
  EXPECT_EQ(all.objects, std::vector<std::string>{"box"});
  EXPECT_EQ(all.wrenches, std::vector<std::string>{"arm.wrist.wrench"});
  const auto demonstration = read_demonstration(log, {100'000'000, {}}, all);
  ASSERT_EQ(demonstration.commands[0].values.size(), 2U);
  EXPECT_NEAR(demonstration.commands[0].values[1].time, 0.25, 1e-12);
  EXPECT_EQ(demonstration.objects[0].poses[0].p.x(), 0.6);
  // 4 N in between is no end of it
  ASSERT_EQ(demonstration.touches.size(), 1U);
  EXPECT_NEAR(demonstration.touches[0].time, 0.15, 1e-12);
}

TEST_F(LoggedDemonstrationTest, StampsThatGoBackAreRefusedWithTheirPlace) {
  {
    SmallLog log(file_);
    for (int t = 0; t <= 500; t += 10)
      hand(log, t, 1e-3 * t, "hand", (t < 300 ? t : t - 100) * SmallLog::kBase);
    log.hashes(0, 501);
  }
  EXPECT_TRUE(has(error_of(file_, hand_),
                  "a.mcap: the stamps of reference.hand.pose go back at 0.300 s, from 0.290 to "
                  "0.200 s, so that nobody knows when its values were; give a part of the log "
                  "without it ('from', 'to'), or record it anew"))
      << error_of(file_, hand_);
  hand_.to = 0.29;
  EXPECT_EQ(error_of(file_, hand_), "no error");
}

TEST_F(LoggedDemonstrationTest, AnObjectThatIsNotThereAtItsBeginningIsRefused) {
  {
    SmallLog log(file_);
    for (int t = 0; t <= 500; t += 10) hand(log, t, 1e-3 * t);
    box(log, 200, 0.6);
    log.hashes(0, 501);
  }
  hand_.objects = {"box"};
  EXPECT_TRUE(has(error_of(file_, hand_),
                  "where 'box' is, is known from 0.200 s on only, since the log or the object "
                  "begins there; give a later 'from'"))
      << error_of(file_, hand_);
  hand_.from = 0.25;
  EXPECT_EQ(error_of(file_, hand_), "no error");
  hand_.objects = {"bix"};
  EXPECT_TRUE(
      has(error_of(file_, hand_), "there was no object 'bix' in its scene; did you mean 'box'?"));
  hand_.objects.clear();
  hand_.poses = {"reference.hnd.pose"};
  EXPECT_TRUE(has(error_of(file_, hand_), "has no poses under /reference/hnd/pose; did you mean"));
}

}  // namespace logged_demonstration_test
}  // namespace handspan
