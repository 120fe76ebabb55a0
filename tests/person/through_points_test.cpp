#include "person/through_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "math/minimum_jerk.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace through_points_test {

using Points = std::vector<Eigen::Vector3d>;

Points random_points(RandomStream& random, std::size_t n) {
  Points points;
  for (std::size_t i = 0; i < n; ++i)
    points.push_back((i > 0 ? points.back() : Eigen::Vector3d::Zero()) +
                     random.uniform(0.05, 0.4) * random.direction());
  return points;
}

// One point p1, passed at x1, from 0 to pf: Flash and Hogan 1985, appendix, for one coordinate and
// a whole time of 1.
double closed_form(double x, double x1, double p1, double pf) {
  const double a = x1, a2 = a * a, a3 = a2 * a, a4 = a3 * a, a5 = a4 * a, b5 = std::pow(1.0 - a, 5);
  const double c1 = (pf * (300 * a5 - 1200 * a4 + 1600 * a3) + a2 * (-720 * pf + 120 * p1) -
                     p1 * (300 * a - 200)) /
                    (a2 * b5);
  const double pi1 = (pf * (120 * a5 - 300 * a4 + 200 * a3) - 20 * p1) / (a5 * b5);
  const double x3 = x * x * x, x4 = x3 * x, x5 = x4 * x;
  const double before = (pi1 * (a4 * (15 * x4 - 30 * x3) + a3 * (80 * x3 - 30 * x4) - 60 * x3 * a2 +
                                30 * x4 * a - 6 * x5) +
                         c1 * (15 * x4 - 10 * x3 - 6 * x5)) /
                        720.0;
  return x < a ? before : before + pi1 * std::pow(x - a, 5) / 120.0;
}

TEST(ThroughPoints, OnePointIsFlashAndHogansClosedForm) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "through");
    const Points points = random_points(random, 2);
    const double x1 = random.uniform(0.2, 0.8);
    ThroughPoints way;
    way.plan(points, std::vector{x1});
    for (int k = 0; k <= 50; ++k)
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(way.at(0.02 * k)[i], closed_form(0.02 * k, x1, points[0][i], points[1][i]),
                    1e-11)
            << "seed " << seed << " at " << 0.02 * k;
  }
}

// The closed form's time of passing is a root of a polynomial; here the jerk of the closed form
// itself, by its third derivative, is compared around it.
TEST(ThroughPoints, OnePointIsPassedWhenTheWholeJerkIsLeast) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "when");
    const Points points = random_points(random, 2);
    ThroughPoints best;
    best.plan(points);
    EXPECT_LT((best.at(best.time(0)) - points[0]).norm(), 1e-12);
    for (double x = 0.05; x < 0.96; x += 0.05) {
      ThroughPoints other;
      other.plan(points, std::vector{x});
      EXPECT_LE(best.jerk(), other.jerk() * (1.0 + 1e-9)) << "seed " << seed << " at " << x;
    }
  }
}

TEST(ThroughPoints, APointHalfWayChangesNothing) {
  ThroughPoints way;
  const Eigen::Vector3d end(0.3, -0.2, 0.1);
  way.plan(Points{0.5 * end, end});
  EXPECT_NEAR(way.time(0), 0.5, 1e-9);
  EXPECT_NEAR(way.jerk(), 720.0 * end.squaredNorm(), 1e-6);
  for (double x = 0.0; x <= 1.0; x += 0.05)
    EXPECT_LT((way.at(x) - minimum_jerk(x) * end).norm(), 1e-12);
  EXPECT_NEAR(way.peak(), kMinimumJerkPeak * end.norm(), 1e-9);
}

TEST(ThroughPoints, GoesOnSmoothlyWithoutRestAndIsLessJerkThanItsNeighbours) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "smooth");
    const std::size_t n = 2 + seed % (ThroughPoints::kMost - 1);
    const Points points = random_points(random, n);
    ThroughPoints way;
    way.plan(points);
    ASSERT_EQ(way.points(), n);
    EXPECT_EQ(way.at(0.0), Eigen::Vector3d::Zero());
    EXPECT_EQ(way.at(1.0), points.back());
    double before = 0.0;
    std::vector<double> times;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double x = way.time(i);
      times.push_back(x);
      EXPECT_GT(x, before);
      before = x;
      EXPECT_LT((way.at(x) - points[i]).norm(), 1e-12) << "seed " << seed;
      EXPECT_GT(way.rate(x).norm(), 1e-3) << "seed " << seed;
      // the third derivative from both sides, by differences of the rate
      constexpr double h = 1e-5;
      const Eigen::Vector3d left = way.rate(x) - 2.0 * way.rate(x - h) + way.rate(x - 2 * h);
      const Eigen::Vector3d right = way.rate(x) - 2.0 * way.rate(x + h) + way.rate(x + 2 * h);
      // a jerk that jumped would be found as itself; the snap makes 2 h of it
      const double scale = std::sqrt(way.jerk());
      EXPECT_LT((left - right).norm() / (h * h), 0.05 * scale) << "seed " << seed;
    }
    for (std::size_t i = 0; i + 1 < n; ++i)
      for (const double change : {-0.01, 0.01}) {
        auto moved = times;
        moved[i] += change;
        if (moved[i] < (i > 0 ? moved[i - 1] : 0.0) + 0.01) continue;
        if (moved[i] > (i + 2 < n ? moved[i + 1] : 1.0) - 0.01) continue;
        ThroughPoints other;
        other.plan(points, moved);
        EXPECT_LT(way.jerk(), other.jerk() * 1.001) << "seed " << seed << " point " << i;
      }
  }
}

TEST(ThroughPoints, RateIsTheDerivativeAndAMapMapsIt) {
  RandomStream random(4, "rate");
  const Points points = random_points(random, 4);
  ThroughPoints way;
  way.plan(points);
  Eigen::Matrix3d A;
  A << 0.0, -2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 3.0;
  const ThroughPoints mapped = way.mapped(A);
  for (double x = 0.025; x < 1.0; x += 0.05) {
    EXPECT_LT(((way.at(x + 1e-6) - way.at(x - 1e-6)) / 2e-6 - way.rate(x)).norm(), 1e-7);
    EXPECT_LT((mapped.at(x) - A * way.at(x)).norm(), 1e-12);
    EXPECT_LT((mapped.rate(x) - A * way.rate(x)).norm(), 1e-12);
  }
  EXPECT_TRUE(way.rate(1.0).isZero(0.0));
}

TEST(ThroughPoints, AllocatesNothing) {
  RandomStream random(5, "alloc");
  const Points points = random_points(random, ThroughPoints::kMost);
  ThroughPoints way;
  const test::AllocationCount count;
  way.plan(points);
  EXPECT_GT(way.peak(), 0.0);
  EXPECT_EQ(count.count(), 0U);
}

}  // namespace through_points_test
}  // namespace handspan
