// A session of a simulation and a real arm: its log runs again with the simulation made anew and
// what the arm had observed, bit for bit.
#include "log/logged_plants.hpp"

#include <gtest/gtest.h>

#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "record/mcap_writer.hpp"
#include "record/messages.hpp"
#include "record/metadata_checksum.hpp"
#include "session/session_support.hpp"
#include "support/alloc.hpp"
#include "support/fake_plant.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace logged_plants_test {

using test::AppFolder;
using test::FakeDiary;
using test::FakeOptions;

struct FakeConfig {
  double period = 1e-3, loss = 0.0;
};

FakeDiary diary;

Parts made_parts() {
  Parts parts = built_in_parts();
  parts.of<PlantRegistry>().add(
      "fake",
      object<FakeConfig>("FakePlant")
          .optional("period", &FakeConfig::period, number("s"))
          .optional("loss", &FakeConfig::loss, number()),
      "an arm of the tests", [](const FakeConfig& config, const PlantContext& context) {
        FakeOptions options;
        options.period = std::llround(1e9 * config.period);
        options.loss = config.loss;
        // so much that what it says matters
        options.noise = 1e-4;
        return std::make_unique<test::FakePlant>(context.scene, context.robots, options, diary);
      });
  return parts;
}

const Parts& parts() {
  static const Parts made = made_parts();
  return made;
}

// apps that may name it
struct FakeFolder : AppFolder {
  FakeFolder() : AppFolder(test::kPairScene, parts()) {}
};

// feedback of both is what is measured, so that observations reach the commands
const std::string kApp = R"(whole_arm:
  arms:
    left.arm: {feedback: measured}
    picker.arm: {feedback: measured}
  tasks:
    hand: {type: pose, frame: left.tcp, stiffness: 100}
    cup: {type: pose, frame: picker.suction, stiffness: 45}
    posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
  constraints:
    - {type: torque_limits}
    - {type: jerk_limits}
    - {type: collision, pairs: [[left.pad_body, post], [left.pad_body, picker.forearm]]}
machines:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}, {type: move_to, task: cup, waypoints: [{relative: true, position: [0.0, 0.05, 0.05]}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)";
const std::string kMixed =
    "plants:\n  sim: {type: mujoco}\n  right: {type: fake, robots: [picker]}\nclock: wall\n" + kApp;
const std::string kSlow =
    "plants:\n  right: {type: fake, robots: [picker], period: 8 ms}\n  sim: {type: mujoco}\nclock: "
    "wall\n" +
    kApp;
const std::string kReal =
    "plants:\n  a: {type: fake, robots: [left], clock: true, loss: 0.1}\n"
    "  b: {type: fake, robots: [picker], period: 8 ms}\nclock: plant\n" +
    kApp;

struct Recorded {
  Recorded(const AppFolder& folder, const std::string& text, RecordExtent extent, int ticks,
           const std::string& name = "run.mcap")
      : app(folder.app(text)), file(folder.path() / name) {
    Session session(app);
    RecorderOptions options;
    options.extent = extent;
    options.may_wait = true;
    Recorder recorder(session, file, options);
    for (int i = 0; i < ticks; ++i) {
      session.act();
      if (app.clock == ClockKind::kPlant) session.plant().wait();
      session.observe();
    }
    session.finish();
    lost = session.lost_observations();
    whole = recorder.close();
    if (session.world() != nullptr) {
      const auto positions = session.world()->positions();
      end.assign(positions.begin(), positions.end());
    }
  }
  App app;
  std::filesystem::path file;
  bool whole = false;
  std::uint64_t lost = 0;
  std::vector<double> end;
};

ReplayReport verified(const std::filesystem::path& file, bool open = false, Nanoseconds from = 0) {
  LogFile log(file);
  ReplayOptions options;
  options.verify = true;
  options.open = open;
  options.from = from;
  return replay(log, parts(), options);
}

std::string shown_difference(const ReplayReport& report) {
  if (!report.difference) return "";
  std::string text = std::string(name_of(report.difference->quantity)) + " at " +
                     std::to_string(report.difference->tick);
  for (const auto& channel : report.difference->channels) text += "\n" + channel;
  return text;
}

TEST(LoggedPlants, AClosedReplaySimulatesAndIsFedWhatWasObserved) {
  const FakeFolder folder;
  const Recorded recorded(folder, kMixed, RecordExtent::kDefault, 2600);
  ASSERT_TRUE(recorded.whole);
  const int made = diary.made;
  const ReplayReport report = verified(recorded.file);
  EXPECT_TRUE(report.same()) << shown_difference(report);
  EXPECT_EQ(report.compared, 2600);
  const ReplayReport late = verified(recorded.file, false, 1'700'000'000);
  EXPECT_TRUE(late.same()) << shown_difference(late);
  EXPECT_EQ(late.first_tick, 1000);
  EXPECT_EQ(late.compared, 1600);
  // nobody connected to the arm for it
  EXPECT_EQ(diary.made, made);
  // another run of the same app is another one: its arm said other things
  const Recorded again(folder, kMixed, RecordExtent::kDefault, 2600, "again.mcap");
  EXPECT_NE(again.end, recorded.end);
}

TEST(LoggedPlants, TheLogSaysWhichPlantsThereWere) {
  const FakeFolder folder;
  const Recorded recorded(folder, kSlow, RecordExtent::kDefault, 200);
  const LogFile log(recorded.file);
  EXPECT_EQ(log.about("plant"), "mixed");
  EXPECT_EQ(log.about("plants"), "right sim");
  EXPECT_EQ(log.about("plant.right"), "observed 8000000 - picker");
  EXPECT_EQ(log.about("plant.sim"), "simulated 1000000 - left");
  EXPECT_TRUE(log.about("group.picker.arm").ends_with(" 125 1 -")) << log.about("group.picker.arm");
  EXPECT_TRUE(any_observed(log));
  EXPECT_FALSE(all_observed(log));
  // one message an observation, with its plant's own stamp, and one a key frame
  std::vector<std::int64_t> stamps;
  McapQuery query;
  query.topics = {"/handspan/observations"};
  log.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
    const auto m = decode<messages::Input>(message.bytes);
    EXPECT_EQ(m.source, "right");
    EXPECT_EQ(m.text, "running");
    stamps.push_back(m.integers.at(0));
    return true;
  });
  ASSERT_EQ(stamps.size(), 26U);
  for (std::size_t i = 0; i < stamps.size(); ++i)
    EXPECT_EQ(stamps[i], 77 * kSecond + static_cast<std::int64_t>(i) * 8'000'000);
  // and the channels keep each plant's time
  query.topics = {"/picker/arm/joint_states", "/left/arm/joint_states"};
  log.reader().messages(query, [&](const McapChannel& channel, const McapMessage& message) {
    EXPECT_EQ(message.publish_time >= 77 * kSecond, channel.topic.starts_with("/picker"))
        << channel.topic;
    return true;
  });
}

TEST(LoggedPlants, ASlowPlantBesideAFastSimulationRunsAgainToo) {
  const FakeFolder folder;
  const Recorded recorded(folder, kSlow, RecordExtent::kDefault, 1500);
  const ReplayReport report = verified(recorded.file);
  EXPECT_TRUE(report.same()) << shown_difference(report);
  EXPECT_EQ(report.compared, 1500);
}

TEST(LoggedPlants, ASimulationOfTheSceneWithoutRobotsRunsAgainToo) {
  const FakeFolder folder;
  const Recorded recorded(folder,
                          "plants:\n  sim: {type: mujoco}\n  arms: {type: fake, robots: [left, "
                          "picker]}\nclock: wall\n" +
                              kApp,
                          RecordExtent::kDefault, 1200);
  EXPECT_EQ(LogFile(recorded.file).about("plant.sim"), "simulated 1000000 -");
  const ReplayReport report = verified(recorded.file, false, kSecond);
  EXPECT_TRUE(report.same()) << shown_difference(report);
  EXPECT_EQ(report.compared, 200);
}

TEST(LoggedPlants, AnOpenReplayOfAMixNeedsTheSimulationsObservationsInFull) {
  const FakeFolder folder;
  const Recorded full(folder, kMixed, RecordExtent::kFull, 1600);
  const ReplayReport report = verified(full.file, true);
  EXPECT_TRUE(report.same()) << shown_difference(report);
  EXPECT_EQ(report.compared, 1600);
  const Recorded by_default(folder, kMixed, RecordExtent::kDefault, 100, "default.mcap");
  try {
    verified(by_default.file, true);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("record it with `record: full`"), std::string::npos);
  }
}

TEST(LoggedPlants, RealPlantsOnlyReplayOpenFromAnyLog) {
  const FakeFolder folder;
  const Recorded recorded(folder, kReal, RecordExtent::kDefault, 1500);
  EXPECT_GT(recorded.lost, 50U);
  const ReplayReport report = verified(recorded.file, true);
  EXPECT_TRUE(report.same()) << shown_difference(report);
  EXPECT_EQ(report.compared, 1500);
  try {
    verified(recorded.file);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("replay what it observed with --open"),
              std::string::npos);
  }
}

// a copy of a log: without the observations of some ticks, or with others, or other metadata
void tampered(const std::filesystem::path& from, const std::filesystem::path& to,
              const std::function<bool(messages::Input&)>& keep,
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
    if (channel.topic == "/handspan/observations") {
      auto m = decode<messages::Input>(bytes);
      if (!keep(m)) return true;
      encode(m, bytes);
    }
    McapMessage copy = message;
    copy.channel = ids[channel.id];
    copy.bytes = bytes;
    writer.write(copy);
    return true;
  });
  writer.finish();
}

TEST(LoggedPlants, AnObservationThatIsNotTheSameIsFound) {
  const FakeFolder folder;
  const Recorded recorded(folder, kMixed, RecordExtent::kDefault, 600);
  const auto other = folder.path() / "other.mcap";
  tampered(recorded.file, other, [](messages::Input& m) {
    if (m.tick == 333) m.numbers[1] += 1e-9;
    return true;
  });
  const ReplayReport report = verified(other);
  ASSERT_FALSE(report.same());
  // it shows when it comes, at the end of the tick before the one that uses it
  EXPECT_EQ(report.difference->tick, 332);
  EXPECT_EQ(report.difference->quantity, Quantity::kPlant);
}

TEST(LoggedPlants, WhatIsMissingOrDamagedIsAnErrorWithCause) {
  const FakeFolder folder;
  const Recorded recorded(folder, kMixed, RecordExtent::kDefault, 300);
  const auto other = folder.path() / "other.mcap";
  const auto error = [&](const std::function<bool(messages::Input&)>& keep,
                         const std::map<std::string, std::string>& about = {}) {
    tampered(recorded.file, other, keep, about);
    try {
      verified(other);
    } catch (const InputError& e) {
      return std::string(e.what()).substr(other.string().size());
    }
    return std::string("replayed");
  };
  const auto all = [](messages::Input&) { return true; };
  EXPECT_EQ(error(all), "replayed");
  EXPECT_EQ(error([](messages::Input& m) { return m.tick != 200; }),
            ": the disk could not keep up when it was recorded: observations before tick 201 are "
            "missing of plant 'right'");
  EXPECT_EQ(error([](messages::Input&) { return false; }),
            ": it has no observation of plant 'right' at or before 0.000 s");
  EXPECT_EQ(error([](messages::Input& m) {
              if (m.tick == 7) m.numbers.pop_back();
              return true;
            }),
            ": the log is damaged at tick 7, in an observation of plant 'right'");
  EXPECT_EQ(error([](messages::Input& m) {
              m.integers[2] = 17;
              return true;
            }),
            ": the log is damaged at tick 0, in an observation of plant 'right'");
  EXPECT_EQ(error(all, {{"plant.right", "observed"}}),
            ": its plant.right is 'observed', which tells of no plant; the log is damaged");
  EXPECT_EQ(error(all, {{"plant.right", "observed -4 - picker"}}),
            ": its plant.right is 'observed -4 - picker', which tells of no plant; the log is "
            "damaged");
  EXPECT_EQ(error(all, {{"group.picker.arm", "hydraulic 125 1 -"}}),
            ": its group.picker.arm is 'hydraulic 125 1 -', which tells of no plant; the log is "
            "damaged");
  EXPECT_EQ(error(all, {{"plants", "right sam"}, {"plant.sam", "simulated 1000000 - left"}}),
            ": its simulation 'sam' was given by a program and is not in its app; replay what it "
            "observed with --open");
}

TEST(LoggedPlants, ATickWithARecorderDoesNotTouchTheHeap) {
  const FakeFolder folder;
  const App app = folder.app(kMixed);
  Session session(app);
  Recorder recorder(session, folder.path() / "heap.mcap");
  for (int i = 0; i < 1010; ++i) session.tick();
  const test::AllocationCount allocations;
  for (int i = 0; i < 1010; ++i) session.tick();
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace logged_plants_test
}  // namespace handspan
