// `clock: plant`: a plant that is not a simulation to the session, observes when it likes, loses
// observations and stops. The session ticks once an observation; its log runs again open.
#include <gtest/gtest.h>

#include <thread>

#include "core/random.hpp"
#include "log/recorder.hpp"
#include "log/replay.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "record/messages.hpp"
#include "session_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace plant_clock_test {

using test::AppFolder;
using test::kPairArms;

const std::string kSteps = kPairArms + R"(machines:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)";
const std::string kMoves = "clock: plant\n" + kSteps;

// What a plant did, for the test; outlives the session.
struct Diary {
  std::uint64_t observations = 1;  // the first is there from the start
  std::uint64_t lost = 0;
  std::uint64_t writes = 0;
  std::uint64_t advances = 0;
};

// A simulation behind a line that is late by up to 2 ms, loses one packet in ten, and closes.
class FakePlant : public Plant {
 public:
  FakePlant(const Scene& scene, std::uint64_t stops_after, Diary& diary)
      : arm_(scene), stops_after_(stops_after), diary_(diary), random_(11, "fake plant") {
    look();
  }

  const PlantLayout& layout() const override { return arm_.layout(); }
  const Observation& read() override { return observation_; }
  void write(const Command& command) override {
    ++diary_.writes;
    arm_.write(command);
  }
  bool wait() override {
    if (diary_.observations == stops_after_) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(random_.integer(2000)));
    arm_.advance();
    ++sequence_;
    while (random_.uniform() < 0.1) {
      arm_.advance();
      ++sequence_;
      ++diary_.lost;
    }
    ++diary_.observations;
    look();
    return true;
  }
  void advance() override { ++diary_.advances; }
  const CommandFaults& faults() const override { return arm_.faults(); }
  void tare(int) override {}
  bool recover() override { return true; }
  using Plant::snapshot;
  void snapshot(std::vector<std::byte>& into) const override { into.clear(); }
  void restore(std::span<const std::byte>) override {}

 private:
  void look() {
    observation_ = arm_.read();
    observation_.sequence = sequence_;
    // its own clock, which began long ago
    observation_.stamp = 77 * kSecond + static_cast<Nanoseconds>(sequence_) * 1'000'000;
    observation_.status =
        diary_.observations == 100 ? PlantStatus::kPacketLoss : PlantStatus::kRunning;
  }

  MujocoPlant arm_;
  std::uint64_t stops_after_;
  Diary& diary_;
  RandomStream random_;
  Observation observation_;
  std::uint64_t sequence_ = 5000;
};

RunSummary run(const App& app, Diary& diary, std::uint64_t stops_after,
               const std::filesystem::path& file, const RunOptions& options, std::int64_t& ticks) {
  SessionOptions how;
  how.plant = std::make_unique<FakePlant>(app.scene, stops_after, diary);
  Session session(app, std::move(how));
  RecorderOptions recording;
  recording.extent = RecordExtent::kFull;
  Recorder recorder(session, file, recording);
  const RunSummary summary = run_session(session, options);
  EXPECT_TRUE(recorder.close()) << recorder.status().message;
  ticks = session.ticks();
  return summary;
}

TEST(PlantClock, TheSessionTicksOnceAnObservationUntilThereAreNone) {
  const AppFolder folder;
  const App app = folder.app(kMoves);
  const auto file = folder.path() / "run.mcap";
  Diary diary;
  std::int64_t ticks = 0;
  RunOptions options;
  options.until = 100 * kSecond;
  options.clock = app.clock;
  options.to_the_end = true;
  const RunSummary summary = run(app, diary, 400, file, options, ticks);
  EXPECT_EQ(diary.observations, 400U);
  EXPECT_EQ(ticks, 400);
  EXPECT_EQ(diary.writes, 400U);
  EXPECT_TRUE(summary.on_plant_clock);
  EXPECT_TRUE(summary.plant_ended);
  EXPECT_GT(diary.lost, 10U);
  EXPECT_EQ(summary.lost_observations, diary.lost);

  LogFile log(file);
  EXPECT_EQ(log.ticks(), 400);
  // the last one that came is the last that was used
  std::vector<std::int64_t> sequence, stamps;
  McapQuery query;
  query.topics = {"/plant/sequence"};
  log.reader().messages(query, [&](const McapChannel&, const McapMessage& message) {
    if (!sequence.empty() && message.log_time == 400'000'000) return true;
    sequence.push_back(decode<messages::Integer>(message.bytes).value);
    stamps.push_back(message.publish_time);
    return true;
  });
  ASSERT_EQ(sequence.size(), 400U);
  EXPECT_EQ(sequence.front(), 5000);
  EXPECT_EQ(sequence.back(), static_cast<std::int64_t>(5399 + diary.lost));
  EXPECT_EQ(stamps.back(), 77 * kSecond + sequence.back() * 1'000'000);
  int gaps = 0;
  std::vector<std::string> status;
  for (const auto& event : log.events()) {
    if (event.kind != "plant") continue;
    if (event.text.find("were lost") != std::string::npos)
      ++gaps;
    else
      status.push_back(event.name + ", " + event.text);
  }
  EXPECT_GT(gaps, 10);
  EXPECT_EQ(status,
            (std::vector<std::string>{"packet loss, was: running", "running, was: packet loss"}));
}

TEST(PlantClock, ItsLogRunsAgainOpenWithTheSameBits) {
  const AppFolder folder;
  const App app = folder.app(kMoves);
  const auto file = folder.path() / "run.mcap";
  Diary diary;
  std::int64_t ticks = 0;
  RunOptions options;
  options.until = 100 * kSecond;
  options.clock = app.clock;
  run(app, diary, 300, file, options, ticks);
  LogFile log(file);
  ReplayOptions again;
  again.verify = again.open = true;
  const ReplayReport report = replay(log, test_parts(), again);
  EXPECT_TRUE(report.same()) << name_of(report.difference->quantity) << " at "
                             << report.difference->tick;
  EXPECT_EQ(report.compared, ticks);
  // and only so: nothing can be simulated again
  again.open = false;
  try {
    replay(log, test_parts(), again);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("its plant was no simulation and cannot run again; replay what it observed "
                        "with --open"),
              std::string::npos)
        << error.what();
  }
}

TEST(PlantClock, ARunEndsAsOthersDoWhileThePlantGoesOn) {
  const AppFolder folder;
  const App app = folder.app(kMoves);
  Diary diary;
  std::int64_t ticks = 0;
  RunOptions options;
  options.until = 50'000'000;
  options.clock = app.clock;
  const RunSummary summary = run(app, diary, 100000, folder.path() / "run.mcap", options, ticks);
  EXPECT_EQ(ticks, 50);
  EXPECT_FALSE(summary.plant_ended);
  EXPECT_EQ(diary.observations, 51U);
}

TEST(PlantClock, ASimulationHasNoTimeOfItsOwn) {
  const AppFolder folder;
  const App app = folder.app(kSteps);
  Session session(app);
  RunOptions options;
  options.until = 50'000'000;
  options.clock = ClockKind::kPlant;
  const RunSummary summary = run_session(session, options);
  EXPECT_EQ(session.ticks(), 50);
  EXPECT_FALSE(summary.on_plant_clock);
}

}  // namespace plant_clock_test
}  // namespace handspan
