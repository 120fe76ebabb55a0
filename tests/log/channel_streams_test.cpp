// What people and their tools see of a run: joints, poses and transforms in a log.
#include "log/channel_streams.hpp"

#include <gtest/gtest.h>

#include "log/log_layout.hpp"
#include "log/recorder.hpp"
#include "record/mcap_reader.hpp"
#include "record/messages.hpp"
#include "session/session_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace channel_streams_test {

using test::AppFolder;
using test::kPairArms;

const std::string kMoves = kPairArms + R"(machines:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}]}
)";

class Recording {
 public:
  Recording(const AppFolder& folder, const std::string& text, int ticks, RecordExtent extent)
      : app(folder.app(text)), session(app), file_(folder.path() / "run.mcap") {
    RecorderOptions options;
    options.extent = extent;
    options.may_wait = true;
    Recorder recorder(session, file_, options);
    for (int i = 0; i < ticks; ++i) session.tick();
    session.finish();
    EXPECT_TRUE(recorder.close());
  }
  McapReader log() const { return McapReader(file_); }

  App app;
  Session session;

 private:
  std::filesystem::path file_;
};

template <class M>
std::vector<std::pair<Nanoseconds, M>> all_of(const McapReader& log, const std::string& topic) {
  std::vector<std::pair<Nanoseconds, M>> all;
  McapQuery query;
  query.topics = {topic};
  log.messages(query, [&](const McapChannel&, const McapMessage& message) {
    all.emplace_back(message.log_time, decode<M>(message.bytes));
    return true;
  });
  return all;
}

TEST(ChannelStreams, WhatIsOfTheSameJointsIsOneMessage) {
  const AppFolder folder;
  Recording run(folder, kMoves, 200, RecordExtent::kFull);
  const McapReader log = run.log();
  const ChannelTable& table = run.session.channels();
  for (const std::string group : {"left.arm", "control.left"}) {
    const auto all = all_of<messages::JointState>(log, topic_of(group) + "/joint_states");
    ASSERT_GE(all.size(), 201U) << group;
    const auto& last = all.back().second;
    const ChannelInfo& q = table.info(table.find(group + ".q"));
    EXPECT_EQ(last.name, q.labels);
    const auto same = [&](const std::vector<double>& x, const std::string& channel) {
      const auto is = table.numbers(table.find(channel));
      ASSERT_EQ(x.size(), static_cast<std::size_t>(is.size())) << channel;
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(x[i], is[static_cast<Eigen::Index>(i)]) << channel;
    };
    same(last.position, group + ".q");
    same(last.velocity, group + ".v");
    if (group == "left.arm")
      same(last.effort, group + ".tau");
    else
      EXPECT_TRUE(last.effort.empty());
    EXPECT_EQ(log.channel(topic_of(group + ".q")), nullptr);
  }
  // positions alone are no state of joints
  EXPECT_NE(log.channel("/reference/posture/q"), nullptr);
}

TEST(ChannelStreams, ByDefaultEachIsThereAtSixtyHertzAndWhatStaysOnceASecond) {
  const AppFolder folder;
  Recording run(folder, kMoves, 2000, RecordExtent::kDefault);
  const McapReader log = run.log();
  const auto moving = all_of<messages::JointState>(log, "/left/arm/joint_states");
  // at 0, each second and the end there is one more
  EXPECT_GE(moving.size(), 120U);
  EXPECT_LE(moving.size(), 124U);
  const auto still = all_of<messages::Vector>(log, "/reference/posture/q");
  EXPECT_GE(still.size(), 3U);
  EXPECT_LE(still.size(), 4U);
}

// The issue's figure; what the app's files take once is not a matter of time.
TEST(ChannelStreams, ALogOfTwoArmsThatMoveTakesLessThanSixMegabytesAMinute) {
  const App app =
      load_app(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps/lift.yaml", test_parts());
  const AppFolder folder;
  Session session(app);
  RecorderOptions options;
  options.may_wait = true;
  Recorder recorder(session, folder.path() / "run.mcap", options);
  const std::uint64_t before = recorder.status().bytes;
  constexpr int kTicks = 8000;  // they are under way in all of it
  for (int i = 0; i < kTicks; ++i) session.tick();
  EXPECT_FALSE(session.ended());
  session.finish();
  ASSERT_TRUE(recorder.close());
  // the second copy of its files and its metadata is there once, however long it is
  const McapReader reader(folder.path() / "run.mcap");
  const auto& files = reader.attachments();
  ASSERT_EQ(reader.metadata().size(), 2U);
  std::uint64_t once = reader.metadata().back().offset - files[files.size() / 2].offset;
  for (const auto& [key, value] : reader.metadata(reader.metadata().back()))
    once += 8 + key.size() + value.size();
  for (std::size_t i = files.size() / 2; i < files.size(); ++i)  // their places in the summary
    once += kMcapRecordHead + 48 + files[i].name.size() + files[i].media_type.size();
  const double a_minute =
      static_cast<double>(recorder.status().bytes - before - once) * 60.0 / (kTicks / 1000.0);
  EXPECT_LT(a_minute, 6e6);
}

TEST(Transforms, AlongTheTreeTheyGiveEveryBodysPose) {
  const AppFolder folder;
  Recording run(folder, kMoves, 300, RecordExtent::kDefault);
  const World& world = *run.session.world();
  const auto all = all_of<messages::TFMessage>(run.log(), "/tf");
  ASSERT_FALSE(all.empty());
  // the run's last is of its last tick: 300 ms are 9 periods of 30 Hz
  ASSERT_EQ(all.back().first, run.session.now());
  std::map<std::string, Pose> X_W = {{"world", Pose{}}};
  int moving = 0;
  for (const auto& t : all.back().second.transforms) {
    ASSERT_TRUE(X_W.contains(t.header.frame_id)) << t.child_frame_id << " comes before its parent";
    moving += t.header.frame_id != "world";
    const Eigen::Quaterniond q(t.rotation[3], t.rotation[0], t.rotation[1], t.rotation[2]);
    const Pose& X_WP = X_W.at(t.header.frame_id);
    const Pose X_PB =
        Pose::from({t.translation[0], t.translation[1], t.translation[2]}, q.normalized());
    X_W[t.child_frame_id] = {X_WP.R * X_PB.R, X_WP.p + X_WP.R * X_PB.p};
  }
  EXPECT_GT(moving, 10);
  EXPECT_EQ(X_W.size(), world.bodies().size());
  for (const auto& [name, X] : X_W) {
    const Pose is = world.body_pose(world.body(name));
    // 4 um and 1e-5 rad a body, 8 of them in a row, each with half a metre behind it
    EXPECT_LT((X.p - is.p).norm(), 5e-5) << name;
    EXPECT_LT((X.R - is.R).norm(), 1e-4) << name;
  }
}

}  // namespace channel_streams_test
}  // namespace handspan
