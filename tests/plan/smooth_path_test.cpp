#include "plan/smooth_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/error.hpp"
#include "plan/plan_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace smooth_path_test {

using test::coordinates;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kSeed = 1;

SmoothPathConfig random_config(RandomStream& random) {
  const int n = 1 + static_cast<int>(random.integer(8));
  const MotionLimits limits = test::random_limits(random, n);
  SmoothPathConfig config;
  config.velocity = limits.velocity;
  config.acceleration = limits.acceleration;
  const int waypoints = 2 + static_cast<int>(random.integer(5));
  for (int k = 0; k < waypoints; ++k)
    config.waypoints.push_back(test::random_coordinates(random, n, 2.0));
  return config;
}

// Closed forms: on a straight line the fastest motion speeds up, cruises and slows down at limits.

TEST(SmoothPath, ShortStraightLineTakesTheTimeOfFullSpeedingUpAndSlowingDown) {
  const SmoothPath path({{coordinates({0.0, 1.0}), coordinates({0.5, 1.25})},
                         coordinates({10.0, 10.0}),
                         coordinates({2.0, 2.0})});
  // T = 2 sqrt(d / a)
  EXPECT_NEAR(path.duration(), 2.0 * std::sqrt(0.5 / 2.0), 1e-5);
  const MotionState half = path.at(0.5 * path.duration());
  EXPECT_NEAR(half.q[0], 0.25, 1e-6);
  EXPECT_NEAR(half.v[0], std::sqrt(2.0 * 0.5), 2e-3);
}

TEST(SmoothPath, LongStraightLineTakesTheTimeOfTheTrapezoid) {
  const SmoothPath path(
      {{coordinates({0.0}), coordinates({3.0})}, coordinates({1.0}), coordinates({2.0})});
  // T = d / v + v / a; the end of speeding up falls between two grid points
  EXPECT_NEAR(path.duration(), 3.0 / 1.0 + 1.0 / 2.0, 1e-3);
  EXPECT_GE(path.duration(), 3.5 - 1e-9);
  EXPECT_NEAR(path.at(1.7).v[0], 1.0, 1e-5);
  EXPECT_NEAR(path.at(0.1).a[0], 2.0, 1e-5);
  EXPECT_NEAR(path.at(3.4).a[0], -2.0, 1e-5);
}

TEST(SmoothPath, WaypointsOnALineAreOneLine) {
  const SmoothPath whole({{coordinates({0.0, 0.0}), coordinates({2.0, 1.0})},
                          coordinates({1.0, 1.0}),
                          coordinates({2.0, 2.0})});
  const SmoothPath parts({{coordinates({0.0, 0.0}), coordinates({0.5, 0.25}),
                           coordinates({1.5, 0.75}), coordinates({2.0, 1.0})},
                          coordinates({1.0, 1.0}),
                          coordinates({2.0, 2.0})});
  EXPECT_NEAR(whole.duration(), parts.duration(), 1e-3);
  for (int i = 0; i <= 50; ++i) {
    const MotionState now = parts.at(parts.duration() * i / 50.0);
    EXPECT_NEAR(now.q[1], 0.5 * now.q[0], 8 * kEps);
  }
}

TEST(SmoothPath, KeepsLimitsAndPassesWaypointsInRandomCases) {
  RandomStream random(kSeed, "cases");
  for (int run = 0; run < 2000; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const SmoothPathConfig config = random_config(random);
    const SmoothPath path(config);
    double most_v = 0.0, most_a = 0.0;
    for (double t = 0.0; t < path.duration(); t += 1e-3) {
      const MotionState now = path.at(t);
      most_v = std::max(most_v, now.v.cwiseQuotient(config.velocity).cwiseAbs().maxCoeff());
      most_a = std::max(most_a, now.a.cwiseQuotient(config.acceleration).cwiseAbs().maxCoeff());
    }
    // measured in eighths of a grid interval, and stretched
    EXPECT_LT(most_v, 1.0 + 1e-5);
    EXPECT_LT(most_a, 1.0 + 1e-5);
    // and uses them, but for the stretch
    EXPECT_GT(std::max(most_a, most_v), 0.99);
    for (int k = 0; k < static_cast<int>(config.waypoints.size()); ++k) {
      EXPECT_LT((path.at(path.arrival(k)).q - config.waypoints[k]).cwiseAbs().maxCoeff(), 4 * kEps);
      if (k > 0) {
        EXPECT_EQ(path.waypoint(std::nextafter(path.arrival(k), 0.0)), k);
      }
    }
    if (HasFailure()) break;
  }
}

TEST(SmoothPath, VelocityIsTheRateOfThePositionAndAccelerationThatOfTheVelocity) {
  RandomStream random(kSeed, "rates");
  for (int run = 0; run < 50; ++run) {
    const SmoothPathConfig config = random_config(random);
    const SmoothPath path(config);
    const double h = 1e-6;
    int bends = 0;
    for (int i = 0; i < 200; ++i) {
      const double t = random.uniform(h, path.duration() - h);
      const MotionState before = path.at(t - h), now = path.at(t), after = path.at(t + h);
      EXPECT_LT(((after.q - before.q) / (2 * h) - now.v).cwiseAbs().maxCoeff(),
                2 * h * config.acceleration.maxCoeff() + 1e-8)
          << "seed " << kSeed << " run " << run;
      // at a grid point the acceleration may jump
      if (((after.v - before.v) / (2 * h) - now.a).cwiseAbs().maxCoeff() > 1e-3) ++bends;
    }
    EXPECT_LT(bends, 5) << "seed " << kSeed << " run " << run;
  }
}

TEST(SmoothPath, IsARestBeforeTheStartAndAfterTheEnd) {
  RandomStream random(kSeed, "rest");
  const SmoothPathConfig config = random_config(random);
  const SmoothPath path(config);
  for (const double t : {-1.0, 0.0}) {
    EXPECT_EQ(path.at(t).q, config.waypoints.front());
    EXPECT_TRUE(path.at(t).v.isZero(0.0));
    EXPECT_EQ(path.waypoint(t), 1);
  }
  for (const double t : {path.duration(), path.duration() + 1.0}) {
    EXPECT_EQ(path.at(t).q, config.waypoints.back());
    EXPECT_TRUE(path.at(t).v.isZero(0.0));
    EXPECT_EQ(path.waypoint(t), static_cast<int>(config.waypoints.size()) - 1);
  }
}

TEST(SmoothPath, IsFasterThanStoppingAtEachWaypoint) {
  const std::vector<Coordinates> corners{coordinates({0.0, 0.0}), coordinates({1.0, 0.2}),
                                         coordinates({2.0, 0.0}), coordinates({3.0, 0.3})};
  const Coordinates velocity = coordinates({1.0, 1.0}), acceleration = coordinates({2.0, 2.0});
  double stopping = 0.0;
  for (int k = 0; k < 3; ++k)
    stopping += SmoothPath({{corners[k], corners[k + 1]}, velocity, acceleration}).duration();
  EXPECT_LT(SmoothPath({corners, velocity, acceleration}).duration(), 0.85 * stopping);
}

TEST(SmoothPath, GoesThereAndBack) {
  // in the middle the derivative of the path is 0 in every coordinate, but for rounding
  RandomStream random(kSeed, "there and back");
  for (int run = 0; run < 1000; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const int n = 1 + static_cast<int>(random.integer(3));
    const MotionLimits limits = test::random_limits(random, n);
    SmoothPathConfig config;
    config.velocity = limits.velocity;
    config.acceleration = limits.acceleration;
    const Coordinates here = test::random_coordinates(random, n, 2.0),
                      there = test::random_coordinates(random, n, 2.0);
    const int ways = 2 + static_cast<int>(random.integer(4));
    for (int k = 0; k <= ways; ++k) config.waypoints.push_back(k % 2 == 0 ? here : there);
    const SmoothPath path(config);
    double most_v = 0.0, most_a = 0.0;
    for (double t = 0.0; t < path.duration(); t += 1e-3) {
      const MotionState now = path.at(t);
      most_v = std::max(most_v, now.v.cwiseQuotient(config.velocity).cwiseAbs().maxCoeff());
      most_a = std::max(most_a, now.a.cwiseQuotient(config.acceleration).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(most_v, 1.0 + 1e-5);
    EXPECT_LT(most_a, 1.0 + 1e-5);
    EXPECT_GT(std::max(most_v, most_a), 0.99);
  }
}

TEST(SmoothPath, SamplingAllocatesNothing) {
  RandomStream random(kSeed, "alloc");
  const SmoothPath path(random_config(random));
  double sum = 0.0;
  const test::AllocationCount allocations;
  for (int i = -1; i < 50; ++i) sum += path.at(0.1 * i).q[0] + path.waypoint(0.1 * i);
  EXPECT_EQ(allocations.count(), 0u);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(SmoothPath, BadConfigsSayWhatIsWrong) {
  const SmoothPathConfig good{{coordinates({0.0, 0.0}), coordinates({1.0, 1.0})},
                              coordinates({1.0, 1.0}),
                              coordinates({2.0, 2.0})};
  const auto expect = [&](const std::function<void(SmoothPathConfig&)>& spoil, const char* text) {
    SmoothPathConfig config = good;
    spoil(config);
    try {
      const SmoothPath path(config);
      ADD_FAILURE() << "no error: " << text;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), text);
    }
  };
  expect([](auto& c) { c.waypoints.pop_back(); },
         "smooth path: waypoints has 1; give at least two");
  expect([](auto& c) { c.waypoints[0] = {}; },
         "smooth path: waypoints[0] is empty; give 1 to 16 numbers");
  expect([](auto& c) { c.waypoints[1] = coordinates({1.0}); },
         "smooth path: waypoints[1] has 1 numbers; give 2, as the first");
  expect([](auto& c) { c.waypoints[1][0] = std::nan(""); },
         "smooth path: waypoints[1] has a number that is not finite; give finite numbers");
  expect([](auto& c) { c.waypoints[1] = c.waypoints[0]; },
         "smooth path: waypoints[1] is the one before it again; leave it out");
  expect([](auto& c) { c.waypoints[1] = c.waypoints[0] + coordinates({0.0, 1e-7}); },
         "smooth path: waypoints[1] is less than a microsecond from the one before it at the "
         "velocity limits; leave it out");
  for (const double far : {1e5, 1e150, 1e308})
    expect([far](auto& c) { c.waypoints[1][1] = far; },
           "smooth path: to waypoints[1] it takes more than two hours at the velocity limits; give "
           "waypoints nearer together or higher limits");
  expect([](auto& c) { c.velocity = coordinates({1.0}); },
         "smooth path: velocity has 1 numbers; give 2, as many as a waypoint");
  expect([](auto& c) { c.acceleration[1] = 0.0; },
         "smooth path: acceleration[1] is 0; it must be finite and > 0");
  expect([](auto& c) { c.velocity[0] = HUGE_VAL; },
         "smooth path: velocity[0] is inf; it must be finite and > 0");
  expect([](auto& c) { c.grid = 3; }, "smooth path: grid is 3; it must be 4 to 100000");
  expect([](auto& c) { c.grid = 100001; }, "smooth path: grid is 100001; it must be 4 to 100000");
}

}  // namespace smooth_path_test
}  // namespace handspan
