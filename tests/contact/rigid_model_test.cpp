// What is refused before anything is stepped, and what surfaces are made of.
#include "contact/rigid_model.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/error.hpp"

namespace handspan {
namespace rigid_model_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string error(const std::function<void(RigidBox&, RigidSurface&)>& spoil,
                  const Eigen::Vector3d& gravity = {0, 0, -9.81}, double timestep = 1e-3) {
  RigidBox box = uniform_box({0.2, 0.1, 0.1}, 1.0);
  RigidSurface surface = plane_surface("floor", Pose(), {});
  spoil(box, surface);
  try {
    RigidModel(box, {surface}, gravity, timestep);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(RigidModel, NamesWhatIsWrongWithTheBox) {
  EXPECT_EQ(error([](auto&, auto&) {}), "no error");
  EXPECT_EQ(error([](auto& box, auto&) { box.size[1] = 0; }),
            "the box's size is (0.2, 0, 0.1); its edges must be > 0");
  EXPECT_EQ(error([](auto& box, auto&) { box.size[1] = kNan; }),
            "the box's size is (0.2, nan, 0.1); its edges must be > 0");
  EXPECT_EQ(error([](auto& box, auto&) { box.rounding = 0.06; }),
            "the box's rounding is 0.06; it must be 0 to half its shortest edge, 0.05");
  EXPECT_EQ(error([](auto& box, auto&) { box.rounding = -0.01; }),
            "the box's rounding is -0.01; it must be 0 to half its shortest edge, 0.05");
  EXPECT_EQ(error([](auto& box, auto&) { box.mass = 0; }), "the box's mass is 0; it must be > 0");
  EXPECT_EQ(error([](auto& box, auto&) { box.mass = kNan; }),
            "the box's mass is nan; it must be > 0");
  EXPECT_EQ(error([](auto& box, auto&) { box.p_BC = {0.11, 0, 0}; }),
            "the box's centre of mass (0.11, 0, 0) is outside of it");
  EXPECT_EQ(error([](auto& box, auto&) { box.inertia_C.setZero(); }),
            "the box's inertia is zero or not finite; give kg m^2 about its centre of mass");
  EXPECT_EQ(error([](auto& box, auto&) { box.inertia_C(0, 1) = 1e-3; }),
            "the box's inertia is not symmetric");
  EXPECT_EQ(
      error([](auto& box, auto&) { box.inertia_C = Eigen::Vector3d(1, 1, 3).asDiagonal(); }),
      "the box's principal moments of inertia are (1, 1, 3); all must be > 0 and none larger than "
      "the other two together");
}

TEST(RigidModel, NamesWhatIsWrongWithASurface) {
  EXPECT_EQ(error([](auto&, auto& s) { s.X_WS.p[0] = kNan; }),
            "surface 'floor': position is (nan, 0, 0); it must be finite");
  EXPECT_EQ(error([](auto&, auto& s) { s.X_WS.R(2, 2) = -1; }),
            "surface 'floor': its R is not a rotation");
  EXPECT_EQ(error([](auto&, auto& s) { s.size = Eigen::Vector3d(1, -1, 1); }),
            "surface 'floor': size is (1, -1, 1); its edges must be > 0");
  EXPECT_EQ(error([](auto&, auto& s) { s.running_S[0] = kNan; }),
            "surface 'floor': running velocity is (nan, 0, 0); it must be finite");
  EXPECT_EQ(error([](auto&, auto& s) { s.velocity_W[2] = kNan; }),
            "surface 'floor': velocity is (0, 0, nan); it must be finite");
  EXPECT_EQ(error([](auto&, auto& s) { s.law.friction = -0.1; }),
            "surface 'floor': friction is -0.1; it must be >= 0");
  EXPECT_EQ(error([](auto&, auto& s) { s.law.restitution = 1.1; }),
            "surface 'floor': restitution is 1.1; it must be 0 to 1");
}

TEST(RigidModel, NamesWhatIsWrongWithGravityAndStep) {
  const auto fine = [](auto&, auto&) {};
  EXPECT_EQ(error(fine, {0, 0, kNan}), "gravity is (0, 0, nan); it must be finite");
  EXPECT_EQ(error(fine, {0, 0, -9.81}, 0.0),
            "the timestep is 0 s; it must be > 0 and at most 0.01 s");
  EXPECT_EQ(error(fine, {0, 0, -9.81}, 0.02),
            "the timestep is 0.02 s; it must be > 0 and at most 0.01 s");
}

TEST(RigidModel, KnowsABoxOfOneDensity) {
  const RigidBox box = uniform_box({0.2, 0.3, 0.4}, 6.0);
  EXPECT_NEAR(box.inertia_C(0, 0), 0.5 * (0.09 + 0.16), 1e-15);
  EXPECT_NEAR(box.inertia_C(2, 2), 0.5 * (0.04 + 0.09), 1e-15);
  const RigidModel model(box, {});
  EXPECT_EQ(model.corners().size(), 8U);
  EXPECT_NEAR(model.reach(), Eigen::Vector3d(0.1, 0.15, 0.2).norm(), 1e-15);
  EXPECT_FALSE(model.isotropic());
  // a ball is the box whose eight balls are one
  RigidBox ball = uniform_box({0.2, 0.2, 0.2}, 1.0);
  ball.rounding = 0.1;
  EXPECT_EQ(RigidModel(ball, {}).corners().size(), 1U);
  EXPECT_TRUE(RigidModel(ball, {}).isotropic());
}

TEST(Tray, IsAFloorAndFourWallsAroundItsInside) {
  const Pose X_WT = Pose::from_rpy({1, 2, 3}, {0, 0, 0.5});
  const auto parts = tray_surfaces("tray", X_WT, {0.4, 0.3, 0.1}, 0.02, {}, {1.5, 0, 0});
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[0].name, "tray.floor");
  // whether a point, given in T, is in any part
  const auto solid = [&](const Eigen::Vector3d& p_T) {
    for (const auto& part : parts) {
      EXPECT_EQ(part.velocity_W, Eigen::Vector3d(1.5, 0, 0));
      const Eigen::Vector3d p_S = part.X_WS.inverse() * (X_WT * p_T);
      if ((p_S.cwiseAbs() - 0.5 * *part.size).maxCoeff() <= 0.0) return true;
    }
    return false;
  };
  for (const double sx : {-1.0, 1.0})
    for (const double sy : {-1.0, 1.0}) {
      EXPECT_FALSE(solid({sx * 0.199, sy * 0.149, 0.001}));
      EXPECT_FALSE(solid({sx * 0.199, sy * 0.149, 0.099}));
      EXPECT_TRUE(solid({sx * 0.199, sy * 0.149, -0.001}));
      EXPECT_TRUE(solid({sx * 0.201, sy * 0.149, 0.099}));
      EXPECT_TRUE(solid({sx * 0.199, sy * 0.151, 0.099}));
      EXPECT_TRUE(solid({sx * 0.219, sy * 0.169, -0.019}));
      EXPECT_FALSE(solid({sx * 0.221, sy * 0.149, 0.05}));
      EXPECT_FALSE(solid({sx * 0.201, sy * 0.149, 0.101}));
    }
  EXPECT_THROW(tray_surfaces("t", X_WT, {0.4, 0.0, 0.1}, 0.02, {}), InputError);
  try {
    tray_surfaces("t", X_WT, {0.4, 0.3, 0.1}, 0.0, {});
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "tray 't': wall is 0; it must be > 0");
  }
  try {
    tray_surfaces("t", X_WT, {0.4, 0.0, 0.1}, 0.01, {});
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "tray 't': inside is (0.4, 0, 0.1); its edges must be > 0");
  }
}

}  // namespace rigid_model_test
}  // namespace handspan
