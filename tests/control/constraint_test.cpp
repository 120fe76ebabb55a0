#include "control/constraint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace constraint_test {

constexpr std::uint64_t kSeed = 11;

struct Gap {
  double gap = 0.0, closing = 0.0;
  // constant second derivative over dt; returns the least gap on the way
  double advance(double second, double dt) {
    const double next = closing - second * dt;
    double least = gap - 0.5 * (closing + next) * dt;
    if (closing > 0.0 && next < 0.0)
      least = std::min(least, gap - 0.5 * closing * closing / second);
    gap -= 0.5 * (closing + next) * dt;
    closing = next;
    return least;
  }
};

TEST(BrakingBound, AnyStateReachedUnderItIsStoppedInTimeAtNoMoreThanTheDeceleration) {
  RandomStream random(kSeed, "reached");
  for (int run = 0; run < test::sized(2000); ++run) {
    const double a = random.uniform(0.2, 20.0), recovery = random.uniform(0.01, 0.5),
                 dt = std::exp(random.uniform(std::log(1e-3), std::log(1e-2)));
    // room for the first step too
    Gap s{random.uniform(0.0, 1.0), 0.0};
    const double eager = random.uniform(0.0, 1.0);
    for (int k = 0; k < 500; ++k) {
      const double bound = braking_bound(s.gap, s.closing, a, recovery, dt);
      // rounding of speeds of metres a second over a step
      ASSERT_LE(bound, a * (1.0 + 1e-9)) << "seed " << kSeed << " run " << run << " step " << k;
      double second = random.uniform(-3.0 * a, a);
      if (random.uniform() < eager || second < bound) second = bound;
      // a stop without turning round goes a dt^2 / 8 too far at most (viability.hpp)
      ASSERT_GE(s.advance(second, dt), -a * dt * dt / 8.0 - 1e-12)
          << "seed " << kSeed << " run " << run << " step " << k;
    }
  }
}

TEST(BrakingBound, KeepsTheGapWhenItLooksFartherAheadThanAStep) {
  RandomStream random(kSeed, "ahead");
  for (int run = 0; run < test::sized(400); ++run) {
    const double a = random.uniform(0.5, 5.0), ahead = random.uniform(0.005, 0.1), dt = 1e-3;
    Gap s{random.uniform(0.05, 0.5), 0.0};
    for (int k = 0; k < 3000; ++k) {
      const double bound = braking_bound(s.gap, s.closing, a, 0.1, ahead);
      ASSERT_LE(bound, a * 1.001) << "seed " << kSeed << " run " << run << " step " << k;
      // planned anew each step, the end of what is looked ahead recedes: from closing speed c and a
      // gap of c ahead / 2 on it decays with that time constant, c being a * ahead at most
      ASSERT_GE(s.advance(std::max(bound, -3.0), dt), -a * ahead * ahead / 2.0)
          << "seed " << kSeed << " run " << run << " step " << k;
    }
    EXPECT_NEAR(s.gap, 0.0, 1e-6) << "seed " << kSeed << " run " << run;
  }
}

TEST(BrakingBound, IsTheLeastSecondDerivativeFromWhichBrakingKeepsTheGap) {
  RandomStream random(kSeed, "brute force");
  for (int k = 0; k < test::sized(4000); ++k) {
    const double a = random.uniform(0.5, 10.0), dt = random.uniform(1e-3, 1e-2);
    const Gap start{random.uniform(0.01, 0.3), random.uniform(-0.5, 0.5)};
    if (start.gap < 0.5 * start.closing * dt) continue;
    // one step, then the deceleration for ever
    const auto kept = [&](double second) {
      Gap s = start;
      const double least = s.advance(second, dt);
      const double ends = s.closing > 0.0 ? s.gap - 0.5 * s.closing * s.closing / a : s.gap;
      return std::min(least, ends) >= 0.0;
    };
    double low = -1e4, high = 1e4;
    for (int i = 0; i < 100; ++i) (kept(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
    const double bound = braking_bound(start.gap, start.closing, a, 0.1, dt);
    if (high < kMostBraking * a)
      EXPECT_NEAR(bound, high, 1e-8 * std::max(1.0, std::abs(high)))
          << "seed " << kSeed << " " << k;
    else
      EXPECT_EQ(bound, kMostBraking * a) << "seed " << kSeed << " " << k;
  }
}

TEST(BrakingBound, ALostGapOpensNoFasterThanRecoveryAndSettlesWithoutOvershoot) {
  for (const double lost : {1e-4, 1e-3, 0.01, 0.1})
    for (const double dt : {1e-3, 8e-3}) {
      const double recovery = 0.1;
      Gap s{-lost, 0.0};
      double before = s.gap;
      for (int k = 0; k < 4000; ++k) {
        s.advance(braking_bound(s.gap, s.closing, 2.0, recovery, dt), dt);
        ASSERT_LE(-s.closing, recovery * (1.0 + 1e-12)) << lost << " " << k;
        ASSERT_GE(s.gap, before - 1e-15) << lost << " " << k;
        ASSERT_LE(s.gap, 1e-12) << lost << " " << k;
        before = s.gap;
      }
      EXPECT_NEAR(s.gap, 0.0, 1e-9) << lost;
    }
}

TEST(BrakingBound, IsContinuousWhereTheGapIsLost) {
  for (const double closing : {-0.05, 0.0, 0.001, 0.003})
    for (const double dt : {1e-3, 8e-3}) {
      const double edge = 0.5 * closing * dt, step = 1e-12;
      const double above = braking_bound(edge + step, closing, 2.0, 0.1, dt),
                   below = braking_bound(edge - step, closing, 2.0, 0.1, dt);
      // slopes 2 / dt^2 above and 20 / dt below
      EXPECT_NEAR(above, below, 4.0 * step / (dt * dt)) << closing << " " << dt;
    }
}

TEST(BrakingBound, NeverAsksForMoreThanItsMostWhateverTheState) {
  RandomStream random(kSeed, "any");
  for (int k = 0; k < test::sized(200000); ++k) {
    const double a = random.uniform(0.1, 10.0);
    const double bound = braking_bound(random.uniform(-1.0, 1.0), random.uniform(-10.0, 10.0), a,
                                       0.1, random.uniform(1e-3, 0.1));
    ASSERT_TRUE(std::isfinite(bound) && bound <= kMostBraking * a) << "seed " << kSeed << " " << k;
  }
}

TEST(Constraint, KindsHaveTheNamesOfTheSchema) {
  EXPECT_STREQ(name_of(ConstraintKind::kDynamics), "dynamics");
  EXPECT_STREQ(name_of(ConstraintKind::kTorque), "torque");
  EXPECT_STREQ(name_of(ConstraintKind::kJointBox), "joint_box");
  EXPECT_STREQ(name_of(ConstraintKind::kCollision), "collision");
  EXPECT_STREQ(name_of(ConstraintKind::kCartesian), "cartesian");
  EXPECT_STREQ(name_of(ConstraintKind::kJerk), "jerk");
}

}  // namespace constraint_test
}  // namespace handspan
