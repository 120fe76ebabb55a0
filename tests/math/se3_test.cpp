#include "math/se3.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.hpp"

namespace handspan {
namespace se3_test {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;
constexpr std::uint64_t kSeed = 1;

Vector6d random_twist(RandomStream& random, double angle) {
  Vector6d twist;
  const Eigen::Vector3d rho = random.uniform(0.0, 2.0) * random.direction();
  twist << rho, angle * random.direction();
  return twist;
}

TEST(Se3, ExpIsThePowerSeriesOfTheHomogeneousMatrix) {
  RandomStream random(kSeed, "series");
  for (const double angle : {0.0, 1e-8, 0.0099, 0.0101, 0.5, 2.0}) {
    for (int run = 0; run < 20; ++run) {
      const Vector6d twist = random_twist(random, angle);
      Eigen::Matrix4d generator = Eigen::Matrix4d::Zero();
      generator.topLeftCorner<3, 3>() = skew(twist.tail<3>());
      generator.topRightCorner<3, 1>() = twist.head<3>();
      Eigen::Matrix4d term = Eigen::Matrix4d::Identity(), sum = term;
      for (int k = 1; k < 40; ++k) {
        term = term * generator / k;
        sum += term;
      }
      const Pose X = exp_se3(twist);
      // 40 terms of at most 4 round
      EXPECT_LT((X.R - sum.topLeftCorner<3, 3>()).cwiseAbs().maxCoeff(), 80 * kEps);
      EXPECT_LT((X.p - sum.topRightCorner<3, 1>()).cwiseAbs().maxCoeff(), 80 * kEps)
          << "angle " << angle << " seed " << kSeed << " run " << run;
    }
  }
}

TEST(Se3, LogInvertsExpAtAllAngles) {
  RandomStream random(kSeed, "log");
  for (const double angle : {0.0, 1e-12, 1e-5, 0.0099, 0.0101, 1.0, 3.0, kPi - 1e-6, kPi - 1e-12}) {
    for (int run = 0; run < 50; ++run) {
      const Vector6d twist = random_twist(random, angle);
      // |rho| up to 2, the inverse of V at most pi / 2
      EXPECT_LT((log_se3(exp_se3(twist)) - twist).norm(), 64 * kEps)
          << "angle " << angle << " seed " << kSeed << " run " << run;
    }
  }
}

TEST(Se3, LeftJacobianIsThatOfExp) {
  const Eigen::Vector3d phi(0.4, -0.8, 1.1);
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector3d step = kStep * Eigen::Vector3d::Unit(i);
    const Eigen::Matrix3d change = exp_so3(phi + step) * exp_so3(phi - step).transpose();
    // central differences: step^2 of truncation, eps / step of rounding
    EXPECT_LT((log_so3(change) / (2 * kStep) - left_jacobian_so3(phi).col(i)).norm(), 1e-9);
  }
}

TEST(Se3, LeftJacobianInverseIsItsInverse) {
  RandomStream random(kSeed, "jacobian");
  for (const double angle : {0.0, 1e-6, 0.0099, 0.0101, 1.0, 3.0, 6.0}) {
    const Eigen::Vector3d phi = angle * random.direction();
    const Eigen::Matrix3d product = left_jacobian_so3(phi) * left_jacobian_inverse_so3(phi);
    // near 2 pi the inverse grows as (x/2) cot(x/2): 21 at 6
    EXPECT_LT((product - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 128 * kEps) << angle;
  }
}

TEST(Se3, PoseDifferenceLeadsFromAToB) {
  RandomStream random(kSeed, "difference");
  for (int run = 0; run < 100; ++run) {
    const Pose X_WA = exp_se3(random_twist(random, 2.0)), X_WB = exp_se3(random_twist(random, 1.0));
    const Vector6d difference = pose_difference(X_WA, X_WB);
    EXPECT_LT((X_WA.p + difference.head<3>() - X_WB.p).norm(), 8 * kEps);
    EXPECT_LT((exp_so3(difference.tail<3>()) * X_WA.R - X_WB.R).cwiseAbs().maxCoeff(), 32 * kEps)
        << "seed " << kSeed << " run " << run;
  }
}

TEST(Se3, AdjointMovesTwistsAsConjugationMovesPoses) {
  RandomStream random(kSeed, "adjoint");
  for (int run = 0; run < 50; ++run) {
    const Pose X = exp_se3(random_twist(random, 1.5));
    const Vector6d V = random_twist(random, 1.0);
    const Pose left = X * exp_se3(V) * X.inverse();
    const Pose right = exp_se3(adjoint(X) * V);
    EXPECT_LT((left.R - right.R).cwiseAbs().maxCoeff(), 64 * kEps)
        << "seed " << kSeed << " run " << run;
    EXPECT_LT((left.p - right.p).norm(), 128 * kEps) << "seed " << kSeed << " run " << run;
  }
}

TEST(Se3, WrenchesKeepThePowerOfTwists) {
  RandomStream random(kSeed, "wrench");
  for (int run = 0; run < 50; ++run) {
    const Pose X_AB = exp_se3(random_twist(random, 1.5));
    const Vector6d V_B = random_twist(random, 1.0), F_B = random_twist(random, 3.0);
    const double power = (adjoint(X_AB) * V_B).dot(transform_wrench(X_AB, F_B));
    EXPECT_NEAR(power, V_B.dot(F_B), 128 * kEps) << "seed " << kSeed << " run " << run;
  }
  // a force along y at x = 1 has a moment about z
  Vector6d F;
  F << 0, 1, 0, 0, 0, 0;
  EXPECT_EQ(transform_wrench(Pose::translation({1, 0, 0}), F)[5], 1.0);
}

}  // namespace se3_test
}  // namespace handspan
