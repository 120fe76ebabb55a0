#include "log/observed_plant.hpp"

#include <gtest/gtest.h>

#include "log/recorder.hpp"
#include "session/session_support.hpp"
#include "support/fake_plant.hpp"

namespace handspan {
namespace observed_plant_test {

using test::FakeDiary;
using test::FakeOptions;
using test::FakePlant;

// a session of a fake plant of 4 ms, recorded by default from a tick on, and what it observed then
struct Recorded {
  explicit Recorded(const test::AppFolder& folder, int first = 0, int ticks = 4500)
      : app(folder.app("controllers: {picker.arm: {type: zero_velocity}}\n")),
        file(folder.path() / "run.mcap") {
    FakeOptions options;
    options.period = 4'000'000;
    options.noise = 1e-3;
    auto fake = std::make_unique<FakePlant>(app.scene, robot_names(app.scene), options, diary);
    layout = fake->layout();
    FakePlant& plant = *fake;
    SessionOptions how;
    how.plant = std::move(fake);
    Session session(app, std::move(how));
    base = session.base_period();
    for (int i = 0; i < first; ++i) session.tick();
    RecorderOptions recording;
    recording.may_wait = true;
    Recorder recorder(session, file, recording);
    observed.push_back(plant.read());
    for (int i = 0; i < ticks; ++i) {
      session.tick();
      observed.push_back(plant.read());
    }
    session.finish();
    EXPECT_TRUE(recorder.close());
  }
  App app;
  std::filesystem::path file;
  FakeDiary diary;
  PlantLayout layout;
  Nanoseconds base = 0;
  std::vector<Observation> observed;  // at each tick
};

void expect_same(const Observation& a, const Observation& b, std::int64_t tick) {
  ASSERT_EQ(a.stamp, b.stamp) << tick;
  ASSERT_EQ(a.sequence, b.sequence) << tick;
  ASSERT_EQ(a.status, b.status) << tick;
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    ASSERT_EQ(a.groups[g].q, b.groups[g].q) << tick;
    ASSERT_EQ(a.groups[g].v, b.groups[g].v) << tick;
    ASSERT_EQ(a.groups[g].tau, b.groups[g].tau) << tick;
  }
  for (std::size_t s = 0; s < a.wrenches.size(); ++s)
    ASSERT_EQ(a.wrenches[s], b.wrenches[s]) << tick;
}

TEST(ObservedPlant, GivesWhatWasObservedAtEachTickInAnyOrder) {
  const test::AppFolder folder;
  const Recorded recorded(folder);
  EXPECT_EQ(recorded.base, 4'000'000);
  const LogFile log(recorded.file);
  ObservedPlant plant(log, "", recorded.layout);
  for (std::int64_t tick = 0; tick <= 4500; ++tick) {
    plant.poll(tick * recorded.base);
    expect_same(plant.read(), recorded.observed[static_cast<std::size_t>(tick)], tick);
  }
  RandomStream random(3, "seek");
  for (int i = 0; i < 40; ++i) {
    const auto tick = static_cast<std::int64_t>(random.integer(4501));
    plant.poll(tick * recorded.base);
    expect_same(plant.read(), recorded.observed[static_cast<std::size_t>(tick)], tick);
  }
  // the last one stays
  plant.poll(100 * kSecond);
  expect_same(plant.read(), recorded.observed.back(), 4500);
}

TEST(ObservedPlant, OfALogThatBeganLaterHasNothingBefore) {
  const test::AppFolder folder;
  const Recorded recorded(folder, 1000, 300);
  const LogFile log(recorded.file);
  ASSERT_EQ(log.first_tick(), 1000);
  ObservedPlant plant(log, "", recorded.layout);
  expect_same(plant.read(), recorded.observed.front(), 1000);
  EXPECT_THROW(plant.poll(999 * recorded.base), InputError);
  try {
    const ObservedPlant other(log, "arm", recorded.layout);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(
        std::string(error.what()).find("it has no observation of plant 'arm' at or before 4.000 s"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace observed_plant_test
}  // namespace handspan
