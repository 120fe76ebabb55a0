#include "math/so3.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "core/random.hpp"

namespace handspan {
namespace so3_test {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;
constexpr std::uint64_t kSeed = 1;

TEST(So3, SkewIsTheCrossProductAndUnskewItsInverse) {
  const Eigen::Vector3d a(1, 2, 3), b(-4, 5, 7);
  EXPECT_EQ(skew(a) * b, a.cross(b));
  EXPECT_EQ(unskew(skew(a)), a);
  // the symmetric part has no say
  EXPECT_EQ(unskew(skew(a) + Eigen::Matrix3d::Ones()), a);
}

TEST(So3, ExpTurnsByTheRightHand) {
  const Eigen::Matrix3d R = exp_so3({0, 0, kPi / 2});
  EXPECT_LT((R * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm(), 4 * kEps);
  EXPECT_EQ(exp_so3(Eigen::Vector3d::Zero()), Eigen::Matrix3d::Identity());
}

TEST(So3, ExpIsItsPowerSeries) {
  RandomStream random(kSeed, "series");
  for (int run = 0; run < 100; ++run) {
    const Eigen::Vector3d phi = random.uniform(0.0, 2.0) * random.direction();
    Eigen::Matrix3d term = Eigen::Matrix3d::Identity(), sum = term;
    for (int k = 1; k < 40; ++k) {
      term = term * skew(phi) / k;
      sum += term;
    }
    // the series' largest term is 2, and 40 of them round
    EXPECT_LT((exp_so3(phi) - sum).cwiseAbs().maxCoeff(), 40 * kEps)
        << "seed " << kSeed << " run " << run;
  }
}

TEST(So3, LogInvertsExpToFullPrecisionAlsoAtZeroAndPi) {
  RandomStream random(kSeed, "log");
  const std::initializer_list<double> angles{
      1e-300, 1e-150,  1e-20, 1e-9,       1e-6,       1e-4,        1e-3,       0.1,
      1.0,    kPi / 2, 3.0,   kPi - 1e-4, kPi - 1e-8, kPi - 1e-12, kPi - 1e-15};
  for (const double angle : angles) {
    for (int run = 0; run < 50; ++run) {
      const Eigen::Vector3d phi = angle * random.direction();
      // relative at 0, as near pi: nothing is lost to cancellation
      EXPECT_LT((log_so3(exp_so3(phi)) - phi).norm(), 12 * kEps * angle)
          << "angle " << angle << " seed " << kSeed << " run " << run;
    }
  }
}

TEST(So3, LogAtPiIsEitherOfTheTwoAxes) {
  for (const Eigen::Vector3d& axis :
       {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(0, 0, 1),
        Eigen::Vector3d(1.0 / 3, -2.0 / 3, 2.0 / 3)}) {
    const Eigen::Matrix3d R = 2 * axis * axis.transpose() - Eigen::Matrix3d::Identity();
    const Eigen::Vector3d phi = log_so3(R);
    EXPECT_NEAR(phi.norm(), kPi, 4 * kEps);
    EXPECT_NEAR(std::abs(phi.dot(axis)), kPi, 8 * kEps);
  }
}

TEST(So3, LogOfBothSpellingsOfAQuaternionIsOne) {
  const Eigen::Quaterniond q = exp_quaternion({0.3, -0.2, 1.1});
  const Eigen::Quaterniond minus(-q.w(), -q.x(), -q.y(), -q.z());
  EXPECT_EQ(log_quaternion(q), log_quaternion(minus));
  EXPECT_EQ(log_quaternion(Eigen::Quaterniond::Identity()), Eigen::Vector3d::Zero());
}

TEST(So3, AngleBetweenIsThatOfTheStepFromOneToTheOther) {
  RandomStream random(kSeed, "angle");
  for (int run = 0; run < 100; ++run) {
    const Eigen::Matrix3d R_WA = exp_so3(random.uniform(0, 3) * random.direction());
    const double angle = random.uniform(0.0, kPi);
    const Eigen::Matrix3d R_WB = R_WA * exp_so3(angle * random.direction());
    EXPECT_NEAR(angle_between(R_WA, R_WB), angle, 16 * kEps) << "seed " << kSeed << " run " << run;
    EXPECT_NEAR(angle_between(R_WB, R_WA), angle, 16 * kEps);
  }
  EXPECT_EQ(angle_between(Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity()), 0.0);
}

TEST(So3, RpyTurnsAboutTheFixedAxesXThenYThenZ) {
  const double r = 0.3, p = -0.7, y = 2.0;
  Eigen::Matrix3d expected;
  // the matrix that the URDF specification's convention gives, written out
  expected << std::cos(y) * std::cos(p),
      std::cos(y) * std::sin(p) * std::sin(r) - std::sin(y) * std::cos(r),
      std::cos(y) * std::sin(p) * std::cos(r) + std::sin(y) * std::sin(r),
      std::sin(y) * std::cos(p),
      std::sin(y) * std::sin(p) * std::sin(r) + std::cos(y) * std::cos(r),
      std::sin(y) * std::sin(p) * std::cos(r) - std::cos(y) * std::sin(r), -std::sin(p),
      std::cos(p) * std::sin(r), std::cos(p) * std::cos(r);
  EXPECT_LT((rotation_from_rpy({r, p, y}) - expected).cwiseAbs().maxCoeff(), 4 * kEps);
}

TEST(So3, RpyOfARotationGivesItBack) {
  RandomStream random(kSeed, "rpy");
  for (int run = 0; run < 200; ++run) {
    const Eigen::Vector3d rpy(random.uniform(-kPi, kPi), random.uniform(-1.5, 1.5),
                              random.uniform(-kPi, kPi));
    const double condition = 1.0 / std::cos(rpy.y());
    EXPECT_LT((rpy_from_rotation(rotation_from_rpy(rpy)) - rpy).norm(), 8 * kEps * condition)
        << "seed " << kSeed << " run " << run;
  }
  for (const double pitch : {-kPi / 2, kPi / 2}) {
    const Eigen::Matrix3d R = rotation_from_rpy({0.4, pitch, 1.0});
    const Eigen::Vector3d rpy = rpy_from_rotation(R);
    EXPECT_EQ(rpy.x(), 0.0);
    EXPECT_LT((rotation_from_rpy(rpy) - R).cwiseAbs().maxCoeff(), 8 * kEps);
  }
}

TEST(So3, QuaternionsAreXyzwAtTheEdges) {
  const Eigen::Quaterniond q = quaternion_from_xyzw({0, 0, 2, 0});
  EXPECT_EQ(q.z(), 1.0);
  EXPECT_EQ(q.w(), 0.0);
  const Eigen::Quaterniond minus(-0.5, 0.5, -0.5, 0.5);
  EXPECT_EQ(xyzw_from_quaternion(minus), Eigen::Vector4d(-0.5, 0.5, -0.5, 0.5));
  EXPECT_EQ(xyzw_from_quaternion(quaternion_from_xyzw({0.1, 0.2, 0.3, 0.4})),
            Eigen::Vector4d(0.1, 0.2, 0.3, 0.4).normalized());
}

TEST(So3, NearestRotationIsAProperRotationAndTheFactorOfAStretch) {
  const Eigen::Matrix3d R = exp_so3({0.5, -1.0, 2.0});
  const Eigen::Matrix3d turned = exp_so3({1.0, 0.2, 0.0});
  const Eigen::Matrix3d stretch =
      turned * Eigen::Vector3d(0.9, 1.0, 1.2).asDiagonal() * turned.transpose();
  EXPECT_LT((nearest_rotation(R * stretch) - R).cwiseAbs().maxCoeff(), 32 * kEps);
  const Eigen::Matrix3d mirrored = R * Eigen::Vector3d(1.0, 1.0, -0.1).asDiagonal();
  EXPECT_NEAR(nearest_rotation(mirrored).determinant(), 1.0, 8 * kEps);
}

}  // namespace so3_test
}  // namespace handspan
