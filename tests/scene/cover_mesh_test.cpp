// Simple shapes around meshes of which the solid is known.
#include "scene/cover_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "robot/support.hpp"

namespace handspan {
namespace cover_mesh_test {

// The surface of a box, added to a mesh.
void add_box(MeshSurface& mesh, const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
  const int first = static_cast<int>(mesh.vertices.size());
  for (int k = 0; k < 8; ++k)
    mesh.vertices.emplace_back(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1],
                               k & 4 ? high[2] : low[2]);
  for (const auto& t : std::vector<std::array<int, 3>>{{0, 1, 3},
                                                       {0, 3, 2},
                                                       {4, 5, 7},
                                                       {4, 7, 6},
                                                       {0, 1, 5},
                                                       {0, 5, 4},
                                                       {2, 3, 7},
                                                       {2, 7, 6},
                                                       {0, 2, 6},
                                                       {0, 6, 4},
                                                       {1, 3, 7},
                                                       {1, 7, 5}})
    mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

// A surface of revolution about z of radius r(z), between z0 and z1.
MeshSurface turned(double z0, double z1, const std::function<double(double)>& r, int rings) {
  constexpr int kAround = 48;
  MeshSurface mesh;
  for (int i = 0; i <= rings; ++i) {
    const double z = z0 + (z1 - z0) * i / rings;
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kAround;
      mesh.vertices.emplace_back(r(z) * std::cos(angle), r(z) * std::sin(angle), z);
    }
  }
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < kAround; ++k) {
      const int a = kAround * i + k, b = kAround * i + (k + 1) % kAround;
      mesh.triangles.push_back({a, b, b + kAround});
      mesh.triangles.push_back({a, b + kAround, a + kAround});
    }
  return mesh;
}

bool holds(const Shape& s, const Eigen::Vector3d& p, double tolerance) {
  const Eigen::Vector3d q = (s.X_BG.q.inverse() * (p - s.X_BG.p)).cwiseAbs();
  switch (s.type) {
    case ShapeType::kBox:
      return ((q - s.size).array() <= tolerance).all();
    case ShapeType::kSphere:
      return q.norm() <= s.size[0] + tolerance;
    case ShapeType::kCylinder:
      return q.head<2>().norm() <= s.size[0] + tolerance && q[2] <= s.size[1] + tolerance;
    case ShapeType::kCapsule:
      return std::hypot(q.head<2>().norm(), std::max(0.0, q[2] - s.size[1])) <=
             s.size[0] + tolerance;
    case ShapeType::kMesh:
      break;
  }
  return false;
}

double volume(const std::vector<Shape>& shapes) {
  double sum = 0.0;
  for (const auto& s : shapes) sum += shape_volume(s);
  return sum;
}

// of 2,000 points of a box, those in the solid
int uncovered(const std::vector<Shape>& shapes, const Eigen::Vector3d& low,
              const Eigen::Vector3d& high,
              const std::function<bool(const Eigen::Vector3d&)>& solid) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  int bad = 0;
  for (int k = 0; k < 2000; ++k) {
    const Eigen::Vector3d p =
        low + (high - low).cwiseProduct(Eigen::Vector3d(unit(random), unit(random), unit(random)));
    if (!solid(p)) continue;
    bad += std::ranges::none_of(shapes, [&](const auto& s) { return holds(s, p, 1e-6); });
  }
  return bad;
}

TEST(CoverMesh, OfABoxIsTheBox) {
  MeshSurface mesh;
  add_box(mesh, {-0.1, 0.2, 0.0}, {0.1, 0.3, 0.5});
  const auto shapes = cover_mesh(mesh);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].type, ShapeType::kBox);
  EXPECT_NEAR(shape_volume(shapes[0]), 0.2 * 0.1 * 0.5, 1e-9);
}

TEST(CoverMesh, OfAnAngleIsTwoBoxes) {
  MeshSurface mesh;
  add_box(mesh, {0.0, 0.0, 0.0}, {0.4, 0.05, 0.05});
  add_box(mesh, {0.0, 0.05, 0.0}, {0.05, 0.4, 0.05});
  const auto shapes = cover_mesh(mesh);
  EXPECT_LE(shapes.size(), 3U);
  EXPECT_LT(volume(shapes), 1.1 * (0.4 + 0.35) * 0.05 * 0.05);
  EXPECT_EQ(uncovered(shapes, {0.0, 0.0, 0.0}, {0.4, 0.4, 0.05},
                      [](const auto& p) { return p[1] < 0.05 || p[0] < 0.05; }),
            0);
}

TEST(CoverMesh, AThinMiddleBetweenThickEndsIsFound) {
  const auto radius = [](double z) { return std::abs(z) > 0.2 ? 0.1 : 0.03; };
  const auto shapes = cover_mesh(turned(-0.3, 0.3, radius, 60));
  const double own = std::numbers::pi * (0.2 * 0.1 * 0.1 + 0.4 * 0.03 * 0.03);
  EXPECT_GE(shapes.size(), 3U);
  EXPECT_LT(volume(shapes), 1.5 * own);  // in one: 3 times
  EXPECT_EQ(uncovered(shapes, {-0.1, -0.1, -0.3}, {0.1, 0.1, 0.3},
                      [&](const auto& p) {
                        return p.template head<2>().norm() < 0.995 * radius(p[2]) &&
                               std::abs(std::abs(p[2]) - 0.2) > 0.011;
                      }),
            0);
}

TEST(CoverMesh, NothingSticksOutThroughThePlaneOnWhichItStands) {
  const MeshSurface mesh = turned(0.0, 0.3, [](double z) { return 0.1 - 0.1 * z; }, 20);
  const auto depth = [](const std::vector<Shape>& shapes) {
    double out = 0.0;
    for (const auto& s : shapes)
      out = std::max(out, -s.X_BG.p.z() + support(s.type, s.size,
                                                  s.X_BG.q.inverse() * -Eigen::Vector3d::UnitZ()));
    return out;
  };
  CoverOptions options;
  options.inside = HalfSpace{};
  const auto shapes = cover_mesh(mesh, options);
  EXPECT_LE(depth(shapes), 1e-8);
  for (const auto& p : mesh.vertices)
    EXPECT_TRUE(std::ranges::any_of(shapes, [&](const auto& s) { return holds(s, p, 1e-8); }));
  // which a capsule does
  EXPECT_GT(depth({capsule_shape(fit_capsule(mesh.vertices))}), 0.01);
}

TEST(CoverMesh, FineMeshesAreCoveredToTheLastPointAndTheSameWayTwice) {
  const MeshSurface mesh =
      turned(-0.2, 0.2, [](double z) { return 0.05 + 0.02 * std::sin(40.0 * z); }, 60);
  ASSERT_GT(mesh.triangles.size(), 5000U);  // it is simplified where cuts are looked for
  const auto shapes = cover_mesh(mesh), again = cover_mesh(mesh);
  ASSERT_EQ(shapes.size(), again.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_EQ(shapes[i].size, again[i].size);
    EXPECT_EQ(shapes[i].X_BG.p, again[i].X_BG.p);
  }
  for (const auto& p : mesh.vertices)
    EXPECT_TRUE(std::ranges::any_of(shapes, [&](const auto& s) { return holds(s, p, 1e-8); }));
}

TEST(CoverMesh, PointsWithoutASurfaceGetOneShapeAndBadOnesAnError) {
  EXPECT_EQ(cover_mesh({{{0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}}, {}}).size(), 1U);
  EXPECT_EQ(cover_mesh({{{0.0, 0.0, 0.0}}, {}})[0].type, ShapeType::kSphere);
  EXPECT_THROW(cover_mesh({}), std::invalid_argument);
  EXPECT_THROW(cover_mesh({{{0.0, 0.0, std::nan("")}}, {}}), std::invalid_argument);
}

}  // namespace cover_mesh_test
}  // namespace handspan
