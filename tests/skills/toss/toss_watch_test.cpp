// The rule of a good toss, in a world where a test says what happens.
#include "skills/toss/toss_watch.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "core/error.hpp"
#include "support/fake_world.hpp"

namespace handspan {
namespace toss_watch_test {

struct Tossing {
  Tossing() {
    Belt belt;
    belt.body.name = "conveyor";
    scene.belts.push_back(belt);
    rule.object = "box";
    rule.cup = "arm.cup";
    rule.belt = "conveyor";
  }
  void run(TossWatch& watch, int steps) {
    for (int i = 0; i < steps; ++i) {
      world.step();
      watch.update(world.time());
    }
  }
  // held for a tick, let go, and lying on the belt from then on, turned about an axis
  TossEnd toss(double angle, const Eigen::Vector3d& axis, bool on_belt = true) {
    TossWatch watch(rule, scene, world);
    world.cup_states[0].holds = true;
    run(watch, 1);
    EXPECT_TRUE(watch.held());
    EXPECT_EQ(watch.end(), TossEnd::kOpen);
    world.cup_states[0].holds = false;
    world.at("box").X_WB.R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    if (on_belt) world.touch("box", "conveyor");
    run(watch, 499);
    EXPECT_EQ(watch.end(), TossEnd::kOpen) << "not at rest for long enough";
    run(watch, 3000);
    return watch.end();
  }

  test::FakeWorld world{{"box", "conveyor"}, {"arm.cup"}, {"conveyor"}};
  Scene scene;
  TossRule rule;
};

TEST(TossWatch, WhatLiesFlatAndStraightOnTheBeltIsGood) {
  EXPECT_EQ(Tossing().toss(0.0, Eigen::Vector3d::UnitZ()), TossEnd::kGood);
  // any of its sides
  EXPECT_EQ(Tossing().toss(std::numbers::pi / 2.0, Eigen::Vector3d::UnitZ()), TossEnd::kGood);
}

TEST(TossWatch, WhatIsTurnedTiltedOrElsewhereIsNot) {
  EXPECT_EQ(Tossing().toss(0.5, Eigen::Vector3d::UnitZ()), TossEnd::kTurned);
  EXPECT_EQ(Tossing().toss(0.6, Eigen::Vector3d::UnitX()), TossEnd::kTumbled);
  EXPECT_EQ(Tossing().toss(0.0, Eigen::Vector3d::UnitZ(), false), TossEnd::kMissed);
}

TEST(TossWatch, RestIsAgainstTheBeltThatCarriesIt) {
  Tossing carried;
  carried.world.set_belt_speed("conveyor", 0.5);
  // the box stands still in the world while the belt runs under it
  EXPECT_EQ(carried.toss(0.0, Eigen::Vector3d::UnitZ()), TossEnd::kMoves);
}

TEST(TossWatch, AnErrorNamesTheCupsThereAre) {
  Tossing tossing;
  tossing.rule.cup = "arm.cap";
  try {
    TossWatch(tossing.rule, tossing.scene, tossing.world);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the scene has no suction cup 'arm.cap'; did you mean 'arm.cup'?");
  }
}

}  // namespace toss_watch_test
}  // namespace handspan
