// A lip's ring of rays and its springs, against geometry.
#include "scene/mujoco_suction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "robot/mujoco_shapes.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace mujoco_suction_test {

constexpr double kRadius = 0.03;
constexpr double kDegree = std::numbers::pi / 180.0;

SuctionDescription some_cup() {
  SuctionDescription cup;
  cup.shape = "lip";
  cup.name = "cup";
  cup.lip.radius = kRadius;
  cup.seal.angle = 5.0 * kDegree;
  cup.seal.gap = 0.002;
  cup.bellows.shear = 1000.0;
  cup.bellows.normal = 4000.0;
  cup.bellows.tilt = 9.0;
  cup.bellows.torsion = 16.0;
  cup.bellows.damping_ratio = 0.5;
  return cup;
}

// the lip at the origin with z up, and an object above it
struct Rig {
  explicit Rig(const std::string& object) {
    mjVFS vfs;
    mj_defaultVFS(&vfs);
    const std::string text =
        "<mujoco><compiler angle='radian'/><worldbody><body name='lip'><freejoint/><geom name='g' "
        "type='sphere' size='0.001' mass='0.5'/></body>" +
        object + "</worldbody></mujoco>";
    mj_addBufferVFS(&vfs, "rig.xml", text.data(), static_cast<int>(text.size()));
    char error[500] = "";
    model.reset(mj_loadXML("rig.xml", &vfs, error, sizeof error));
    mj_deleteVFS(&vfs);
    EXPECT_TRUE(model) << error;
    data.reset(mj_makeData(model.get()));
    mj_forward(model.get(), data.get());
  }
  MjModelPtr model;
  MjDataPtr data;
};

// a plate whose lower face goes through (0, 0, height), turned by `tilt` about y
std::string plate(double height, double tilt, const std::string& more = "") {
  constexpr double kThick = 0.05;  // half of it
  return fmt::format(
      "<body name='plate' pos='{} 0 {}' euler='0 {} 0'><freejoint/><geom type='box' size='0.5 0.5 "
      "{}' mass='2'/>{}</body>",
      kThick * std::sin(tilt), height + kThick * std::cos(tilt), tilt, kThick, more);
}

TEST(SealProbe, GapAndAngleAreThoseOfTheFace) {
  for (const double height : {0.0, 0.0005, 0.0019, -0.003})
    for (const double tilt : {0.0, 1.0 * kDegree, -4.9 * kDegree}) {
      const double nearest = height - kRadius * std::tan(std::abs(tilt));
      const Rig rig(plate(height, tilt));
      const SealProbe probe(*rig.model, some_cup(), "plate");
      LipFit fit;
      EXPECT_EQ(probe.look(*rig.model, *rig.data, fit), SealFault::kNone) << height << " " << tilt;
      EXPECT_NEAR(fit.gap, nearest, 1e-12);
      EXPECT_NEAR(fit.angle, std::abs(tilt), 1e-12);
      ASSERT_TRUE(probe.fit(*rig.model, *rig.data));
      EXPECT_EQ(probe.fit(*rig.model, *rig.data)->gap, fit.gap);
    }
}

TEST(SealProbe, SaysWhatKeepsItFromSealing) {
  const auto fault = [](const std::string& object) {
    const Rig rig(object);
    const SealProbe probe(*rig.model, some_cup(), "plate");
    LipFit fit;
    const SealFault found = probe.look(*rig.model, *rig.data, fit);
    EXPECT_EQ(probe.fit(*rig.model, *rig.data).has_value(), found == SealFault::kNone);
    return found;
  };
  EXPECT_EQ(fault(plate(0.0019, 0.0)), SealFault::kNone);
  EXPECT_EQ(fault(plate(0.0021, 0.0)), SealFault::kTooFar);
  EXPECT_EQ(fault(plate(0.0, 4.9 * kDegree)), SealFault::kNone);
  EXPECT_EQ(fault(plate(0.0, 5.1 * kDegree)), SealFault::kTilted);
  // a face that ends within the rim
  const auto narrow = [](double half) {
    return fmt::format(
        "<body name='plate' pos='0 0 0.05'><freejoint/><geom type='box' size='{} 0.5 0.05' "
        "mass='1'/></body>",
        half);
  };
  EXPECT_EQ(fault(narrow(0.0305)), SealFault::kNone);
  EXPECT_EQ(fault(narrow(0.0295)), SealFault::kOverEdge);
  // a rib under a part of the rim, which stands out of the face; balls are no faces
  EXPECT_EQ(fault(plate(0.0, 0.0,
                        "<geom type='box' pos='0.03 0 -0.051' size='0.004 0.004 0.004' "
                        "mass='0.001'/>")),
            SealFault::kUneven);
  EXPECT_EQ(fault("<body name='plate' pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' "
                  "mass='1'/></body>"),
            SealFault::kTooFar);
}

TEST(SealProbe, ShapesThatTouchNothingAreNotSeen) {
  const Rig rig(
      "<body name='plate' pos='0 0 0.05'><freejoint/><geom type='box' size='0.5 0.5 0.05' mass='1' "
      "contype='0' conaffinity='0'/></body>");
  const SealProbe probe(*rig.model, some_cup(), "plate");
  LipFit fit;
  EXPECT_EQ(probe.look(*rig.model, *rig.data, fit), SealFault::kOverEdge);
  EXPECT_FALSE(probe.near(*rig.model, *rig.data));
}

// whatever seals is near enough to be worth a look
TEST(SealProbe, NearIsWiderThanTheSeal) {
  for (const double height : {0.0, 0.002, 0.05})
    EXPECT_TRUE([&] {
      const Rig rig(plate(height, 0.0));
      return SealProbe(*rig.model, some_cup(), "plate").near(*rig.model, *rig.data);
    }()) << height;
  const Rig far(plate(3.0, 0.0));
  EXPECT_FALSE(SealProbe(*far.model, some_cup(), "plate").near(*far.model, *far.data));
}

TEST(SealProbe, NamesThatAreNotThereAreErrors) {
  const Rig rig(plate(0.0, 0.0));
  EXPECT_THROW(SealProbe(*rig.model, some_cup(), "plat"), std::out_of_range);
  SuctionDescription cup = some_cup();
  cup.shape = "lips";
  EXPECT_THROW(SealProbe(*rig.model, cup, "plate"), std::out_of_range);
}

TEST(SealProbe, LookingAllocatesNothing) {
  const Rig rig(plate(0.001, 1.0 * kDegree));
  const SealProbe probe(*rig.model, some_cup(), "plate");
  const test::AllocationCount allocations;
  LipFit fit;
  for (int i = 0; i < 10; ++i) {
    (void)probe.near(*rig.model, *rig.data);
    (void)probe.look(*rig.model, *rig.data, fit);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

// of a damped oscillator: c = 2 zeta sqrt(k m)
TEST(LipDamping, HasTheRatioInEachOfTheSixDirections) {
  const std::array<double, 6> inertia = {2.0, 2.5, 4.0, 0.1, 0.2, 0.3};
  const double stiffness[] = {1000.0, 1000.0, 4000.0, 9.0, 9.0, 16.0};
  const auto damping = lip_damping(some_cup(), inertia);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(damping[i], 2.0 * 0.5 * std::sqrt(stiffness[i] * inertia[i]), 1e-12) << i;
}

TEST(InertiaAboutLip, IsThatOfTheLipAndWhatItHolds) {
  const Rig rig(
      "<body name='box' pos='0.1 0 0.2'><freejoint/><geom type='box' size='0.1 0.2 0.3' "
      "mass='3'/></body>");
  const int lip = mj_name2id(rig.model.get(), mjOBJ_BODY, "lip");
  const int box = mj_name2id(rig.model.get(), mjOBJ_BODY, "box");
  const double ball = 0.4 * 0.5 * 1e-6;
  const auto alone = inertia_about_lip(*rig.model, *rig.data, lip, -1);
  EXPECT_NEAR(alone[0], 0.5, 1e-12);
  EXPECT_NEAR(alone[5], ball, 1e-12);
  const auto both = inertia_about_lip(*rig.model, *rig.data, lip, box);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(both[static_cast<std::size_t>(i)], 3.5, 1e-12);
  // a box of 0.2 x 0.4 x 0.6 m, and Steiner
  EXPECT_NEAR(both[3], ball + 3.0 / 12.0 * (0.16 + 0.36) + 3.0 * 0.04, 1e-9);
  EXPECT_NEAR(both[4], ball + 3.0 / 12.0 * (0.04 + 0.36) + 3.0 * (0.04 + 0.01), 1e-9);
  EXPECT_NEAR(both[5], ball + 3.0 / 12.0 * (0.04 + 0.16) + 3.0 * 0.01, 1e-9);
}

}  // namespace mujoco_suction_test
}  // namespace handspan
