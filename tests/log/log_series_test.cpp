#include "log/log_series.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "record/record_support.hpp"

namespace handspan {
namespace log_series_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Nanoseconds kMs = kSecond / 1000;

class File {
 public:
  explicit File(const std::filesystem::path& path) : writer_(path) {}
  template <class M>
  void write(const std::string& topic, Nanoseconds time, const M& message) {
    const MessageType& type = message_type<M>();
    if (!channels_.contains(topic))
      channels_[topic] = writer_.add_channel(
          topic,
          writer_.add_schema(std::string(type.name), "ros2msg", std::string(type.definition)));
    McapMessage one;
    one.channel = channels_[topic];
    one.log_time = time;
    one.publish_time = time - kMs;
    Bytes bytes;
    encode(message, bytes);
    one.bytes = bytes;
    writer_.write(one);
  }
  void finish() { writer_.finish(); }

 private:
  McapWriter writer_;
  std::map<std::string, std::uint16_t> channels_;
};

messages::Vector vector_of(std::vector<double> values) { return {{}, std::move(values)}; }

messages::PoseStamped pose_at(double x) { return {{}, {x, 0.0, 0.0}, {0.0, 0.0, 0.0, 2.0}}; }

class LogSeries : public testing::Test {
 protected:
  LogSeries() {
    File file(path());
    for (int i = 0; i < 10; ++i) {
      file.write("/hand/pose", i * 100 * kMs, pose_at(i));
      // a key frame says it again
      if (i == 5) file.write("/hand/pose", i * 100 * kMs, pose_at(99.0));
    }
    file.write("/cup/command", 0, vector_of({0.0}));
    file.write("/cup/command", 300 * kMs, vector_of({1.0}));
    file.write("/cup/command", 800 * kMs, vector_of({0.0}));
    file.write("/push/wrench", 0, messages::WrenchStamped{{}, {1, 2, 3}, {4, 5, 6}});
    file.write("/push/wrench", kSecond, messages::WrenchStamped{{}, {1, kNan, 3}, {4, 5, 6}});
    file.finish();
  }
  std::filesystem::path path() const { return folder_ / "series.mcap"; }
  template <class T>
  std::string error(const std::string& channel, const LogSpan& span,
                    const SeriesOptions& options = {}) const {
    return test::error_of([&] { read_series<T>(ChannelLog(path()), channel, span, options); });
  }

  test::Folder folder_;
};

TEST_F(LogSeries, HasAPartWithTimesAndStampsEachTimeOnce) {
  const auto rows = read_series<LoggedPose>(ChannelLog(path()), "hand.pose",
                                            {200 * kMs, std::optional(700 * kMs)});
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].time, static_cast<Nanoseconds>(2 + i) * 100 * kMs);
    EXPECT_EQ(rows[i].stamp, rows[i].time - kMs);
    EXPECT_EQ(rows[i].value.p.x(), 2.0 + static_cast<double>(i));
    EXPECT_EQ(rows[i].value.q.norm(), 1.0);
  }
  EXPECT_EQ(replay_time(rows[2].time, rows[0].time, 2.0), 0.1);
}

TEST_F(LogSeries, WhatHeldWhenThePartBeginsIsReadToo) {
  const ChannelLog log(path());
  const auto rows = read_series<Eigen::VectorXd>(log, "cup.command", {500 * kMs}, {"", 1, true});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].time, 300 * kMs);
  EXPECT_EQ(rows[0].value[0], 1.0);
  EXPECT_EQ(rows[1].value[0], 0.0);
  EXPECT_EQ(read_series<Eigen::VectorXd>(log, "cup.command", {500 * kMs}, {"", 1}).size(), 1U);
}

TEST_F(LogSeries, MessagesSayWhatIsWrong) {
  EXPECT_NE(error<LoggedPose>("hand.pse", {})
                .find("series.mcap has no poses under /hand/pse; did you mean '/hand/pose'?"),
            std::string::npos);
  // a channel of another type is none of it
  EXPECT_NE(error<Vector6d>("hand.pose", {})
                .find("has no wrenches under /hand/pose; it has: /push/wrench"),
            std::string::npos)
      << error<Vector6d>("hand.pose", {});
  EXPECT_NE(error<LoggedPose>("hand.pose", {100 * kSecond})
                .find("/hand/pose has 0 poses in the time that is asked for, and 2 are the fewest"),
            std::string::npos);
  EXPECT_NE(error<Eigen::VectorXd>("cup.command", {5 * kSecond}, {"commands", 1})
                .find("has 0 commands in the time"),
            std::string::npos);
  EXPECT_NE(error<Vector6d>("push.wrench", {})
                .find("one of the wrenches under /push/wrench, at 1.000 s, is not finite"),
            std::string::npos);
}

}  // namespace log_series_test
}  // namespace handspan
