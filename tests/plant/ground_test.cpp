// The ground of a scene: what falls comes to rest on it, or is said to fall for ever.
#include <gtest/gtest.h>

#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace ground_test {

using test::scene_of;

const std::string kBox =
    "objects:\n  box: {pose: {position: [0, 0, 0.5]}, mass: 1, shapes: [{type: box, size: [0.2, "
    "0.2, "
    "0.2], material: wood}]}\n";

Pose after(MujocoPlant& plant, double time) {
  for (int i = 0; i < static_cast<int>(std::lround(time / 0.001)); ++i) plant.advance();
  return plant.body_pose(plant.body("box"));
}

// as an app has it that says nothing: scene_of() would leave the ground out
Scene default_scene() {
  return parse_scene("name: t\n" + kBox, test::kSource / "scenes" / "t.yaml");
}

TEST(Ground, IsThereUnlessASceneSaysOtherwise) {
  const Scene scene = default_scene();
  MujocoPlant plant(scene);
  EXPECT_NEAR(after(plant, 2.0).p.z(), 0.1, 1e-3);
  ASSERT_FALSE(plant.contacts().empty());
  for (const Contact& contact : plant.contacts())
    EXPECT_TRUE(contact.body_a == 0 || contact.body_b == 0);
}

TEST(Ground, IsAtItsHeight) {
  const Scene scene = scene_of("ground: {height: -0.3 m}\n" + kBox);
  MujocoPlant plant(scene);
  EXPECT_NEAR(after(plant, 2.0).p.z(), -0.2, 1e-3);
}

TEST(Ground, MeetsMaterialsByTheTable) {
  const auto slid = [](const std::string& friction) {
    const Scene scene =
        scene_of("contact: {pairs: [{materials: [wood, stone], friction: " + friction +
                 "}]}\nground: {material: stone}\nphysics: {gravity: [2, 0, -9.81]}\n" + kBox);
    MujocoPlant plant(scene);
    return after(plant, 2.0).p.x();
  };
  // it falls 0.4 m aslant, then gravity's share of 0.2 is more than 0.01 and less than 0.8
  EXPECT_GT(slid("0.01"), 3.0);
  EXPECT_LT(slid("0.8"), 0.5);
}

TEST(Ground, CanBeLeftOut) {
  const Scene scene = scene_of("ground: none\n" + kBox);
  MujocoPlant plant(scene);
  EXPECT_LT(after(plant, 2.0).p.z(), -10.0);
}

TEST(Ground, NothingStartsInIt) {
  const std::string told = test::scene_error("ground: {height: 0.45}\n" + kBox);
  EXPECT_NE(told.find("ground"), std::string::npos) << told;
  EXPECT_NE(told.find("box"), std::string::npos) << told;
}

TEST(Ground, IsNoneOrAnObject) {
  const std::string told = test::scene_error("ground: off\n" + kBox);
  EXPECT_NE(told.find("t.yaml:2: ground"), std::string::npos) << told;
}

}  // namespace ground_test
}  // namespace handspan
