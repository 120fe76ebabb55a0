// A simulated plant's observations, as they stand in a log that was recorded in full.
#include "log/recorded_plant.hpp"

#include <gtest/gtest.h>

#include "log/recorder.hpp"
#include "session/session_support.hpp"
#include "support/small_log.hpp"

namespace handspan {
namespace recorded_plant_test {

App pair_that_moves(const test::AppFolder& folder) {
  return folder.app(test::kPairArms + R"(machines:
  left:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.05]}]}, {type: grip, group: picker.cup}]}
)");
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

struct Recorded {
  explicit Recorded(RecordExtent extent, int ticks = 2300)
      : app(pair_that_moves(folder)), file(folder.path() / "run.mcap") {
    Session session(app);
    layout = session.plant().layout();
    RecorderOptions options;
    options.extent = extent;
    options.may_wait = true;
    Recorder recorder(session, file, options);
    observed.push_back(session.plant().read());
    for (int i = 0; i < ticks; ++i) {
      session.tick();
      observed.push_back(session.plant().read());
    }
    session.finish();
    EXPECT_TRUE(recorder.close());
  }
  const test::AppFolder folder;
  const App app;
  const std::filesystem::path file;
  PlantLayout layout;
  std::vector<Observation> observed;  // at each tick
};

TEST(RecordedPlant, GivesEveryTicksObservationToTheLastBitInAnyOrder) {
  const Recorded recorded(RecordExtent::kFull);
  const LogFile log(recorded.file);
  RecordedPlant plant(log, recorded.layout);
  EXPECT_EQ(plant.world(), nullptr);
  EXPECT_FALSE(plant.simulated());
  // across blocks of a thousand, back, and beyond the end
  for (const std::int64_t tick : {0, 1, 2, 500, 999, 1000, 1001, 2299, 2300, 1500, 3, 2000, 0}) {
    plant.poll(tick * log.base_period());
    const Observation &is = plant.read(), &was = recorded.observed[static_cast<std::size_t>(tick)];
    ASSERT_EQ(is.groups.size(), was.groups.size());
    for (std::size_t g = 0; g < is.groups.size(); ++g) {
      EXPECT_EQ(is.groups[g].q, was.groups[g].q) << tick << " " << recorded.layout.groups[g].name;
      EXPECT_EQ(is.groups[g].v, was.groups[g].v) << tick << " " << recorded.layout.groups[g].name;
      EXPECT_EQ(is.groups[g].tau, was.groups[g].tau)
          << tick << " " << recorded.layout.groups[g].name;
    }
    for (std::size_t s = 0; s < is.wrenches.size(); ++s)
      EXPECT_EQ(is.wrenches[s], was.wrenches[s]) << tick;
    EXPECT_EQ(is.sequence, was.sequence) << tick;
    EXPECT_EQ(is.stamp, was.stamp) << tick;
  }
  plant.poll(1'000'000 * log.base_period());
  EXPECT_EQ(plant.read().groups[0].q, recorded.observed.back().groups[0].q);
  // what is written to it and the time that it is advanced change nothing
  plant.poll(0);
  Command command = Command::zero(recorded.layout);
  command.groups[0].setConstant(5.0);
  plant.write(command);
  plant.advance();
  EXPECT_EQ(plant.read().groups[0].q, recorded.observed[0].groups[0].q);
}

TEST(RecordedPlant, ALogThatWasNotRecordedInFullIsRefused) {
  const Recorded recorded(RecordExtent::kDefault, 100);
  const LogFile log(recorded.file);
  EXPECT_EQ(error_of([&] { RecordedPlant plant(log, recorded.layout); }),
            recorded.file.string() +
                ": it has no observation of every tick; record it with `record: full` in the app");
}

// of one arm of one joint
std::string with_joint_states(const std::vector<std::int64_t>& ticks, int hashed,
                              const std::string& group = "arm") {
  const test::AppFolder folder;
  const auto file = folder.path() / "a.mcap";
  {
    test::SmallLog log(file, {{"record", "full"}});
    for (const std::int64_t tick : ticks)
      log.write("/" + group + "/joint_states", {}, tick, tick,
                messages::JointState{{}, {"j"}, {0.1 * static_cast<double>(tick)}, {0.0}, {0.0}});
    log.hashes(0, hashed);
  }
  const LogFile log(file);
  PlantLayout layout;
  layout.period = test::SmallLog::kBase;
  layout.groups.resize(1);
  layout.groups[0].name = "arm";
  layout.groups[0].joints = {"j"};
  std::string said = error_of([&] {
    RecordedPlant plant(log, layout);
    plant.poll(3 * test::SmallLog::kBase);
    EXPECT_EQ(plant.read().groups[0].q[0], 0.1 * 3.0);
    EXPECT_EQ(plant.read().sequence, 3U);
  });
  const std::string path = file.string() + ": ";
  return said.starts_with(path) ? said.substr(path.size()) : said;
}

TEST(RecordedPlant, AnObservationThatIsMissingIsSaidWithItsTickAndTopic) {
  EXPECT_EQ(with_joint_states({0, 1, 2, 3, 4}, 4), "no error");
  EXPECT_EQ(with_joint_states({0, 1, 3, 4}, 4),
            "the observation of tick 2 is missing on /arm/joint_states: the disk could not keep up "
            "when it was recorded");
  // the end counts too
  EXPECT_EQ(with_joint_states({0, 1, 2, 3}, 4),
            "the observation of tick 4 is missing on /arm/joint_states: the disk could not keep up "
            "when it was recorded");
  EXPECT_EQ(with_joint_states({0, 1, 2, 3, 4}, 4, "leg"), "it has no topic /arm/joint_states");
}

}  // namespace recorded_plant_test
}  // namespace handspan
