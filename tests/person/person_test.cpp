#include "person/person.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "device/headset.hpp"
#include "person_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace person_test {

using test::kPersonHands;
using test::PersonWorld;

constexpr std::uint64_t kSeeds = 20;

std::string script(const std::string& steps, const std::string& more = "") {
  return kPersonHands + more + "script:\n" + steps;
}

TEST(Person, ReachesItsGoalBySubMovementsWithinTheToleranceOfWhatItSees) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(script("- left: [{do: move, to: [0.55, 0.2, 0.6], tolerance: 4 mm}]\n"),
                      seed);
    ASSERT_TRUE(world.finish(15.0)) << "seed " << seed;
    const PersonCounts& counts = world.person.hand(0).counts();
    EXPECT_EQ(counts.given_up, 0U) << "seed " << seed;
    EXPECT_GE(counts.movements, 1U) << "seed " << seed;
    EXPECT_LE(counts.movements, 12U) << "seed " << seed;
    // the tolerance, and four deviations of the person's gaze
    EXPECT_LT((world.X_WE[0].p - Eigen::Vector3d(0.55, 0.2, 0.6)).norm(), 0.004 + 4 * 0.001)
        << "seed " << seed;
    EXPECT_EQ(world.person.hand(1).counts().movements, 0U);
  }
}

TEST(Person, TurnsWhatItMovesAboutTheWorldsAxesOrTheFramesOwn) {
  for (const TurnAxes turn : {TurnAxes::kWorld, TurnAxes::kBody}) {
    const bool body = turn == TurnAxes::kBody;
    PoseMapping mapping{rotation_of({grab_mapping(), 0.4}),
                        controller_axes_of({grab_mapping(), 0.4}), Eigen::Vector3d(2.0, 2.0, 1.5),
                        turn};
    PersonWorld world(
        script("- right: [{do: move, to: [0.5, -0.1, 0.4], rpy: [0.5, -0.4, 0.6], turn_tolerance: "
               "0.05}]\n",
               std::string("space: {preset: grab, yaw: 0.4}\nscale: [2, 2, 1.5]\nturn: ") +
                   (body ? "body\n" : "world\n")),
        3, mapping);
    ASSERT_TRUE(world.finish(20.0));
    EXPECT_EQ(world.person.hand(1).counts().given_up, 0U) << body;
    EXPECT_LT(angle_between(world.X_WE[1].R, rotation_from_rpy({0.5, -0.4, 0.6})), 0.05 + 4 * 0.01);
    EXPECT_LT((world.X_WE[1].p - Eigen::Vector3d(0.5, -0.1, 0.4)).norm(), 0.009);
    // as the person knows how they are followed, a few movements do
    EXPECT_LE(world.person.hand(1).counts().movements, 12U) << body;
  }
}

TEST(Person, BeginsNoEarlierThanTheReactionTimeAfterItSees) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(
        script("- left: [{do: press, controls: [left.squeeze]}, {do: move, to: [0, 0.2, 0.1], of: "
               "box.pose}]\n",
               "reaction: 0.25\nreaction_spread: 0\ntremor: 0\n"),
        seed);
    world.run(1.0);
    const Eigen::Vector3d rest = world.person.hand(0).X_VC(world.now).p;
    // the box appears
    world.box_is_seen = true;
    const Nanoseconds seen = world.now;
    while (world.person.hand(0).X_VC(world.now).p == rest && world.now < 3 * kSecond) world.tick();
    EXPECT_GE(seconds(world.now - seen), 0.25) << "seed " << seed;
    // two samples later at most, but for the first ticks of a way that begins at rest
    EXPECT_LE(seconds(world.now - seen), 0.25 + 3.0 / 90.0) << "seed " << seed;
  }
}

TEST(Person, PressesWhenItHasSeenWhatItWaitsFor) {
  PersonWorld world(
      script("- both: [{do: wait, for: {channel: signal, above: 0.5}}, {do: press, controls: "
             "[<hand>.trigger]}, {do: pause, time: 0.5 s}, {do: release, controls: "
             "[<hand>.trigger]}]\n"));
  world.run(2.0);
  EXPECT_FALSE(world.state.pressed("left.trigger"));
  world.signal = true;
  const Nanoseconds seen = world.now;
  std::array<Nanoseconds, 2> pressed{}, released{};
  while (!world.person.over() && world.now < 10 * kSecond) {
    world.tick();
    for (std::size_t h = 0; h < 2; ++h) {
      const bool down = world.state.pressed(h == 0 ? "left.trigger" : "right.trigger");
      if (down && pressed[h] == 0) pressed[h] = world.now;
      if (!down && pressed[h] != 0 && released[h] == 0) released[h] = world.now;
    }
  }
  for (std::size_t h = 0; h < 2; ++h) {
    EXPECT_GE(seconds(pressed[h] - seen), 0.1);
    EXPECT_LE(seconds(pressed[h] - seen), 0.6);
    EXPECT_NEAR(seconds(released[h] - pressed[h]), 0.6, 0.2);
  }
  // the hands are not of one time
  EXPECT_NE(pressed[0], pressed[1]);
}

// A swing is one movement of the stated peak speed, that lets go of what it should at the stated
// share of its time, and errs in both.
TEST(Person, SwingsAtTheSpeedAndLetsGoOnTheWay) {
  std::vector<double> shares;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(
        script("- left: [{do: press, controls: [left.trigger]}, {do: swing, by: [0.6, 0, 0.3], "
               "turn: [0, -0.5, 0], speed: 1.5 m/s, release: [left.trigger], at: 0.6}]\n",
               "tremor: 0\n"),
        seed);
    const Eigen::Vector3d from = world.X_WE[0].p;
    const Eigen::Matrix3d R_from = world.X_WE[0].R;
    Eigen::Vector3d before = world.reference[0].p;
    double fastest = 0.0, let_go = 0.0, begun = 0.0;
    while (!world.person.over() && world.now < 10 * kSecond) {
      const bool was = world.state.pressed("left.trigger");
      world.tick();
      if (was && !world.state.pressed("left.trigger")) let_go = seconds(world.now);
      const Eigen::Vector3d hand = world.person.hand(0).X_VC(world.now).p;
      if (begun == 0.0 && world.person.hand(0).counts().movements > 0) begun = seconds(world.now);
      if (seconds(world.now) > 0.01) fastest = std::max(fastest, (hand - before).norm() / 1e-3);
      before = hand;
    }
    ASSERT_TRUE(world.person.over()) << "seed " << seed;
    EXPECT_EQ(world.person.hand(0).counts().movements, 1U);
    EXPECT_NEAR(fastest, 1.5, 0.3) << "seed " << seed;
    const double time = kMinimumJerkPeak * Eigen::Vector3d(0.6, 0, 0.3).norm() / 1.5;
    shares.push_back((let_go - begun) / time);
    world.run(0.5);
    // five percent along the way, half of it across
    EXPECT_LT((world.X_WE[0].p - from - Eigen::Vector3d(0.6, 0, 0.3)).norm(), 4 * 0.06 * 0.67);
    EXPECT_NEAR(angle_between(world.X_WE[0].R, R_from), 0.5, 4 * 0.05 * 0.5);
  }
  double mean = 0.0;
  for (const double share : shares) mean += share / static_cast<double>(shares.size());
  EXPECT_NEAR(mean, 0.6, 0.04);
  EXPECT_NE(shares[0], shares[1]);
}

TEST(Person, IsDeterministicFromItsSeed) {
  const std::string text =
      script("- both: [{do: move, by: [0.1, 0, 0.1]}, {do: press, controls: [<hand>.trigger]}]\n");
  PersonWorld a(text, 5), b(text, 5), c(text, 6);
  bool differs = false;
  for (int i = 0; i < 4000; ++i) {
    a.tick();
    b.tick();
    c.tick();
    ASSERT_EQ(a.sampled, b.sampled);
    if (!a.sampled) continue;
    ASSERT_EQ(a.input.stamp, b.input.stamp);
    ASSERT_EQ(a.input.numbers, b.input.numbers);
    differs = differs || !c.sampled || a.input.numbers != c.input.numbers;
  }
  EXPECT_TRUE(differs);
}

TEST(Person, SamplesComeAtTheDevicesRateWithJitterInOrder) {
  PersonWorld world(script("- left: [{do: pause, time: 60 s}]\n", "jitter: 2 ms\n"));
  std::vector<double> gaps;
  Nanoseconds before = -1;
  while (world.now < 20 * kSecond) {
    world.tick();
    if (!world.sampled) continue;
    ASSERT_LE(world.input.stamp, world.now);
    ASSERT_LT(world.now - world.input.stamp, kSecond / 1000);
    if (before >= 0) gaps.push_back(seconds(world.input.stamp - before));
    before = world.input.stamp;
  }
  double mean = 0.0, square = 0.0, least = 1.0;
  for (const double gap : gaps) {
    mean += gap / static_cast<double>(gaps.size());
    least = std::min(least, gap);
  }
  for (const double gap : gaps)
    square += (gap - mean) * (gap - mean) / static_cast<double>(gaps.size());
  EXPECT_NEAR(mean, 1.0 / 90.0, 1e-5);
  EXPECT_GT(least, 0.0);
  // of two times with 2 ms each
  EXPECT_NEAR(std::sqrt(square), 0.002 * std::numbers::sqrt2, 0.0003);
}

// where the first movement ends, from where it should: along the way and across it [m]
std::pair<double, double> end_deviation(double distance) {
  constexpr int n = 400;
  double along = 0.0, across = 0.0;
  for (int i = 0; i < n; ++i) {
    PersonWorld world(
        kPersonHands +
            "gaze: 0\ntremor: 0\nendpoint: 0.08\nscript:\n- left: [{do: press, controls: "
            "[left.squeeze]}, {do: move, by: [0, 0, " +
            std::to_string(distance) + "], tolerance: 1 cm}]\n",
        static_cast<std::uint64_t>(i) + 1);
    const PersonHand& hand = world.person.hand(0);
    const Eigen::Vector3d rest = hand.X_VC(0).p;
    while (hand.counts().movements == 0) world.tick();
    // V's y is up
    const Eigen::Vector3d e =
        hand.X_VC(world.now + 100 * kSecond).p - rest - Eigen::Vector3d(0.0, distance, 0.0);
    along += e.y() * e.y() / n;
    across += 0.5 * (e.x() * e.x() + e.z() * e.z()) / n;
  }
  return {std::sqrt(along), std::sqrt(across)};
}

TEST(Person, EndsErrInProportionToTheWay) {
  // of 400 a deviation is known to 3.5 %, of two axes together to 2.5 %: four times that
  for (const double distance : {0.1, 0.2}) {
    const auto [along, across] = end_deviation(distance);
    EXPECT_NEAR(along, 0.08 * distance, 0.14 * 0.08 * distance);
    EXPECT_NEAR(across, 0.04 * distance, 0.10 * 0.04 * distance);
  }
}

TEST(Person, AMovementTakesAsLongAsFittsLawAndThePersonsSpeedAllow) {
  const auto time = [](const std::string& move, const std::string& more) {
    PersonWorld world(script("- left: [{do: press, controls: [left.squeeze]}, " + move + "]\n",
                             "gaze: 0\ntremor: 0\nendpoint: 0\n" + more));
    const PersonHand& hand = world.person.hand(0);
    while (hand.counts().movements == 0) world.tick();
    const Nanoseconds start = world.now;
    const Eigen::Vector3d end = hand.X_VC(start + 100 * kSecond).p;
    while (hand.X_VC(world.now).p != end) world.tick();
    return seconds(world.now - start);
  };
  // log2(0.14 / 0.02 + 1) = 3 bits; it began up to a tick before it was seen to
  EXPECT_NEAR(time("{do: move, by: [0, 0, 0.14], tolerance: 1 cm}",
                   "intercept: 0.1\nslope: 0.2\nspeed: 2\n"),
              0.7, 2e-3);
  EXPECT_NEAR(time("{do: move, by: [0, 0, 0.14], tolerance: 1 cm, speed: 0.1 m/s}", ""),
              1.875 * 0.14 / 0.1, 2e-3);
}

TEST(Person, GoesBackWithTheClutchOpenWhenTheReachIsUsedUp) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(script("- left: [{do: move, to: [1.2, 0.3, 0.4]}]\n", "reaction: 0.1\n"),
                      seed);
    const Eigen::Vector3d rest = world.person.hand(0).X_VC(0).p;
    double farthest = 0.0, backwards = 0.0;
    bool done = false;
    for (int i = 0; i < 40000 && !done; ++i) {
      const double before = world.reference[0].p.x();
      world.tick();
      done = world.person.over();
      farthest = std::max(farthest, (world.person.hand(0).X_VC(world.now).p - rest).norm());
      backwards = std::max(backwards, before - world.reference[0].p.x());
    }
    ASSERT_TRUE(done) << "seed " << seed;
    EXPECT_LT((world.X_WE[0].p - Eigen::Vector3d(1.2, 0.3, 0.4)).norm(), 0.009) << "seed " << seed;
    // 0.8 m in pieces of 0.3 m
    EXPECT_GE(world.person.hand(0).counts().strokes, 2U) << "seed " << seed;
    EXPECT_EQ(world.person.hand(0).counts().given_up, 0U) << "seed " << seed;
    EXPECT_LE(farthest, 0.3 + 1e-6) << "seed " << seed;
    // what is moved never goes back with the person: but for tremor and the filter's end in a tick
    EXPECT_LT(backwards, 0.002) << "seed " << seed;
  }
}

TEST(Person, PressesTheClutchAnewWhenNothingFollows) {
  PersonWorld world(script("- left: [{do: move, to: [0.6, 0.3, 0.5], patience: 60 s}]\n"));
  world.run(0.9);
  // as after a loss of tracking: the clutch must be released first
  world.clutches[0].open();
  ASSERT_TRUE(world.finish(30.0));
  EXPECT_GE(world.person.hand(0).counts().reclutches, 1U);
  EXPECT_LT((world.X_WE[0].p - Eigen::Vector3d(0.6, 0.3, 0.5)).norm(), 0.009);
}

TEST(Person, GivesUpWhenItsPatienceIsOver) {
  // without a clutch the person cannot go farther than their arm
  PersonWorld world(
      "hands: {left: {see: left.pose, clutch: []}}\nscript:\n- left: [{do: move, to: [3, 0, 0], "
      "patience: 4 s}, {do: wait, for: {channel: signal, above: 0}, patience: 2 s}]\n");
  ASSERT_TRUE(world.finish(10.0));
  EXPECT_EQ(world.person.hand(0).counts().given_up, 2U);
  EXPECT_NEAR(seconds(world.now), 6.0, 0.5);
}

TEST(Person, BothHandsErrAlikeInWhatTheyDoTogether) {
  const auto ends = [](const char* steps) {
    PersonWorld world(script(steps, "gaze: 0\ntremor: 0\nendpoint: 0.1\n"), 9);
    while (world.person.hand(0).counts().movements == 0 ||
           world.person.hand(1).counts().movements == 0)
      world.tick();
    std::array<Eigen::Vector3d, 2> d;
    for (std::size_t h = 0; h < 2; ++h)
      d[h] =
          world.person.hand(h).X_VC(world.now + 100 * kSecond).p - world.person.hand(h).X_VC(0).p;
    return d;
  };
  const char* move = "{do: move, by: [0, 0, 0.2], tolerance: 5 cm}";
  // they saw the arms at slightly different times, at rest both
  const auto together = ends((std::string("- both: [") + move + "]\n").c_str());
  EXPECT_LT((together[0] - together[1]).norm(), 1e-9 + 0.03 * 0.2 * 0.1);
  const auto apart =
      ends((std::string("- left: [") + move + "]\n  right: [" + move + "]\n").c_str());
  EXPECT_GT((apart[0] - apart[1]).norm(), 0.005);
}

const char* const kGrab = R"(
- left: [{do: move, to: [0, 0.22, 0], of: box.pose}]
  right: [{do: move, to: [0, -0.22, 0], of: box.pose}]
- left: [{do: move, to: [0, 0.10, 0], of: box.pose, speed: 0.1 m/s, until: {channel: left.force, above: 20}}]
  right: [{do: move, to: [0, -0.10, 0], of: box.pose, speed: 0.1 m/s, until: {channel: right.force, above: 20}}]
- both: [{do: move, by: [0, 0, 0.2], tolerance: 1 cm}]
- both: [{do: pause, time: 0.5 s}]
- both: [{do: move, by: [0, 0, -0.2], tolerance: 1 cm}]
- left: [{do: move, by: [0, 0.1, 0], tolerance: 2 cm}]
  right: [{do: move, by: [0, -0.1, 0], tolerance: 2 cm}]
)";

TEST(Person, SqueezesABoxBetweenTwoHandsLiftsItAndPutsItBack) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(script(kGrab), seed);
    world.box_is_seen = true;
    double highest = 0.0;
    while (!world.person.over() && world.now < 60 * kSecond) {
      world.tick();
      highest = std::max(highest, world.p_WBox.z());
      if (world.person.step() >= 2 && world.person.step() <= 4) {
        ASSERT_TRUE(world.held) << "seed " << seed << " at " << seconds(world.now) << " s";
      }
    }
    ASSERT_TRUE(world.person.over()) << "seed " << seed;
    EXPECT_NEAR(highest, 0.6, 0.03) << "seed " << seed;
    EXPECT_FALSE(world.held) << "seed " << seed;
    EXPECT_LT((world.p_WBox - Eigen::Vector3d(0.4, 0.0, 0.4)).norm(), 0.05) << "seed " << seed;
    for (std::size_t h = 0; h < 2; ++h) EXPECT_EQ(world.person.hand(h).counts().given_up, 0U);
  }
}

TEST(Person, RepeatsItsScriptAndRoundsToItsTrackersResolution) {
  PersonWorld world(
      script("- left: [{do: move, by: [0, 0, 0.02]}]\n- left: [{do: move, by: [0, 0, "
             "-0.02]}]\n",
             "repeats: true\nresolution: 0.5 mm\n"));
  world.run(20.0);
  EXPECT_FALSE(world.person.over());
  EXPECT_GT(world.person.hand(0).counts().movements, 8U);
  for (std::size_t i = 1; i < 4; ++i) {
    const double steps = world.input.numbers[i] / 0.0005;
    EXPECT_NEAR(steps, std::round(steps), 1e-9);
  }
}

// At the end of its reach a hand that carries something with the other one does not go back alone.
TEST(Person, HandsThatCarryGoBackAtTheSameTime) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    PersonWorld world(
        script(
            "- left: [{do: move, to: [0, 0.10, 0], of: box.pose, speed: 0.1 m/s, until: {channel: "
            "left.force, above: 20}}]\n"
            "  right: [{do: move, to: [0, -0.10, 0], of: box.pose, speed: 0.1 m/s, until: "
            "{channel: right.force, above: 20}}]\n"
            "- both: [{do: move, by: [0.5, 0, 0.2], tolerance: 2 cm, patience: 60 s}]\n"),
        seed);
    world.box_is_seen = true;
    double apart = 0.0;
    const double width = [&] {
      while (world.person.step() < 1 && world.now < 30 * kSecond) world.tick();
      return (world.reference[0].p - world.reference[1].p).norm();
    }();
    // to the box each went for itself
    std::array<std::uint64_t, 2> before{};
    for (std::size_t h = 0; h < 2; ++h) before[h] = world.person.hand(h).counts().strokes;
    while (!world.person.over() && world.now < 90 * kSecond) {
      world.tick();
      apart = std::max(apart, (world.reference[0].p - world.reference[1].p).norm() - width);
      ASSERT_TRUE(world.held) << "seed " << seed << " at " << seconds(world.now) << " s";
    }
    ASSERT_TRUE(world.person.over()) << "seed " << seed;
    const auto strokes = [&](std::size_t h) {
      return world.person.hand(h).counts().strokes - before[h];
    };
    EXPECT_GE(strokes(0), 1U) << "seed " << seed;
    EXPECT_GE(strokes(1), 1U) << "seed " << seed;
    // a hand that went on alone would have pulled by a decimetre
    EXPECT_LT(apart, 0.03) << "seed " << seed;
  }
}

TEST(Person, AHandWaitsWhileTheOtherOnesClutchIsOpen) {
  // each for itself, so that they need not wait for one another but for that
  PersonWorld world(
      script("- left: [{do: move, to: [0.9, 0.3, 0.4], patience: 60 s}]\n"
             "  right: [{do: move, to: [0.65, -0.3, 0.4], patience: 60 s}]\n"));
  bool stroke = false;
  double moved = 0.0;
  Eigen::Vector3d right;
  Nanoseconds open = 0;
  while (!world.person.over() && world.now < 60 * kSecond) {
    world.tick();
    if (world.clutches[0].closed() || world.person.hand(0).counts().movements == 0) {
      open = 0;
      continue;
    }
    stroke = true;
    // beginning a little later: the person stops, as a hand must
    if (open == 0) open = world.now + kSecond * 3 / 10;
    if (world.now < open) right = world.reference[1].p;
    moved = std::max(moved, (world.reference[1].p - right).norm());
  }
  ASSERT_TRUE(world.person.over());
  EXPECT_TRUE(stroke);
  EXPECT_LT(moved, 0.002);
}

TEST(Person, GoesBackToRestWithTheClutchOpen) {
  PersonWorld world(
      script("- left: [{do: move, by: [0.2, 0, 0]}]\n- left: [{do: rest}]\n", "tremor: 0\n"));
  const Eigen::Vector3d rest = world.person.hand(0).X_VC(0).p;
  while (world.person.step() < 1) world.tick();
  EXPECT_GT((world.person.hand(0).X_VC(world.now).p - rest).norm(), 0.15);
  const Eigen::Vector3d reference = world.reference[0].p;
  ASSERT_TRUE(world.finish(10.0));
  EXPECT_LT((world.person.hand(0).X_VC(world.now).p - rest).norm(), 1e-9);
  EXPECT_LT((world.reference[0].p - reference).norm(), 0.002);
  EXPECT_TRUE(world.state.pressed("left.squeeze"));
}

const char* const kGivesUp =
    "give_up: [{right: [{do: press, controls: [right.secondary]}, {do: pause, time: 0.2 s}, {do: "
    "release, controls: [right.secondary]}]}]\n";

TEST(Person, GivesUpWhatDoesNotComeAboutAndBeginsAnew) {
  // the right hand touches nothing
  PersonWorld world(
      script("- both: [{do: wait, for: {channel: signal, above: 0.5}}, {do: rest}]\n"
             "- left: [{do: move, by: [0, 0, 0.01]}]\n"
             "  right: [{do: move, by: [0, 0, 0.1], until: {channel: right.force, "
             "above: 1}, tolerance: 0.1 mm, patience: 3 s}]\n",
             kGivesUp));
  world.signal = true;
  bool pressed = false;
  while (world.person.round() < 2 && world.now < 60 * kSecond) {
    world.tick();
    pressed = pressed || world.state.pressed("right.secondary");
  }
  EXPECT_EQ(world.person.round(), 2U);
  EXPECT_TRUE(pressed);
  EXPECT_FALSE(world.person.over());
  EXPECT_GE(world.person.hand(1).counts().given_up, 2U);
  // the person let go of everything before
  EXPECT_LT(world.person.step(), 1U);
  world.run(0.2);
  EXPECT_FALSE(world.state.pressed("right.secondary"));
}

TEST(Person, BeginsAnewWhenItSeesThatTheTaskIsOver) {
  PersonWorld world(
      script("- left: [{do: move, by: [0, 0, 0.02]}]\n- left: [{do: pause, time: 60 "
             "s}]\n",
             "anew_when: [{channel: signal, above: 0.5}]\n"));
  world.run(8.0);
  ASSERT_EQ(world.person.step(), 1U);
  ASSERT_TRUE(world.state.pressed("left.squeeze"));
  world.signal = true;
  world.run(0.15);
  EXPECT_EQ(world.person.step(), 0U);
  EXPECT_EQ(world.person.round(), 1U);
  // once: the person is at the first step now
  world.run(0.1);
  EXPECT_EQ(world.person.round(), 1U);
}

TEST(Person, ComesBackAsIfItHadNeverActed) {
  PersonWorld world(
      script("- both: [{do: wait, for: {channel: signal, above: 0.5}, patience: 90 s}, "
             "{do: rest}]\n- left: [{do: move, by: [0, 0, 0.2], speed: 0.05 m/s}]\n"
             "  right: [{do: move, by: [0, 0, 0.2], speed: 0.05 m/s}]\n",
             kGivesUp));
  world.signal = true;
  const Eigen::Vector3d rest = world.person.hand(0).X_VC(0).p;
  world.run(4.0);
  ASSERT_EQ(world.person.step(), 1U);
  ASSERT_TRUE(world.state.pressed("left.squeeze"));
  ASSERT_GT((world.person.hand(0).X_VC(world.now).p - rest).norm(), 0.02);
  // somebody else acted for ten minutes
  world.now += 600 * kSecond;
  world.tick();
  EXPECT_EQ(world.person.round(), 0U);
  EXPECT_EQ(world.person.hand(0).X_VC(world.now).p, rest);
  bool pressed = false;
  while (world.person.round() == 0 && world.now < 700 * kSecond) {
    world.tick();
    pressed = pressed || world.state.pressed("right.secondary");
    ASSERT_FALSE(world.state.pressed("left.squeeze"));
  }
  EXPECT_TRUE(pressed);
  EXPECT_EQ(world.person.round(), 1U);
}

TEST(Person, AllocatesNothing) {
  PersonWorld world(script(kGrab));
  world.box_is_seen = true;
  world.run(0.5);
  const test::AllocationCount count;
  world.run(10.0);
  EXPECT_EQ(count.count(), 0U);
  EXPECT_EQ(world.person.layout().axes, headset_layout().axes);
}

std::string error_of(const std::string& yaml) {
  try {
    PersonWorld world(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Person, SaysWhatIsWrongWithAScript) {
  const auto error = [](const std::string& steps) {
    return error_of("hands: {left: {see: left.pose}}\nscript:\n- " + steps + "\n");
  };
  EXPECT_EQ(error("left: [{do: move, to: [0, 0, 0], by: [0, 0, 0]}]"),
            "person.yaml:3: script[0].left[0] goes to a place and by a way; give to or by");
  EXPECT_EQ(error("left: [{do: move}]"),
            "person.yaml:3: script[0].left[0] goes nowhere; give to or by");
  EXPECT_EQ(error("left: [{do: move, by: [0, 0, 0], of: box.pose}]"),
            "person.yaml:3: script[0].left[0].of is for 'to'; take it away");
  EXPECT_EQ(error("left: [{do: swing, by: [0, 0, 0], speed: 1}]"),
            "person.yaml:3: script[0].left[0].by is a swing of less than a millimetre; give a way");
  EXPECT_EQ(error("right: [{do: swing, by: [0, 0, 1], speed: 1}]"),
            "person.yaml:3: see is missing, and the right hand has none; give the pose channel of "
            "what is moved");
  EXPECT_EQ(error("{}"), "person.yaml:3: script[0] has no action; give both, or left and right");
  EXPECT_EQ(error("{left: [{do: pause, time: 1}], both: [{do: pause, time: 1}]}"),
            "person.yaml:3: script[0] has actions of one hand and of both; give both, or left and "
            "right");
  EXPECT_EQ(error("left: [{do: press, controls: [right.trigger]}]"),
            "person.yaml:3: the left hand has no control 'right.trigger'; did you mean "
            "'left.trigger'?");
  EXPECT_EQ(error("right: [{do: move, by: [0, 0, 0]}]"),
            "person.yaml:3: see is missing, and the right hand has none; give the pose channel of "
            "what is moved");
  EXPECT_EQ(error("left: [{do: move, to: [0, 0, 0], of: bix.pose}]").substr(0, 20),
            "person.yaml:3: there");
  EXPECT_EQ(error("left: [{do: move, to: [0, 0, 0], of: signal}]"),
            "person.yaml:3: 'signal' is a boolean; it must be a pose");
  EXPECT_EQ(error("left: [{do: wait, for: {channel: signal}}]"),
            "person.yaml:3: script[0].left[0].for is awaited at no value; give above or below");
  EXPECT_EQ(error_of("anew_when: [{channel: signl, above: 1}]\n"),
            "anew_when cannot be seen: there is no channel 'signl'; did you mean 'signal'?");
  EXPECT_EQ(error_of("anew_when: [{channel: signal}]\n"),
            "person.yaml:1: anew_when[0] is awaited at no value; give above or below");
  EXPECT_EQ(error_of("give_up: [{left: [{do: press, controls: [left.prim]}]}]\n"),
            "person.yaml:1: the left hand has no control 'left.prim'; did you mean "
            "'left.primary'?");
  EXPECT_EQ(error_of("hands: {left: {clutch: [grip]}}\n").substr(0, 36),
            "the left hand has no control 'grip';");
}

}  // namespace person_test
}  // namespace handspan
