#include "scene/convex_hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>
#include <random>
#include <set>

#include "core/error.hpp"

namespace handspan {
namespace convex_hull_test {

using Points = std::vector<Eigen::Vector3d>;

Points box_corners(const Eigen::Vector3d& half) {
  Points out;
  for (int i = 0; i < 8; ++i)
    out.push_back(half.cwiseProduct(
        Eigen::Vector3d((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1)));
  return out;
}

Points sphere(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Points out;
  for (int i = 0; i < n; ++i)
    out.push_back(Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized());
  return out;
}

// how far the point is out of the convex hull of the surface's triangles
double beyond(const MeshSurface& hull, const Eigen::Vector3d& p) {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const auto& v : hull.vertices) middle += v / static_cast<double>(hull.vertices.size());
  double most = -INFINITY;
  for (const auto& t : hull.triangles) {
    const auto& a = hull.vertices[static_cast<std::size_t>(t[0])];
    const auto& b = hull.vertices[static_cast<std::size_t>(t[1])];
    const auto& c = hull.vertices[static_cast<std::size_t>(t[2])];
    Eigen::Vector3d n = (b - a).cross(c - a).normalized();
    if (n.dot(a - middle) < 0.0) n = -n;
    most = std::max(most, n.dot(p - a));
  }
  return most;
}

// six times the volume that the triangles enclose, whichever way they are turned, of a convex one
double volume(const MeshSurface& hull) {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const auto& v : hull.vertices) middle += v / static_cast<double>(hull.vertices.size());
  double sum = 0.0;
  for (const auto& t : hull.triangles) {
    Eigen::Matrix3d M;
    for (int i = 0; i < 3; ++i)
      M.col(i) = hull.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])] - middle;
    sum += std::abs(M.determinant()) / 6.0;
  }
  return sum;
}

TEST(HullVertices, OfABoxAreItsCornersInTheOrderGiven) {
  const Points corners = box_corners({0.25, 0.5, 1.0});
  Points points;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-0.9, 0.9);
  for (const auto& corner : corners) {
    points.push_back(
        corner.cwiseProduct(Eigen::Vector3d(unit(random), unit(random), unit(random))));
    points.push_back(corner);
  }
  const Points found = hull_vertices(points, "a box");
  ASSERT_EQ(found.size(), corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i)
    EXPECT_LT((found[i] - corners[i]).norm(), 1e-6) << i;
  for (const auto& p : found) EXPECT_EQ(p, p.cast<float>().cast<double>());
}

TEST(HullVertices, WithoutVolumeThereIsNoneAndTheMeshIsNamed) {
  for (const Points& points :
       {Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, Points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
        Points{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.5, 0.2, 1}}}) {
    try {
      hull_vertices(points, "the mesh of 'hand'");
      ADD_FAILURE() << points.size();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("the mesh of 'hand'"), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("use --shapes fit"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(hull_surface(points).triangles.empty());
    EXPECT_TRUE(covering_polytope(points, 20, std::nullopt).empty());
  }
}

TEST(HullSurface, ItsTrianglesEncloseTheHull) {
  EXPECT_NEAR(volume(hull_surface(box_corners({0.25, 0.5, 1.0}))), 1.0, 1e-6);
  const Points points = sphere(300, 2);
  const MeshSurface hull = hull_surface(points);
  EXPECT_EQ(hull.vertices.size(), 300U);
  EXPECT_EQ(hull.triangles.size(), 2U * 300U - 4U);  // by Euler
  for (const auto& p : points) EXPECT_LT(beyond(hull, p), 1e-6);
  EXPECT_LT(volume(hull), 4.0 / 3.0 * std::numbers::pi);
  EXPECT_GT(volume(hull), 0.9 * 4.0 / 3.0 * std::numbers::pi);
  // every edge is of two triangles
  std::multiset<std::pair<int, int>> edges;
  for (const auto& t : hull.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
      edges.insert({low, high});
    }
  for (const auto& edge : edges) EXPECT_EQ(edges.count(edge), 2U);
}

TEST(CoveringPolytope, OfFewPointsIsTheirHull) {
  const Points corners = box_corners({0.1, 0.2, 0.3});
  EXPECT_EQ(covering_polytope(corners, 8, std::nullopt).size(), 8U);
  const Points found = covering_polytope(corners, 20, std::nullopt);
  ASSERT_EQ(found.size(), 8U);
  EXPECT_NEAR(volume(hull_surface(found)), 0.048, 1e-8);
}

TEST(CoveringPolytope, OfManyPointsHoldsAllOfThemWithFewCornersAndLittleMore) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Points points = sphere(1000, seed);
    for (auto& p : points) p = p.cwiseProduct(Eigen::Vector3d(0.3, 0.2, 0.5));
    const Points corners = covering_polytope(points, 200, std::nullopt);
    ASSERT_LE(corners.size(), 200U) << "seed " << seed;
    const MeshSurface cover = hull_surface(corners);
    for (const auto& p : points) EXPECT_LT(beyond(cover, p), 1e-6) << "seed " << seed;
    EXPECT_LT(volume(cover), 1.331 * volume(hull_surface(points))) << "seed " << seed;
  }
}

// eight corners of a ball would have to be much larger
TEST(CoveringPolytope, IsTheWholeHullWhereFewerCornersWouldBeMuchLarger) {
  EXPECT_EQ(covering_polytope(sphere(1000, 1), 8, std::nullopt).size(), 1000U);
}

// a round post that stands on z = 0, a little narrower at its top
Points post() {
  Points points;
  for (int i = 0; i < 300; ++i)
    for (const double z : {0.0, 0.3, 0.8}) {
      const double angle = 2.0 * std::numbers::pi * i / 300.0, r = 0.2 - 0.05 * z * z;
      points.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
  return points;
}

TEST(CoveringPolytope, DoesNotStickOutOfThePlaneFurtherThanThePoints) {
  const Points points = post();
  const HalfSpace above;
  const Points corners = covering_polytope(points, 60, above);
  ASSERT_LE(corners.size(), 60U);
  for (const auto& p : corners) EXPECT_GT(p.z(), -1e-6);
  const MeshSurface cover = hull_surface(corners);
  for (const auto& p : points) EXPECT_LT(beyond(cover, p), 1e-5);
}

TEST(CoveringPolytope, HasNoMoreCornersThanAskedForOnAPlaneOrAboveIt) {
  Points points = post();
  EXPECT_LE(covering_polytope(points, 120, HalfSpace()).size(), 120U);
  for (auto& p : points) p.z() += 0.1;
  EXPECT_LE(covering_polytope(points, 120, HalfSpace()).size(), 120U);
}

}  // namespace convex_hull_test
}  // namespace handspan
