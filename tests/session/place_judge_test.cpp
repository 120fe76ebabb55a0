// Where an object belongs: every way out of it, with the time that it must last.
#include "session/place_judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/config.hpp"
#include "math/so3.hpp"
#include "support/alloc.hpp"
#include "support/fake_world.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace place_judge_test {

constexpr double kDegree = M_PI / 180.0;
const Eigen::Vector3d kNot = Eigen::Vector3d::Zero();

// the judge of these keys
JudgeRegistry::Part part_of(const std::string& keys) {
  JudgeRegistry registry("judge");
  register_place_judge(registry);
  return parse_yaml("{type: place, " + keys + "}\n", "app.yaml", registry.schema());
}

// A box that is put where the test says, and nothing falls.
struct Rig {
  explicit Rig(const std::string& keys)
      : scene(test::scene_of(
            "objects:\n  box: {pose: {position: [1, 2, 3], rpy: [0, "
            "0, 30 deg]}, mass: 1, shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}\n")),
        start(scene.objects[0].X_WB.pose()),
        judge(part_of(keys).make(JudgeContext{"j", scene, world})) {
    world.at("box").X_WB = start;
  }
  void put(const Eigen::Vector3d& by, double tilt = 0.0) {
    Pose X = start;
    X.p += by;
    X.R = exp_so3({tilt, 0.0, 0.0}) * X.R;
    world.at("box").X_WB = X;
  }
  // looks for so long, each millisecond
  std::string look(double time) {
    for (const double end = now + time; now < end - 1e-9; now += 0.001)
      judge->update(static_cast<Nanoseconds>(std::llround(now * 1e9)));
    return judge->verdict() == Verdict::kGood ? "good" : std::string(judge->words().view());
  }
  Scene scene;
  test::FakeWorld world{{"box"}, {}, {}};
  Pose start;
  std::unique_ptr<Judge> judge;
  double now = 0.0;
};

TEST(PlaceJudge, WithinItsPlaceItIsGood) {
  Rig rig("object: box, within: 5 cm, tilt: 10 deg, time: 0.2 s");
  EXPECT_EQ(rig.look(1.0), "good");
  EXPECT_EQ(rig.judge->words().view(), "in its place, or on its way");
  rig.put({0.03, 0.0, 0.039}, 9.0 * kDegree);
  EXPECT_EQ(rig.look(1.0), "good");
}

TEST(PlaceJudge, EveryWayOutIsNamedWithItsAmount) {
  const auto said = [](const std::string& keys, const Eigen::Vector3d& by, double tilt) {
    Rig rig("object: box, time: 0.2 s, " + keys);
    rig.put(by, tilt);
    EXPECT_EQ(rig.look(0.19), "good");
    return rig.look(0.05);
  };
  EXPECT_EQ(said("within: 5 cm", {0.0, 0.0, 0.06}, 0.0),
            "'box' was left 0.06 m from its place; within 0.05 m");
  EXPECT_EQ(said("tilt: 10 deg", kNot, 12.0 * kDegree),
            "'box' was left tilted by 12 deg; within 10 deg");
  EXPECT_EQ(said("max_tilt: 45 deg", kNot, 50.0 * kDegree),
            "'box' is tilted by 50 deg; at most 45 deg");
  EXPECT_EQ(said("min_height: 2.5 m", {0.0, 0.0, -0.75}, 0.0),
            "'box' fell to 2.25 m; min_height is 2.50 m");
  // level only
  EXPECT_EQ(said("within: 2 m, max_distance: 0.3 m", {0.3, 0.4, 0.0}, 0.0),
            "'box' is 0.50 m from its place; max_distance is 0.30 m");
  EXPECT_EQ(said("within: 2 m, max_distance: 0.3 m", {0.0, 0.0, 1.0}, 0.0), "good");
  // turned about the upright it stands as well as before
  Rig rig("object: box, time: 0.1 s, tilt: 1 deg");
  Pose X = rig.start;
  X.R = exp_so3({0.0, 0.0, 2.0}) * X.R;
  rig.world.at("box").X_WB = X;
  EXPECT_EQ(rig.look(0.5), "good");
}

TEST(PlaceJudge, ItMustLastAndIsForgottenWhenItComesBack) {
  Rig rig("object: box, within: 5 cm, time: 0.2 s");
  for (int i = 0; i < 5; ++i) {
    rig.put({0.2, 0.0, 0.0});
    EXPECT_EQ(rig.look(0.15), "good");
    rig.put(kNot);
    EXPECT_EQ(rig.look(0.01), "good");
  }
  rig.put({0.2, 0.0, 0.0});
  EXPECT_EQ(rig.look(0.3), "'box' was left 0.20 m from its place; within 0.05 m");
  // what was said stays, though it moves on
  rig.put({0.4, 0.0, 0.0});
  EXPECT_EQ(rig.look(0.1), "'box' was left 0.20 m from its place; within 0.05 m");
  rig.put(kNot);
  EXPECT_EQ(rig.look(0.01), "good");
}

TEST(PlaceJudge, WithoutATimeItIsAtOnce) {
  Rig rig("object: box, within: 5 cm, time: 0 s");
  rig.put({0.2, 0.0, 0.0});
  EXPECT_NE(rig.look(0.001), "good");
}

TEST(PlaceJudge, ASnapshotGoesOnInTheSameTickAndNothingIsAllocated) {
  Rig rig("object: box, within: 5 cm, time: 0.2 s");
  rig.put({0.2, 0.0, 0.0});
  rig.look(0.1);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  rig.judge->state(save);
  Rig other("object: box, within: 5 cm, time: 0.2 s");
  other.put({0.2, 0.0, 0.0});
  other.now = rig.now;
  StateArchive load{std::span<const std::byte>(bytes)};
  other.judge->state(load);
  for (int i = 0; i < 150; ++i) ASSERT_EQ(other.look(0.001), rig.look(0.001)) << i;
  EXPECT_EQ(rig.judge->verdict(), Verdict::kNotGood);
  const test::AllocationCount allocations;
  for (int i = 0; i < 10; ++i) {
    rig.judge->update(kSecond + i);
    (void)rig.judge->words();
  }
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(PlaceJudge, AnObjectThatIsNotThereIsAnError) {
  try {
    Rig rig("object: bx");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the scene has no free object 'bx'; did you mean 'box'?");
  }
  const Scene bare = test::scene_of("fixtures:\n  post: {shapes: [{type: sphere, radius: 0.1}]}\n");
  test::FakeWorld world({}, {}, {});
  try {
    part_of("object: box").make(JudgeContext{"j", bare, world});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the scene has no free object whose place could be judged");
  }
}

}  // namespace place_judge_test
}  // namespace handspan
