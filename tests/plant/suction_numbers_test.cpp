// A cup in a scene that got other numbers.
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "cup_rig.hpp"
#include "scene/mass_properties.hpp"

namespace handspan {
namespace suction_numbers_test {

TEST(SuctionNumbers, OfASceneHaveTheBitsOfAFreshPlant) {
  const test::TemporaryFolder folder;
  test::CupRig rig(
      folder, "holds: box", 0.0,
      test::box_of(0.5, {0.2, 0.2, 0.1}, Pose::translation({0.01, 0, -test::kLipDistance - 0.05})));
  const auto run = [&](MujocoPlant& plant) {
    Command command = Command::zero(plant.layout());
    command.groups[0][0] = 0.5;
    command.groups[1][0] = 1.0;
    test::hold(plant, command, 100);
    command.groups[1][0] = 0.0;
    test::hold(plant, command, 100);
    return plant.snapshot();
  };
  const auto as_it_was = run(rig.plant);
  SceneBody& box = rig.scene.objects[0];
  box.inertial = uniform_inertial(box.shapes, 0.9);
  ASSERT_TRUE(rig.plant.renumber());
  EXPECT_TRUE(rig.held());
  const auto heavy = run(rig.plant);
  MujocoPlant fresh(rig.scene);
  EXPECT_TRUE(heavy == run(fresh));
  box.inertial = uniform_inertial(box.shapes, 0.5);
  ASSERT_TRUE(rig.plant.renumber());
  EXPECT_TRUE(as_it_was == run(rig.plant));
  EXPECT_FALSE(as_it_was == heavy);
  // where the cup does not meet it
  box.X_WB.p[2] -= 0.01;
  try {
    rig.plant.renumber();
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("'it.cup' is to hold 'box' at the start, but the lip"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace suction_numbers_test
}  // namespace handspan
