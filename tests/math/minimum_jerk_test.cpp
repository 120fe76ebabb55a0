#include "math/minimum_jerk.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace handspan {
namespace minimum_jerk_test {

TEST(MinimumJerk, GoesFromRestToRest) {
  EXPECT_EQ(minimum_jerk(0.0), 0.0);
  EXPECT_EQ(minimum_jerk(1.0), 1.0);
  EXPECT_EQ(minimum_jerk(0.5), 0.5);
  EXPECT_EQ(minimum_jerk_rate(0.0), 0.0);
  EXPECT_EQ(minimum_jerk_rate(1.0), 0.0);
  // accelerations too: s is 10 x^3 near its ends
  for (const double x : {1e-3, 1e-4}) {
    EXPECT_NEAR(minimum_jerk(x) / (10.0 * x * x * x), 1.0, 2.0 * x);
    EXPECT_NEAR(minimum_jerk_rate(x) / (30.0 * x * x), 1.0, 3.0 * x);
  }
}

TEST(MinimumJerk, IsCutAtItsEnds) {
  for (const double x : {-1e300, -1.0, -1e-9}) {
    EXPECT_EQ(minimum_jerk(x), 0.0);
    EXPECT_EQ(minimum_jerk_rate(x), 0.0);
  }
  for (const double x : {1.0 + 1e-9, 2.0, 1e300}) {
    EXPECT_EQ(minimum_jerk(x), 1.0);
    EXPECT_EQ(minimum_jerk_rate(x), 0.0);
  }
  EXPECT_EQ(minimum_jerk_rate(NAN), 0.0);
}

TEST(MinimumJerk, IsTheSameBackwards) {
  for (int i = 0; i <= 1000; ++i) {
    const double x = i / 1000.0;
    // terms of up to 15 are added: some 30 roundings of them
    EXPECT_NEAR(minimum_jerk(1.0 - x), 1.0 - minimum_jerk(x), 7e-15) << x;
    EXPECT_NEAR(minimum_jerk_rate(1.0 - x), minimum_jerk_rate(x), 1e-14) << x;
  }
}

TEST(MinimumJerk, ItsRateIsItsDerivativeAndAtMostThePeak) {
  constexpr double kStep = 1e-6;
  for (int i = 1; i < 1000; ++i) {
    const double x = i / 1000.0;
    EXPECT_NEAR(minimum_jerk_rate(x),
                (minimum_jerk(x + kStep) - minimum_jerk(x - kStep)) / (2.0 * kStep), 1e-8)
        << x;
    EXPECT_LE(minimum_jerk_rate(x), kMinimumJerkPeak);
  }
  EXPECT_EQ(minimum_jerk_rate(0.5), kMinimumJerkPeak);
}

// the integral of its squared jerk is 720 (Flash and Hogan 1985): any other way from rest to rest
// has more
TEST(MinimumJerk, NoOtherWayHasLessJerk) {
  // other ways: bumps that change neither ends, nor velocities nor accelerations there
  const auto cost = [](double bump) {
    constexpr int kSteps = 20000;
    double sum = 0.0;
    for (int i = 0; i < kSteps; ++i) {
      const double x = (i + 0.5) / kSteps;
      const double jerk = 60.0 - 360.0 * x + 360.0 * x * x;
      // third derivative of x^3 (1 - x)^3
      const double other = 6.0 - 72.0 * x + 180.0 * x * x - 120.0 * x * x * x;
      sum += (jerk + bump * other) * (jerk + bump * other) / kSteps;
    }
    return sum;
  };
  EXPECT_NEAR(cost(0.0), 720.0, 1e-4);
  for (const double bump : {-1.0, -0.1, 0.1, 1.0}) EXPECT_GT(cost(bump), cost(0.0) + 1e-3);
  // and the way is the one with that jerk
  constexpr double kStep = 1e-3;
  for (const double x : {0.2, 0.5, 0.7}) {
    const double jerk = (minimum_jerk(x + 2 * kStep) - 2 * minimum_jerk(x + kStep) +
                         2 * minimum_jerk(x - kStep) - minimum_jerk(x - 2 * kStep)) /
                        (2 * kStep * kStep * kStep);
    EXPECT_NEAR(jerk, 60.0 - 360.0 * x + 360.0 * x * x, 1e-3) << x;
  }
}

}  // namespace minimum_jerk_test
}  // namespace handspan
