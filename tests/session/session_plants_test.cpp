// Which plants a session has, and that it drives them all.
#include "session/session_plants.hpp"

#include <gtest/gtest.h>

#include "session_support.hpp"
#include "support/fake_plant.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace session_plants_test {

using test::AppFolder;
using test::FakeDiary;
using test::FakePlant;
using test::kPairArms;

struct FakeConfig {};

FakeDiary diary;
FakePlant* last = nullptr;

Parts made_parts() {
  Parts parts = built_in_parts();
  parts.of<PlantRegistry>().add("fake", object<FakeConfig>("FakePlant"), "an arm of the tests",
                                [](const FakeConfig&, const PlantContext& context) {
                                  auto plant = std::make_unique<FakePlant>(
                                      context.scene, context.robots, test::FakeOptions{}, diary);
                                  last = plant.get();
                                  return plant;
                                });
  return parts;
}

const Parts& parts() {
  static const Parts made = made_parts();
  return made;
}

const std::string kMoves = R"(machines:
  both:
    start: move
    states:
      move: {do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.0]}]}, {type: move_to, task: cup, waypoints: [{relative: true, position: [0.0, 0.0, 0.1]}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
)";
const std::string kMixed =
    "plants:\n  sim: {type: mujoco}\n  right: {type: fake, robots: [picker]}\n";

TEST(SessionPlants, OneArmIsSimulatedAndTheOtherIsReal) {
  const AppFolder folder(test::kPairScene, parts());
  const App app = folder.app(kMixed + "clock: wall\n" + kPairArms + kMoves);
  Session session(app);
  ASSERT_NE(session.plants(), nullptr);
  ASSERT_NE(session.world(), nullptr);
  const auto& layout = session.plant().layout();
  const auto left = static_cast<std::size_t>(layout.group("left.arm")),
             right = static_cast<std::size_t>(layout.group("picker.arm"));
  const Eigen::VectorXd left_start = session.plant().read().groups[left].q,
                        right_start = session.plant().read().groups[right].q;
  for (int i = 0; i < 6000 && !session.ended(); ++i) session.tick();
  EXPECT_TRUE(session.ended());
  for (int i = 0; i < 500; ++i) session.tick();
  EXPECT_GT((session.plant().read().groups[left].q - left_start).norm(), 0.05);
  EXPECT_GT((session.plant().read().groups[right].q - right_start).norm(), 0.05);
  // where the real arm is by its own simulation, the session's shows it
  const World &shown = *session.world(), &real = last->arms();
  const char* body = "picker.wrist_3";
  EXPECT_LT((shown.body_pose(shown.body(body)).p - real.body_pose(real.body(body)).p).norm(), 1e-3);
  // what is in the scene beside robots is simulated
  EXPECT_FALSE(session.channels().select("object.parcel.pose").empty());
  EXPECT_EQ(session.channels().select("plant.*").size(), 2U);
  const RunSummary summary = Summariser(session).summary(session);
  ASSERT_EQ(summary.plants.size(), 2U);
  EXPECT_EQ(summary.plants[0].name, "sim");
  EXPECT_TRUE(summary.plants[0].simulated);
  EXPECT_FALSE(summary.plants[1].simulated);
  EXPECT_EQ(summary.plants[1].lost_observations, 0U);
}

TEST(SessionPlants, LeftOutTheWholeSceneIsSimulated) {
  const AppFolder folder;
  const App app = folder.app(kPairArms);
  EXPECT_EQ(session_plants(app, nullptr), nullptr);
  Session session(app);
  EXPECT_EQ(session.plants(), nullptr);
  EXPECT_EQ(session.world(), session.plant().world());
  EXPECT_NE(session.world(), nullptr);
}

TEST(SessionPlants, ASimulationAsTheOnlyPlantIsTheSameRun) {
  const AppFolder folder;
  const App without = folder.app(kPairArms + kMoves),
            with = folder.app("plants: {sim: {type: mujoco}}\n" + kPairArms + kMoves, "with");
  Session a(without), b(with);
  for (int i = 0; i < 500; ++i) {
    a.tick();
    b.tick();
    ASSERT_EQ(a.hashes(), b.hashes()) << i;
  }
}

TEST(SessionPlants, WithoutASimulationNothingOfTheSceneIs) {
  const AppFolder folder(test::kPairScene, parts());
  const App app =
      folder.app("plants: {all: {type: fake, robots: [left, picker]}}\nclock: wall\n" + kPairArms);
  Session session(app);
  EXPECT_EQ(session.world(), nullptr);
  for (int i = 0; i < 10; ++i) session.tick();
  EXPECT_TRUE(session.channels().select("object.*").empty());
  EXPECT_EQ(session.plant().read().stamp, FakePlant::kEpoch + 10'000'000);
}

TEST(SessionPlants, AClockPlantIsWaitedForBesideASimulation) {
  const AppFolder folder(test::kPairScene, parts());
  const App app = folder.app(
      "plants:\n  sim: {type: mujoco}\n  right: {type: fake, robots: [picker], clock: true}\n"
      "clock: plant\n" +
      kPairArms);
  Session session(app);
  const std::uint64_t before = diary.waits;
  RunOptions options;
  options.until = 50'000'000;
  options.clock = app.clock;
  const RunSummary summary = run_session(session, options);
  EXPECT_TRUE(summary.on_plant_clock);
  EXPECT_EQ(diary.waits, before + 50);
  EXPECT_EQ(session.world()->time(), 50'000'000);
}

TEST(SessionPlants, ErrorsHavePlaceCauseAndHint) {
  const AppFolder folder(test::kPairScene, parts());
  EXPECT_EQ(folder.error(kMixed + "clock: wall\n" + kPairArms), "");
  EXPECT_EQ(
      folder.error(kMixed + kPairArms),
      "test.yaml:5: plants.right is not a simulation, and the app's clock is virtual: commands "
      "would come as fast as they are computed; say clock: wall, or clock: plant and clock: "
      "true here");
  EXPECT_EQ(folder.error("clock: plant\n" + kPairArms),
            "test.yaml: clock is plant, and the app has the simulation only, which has no time of "
            "its own; add plants with one that has clock: true, or say clock: wall");
  EXPECT_EQ(folder.error(kMixed + "clock: plant\n" + kPairArms),
            "test.yaml:6: clock is plant, and no plant is the clock; say clock: true in a plant "
            "that is not a simulation");
  EXPECT_EQ(
      folder.error("plants:\n  sim: {type: mujoco}\n  right: {type: fake, robots: [piker]}\n"
                   "clock: wall\n" +
                   kPairArms),
      "test.yaml:5: plants.right.robots names 'piker', which the scene does not have; did you "
      "mean 'picker'?");
  EXPECT_EQ(folder.error("plants: {sim: {type: mujocoo}}\n" + kPairArms),
            "test.yaml:3: plants.sim.type is 'mujocoo'; did you mean 'mujoco'?");
}

}  // namespace session_plants_test
}  // namespace handspan
