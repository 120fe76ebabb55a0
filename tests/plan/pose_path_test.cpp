#include "plan/pose_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace pose_path_test {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kSeed = 1;
// ruckig takes a profile whose end is as near as that to its target
constexpr double kRuckig = 1e-8;
const PoseLimits kLimits{{0.5, 2.0, 20.0}, {1.5, 6.0, 60.0}};

Pose random_pose(RandomStream& random, double distance, double angle) {
  return {exp_so3(random.uniform(0.0, angle) * random.direction()),
          random.uniform(0.0, distance) * random.direction()};
}

PoseLimits random_limits(RandomStream& random) {
  return {{random.uniform(0.2, 2.0), random.uniform(1.0, 10.0), random.uniform(10.0, 200.0)},
          {random.uniform(0.5, 4.0), random.uniform(2.0, 30.0), random.uniform(20.0, 600.0)}};
}

double distance(const Pose& X, const Pose& Y) { return pose_difference(X, Y).norm(); }

// the same norms, sampled at 1 kHz; the jerk by differences of the acceleration
struct Norms {
  double v = 0.0, a = 0.0, j = 0.0;
};
struct Sampled {
  Norms linear, angular;  // greatest, over their limits
};
Sampled sample(const PosePath& path, const PoseLimits& limits) {
  Sampled most;
  const double step = 1e-3;
  PoseState last = path.at(0.0);
  const auto take = [&](Norms& norms, const NormLimits& limit, const auto& v, const auto& a,
                        const auto& a_last) {
    norms.v = std::max(norms.v, v.norm() / limit.velocity);
    norms.a = std::max(norms.a, a.norm() / limit.acceleration);
    norms.j = std::max(norms.j, (a - a_last).norm() / (step * limit.jerk));
  };
  for (int k = 0; k * step < path.duration(); ++k) {
    const PoseState now = path.at(k * step);
    take(most.linear, limits.linear, now.V_WE.head<3>(), now.A_WE.head<3>(), last.A_WE.head<3>());
    take(most.angular, limits.angular, now.V_WE.tail<3>(), now.A_WE.tail<3>(), last.A_WE.tail<3>());
    last = now;
  }
  return most;
}

void expect_within(const Sampled& most, double tolerance) {
  for (const Norms& norms : {most.linear, most.angular}) {
    EXPECT_LT(norms.v, 1.0 + tolerance);
    EXPECT_LT(norms.a, 1.0 + tolerance);
    EXPECT_LT(norms.j, 1.0 + tolerance);
  }
}

TEST(PosePath, FromRestToRestIsTheStraightLineAndTheTurnAboutOneAxisWithExactNorms) {
  RandomStream random(kSeed, "line");
  PosePath path(1);
  for (int run = 0; run < 500; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const PoseLimits limits = random_limits(random);
    const PoseState from{random_pose(random, 1.0, 3.0)};
    const PoseWaypoint to{random_pose(random, 1.0, 3.0)};
    ASSERT_TRUE(path.start(from, {&to, 1}, limits)) << path.error().text();
    EXPECT_EQ(path.excess(), 0.0);
    const Vector6d way = pose_difference(from.X_WE, to.X_WE);
    double jerk = 0.0;
    const double h = 1e-6;
    for (int i = 0; i < 40; ++i) {
      const double t = random.uniform(h, path.duration() - h);
      const PoseState now = path.at(t);
      const Vector6d gone = pose_difference(from.X_WE, now.X_WE);
      const double share = gone.head<3>().norm() / way.head<3>().norm();
      EXPECT_LT((gone - share * way).norm(), 256 * kEps);
      EXPECT_LT(now.V_WE.head<3>().cross(way.head<3>()).norm(), 64 * kEps);
      EXPECT_LT(now.V_WE.tail<3>().cross(way.tail<3>()).norm(), 256 * kEps);
    }
    for (double t = 1e-3; t < path.duration(); t += 1e-3) {
      const Vector6d change = path.at(t).A_WE - path.at(t - 1e-3).A_WE;
      jerk = std::max({jerk, change.head<3>().norm() / 1e-3 / limits.linear.jerk,
                       change.tail<3>().norm() / 1e-3 / limits.angular.jerk});
    }
    // one of the two is at its jerk limit at the start
    EXPECT_NEAR(jerk, 1.0, 1e-6);
    expect_within(sample(path, limits), 1e-6);
  }
}

TEST(PosePath, LineTakesTheTimeOfTheSCurveOfItsNorms) {
  // a way of 2 m in the direction (1, 2, 2) / 3: T = d / v + v / a + a / j of the norms
  const PoseWaypoint to{Pose::translation({2.0 / 3, 4.0 / 3, 4.0 / 3})};
  PosePath path;
  ASSERT_TRUE(path.start({}, {&to, 1}, kLimits));
  EXPECT_NEAR(path.duration(), 2.0 / 0.5 + 0.5 / 2.0 + 2.0 / 20.0, 1e-12);
  // a turn of 3 rad
  const PoseWaypoint turned{Pose::rotation(exp_so3(Eigen::Vector3d(1, -2, 2)))};
  ASSERT_TRUE(path.start({}, {&turned, 1}, kLimits));
  EXPECT_NEAR(path.duration(), 3.0 / 1.5 + 1.5 / 6.0 + 6.0 / 60.0, 1e-12);
}

struct Case {
  PoseState from;
  std::vector<PoseWaypoint> waypoints;
  PoseLimits limits;
};

Vector6d random_twist(RandomStream& random, const PoseLimits& limits, double share) {
  Vector6d V;
  V << random.uniform(0.0, share) * limits.linear.velocity * random.direction(),
      random.uniform(0.0, share) * limits.angular.velocity * random.direction();
  return V;
}

// a start with which the norms can be kept: the velocity that its acceleration adds has room
Case random_case(RandomStream& random, bool passing) {
  Case c;
  c.limits = random_limits(random);
  c.from.X_WE = random_pose(random, 1.0, 3.0);
  c.from.V_WE = random_twist(random, c.limits, 0.9);
  const auto acceleration = [&](const NormLimits& limits, const Eigen::Vector3d& v) {
    const double room = std::sqrt(2.0 * limits.jerk * (limits.velocity - v.norm()));
    return Eigen::Vector3d(random.uniform(0.0, 0.9) * std::min(limits.acceleration, room) *
                           random.direction());
  };
  if (random.integer(2) == 0)
    c.from.A_WE << acceleration(c.limits.linear, c.from.V_WE.head<3>()),
        acceleration(c.limits.angular, c.from.V_WE.tail<3>());
  const int waypoints = 1 + static_cast<int>(random.integer(3));
  for (int k = 0; k < waypoints; ++k) {
    PoseWaypoint to{random_pose(random, 1.0, 3.0)};
    if (passing && random.integer(2) == 0) {
      to.passing = Passing::kTwist;
      to.V_WE = random_twist(random, c.limits, 0.4);
    }
    c.waypoints.push_back(to);
  }
  return c;
}

TEST(PosePath, KeepsTheNormsFromAnyStateInRandomCases) {
  RandomStream random(kSeed, "norms");
  PosePath path(3);
  int planned = 0;
  for (int run = 0; run < 2000; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const bool passing = run % 2 == 0;
    const Case c = random_case(random, passing);
    if (!path.start(c.from, c.waypoints, c.limits)) {
      // only a passing twist may be refused
      ASSERT_TRUE(passing) << path.error().text();
      EXPECT_EQ(path.error().reason, PlanRefusal::kPassing);
      continue;
    }
    ++planned;
    EXPECT_EQ(path.excess(), 0.0);
    const Sampled most = sample(path, c.limits);
    // measured when planning between samples of a fortieth of the segment
    expect_within(most, 1e-3);
    for (int k = 0; k < static_cast<int>(c.waypoints.size()); ++k) {
      const PoseWaypoint& to = c.waypoints[k];
      const PoseState before = path.at(std::nextafter(path.arrival(k), 0.0));
      const PoseState at = path.at(path.arrival(k));
      EXPECT_EQ(at.X_WE.R, to.X_WE.R);
      EXPECT_EQ(at.X_WE.p, to.X_WE.p);
      EXPECT_EQ(at.V_WE, to.V_WE);
      EXPECT_LT(distance(before.X_WE, to.X_WE), 4 * kRuckig);
      EXPECT_LT((before.V_WE - to.V_WE).norm(), 8 * kRuckig);
      EXPECT_LT((before.A_WE - at.A_WE).norm(), 1e-6);
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(planned, 1500);
}

TEST(PosePath, TwistIsTheRateOfThePoseAndItsAccelerationThatOfTheTwist) {
  RandomStream random(kSeed, "rates");
  PosePath path(3);
  const double h = 1e-5;
  for (int run = 0; run < 200; ++run) {
    const Case c = random_case(random, false);
    ASSERT_TRUE(path.start(c.from, c.waypoints, c.limits));
    for (int i = 0; i < 20; ++i) {
      const double t = random.uniform(h, path.duration() - h);
      bool near_waypoint = false;
      for (int k = 0; k < static_cast<int>(c.waypoints.size()); ++k)
        near_waypoint |= std::abs(t - path.arrival(k)) <= h;
      if (near_waypoint) continue;
      const PoseState before = path.at(t - h), now = path.at(t), after = path.at(t + h);
      const Vector6d V = pose_difference(before.X_WE, after.X_WE) / (2 * h);
      const Vector6d A = (after.V_WE - before.V_WE) / (2 * h);
      EXPECT_LT((V - now.V_WE).norm(), 1e-6) << "seed " << kSeed << " run " << run;
      // the jerk may change between
      EXPECT_LT((A - now.A_WE).norm(), h * (c.limits.linear.jerk + c.limits.angular.jerk));
    }
  }
}

TEST(PosePath, StartIsTheGivenStateAlsoWhenItMoves) {
  RandomStream random(kSeed, "start");
  PosePath path(3);
  for (int run = 0; run < 100; ++run) {
    const Case c = random_case(random, false);
    ASSERT_TRUE(path.start(c.from, c.waypoints, c.limits));
    EXPECT_EQ(path.at(-0.1).V_WE, c.from.V_WE);
    // and what follows goes on from there
    const PoseState soon = path.at(1e-9);
    EXPECT_LT(distance(soon.X_WE, c.from.X_WE), 1e-8);
    EXPECT_LT((soon.V_WE - c.from.V_WE).norm(), 1e-6) << "seed " << kSeed << " run " << run;
    EXPECT_LT((soon.A_WE - c.from.A_WE).norm(), 1e-5) << "seed " << kSeed << " run " << run;
  }
}

TEST(PosePath, WhatRoundingLeavesOfAStopIsRest) {
  // a reference that followed a standing goal moves by rounding, and goes straight all the same
  RandomStream random(kSeed, "rounding");
  PosePath path(1);
  for (int run = 0; run < 500; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    PoseState from{random_pose(random, 1.0, 3.0)};
    const PoseWaypoint to{random_pose(random, 1.0, 3.0)}, here{from.X_WE};
    ASSERT_TRUE(path.start(from, {&to, 1}, kLimits));
    const double duration = path.duration();
    const auto rounding = [&](double size) {
      Vector6d V;
      V << random.uniform(0.0, size) * random.direction(),
          random.uniform(0.0, size) * random.direction();
      return V;
    };
    from.V_WE = rounding(1e-9);
    from.A_WE = rounding(1e-6);
    ASSERT_TRUE(path.start(from, {&to, 1}, kLimits));
    EXPECT_NEAR(path.duration(), duration, 1e-6);
    const Vector6d way = pose_difference(from.X_WE, to.X_WE);
    for (int i = 1; i < 20; ++i) {
      const PoseState now = path.at(path.duration() * i / 20.0);
      EXPECT_LT(now.V_WE.head<3>().cross(way.head<3>()).norm(), 64 * kEps);
      EXPECT_LT(now.V_WE.tail<3>().cross(way.tail<3>()).norm(), 256 * kEps);
    }
    // and where it is to be already, it stops there
    ASSERT_TRUE(path.start(from, {&here, 1}, kLimits)) << path.error().text();
    EXPECT_LT(path.duration(), 1e-2);
    EXPECT_EQ(path.excess(), 0.0);
  }
}

TEST(PosePath, FromTheFullSpeedItTurnsOffWithoutMoreSpeed) {
  // the velocity is at its limit, across the way
  const PoseState from{Pose{}, (Vector6d() << 0.5, 0, 0, 0, 0, 1.5).finished()};
  const PoseWaypoint to{{exp_so3({1.0, 0, 0}), {0, 0.6, 0}}};
  PosePath path;
  ASSERT_TRUE(path.start(from, {&to, 1}, kLimits)) << path.error().text();
  EXPECT_EQ(path.excess(), 0.0);
  expect_within(sample(path, kLimits), 1e-3);
  EXPECT_EQ(path.at(path.duration()).X_WE.p, to.X_WE.p);
}

TEST(PosePath, ANewGoalAtAnyTimeKeepsTheNorms) {
  // also while speeding up to the limit of velocity, where to stop speeding up needs the whole jerk
  RandomStream random(kSeed, "new goal");
  PosePath first(1), second(1);
  for (int run = 0; run < 60; ++run) {
    const PoseWaypoint to{random_pose(random, 1.5, 3.0)};
    ASSERT_TRUE(first.start({}, {&to, 1}, kLimits));
    for (int i = 1; i < 20; ++i) {
      const PoseWaypoint other{random_pose(random, 1.5, 3.0)};
      SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run << " time " << i);
      ASSERT_TRUE(second.start(first.at(first.duration() * i / 20.0), {&other, 1}, kLimits));
      EXPECT_LT(second.excess(), 1e-6);
      expect_within(sample(second, kLimits), 1e-3);
      if (HasFailure()) return;
    }
  }
}

TEST(PosePath, AStartBeyondTheLimitsIsBroughtBackAndSaysByHowMuchItWas) {
  const PoseState from{Pose{}, (Vector6d() << 0.75, 0, 0, 0, 0, 0).finished()};
  const PoseWaypoint to{Pose::translation({1.0, 0.3, 0})};
  PosePath path;
  ASSERT_TRUE(path.start(from, {&to, 1}, kLimits)) << path.error().text();
  EXPECT_NEAR(path.excess(), 0.5, 1e-6);
  EXPECT_EQ(path.at(path.duration()).X_WE.p, to.X_WE.p);
  // 0.25 m/s at up to 2 m/s^2 and 20 m/s^3, a third of them in each direction
  for (double t = 0.6; t < path.duration(); t += 1e-3)
    EXPECT_LT(path.at(t).V_WE.head<3>().norm(), 0.5 * (1 + 1e-6));
}

TEST(PosePath, PassesAlongTheWayAtTheGivenSpeed) {
  const Eigen::Vector3d way(0.6, 0.0, 0.8), turn(0.0, 0.5, 0.0);
  std::vector<PoseWaypoint> waypoints{{{exp_so3(turn), way}, Passing::kAlong, 0.4},
                                      {{exp_so3(turn), way + Eigen::Vector3d(0, 0.5, 0)}}};
  PosePath path;
  ASSERT_TRUE(path.start({}, waypoints, kLimits)) << path.error().text();
  const PoseState at = path.at(path.arrival(0));
  EXPECT_LT((at.V_WE.head<3>() - 0.4 * way).norm(), 4 * kEps);
  EXPECT_LT((at.V_WE.tail<3>() - 0.4 * turn).norm(), 16 * kEps);
  // straight until there, and faster there than by stopping
  for (double t = 0.0; t < path.arrival(0); t += 1e-2)
    EXPECT_LT(path.at(t).X_WE.p.cross(way).norm(), 16 * kEps);
  expect_within(sample(path, kLimits), 1e-3);
  const double passing = path.duration();
  waypoints[0].passing = Passing::kStop;
  ASSERT_TRUE(path.start({}, waypoints, kLimits));
  EXPECT_NE(path.duration(), passing);
}

TEST(PosePath, OnAlongALineItStaysOnIt) {
  // three poses of one line, the first two passed at speed
  std::vector<PoseWaypoint> waypoints{{Pose::translation({0.1, 0.2, 0.2}), Passing::kAlong, 0.45},
                                      {Pose::translation({0.2, 0.4, 0.4}), Passing::kAlong, 0.5},
                                      {Pose::translation({0.3, 0.6, 0.6})}};
  PosePath path;
  ASSERT_TRUE(path.start({}, waypoints, kLimits)) << path.error().text();
  EXPECT_EQ(path.excess(), 0.0);
  for (double t = 0.0; t < path.duration(); t += 1e-2)
    EXPECT_LT(path.at(t).X_WE.p.cross(Eigen::Vector3d(1, 2, 2)).norm(), 16 * kEps);
  expect_within(sample(path, kLimits), 1e-6);
}

TEST(PosePath, AfterTheEndItGoesOnAtTheTwist) {
  PoseWaypoint to{Pose::translation({0.5, 0, 0}), Passing::kTwist};
  to.V_WE << 0.2, 0.0, 0.0, 0.0, 0.0, 0.5;
  PosePath path;
  ASSERT_TRUE(path.start({}, {&to, 1}, kLimits)) << path.error().text();
  const PoseState after = path.at(path.duration() + 2.0);
  EXPECT_LT((after.X_WE.p - Eigen::Vector3d(0.9, 0, 0)).norm(), 4 * kEps);
  EXPECT_LT((after.X_WE.R - exp_so3({0, 0, 1.0})).norm(), 8 * kEps);
  EXPECT_EQ(after.V_WE, to.V_WE);
}

TEST(PosePath, PlanningAndSamplingAllocateNothing) {
  RandomStream random(kSeed, "alloc");
  PosePath path(3);
  std::vector<Case> cases;
  for (int run = 0; run < 30; ++run) cases.push_back(random_case(random, true));
  double sum = 0.0;
  const test::AllocationCount allocations;
  for (const Case& c : cases) {
    if (!path.start(c.from, c.waypoints, c.limits)) continue;
    for (int i = 0; i < 20; ++i) sum += path.at(0.05 * i).X_WE.p.x() + path.waypoint(0.05 * i);
  }
  EXPECT_EQ(allocations.count(), 0u);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(PosePath, ItsArgumentsGiveTheSameBitsAgain) {
  RandomStream random(kSeed, "again");
  PosePath path(3), other(3);
  int compared = 0;
  for (int run = 0; run < 100; ++run) {
    const Case before = random_case(random, true), c = random_case(random, true);
    path.start(before.from, before.waypoints, before.limits);
    if (!path.start(c.from, c.waypoints, c.limits)) continue;
    ASSERT_TRUE(other.start(path.from(), path.waypoints(), path.limits()));
    ASSERT_EQ(path.duration(), other.duration());
    ASSERT_EQ(path.excess(), other.excess());
    for (int i = 0; i < 20; ++i, ++compared) {
      const double t = random.uniform(0.0, path.duration());
      ASSERT_EQ(path.at(t).X_WE.R, other.at(t).X_WE.R) << "seed " << kSeed << " run " << run;
      ASSERT_EQ(path.at(t).X_WE.p, other.at(t).X_WE.p);
      ASSERT_EQ(path.at(t).V_WE, other.at(t).V_WE);
      ASSERT_EQ(path.at(t).A_WE, other.at(t).A_WE);
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(PosePath, RefusesWithTheReason) {
  PosePath path(2);
  const PoseWaypoint good{Pose::translation({1, 0, 0})};
  const auto expect = [&](const PoseState& from, std::vector<PoseWaypoint> waypoints,
                          const PoseLimits& limits, PlanRefusal reason, int waypoint) {
    ASSERT_TRUE(path.start({}, {&good, 1}, kLimits));
    EXPECT_FALSE(path.start(from, waypoints, limits));
    EXPECT_FALSE(path.planned());
    EXPECT_EQ(path.error().reason, reason) << path.error().text();
    EXPECT_EQ(path.error().waypoint, waypoint);
  };
  expect({}, {}, kLimits, PlanRefusal::kWaypoints, -1);
  expect({}, {good, good, good}, kLimits, PlanRefusal::kWaypoints, -1);
  PoseState from;
  from.A_WE[5] = std::nan("");
  expect(from, {good}, kLimits, PlanRefusal::kNotFinite, -1);
  from = {};
  from.X_WE.R *= 1.1;
  expect(from, {good}, kLimits, PlanRefusal::kRotation, -1);
  PoseWaypoint bad = good;
  bad.X_WE.p.x() = HUGE_VAL;
  expect({}, {good, bad}, kLimits, PlanRefusal::kNotFinite, 1);
  bad = good;
  bad.X_WE.R.col(0) *= -1.0;
  expect({}, {good, bad}, kLimits, PlanRefusal::kRotation, 1);
  EXPECT_EQ(path.error().text(),
            "waypoint 1: its R is not a rotation; give an orthonormal matrix of determinant 1");
  bad = {good.X_WE, Passing::kAlong, std::nan("")};
  expect({}, {bad}, kLimits, PlanRefusal::kNotFinite, 0);
  bad.speed = 0.51;
  expect({}, {bad}, kLimits, PlanRefusal::kPassing, 0);
  bad.speed = -0.1;
  expect({}, {bad}, kLimits, PlanRefusal::kPassing, 0);
  // a turn has no direction of travel
  bad = {Pose::rotation(exp_so3({1, 0, 0})), Passing::kAlong, 0.1};
  expect({}, {bad}, kLimits, PlanRefusal::kPassing, 0);
  // the turn that belongs to the speed is too fast: 3 rad in 0.1 m
  bad = {{exp_so3({3, 0, 0}), {0.1, 0, 0}}, Passing::kAlong, 0.1};
  expect({}, {bad}, kLimits, PlanRefusal::kPassing, 0);
  bad = {good.X_WE, Passing::kTwist};
  bad.V_WE[3] = 1.6;
  expect({}, {bad}, kLimits, PlanRefusal::kPassing, 0);
  PoseLimits limits = kLimits;
  limits.angular.jerk = HUGE_VAL;
  expect({}, {good}, limits, PlanRefusal::kLimits, -1);
  expect({}, {{Pose::translation({1e4, 0, 0})}}, kLimits, PlanRefusal::kTooLong, 0);
}

}  // namespace pose_path_test
}  // namespace handspan
