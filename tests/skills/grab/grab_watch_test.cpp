// When a grab begins and ends, and what it comes to, in a world where a test says what happens.
#include "skills/grab/grab_watch.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/alloc.hpp"
#include "support/fake_world.hpp"

namespace handspan {
namespace grab_watch_test {

// A box that stands at 0.29 m between two plates, each with a pad that is fixed to it.
class Grabbing : public ::testing::Test {
 protected:
  class World : public test::FakeWorld {
   public:
    World()
        : FakeWorld({"left.plate", "left.pad", "right.plate", "right.pad", "box", "pillar"}, {},
                    {}) {}
    int parent(int body) const override { return body == 2 ? 1 : body == 4 ? 3 : 0; }
  };

  Grabbing() {
    rule.object = "box";
    rule.between = {"left.plate", "right.plate"};
    put(0.29);
  }
  // the box and with it the plates, at a height
  void put(double z, double box_behind = 0.0, double tilt = 0.0) {
    const Eigen::Matrix3d R = Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitX()).toRotationMatrix();
    world.at("left.plate").X_WB.p = Eigen::Vector3d(0.6, 0.4, z) + R * Eigen::Vector3d(0, 0.15, 0);
    world.at("right.plate").X_WB.p = Eigen::Vector3d(0.6, 0.4, z) - R * Eigen::Vector3d(0, 0.15, 0);
    world.at("box").X_WB.p = {0.6, 0.4, z - box_behind};
    world.at("box").X_WB.R = R;
  }
  void hold() {
    world.touch("left.pad", "box");
    world.touch("box", "right.pad");
  }
  void run(GrabWatch& watch, int steps) {
    for (int i = 0; i < steps; ++i) {
      world.step();
      watch.update(world.time());
    }
  }
  // held, lifted to a height over where it stood, and put down again
  void grab(GrabWatch& watch, double height, double slip = 0.0, double tilt = 0.0,
            double at_the_end = 0.0) {
    run(watch, 10);
    EXPECT_FALSE(watch.grab().over && watch.grab().end == world.time());
    hold();
    run(watch, 50);
    EXPECT_EQ(watch.end(), GrabEnd::kOpen);
    put(0.311);
    run(watch, 1);
    put(0.29 + height, slip, tilt);
    run(watch, 100);
    EXPECT_EQ(watch.end(), GrabEnd::kOpen);
    put(0.29 + at_the_end);
    run(watch, 50);
    world.part_all();
    run(watch, 100);
    EXPECT_EQ(watch.end(), GrabEnd::kOpen) << "plates may leave it for some ticks";
    run(watch, 150);
  }

  World world;
  GrabRule rule;
};

TEST_F(Grabbing, WhatIsLiftedAndPutBackIsGood) {
  GrabWatch watch(rule, world);
  run(watch, 100);
  EXPECT_FALSE(watch.grab().touched);
  EXPECT_EQ(watch.end(), GrabEnd::kOpen);
  grab(watch, 0.2);
  EXPECT_EQ(watch.end(), GrabEnd::kGood);
  EXPECT_DOUBLE_EQ(watch.grab().stood, 0.29);
  EXPECT_NEAR(watch.grab().height, 0.2, 1e-12);
  EXPECT_NEAR(watch.grab().slip, 0.0, 1e-12);
  EXPECT_EQ(watch.grab().end - watch.grab().begin, (50 + 1 + 100 + 50 + 199) * kSecond / 1000);
}

TEST_F(Grabbing, SaysWhatWasNotGood) {
  struct Case {
    double height, slip, tilt, at_the_end;
    GrabEnd end;
  };
  for (const Case& c : {Case{0.15, 0, 0, 0, GrabEnd::kLow},
                        {0.2, 0.006, 0, 0, GrabEnd::kSlipped},
                        {0.2, 0, 0.3, 0, GrabEnd::kTilted},
                        {0.2, 0, 0, 0.03, GrabEnd::kElsewhere},
                        {0.2, 0, 0, -0.03, GrabEnd::kElsewhere},
                        {0.2, 0.004, 0.2, 0.01, GrabEnd::kGood}}) {
    put(0.29);
    GrabWatch watch(rule, world);
    grab(watch, c.height, c.slip, c.tilt, c.at_the_end);
    EXPECT_EQ(watch.end(), c.end) << c.height << " " << c.slip << " " << c.tilt;
  }
}

TEST_F(Grabbing, WhatFallsOutOfTheHandsIsLostAtOnce) {
  GrabWatch watch(rule, world);
  hold();
  run(watch, 10);
  put(0.32);
  run(watch, 10);
  put(0.5, 0.11);
  run(watch, 1);
  EXPECT_EQ(watch.end(), GrabEnd::kLost);
  // it is over, and nothing begins before both have let go
  run(watch, 500);
  EXPECT_EQ(watch.end(), GrabEnd::kLost);
  world.part_all();
  run(watch, 300);
  EXPECT_EQ(watch.end(), GrabEnd::kLost) << "the verdict stands";
  put(0.29);
  run(watch, 1);
  hold();
  run(watch, 1);
  EXPECT_EQ(watch.end(), GrabEnd::kOpen) << "the next one";
  EXPECT_DOUBLE_EQ(watch.grab().stood, 0.29);
}

TEST_F(Grabbing, OneHandLiftsNothing) {
  GrabWatch watch(rule, world);
  world.touch("left.plate", "box");
  run(watch, 10);
  put(0.5);
  run(watch, 10);
  EXPECT_FALSE(watch.grab().lifted);
  world.part_all();
  run(watch, 250);
  EXPECT_EQ(watch.end(), GrabEnd::kNotLifted);
}

// of a box on a stack: it is put back where it stood, not where the first one was
TEST_F(Grabbing, TheNextGrabIsFromWhereItStandsThen) {
  GrabWatch watch(rule, world);
  grab(watch, 0.2, 0.0, 0.0, 0.1);
  EXPECT_EQ(watch.end(), GrabEnd::kElsewhere);
  run(watch, 10);
  hold();
  run(watch, 10);
  put(0.7);
  run(watch, 10);
  put(0.39);
  run(watch, 10);
  world.part_all();
  run(watch, 250);
  EXPECT_EQ(watch.end(), GrabEnd::kGood);
  EXPECT_NEAR(watch.grab().height, 0.31, 1e-12);
}

// put down it leans on its pillar, and the plates slide along it
TEST_F(Grabbing, SlipIsWhileNothingElseTouchesIt) {
  GrabWatch watch(rule, world);
  hold();
  run(watch, 10);
  put(0.5);
  run(watch, 10);
  world.touch("pillar", "box");
  put(0.3, 0.05, 0.4);
  run(watch, 10);
  EXPECT_LT(watch.grab().slip, 1e-9);
  EXPECT_LT(watch.grab().tilt, 1e-9);
  put(0.29);
  world.part_all();
  run(watch, 250);
  EXPECT_EQ(watch.end(), GrabEnd::kGood);
}

TEST_F(Grabbing, WhatTouchesTheBoxBesideThemIsNoGrab) {
  GrabWatch watch(rule, world);
  world.touch("box", "pillar");
  world.touch("left.pad", "right.pad");
  run(watch, 100);
  EXPECT_FALSE(watch.grab().touched);
}

TEST_F(Grabbing, TheRestOfAGrabIsTheSameAfterASnapshot) {
  GrabWatch a(rule, world);
  hold();
  run(a, 20);
  put(0.4);
  run(a, 5);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  a.state(save);
  GrabWatch b(rule, world);
  StateArchive load{std::span<const std::byte>(bytes)};
  b.state(load);
  load.finish();
  put(0.5, 0.003);
  world.step();
  a.update(world.time());
  b.update(world.time());
  EXPECT_EQ(a.grab().slip, b.grab().slip);
  EXPECT_EQ(a.grab().begin, b.grab().begin);
  EXPECT_GT(b.grab().slip, 0.002);
}

TEST_F(Grabbing, AllocatesNothing) {
  GrabWatch watch(rule, world);
  hold();
  const test::AllocationCount count;
  run(watch, 100);
  EXPECT_EQ(count.count(), 0U);
}

TEST_F(Grabbing, SaysWhatThereIs) {
  rule.between = {"left.plat", "right.plate"};
  try {
    GrabWatch(rule, world);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the scene has no body 'left.plat'; did you mean 'left.plate'?");
  }
  rule.between = {"left.plate", "left.plate"};
  EXPECT_THROW(GrabWatch(rule, world), InputError);
  rule.between = {"box", "right.plate"};
  EXPECT_THROW(GrabWatch(rule, world), InputError);
}

}  // namespace grab_watch_test
}  // namespace handspan
