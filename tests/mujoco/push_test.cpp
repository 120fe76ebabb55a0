// Forces from outside: a free body moves as they say, about its centre of mass.
#include <gtest/gtest.h>

#include "plant/plant_support.hpp"
#include "scene/load_scene.hpp"

namespace handspan {
namespace push_test {

constexpr double kMass = 0.8;
// of first-order steps of a body that turns about a centre of mass beside its origin
constexpr double kSteps = 1e-6;

// 0.1 x 0.2 x 0.3 m, its centre of mass 50 mm beside its origin
const char* const kBox = R"(name: push
physics: {gravity: [0, 0, 0]}
objects:
  box:
    pose: {position: [0, 0, 1]}
    mass: 0.8
    shapes: [{type: box, size: [0.1, 0.2, 0.3], pose: {position: [0.05, 0, 0]}}]
)";

TEST(Push, AForceAndATorqueMoveABodyAsNewtonAndEulerSayUntilTheyEnd) {
  const Scene scene = parse_scene(kBox, std::filesystem::path(HANDSPAN_SOURCE_DIR) / "t.yaml");
  for (const bool turns : {false, true}) {
    MujocoPlant plant(scene);
    const int box = plant.body("box");
    Vector6d F;
    F << 2.0, -1.0, 0.5, 0.0, 0.0, 0.0;
    // about z, at the centre of mass itself: a pure turn besides the force
    if (turns) F[5] = 0.01;
    const int steps = 100;
    for (int i = 0; i < steps; ++i) {
      const Pose X = plant.body_pose(box);
      plant.push(box, X * Eigen::Vector3d(0.05, 0.0, 0.0), F);
      plant.advance();
    }
    const double t = steps * scene.physics.timestep;
    const double I_z = kMass * (0.1 * 0.1 + 0.2 * 0.2) / 12.0;
    const auto velocity = [&] {
      const Vector6d V = plant.body_velocity(box);
      const Eigen::Vector3d arm = plant.body_pose(box).R * Eigen::Vector3d(0.05, 0.0, 0.0);
      return Eigen::Vector3d(V.head<3>() + V.tail<3>().cross(arm));
    };
    EXPECT_LT((velocity() - t / kMass * F.head<3>()).norm(), kSteps);
    EXPECT_NEAR(plant.body_velocity(box)[5], turns ? 0.01 * t / I_z : 0.0, kSteps);
    const Eigen::Vector3d v = velocity();
    const double w = plant.body_velocity(box)[5];
    plant.push(box, plant.body_pose(box).p, Vector6d::Zero());
    for (int i = 0; i < steps; ++i) plant.advance();
    EXPECT_LT((velocity() - v).norm(), kSteps);
    EXPECT_NEAR(plant.body_velocity(box)[5], w, kSteps);
  }
}

TEST(Push, AForceBesideTheCentreOfMassTurnsTheBody) {
  const Scene scene = parse_scene(kBox, std::filesystem::path(HANDSPAN_SOURCE_DIR) / "t.yaml");
  MujocoPlant plant(scene);
  const int box = plant.body("box");
  Vector6d F = Vector6d::Zero();
  F[1] = 1.0;
  // at the origin, 50 mm before the centre of mass in x: the moment is -0.05 N m about z
  plant.push(box, plant.body_pose(box).p, F);
  plant.advance();
  const double I_z = kMass * (0.1 * 0.1 + 0.2 * 0.2) / 12.0;
  EXPECT_NEAR(plant.body_velocity(box)[5], -0.05 * scene.physics.timestep / I_z, 1e-9);
}

}  // namespace push_test
}  // namespace handspan
