// What worlds have in common, whoever simulates them.
#include "plant/world.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "mujoco/mujoco_plant.hpp"
#include "support/fake_world.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace world_test {

std::string error_of(const auto& ask) {
  try {
    ask();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "no error";
}

TEST(World, ABodyIsFoundByItsNameAndAnErrorNamesThoseThereAre) {
  const test::FakeWorld world({"box", "conveyor"}, {}, {});
  EXPECT_EQ(world.body("world"), 0);
  EXPECT_EQ(world.body("conveyor"), 2);
  EXPECT_EQ(error_of([&] { world.body("boxx"); }),
            "the scene has no body 'boxx'; did you mean 'box'?");
  EXPECT_EQ(error_of([&] { world.body("parcel"); }),
            "the scene has no body 'parcel'; it has: world, box, conveyor");
}

TEST(World, WhatIsNotSimulatedDoesNotDiverge) {
  test::FakeWorld world({}, {}, {});
  EXPECT_FALSE(diverged(nullptr));
  EXPECT_FALSE(diverged(&world));
  world.runs_away = true;
  EXPECT_TRUE(diverged(&world));
}

TEST(World, IsTheSimulatingPlantsOwn) {
  const Scene scene = test::scene_of(
      "objects:\n  ball:\n    mass: 1\n    pose: {position: [0, 1, 1]}\n    shapes: [{type: "
      "sphere, radius: 0.1}]\n"
      "robots:\n  it: {robot: ur10, tool: vacuum}\n");
  MujocoPlant plant(scene);
  World* world = static_cast<Plant&>(plant).world();
  ASSERT_NE(world, nullptr);
  plant.advance();
  EXPECT_EQ(world->time(), world->period());
  EXPECT_EQ(world->period(), plant.layout().period);
  EXPECT_EQ(world->body_pose(world->body("ball")).p, plant.body_pose(plant.body("ball")).p);
  EXPECT_EQ(world->cups(), std::vector<std::string>{"it.cup"});
  std::vector<std::byte> state;
  world->snapshot(state);
  EXPECT_EQ(state, plant.snapshot());
}

TEST(World, MujocosErrorsNameWhatThereIs) {
  const Scene scene = test::scene_of(
      "objects:\n  ball:\n    mass: 1\n    pose: {position: [0, 1, 1]}\n    shapes: [{type: "
      "sphere, radius: 0.1}]\n"
      "robots:\n  it: {robot: ur10, tool: vacuum}\n");
  MujocoPlant plant(scene);
  World& world = plant;
  EXPECT_EQ(error_of([&] { world.set_object("bal", Pose(), Vector6d::Zero()); }),
            "the scene has no free object 'bal'; did you mean 'ball'?");
  EXPECT_EQ(error_of([&] { static_cast<void>(world.why_not_sealed("it.cap")); }),
            "the scene has no suction cup 'it.cap'; did you mean 'it.cup'?");
  EXPECT_EQ(error_of([&] { static_cast<void>(world.belt_speed("conveyor")); }),
            "the scene has no belt 'conveyor', nor any other");
  Eigen::VectorXd q, v;
  EXPECT_EQ(error_of([&] { world.robot_state("arm", q, v); }),
            "the scene has no robot 'arm'; it has: it");
}

TEST(CupState, IsTheSameOutOfAGroupsStateAsItWentIn) {
  GroupState state;
  state.q = state.v = state.tau = Eigen::VectorXd::Zero(1);
  EXPECT_FALSE(cup_state(state).holds);
  set_cup_state(state, {true, 0.75, 0.25});
  EXPECT_TRUE(cup_state(state).holds);
  EXPECT_EQ(cup_state(state).vacuum, 0.75);
  EXPECT_EQ(cup_state(state).pull, 0.25);
  EXPECT_TRUE(asks_for_vacuum(1.0));
  EXPECT_FALSE(asks_for_vacuum(0.0));
  EXPECT_FALSE(asks_for_vacuum(-1.0));
}

}  // namespace world_test
}  // namespace handspan
