// A simulation that diverges stops and says so, and there is a way back.
#include <gtest/gtest.h>

#include "plant/plant_support.hpp"

namespace handspan {
namespace divergence_test {

const char* const kStone = R"(
objects:
  stone: {pose: {position: [0, 0, 1]}, mass: 1, shapes: [{type: sphere, radius: 0.1}]}
robots:
  arm: {robot: fr3, base: {position: [2, 0, 0]}}
)";

TEST(Divergence, StopsThePlantWithItsLastGoodObservation) {
  const Scene scene = test::scene_of(kStone);
  MujocoPlant plant(scene);
  test::advance(plant, 10);
  const auto before = plant.snapshot();
  const Eigen::VectorXd q = plant.read().groups[0].q;
  Vector6d V = Vector6d::Zero();
  V[0] = 1e12;
  plant.set_object("stone", plant.body_pose(plant.body("stone")), V);
  test::advance(plant, 5);
  EXPECT_EQ(plant.read().status, PlantStatus::kProtectiveStop);
  EXPECT_EQ(plant.read().groups[0].q, q);
  EXPECT_EQ(plant.time(), 15 * plant.layout().period) << "time goes on";

  MujocoPlant other(scene);
  other.restore(plant.snapshot());
  EXPECT_EQ(other.read().status, PlantStatus::kProtectiveStop) << "a snapshot keeps the stop";

  plant.restore(before);
  test::advance(plant, 5);
  EXPECT_EQ(plant.read().status, PlantStatus::kRunning) << "an earlier snapshot leads back";
}

TEST(Divergence, RecoveryLeadsBackToTheStart) {
  const Scene scene = test::scene_of(kStone);
  MujocoPlant plant(scene), fresh(scene);
  EXPECT_TRUE(plant.recover());
  EXPECT_EQ(plant.snapshot(), fresh.snapshot()) << "nothing to recover from changes nothing";
  Vector6d V = Vector6d::Zero();
  V[2] = -1e13;
  plant.set_object("stone", plant.body_pose(plant.body("stone")), V);
  test::advance(plant, 3);
  ASSERT_EQ(plant.read().status, PlantStatus::kProtectiveStop);
  EXPECT_TRUE(plant.recover());
  EXPECT_EQ(plant.read().status, PlantStatus::kRunning);
  EXPECT_EQ(plant.time(), 0);
  test::advance(plant, 100);
  test::advance(fresh, 100);
  EXPECT_TRUE(plant.body_pose(plant.body("stone"))
                  .p.isApprox(fresh.body_pose(fresh.body("stone")).p, 1e-12));
}

}  // namespace divergence_test
}  // namespace handspan
