// Covering capsules of known point clouds.
#include "scene/fit_shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace handspan {
namespace fit_shapes_test {

using Cloud = std::vector<Eigen::Vector3d>;

double farthest(const FittedCapsule& capsule, const Cloud& points) {
  double worst = -std::numeric_limits<double>::infinity();
  for (const auto& p : points) worst = std::max(worst, capsule.distance(p));
  return worst;
}

Cloud capsule_surface(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double r, int n) {
  Cloud out;
  const Eigen::Quaterniond q = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), b - a);
  for (int k = 0; k < n; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / n, angle = 2.399963 * k, s = std::sqrt(1.0 - z * z);
    out.push_back((z > 0.0 ? b : a) +
                  r * (q * Eigen::Vector3d(s * std::cos(angle), s * std::sin(angle), z)));
  }
  // the poles, so that the cloud has the capsule's full length
  out.push_back(b + r * (b - a).normalized());
  out.push_back(a - r * (b - a).normalized());
  return out;
}

TEST(FitCapsule, FindsTheCapsuleWhosePointsItIsGiven) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < 5; ++k) {
    const Eigen::Vector3d a(unit(random), unit(random), unit(random));
    const Eigen::Vector3d b =
        a + Eigen::Vector3d(unit(random), unit(random), unit(random)).normalized() * 0.5;
    const double r = 0.08;
    const FittedCapsule fit = fit_capsule(capsule_surface(a, b, r, 4000));
    EXPECT_NEAR(fit.radius, r, 1e-3) << k;
    const bool same_way = (fit.a - a).norm() < (fit.b - a).norm();
    EXPECT_LT(((same_way ? fit.a : fit.b) - a).norm(), 1e-3) << k;
    EXPECT_LT(((same_way ? fit.b : fit.a) - b).norm(), 1e-3) << k;
  }
}

TEST(FitCapsule, OfACylinderIsTheShorterWiderOneWithTheClosedFormsVolume) {
  // rims at z = +-h of radius R: V(r) = pi r^2 (2 h - 2 sqrt(r^2 - R^2)) + 4/3 pi r^3, minimised by
  // scanning
  const double R = 0.05, h = 0.2;
  Cloud points;
  for (int k = 0; k < 720; ++k)
    for (const double z : {-h, h}) {
      const double angle = k * std::numbers::pi / 360.0;
      points.emplace_back(R * std::cos(angle), R * std::sin(angle), z);
    }
  double best = std::numeric_limits<double>::infinity();
  for (double r = R; r < 2.0 * R; r += 1e-6)
    best = std::min(best, std::numbers::pi * r * r *
                              (2.0 * h - 2.0 * std::sqrt(r * r - R * R) + 4.0 / 3.0 * r));
  const FittedCapsule fit = fit_capsule(points);
  EXPECT_NEAR(fit.volume() / best, 1.0, 2e-3);
  EXPECT_LE(farthest(fit, points), 1e-9);
}

TEST(FitCapsule, CoversABoxNoWorseThanTheCapsuleAboutItsLongAxis) {
  const Eigen::Vector3d half(0.3, 0.05, 0.04);
  Cloud points;
  for (int k = 0; k < 8; ++k)
    points.emplace_back(k & 1 ? half.x() : -half.x(), k & 2 ? half.y() : -half.y(),
                        k & 4 ? half.z() : -half.z());
  const double r = std::hypot(half.y(), half.z());
  const FittedCapsule about_axis{{-half.x(), 0, 0}, {half.x(), 0, 0}, r};
  const FittedCapsule fit = fit_capsule(points);
  EXPECT_LE(farthest(fit, points), 1e-9);
  EXPECT_LT(fit.volume(), about_axis.volume());
  EXPECT_GT(fit.volume(), 8.0 * half.prod());
}

TEST(FitCapsule, CoversRandomCloudsAndIsDeterministic) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 10; ++k) {
    Cloud points;
    for (int i = 0; i < 3000; ++i)
      points.emplace_back(0.3 * normal(random), 0.1 * normal(random), 0.05 * normal(random));
    const FittedCapsule fit = fit_capsule(points), again = fit_capsule(points);
    EXPECT_LE(farthest(fit, points), 1e-9) << k;
    EXPECT_EQ(fit.radius, again.radius);
    EXPECT_EQ(fit.a, again.a);
  }
}

TEST(FitCapsule, CoversFlatStraightAndSinglePointClouds) {
  Cloud flat, line;
  for (int i = 0; i <= 10; ++i) {
    line.emplace_back(0.1 * i, 0.2, 0.3);
    for (int j = 0; j <= 10; ++j) flat.emplace_back(0.05 * i, 0.01 * j, 0.0);
  }
  for (const Cloud& points :
       {flat, line, Cloud{{1.0, 2.0, 3.0}}, Cloud(5, Eigen::Vector3d(1.0, 2.0, 3.0))}) {
    const FittedCapsule fit = fit_capsule(points);
    EXPECT_LE(farthest(fit, points), 1e-9);
    EXPECT_GE(fit.radius, kSmallestCapsuleRadius);
  }
  // a line needs hardly any volume
  EXPECT_LT(fit_capsule(line).radius, 1e-3);
  EXPECT_EQ(capsule_shape(fit_capsule({{1.0, 2.0, 3.0}})).type, ShapeType::kSphere);
}

TEST(FitCapsule, RefusesNoPointsAndPointsThatAreNotFinite) {
  EXPECT_THROW(fit_capsule({}), std::invalid_argument);
  EXPECT_THROW(fit_capsule({{0.0, 0.0, std::nan("")}}), std::invalid_argument);
}

TEST(CapsuleShape, HasTheCapsulesEnds) {
  const FittedCapsule capsule{{0.1, 0.2, 0.3}, {-0.4, 0.5, 0.9}, 0.07};
  const Shape shape = capsule_shape(capsule);
  ASSERT_EQ(shape.type, ShapeType::kCapsule);
  const Eigen::Vector3d end =
      shape.X_BG.p + shape.X_BG.q * Eigen::Vector3d(0.0, 0.0, shape.size[1]);
  EXPECT_LT((end - capsule.b).norm(), 1e-15);
  EXPECT_EQ(shape.size[0], 0.07);
}

}  // namespace fit_shapes_test
}  // namespace handspan
