#include "scene/mesh_integrals.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace handspan {
namespace mesh_integrals_test {

// A prism over a polygon without holes, counter-clockwise in x and y, from z = 0 to `height`; the
// triangles of its bottom and top are given.
MeshSurface prism(const std::vector<Eigen::Vector2d>& corners,
                  const std::vector<std::array<int, 3>>& faces, double height) {
  MeshSurface mesh;
  const int n = static_cast<int>(corners.size());
  for (const double z : {0.0, height})
    for (const auto& c : corners) mesh.vertices.emplace_back(c[0], c[1], z);
  for (const auto& [a, b, c] : faces) {
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({a + n, b + n, c + n});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  return mesh;
}

MeshSurface box(double x, double y, double z) {
  return prism({{0, 0}, {x, 0}, {x, y}, {0, y}}, {{0, 1, 2}, {0, 2, 3}}, z);
}

// a U: a block of 3 x 2 without the middle 1 x 1 above, 0.5 thick
MeshSurface channel() {
  return prism(
      {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
      {{0, 1, 7}, {1, 2, 6}, {1, 6, 7}, {2, 3, 6}, {3, 4, 6}, {4, 5, 6}, {0, 7, 9}, {7, 8, 9}},
      0.5);
}

MeshIntegrals of_box(const Eigen::Vector3d& edges, const Eigen::Vector3d& center) {
  const double volume = edges.prod();
  const Eigen::Vector3d s = edges.cwiseProduct(edges) * volume / 12.0;
  return {volume, center, Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1]).asDiagonal()};
}

// one less the other, which lies in it
MeshIntegrals less(const MeshIntegrals& a, const MeshIntegrals& b) {
  const auto about_origin = [](const MeshIntegrals& m, const Eigen::Vector3d& o) {
    const Eigen::Vector3d r = m.center - o;
    return Eigen::Matrix3d(
        m.inertia + m.volume * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose()));
  };
  MeshIntegrals out;
  out.volume = a.volume - b.volume;
  out.center = (a.volume * a.center - b.volume * b.center) / out.volume;
  out.inertia = about_origin(a, out.center) - about_origin(b, out.center);
  return out;
}

void expect_near(const MeshIntegrals& found, const MeshIntegrals& wanted, double tolerance) {
  EXPECT_NEAR(found.volume, wanted.volume, tolerance * wanted.volume);
  EXPECT_LT((found.center - wanted.center).norm(), tolerance * (1.0 + wanted.center.norm()));
  EXPECT_LT((found.inertia - wanted.inertia).norm(), tolerance * wanted.inertia.norm());
}

MeshSurface moved(MeshSurface mesh, const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  for (auto& v : mesh.vertices) v = R * v + p;
  return mesh;
}

TEST(MeshIntegrals, OfABoxAreExact) {
  expect_near(mesh_integrals(box(0.2, 0.3, 0.5)), of_box({0.2, 0.3, 0.5}, {0.1, 0.15, 0.25}),
              1e-14);
}

// a hull would have the volume 3 in place of 2.5, and its centre 0.1 higher
TEST(MeshIntegrals, OfAConcaveSolidAreExact) {
  const MeshIntegrals wanted =
      less(of_box({3, 2, 0.5}, {1.5, 1, 0.25}), of_box({1, 1, 0.5}, {1.5, 1.5, 0.25}));
  EXPECT_DOUBLE_EQ(wanted.volume, 2.5);
  EXPECT_FALSE(mesh_fault(channel())) << mesh_fault(channel())->cause;
  expect_near(mesh_integrals(channel()), wanted, 1e-14);
}

// a cavity is a surface whose triangles face into it
TEST(MeshIntegrals, OfAHollowSolidAreExact) {
  MeshSurface hollow = box(4, 4, 4);
  const MeshSurface cavity = moved(box(1, 2, 1), Eigen::Matrix3d::Identity(), {1, 1, 2});
  for (const auto& [a, b, c] : cavity.triangles) hollow.triangles.push_back({a + 8, c + 8, b + 8});
  hollow.vertices.insert(hollow.vertices.end(), cavity.vertices.begin(), cavity.vertices.end());
  EXPECT_FALSE(mesh_fault(hollow));
  expect_near(mesh_integrals(hollow),
              less(of_box({4, 4, 4}, {2, 2, 2}), of_box({1, 2, 1}, {1.5, 2, 2.5})), 1e-14);
}

TEST(MeshIntegrals, TurnAndMoveWithTheSolid) {
  const Eigen::Matrix3d R = Eigen::Quaterniond(0.8, 0.2, -0.4, 0.4).normalized().toRotationMatrix();
  const Eigen::Vector3d p(100.0, -50.0, 20.0);
  const MeshIntegrals here = mesh_integrals(channel());
  const MeshIntegrals there = mesh_integrals(moved(channel(), R, p));
  // 100 m away a vertex has lost four digits
  expect_near(there, {here.volume, R * here.center + p, R * here.inertia * R.transpose()}, 1e-12);
}

// a ball of many triangles comes near to 4/3 pi and 2/5 m r^2 as the square of their size
TEST(MeshIntegrals, OfABallComeNearToItsOwn) {
  const auto ball = [](int n) {
    MeshSurface mesh;
    const auto at = [n](int i, int j) {
      return i == 0 ? 0 : i == n ? 1 : 2 + (i - 1) * 2 * n + j % (2 * n);
    };
    mesh.vertices = {{0, 0, 1}, {0, 0, -1}};
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < 2 * n; ++j) {
        const double polar = std::numbers::pi * i / n, turn = std::numbers::pi * j / n;
        mesh.vertices.emplace_back(std::sin(polar) * std::cos(turn),
                                   std::sin(polar) * std::sin(turn), std::cos(polar));
      }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 2 * n; ++j) {
        if (i > 0) mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        if (i + 1 < n) mesh.triangles.push_back({at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)});
      }
    return mesh;
  };
  const double volume = 4.0 / 3.0 * std::numbers::pi;
  double before = 1.0;
  for (const int n : {10, 20, 40}) {
    EXPECT_FALSE(mesh_fault(ball(n))) << n;
    const MeshIntegrals m = mesh_integrals(ball(n));
    const double off = 1.0 - m.volume / volume;
    EXPECT_NEAR(m.inertia(2, 2), 0.4 * volume, 3.0 * off * 0.4 * volume);
    EXPECT_GT(off, 0.0);
    EXPECT_LT(off, 0.3 * before);
    before = off;
  }
}

std::string fault(const MeshSurface& mesh) {
  const auto found = mesh_fault(mesh);
  return found ? found->cause + "; " + found->hint : "none";
}

TEST(MeshFault, AnOpenMeshIsNamedWithItsHole) {
  MeshSurface open = box(0.2, 0.2, 0.4);
  // without its top, which is in two triangles
  std::erase_if(open.triangles, [&](const auto& t) {
    return std::ranges::all_of(t, [](int i) { return i >= 4; });
  });
  const std::string hint =
      "; close it in the program that made it, or give center_of_mass and inertia of the object";
  EXPECT_EQ(fault(open), "is open: there is a hole of 4 edges about (0.1, 0.1, 0.4) m" + hint);
  open.triangles.erase(open.triangles.begin());
  EXPECT_EQ(fault(open),
            "is open: there is a hole of 3 edges about (0.1333, 0.06667, 0) m, and 4 open edges "
            "elsewhere" +
                hint);
}

TEST(MeshFault, AMeshInsideOutIsNamed) {
  MeshSurface mesh = box(1, 1, 1);
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(fault(mesh),
            "is inside out: its triangles face inwards, such as that at (0, 0, 0) m; turn the "
            "order of their corners round (flip normals) in the program that made it");
  EXPECT_NEAR(mesh_integrals(mesh).volume, -1.0, 1e-15);
}

TEST(MeshFault, TrianglesThatFaceOppositeWaysAreNamed) {
  MeshSurface mesh = box(1, 1, 1);
  std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
  const std::string said = fault(mesh);
  EXPECT_TRUE(said.starts_with("has triangles that face opposite ways, beside each other at ("))
      << said;
}

TEST(MeshFault, AFlatMeshIsNamed) {
  const std::string hint = "; give a solid, such as a box as thick as it is";
  // a sheet, and one that is closed by its back
  MeshSurface sheet{{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}}, {{0, 1, 2}, {0, 2, 3}}};
  EXPECT_EQ(fault(sheet), "is flat: all of it lies in a plane through (1, 0, 0) m" + hint);
  sheet.triangles.push_back({0, 2, 1});
  sheet.triangles.push_back({0, 3, 2});
  EXPECT_EQ(fault(sheet), "is flat: all of it lies in a plane through (1, 0, 0) m" + hint);
  // bent, and closed by its back
  sheet.vertices[3] = {2, 0, 1};
  EXPECT_EQ(fault(sheet), "is flat: it has no volume about (1.5, 0.5, 0.5) m" + hint);
  EXPECT_EQ(fault({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}}),
            "has no triangles; give a mesh with a surface, not points or lines alone");
}

}  // namespace mesh_integrals_test
}  // namespace handspan
