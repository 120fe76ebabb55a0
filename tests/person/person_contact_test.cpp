// How a scripted person goes through points and meets what they touch.
#include <gtest/gtest.h>

#include <algorithm>

#include "person_support.hpp"

namespace handspan {
namespace person_contact_test {

using test::PersonWorld;

const std::string kFeeling =
    "hands: {left: {see: left.pose, feels: {channel: left.force}, clutch: [left.squeeze]}, right: "
    "{see: right.pose, clutch: [right.squeeze]}}\n";
constexpr std::uint64_t kSeeds = 10;

std::string left(const std::string& actions, const std::string& more = "") {
  return kFeeling + more + "script:\n- left: [" + actions + "]\n";
}

const char* const kThrough =
    "{do: move, through: [[0.45, 0.4, 0.5], [0.5, 0.25, 0.6]], to: [0.6, 0.3, 0.5], tolerance: 1 "
    "cm, speed: 0.5 m/s}";

TEST(PersonContact, GoesThroughPointsWithoutARest) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(left(kThrough, "gaze: 0\ntremor: 0\nendpoint: 0\nspeed: 2\n"), seed);
    world.lag = 1e-3;  // E is where the hand is
    std::vector<Eigen::Vector3d> way;
    double slowest = 1.0;
    while (!world.person.over() && world.now < 20 * kSecond) {
      const Eigen::Vector3d before = world.person.hand(0).X_VC(world.now).p;
      world.tick();
      way.push_back(world.X_WE[0].p);
      // after the first ways from rest, before the last ones to it
      const Eigen::Vector3d now = world.person.hand(0).X_VC(world.now).p;
      if ((way.back() - Eigen::Vector3d(0.4, 0.3, 0.4)).norm() > 0.05 &&
          (way.back() - Eigen::Vector3d(0.6, 0.3, 0.5)).norm() > 0.05)
        slowest = std::min(slowest, (now - before).norm() / 1e-3);
    }
    ASSERT_TRUE(world.person.over()) << "seed " << seed;
    EXPECT_EQ(world.person.hand(0).counts().movements, 1U) << "seed " << seed;
    for (const Eigen::Vector3d& point :
         {Eigen::Vector3d(0.45, 0.4, 0.5), Eigen::Vector3d(0.5, 0.25, 0.6)}) {
      double nearest = 1.0;
      for (const Eigen::Vector3d& p : way) nearest = std::min(nearest, (p - point).norm());
      // samples, and the filter of what follows them
      EXPECT_LT(nearest, 0.008) << "seed " << seed;
    }
    EXPECT_GT(slowest, 0.05) << "seed " << seed;
  }
}

TEST(PersonContact, PointsBeyondItsReachArePassedOneStrokeAfterTheOther) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(
        left("{do: move, through: [[0.6, 0.5, 0.4], [0.9, 0.5, 0.4]], to: [0.9, 0.2, 0.4], "
             "tolerance: 1 cm, patience: 60 s}"),
        seed);
    world.lag = 1e-3;
    std::array<double, 2> nearest = {1.0, 1.0};
    while (!world.person.over() && world.now < 60 * kSecond) {
      world.tick();
      for (std::size_t i = 0; i < 2; ++i)
        nearest[i] = std::min(
            nearest[i], (world.X_WE[0].p - Eigen::Vector3d(i == 0 ? 0.6 : 0.9, 0.5, 0.4)).norm());
    }
    ASSERT_TRUE(world.person.over()) << "seed " << seed;
    EXPECT_GE(world.person.hand(0).counts().strokes, 1U);
    EXPECT_EQ(world.person.hand(0).counts().given_up, 0U);
    for (const double d : nearest) EXPECT_LT(d, 0.06) << "seed " << seed;
    EXPECT_LT((world.X_WE[0].p - Eigen::Vector3d(0.9, 0.2, 0.4)).norm(), 0.014);
  }
}

// the box's face is 0.15 m before the left hand
TEST(PersonContact, PushesUntilItFeelsTheForceAndStopsATouchReactionLater) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(left("{do: push, by: [0, -0.04, 0], until: 20 N, speed: 0.05 m/s}",
                           "touch_reaction: 0.15\nreaction_spread: 0\ntremor: 0\n"),
                      seed);
    Nanoseconds felt = 0;
    while (!world.person.over() && world.now < 20 * kSecond) {
      world.tick();
      if (felt == 0 && world.force[0] > 20.0) felt = world.now;
    }
    ASSERT_TRUE(world.person.over()) << "seed " << seed;
    ASSERT_GT(felt, 0);
    EXPECT_EQ(world.person.hand(0).counts().given_up, 0U);
    // four ways of 4 cm at least, without an end at any of them
    EXPECT_GE(world.person.hand(0).counts().movements, 4U);
    // it is stopped within 0.15 s, seen at the next sample
    EXPECT_GE(seconds(world.now - felt), 0.15);
    EXPECT_LE(seconds(world.now - felt), 0.15 + 0.15 + 3.0 / 90.0);
    world.run(1.0);
    EXPECT_GT(world.force[0], 20.0);
    // what 0.05 m/s make of the reaction and the stop, in 2000 N/m
    EXPECT_LT(world.force[0], 20.0 + 2000.0 * 0.05 * 0.35);
  }
}

TEST(PersonContact, APushIntoNothingIsGivenUp) {
  PersonWorld world(kFeeling +
                    "give_up: [{right: [{do: press, controls: [right.secondary]}]}]\nscript:\n- "
                    "left: [{do: push, by: [0, 0, 0.02], until: 5 N, patience: 3 s}]\n");
  world.run(6.0);
  EXPECT_GE(world.person.hand(0).counts().given_up, 1U);
  EXPECT_GE(world.person.round(), 1U);
  EXPECT_TRUE(world.state.pressed("right.secondary"));
}

TEST(PersonContact, StopsAtWhatItDidNotExpectToTouch) {
  PersonWorld world(left("{do: move, to: [0.4, 0.1, 0.4], speed: 0.1 m/s}"));
  double most = 0.0;
  while (!world.person.over() && world.now < 20 * kSecond) {
    world.tick();
    most = std::max(most, world.force[0]);
  }
  ASSERT_TRUE(world.person.over());
  EXPECT_EQ(world.person.hand(0).counts().contacts, 1U);
  EXPECT_EQ(world.person.hand(0).counts().given_up, 1U);
  EXPECT_GT(most, 1.0);
  // of 100 N at its end
  EXPECT_LT(most, 1.0 + 2000.0 * 0.1 * 0.35);
}

TEST(PersonContact, GoesThroughAContactThatItMeansToGoThrough) {
  PersonWorld world(
      left("{do: move, to: [0.4, 0.1, 0.4], speed: 0.1 m/s, tolerance: 8 mm, through_contact: "
           "true}"));
  ASSERT_TRUE(world.finish(20.0));
  EXPECT_EQ(world.person.hand(0).counts().contacts, 0U);
  EXPECT_EQ(world.person.hand(0).counts().given_up, 0U);
  EXPECT_NEAR(world.force[0], 100.0, 2000.0 * 0.012);
}

// what does not give way: the hand goes on, and does not take its clutch for lost
TEST(PersonContact, AgainstAWallItIsTheForceThatTellsWhyItStands) {
  for (const bool feels : {true, false}) {
    PersonWorld world("hands: {left: {see: wall.pose" +
                      std::string(feels ? ", feels: {channel: left.force}" : "") +
                      ", clutch: [left.squeeze]}}\nscript:\n- left: [{do: move, to: [0.4, 0.05, "
                      "0.4], speed: 0.2 m/s, patience: 12 s, through_contact: true}]\n");
    world.run(11.0);
    if (feels)
      EXPECT_EQ(world.person.hand(0).counts().reclutches, 0U);
    else
      EXPECT_GE(world.person.hand(0).counts().reclutches, 1U);
    EXPECT_GT(world.force[0], 50.0);
    world.run(4.0);
    EXPECT_EQ(world.person.hand(0).counts().given_up, 1U);
  }
}

TEST(PersonContact, BeginsLaterByTheDelayOfItsSight) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(left("{do: press, controls: [left.squeeze]}, {do: move, to: [0, 0.2, 0.1], "
                           "of: box.pose}",
                           "reaction: 0.25\nreaction_spread: 0\ntremor: 0\nsight_delay: 0.3\n"),
                      seed);
    world.run(1.0);
    const Eigen::Vector3d rest = world.person.hand(0).X_VC(world.now).p;
    world.box_is_seen = true;
    const Nanoseconds shown = world.now;
    while (world.person.hand(0).X_VC(world.now).p == rest && world.now < 4 * kSecond) world.tick();
    EXPECT_GE(seconds(world.now - shown), 0.25 + 0.3) << "seed " << seed;
    EXPECT_LE(seconds(world.now - shown), 0.25 + 0.3 + 4.0 / 90.0) << "seed " << seed;
  }
}

std::string error_of(const std::string& yaml) {
  try {
    PersonWorld world(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PersonContact, SaysWhatIsWrong) {
  const auto error = [](const std::string& action) {
    return error_of("hands: {left: {see: left.pose}}\nscript:\n- left: [" + action + "]\n");
  };
  EXPECT_EQ(error("{do: push, by: [0, 0, 0.1], until: 3}"),
            "person.yaml:3: the left hand feels nothing; give it 'feels: {channel: ...}' under "
            "hands, or move 'until' a value is seen");
  EXPECT_EQ(error("{do: push, by: [0, 0, 0], until: 3}"),
            "person.yaml:3: script[0].left[0].by is a push of less than a millimetre; give a way");
  EXPECT_EQ(error("{do: push, by: [0, 0, 1], until: -3}").substr(0, 44),
            "person.yaml:3: script[0].left[0].until is -3");
  EXPECT_EQ(error("{do: move, through: [[1, 0, 0]], to: [1, 0, 0]}"),
            "person.yaml:3: script[0].left[0].through has point 1 within a millimetre of the end; "
            "leave it out");
  EXPECT_EQ(error("{do: move, through: [[1, 0, 0], [1, 0, 0]], by: [0, 1, 0]}"),
            "person.yaml:3: script[0].left[0].through has point 1 within a millimetre of the next "
            "one; leave it out");
  EXPECT_EQ(error_of("hands: {left: {feels: {channel: left.forse}}}\n"),
            "person.yaml:1: there is no channel 'left.forse'; did you mean 'left.force'?");
  EXPECT_EQ(error_of("skill: 0\n").substr(0, 26), "person.yaml:1: skill is 0;");
}

}  // namespace person_contact_test
}  // namespace handspan
