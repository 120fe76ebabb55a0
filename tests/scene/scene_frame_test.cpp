#include "scene/scene_frame.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "math/so3.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace scene_frame_test {

std::string error_of(const Scene& scene, const std::string& name) {
  try {
    scene_frame(scene, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneFrame, IsWhereTheSceneHasIt) {
  const Scene scene = test::scene_of(
      "frames:\n  bench: {position: [1, 2, 3], rpy: [0, 0, 90 deg]}\n  there: {position: [0, 0, "
      "1]}\n");
  const Pose X_WF = scene_frame(scene, "bench");
  EXPECT_EQ(X_WF.p, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_LT((X_WF.R - exp_so3({0.0, 0.0, std::numbers::pi / 2.0})).norm(), 1e-14);
  EXPECT_EQ(scene_frame(scene, "there").p.z(), 1.0);
  EXPECT_EQ(error_of(scene, "bensh"), "the scene has no frame 'bensh'; did you mean 'bench'?");
  EXPECT_EQ(error_of(scene, "x"), "the scene has no frame 'x'; it has: bench, there");
}

TEST(SceneFrame, OfASceneWithoutFramesThereIsNone) {
  EXPECT_EQ(error_of(Scene(), "bench"), "the scene has no frame 'bench'; it has none");
}

}  // namespace scene_frame_test
}  // namespace handspan
