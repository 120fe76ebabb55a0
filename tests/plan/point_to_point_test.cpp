#include "plan/point_to_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plan/plan_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace point_to_point_test {

using test::coordinates;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kSeed = 1;
// ruckig takes a profile whose end is as near as that to its target
constexpr double kRuckig = 1e-8;

MotionState rest(const Coordinates& q) {
  return {q, Coordinates::Zero(q.size()), Coordinates::Zero(q.size())};
}

MotionLimits limits_of(double velocity, double acceleration, double jerk, int n = 1) {
  return {Coordinates::Constant(n, velocity), Coordinates::Constant(n, acceleration),
          Coordinates::Constant(n, jerk)};
}

double duration_of(const MotionState& from, const Waypoint& to, const MotionLimits& limits) {
  PointToPoint motion;
  EXPECT_TRUE(motion.start(from, {&to, 1}, limits)) << motion.error().text();
  return motion.duration();
}

// Closed forms, one coordinate from rest to rest over a distance d.

TEST(PointToPoint, LongWayTakesTheTimeOfTheFullSCurve) {
  // with v, a and j all reached: T = d / v + v / a + a / j
  const double d = 3.0, v = 0.8, a = 2.0, j = 10.0;
  EXPECT_NEAR(
      duration_of(rest(coordinates({1.0})), {coordinates({1.0 + d}), {}}, limits_of(v, a, j)),
      d / v + v / a + a / j, 1e-12);
}

TEST(PointToPoint, ShortWayTakesFourTimesTheTimeOfItsJerk) {
  // neither v nor a reached: d = 2 j t^3, T = 4 t
  const double d = 1e-3, j = 10.0;
  EXPECT_NEAR(
      duration_of(rest(coordinates({0.0})), {coordinates({-d}), {}}, limits_of(1.0, 2.0, j)),
      4.0 * std::cbrt(d / (2.0 * j)), 1e-12);
}

TEST(PointToPoint, MiddlingWayReachesTheAccelerationOnly) {
  // T = 2 T1 with d = a T1 (T1 - a / j), T1 the time of speeding up
  const double d = 0.5, a = 2.0, j = 10.0;
  const double tj = a / j;
  const double T1 = 0.5 * (tj + std::sqrt(tj * tj + 4.0 * d / a));
  EXPECT_NEAR(duration_of(rest(coordinates({0.0})), {coordinates({d}), {}}, limits_of(10.0, a, j)),
              2.0 * T1, 1e-12);
}

TEST(PointToPoint, FromCruisingItTakesTheTimeOfTheWayAndOfTheStop) {
  // already at v: T = (d - v T_stop / 2) / v + T_stop, T_stop = v / a + a / j
  const double d = 3.0, v = 0.8, a = 2.0, j = 10.0;
  const MotionState from{coordinates({0.0}), coordinates({v}), coordinates({0.0})};
  const double stop = v / a + a / j;
  EXPECT_NEAR(duration_of(from, {coordinates({d}), {}}, limits_of(v, a, j)),
              (d - 0.5 * v * stop) / v + stop, 1e-12);
}

// Random motions.

struct Case {
  MotionState from;
  std::vector<Waypoint> waypoints;
  MotionLimits limits;
};

Case random_case(RandomStream& random) {
  const int n = 1 + static_cast<int>(random.integer(kMostCoordinates));
  Case c;
  c.limits = test::random_limits(random, n);
  c.from = test::random_state(random, c.limits);
  if (random.integer(4) == 0) c.from = rest(c.from.q);
  const int waypoints = 1 + static_cast<int>(random.integer(3));
  for (int k = 0; k < waypoints; ++k) {
    Waypoint to{test::random_coordinates(random, n, 2.0), {}};
    if (random.integer(2) == 0) {
      to.v = c.limits.velocity;
      for (int i = 0; i < n; ++i) to.v[i] *= random.uniform(-1.0, 1.0);
    }
    c.waypoints.push_back(to);
  }
  return c;
}

TEST(PointToPoint, KeepsLimitsAndPassesWaypointsInRandomCases) {
  RandomStream random(kSeed, "cases");
  PointToPoint motion(3);
  int segments = 0;
  for (int run = 0; run < 2000; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const Case c = random_case(random);
    ASSERT_TRUE(motion.start(c.from, c.waypoints, c.limits)) << motion.error().text();
    const double step = 1e-3;
    MotionState last = motion.at(0.0);
    EXPECT_EQ(last.q, c.from.q);
    EXPECT_EQ(last.v, c.from.v);
    EXPECT_EQ(last.a, c.from.a);
    double worst_v = 0.0, worst_a = 0.0, jump_q = 0.0, jump_v = 0.0, jump_a = 0.0;
    for (int k = 1; k * step < motion.duration(); ++k) {
      const MotionState now = motion.at(k * step);
      worst_v = std::max(worst_v, (now.v.array().abs() / c.limits.velocity.array()).maxCoeff());
      worst_a = std::max(worst_a, (now.a.array().abs() / c.limits.acceleration.array()).maxCoeff());
      // no jump: what changes in a step is what the next derivative can do in that time
      jump_q = std::max(
          jump_q, ((now.q - last.q).array().abs() - step * c.limits.velocity.array()).maxCoeff());
      jump_v = std::max(
          jump_v,
          ((now.v - last.v).array().abs() - step * c.limits.acceleration.array()).maxCoeff());
      jump_a = std::max(jump_a,
                        ((now.a - last.a).array().abs() - step * c.limits.jerk.array()).maxCoeff());
      last = now;
    }
    EXPECT_LT(worst_v, 1.0 + 1e-7);
    EXPECT_LT(worst_a, 1.0 + 1e-7);
    EXPECT_LT(jump_q, 2 * kRuckig);
    EXPECT_LT(jump_v, 2 * kRuckig);
    EXPECT_LT(jump_a, 2 * kRuckig);
    for (int k = 0; k < static_cast<int>(c.waypoints.size()); ++k) {
      ++segments;
      const Waypoint& to = c.waypoints[k];
      const Coordinates v = to.v.size() ? to.v : Coordinates(Coordinates::Zero(to.q.size()));
      const MotionState before = motion.at(std::nextafter(motion.arrival(k), 0.0));
      EXPECT_LT((before.q - to.q).cwiseAbs().maxCoeff(), 2 * kRuckig);
      EXPECT_LT((before.v - v).cwiseAbs().maxCoeff(), 2 * kRuckig);
      const MotionState at = motion.at(motion.arrival(k));
      EXPECT_EQ(at.q, to.q);
      EXPECT_EQ(at.v, v);
      EXPECT_EQ(at.a, Coordinates::Zero(to.q.size()));
      EXPECT_EQ(motion.waypoint(std::nextafter(motion.arrival(k), 0.0)), k);
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(segments, 3000);
}

TEST(PointToPoint, VelocityIsTheRateOfThePositionAndAccelerationThatOfTheVelocity) {
  RandomStream random(kSeed, "rates");
  PointToPoint motion(3);
  const double h = 1e-5;
  for (int run = 0; run < 200; ++run) {
    const Case c = random_case(random);
    ASSERT_TRUE(motion.start(c.from, c.waypoints, c.limits));
    for (int sample = 0; sample < 20; ++sample) {
      const double t = random.uniform(h, motion.duration() - h);
      const MotionState now = motion.at(t), before = motion.at(t - h), after = motion.at(t + h);
      const Coordinates v = (after.q - before.q) / (2 * h), a = (after.v - before.v) / (2 * h);
      // over h: h j / 2 where the jerk changes between, and where a waypoint is ruckig's precision
      // of the state twice, over 2 h
      const double at_waypoint = kRuckig / h;
      double tolerance_v = 1e-6, tolerance_a = h * c.limits.jerk.maxCoeff();
      for (std::size_t k = 0; k < c.waypoints.size(); ++k)
        if (std::abs(t - motion.arrival(static_cast<int>(k))) <= h)
          tolerance_v += at_waypoint, tolerance_a += at_waypoint;
      EXPECT_LT((now.v - v).cwiseAbs().maxCoeff(), tolerance_v)
          << "seed " << kSeed << " run " << run;
      EXPECT_LT((now.a - a).cwiseAbs().maxCoeff(), tolerance_a)
          << "seed " << kSeed << " run " << run;
    }
  }
}

TEST(PointToPoint, FromRestToRestIsAStraightLine) {
  RandomStream random(kSeed, "line");
  PointToPoint motion;
  for (int run = 0; run < 500; ++run) {
    const int n = 2 + static_cast<int>(random.integer(6));
    const MotionLimits limits = test::random_limits(random, n);
    const Coordinates q0 = test::random_coordinates(random, n, 3.0);
    const Waypoint to{test::random_coordinates(random, n, 3.0), {}};
    ASSERT_TRUE(motion.start(rest(q0), {&to, 1}, limits));
    const Coordinates way = to.q - q0;
    for (int sample = 0; sample < 50; ++sample) {
      const MotionState now = motion.at(random.uniform(0.0, motion.duration()));
      const double along = way.dot(now.q - q0) / way.squaredNorm();
      EXPECT_LT((q0 + along * way - now.q).cwiseAbs().maxCoeff(), 32 * kEps)
          << "seed " << kSeed << " run " << run;
    }
  }
}

TEST(PointToPoint, PassingAlongTheWayIsStraightAndFasterThanStopping) {
  const MotionLimits limits = limits_of(1.0, 4.0, 40.0, 2);
  const MotionState from = rest(coordinates({0.0, 0.0}));
  const std::vector<Waypoint> pass = {{coordinates({1.0, 0.5}), coordinates({0.8, 0.4})},
                                      {coordinates({2.0, 1.0}), {}}};
  PointToPoint motion;
  ASSERT_TRUE(motion.start(from, pass, limits)) << motion.error().text();
  EXPECT_EQ(motion.at(motion.arrival(0)).v, pass[0].v);
  for (int i = 0; i <= 100; ++i) {
    const MotionState now = motion.at(motion.duration() * i / 100.0);
    EXPECT_NEAR(now.q[1], 0.5 * now.q[0], 8 * kEps);
  }
  std::vector<Waypoint> stop = pass;
  stop[0].v = {};
  const double passing = motion.duration();
  ASSERT_TRUE(motion.start(from, stop, limits));
  EXPECT_GT(motion.duration(), passing + 0.1);
}

TEST(PointToPoint, AStartBeyondTheLimitsIsBroughtBackFirst) {
  const MotionLimits limits = limits_of(1.0, 2.0, 10.0);
  const MotionState from{coordinates({0.0}), coordinates({1.5}), coordinates({3.0})};
  const Waypoint to{coordinates({5.0}), {}};
  PointToPoint motion;
  ASSERT_TRUE(motion.start(from, {&to, 1}, limits)) << motion.error().text();
  EXPECT_EQ(motion.at(0.0).v, from.v);
  // at full jerk the acceleration goes from 3 to -2 in 0.5 s, the velocity to 1.75; -2 takes the
  // rest of 0.75 away in 0.375 s
  EXPECT_NEAR(motion.at(0.25).a[0], 0.5, 1e-9);
  EXPECT_NEAR(motion.at(0.5).v[0], 1.75, 1e-9);
  EXPECT_NEAR(motion.at(0.875).v[0], 1.0, 1e-9);
  for (double t = 0.876; t < motion.duration(); t += 1e-3) {
    EXPECT_LE(std::abs(motion.at(t).v[0]), 1.0 + 1e-9);
    EXPECT_LE(std::abs(motion.at(t).a[0]), 2.0 + 1e-9);
  }
  EXPECT_EQ(motion.at(motion.duration()).q, to.q);
}

TEST(PointToPoint, StaysInsideWhatAnyStartBeyondTheLimitsLeaves) {
  RandomStream random(kSeed, "beyond");
  PointToPoint motion(1);
  for (int run = 0; run < 500; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const int n = 1 + static_cast<int>(random.integer(7));
    const MotionLimits limits = test::random_limits(random, n);
    MotionState from{test::random_coordinates(random, n, 1.0), limits.velocity,
                     limits.acceleration};
    for (int i = 0; i < n; ++i) {
      from.v[i] *= random.uniform(-3.0, 3.0);
      from.a[i] *= random.uniform(-3.0, 3.0);
    }
    const Waypoint to{test::random_coordinates(random, n, 1.0), {}};
    ASSERT_TRUE(motion.start(from, {&to, 1}, limits)) << motion.error().text();
    EXPECT_EQ(motion.at(motion.duration()).q, to.q);
    // the velocity that is left when the acceleration is gone at full jerk is the most there is
    for (int i = 0; i < n; ++i) {
      const double added = from.a[i] * std::abs(from.a[i]) / (2.0 * limits.jerk[i]);
      const double most =
          std::max({limits.velocity[i], std::abs(from.v[i]), std::abs(from.v[i] + added)});
      for (double t = 0.0; t < motion.duration(); t += 2e-3)
        ASSERT_LE(std::abs(motion.at(t).v[i]), most * (1 + 1e-7)) << "at " << t;
    }
  }
}

TEST(PointToPoint, BeforeItIsTheStartAndAfterTheEndItGoesOn) {
  const MotionLimits limits = limits_of(1.0, 2.0, 10.0);
  const MotionState from{coordinates({0.5}), coordinates({0.1}), coordinates({0.2})};
  const Waypoint to{coordinates({2.0}), coordinates({0.5})};
  PointToPoint motion;
  ASSERT_TRUE(motion.start(from, {&to, 1}, limits));
  EXPECT_EQ(motion.at(-1.0).q, from.q);
  EXPECT_EQ(motion.at(-1.0).a, from.a);
  const MotionState after = motion.at(motion.duration() + 2.0);
  EXPECT_NEAR(after.q[0], 3.0, 4 * kEps);
  EXPECT_EQ(after.v[0], 0.5);
  EXPECT_EQ(motion.waypoint(motion.duration() + 2.0), 0);
}

TEST(PointToPoint, AlreadyThereTakesNoTime) {
  const Waypoint to{coordinates({1.0, 2.0}), {}};
  PointToPoint motion;
  ASSERT_TRUE(motion.start(rest(to.q), {&to, 1}, limits_of(1, 1, 1, 2)));
  EXPECT_EQ(motion.duration(), 0.0);
  EXPECT_EQ(motion.at(0.0).q, to.q);
}

TEST(PointToPoint, ACoordinateThatStaysStays) {
  const MotionLimits limits = limits_of(1.0, 2.0, 10.0, 3);
  const MotionState from{coordinates({0.0, 1.0, 0.3}), coordinates({0.2, 0.0, 0.1}),
                         Coordinates::Zero(3)};
  const Waypoint to{coordinates({1.0, 1.0, -0.3}), {}};
  PointToPoint motion;
  ASSERT_TRUE(motion.start(from, {&to, 1}, limits));
  for (double t = 0.0; t < motion.duration(); t += 0.01)
    EXPECT_NEAR(motion.at(t).q[1], 1.0, 2 * kRuckig);
}

TEST(PointToPoint, PlanningAndSamplingAllocateNothing) {
  RandomStream random(kSeed, "alloc");
  PointToPoint motion(3);
  std::vector<Case> cases;
  for (int run = 0; run < 50; ++run) cases.push_back(random_case(random));
  const Waypoint bad{coordinates({HUGE_VAL}), {}};
  double sum = 0.0;
  const test::AllocationCount allocations;
  for (const Case& c : cases) {
    motion.start(c.from, c.waypoints, c.limits);
    for (int i = 0; i < 20; ++i) sum += motion.at(0.05 * i).q[0] + motion.waypoint(0.05 * i);
  }
  motion.start(cases[0].from, {&bad, 1}, cases[0].limits);
  EXPECT_EQ(allocations.count(), 0u);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(PointToPoint, ItsArgumentsGiveTheSameBitsAgain) {
  RandomStream random(kSeed, "again");
  PointToPoint motion(3), other(3);
  for (int run = 0; run < 100; ++run) {
    const Case before = random_case(random), c = random_case(random);
    // another history of the planner's workspace
    ASSERT_TRUE(motion.start(before.from, before.waypoints, before.limits));
    ASSERT_TRUE(motion.start(c.from, c.waypoints, c.limits));
    ASSERT_TRUE(other.start(motion.from(), motion.waypoints(), motion.limits()));
    ASSERT_EQ(motion.duration(), other.duration());
    for (int i = 0; i < 20; ++i) {
      const double t = random.uniform(0.0, motion.duration());
      ASSERT_EQ(motion.at(t).q, other.at(t).q) << "seed " << kSeed << " run " << run;
      ASSERT_EQ(motion.at(t).v, other.at(t).v);
      ASSERT_EQ(motion.at(t).a, other.at(t).a);
    }
    // and from itself
    ASSERT_TRUE(other.start(other.from(), other.waypoints(), other.limits()));
    ASSERT_EQ(motion.duration(), other.duration());
  }
}

TEST(PointToPoint, GoesOnWithSomeOfItsOwnWaypoints) {
  const MotionLimits limits = limits_of(1.0, 2.0, 10.0, 2);
  std::vector<Waypoint> all;
  for (int k = 0; k < 5; ++k) all.push_back({coordinates({0.3 * k, 1.0 - 0.1 * k * k}), {}});
  all[1].v = coordinates({0.2, -0.1});
  for (std::size_t first = 0; first < 5; ++first)
    for (std::size_t count = 1; first + count <= 5; ++count) {
      SCOPED_TRACE(testing::Message() << count << " from " << first);
      PointToPoint motion(5), expected(5);
      ASSERT_TRUE(motion.start(rest(coordinates({0.5, 0.5})), all, limits));
      const MotionState from = motion.at(0.7);
      const std::vector<Waypoint> some(all.begin() + first, all.begin() + first + count);
      ASSERT_TRUE(expected.start(from, some, limits));
      const test::AllocationCount allocations;
      const bool planned = motion.start(from, motion.waypoints().subspan(first, count), limits);
      EXPECT_EQ(allocations.count(), 0u);
      ASSERT_TRUE(planned);
      ASSERT_EQ(motion.waypoints().size(), count);
      EXPECT_EQ(motion.duration(), expected.duration());
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_EQ(motion.waypoints()[k].q, some[k].q);
        EXPECT_EQ(motion.waypoints()[k].v, some[k].v);
        EXPECT_EQ(motion.arrival(static_cast<int>(k)), expected.arrival(static_cast<int>(k)));
      }
    }
}

struct Refused {
  PlanRefusal reason;
  int waypoint, coordinate;
  const char* text;
};

TEST(PointToPoint, RefusesWithTheReason) {
  const double nan = std::nan("");
  const MotionState from = rest(coordinates({0.0, 0.0}));
  const MotionLimits limits = limits_of(1.0, 2.0, 10.0, 2);
  const Waypoint good{coordinates({1.0, 1.0}), {}};
  PointToPoint motion(2);
  const auto expect = [&](const MotionState& start, std::vector<Waypoint> waypoints,
                          const MotionLimits& most, const Refused& expected) {
    ASSERT_TRUE(motion.start(from, {&good, 1}, limits));
    EXPECT_FALSE(motion.start(start, waypoints, most)) << expected.text;
    EXPECT_FALSE(motion.planned());
    EXPECT_EQ(motion.duration(), 0.0);
    EXPECT_EQ(motion.error().reason, expected.reason) << expected.text;
    EXPECT_EQ(motion.error().waypoint, expected.waypoint);
    EXPECT_EQ(motion.error().coordinate, expected.coordinate);
    EXPECT_EQ(motion.error().text(), expected.text);
  };
  const char* none =
      "there are no waypoints, or more than there is room for; give between one and the most";
  expect(from, {}, limits, {PlanRefusal::kWaypoints, -1, -1, none});
  expect(from, {good, good, good}, limits, {PlanRefusal::kWaypoints, -1, -1, none});
  expect(rest({}), {good}, limits,
         {PlanRefusal::kSize, -1, -1,
          "its size is not that of the start, or the start's is not 1 to 16; give every vector one "
          "size"});
  expect(from, {good, {coordinates({1.0}), {}}}, limits,
         {PlanRefusal::kSize, 1, -1,
          "waypoint 1: its size is not that of the start, or the start's is not 1 to 16; give "
          "every vector one size"});
  MotionState start = from;
  start.a[1] = HUGE_VAL;
  expect(start, {good}, limits,
         {PlanRefusal::kNotFinite, -1, 1,
          "coordinate 1: a number is not finite; give finite numbers"});
  expect(from, {{coordinates({1.0, nan}), {}}}, limits,
         {PlanRefusal::kNotFinite, 0, 1,
          "waypoint 0, coordinate 1: a number is not finite; give finite numbers"});
  MotionLimits none_at_all = limits;
  none_at_all.jerk[0] = 0.0;
  expect(from, {good}, none_at_all,
         {PlanRefusal::kLimits, -1, 0,
          "coordinate 0: a limit is not a finite number > 0; give limits of velocity, acceleration "
          "and jerk"});
  expect(from, {good, {coordinates({2.0, 2.0}), coordinates({0.5, -1.01})}}, limits,
         {PlanRefusal::kPassing, 1, 1,
          "waypoint 1, coordinate 1: its passing velocity cannot be had within the limits; pass it "
          "slower or stop there"});
  expect(from, {{coordinates({1e4, 0.0}), {}}}, limits,
         {PlanRefusal::kTooLong, 0, -1,
          "waypoint 0: the motion there would last more than two hours; give higher limits"});
}

}  // namespace point_to_point_test
}  // namespace handspan
