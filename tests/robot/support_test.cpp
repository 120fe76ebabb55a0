#include "robot/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.hpp"

namespace handspan {
namespace support_test {

constexpr std::uint64_t kSeed = 12;
const Eigen::Vector3d kSize(0.3, 0.2, 0.1);

// the farthest of many points of a surface
double farthest(ShapeType type, const Eigen::Vector3d& n) {
  double most = -1e9;
  const auto point = [&](const Eigen::Vector3d& p) { most = std::max(most, n.dot(p)); };
  constexpr int kSteps = 400;
  for (int i = 0; i < kSteps; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kSteps;
    const Eigen::Vector3d around(std::cos(angle), std::sin(angle), 0.0);
    if (type == ShapeType::kBox)
      point(kSize.cwiseProduct(Eigen::Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    if (type == ShapeType::kCylinder)
      for (const double z : {-kSize[1], kSize[1]})
        point(kSize[0] * around + Eigen::Vector3d(0, 0, z));
    if (type == ShapeType::kSphere || type == ShapeType::kCapsule)
      for (int k = 0; k <= kSteps; ++k) {
        const double up = std::numbers::pi * (k - kSteps / 2) / kSteps;
        const double end = type == ShapeType::kCapsule ? std::copysign(kSize[1], up) : 0.0;
        point(kSize[0] * (std::cos(up) * around + Eigen::Vector3d(0, 0, std::sin(up))) +
              Eigen::Vector3d(0, 0, end));
      }
  }
  return most;
}

TEST(Support, IsTheFarthestOfManyPointsOfTheSurface) {
  RandomStream random(kSeed, "support");
  for (const ShapeType type :
       {ShapeType::kBox, ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kCylinder})
    for (int k = 0; k < 20; ++k) {
      const Eigen::Vector3d n =
          k < 3
              ? Eigen::Vector3d(Eigen::Vector3d::Unit(k))
              : Eigen::Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))
                    .normalized();
      const double by_points = farthest(type, n), found = support(type, kSize, n);
      EXPECT_GE(found, by_points - 1e-14) << k;
      // points 0.9 degrees apart in both angles: r (1 - cos(0.64 degrees))
      EXPECT_LE(found, by_points + 2e-5) << k;
    }
}

TEST(Support, MeshesHaveNone) { EXPECT_FALSE(has_support(ShapeType::kMesh)); }

}  // namespace support_test
}  // namespace handspan
