// The viable joint box in closed forms: its bounds, its stop at the end, the way back from outside.
#include "control/viability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/viability_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace viability_test {

using namespace test;

const JointLimits& fr3_joint(const std::string& joint) {
  for (const NamedLimits& entry : robots_limits())
    if (entry.name == "fr3 " + joint) return entry.limits;
  throw InputError("no joint " + joint);
}

// Uphill at the largest acceleration allowed: it must stop at the end, and late.
TEST(Viability, AJointPushedToItsEndStopsThereInTheShortestTime) {
  const JointLimits limits = simple_limits(2.0, 1.5, 8.0, 5.0);
  const JointViability joint(limits);
  for (const double dt : kPeriods) {
    State s{-2.0, 0.0};
    int ticks = 0;
    for (; s.q < 2.0 - 1e-9 && ticks < 100000; ++ticks) {
      const double a = joint.box(s.q, s.v, dt).upper;
      s = {s.q + (s.v + 0.5 * a * dt) * dt, s.v + a * dt};
    }
    // up to speed in v/A, down in v/braking, and the way between at full speed
    const double fast = (4.0 - 0.5 * 1.5 * 1.5 * (1.0 / 8.0 + 1.0 / 5.0)) / 1.5;
    const double shortest = 1.5 / 8.0 + fast + 1.5 / 5.0;
    EXPECT_GE(ticks * dt, shortest - 1e-9);
    EXPECT_LE(ticks * dt, shortest + 3.0 * dt);
    // and stays: neither creeps nor chatters
    for (int i = 0; i < sized(2000000); ++i) {
      const double a = joint.box(s.q, s.v, dt).upper;
      ASSERT_FALSE(joint.box(s.q, s.v, dt).outside);
      // rounding of a position is 4e-16 rad; divided by dt^2 it is an acceleration
      ASSERT_LE(std::abs(a), i > 10 ? 1e-14 / (dt * dt) : 8.0) << i;
      s = {s.q + (s.v + 0.5 * a * dt) * dt, s.v + a * dt};
      ASSERT_NEAR(s.q, 2.0, i > 10 ? 1e-14 : 1e-9) << i;
    }
  }
}

TEST(Viability, EveryJointOfTheRobotsPushedToItsEndsRestsThere) {
  for (const NamedLimits& entry : robots_limits()) {
    const JointViability joint(entry.limits);
    for (const double dt : kPeriods)
      for (const double sign : {1.0, -1.0}) {
        const double end = sign > 0.0 ? joint.upper_position() : joint.lower_position();
        State s{end - sign * 1e-3, 0.0};
        for (int i = 0; i < 10000; ++i) {
          const AccelerationBox box = joint.box(s.q, s.v, dt);
          const double a = sign > 0.0 ? box.upper : box.lower;
          ASSERT_FALSE(box.outside) << entry.name;
          // by the slowest curve, v = 13 / s (end - q), the way left has gone by then, until v dt
          // is less than half the last digit of q: 4.4e-16 / 2 / (13 / s 1 ms) = 1.7e-14
          if (i > 5000) {
            ASSERT_LE(std::abs(a), 1e-14 / (dt * dt)) << entry.name << ' ' << i;
            ASSERT_NEAR(s.q, end, 4e-14) << entry.name << ' ' << i;
          }
          s = {s.q + (s.v + 0.5 * a * dt) * dt, s.v + a * dt};
        }
      }
  }
}

// the limit is of accelerations that come about: what a contact took is asked for besides, on its
// side; the end of the range and the speed limit stand
TEST(Viability, WhatAContactTookOfAnAccelerationMayBeAskedForBesides) {
  const JointViability joint(simple_limits(2.0, 1.5, 8.0, 5.0));
  EXPECT_EQ(joint.box(0.0, 0.0, 1e-3).upper, 8.0);
  EXPECT_EQ(joint.box(0.0, 0.0, 1e-3, 20.0).upper, 28.0);
  EXPECT_EQ(joint.box(0.0, 0.0, 1e-3, 20.0).lower, -8.0);
  EXPECT_EQ(joint.box(0.0, 0.0, 1e-3, -20.0).upper, 8.0);
  EXPECT_EQ(joint.box(0.0, 0.0, 1e-3, -20.0).lower, -28.0);
  for (const double v : {1.49, 1.5})
    EXPECT_LE(v + 1e-3 * joint.box(0.0, v, 1e-3, 500.0).upper, 1.5 + 1e-12);
  EXPECT_LE(joint.box(2.0, 0.0, 1e-3, 500.0).upper, 1e-9);
  EXPECT_TRUE(joint.box(0.0, 0.0, 1e-3, std::nan("")).empty);
}

TEST(Viability, ARoundingExcessIsNeitherOutsideNorAKick) {
  for (const NamedLimits& entry : robots_limits()) {
    const JointViability joint(entry.limits);
    for (const double dt : kPeriods)
      for (const double excess : {0.0, 1e-16, 1e-15, 1e-13, 5e-10})
        for (const double v : {0.0, 1e-17, 1e-15, 1e-13}) {
          const AccelerationBox box = joint.box(joint.upper_position() + excess, v, dt);
          EXPECT_FALSE(box.outside) << entry.name;
          EXPECT_LE(box.upper, 1e-9) << entry.name;
          EXPECT_GE(box.upper, -1e-4) << entry.name << ' ' << excess << ' ' << v;
          EXPECT_LE(box.lower, box.upper);
        }
    EXPECT_TRUE(joint.box(joint.upper_position() + 1e-6, 0.0, 1e-3).outside);
    EXPECT_TRUE(joint.box(joint.lower_position() - 1e-6, 0.0, 1e-3).outside);
    EXPECT_TRUE(joint
                    .box(0.5 * (joint.lower_position() + joint.upper_position()),
                         entry.limits.velocity * 1.001, 1e-3)
                    .outside);
  }
}

// The velocity bound of continuous time, applied at the position before the step, is late by a
// period: it goes beyond the end by a part of braking dt^2. The box does not.
TEST(Viability, TheContinuousBoundOvershootsByBrakingTimesThePeriodSquared) {
  const JointLimits limits = simple_limits(1.0, 2.0, 10.0, 6.0);
  const JointViability joint(limits);
  RandomStream random(kViabilitySeed, "naive");
  for (const double dt : kPeriods) {
    double naive_excess = 0.0, excess = 0.0;
    for (int run = 0; run < 200; ++run) {
      const double start = random.uniform(-0.9, 0.5);
      State naive{start, 0.0}, ours{start, 0.0};
      for (int i = 0; i < static_cast<int>(3.0 / dt); ++i) {
        const double bound = std::min(2.0, std::sqrt(2.0 * 6.0 * std::max(0.0, 1.0 - naive.q)));
        const double a = std::clamp((bound - naive.v) / dt, -10.0, 10.0);
        naive_excess = std::max(naive_excess, peak(naive, a, dt) - 1.0);
        naive = {naive.q + (naive.v + 0.5 * a * dt) * dt, naive.v + a * dt};
        const double b = joint.box(ours.q, ours.v, dt).upper;
        excess = std::max(excess, peak(ours, b, dt) - 1.0);
        ours = {ours.q + (ours.v + 0.5 * b * dt) * dt, ours.v + b * dt};
      }
    }
    EXPECT_GT(naive_excess, 0.05 * 6.0 * dt * dt);
    EXPECT_LT(naive_excess, 10.0 * 6.0 * dt * dt);
    EXPECT_LE(excess, 1e-14);
  }
}

// The largest velocity by stepping back from the end, never rising by more than braking allows.
void expect_swept(const NamedLimits& entry) {
  const JointLimits& limits = entry.limits;
  const JointViability joint(limits);
  const double end = joint.upper_position(), range = end - joint.lower_position();
  constexpr int kPoints = 200000;
  const double step = range / kPoints;
  double square = 0.0, worst = 0.0;
  for (int i = 1; i <= kPoints; ++i) {
    const double q = end - i * step;
    const double curve = limits.velocity_curve
                             ? limits.velocity_curve->upper_velocity(q, limits.velocity)
                             : limits.velocity;
    square = std::min(curve * curve, square + 2.0 * limits.braking * step);
    worst = std::max(worst, std::abs(std::pow(joint.upper_velocity(q), 2) - square));
  }
  // in squares: the sweep's parabola may begin up to a step away from the corner; and rounding
  const double tolerance = 2.0 * limits.braking * step + 1e-9;
  EXPECT_LE(worst, tolerance) << entry.name << " range " << range;
}

TEST(Viability, TheVelocityBoundIsTheBackwardSweepOfTheCurve) {
  for (const NamedLimits& entry : robots_limits()) expect_swept(entry);
  RandomStream random(kViabilitySeed, "sweep");
  for (int i = 0; i < sized(1000); ++i)
    expect_swept({fmt::format("seed {} random {}", kViabilitySeed, i), random_limits(random)});
}

TEST(Viability, TheCurveOfTheFr3sJoint5AsksForMoreThanItsBrakingAndTheBoundDoesNot) {
  for (const char* name : {"joint5", "joint7"}) {
    const JointLimits& limits = fr3_joint(name);
    const JointViability joint(limits);
    double curve_demand = 0.0, demand = 0.0;
    constexpr double kStep = 1e-6;
    for (double q = 0.0; q < joint.upper_position() - 1e-3; q += 1e-4) {
      const auto asked = [&](auto velocity) {
        return -0.5 * (std::pow(velocity(q + kStep), 2) - std::pow(velocity(q), 2)) / kStep;
      };
      curve_demand = std::max(curve_demand, asked([&](double x) {
                                return limits.velocity_curve->upper_velocity(x, limits.velocity);
                              }));
      demand = std::max(demand, asked([&](double x) { return joint.upper_velocity(x); }));
    }
    EXPECT_NEAR(curve_demand, 15.94, 0.01);
    // differences over 1e-6 of squares up to 28 are good to 1e-8
    EXPECT_NEAR(demand, limits.braking, 1e-7);
  }
  // joint 2's braking is its curve's largest demand: the curve stands as it is
  const JointLimits& two = fr3_joint("joint2");
  const JointViability joint(two);
  for (double q = -1.7; q < joint.upper_position(); q += 0.01)
    EXPECT_NEAR(joint.upper_velocity(q), two.velocity_curve->upper_velocity(q, two.velocity),
                1e-15);
}

TEST(Viability, TheRangeEndsWhereTheCurveAdmitsNoVelocity) {
  JointLimits limits = simple_limits(2.0, 3.0, 10.0, 6.0);
  limits.velocity_curve = VelocityCurve{-0.5, 10.0, -2.1, 1.9};
  const JointViability joint(limits);
  EXPECT_DOUBLE_EQ(joint.upper_position(), 1.9 - 0.025);
  EXPECT_DOUBLE_EQ(joint.lower_position(), -2.0);
  EXPECT_EQ(joint.upper_velocity(1.9), 0.0);
  // without an offset below 0 the curve stops no joint at all
  limits.velocity_curve = VelocityCurve{0.5, 10.0, -1.5, 1.5};
  const JointViability free(limits);
  EXPECT_DOUBLE_EQ(free.upper_position(), 2.0);
  EXPECT_DOUBLE_EQ(free.upper_velocity(1.6), 0.5);
  EXPECT_DOUBLE_EQ(free.upper_velocity(1.4), std::sqrt(0.25 + 2.0 * 6.0 * 0.1));
}

// From the bound itself, upwards: the next velocity is the bound at the next position, exactly.
TEST(Viability, TheUpperAccelerationLandsOnTheCurve) {
  for (const char* name : {"joint1", "joint5"}) {
    const JointLimits& limits = fr3_joint(name);
    const JointViability joint(limits);
    for (const double dt : kPeriods) {
      int on_curve = 0;
      for (double q = 0.0; q < joint.upper_position() - 1e-3; q += 1e-3) {
        const double v = joint.upper_velocity(q), a = joint.box(q, v, dt).upper;
        const double q1 = q + (v + 0.5 * a * dt) * dt;
        if (v < limits.velocity) ++on_curve;
        EXPECT_NEAR(v + a * dt, joint.upper_velocity(q1), 1e-12) << name << ' ' << q;
      }
      EXPECT_GT(on_curve, 100);
    }
  }
}

TEST(Viability, TheMirroredJointHasTheMirroredBox) {
  RandomStream random(kViabilitySeed, "mirror");
  for (int i = 0; i < sized(100000); ++i) {
    const JointLimits limits = random_limits(random);
    JointLimits mirrored = limits;
    mirrored.lower = -limits.upper;
    mirrored.upper = -limits.lower;
    if (limits.velocity_curve) {
      mirrored.velocity_curve->lower = -limits.velocity_curve->upper;
      mirrored.velocity_curve->upper = -limits.velocity_curve->lower;
    }
    const JointViability joint(limits), mirror(mirrored);
    const double q = random.uniform(limits.lower - 0.1, limits.upper + 0.1);
    const double v = random.uniform(-1.2, 1.2) * limits.velocity;
    const AccelerationBox a = joint.box(q, v, 1e-3), b = mirror.box(-q, -v, 1e-3);
    ASSERT_EQ(a.lower, -b.upper) << "seed " << kViabilitySeed << " case " << i;
    ASSERT_EQ(a.upper, -b.lower) << "seed " << kViabilitySeed << " case " << i;
    ASSERT_EQ(a.outside, b.outside);
    ASSERT_EQ(joint.upper_velocity(q), -mirror.lower_velocity(-q));
    ASSERT_EQ(joint.upper_position(), -mirror.lower_position());
  }
}

TEST(Viability, AJointOutsideComesBackMonotonicallyWithinTheBrakingDeceleration) {
  RandomStream random(kViabilitySeed, "outside");
  for (const NamedLimits& entry : robots_limits()) {
    const JointViability joint(entry.limits);
    const double braking = entry.limits.braking, high = joint.upper_position();
    for (const double dt : kPeriods)
      for (int run = 0; run < sized(200); ++run) {
        State s{high + log_uniform(random, 1e-6, 0.5),
                random.uniform(-0.1, 1.2) * entry.limits.velocity};
        if (run == 0) s.v = 0.0;
        const std::string where =
            fmt::format("{} dt {} seed {} run {}", entry.name, dt, kViabilitySeed, run);
        ASSERT_TRUE(joint.box(s.q, s.v, dt).outside) << where;
        double left = s.q - high;
        int ticks = 0;
        for (; left > 1e-9 && ticks < 120.0 / dt; ++ticks) {
          const AccelerationBox box = joint.box(s.q, s.v, dt);
          ASSERT_LE(box.lower, box.upper) << where;
          ASSERT_FALSE(box.empty) << where;
          // nothing that the box forces is more than braking
          ASSERT_GE(box.upper, -braking) << where;
          ASSERT_LE(box.lower, braking) << where;
          const bool returning = s.v <= 0.0;
          s = {s.q + (s.v + 0.5 * box.upper * dt) * dt, s.v + box.upper * dt};
          if (returning) {
            ASSERT_LE(s.v, 1e-15) << where;
            ASSERT_LE(s.q - high, left + 1e-15) << where;
          }
          left = s.q - high;
        }
        ASSERT_LE(left, 1e-9) << where;
      }
  }
}

TEST(Viability, TheReturnFromASmallExcessIsGentle) {
  const JointViability joint(simple_limits(1.0, 2.0, 10.0, 6.0));
  // a milliradian: 1e-3 / 50 ms towards, at four times that rate
  EXPECT_NEAR(joint.box(1.001, 0.0, 1e-3).upper, -1e-3 / 0.05 / 0.0125, 1e-9);
  EXPECT_NEAR(joint.box(-1.001, 0.0, 1e-3).lower, 1e-3 / 0.05 / 0.0125, 1e-9);
  // what still goes outwards is stopped first, within the period if braking can
  EXPECT_NEAR(joint.box(1.0 + 1e-6, 1e-3, 1e-3).upper, -1.0, 1e-9);
  EXPECT_EQ(joint.box(1.0 + 1e-6, 0.1, 1e-3).upper, -6.0);
  // far out: braking, up to half of braking times 50 ms
  EXPECT_EQ(joint.box(1e3, 0.0, 1e-3).upper, -6.0);
  EXPECT_NEAR(joint.box(1e3, -0.15, 1e-3).upper, 0.0, 1e-12);
}

TEST(Viability, ATooFastJointIsBrakedToTheBound) {
  for (const NamedLimits& entry : robots_limits()) {
    const JointViability joint(entry.limits);
    const double middle = 0.5 * (joint.lower_position() + joint.upper_position());
    for (const double dt : kPeriods) {
      State s{middle, 1.05 * entry.limits.velocity};
      EXPECT_EQ(joint.box(s.q, 2.0 * entry.limits.velocity, dt).upper, -entry.limits.braking);
      for (int i = 0; i < 1000 && joint.box(s.q, s.v, dt).outside; ++i) {
        const double a = joint.box(s.q, s.v, dt).upper;
        ASSERT_GE(a, -entry.limits.braking) << entry.name;
        ASSERT_LE(a, 0.0) << entry.name;
        s = {s.q + (s.v + 0.5 * a * dt) * dt, s.v + a * dt};
      }
      EXPECT_FALSE(joint.box(s.q, s.v, dt).outside) << entry.name;
    }
  }
}

TEST(Viability, AnyFiniteStateHasABoxOfFiniteAccelerationsWithinTheLimit) {
  RandomStream random(kViabilitySeed, "any");
  constexpr double kMost = std::numeric_limits<double>::max();
  std::vector<NamedLimits> all = robots_limits();
  all.push_back({"continuous", simple_limits(0.0, 2.0, 8.0, 5.0)});
  all.back().limits.continuous = true;
  for (const NamedLimits& entry : all) {
    const JointViability joint(entry.limits);
    const auto check = [&](double q, double v, double dt) {
      const AccelerationBox box = joint.box(q, v, dt);
      ASSERT_TRUE(box.lower <= box.upper && box.lower >= -entry.limits.acceleration &&
                  box.upper <= entry.limits.acceleration && box.upper >= -entry.limits.braking &&
                  box.lower <= entry.limits.braking && !box.empty)
          << entry.name << " q " << q << " v " << v << " dt " << dt << " box " << box.lower << ' '
          << box.upper << " seed " << kViabilitySeed;
    };
    for (const double dt : {1e-6, 1e-3, 8e-3, 0.1}) {
      for (const double q : {-kMost, -1e100, -1e9, 0.0, 1e9, 1e100, kMost})
        for (const double v : {-kMost, -1e200, -1e9, 0.0, 1e9, 1e200, kMost}) check(q, v, dt);
      for (int i = 0; i < sized(100000); ++i)
        check(random.normal() * std::pow(10.0, random.uniform(-3.0, 6.0)),
              random.normal() * std::pow(10.0, random.uniform(-3.0, 6.0)), dt);
    }
  }
}

TEST(Viability, WhatIsNotFiniteHasAnEmptyBoxAtZero) {
  const JointViability joint(simple_limits(1.0, 2.0, 10.0, 6.0));
  for (const double bad : {std::nan(""), kInfinity, -kInfinity})
    for (const AccelerationBox& box :
         {joint.box(bad, 0.0, 1e-3), joint.box(0.0, bad, 1e-3), joint.box(0.0, 0.0, bad),
          joint.box(0.0, 0.0, 0.0), joint.box(0.0, 0.0, -1e-3)}) {
      EXPECT_TRUE(box.empty);
      EXPECT_TRUE(box.outside);
      EXPECT_EQ(box.lower, 0.0);
      EXPECT_EQ(box.upper, 0.0);
    }
}

// At the end, faster towards it than one period of braking stops: it must turn round so fast that
// it is beyond the velocity limit at once.
TEST(Viability, AContradictionIsAnEmptyBoxOfOneAcceleration) {
  const JointViability joint(simple_limits(1.0, 0.01, 20.0, 20.0));
  const double v = 1e-3;
  const AccelerationBox box = joint.box(1.0 - 0.5 * v * v / 20.0, v, 0.01);
  EXPECT_TRUE(box.empty);
  EXPECT_FALSE(box.outside);
  EXPECT_EQ(box.lower, box.upper);
  EXPECT_LT(box.upper, 0.0);
  EXPECT_GE(box.upper, -20.0);
}

TEST(Viability, AContinuousJointIsLimitedInVelocityOnly) {
  JointLimits limits = simple_limits(0.0, 2.0, 8.0, 5.0);
  limits.continuous = true;
  limits.lower = limits.upper = std::nan("");  // mean nothing
  const JointViability joint(limits);
  EXPECT_EQ(joint.upper_position(), kInfinity);
  EXPECT_EQ(joint.lower_position(), -kInfinity);
  for (const double q : {-1e6, 0.0, 1e6}) {
    EXPECT_EQ(joint.upper_velocity(q), 2.0);
    EXPECT_EQ(joint.lower_velocity(q), -2.0);
    EXPECT_EQ(joint.box(q, 0.0, 1e-3).upper, 8.0);
    EXPECT_EQ(joint.box(q, 0.0, 1e-3).lower, -8.0);
    EXPECT_EQ(joint.box(q, 2.0, 1e-3).upper, 0.0);
    EXPECT_NEAR(joint.box(q, 1.999, 1e-3).upper, 1.0, 1e-9);
    EXPECT_TRUE(joint.box(q, 2.1, 1e-3).outside);
    EXPECT_EQ(joint.box(q, 2.1, 1e-3).upper, -5.0);
  }
}

std::string error(const JointLimits& limits) {
  try {
    JointViability{limits};
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Viability, ErrorsNameTheCauseAndTheHint) {
  const JointLimits good = simple_limits(1.0, 2.0, 10.0, 6.0);
  EXPECT_EQ(error(good), "accepted");
  JointLimits bad = good;
  bad.velocity = 0.0;
  EXPECT_EQ(error(bad), "the joint's velocity limit is 0; it must be finite and > 0");
  bad = good;
  bad.acceleration = kInfinity;
  EXPECT_EQ(error(bad), "the joint's acceleration limit is inf; it must be finite and > 0");
  bad = good;
  bad.braking = -1.0;
  EXPECT_EQ(error(bad), "the joint's braking deceleration is -1; it must be finite and > 0");
  bad.braking = 11.0;
  EXPECT_EQ(error(bad),
            "the joint's braking deceleration is 11; it must not exceed the acceleration limit 10");
  bad = good;
  bad.upper = std::nan("");
  EXPECT_EQ(error(bad),
            "the joint's position limits are -1 to nan; they must be finite, or the joint "
            "continuous");
  bad = good;
  bad.upper = -1.0;
  EXPECT_EQ(error(bad),
            "the joint's position limits and velocity curve leave -1 to -1; it needs a range of at "
            "least 1e-06 rad to stop in");
  bad = good;
  bad.velocity_curve = VelocityCurve{-5.0, 10.0, -1.0, 1.0};
  EXPECT_EQ(error(bad),
            "the joint's position limits and velocity curve leave 1.5 to -1.5; it needs a range of "
            "at least 1e-06 rad to stop in");
  bad.velocity_curve = VelocityCurve{-0.1, 0.0, -1.0, 1.0};
  EXPECT_EQ(error(bad), "the joint's velocity curve's gain is 0; it must be finite and > 0");
  bad.velocity_curve = VelocityCurve{-0.1, 10.0, -1.0, kInfinity};
  EXPECT_EQ(error(bad),
            "the joint's velocity curve has offset -0.1 and ends -1 to inf; they must be finite");
  bad.velocity_curve = VelocityCurve{-0.1, 10.0, -1.0, 1.0};
  bad.continuous = true;
  EXPECT_EQ(error(bad),
            "a continuous joint has a velocity curve; give it position limits, or leave the curve "
            "out");
}

TEST(Viability, HeapIsNotTouchedByABox) {
  const JointViability joint(fr3_joint("joint5"));
  const test::AllocationCount allocations;
  double sum = 0.0;
  for (int i = -4000; i <= 4000; ++i) {
    const AccelerationBox box = joint.box(i * 1e-3, i * 1.5e-3, 1e-3);
    sum += box.upper + box.lower + joint.upper_velocity(i * 1e-3) + joint.lower_velocity(i * 1e-3);
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace viability_test
}  // namespace handspan
