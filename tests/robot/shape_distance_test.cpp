#include "robot/shape_distance.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <coal/distance.h>
#include <coal/shape/geometric_shapes.h>
#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "robot/point_distance.hpp"
#include "robot/support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace shape_distance_test {

constexpr ShapeType kTypes[] = {ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kCylinder,
                                ShapeType::kBox};
constexpr double kFar = 100.0;  // [m]

std::string name(ShapeType type) {
  return type == ShapeType::kSphere     ? "sphere"
         : type == ShapeType::kCapsule  ? "capsule"
         : type == ShapeType::kCylinder ? "cylinder"
                                        : "box";
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Eigen::Vector3d vector() {
    std::normal_distribution<double> normal;
    return {normal(engine_), normal(engine_), normal(engine_)};
  }
  Eigen::Matrix3d rotation() {
    std::normal_distribution<double> normal;
    Eigen::Quaterniond q(normal(engine_), normal(engine_), normal(engine_), normal(engine_));
    return q.normalized().toRotationMatrix();
  }
  PlacedShape shape(ShapeType type, double spread) {
    return {type,
            {uniform(0.02, 0.15), uniform(0.02, 0.2), uniform(0.02, 0.2)},
            rotation(),
            spread * vector()};
  }
  // on a lattice, turned by right angles: everything that can be parallel, flush or concentric is
  PlacedShape aligned(ShapeType type) {
    PlacedShape s{type, {}, {}, {}};
    const double lengths[] = {0.05, 0.1, 0.2};
    for (int i = 0; i < 3; ++i) {
      s.size[i] = lengths[below(3)];
      s.p_WG[i] = 0.05 * (below(13) - 6);
    }
    const auto axis = [&] {
      return Eigen::Vector3d((below(2) ? 1.0 : -1.0) * Eigen::Vector3d::Unit(below(3)));
    };
    s.R_WG.col(0) = axis();
    do s.R_WG.col(1) = axis();
    while (s.R_WG.col(0).dot(s.R_WG.col(1)) != 0.0);
    s.R_WG.col(2) = s.R_WG.col(0).cross(s.R_WG.col(1));
    return s;
  }
  // turned a little
  PlacedShape tilted(PlacedShape s, double angle) {
    s.R_WG = Eigen::AngleAxisd(angle, vector().normalized()).toRotationMatrix() * s.R_WG;
    return s;
  }

 private:
  std::mt19937_64 engine_;
};

double support_of(const PlacedShape& s, const Eigen::Vector3d& n_W) {
  return support(s.type, s.size, s.R_WG.transpose() * n_W);
}

// what lies between the two along n: never more than their distance
double separation(const PlacedShape& a, const PlacedShape& b, const Eigen::Vector3d& n_W) {
  return n_W.dot(a.p_WG - b.p_WG) - support_of(a, n_W) - support_of(b, n_W);
}

double from_surface(const PlacedShape& s, const Eigen::Vector3d& p_W) {
  return point_distance(s.type, s.size, s.R_WG.transpose() * (p_W - s.p_WG)).distance;
}

// Points of both surfaces, `distance` apart along a unit normal along which all of A is beyond all
// of B by as much: then no two points are nearer, and no shorter move along it parts the two.
void expect_proven(const PlacedShape& a, const PlacedShape& b, const NearestPoints& d,
                   const std::string& what) {
  EXPECT_NEAR(d.n_W.norm(), 1.0, 1e-14) << what;
  EXPECT_LT((d.p_WB + d.distance * d.n_W - d.p_WA).norm(), 1e-14) << what;
  EXPECT_NEAR(from_surface(a, d.p_WA), 0.0, 1e-11) << what;
  EXPECT_NEAR(from_surface(b, d.p_WB), 0.0, 1e-11) << what;
  // where shapes overlap so far that a capsule's axis nearly touches the other one, its direction
  // is that of what is left between them
  EXPECT_NEAR(separation(a, b, d.n_W), d.distance, d.distance > 0.0 ? 1e-11 : 1e-8) << what;
}

// coal has its shapes as ours are: about their centres, z along the axis
std::unique_ptr<coal::ShapeBase> coal_shape(const PlacedShape& s) {
  switch (s.type) {
    case ShapeType::kSphere:
      return std::make_unique<coal::Sphere>(s.size[0]);
    case ShapeType::kCapsule:
      return std::make_unique<coal::Capsule>(s.size[0], 2.0 * s.size[1]);
    case ShapeType::kCylinder:
      return std::make_unique<coal::Cylinder>(s.size[0], 2.0 * s.size[1]);
    default:
      return std::make_unique<coal::Box>(2.0 * s.size);
  }
}

double coal_distance(const PlacedShape& a, const PlacedShape& b) {
  coal::DistanceRequest request;
  request.enable_signed_distance = true;
  request.gjk_tolerance = 1e-10;
  request.epa_tolerance = 1e-10;
  request.gjk_max_iterations = 1000;
  request.epa_max_iterations = 1000;
  coal::DistanceResult result;
  return coal::distance(coal_shape(a).get(), coal::Transform3s(a.R_WG, a.p_WG), coal_shape(b).get(),
                        coal::Transform3s(b.R_WG, b.p_WG), request, result);
}

bool is_round(const PlacedShape& s) {
  return s.type == ShapeType::kSphere || s.type == ShapeType::kCapsule;
}

TEST(ShapeDistance, IsProvenAndCoalsForRandomPairs) {
  for (const ShapeType type_a : kTypes)
    for (const ShapeType type_b : kTypes) {
      Random random(1);
      int found = 0, overlapping = 0, left = 0;
      for (int k = 0; k < 2000; ++k) {
        const PlacedShape a = random.shape(type_a, 0.2), b = random.shape(type_b, 0.2);
        const std::string what = fmt::format("{} - {}, seed 1, {}", name(type_a), name(type_b), k);
        const double expected = coal_distance(a, b);
        NearestPoints d;
        const ShapeDistance result = shape_distance(a, b, kFar, d);
        ASSERT_NE(result, ShapeDistance::kBeyond) << what;
        if (result == ShapeDistance::kUnknown) {
          // what overlaps, and boxes that are nearest with two edges or corners
          left += expected > 1e-8;
          continue;
        }
        ++found;
        overlapping += d.distance < 0.0;
        expect_proven(a, b, d, what);
        if (expected > 0.0) {
          EXPECT_NEAR(d.distance, expected, 1e-8) << what;
        } else {
          // no parting is shorter than the shortest; EPA's may be longer, and where it ends on a
          // curved surface is within its tolerance
          EXPECT_GE(d.distance, expected - 1e-6) << what;
        }
      }
      if (type_a == ShapeType::kBox && type_b == ShapeType::kBox) {
        EXPECT_GT(found, 150);
      } else {
        EXPECT_EQ(left, 0) << name(type_a) << " - " << name(type_b);
      }
      const PlacedShape a{type_a, {}, {}, {}}, b{type_b, {}, {}, {}};
      if (is_round(a) || is_round(b)) {
        EXPECT_GT(overlapping, 50);
      }
    }
}

TEST(ShapeDistance, IsProvenWhereThingsAreParallelFlushOrConcentric) {
  for (const double tilt : {0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3})
    for (const ShapeType type_a : kTypes)
      for (const ShapeType type_b : kTypes) {
        Random random(2);
        int found = 0, left = 0;
        for (int k = 0; k < 1000; ++k) {
          PlacedShape a = random.aligned(type_a), b = random.aligned(type_b);
          if (tilt > 0.0) a = random.tilted(a, tilt);
          const std::string what =
              fmt::format("{} - {} by {} rad, seed 2, {}", name(type_a), name(type_b), tilt, k);
          NearestPoints d;
          if (shape_distance(a, b, kFar, d) == ShapeDistance::kUnknown) {
            left += coal_distance(a, b) > 1e-6;
            continue;
          }
          ++found;
          expect_proven(a, b, d, what);
        }
        EXPECT_GT(found, 200);
        // nearly parallel ends and faces that lie only partly over one another are left to GJK
        if (type_a != ShapeType::kBox || type_b != ShapeType::kBox) {
          EXPECT_LE(left, tilt > 0.0 ? 30 : 0)
              << name(type_a) << " - " << name(type_b) << " " << tilt;
        }
      }
}

TEST(ShapeDistance, OfRoundShapesIsDefinedWhereCentresOrLinesMeet) {
  const Eigen::Matrix3d upright = Eigen::Matrix3d::Identity();
  const PlacedShape ball{ShapeType::kSphere, {0.1, 0.0, 0.0}, upright, {0.1, 0.2, 0.3}},
      post{ShapeType::kCapsule, {0.05, 0.2, 0.0}, upright, {0.1, 0.2, 0.3}};
  PlacedShape bar = post;
  bar.R_WG = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()).toRotationMatrix();
  NearestPoints d;
  const auto expect = [&](const PlacedShape& a, const PlacedShape& b, double distance) {
    ASSERT_EQ(shape_distance(a, b, kFar, d), ShapeDistance::kFound);
    EXPECT_NEAR(d.distance, distance, 1e-15);
    expect_proven(a, b, d, name(a.type) + " - " + name(b.type));
  };
  expect(ball, ball, -0.2);
  expect(ball, post, -0.15);
  expect(post, post, -0.1);
  expect(post, bar, -0.1);
  // the lines end on one another
  bar.p_WG += 0.2 * bar.R_WG.col(2);
  expect(post, bar, -0.1);
  bar.p_WG = post.p_WG + 0.2 * Eigen::Vector3d::UnitZ() + 0.2 * bar.R_WG.col(2);
  expect(bar, post, -0.1);
}

TEST(ShapeDistance, OfParallelShapesTouchesInTheMiddleOfWhatLiesSideBySide) {
  const PlacedShape a{
      ShapeType::kCapsule, {0.05, 0.2, 0.0}, Eigen::Matrix3d::Identity(), {0, 0, 0}};
  PlacedShape b = a;
  b.p_WG = {0.3, 0.0, 0.1};
  NearestPoints d;
  ASSERT_EQ(shape_distance(a, b, kFar, d), ShapeDistance::kFound);
  EXPECT_NEAR(d.distance, 0.2, 1e-15);
  EXPECT_NEAR(d.p_WA.z(), 0.05, 1e-15);
}

TEST(ShapeDistance, OfSurfacesThatTouchIsNought) {
  // within rounding, on either side of it: where a direction is known, it is the right one
  const Eigen::Matrix3d upright = Eigen::Matrix3d::Identity();
  const PlacedShape ball{ShapeType::kSphere, {0.1, 0.0, 0.0}, upright, {0.0, 0.0, 0.3}};
  for (const ShapeType type : kTypes) {
    const PlacedShape below{type, {0.2, 0.2, 0.2}, upright, {0.0, 0.0, 0.0}};
    PlacedShape above = ball;
    if (type == ShapeType::kCapsule) above.p_WG.z() = 0.5;
    NearestPoints d;
    ASSERT_EQ(shape_distance(above, below, kFar, d), ShapeDistance::kFound);
    EXPECT_NEAR(d.distance, 0.0, 1e-15) << name(type);
    EXPECT_TRUE(d.n_W.isApprox(Eigen::Vector3d::UnitZ(), 1e-15)) << name(type);
  }
}

TEST(ShapeDistance, BeyondTheLargestHasABoundAlongItsDirectionAndElseTheSameBits) {
  for (const ShapeType type_a : kTypes)
    for (const ShapeType type_b : kTypes) {
      Random random(3);
      int beyond = 0, compared = 0;
      for (int k = 0; k < 1000; ++k) {
        const PlacedShape a = random.shape(type_a, 0.3), b = random.shape(type_b, 0.3);
        NearestPoints d, limited;
        const ShapeDistance whole = shape_distance(a, b, kFar, d);
        const double largest = random.uniform(0.0, 0.8);
        const ShapeDistance result = shape_distance(a, b, largest, limited);
        if (result == ShapeDistance::kBeyond) {
          ++beyond;
          EXPECT_GE(limited.distance, largest) << k;
          EXPECT_GE(separation(a, b, limited.n_W), limited.distance - 1e-11) << k;
          if (whole == ShapeDistance::kFound) {
            EXPECT_GE(d.distance, limited.distance - 1e-12) << k;
          }
          continue;
        }
        ASSERT_EQ(result, whole) << k;
        if (result != ShapeDistance::kFound) continue;
        ++compared;
        EXPECT_EQ(d.distance, limited.distance) << k;
        EXPECT_EQ(d.n_W, limited.n_W) << k;
        EXPECT_EQ(d.p_WA, limited.p_WA) << k;
        EXPECT_EQ(d.p_WB, limited.p_WB) << k;
      }
      EXPECT_GT(beyond, 100);
      if (type_a != ShapeType::kBox || type_b != ShapeType::kBox) {
        EXPECT_GT(compared, 100);
      }
    }
}

TEST(ShapeDistance, OfTheSidesSwappedIsTheSameTheOtherWay) {
  for (const ShapeType type_a : kTypes)
    for (const ShapeType type_b : kTypes) {
      Random random(4);
      for (int k = 0; k < 500; ++k) {
        const PlacedShape a = random.shape(type_a, 0.3), b = random.shape(type_b, 0.3);
        NearestPoints ab, ba;
        if (shape_distance(a, b, kFar, ab) != ShapeDistance::kFound ||
            shape_distance(b, a, kFar, ba) != ShapeDistance::kFound)
          continue;
        EXPECT_NEAR(ab.distance, ba.distance, 1e-12) << k;
        // a direction is known less well the nearer the two are
        EXPECT_LT((ab.n_W + ba.n_W).norm(), 1e-9 / (1e-3 + std::abs(ab.distance))) << k;
      }
    }
}

TEST(ShapeDistance, OfMeshesIsLeftToOthers) {
  PlacedShape mesh, ball;
  mesh.type = ShapeType::kMesh;
  NearestPoints d;
  EXPECT_EQ(shape_distance(mesh, ball, kFar, d), ShapeDistance::kUnknown);
  EXPECT_EQ(shape_distance(ball, mesh, kFar, d), ShapeDistance::kUnknown);
}

TEST(ShapeDistance, DoesNotTouchTheHeap) {
  for (const ShapeType type_a : kTypes)
    for (const ShapeType type_b : kTypes) {
      Random random(5);
      const PlacedShape a = random.shape(type_a, 0.3), b = random.shape(type_b, 0.3);
      NearestPoints d;
      const test::AllocationCount allocations;
      shape_distance(a, b, kFar, d);
      EXPECT_EQ(allocations.count(), 0U);
    }
}

}  // namespace shape_distance_test
}  // namespace handspan
