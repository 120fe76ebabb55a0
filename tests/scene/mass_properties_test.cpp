// Mass properties of uniform bodies against closed forms and sums over a fine grid.
#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "scene/mass_properties.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace mass_properties_test {

Shape shape_of(ShapeType type, const Eigen::Vector3d& size, const Placement& X = {}) {
  Shape shape;
  shape.name = "s";
  shape.type = type;
  shape.size = size;
  shape.X_BG = X;
  return shape;
}

struct Sum {
  double volume = 0.0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre, for unit mass
};

// Midpoint rule over the cube +-half with n^3 cells.
Sum integrate_grid(const std::function<int(const Eigen::Vector3d&)>& times_inside, double half,
                   int n) {
  Sum sum;
  const double h = 2.0 * half / n;
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const Eigen::Vector3d p(-half + (i + 0.5) * h, -half + (j + 0.5) * h,
                                -half + (k + 0.5) * h);
        const int times = times_inside(p);
        if (times == 0) continue;
        const double dV = times * h * h * h;
        sum.volume += dV;
        sum.center += dV * p;
        second += dV * p * p.transpose();
      }
  sum.center /= sum.volume;
  const Eigen::Matrix3d about = second / sum.volume - sum.center * sum.center.transpose();
  sum.inertia = about.trace() * Eigen::Matrix3d::Identity() - about;
  return sum;
}

bool inside(const Shape& shape, const Eigen::Vector3d& p_B) {
  const Eigen::Vector3d p = shape.X_BG.pose().inverse() * p_B;
  switch (shape.type) {
    case ShapeType::kBox:
      return (p.cwiseAbs() - shape.size).maxCoeff() <= 0.0;
    case ShapeType::kSphere:
      return p.norm() <= shape.size[0];
    case ShapeType::kCylinder:
      return p.head<2>().norm() <= shape.size[0] && std::abs(p[2]) <= shape.size[1];
    case ShapeType::kCapsule: {
      const double z = std::clamp(p[2], -shape.size[1], shape.size[1]);
      return (p - Eigen::Vector3d(0, 0, z)).norm() <= shape.size[0];
    }
    case ShapeType::kMesh:
      break;
  }
  // the tetrahedron of the tests: corners 0, x, y, z of length 1
  return p.minCoeff() >= 0.0 && p.sum() <= 1.0;
}

void expect_as_integrated(const std::vector<Shape>& shapes, double half, double tolerance) {
  const double mass = 2.5;
  const Inertial inertial = uniform_inertial(shapes, mass);
  const Sum sum = integrate_grid(
      [&](const Eigen::Vector3d& p) {
        int times = 0;
        for (const auto& shape : shapes) times += inside(shape, p);
        return times;
      },
      half, 120);
  EXPECT_EQ(inertial.mass, mass);
  EXPECT_LT((inertial.X_BC.p - sum.center).norm(), tolerance * half);
  EXPECT_LT((inertial.inertia_B() - mass * sum.inertia).norm(),
            tolerance * (mass * sum.inertia).norm());
}

const Placement kTurned = {{0.1, -0.05, 0.08},
                           Eigen::Quaterniond(0.8, 0.2, -0.4, 0.4).normalized()};

TEST(MassProperties, OfOneShapeAreItsIntegrals) {
  for (const auto& [type, size] : {std::pair(ShapeType::kBox, Eigen::Vector3d(0.3, 0.2, 0.15)),
                                   std::pair(ShapeType::kSphere, Eigen::Vector3d(0.3, 0, 0)),
                                   std::pair(ShapeType::kCylinder, Eigen::Vector3d(0.2, 0.3, 0)),
                                   std::pair(ShapeType::kCapsule, Eigen::Vector3d(0.15, 0.2, 0))}) {
    expect_as_integrated({shape_of(type, size)}, 0.6, 5e-3);
    expect_as_integrated({shape_of(type, size, kTurned)}, 0.6, 5e-3);
  }
}

TEST(MassProperties, OfABoxAreExact) {
  const Inertial box = uniform_inertial({shape_of(ShapeType::kBox, {0.1, 0.2, 0.3})}, 12.0);
  EXPECT_LT((box.principal - Eigen::Vector3d(0.16 + 0.36, 0.04 + 0.36, 0.04 + 0.16)).norm(), 1e-14);
  EXPECT_EQ(box.X_BC.p, Eigen::Vector3d::Zero());
}

// A capsule is a cylinder and a sphere, cut in the middle and moved to its ends.
TEST(MassProperties, OfACapsuleAreExact) {
  const double r = 0.2, h = 0.3, pi = std::numbers::pi;
  const double cylinder = 2 * pi * r * r * h, half = 2.0 / 3.0 * pi * r * r * r,
               density = 1.0 / (cylinder + 2 * half);
  const double along = density * (cylinder * r * r / 2 + 2 * half * 0.4 * r * r);
  const double centroid = 3.0 / 8.0 * r;
  const double half_about_centroid = half * (0.4 * r * r - centroid * centroid);
  const double across =
      density * (cylinder * (r * r / 4 + h * h / 3) +
                 2 * (half_about_centroid + half * (h + centroid) * (h + centroid)));
  const Inertial capsule = uniform_inertial({shape_of(ShapeType::kCapsule, {r, h, 0})}, 1.0);
  EXPECT_LT((capsule.principal - Eigen::Vector3d(across, across, along)).norm(), 1e-14);
}

TEST(MassProperties, OfACompoundAreItsIntegrals) {
  expect_as_integrated(
      {shape_of(ShapeType::kBox, {0.1, 0.05, 0.2}, kTurned),
       shape_of(ShapeType::kSphere, {0.12, 0, 0}, {{-0.3, 0.1, 0}, Eigen::Quaterniond::Identity()}),
       shape_of(ShapeType::kCylinder, {0.06, 0.2, 0}, {{0, 0.3, -0.1}, kTurned.q})},
      0.6, 5e-3);
}

TEST(MassProperties, OfAMeshAreItsHullsIntegrals) {
  Shape mesh = shape_of(ShapeType::kMesh, Eigen::Vector3d::Zero(), kTurned);
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Inertial inertial = uniform_inertial({mesh}, 6.0);
  // a corner of a cube: the centroid at 1/4, int x^2 = 1/60, int x y = 1/120, of volume 1/6
  const Eigen::Vector3d center = Eigen::Vector3d::Constant(0.25);
  Eigen::Matrix3d second = Eigen::Matrix3d::Constant(1.0 / 120.0);
  second.diagonal().setConstant(1.0 / 60.0);
  const Eigen::Matrix3d about = 6.0 * second - center * center.transpose();
  const Eigen::Matrix3d R = kTurned.q.toRotationMatrix();
  const Eigen::Matrix3d expected =
      6.0 * (R * (about.trace() * Eigen::Matrix3d::Identity() - about) * R.transpose());
  EXPECT_LT((inertial.X_BC.p - kTurned.pose() * center).norm(), 1e-7);  // vertices are floats
  EXPECT_LT((inertial.inertia_B() - expected).norm(), 1e-6);
  EXPECT_LT((uniform_inertial({mesh, mesh}, 12.0).inertia_B() - 2 * expected).norm(), 2e-6);
}

TEST(MassProperties, NeedAVolume) {
  Shape flat = shape_of(ShapeType::kMesh, Eigen::Vector3d::Zero());
  flat.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  EXPECT_THROW(uniform_inertial({flat}, 1.0), InputError);
  EXPECT_THROW(uniform_inertial({}, 1.0), InputError);
}

TEST(MassProperties, MayBeGiven) {
  const Scene scene = test::scene_of(
      "objects:\n  it:\n    mass: 2\n    center_of_mass: [0.01, 0.02, 0.03]\n    inertia: [[0.03, "
      "0.001, 0], [0.001, 0.04, 0.002], [0, 0.002, 0.05]]\n"
      "    shapes: [{type: sphere, radius: 0.1}]\n");
  const Inertial& inertial = scene.objects.front().inertial;
  Eigen::Matrix3d I;
  I << 0.03, 0.001, 0, 0.001, 0.04, 0.002, 0, 0.002, 0.05;
  EXPECT_EQ(inertial.X_BC.p, Eigen::Vector3d(0.01, 0.02, 0.03));
  EXPECT_LT((inertial.inertia_B() - I).norm(), 1e-16);
}

}  // namespace mass_properties_test
}  // namespace handspan
