// Robots that are where they are commanded to be, and are shown there in the scene.
#include "plant/posed_plant.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/scenes.hpp"

namespace handspan {
namespace posed_plant_test {

Scene scene() {
  return test::scene_of("robots: {arm: {robot: fr3, tool: fr3_hand, pose: ready}}\n");
}

TEST(PosedPlant, AllJointsTakePositionsAndBeginAsTheSceneDoes) {
  const Scene s = scene();
  PosedPlant plant(s, {"arm"});
  ASSERT_EQ(plant.layout().groups.size(), 2U);
  for (const auto& group : plant.layout().groups) EXPECT_EQ(group.kind, GroupKind::kPosition);
  EXPECT_EQ(plant.read().groups[0].q, s.robots[0].q_start);
  // jaws open
  EXPECT_DOUBLE_EQ(plant.read().groups[1].q[0], 0.04);
}

TEST(PosedPlant, IsThereAtOnceAndReplacesWhatItCannotTake) {
  const Scene s = scene();
  PosedPlant plant(s, {"arm"});
  Command command = Command::zero(plant.layout());
  command.groups[0] = Eigen::VectorXd::LinSpaced(7, -0.3, 0.3);
  command.groups[1][0] = 0.01;
  plant.write(command);
  plant.advance();
  EXPECT_EQ(plant.read().groups[0].q, command.groups[0]);
  EXPECT_DOUBLE_EQ(plant.read().groups[1].q[0], 0.01);
  EXPECT_EQ(plant.read().stamp, plant.layout().period);
  command.groups[1][0] = NAN;
  plant.write(command);
  plant.advance();
  EXPECT_DOUBLE_EQ(plant.read().groups[1].q[0], 0.01);
  EXPECT_EQ(plant.faults().not_finite, 1U);
}

TEST(PosedPlant, GoesOnFromASnapshot) {
  const Scene s = scene();
  PosedPlant plant(s, {"arm"});
  Command command = Command::zero(plant.layout());
  command.groups[0].setConstant(0.2);
  plant.write(command);
  plant.advance();
  const auto bytes = plant.snapshot();
  command.groups[0].setConstant(-0.2);
  plant.write(command);
  plant.advance();
  plant.restore(bytes);
  EXPECT_DOUBLE_EQ(plant.read().groups[0].q[3], 0.2);
  EXPECT_EQ(plant.read().sequence, 1U);
}

}  // namespace posed_plant_test
}  // namespace handspan
