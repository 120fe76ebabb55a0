#include "math/rotation_vector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "math/se3.hpp"

namespace handspan {
namespace rotation_vector_test {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kSeed = 1;

// phi(t) = c0 + c1 t + c2 t^2 / 2 + c3 t^3 / 6
struct Cubic {
  Eigen::Vector3d c0, c1, c2, c3;
  Eigen::Vector3d at(double t) const { return c0 + t * (c1 + t * (c2 / 2 + t * c3 / 6)); }
  RotationVectorRates rates(double t) const {
    return {c1 + t * (c2 + t * c3 / 2), c2 + t * c3, c3};
  }
  AngularMotion motion(double t) const { return angular_motion(at(t), rates(t)); }
};

Cubic random_cubic(RandomStream& random, double angle) {
  return {angle * random.direction(), 2 * random.direction(), 2 * random.direction(),
          2 * random.direction()};
}

TEST(RotationVector, VelocityIsTheLeftJacobianTimesTheRate) {
  RandomStream random(kSeed, "jacobian");
  for (int run = 0; run < 500; ++run) {
    const Cubic cubic = random_cubic(random, random.uniform(0.0, 6.2));
    const Eigen::Vector3d expected = left_jacobian_so3(cubic.c0) * cubic.c1;
    EXPECT_LT((cubic.motion(0.0).velocity - expected).norm(), 100 * kEps)
        << "seed " << kSeed << " run " << run;
  }
}

TEST(RotationVector, VelocityIsThatOfTheRotation) {
  RandomStream random(kSeed, "rotation");
  for (int run = 0; run < 200; ++run) {
    const Cubic cubic = random_cubic(random, random.uniform(0.0, 3.1));
    const double h = 1e-5;
    const Eigen::Matrix3d R = exp_so3(cubic.at(0.0));
    const Eigen::Matrix3d rate = (exp_so3(cubic.at(h)) - exp_so3(cubic.at(-h))) / (2 * h);
    // central differences: h^2 times third derivatives of up to 100, and rounding over h
    EXPECT_LT((unskew(rate * R.transpose()) - cubic.motion(0.0).velocity).norm(), 1e-8)
        << "seed " << kSeed << " run " << run;
  }
}

TEST(RotationVector, AccelerationAndJerkAreTheDerivatives) {
  RandomStream random(kSeed, "derivatives");
  for (int run = 0; run < 500; ++run) {
    const Cubic cubic = random_cubic(random, run == 0 ? 0.0 : random.uniform(0.0, 6.2));
    const double h = 1e-5;
    const AngularMotion before = cubic.motion(-h), now = cubic.motion(0.0), after = cubic.motion(h);
    const Eigen::Vector3d acceleration = (after.velocity - before.velocity) / (2 * h);
    const Eigen::Vector3d jerk = (after.acceleration - before.acceleration) / (2 * h);
    EXPECT_LT((now.acceleration - acceleration).norm(), 1e-8) << "seed " << kSeed << " run " << run;
    EXPECT_LT((now.jerk - jerk).norm(), 2e-8) << "seed " << kSeed << " run " << run;
  }
}

TEST(RotationVector, AboutOneAxisTheRatesAreTheMotion) {
  const Eigen::Vector3d axis(2.0 / 3, -1.0 / 3, 2.0 / 3);
  const AngularMotion motion = angular_motion(2.5 * axis, {0.5 * axis, -1.5 * axis, 3.0 * axis});
  EXPECT_LT((motion.velocity - 0.5 * axis).norm(), 8 * kEps);
  EXPECT_LT((motion.acceleration + 1.5 * axis).norm(), 8 * kEps);
  EXPECT_LT((motion.jerk - 3.0 * axis).norm(), 16 * kEps);
}

}  // namespace rotation_vector_test
}  // namespace handspan
