#include "contact/contact_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "math/so3.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace contact_state_test {

using Eigen::Vector3d;

constexpr double kExtent = 0.002;

TEST(ContactState, IsWhatPointsSpan) {
  RandomStream random(1, "state");
  for (int run = 0; run < 50; ++run) {
    SCOPED_TRACE(run);
    const Eigen::Matrix3d R = exp_so3(3.0 * random.direction());
    const Vector3d p = random.direction();
    const auto state = [&](const std::vector<Vector3d>& points) {
      std::vector<Vector3d> placed;
      for (const Vector3d& point : points) placed.push_back(R * point + p);
      return contact_state(placed, kExtent);
    };
    EXPECT_EQ(state({}), ContactState::kNone);
    EXPECT_EQ(state({{0, 0, 0}}), ContactState::kPoint);
    EXPECT_EQ(state({{0, 0, 0}, {0.001, 0.001, 0}}), ContactState::kPoint);
    EXPECT_EQ(state({{0, 0, 0}, {0.05, 0, 0}}), ContactState::kLine);
    EXPECT_EQ(state({{0, 0, 0}, {0.02, 0.001, 0}, {0.05, 0, 0}, {0.01, 0, 0}}),
              ContactState::kLine);
    EXPECT_EQ(state({{0, 0, 0}, {0.05, 0, 0}, {0.02, 0.01, 0}}), ContactState::kPlane);
    EXPECT_EQ(state({{0, 0, 0}, {0.05, 0, 0}, {0.05, 0.05, 0}, {0, 0.05, 0}}),
              ContactState::kPlane);
    // both sides of the line count
    EXPECT_EQ(state({{0, 0, 0}, {0.05, 0, 0}, {0.02, 0.0015, 0}, {0.03, -0.0015, 0}}),
              ContactState::kPlane);
  }
}

TEST(ContactState, HasNames) {
  EXPECT_STREQ(name_of(ContactState::kNone), "none");
  EXPECT_STREQ(name_of(ContactState::kPoint), "point");
  EXPECT_STREQ(name_of(ContactState::kLine), "line");
  EXPECT_STREQ(name_of(ContactState::kPlane), "plane");
}

TEST(ContactState, DeviationIsTheAngleOfTheNormals) {
  RandomStream random(2, "deviation");
  for (const double angle : {0.0, 1e-9, 1e-4, 0.1, 1.5, 3.0}) {
    const Vector3d n = random.direction(), across = n.cross(random.direction()).normalized();
    EXPECT_NEAR(alignment_deviation(2.0 * n, exp_so3(angle * across) * n), angle,
                1e-15 + 1e-13 * angle);
  }
  EXPECT_TRUE(std::isnan(alignment_deviation(Vector3d::UnitX(), Vector3d::Zero())));
  EXPECT_TRUE(std::isnan(alignment_deviation(Vector3d::Constant(NAN), Vector3d::UnitX())));
}

TEST(ContactState, AllocatesNothing) {
  const std::vector<Vector3d> points = {{0, 0, 0}, {0.05, 0, 0}, {0.02, 0.01, 0}};
  const test::AllocationCount count;
  const ContactState state = contact_state(points, kExtent);
  EXPECT_EQ(count.count(), 0U);
  EXPECT_EQ(state, ContactState::kPlane);
}

}  // namespace contact_state_test
}  // namespace handspan
