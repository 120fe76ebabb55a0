#include "plan/segment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "plan/plan_support.hpp"

namespace handspan {
namespace segment_test {

using test::coordinates;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kSeed = 1;
// ruckig takes a profile whose end is as near as that to its target
constexpr double kRuckig = 1e-8;

MotionState rest(const Coordinates& q) {
  return {q, Coordinates::Zero(q.size()), Coordinates::Zero(q.size())};
}

TEST(Segment, JerkIsTheRateOfTheAcceleration) {
  RandomStream random(kSeed, "jerk");
  SegmentPlanner planner;
  Segment segment;
  const double h = 1e-7;
  for (int run = 0; run < 200; ++run) {
    const int n = 1 + static_cast<int>(random.integer(7));
    const MotionLimits limits = test::random_limits(random, n);
    const MotionState from = test::random_state(random, limits);
    ASSERT_EQ(planner.plan(from, test::random_coordinates(random, n, 2.0), Coordinates::Zero(n),
                           limits, segment),
              PlanRefusal::kNone);
    for (int i = 0; i < 20; ++i) {
      const double t = random.uniform(h, segment.duration() - h);
      const Coordinates jerk = segment.jerk(t - h);
      // not across a change
      if (jerk != segment.jerk(t + h)) continue;
      const Coordinates rate = (segment.at(t + h).a - segment.at(t - h).a) / (2 * h);
      // rounding of accelerations up to 15 over h
      EXPECT_LT((rate - jerk).cwiseAbs().maxCoeff(), 64 * kEps / h * 15 + 1e-6)
          << "seed " << kSeed << " run " << run;
    }
  }
}

TEST(Segment, PiecesBeginWhereTheJerkChanges) {
  SegmentPlanner planner;
  Segment segment;
  const Coordinates one = coordinates({1.0});
  // a full S-curve: a / j = 0.2, v / a = 0.5, d / v = 2
  ASSERT_EQ(planner.plan(rest(coordinates({0.0})), coordinates({2.0}), coordinates({0.0}),
                         {one, 2.0 * one, 10.0 * one}, segment),
            PlanRefusal::kNone);
  std::vector<double> begins;
  segment.for_each_piece([&](double t) { begins.push_back(t); });
  const std::vector<double> expected{0.0, 0.2, 0.5, 0.7, 2.0, 2.2, 2.5};
  ASSERT_EQ(begins.size(), expected.size());
  for (std::size_t i = 0; i < begins.size(); ++i) EXPECT_NEAR(begins[i], expected[i], 1e-12);
  EXPECT_NEAR(segment.duration(), 2.7, 1e-12);
}

TEST(Segment, ALineIsOnlyPlannedAlongIt) {
  SegmentPlanner planner;
  Segment segment;
  const MotionLimits limits{coordinates({1, 1}), coordinates({2, 2}), coordinates({10, 10})};
  MotionState from = rest(coordinates({0, 0}));
  const Coordinates q = coordinates({2, 1}), stop = coordinates({0, 0});
  from.v = coordinates({0.4, 0.2});
  EXPECT_EQ(planner.plan_line(from, q, stop, limits, segment), PlanRefusal::kNone);
  EXPECT_TRUE(segment.straight());
  from.v = coordinates({0.4, 0.3});
  EXPECT_EQ(planner.plan_line(from, q, stop, limits, segment), PlanRefusal::kNumerical);
  EXPECT_EQ(planner.plan(from, q, stop, limits, segment), PlanRefusal::kNone);
  EXPECT_FALSE(segment.straight());
  EXPECT_EQ(planner.plan(from, q, coordinates({0, -1.5}), limits, segment), PlanRefusal::kPassing);
}

TEST(Segment, SettlesTheAccelerationFirst) {
  RandomStream random(kSeed, "settle");
  SegmentPlanner planner;
  Segment segment;
  for (int run = 0; run < 500; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    const int n = 1 + static_cast<int>(random.integer(7));
    const MotionLimits limits = test::random_limits(random, n);
    MotionState from = test::random_state(random, limits);
    if (run % 4 == 0) from.v.setZero();
    const Coordinates q = test::random_coordinates(random, n, 2.0);
    const Coordinates settle = from.a.cwiseQuotient(limits.jerk).cwiseAbs();
    ASSERT_EQ(planner.plan_settled(from, settle, q, Coordinates::Zero(n), limits, segment),
              PlanRefusal::kNone);
    const double time = settle.maxCoeff();
    EXPECT_LT(segment.at(time).a.cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(segment.at(0.0).a, from.a);
    EXPECT_EQ(segment.at(segment.duration()).q, q);
    EXPECT_LT((segment.at(std::nextafter(segment.duration(), 0.0)).q - q).cwiseAbs().maxCoeff(),
              2 * kRuckig);
    const double step = 1e-3;
    for (double t = step; t < segment.duration(); t += step) {
      const MotionState last = segment.at(t - step), now = segment.at(t);
      ASSERT_LT(((now.a - last.a).cwiseAbs() - step * limits.jerk).maxCoeff(), 2 * kRuckig);
      ASSERT_LT(((now.v - last.v) - 0.5 * step * (now.a + last.a)).cwiseAbs().maxCoeff(),
                step * step * limits.jerk.maxCoeff());
      ASSERT_LT(((now.q - last.q) - 0.5 * step * (now.v + last.v)).cwiseAbs().maxCoeff(),
                step * step * limits.acceleration.maxCoeff());
      ASSERT_LT((now.v.cwiseAbs() - limits.velocity).maxCoeff(), 1e-7);
    }
  }
}

// a number of this size or down to a tenth of it, of either sign
double about(RandomStream& random, double size) {
  return (random.integer(2) == 0 ? 1.0 : -1.0) * size * std::pow(10.0, -random.uniform(0.0, 1.0));
}

TEST(Segment, AStopAfterAlmostNoWayIsPlanned) {
  RandomStream random(kSeed, "almost there");
  SegmentPlanner planner;
  Segment segment;
  int apart = 0;
  struct Sizes {
    double q, v, a;
  };
  for (const Sizes size :
       {Sizes{0.0, 1e-13, 1e-11}, Sizes{1e-15, 1e-13, 1e-10}, Sizes{1e-9, 1e-9, 1e-9},
        Sizes{1e-12, 1e-8, 1e-4}, Sizes{1e-10, 1e-8, 1e-4}, Sizes{1e-7, 1e-6, 1e-5}})
    for (int run = 0; run < 1000; ++run) {
      SCOPED_TRACE(testing::Message() << "seed " << kSeed << " v " << size.v << " run " << run);
      const int n = 2 + static_cast<int>(random.integer(6));
      const MotionLimits limits = test::random_limits(random, n);
      MotionState from = rest(test::random_coordinates(random, n, 2.0));
      Coordinates q = from.q;
      for (int i = 0; i < n; ++i) {
        from.v[i] = about(random, size.v);
        from.a[i] = about(random, size.a);
        q[i] += about(random, size.q);
      }
      ASSERT_EQ(planner.plan(from, q, Coordinates::Zero(n), limits, segment), PlanRefusal::kNone);
      // a way of 1e-7 at the least limits, there and back
      EXPECT_LT(segment.duration(), 0.05);
      EXPECT_EQ(segment.at(segment.duration()).q, q);
      EXPECT_EQ(segment.at(segment.duration()).v, Coordinates::Zero(n));
      MotionState last = segment.at(0.0);
      for (int k = 1; k <= 50; ++k) {
        const MotionState now = segment.at(segment.duration() * k / 50.0);
        const double step = segment.duration() / 50.0;
        // no jump but the rounding that is left out of the start, and ruckig's at the ends
        ASSERT_LT(((now.a - last.a).cwiseAbs() - (step + 1e-7) * limits.jerk).maxCoeff(),
                  2 * kRuckig);
        ASSERT_LT(((now.v - last.v).cwiseAbs() - (step + 1e-7) * limits.acceleration).maxCoeff(),
                  2 * kRuckig);
        ASSERT_LT((now.q - last.q).cwiseAbs().maxCoeff(), 1e-6);
        last = now;
      }
      if (!segment.straight()) ++apart;
    }
  // both ways of planning were there
  EXPECT_GT(apart, 500);
  EXPECT_LT(apart, 5500);
}

TEST(Segment, AStartThatRestsButForRoundingIsAtRest) {
  SegmentPlanner planner;
  Segment segment;
  const MotionLimits limits{coordinates({1, 1}), coordinates({2, 2}), coordinates({10, 10})};
  const Coordinates q = coordinates({1, 0.5}), stop = coordinates({0, 0});
  MotionState from = rest(stop);
  ASSERT_EQ(planner.plan(from, q, stop, limits, segment), PlanRefusal::kNone);
  const double duration = segment.duration();
  // across the line: less than 0.1 us of the acceleration and of the jerk, 2e-7 and 1e-6
  from.v = coordinates({-0.8e-7, 1.6e-7});
  from.a = coordinates({-0.4e-6, 0.8e-6});
  ASSERT_EQ(planner.plan(from, q, stop, limits, segment), PlanRefusal::kNone);
  EXPECT_TRUE(segment.straight());
  EXPECT_NEAR(segment.duration(), duration, 1e-9);
  EXPECT_EQ(segment.at(0.0).v, from.v);
  for (double t = 0.0; t < duration; t += 0.01)
    EXPECT_NEAR(segment.at(t).q[1], 0.5 * segment.at(t).q[0], 4 * kEps);
  // and more is motion
  from.v = coordinates({-1.2e-7, 2.4e-7});
  ASSERT_EQ(planner.plan(from, q, stop, limits, segment), PlanRefusal::kNone);
  EXPECT_FALSE(segment.straight());
  from.v = stop;
  from.a = coordinates({-0.6e-6, 1.2e-6});
  ASSERT_EQ(planner.plan(from, q, stop, limits, segment), PlanRefusal::kNone);
  EXPECT_FALSE(segment.straight());
}

TEST(Segment, SettlesIntoALineAndIntoAStop) {
  SegmentPlanner planner;
  Segment segment;
  const MotionLimits limits{coordinates({1, 1}), coordinates({2, 2}), coordinates({10, 10})};
  // 0.2 s of settling from (2, -2) take 0.2 m/s away; what is left is a motion along a line
  MotionState from = rest(coordinates({0, 0}));
  from.a = coordinates({2, -2});
  from.v = coordinates({0.2, 0.2});
  const Coordinates settle = coordinates({0.2, 0.2}), stop = coordinates({0, 0});
  // there: v = (0.4, 0), q = 0.2 v + 0.2^2 a / 3
  const Coordinates there = coordinates({0.04 + 0.08 / 3, 0.04 - 0.08 / 3});
  ASSERT_EQ(planner.plan_settled(from, settle, there + coordinates({1, 0}), stop, limits, segment),
            PlanRefusal::kNone);
  EXPECT_LT((segment.at(0.2).q - there).norm(), 4 * kEps);
  EXPECT_LT((segment.at(0.2).v - coordinates({0.4, 0})).norm(), 4 * kEps);
  for (double t = 0.2; t < segment.duration(); t += 0.01)
    EXPECT_NEAR(segment.at(t).q[1], there[1], 1e-12);
  // settled at rest, where it is to be
  from.v = coordinates({-0.2, 0.2});
  const Coordinates end = coordinates({-0.04 + 0.08 / 3, 0.04 - 0.08 / 3});
  ASSERT_EQ(planner.plan_settled(from, settle, end, stop, limits, segment), PlanRefusal::kNone);
  // half way: q = v t + a t^2 / 2 - j t^3 / 6 at 0.1 s
  EXPECT_NEAR(segment.at(0.1).q[0], -0.02 + 0.01 - 0.01 / 6, 4 * kEps);
  EXPECT_NEAR(segment.at(0.1).q[1], 0.02 - 0.01 + 0.01 / 6, 4 * kEps);
  EXPECT_LT((segment.at(segment.duration()).q - end).norm(), 4 * kEps);
}

}  // namespace segment_test
}  // namespace handspan
