#include "reference/follow_law.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>

#include "core/random.hpp"

namespace handspan {
namespace follow_law_test {

using Vector1 = Eigen::Matrix<double, 1, 1>;

// a point that moves as it is told; every tick within the limits, or the test fails
template <int N>
struct Point {
  using Vector = Eigen::Matrix<double, N, 1>;

  Point(const FollowLimits& l, double tick) : limits(l), dt(tick) {}
  void move(const Vector& v) {
    const Vector a = (v - now.v) / dt;
    ASSERT_LE(v.norm(), limits.speed * (1.0 + 2e-12));
    ASSERT_LE(a.norm(), limits.acceleration * (1.0 + 1e-9));
    ASSERT_LE((a - now.a).norm(), limits.jerk * dt * (1.0 + 1e-9) + 1e-12 / dt);
    x += v * dt;
    now = {v, a};
  }
  void follow(const MovingGoal<N>& goal) { move(follow_step<N>(now, goal, limits, dt)); }
  void brake() { move(brake_step<N>(now, limits, dt)); }

  FollowLimits limits;
  double dt;
  Vector x = Vector::Zero();
  PointMotion<N> now;
};

double log_uniform(RandomStream& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

FollowLimits random_limits(RandomStream& random) {
  return {log_uniform(random, 0.1, 3.0), log_uniform(random, 1.0, 50.0),
          log_uniform(random, 30.0, 5000.0)};
}

TEST(FollowLaw, ClosingSpeedStopsExactly) {
  constexpr double kDt = 1e-3;
  for (const double e0 : {1e-7, 3e-6, 1e-3, 0.37}) {
    double e = e0;
    for (int i = 0; i < 10000 && e > 0.0; ++i) {
      const double r = closing_speed(e, 5.0, kDt);
      ASSERT_GE(r, 0.0);
      e -= r * kDt;
      ASSERT_GE(e, -1e-16);
      // the next speed is at most a dt slower
      if (e > 1e-15) {
        ASSERT_LE(r - closing_speed(e, 5.0, kDt), 5.0 * kDt * (1.0 + 1e-9));
      }
    }
    EXPECT_LE(e, 1e-15);
  }
}

// from rest back in time: the acceleration rises by the jerk to a peak, stays, goes on to beyond 0
TEST(FollowLaw, StoppingDistanceIsThatOfTheFastestStop) {
  RandomStream random(11, "stop");
  for (int i = 0; i < 2000; ++i) {
    const double a = log_uniform(random, 1.0, 50.0), j = log_uniform(random, 30.0, 5000.0);
    const double share = random.uniform(), peak = share < 0.5 ? a : a * random.uniform();
    const double hold = share < 0.5 ? random.uniform(0.0, 0.3) : 0.0;
    const double last = peak / j, first = random.uniform(0.0, 2.0) * peak / j;
    // at the end of the first part, counted back from rest
    const double u_hold = 0.5 * j * last * last, way_last = j * last * last * last / 6.0;
    const double u_first = u_hold + peak * hold;
    const double way_hold = (u_hold + 0.5 * peak * hold) * hold;
    const double A = -peak + j * first;
    const double u = u_first + peak * first - 0.5 * j * first * first;
    const double way_first =
        u_first * first + 0.5 * peak * first * first - j * std::pow(first, 3) / 6.0;
    const double way = way_last + way_hold + way_first;
    EXPECT_NEAR(stopping_distance(u, A, a, j), way, 1e-12 * (1.0 + way)) << "seed 11, case " << i;
    EXPECT_NEAR(stopping_distance(-u, -A, a, j), -way, 1e-12 * (1.0 + way));
  }
}

// the formula, whatever the limits
TEST(FollowLaw, BrakingStopsInItsFormulaStraightAndWithoutTurningBack) {
  const Eigen::Vector3d direction = Eigen::Vector3d(2.0, -1.0, 0.5).normalized();
  for (const double dt : {1e-3, 8e-3})
    for (const double a : {1.0, 4.0, 10.0, 40.0})
      for (const double j : {30.0, 100.0, 500.0, 5000.0})
        for (const double v : {1e-4, 0.05, 0.7, 1.5}) {
          Point<3> point({1.5, a, j}, dt);
          point.now.v = v * direction;
          int ticks = 0;
          while (point.now.v != Eigen::Vector3d::Zero()) {
            point.brake();
            ASSERT_GE(point.now.v.dot(direction), 0.0);
            ASSERT_LT(++ticks, 10000);
          }
          EXPECT_LE(point.x.dot(direction), v * v / (2.0 * a) + v * a / (2.0 * j) + v * dt)
              << "dt " << dt << ", a " << a << ", j " << j << ", v " << v;
          EXPECT_LE(point.x.cross(direction).norm(), 1e-14);
          // and it stays there, legally
          const Eigen::Vector3d end = point.x;
          point.brake();
          EXPECT_EQ(point.x, end);
        }
}

TEST(FollowLaw, AGoalThatStandsIsReachedExactlyAndNotPassed) {
  RandomStream random(5, "goals");
  for (int i = 0; i < 2000; ++i) {
    Point<3> point(random_limits(random), i % 2 == 0 ? 1e-3 : 8e-3);
    const double distance = log_uniform(random, 1e-8, 2.0);
    const Eigen::Vector3d direction = random.direction(), goal = distance * direction;
    SCOPED_TRACE(testing::Message() << "seed 5, case " << i);
    // bang-bang, without a limit of speed, and what the limits leave of it
    const FollowLimits& l = point.limits;
    const double fastest = 4.0 * std::cbrt(distance / (2.0 * l.jerk)) +
                           2.0 * std::sqrt(distance / l.acceleration) + distance / l.speed;
    double passed = 0.0, aside = 0.0;
    int ticks = 0;
    while ((point.x - goal).norm() > 1e-13 || point.now.v.norm() > 1e-9) {
      point.follow({goal - point.x});
      passed = std::max(passed, point.x.dot(direction) - distance);
      aside = std::max(aside, point.x.cross(direction).norm());
      ASSERT_LT(++ticks * point.dt, 1.5 * fastest + 30.0 * point.dt);
    }
    EXPECT_LE(passed, std::max(1e-6, 0.01 * distance));
    EXPECT_LE(aside, 1e-12);
  }
}

TEST(FollowLaw, WhateverIsWantedEveryTickIsLegal) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    RandomStream random(seed, "wild");
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Point<3> point(random_limits(random), seed % 2 == 0 ? 1e-3 : 8e-3);
    Eigen::Vector3d goal = Eigen::Vector3d::Zero(), v = goal;
    for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
      const double what = random.uniform();
      if (what < 0.02) goal = 2.0 * random.direction();
      if (what < 0.01) v = 6.0 * random.direction();
      if (what > 0.98) v.setZero();
      // a flick, or noise
      if (seed < 4)
        goal += v * point.dt;
      else
        goal = random.uniform(0.0, 0.1) * random.direction();
      if (goal.norm() > 2.0) v = -v;
      if (random.uniform() < 0.1)
        point.brake();
      else
        point.follow({goal - point.x, point.limits.speed / 6.0 * v, 3.0 * random.direction()});
    }
    int ticks = 0;
    while (point.now.v != Eigen::Vector3d::Zero()) {
      point.brake();
      ASSERT_LT(++ticks, 20000);
    }
  }
}

// A point that circles round its goal with most of its acceleration comes to the goal, and one at
// a goal that trembles as a hand does stays there: the jerk may only just turn the pull with the
// line.
TEST(FollowLaw, NothingOrbitsAGoal) {
  constexpr std::uint64_t kSeed = 11;
  RandomStream random(kSeed, "orbits");
  for (const double dt : {0.001, 0.002, 0.008})
    for (int i = 0; i < 60; ++i) {
      const FollowLimits limits{3.0, log_uniform(random, 1.0, 40.0),
                                log_uniform(random, 200.0, 3000.0)};
      SCOPED_TRACE(fmt::format("dt {} limits {} {}", dt, limits.acceleration, limits.jerk));
      Point<3> point(limits, dt);
      // as fast as the jerk can turn the acceleration, and within the speed
      const double a = 0.9 * limits.acceleration;
      const double speed = std::min(2.0, a * a / (0.9 * limits.jerk) + 0.05);
      const double radius = speed * speed / a;
      point.x = {radius, 0.0, 0.0};
      point.now = {{0.0, speed, 0.0}, {-a, 0.0, 0.0}};
      for (double t = 0.0; t < 6.0; t += dt) {
        ASSERT_NO_FATAL_FAILURE(point.follow({-point.x}));
        ASSERT_LT(point.x.norm(), 10.0 * radius + 0.5);
      }
      EXPECT_LT(point.x.norm(), 1e-6);
      // a tracker's frames of a trembling hand, 0.8 mm at 9 to 11 Hz
      const auto hand = [](double t) {
        return Eigen::Vector3d(std::sin(56.5 * t), std::sin(62.8 * t), std::sin(69.1 * t)) * 8e-4;
      };
      Point<3> other(limits, dt);
      Eigen::Vector3d goal = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero();
      const int frame = std::max(1, static_cast<int>(0.011 / dt));
      double farthest = 0.0;
      for (int k = 0; k * dt < 6.0; ++k) {
        if (k % frame == 0) v = (hand(k * dt) - goal) / (frame * dt);
        goal += v * dt;
        ASSERT_NO_FATAL_FAILURE(other.follow({goal - other.x, v}));
        farthest = std::max(farthest, other.x.norm());
      }
      EXPECT_LT(farthest, 0.015);
    }
}

TEST(FollowLaw, AMovingGoalIsCaughtUpWithAndThenFollowedExactly) {
  RandomStream random(9, "catch");
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 9, case " << i);
    Point<3> point({1.5, 10.0, 500.0}, i % 2 == 0 ? 1e-3 : 8e-3);
    const Eigen::Vector3d centre = random.uniform(0.0, 1.0) * random.direction();
    Eigen::Vector3d size, rate, phase;
    for (int k = 0; k < 3; ++k) {
      size[k] = random.uniform(0.0, 0.2);
      rate[k] = random.uniform(0.5, 4.0);
      phase[k] = random.uniform(0.0, 6.3);
    }
    const auto at = [&](double t) -> Eigen::Vector3d {
      return centre + size.cwiseProduct(Eigen::Vector3d((rate * t + phase).array().sin()));
    };
    const double dt = point.dt;
    for (int n = 1; n * dt < 3.0; ++n) {
      const double t = n * dt;
      const Eigen::Vector3d v = (at(t) - at(t - dt)) / dt,
                            before = (at(t - dt) - at(t - 2.0 * dt)) / dt;
      point.follow({at(t) - point.x, v, (v - before) / dt});
      if (t > 2.0) {
        ASSERT_LT((point.x - at(t)).norm(), 1e-9);
      }
    }
  }
}

TEST(FollowLaw, BoundsAreNeverPassed) {
  for (int i = 0; i < 300; ++i) {
    RandomStream random(static_cast<std::uint64_t>(i), "bounds");
    SCOPED_TRACE(testing::Message() << "seed " << i);
    Point<1> point(random_limits(random), i % 2 == 0 ? 1e-3 : 8e-3);
    const double lower = -random.uniform(0.001, 1.0), upper = random.uniform(0.001, 1.0);
    const double size = random.uniform(0.0, 2.0), rate = random.uniform(0.3, 20.0);
    double goal = 0.0, v = 0.0;
    for (int n = 0; n < 3000 && !testing::Test::HasFailure(); ++n) {
      if (i % 3 == 0) {
        if (random.uniform() < 0.02) goal = random.uniform(-2.0, 2.0);
      } else if (i % 3 == 1) {
        goal = size * std::sin(rate * n * point.dt);
        v = size * rate * std::cos(rate * n * point.dt);
      } else {
        if (random.uniform() < 0.02) v = random.uniform(-1.0, 1.0) * point.limits.speed;
        goal += v * point.dt;
      }
      const MovingGoal<1> moving{Vector1(goal - point.x[0]),
                                 Vector1(std::clamp(v, -point.limits.speed, point.limits.speed))};
      point.move(
          Vector1(bounded_step(point.now, random.uniform() < 0.05 ? nullptr : &moving,
                               lower - point.x[0], upper - point.x[0], point.limits, point.dt)));
      ASSERT_GE(point.x[0], lower - 2e-12);
      ASSERT_LE(point.x[0], upper + 2e-12);
    }
    // a goal beyond is stopped at
    for (int n = 0; n < 20000; ++n) {
      const MovingGoal<1> beyond{Vector1(3.0 - point.x[0])};
      point.move(Vector1(bounded_step(point.now, &beyond, lower - point.x[0], upper - point.x[0],
                                      point.limits, point.dt)));
    }
    EXPECT_NEAR(point.x[0], upper, 1e-9);
  }
}

TEST(FollowLaw, WhereItComesToRestIsKnown) {
  RandomStream random(4, "ends");
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 4, case " << i);
    Point<3> point({1.5, log_uniform(random, 2.0, 30.0), log_uniform(random, 100.0, 5000.0)}, 1e-3);
    const Eigen::Vector3d goal = random.uniform(0.5, 2.0) * random.direction();
    const int some = static_cast<int>(random.integer(400));
    for (int n = 0; n < some; ++n) point.follow({goal - point.x});
    const Eigen::Vector3d end = point.x + stop_of<3>(point.now, point.limits, point.dt);
    ASSERT_LT(end.norm(), goal.norm() * 1.001);
    while (point.now.v.norm() > 1e-9) point.follow({end - point.x});
    EXPECT_LT((point.x - end).norm(), 1e-6);
    // what it plans with is within the limits: braking by all of them is sooner
    EXPECT_LE(point.x.dot(goal) / goal.norm(), end.norm() + 1e-6);
  }
}

TEST(FollowLaw, AGoalsVelocityIsWhatItWentUnlessItJumped) {
  const FollowLimits limits{1.0, 10.0, 500.0};
  bool jumped = true;
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY();
  // sampled, integrated at the new velocity, or at the old one
  for (const double share : {0.0, 0.5, 1.0}) {
    const Eigen::Vector3d before = 0.3 * x, now = 0.3 * x + 0.01 * y;
    const Eigen::Vector3d v = before + share * (now - before);
    EXPECT_EQ(goal_velocity<3>(v * 1e-3, before, now, limits, 1e-3, jumped), v * 1e-3 / 1e-3);
    EXPECT_FALSE(jumped);
  }
  EXPECT_EQ(goal_velocity<3>(1e-4 * y, 0.3 * x, 0.3 * x, limits, 1e-3, jumped), 0.3 * x);
  EXPECT_TRUE(jumped);
  // a goal that stands, and is another in every tick
  EXPECT_EQ(goal_velocity<3>(1e-6 * x, 0.0 * x, 0.0 * x, limits, 1e-3, jumped), 0.0 * x);
  EXPECT_TRUE(jumped);
}

}  // namespace follow_law_test
}  // namespace handspan
