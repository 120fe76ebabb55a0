#include "data/series.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/scenes.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace series_test {

using test::SmallLog;

using Words = std::vector<std::string>;
using Ticks = std::vector<std::int64_t>;
using Values = std::vector<double>;

class SeriesOfSmallLogs : public testing::Test {
 protected:
  std::vector<Series> series(const std::function<void(SmallLog&)>& fill) const {
    const auto file = folder_.path() / "a.mcap";
    {
      SmallLog log(file);
      fill(log);
    }
    return series_of(LogFile(file));
  }
  const test::TemporaryFolder folder_;
};

TEST_F(SeriesOfSmallLogs, AGroupIsItsPositionsVelocitiesAndTorques) {
  const auto all = series([](SmallLog& log) {
    for (int i = 0; i < 3; ++i)
      log.sample(
          "left.arm", {{"type", "group"}, {"unit", "rad"}}, 10 * i, 10 * i * SmallLog::kBase,
          messages::JointState{{}, {"j1", "j2"}, {0.1 * i, 2.0}, {3.0, 4.0 * i}, {5.0, 6.0}});
  });
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "left.arm.q");
  EXPECT_EQ(all[1].name, "left.arm.v");
  EXPECT_EQ(all[2].name, "left.arm.tau");
  EXPECT_EQ(all[0].unit, "rad");
  EXPECT_EQ(all[1].unit, "rad/s");
  EXPECT_EQ(all[2].unit, "N m");
  for (const Series& s : all) {
    EXPECT_EQ(s.columns, (Words{"j1", "j2"}));
    EXPECT_EQ(s.ticks, (Ticks{0, 10, 20}));
  }
  EXPECT_EQ(all[0].values, (Values{0.0, 2.0, 0.1, 2.0, 0.2, 2.0}));
  EXPECT_EQ(all[1].values, (Values{3.0, 0.0, 3.0, 4.0, 3.0, 8.0}));
}

TEST_F(SeriesOfSmallLogs, AGroupWithoutTorquesHasNoSeriesOfThem) {
  const auto all = series([](SmallLog& log) {
    log.sample("left.arm", {{"type", "group"}, {"unit", "rad"}}, 0, 0,
               messages::JointState{{}, {"j1"}, {1.0}, {2.0}, {}});
  });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].name, "left.arm.v");
}

// a key frame repeats what was recorded at its tick
TEST_F(SeriesOfSmallLogs, ATickIsThereOnce) {
  const auto all = series([](SmallLog& log) {
    const McapMap about = {{"type", "vector"}, {"unit", "m"}, {"labels", "a b"}};
    log.sample("some", about, 5, 100, messages::Vector{{}, {1.0, 2.0}});
    log.sample("some", about, 5, 200, messages::Vector{{}, {3.0, 4.0}});
    log.sample("some", about, 6, 300, messages::Vector{{}, {5.0, 6.0}});
  });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].ticks, (Ticks{5, 6}));
  EXPECT_EQ(all[0].stamps, (std::vector<Nanoseconds>{100, 300}));
  EXPECT_EQ(all[0].values, (Values{1.0, 2.0, 5.0, 6.0}));
  EXPECT_EQ(all[0].columns, (Words{"a", "b"}));
}

TEST_F(SeriesOfSmallLogs, PosesAndWrenchesHaveColumnsOfTheirOwn) {
  const auto all = series([](SmallLog& log) {
    log.sample("hand.pose", {{"type", "pose"}, {"unit", ""}}, 0, 0,
               messages::PoseStamped{{}, {1, 2, 3}, {0.5, -0.5, 0.5, 0.5}});
    log.sample("hand.wrench",
               {{"type", "wrench"}, {"unit", "N, N m"}, {"labels", "fx fy fz tx ty tz"}}, 0, 0,
               messages::WrenchStamped{{}, {1, 2, 3}, {4, 5, 6}});
  });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].type, ChannelType::kPose);
  EXPECT_EQ(all[0].columns, (Words{"x", "y", "z", "qx", "qy", "qz", "qw"}));
  EXPECT_EQ(all[0].values, (Values{1, 2, 3, 0.5, -0.5, 0.5, 0.5}));
  EXPECT_EQ(all[1].type, ChannelType::kWrench);
  EXPECT_EQ(all[1].columns, (Words{"fx", "fy", "fz", "tx", "ty", "tz"}));
  EXPECT_EQ(all[1].values, (Values{1, 2, 3, 4, 5, 6}));
}

TEST_F(SeriesOfSmallLogs, ChoicesHaveTheirWords) {
  const auto all = series([](SmallLog& log) {
    const McapMap about = {{"type", "choice"}, {"labels", "idle moving stopped"}};
    log.sample("left.mode", about, 0, 0, messages::Integer{{}, 2, "stopped"});
    log.sample("left.mode", about, 4, 0, messages::Integer{{}, 0, "idle"});
    log.sample("ticks", {{"type", "integer"}}, 0, 0, messages::Integer{{}, 1LL << 40, ""});
  });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].words, (Words{"stopped", "idle"}));
  EXPECT_EQ(all[0].values, (Values{2.0, 0.0}));
  ASSERT_EQ(all[0].choices.size(), 3U);
  EXPECT_EQ(all[0].choices[0], "idle");
  EXPECT_EQ(all[0].choices[2], "stopped");
  EXPECT_EQ(all[0].columns, (Words{"value"}));
  EXPECT_TRUE(all[1].words.empty());
  EXPECT_EQ(all[1].values, (Values{1099511627776.0}));
}

// a number of a choice is from a file, and no room is made for all that it may be
TEST_F(SeriesOfSmallLogs, AChoiceOfAnyNumberIsRead) {
  const auto all = series([](SmallLog& log) {
    log.sample("mode", {{"type", "choice"}}, 0, 0, messages::Integer{{}, INT64_MAX, "far"});
    log.sample("mode", {{"type", "choice"}}, 1, 0, messages::Integer{{}, -3, "negative"});
  });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].words, (Words{"far", "negative"}));
  EXPECT_LE(all[0].choices.size(), 256U);
}

TEST_F(SeriesOfSmallLogs, TopicsThatAreNoChannelsAreLeftOut) {
  const auto all = series([](SmallLog& log) {
    log.hashes(0, 5);
    log.event(1, "episode", "start");
    log.write("/robot_description", {}, 0, 0, messages::String{"<robot/>"});
  });
  EXPECT_TRUE(all.empty());
}

TEST_F(SeriesOfSmallLogs, AMessageThatIsDamagedIsAnError) {
  EXPECT_THROW(series([](SmallLog& log) {
                 const auto schema =
                     log.writer().add_schema("handspan_msgs/msg/Vector", "ros2msg", "");
                 const auto channel = log.writer().add_channel(
                     "/some", schema, {{"channel", "some"}, {"type", "number"}, {"unit", "m"}});
                 const Bytes bytes(3);
                 log.writer().write({channel, 0, 0, 0, bytes});
               }),
               InputError);
}

// of another program, which nobody here can read
TEST_F(SeriesOfSmallLogs, AChannelWithoutASchemaIsAnError) {
  try {
    series([](SmallLog& log) {
      const auto channel =
          log.writer().add_channel("/some", 0, {{"channel", "some"}, {"type", "number"}});
      const Bytes bytes(3);
      log.writer().write({channel, 0, 0, 0, bytes});
    });
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a.mcap: the channel /some has no schema"),
              std::string::npos)
        << error.what();
  }
}

TEST(ColumnNames, EachHasItsLabelAndUnit) {
  ChannelInfo info;
  info.type = ChannelType::kVector;
  info.size = 4;
  info.unit = "m/s, rad/s";
  info.labels = {"vx", "vy", "wx", "wy"};
  EXPECT_EQ(column_names(info), (Words{"vx [m/s]", "vy [m/s]", "wx [rad/s]", "wy [rad/s]"}));
  info.labels.clear();
  EXPECT_EQ(column_names(info), (Words{"0 [m/s]", "1 [m/s]", "2 [rad/s]", "3 [rad/s]"}));
  // a list that does not share evenly is the unit of all
  info.size = 3;
  EXPECT_EQ(column_names(info)[2], "2 [m/s, rad/s]");
  info.size = 1;
  info.unit = "";
  EXPECT_EQ(column_names(info), (Words{"value"}));
  info.type = ChannelType::kPose;
  info.size = 7;
  EXPECT_EQ(column_names(info), (Words{"x [m]", "y [m]", "z [m]", "qx", "qy", "qz", "qw"}));
}

}  // namespace series_test
}  // namespace handspan
