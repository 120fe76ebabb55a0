// Gaps between a box, sharp or rounded, and planes and blocks, against distances found in another
// way: alternating projections onto the two.
#include "contact/box_gap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace box_gap_test {

using Eigen::Vector3d;

// Projections onto two bodies that overlap a little come together slowly: below this they meet [m].
constexpr double kMeets = 1e-7;

struct Case {
  Vector3d size, block;
  double rounding;
  Pose X_WS, X_WB;
  RigidModel model() const {
    RigidBox box = uniform_box(size, 1.0);
    box.rounding = rounding;
    return RigidModel(box, {});
  }
  GapPoints gaps(const Vector3d& shift = Vector3d::Zero()) const {
    RigidSurface surface = plane_surface("block", X_WS, {});
    surface.size = block;
    GapPoints out;
    find_gaps(model(), surface, X_WS, X_WB.R, X_WB.p + shift, out);
    return out;
  }
  // between the box's core and the block; 0 when they meet
  double core_distance(const Vector3d& shift = Vector3d::Zero()) const {
    const Vector3d core = (0.5 * size.array() - rounding).max(0.0);
    const Pose X_WBs = {X_WB.R, X_WB.p + shift};
    Vector3d p = X_WBs.p, q;
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 200000; ++i) {
      const Vector3d in_S = X_WS.inverse() * p;
      q = X_WS * Vector3d(in_S.cwiseMin(0.5 * block).cwiseMax(-0.5 * block));
      const Vector3d in_B = X_WBs.inverse() * q;
      p = X_WBs * Vector3d(in_B.cwiseMin(core).cwiseMax(-core));
      const double distance = (p - q).norm();
      if (distance < 1e-9) return 0.0;
      if (i % 100 == 0) {
        if (last - distance < 1e-13) break;
        last = distance;
      }
    }
    return (p - q).norm();
  }
};

// A box whose centre is about as far from the block as lets them nearly touch.
Case random_case(RandomStream& random, bool rounded) {
  Case c;
  for (int i = 0; i < 3; ++i) {
    c.size[i] = random.uniform(0.1, 0.3);
    c.block[i] = random.uniform(0.02, 0.5);
  }
  c.rounding = rounded ? random.uniform(0.005, 0.05) : 0.0;
  c.X_WS = Pose::from(random.direction(), Eigen::Quaterniond(exp_so3(3 * random.direction())));
  c.X_WB.R = exp_so3(random.uniform(0.0, 3.0) * random.direction());
  Vector3d on_block;
  for (int i = 0; i < 3; ++i) on_block[i] = 0.5 * c.block[i] * random.uniform(-1.4, 1.4);
  c.X_WB.p = c.X_WS * on_block + random.uniform(0.0, 0.2) * random.direction();
  return c;
}

TEST(BoxGap, OfARoundedBoxOutsideOfABlockIsTheDistance) {
  int touching = 0, apart = 0;
  for (int run = 0; run < test::sized(20000); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "rounded");
    const Case c = random_case(random, true);
    const double distance = c.core_distance();
    if (distance < kMeets) continue;
    const GapPoints gaps = c.gaps();
    // a projection that has not arrived yet cannot tell
    if (std::abs(distance - c.rounding) < 1e-5) continue;
    if (distance > c.rounding) {
      EXPECT_EQ(gaps.count, 0);
      ++apart;
      continue;
    }
    ASSERT_GT(gaps.count, 0);
    ++touching;
    double least = 0.0;
    for (int i = 0; i < gaps.count; ++i) {
      const GapPoint& point = gaps.points[static_cast<std::size_t>(i)];
      least = std::min(least, point.gap);
      EXPECT_NEAR(point.n_W.norm(), 1.0, 1e-12);
    }
    EXPECT_NEAR(least, distance - c.rounding, 1e-5);
  }
  EXPECT_GT(touching, test::sized(1000));
  EXPECT_GT(apart, test::sized(1000));
}

// To move the box by the depth along the normal is just enough.
TEST(BoxGap, OfOverlappingBoxesPartsThem) {
  int met = 0;
  for (int run = 0; run < test::sized(20000); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "sharp");
    const Case c = random_case(random, false);
    const GapPoints gaps = c.gaps();
    if (gaps.count == 0) {
      // a corner that touches to rounding may be left out
      const double distance = c.core_distance();
      EXPECT_GT(distance, 0.0);
      continue;
    }
    ++met;
    const Vector3d n = gaps.points[0].n_W;
    double depth = 0.0;
    for (int i = 0; i < gaps.count; ++i)
      depth = std::max(depth, -gaps.points[static_cast<std::size_t>(i)].gap);
    // corners of the face that are cut off may be deeper than any that is kept, so the other way
    // round only: parted by what the axis says, which no kept point exceeds
    EXPECT_LT(c.core_distance((depth - 1e-3) * n), kMeets);
    const GapPoints after = c.gaps((depth + 1e-6) * n);
    for (int i = 0; i < after.count; ++i)
      EXPECT_LT(after.points[static_cast<std::size_t>(i)].n_W.dot(n), 0.999);
  }
  EXPECT_GT(met, test::sized(2000));
}

TEST(BoxGap, OfABoxFlatOnABlockIsItsFace) {
  Case c{{0.2, 0.1, 0.1}, {1, 1, 0.1}, 0.0, Pose(), Pose::from_rpy({0, 0, 0.099}, {0, 0, 0.3})};
  GapPoints gaps = c.gaps();
  ASSERT_EQ(gaps.count, 4);
  for (int i = 0; i < 4; ++i) {
    const GapPoint& point = gaps.points[static_cast<std::size_t>(i)];
    EXPECT_EQ(point.n_W, Vector3d::UnitZ());
    EXPECT_NEAR(point.gap, -0.001, 1e-15);
    const Vector3d p_B = c.X_WB.inverse() * point.p_W;
    EXPECT_LT((p_B.cwiseAbs() - Vector3d(0.1, 0.05, 0.05)).norm(), 1e-12);
  }
  // over the block's border the face is cut there
  c.X_WB = Pose::translation({0.45, 0, 0.099});
  gaps = c.gaps();
  ASSERT_EQ(gaps.count, 4);
  double farthest = 0.0;
  for (int i = 0; i < 4; ++i)
    farthest = std::max(farthest, gaps.points[static_cast<std::size_t>(i)].p_W[0]);
  EXPECT_NEAR(farthest, 0.5, 1e-12);
}

// A box that falls across a tray's wall meets its edge: one point, normal to both edges.
TEST(BoxGap, OfTwoCrossingEdgesIsOnePoint) {
  Case c{{0.2, 0.2, 0.2}, {0.02, 0.4, 0.1}, 0.0, Pose(), Pose()};
  // rolled about x by 45 degrees, an edge downwards along x, pitched so that it meets only the
  // wall's edge at +x
  c.X_WB.R = exp_so3({0, 0.3, 0}) * exp_so3({std::atan(1.0), 0, 0});
  const Vector3d along = c.X_WB.R.col(0), down = c.X_WB.R * Vector3d(0, -1, -1).normalized();
  const Vector3d edge_point(0.01, 0.03, 0.05);
  c.X_WB.p = edge_point - down * (0.1 * std::sqrt(2.0) - 0.001) - 0.02 * along;
  const GapPoints gaps = c.gaps();
  ASSERT_EQ(gaps.count, 1);
  const Vector3d n = Vector3d::UnitY().cross(along).normalized();
  EXPECT_NEAR(std::abs(gaps.points[0].n_W.dot(n)), 1.0, 1e-12);
  EXPECT_GT(gaps.points[0].n_W[2], 0.9);
  EXPECT_LT((gaps.points[0].p_W - edge_point).norm(), 2e-3);
  EXPECT_NEAR(gaps.points[0].gap, -0.001, 1e-4);
}

TEST(BoxGap, OfAPlaneIsOfEveryCorner) {
  for (int run = 0; run < 100; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "plane");
    const Case c = random_case(random, run % 2 == 0);
    const RigidModel model = c.model();
    const RigidSurface plane = plane_surface("floor", c.X_WS, {});
    GapPoints gaps;
    find_gaps(model, plane, c.X_WS, c.X_WB.R, c.X_WB.p, gaps);
    int below = 0;
    for (const auto& corner : model.corners())
      below += (c.X_WS.inverse() * (c.X_WB * corner))[2] <= c.rounding;
    EXPECT_EQ(gaps.count, below);
    for (int i = 0; i < gaps.count; ++i) {
      const GapPoint& point = gaps.points[static_cast<std::size_t>(i)];
      EXPECT_NEAR((c.X_WS.inverse() * point.p_W)[2], point.gap, 1e-12);
      EXPECT_LT((point.n_W - c.X_WS.R.col(2)).norm(), 1e-12);
    }
  }
}

TEST(BoxGap, AllocatesNothing) {
  const Case c{{0.2, 0.1, 0.1},
               {1, 1, 0.1},
               0.01,
               Pose(),
               Pose::from_rpy({0.5, 0.5, 0.11}, {0.7, 0.3, 0.3})};
  const RigidModel model = c.model();
  RigidSurface surface = plane_surface("block", c.X_WS, {});
  surface.size = c.block;
  GapPoints out;
  const test::AllocationCount allocations;
  for (int i = 0; i < 100; ++i)
    find_gaps(model, surface, c.X_WS, c.X_WB.R, c.X_WB.p - 0.001 * i * Vector3d::UnitZ(), out);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace box_gap_test
}  // namespace handspan
