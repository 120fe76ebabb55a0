#include "plant/scene_layout.hpp"

#include <gtest/gtest.h>

#include "busy_scene.hpp"

namespace handspan {
namespace scene_layout_test {

TEST(SceneLayout, OfAllRobotsIsThatOfASimulation) {
  const Scene scene = test::busy_scene();
  MujocoPlant plant(scene);
  const PlantLayout layout = scene_layout(scene);
  EXPECT_EQ(layout.period, plant.layout().period);
  ASSERT_EQ(layout.groups.size(), plant.layout().groups.size());
  EXPECT_EQ(layout.groups.size(), plant.read().groups.size());
  EXPECT_EQ(layout.sensors.size(), plant.read().wrenches.size());
}

TEST(SceneLayout, OfSomeRobotsHasTheirsOnly) {
  const Scene scene = test::busy_scene();
  const auto robots = robot_names(scene);
  ASSERT_GE(robots.size(), 2U);
  std::size_t groups = 0, sensors = 0;
  for (const auto& robot : robots) {
    const PlantLayout layout = scene_layout(scene, {robot});
    for (const auto& group : layout.groups) EXPECT_EQ(group.robot, robot);
    groups += layout.groups.size();
    sensors += layout.sensors.size();
  }
  EXPECT_EQ(groups, scene_layout(scene).groups.size());
  EXPECT_EQ(sensors, scene_layout(scene).sensors.size());
  EXPECT_TRUE(scene_layout(scene, {}).groups.empty());
}

TEST(SceneLayout, ARobotThatIsNotThereIsAnErrorWithTheNearest) {
  const Scene scene = test::busy_scene();
  const std::string robot = robot_names(scene).front();
  try {
    scene_layout(scene, {robot + "x"});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the scene has no robot '" + robot + "x'; did you mean '" + robot + "'?");
  }
}

}  // namespace scene_layout_test
}  // namespace handspan
