// A concave object: what falls into it lies in it when it has convex parts, and on its hull when it
// has not.
#include <gtest/gtest.h>

#include "plant/plant_support.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace concave_object_test {

// a trough of 0.4 x 0.4 x 0.4 m with walls and bottom of 0.1 m, open above and at both ends
const char* const kTrough =
    "v 0 0 0\nv 4 0 0\nv 4 0 4\nv 3 0 4\nv 3 0 1\nv 1 0 1\nv 1 0 4\nv 0 0 4\n"
    "v 0 4 0\nv 4 4 0\nv 4 4 4\nv 3 4 4\nv 3 4 1\nv 1 4 1\nv 1 4 4\nv 0 4 4\n"
    "f 1 6 7 8\nf 1 2 5 6\nf 2 3 4 5\nf 16 15 14 9\nf 14 13 10 9\nf 13 12 11 10\n"
    "f 2 1 9 10\nf 3 2 10 11\nf 4 3 11 12\nf 5 4 12 13\nf 6 5 13 14\nf 7 6 14 15\nf 8 7 15 16\n"
    "f 1 8 16 9\n";

// Height of a ball of 5 cm over the trough's underside, 1.5 s after it was let go of over it.
double ball_height(const std::string& keys) {
  const test::TemporaryFolder folder;
  folder.write("trough.obj", kTrough);
  const Scene scene = test::scene_of(
      "objects:\n  trough:\n    mass: 20\n    pose: {position: [0, 0, 0.005]}\n    shapes: [{type: "
      "mesh, scale: 0.1, pose: {position: [-0.2, -0.2, 0]}, file: " +
      (folder.path() / "trough.obj").string() + keys +
      "}]\n  ball: {mass: 0.1, pose: {position: [0.02, 0.0, 0.5]}, shapes: [{type: sphere, radius: "
      "0.05}]}\nfixtures:\n  floor: {pose: {position: [0, 0, -0.1]}, shapes: [{type: box, size: "
      "[4, 4, "
      "0.2]}]}\n");
  MujocoPlant plant(scene);
  while (plant.time() < 3 * kSecond / 2) test::advance(plant, 1);
  return plant.body_pose(plant.body("ball")).p.z() - plant.body_pose(plant.body("trough")).p.z();
}

TEST(ConcaveObject, HoldsWhatFallsIntoItByItsParts) {
  // bottom and radius; covering parts may stand out by some millimetres
  EXPECT_NEAR(ball_height(", parts: 3"), 0.15, 0.01);
}

TEST(ConcaveObject, IsItsHullWithoutParts) { EXPECT_NEAR(ball_height(""), 0.45, 0.01); }

}  // namespace concave_object_test
}  // namespace handspan
