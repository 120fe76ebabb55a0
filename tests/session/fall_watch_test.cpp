#include "session/fall_watch.hpp"

#include <gtest/gtest.h>

#include "mujoco/mujoco_plant.hpp"
#include "support/alloc.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace fall_watch_test {

const std::string kBoxes =
    "objects:\n"
    "  low: {pose: {position: [0, 0, 0.5]}, mass: 1, shapes: [{type: sphere, radius: 0.1}]}\n"
    "  high: {pose: {position: [1, 0, 60]}, mass: 1, shapes: [{type: sphere, radius: 0.1}]}\n";

TEST(FallWatch, WhatFallsOutOfTheSceneIsSaidOnceWithAWayOut) {
  const Scene scene = test::scene_of("ground: none\n" + kBoxes);
  MujocoPlant plant(scene);
  FallWatch watch(plant, scene);
  EventList events;
  std::vector<std::pair<std::string, double>> told;
  for (int i = 0; i < 3000; ++i) {
    events.clear(i);
    plant.advance();
    const test::AllocationCount allocations;
    watch.update(events);
    EXPECT_EQ(allocations.count(), 0U);
    for (const Event& event : events.events()) {
      EXPECT_EQ(event.kind.view(), "scene");
      EXPECT_NE(event.text.view().find("ground"), std::string::npos);
      told.emplace_back(event.name.view(), 0.001 * i);
    }
  }
  ASSERT_EQ(told.size(), 1U);  // the other is on its way
  EXPECT_EQ(told[0].first, "low");
  // 5 m below the start of the scene, which is the world's origin: sqrt(2 * 5.5 / g)
  EXPECT_NEAR(told[0].second, 1.06, 0.01);
}

TEST(FallWatch, NothingIsSaidOfWhatTheGroundCatchesOrThatIsPutBack) {
  const Scene caught = test::scene_of("ground: {height: -2}\n" + kBoxes);
  const Scene endless = test::scene_of("ground: none\n" + kBoxes);
  for (const Scene* scene : {&caught, &endless}) {
    MujocoPlant plant(*scene);
    FallWatch watch(plant, *scene);
    EventList events;
    std::size_t told = 0;
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 1500; ++i) {
        events.clear(i);
        plant.advance();
        watch.update(events);
        told += events.events().size();
      }
      plant.put_back_objects();
    }
    // each time that it falls
    EXPECT_EQ(told, scene == &caught ? 0U : 2U);
  }
}

}  // namespace fall_watch_test
}  // namespace handspan
