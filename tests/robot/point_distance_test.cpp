#include "robot/point_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "robot/mujoco_shapes.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace point_distance_test {

constexpr std::uint64_t kSeed = 7;
constexpr double kTiny = 1e-9;  // radius of the ball that stands for a point [m]

const Eigen::Vector3d kSize(0.3, 0.2, 0.1);
constexpr ShapeType kTypes[] = {ShapeType::kBox, ShapeType::kSphere, ShapeType::kCapsule,
                                ShapeType::kCylinder};

Eigen::Vector3d random_point(RandomStream& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach),
          random.uniform(-reach, reach)};
}

// A shape at the origin and a tiny ball, as MuJoCo has them.
class Geoms {
 public:
  explicit Geoms(ShapeType type) {
    MjSpecPtr spec = make_spec();
    spec->option.ccd_tolerance = 1e-12;
    spec->option.ccd_iterations = 500;
    mjsBody* world = mjs_findBody(spec.get(), "world");
    Shape shape;
    shape.name = "shape";
    shape.type = type;
    shape.size = kSize;
    add_shape(spec.get(), world, shape, 0);
    shape.name = "point";
    shape.type = ShapeType::kSphere;
    shape.size = {kTiny, 0.0, 0.0};
    add_shape(spec.get(), world, shape, 0);
    model_ = compile_spec(spec.get(), "test");
    data_.reset(mj_makeData(model_.get()));
    mj_kinematics(model_.get(), data_.get());
  }
  double distance(const Eigen::Vector3d& p) {
    Eigen::Vector3d::Map(data_->geom_xpos + 3) = p;
    return mj_geomDistance(model_.get(), data_.get(), 0, 1, 10.0, nullptr) + kTiny;
  }

 private:
  MjModelPtr model_;
  MjDataPtr data_;
};

TEST(PointDistance, IsMuJoCosOutsideAllShapes) {
  for (const ShapeType type : kTypes) {
    Geoms geoms(type);
    RandomStream random(kSeed, "outside");
    // cylinders go through GJK there: its own tolerance; the rest is closed form on both sides
    const double tolerance = type == ShapeType::kCylinder ? 1e-8 : 1e-14;
    for (int k = 0; k < test::sized(100000); ++k) {
      const Eigen::Vector3d p = random_point(random, 0.8);
      const PointDistance d = point_distance(type, kSize, p);
      if (d.distance < 1e-6) continue;
      ASSERT_NEAR(d.distance, geoms.distance(p), tolerance)
          << "seed " << kSeed << " case " << k << " type " << static_cast<int>(type);
    }
  }
}

TEST(PointDistance, NearestPointIsOnTheSurfaceAndNoOtherIsNearer) {
  for (const ShapeType type : kTypes) {
    RandomStream random(kSeed, "surface");
    for (int k = 0; k < test::sized(2000); ++k) {
      const Eigen::Vector3d p = random_point(random, 0.45);
      const PointDistance d = point_distance(type, kSize, p);
      ASSERT_NEAR(d.n_G.norm(), 1.0, 1e-12) << k;
      ASSERT_LT((d.p_G + d.distance * d.n_G - p).norm(), 1e-15) << k;
      ASSERT_NEAR(point_distance(type, kSize, d.p_G).distance, 0.0, 1e-15) << k;
      // a ball of that radius, less than it, meets nothing of the surface
      for (int i = 0; i < 50; ++i) {
        const Eigen::Vector3d q = p + 0.999 * std::abs(d.distance) * random.direction();
        ASSERT_EQ(point_distance(type, kSize, q).distance > 0.0, d.distance > 0.0)
            << "seed " << kSeed << " case " << k << " type " << static_cast<int>(type);
      }
    }
  }
}

TEST(PointDistance, NormalIsTheGradientAlsoInside) {
  for (const ShapeType type : kTypes) {
    RandomStream random(kSeed, "gradient");
    int inside = 0;
    for (int k = 0; k < test::sized(20000); ++k) {
      const Eigen::Vector3d p = random_point(random, 0.35);
      const PointDistance d = point_distance(type, kSize, p);
      inside += d.distance < 0.0;
      const double h = 1e-7;
      const PointDistance ahead = point_distance(type, kSize, p + h * d.n_G);
      ASSERT_NEAR((ahead.distance - d.distance) / h, 1.0, 1e-7)
          << "seed " << kSeed << " case " << k;
    }
    EXPECT_GT(inside, 20);
  }
}

TEST(PointDistance, OfChosenPointsIsWhatOneReadsOffADrawing) {
  const auto at = [](ShapeType type, double x, double y, double z) {
    return point_distance(type, kSize, {x, y, z});
  };
  EXPECT_NEAR(at(ShapeType::kBox, 0.6, 0.6, 0.1).distance, 0.5, 1e-15);
  EXPECT_NEAR(at(ShapeType::kBox, 0.0, 0.0, 0.04).distance, -0.06, 1e-15);
  EXPECT_NEAR(at(ShapeType::kSphere, 0.0, 0.0, 0.0).distance, -0.3, 1e-15);
  EXPECT_NEAR(at(ShapeType::kCapsule, 0.0, 0.0, 0.6).distance, 0.1, 1e-15);
  EXPECT_NEAR(at(ShapeType::kCapsule, 0.0, 0.0, 0.1).distance, -0.3, 1e-15);
  EXPECT_NEAR(at(ShapeType::kCylinder, 0.6, 0.0, -0.6).distance, 0.5, 1e-15);
  EXPECT_NEAR(at(ShapeType::kCylinder, 0.0, 0.0, 0.0).distance, -0.2, 1e-15);
  EXPECT_FALSE(has_point_distance(ShapeType::kMesh));
}

}  // namespace point_distance_test
}  // namespace handspan
