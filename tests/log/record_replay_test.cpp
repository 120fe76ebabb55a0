// What is recorded can be run again, bit for bit (issue "Session, records and replay").
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "core/random.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "record/mcap_writer.hpp"
#include "record/metadata_checksum.hpp"
#include "session/session_support.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace record_replay_test {

using test::AppFolder;
using test::kPairArms;
using test::pose_sample;
using test::row;

const std::string kApp = kPairArms + R"(sources:
  person: {type: pose_stream}
machines:
  left:
    start: rest
    states:
      rest: {do: [{type: hold, tasks: [hand]}], next: [{to: work, when: [{type: after, time: 0.1 s}]}]}
      work:
        episode: start
        do: [{type: follow, task: hand, sources: [{source: person}], reengages: true}]
        next: [{to: move, when: [{type: event, name: go}]}]
      move:
        do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.05]}]}]
        next: [{to: done, when: [{type: done}]}]
      done: {episode: success, do: [{type: hold, tasks: [hand]}]}
)";

struct Recorded {
  explicit Recorded(const AppFolder& folder, const std::string& name = "run.mcap",
                    RecordExtent extent = RecordExtent::kDefault, int ticks = 2600,
                    const std::string& text = kApp)
      : app(folder.app(text)), file(folder.path() / name) {
    Session session(app);
    RecorderOptions options;
    options.extent = extent;
    options.may_wait = true;
    Recorder recorder(session, file, options);
    const auto hand = session.arbiter().find_reference("hand");
    Pose X = session.arbiter().reference(hand).motion().pose.X_WE;
    for (int i = 0; i < ticks; ++i) {
      if (i % 11 == 0 && i < 900) {
        X.p.y() += 0.002;
        session.mailbox("person").post(pose_sample("person", row(0.0, X)));
      }
      if (i == 50)
        session.mailbox("operator").post(test::operator_input(InputKind::kOperator, "", "Ada"));
      if (i == 1500)
        session.mailbox("operator").post(test::operator_input(InputKind::kEvent, "go"));
      if (i == 1200) session.mailbox("operator").post(test::operator_input(InputKind::kStop));
      if (i == 1300) session.mailbox("operator").post(test::operator_input(InputKind::kResume));
      session.tick();
    }
    session.finish();
    whole = recorder.close();
  }
  App app;
  std::filesystem::path file;
  bool whole = false;
};

ReplayReport verified(const std::filesystem::path& file, Nanoseconds from = 0, bool open = false) {
  LogFile log(file);
  ReplayOptions options;
  options.verify = true;
  options.from = from;
  options.open = open;
  return replay(log, test_parts(), options);
}

TEST(Replay, HasTheSameBitsFromTheStartAndFromAnyKeyFrame) {
  const AppFolder folder;
  const Recorded recorded(folder);
  ASSERT_TRUE(recorded.whole);
  const ReplayReport all = verified(recorded.file);
  EXPECT_TRUE(all.same());
  EXPECT_EQ(all.compared, 2600);
  EXPECT_EQ(all.other_machine, "");
  const ReplayReport late = verified(recorded.file, 1'700'000'000);
  EXPECT_TRUE(late.same());
  EXPECT_EQ(late.first_tick, 1000);
  EXPECT_EQ(late.compared, 1600);
}

TEST(Replay, OpenRunsTheControllerOnRecordedObservations) {
  const AppFolder folder;
  const Recorded full(folder, "full.mcap", RecordExtent::kFull, 1600);
  const ReplayReport report = verified(full.file, 0, true);
  EXPECT_TRUE(report.same()) << name_of(report.difference->quantity) << " at "
                             << report.difference->tick;
  EXPECT_EQ(report.compared, 1600);
  const Recorded by_default(folder, "default.mcap", RecordExtent::kDefault, 100);
  try {
    verified(by_default.file, 0, true);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("record it with `record: full`"), std::string::npos);
  }
}

// a copy of a log with other messages on one topic
void tampered(const std::filesystem::path& from, const std::filesystem::path& to,
              const std::string& topic,
              const std::function<void(Bytes&, std::int64_t tick)>& change,
              const std::map<std::string, std::string>& about = {}) {
  const McapReader reader(from);
  McapWriter writer(to);
  for (const auto& info : reader.attachments()) writer.attach(reader.attachment(info));
  McapMap map = *reader.metadata("handspan");
  for (const auto& [key, value] : about) map[key] = value;
  map[kChecksumKey] = checksum_of(map);
  writer.metadata("handspan", map);
  std::map<std::uint16_t, std::uint16_t> ids;
  for (const auto& channel : reader.channels()) {
    const McapSchema& schema = *reader.schema(channel.schema);
    ids[channel.id] = writer.add_channel(
        channel.topic, writer.add_schema(schema.name, schema.encoding, schema.text),
        channel.metadata);
  }
  reader.messages({}, [&](const McapChannel& channel, const McapMessage& message) {
    Bytes bytes(message.bytes.begin(), message.bytes.end());
    if (channel.topic == topic) change(bytes, message.log_time / 1'000'000);
    McapMessage copy = message;
    copy.channel = ids[channel.id];
    copy.bytes = bytes;
    writer.write(copy);
    return true;
  });
  writer.finish();
}

TEST(Replay, NamesTheFirstTickAndQuantityThatDiffer) {
  const AppFolder folder;
  const Recorded recorded(folder, "run.mcap", RecordExtent::kFull, 1000);
  // one input of tick 440 was another
  const auto other = folder.path() / "other.mcap";
  tampered(recorded.file, other, "/handspan/inputs", [](Bytes& bytes, std::int64_t tick) {
    if (tick != 440) return;
    auto input = decode<messages::Input>(bytes);
    input.numbers[2] += 1e-9;
    encode(input, bytes);
  });
  const ReplayReport report = verified(other);
  ASSERT_FALSE(report.same());
  EXPECT_EQ(report.difference->tick, 440);
  EXPECT_EQ(report.difference->quantity, Quantity::kInputs);
  // a hash of the plant at tick 77
  tampered(recorded.file, other, "/handspan/hashes", [](Bytes& bytes, std::int64_t) {
    auto hashes = decode<messages::TickHashes>(bytes);
    if (hashes.first_tick != 50) return;
    // the plant's are last, 3 bytes a tick
    hashes.hashes[(4 * 50 + 27) * 3 + 2] ^= 1;
    encode(hashes, bytes);
  });
  const ReplayReport plant = verified(other);
  ASSERT_FALSE(plant.same());
  EXPECT_EQ(plant.difference->tick, 77);
  EXPECT_EQ(plant.difference->quantity, Quantity::kPlant);
}

TEST(Replay, OfAnotherBuildComparesValuesAtKeyFrames) {
  const AppFolder folder;
  const Recorded recorded(folder, "run.mcap", RecordExtent::kDefault, 2100);
  const auto other = folder.path() / "other.mcap";
  const auto nothing = [](Bytes&, std::int64_t) {};
  tampered(recorded.file, other, "", nothing, {{"build", "0123"}});
  const ReplayReport same = verified(other);
  EXPECT_TRUE(same.by_values);
  EXPECT_NE(same.other_machine.find("build was 0123"), std::string::npos);
  EXPECT_TRUE(same.same());
  EXPECT_GE(same.compared, 2);
  EXPECT_EQ(same.worst, 0.0);
  tampered(recorded.file, other, "/left/arm/joint_states",
           [](Bytes& bytes, std::int64_t tick) {
             if (tick != 2000) return;
             auto state = decode<messages::JointState>(bytes);
             state.position[3] += 1e-3;
             encode(state, bytes);
           },
           {{"cpu_features", "none"}});
  const ReplayReport differs = verified(other);
  ASSERT_FALSE(differs.same());
  EXPECT_EQ(differs.difference->tick, 1999);
  EXPECT_NE(differs.difference->channels.front().find("left.arm.q[3] was"), std::string::npos);
}

TEST(Replay, InputsOfALogMayBeGivenToAnotherRun) {
  const AppFolder folder;
  const Recorded recorded(folder);
  SessionOptions options;
  options.feed = std::make_unique<LogFeed>(LogFile(recorded.file).inputs());
  Session session(recorded.app, std::move(options));
  for (int i = 0; i < 2600; ++i) session.tick();
  EXPECT_EQ(session.machines()[0].current_name(), "done");
}

TEST(ReplayReference, DoesAgainWhatALogHas) {
  const AppFolder folder;
  const Recorded recorded(folder, "full.mcap", RecordExtent::kFull, 1000);
  const App app = folder.app(kPairArms + R"(machines:
  left:
    start: again
    states:
      again: {do: [{type: replay_reference, task: hand, log: full.mcap, to: 0.9 s, relative: true}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)",
                             "again");
  // its log holds the log that it was made from
  {
    Session again(app);
    Recorder recorder(again, folder.path() / "again.mcap");
    for (int i = 0; i < 500; ++i) again.tick();
    again.finish();
  }
  std::filesystem::rename(folder.path() / "full.mcap", folder.path() / "elsewhere.mcap");
  EXPECT_EQ(verified(folder.path() / "again.mcap").compared, 500);
  std::filesystem::rename(folder.path() / "elsewhere.mcap", folder.path() / "full.mcap");
  Session session(app);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Eigen::Vector3d start = session.arbiter().reference(hand).motion().pose.X_WE.p;
  const RunSummary summary = run_session(session, 5 * kSecond);
  EXPECT_NEAR(seconds(summary.simulated), 0.9, 0.2);
  // the person had moved by 2 mm every 11 ms since tick 100
  const double moved = (session.arbiter().reference(hand).motion().pose.X_WE.p - start).norm();
  EXPECT_GT(moved, 0.1);
  EXPECT_LT(moved, 0.17);
  const auto error = [&](const std::string& mode) {
    return folder.error(kPairArms + "machines: {m: {start: s, states: {s: {do: [" + mode +
                        "]}}}}\n");
  };
  EXPECT_NE(
      error("{type: replay_reference, task: hand, log: full.mcap, channel: reference.hnd.pose}")
          .find("has no poses under /reference/hnd/pose; did you mean "
                "'/reference/hand/pose'?"),
      std::string::npos);
  EXPECT_NE(error("{type: replay_reference, task: posture, log: full.mcap}")
                .find("the reference of 'posture' is of the kind 'joints'; this is for poses and "
                      "wrenches"),
            std::string::npos);
  EXPECT_NE(error("{type: replay_reference, task: hand, log: full.mcap, from: 100 s}")
                .find("has 0 poses in the time"),
            std::string::npos);
}

TEST(ReplayReference, GoesSlowlyToWhereTheLogBeginsAndSaysSo) {
  const AppFolder folder;
  const Recorded recorded(folder, "full.mcap", RecordExtent::kFull, 1000);
  const App app = folder.app(kPairArms + R"(machines:
  left:
    start: away
    states:
      away: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [-0.15, 0.0, 0.2]}]}], next: [{to: again, when: [{type: done}]}]}
      again: {do: [{type: replay_reference, task: hand, log: full.mcap, to: 0.9 s}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)",
                             "away");
  Session session(app);
  const ReferenceIndex hand = session.arbiter().find_reference("hand");
  const Eigen::Vector3d start = session.arbiter().reference(hand).motion().pose.X_WE.p;
  std::vector<std::string> said;
  double fastest = 0.0, nearest = HUGE_VAL;
  bool away = false;
  while (!session.ended() && session.now() < 10 * kSecond) {
    session.tick();
    for (const Event& event : session.events().events())
      if (event.kind == "move") said.emplace_back(event.text.view());
    away = away || session.machines()[0].current_name() == "again";
    if (!away) continue;
    const PoseReference& reference = session.arbiter().reference(hand).motion().pose;
    // until it is there; the log's own motion is up to 0.2 m/s
    if (nearest > 1e-3) fastest = std::max(fastest, reference.V_WE.head<3>().norm());
    nearest = std::min(nearest, (reference.X_WE.p - start).norm());
  }
  ASSERT_TRUE(session.ended());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].substr(0, 64),
            "first goes to where the log goes on: 250 mm and 0 deg away, in 1");
  EXPECT_LT(nearest, 1e-3) << "it comes by where the log begins";
  EXPECT_LT(fastest, 0.26);
  EXPECT_GT(fastest, 0.2);
}

// a demonstration by an arm without the cup has nothing for it to do
TEST(ReplayReference, CommandsOfAGroupMustBeInTheLog) {
  const auto without_picker = [](const std::string& text) {
    std::string kept;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find("picker") == std::string::npos) kept += line + "\n";
    return kept;
  };
  const AppFolder folder, alone(without_picker(test::kPairScene));
  const Recorded recorded(alone, "alone.mcap", RecordExtent::kFull, 300, without_picker(kApp));
  ASSERT_TRUE(recorded.whole);
  std::filesystem::copy(recorded.file, folder.path() / "alone.mcap");
  const auto error = [&](const std::string& groups) {
    return folder.error(kPairArms +
                        "machines: {m: {start: s, states: {s: {do: [{type: replay_reference, task: "
                        "hand, log: alone.mcap, groups: [" +
                        groups + "]}]}}}}\n");
  };
  EXPECT_EQ(error(""), "");
  EXPECT_NE(error("picker.cup").find("alone.mcap has no commands under /picker/cup/command"),
            std::string::npos)
      << error("picker.cup");
}

TEST(LogFile, KnowsEpisodesOperatorAuthorityAndEvents) {
  const AppFolder folder;
  const Recorded recorded(folder);
  const LogFile log(recorded.file);
  EXPECT_EQ(log.ticks(), 2600);
  EXPECT_EQ(log.about("app"), "test");
  const auto episodes = log.episodes();
  ASSERT_EQ(episodes.size(), 1U);
  EXPECT_EQ(episodes[0].outcome, "success");
  EXPECT_EQ(episodes[0].operator_name, "Ada");
  EXPECT_EQ(episodes[0].start, 100);
  EXPECT_GT(episodes[0].end, 1500);
  // the person, then the motion, then nobody
  std::vector<std::string> hand;
  for (const auto& event : episodes[0].authority)
    if (event.name == "hand") hand.push_back(event.text);
  EXPECT_EQ(hand, (std::vector<std::string>{"person", "left.move", "nobody"}));
  bool stopped = false;
  for (const auto& event : log.events())
    stopped = stopped || (event.kind == "hold" && event.tick == 1200 && event.text == "stopped");
  EXPECT_TRUE(stopped);
  EXPECT_EQ(log.key_frames(), (std::vector<std::int64_t>{0, 1000, 2000, 2600}));
}

TEST(LogFile, WhatIsNoLogIsAnErrorWithCauseAndHint) {
  const AppFolder folder;
  const auto other = folder.path() / "other.mcap";
  {
    McapWriter writer(other);
    writer.finish();
  }
  try {
    const LogFile log(other);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no log of handspan"), std::string::npos);
  }
  const Recorded recorded(folder, "run.mcap", RecordExtent::kDefault, 50);
  const auto nothing = [](Bytes&, std::int64_t) {};
  const auto refused = [&] {
    try {
      const LogFile log(other);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  tampered(recorded.file, other, "", nothing, {{"format", "9"}});
  EXPECT_TRUE(refused().ends_with("its format is '9'; this handspan reads format 3")) << refused();
  tampered(recorded.file, other, "", nothing, {{"format", "2"}});
  EXPECT_TRUE(
      refused().ends_with("reads format 3, and handspan 0.1 reads this one: its apps have "
                          "other words (docs/renamed.md)"))
      << refused();
  tampered(recorded.file, other, "", nothing, {{"base_period_ns", "fast"}});
  EXPECT_THROW(LogFile{other}, InputError);
  tampered(recorded.file, other, "", nothing, {{"app_file", "../../etc/passwd"}});
  EXPECT_THROW(LogFile(other).app(test_parts()), InputError);
}

TEST(Recorder, ATickWithItDoesNotTouchTheHeap) {
  const AppFolder folder;
  const App app = folder.app(kApp);
  for (const RecordExtent extent : {RecordExtent::kDefault, RecordExtent::kFull}) {
    Session session(app);
    RecorderOptions options;
    options.extent = extent;
    Recorder recorder(session, folder.path() / "heap.mcap", options);
    for (int i = 0; i < 1010; ++i) session.tick();
    const test::AllocationCount allocations;
    for (int i = 0; i < 1010; ++i) session.tick();
    EXPECT_EQ(allocations.count(), 0U);
  }
}

TEST(Recorder, AFullDiskEndsTheRecordingAndNotTheRun) {
  const AppFolder folder;
  const App app = folder.app(kApp);
  const auto file = folder.path() / "full.mcap";
  // no file of this process may be larger than 400 kB now
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 400'000;
  setrlimit(RLIMIT_FSIZE, &small);
  {
    Session session(app);
    RecorderOptions options;
    options.extent = RecordExtent::kFull;
    options.may_wait = true;
    Recorder recorder(session, file, options);
    for (int i = 0; i < 3000; ++i) session.tick();
    EXPECT_EQ(session.ticks(), 3000);
    EXPECT_FALSE(recorder.close());
    EXPECT_TRUE(recorder.status().failed);
    EXPECT_NE(recorder.status().message.find("full.mcap: writing failed"), std::string_view::npos)
        << recorder.status().message;
  }
  setrlimit(RLIMIT_FSIZE, &before);
  // what is there can be run again
  EXPECT_GT(verified(file).compared, 10);
  EXPECT_TRUE(verified(file).same());
}

// The issue's acceptance: kill -9 at random moments loses at most a second.
TEST(Recorder, KilledAtAnyMomentItsFileOpensAndRunsAgain) {
  const AppFolder folder;
  RandomStream random(5, "kill");
  for (int run = 0; run < test::sized(40); ++run) {
    const auto file = folder.path() / ("killed" + std::to_string(run) + ".mcap");
    const App app = folder.app(kApp);
    const pid_t child = fork();
    if (child == 0) {
      Session session(app);
      Recorder recorder(session, file, {});
      RunOptions options;
      options.until = 100 * kSecond;
      options.clock = ClockKind::kWall;
      run_session(session, options);
      _exit(0);
    }
    const int lived = 900 + static_cast<int>(random.integer(1200));
    usleep(static_cast<useconds_t>(lived) * 1000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    LogFile log(file);
    EXPECT_FALSE(log.reader().complete());
    EXPECT_NE(log.reader().damage(), "");
    const ReplayReport report = verified(file);
    EXPECT_TRUE(report.same());
    // the child needed some time to begin
    EXPECT_EQ(report.compared, log.ticks());
    EXPECT_GE(report.compared, 1);
  }
}

TEST(Recorder, AFolderThatIsNotThereIsAnError) {
  const AppFolder folder;
  const App app = folder.app(kApp);
  Session session(app);
  EXPECT_THROW(Recorder(session, "/nonexistent/run.mcap"), InputError);
}

}  // namespace record_replay_test
}  // namespace handspan
