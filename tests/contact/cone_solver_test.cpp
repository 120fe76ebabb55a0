// Impulses of random contacts obey Newton's and Coulomb's laws.
#include "contact/cone_solver.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.hpp"
#include "math/so3.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace cone_solver_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Body {
  double mass = 1.0;
  Matrix3d inverse_inertia = Matrix3d::Identity();
  Vector3d v = Vector3d::Zero(), w = Vector3d::Zero();
  std::vector<ConeContact> contacts;
};

Body random_body(RandomStream& random, int contacts, double most_friction) {
  Body body;
  body.mass = random.uniform(0.2, 3.0);
  const Vector3d edges(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3),
                       random.uniform(0.1, 0.3));
  const Vector3d square = edges.cwiseAbs2();
  const Matrix3d R = exp_so3(3.0 * random.direction());
  body.inverse_inertia = R *
                         (12.0 / body.mass / (Vector3d::Constant(square.sum()) - square).array())
                             .matrix()
                             .asDiagonal() *
                         R.transpose();
  body.v = random.uniform(0.0, 3.0) * random.direction();
  body.w = random.uniform(0.0, 20.0) * random.direction();
  for (int i = 0; i < contacts; ++i) {
    ConeContact c;
    // on a floor, and now and then at a wall
    c.n = random.uniform() < 0.8 ? Vector3d::UnitZ() : Vector3d::UnitX();
    c.p_CQ = 0.15 * random.direction();
    c.p_CQ -= (c.n.dot(c.p_CQ) + 0.08) * c.n;
    c.v_surface = random.uniform(0.0, 1.5) * random.direction();
    c.v_surface -= c.n.dot(c.v_surface) * c.n;
    c.friction = random.uniform(0.0, most_friction);
    c.restitution = random.uniform(0.0, 1.0);
    body.contacts.push_back(c);
  }
  for (auto& c : body.contacts) prepare_contact(c, body.mass, body.inverse_inertia, body.v, body.w);
  return body;
}

// As long as it takes.
ConeOptions exact() {
  ConeOptions options;
  options.tolerance = options.creep = 1e-9;
  options.most_sweeps = 20000;
  return options;
}

// Velocity of a contact against its surface, along n and across it.
Vector3d sliding(const ConeContact& c, const Vector3d& v, const Vector3d& w) {
  return v + w.cross(c.p_CQ) - c.v_surface;
}

TEST(ConeSolver, ObeysNewtonAndCoulomb) {
  int sticking = 0, slipping = 0, parting = 0, given_up = 0;
  for (int run = 0; run < test::sized(40000); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "cone");
    Body body = random_body(random, 1 + run % 6, 0.8);
    Vector3d v = body.v, w = body.w;
    const ConeResult result = solve_impulses(body.contacts, body.mass, v, w, exact());
    if (!result.converged) {
      ++given_up;
      continue;
    }
    // momentum
    Vector3d dv = Vector3d::Zero(), dw = Vector3d::Zero();
    double work = 0.0;
    for (const auto& c : body.contacts) {
      dv += c.impulse / body.mass;
      dw += body.inverse_inertia * c.p_CQ.cross(c.impulse);
      work += 0.5 * c.impulse.dot(sliding(c, body.v, body.w) + sliding(c, v, w));
    }
    EXPECT_LT((v - body.v - dv).norm(), 1e-11);
    EXPECT_LT((w - body.w - dw).norm(), 1e-9);
    EXPECT_NEAR(result.work, work, 1e-10);
    for (const auto& c : body.contacts) {
      const Vector3d before = sliding(c, body.v, body.w), after = sliding(c, v, w);
      const double p_n = c.n.dot(c.impulse);
      const double xi_n = c.n.dot(after) + c.restitution * c.n.dot(before);
      const Vector3d p_t = c.impulse - p_n * c.n, slip = after - c.n.dot(after) * c.n;
      constexpr double kSpeed = 1e-6, kImpulse = 1e-6;
      EXPECT_GE(p_n, 0.0);
      EXPECT_GE(xi_n, -kSpeed);
      EXPECT_NEAR(p_n * xi_n, 0.0, kSpeed);
      EXPECT_LE(p_t.norm(), c.friction * p_n + 1e-12);
      if (p_n < kImpulse) {
        ++parting;
        continue;
      }
      if (slip.norm() < 1e-5) {
        ++sticking;
        continue;
      }
      ++slipping;
      EXPECT_NEAR(p_t.norm(), c.friction * p_n, kImpulse);
      EXPECT_NEAR(p_t.dot(slip), -p_t.norm() * slip.norm(), kSpeed);
    }
  }
  EXPECT_GT(sticking, test::sized(2000));
  EXPECT_GT(slipping, test::sized(2000));
  EXPECT_GT(parting, test::sized(2000));
  EXPECT_LE(given_up, test::sized(40000) / 100);
}

// A point mass: everything is in closed form.
TEST(ConeSolver, OfAPointMassIsTheTextbook) {
  for (const double mu : {0.0, 0.2, 1.0}) {
    Body body;
    body.mass = 2.0;
    body.v = {3.0, 4.0, -2.0};
    ConeContact c;
    c.friction = mu;
    c.restitution = 0.5;
    prepare_contact(c, body.mass, body.inverse_inertia, body.v, body.w);
    body.contacts = {c};
    Vector3d v = body.v, w = body.w;
    const ConeResult result = solve_impulses(body.contacts, body.mass, v, w);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(v[2], 1.0, 1e-12);
    // the normal impulse is m (1 + e) 2 = 6, friction takes mu of it off 10 at most
    const double left = std::max(0.0, 5.0 - mu * 3.0);
    EXPECT_NEAR(v.head<2>().norm(), left, 1e-8);
    EXPECT_NEAR(result.work, 0.5 * body.mass * (v.squaredNorm() - body.v.squaredNorm()), 1e-8);
  }
}

TEST(ConeSolver, WithoutRestitutionNeverAddsEnergyAndScalesIt) {
  for (int run = 0; run < test::sized(10000); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "energy");
    Body body = random_body(random, 1 + run % 4, 1.2);
    Vector3d v = body.v, w = body.w;
    ConeOptions options = exact();
    options.restitution_scale = 0.0;
    const ConeResult result = solve_impulses(body.contacts, body.mass, v, w, options);
    if (!result.converged) continue;
    EXPECT_LE(result.work, 1e-9);
    for (const auto& c : body.contacts)
      if (c.n.dot(c.impulse) > 1e-6) {
        EXPECT_LT(c.n.dot(sliding(c, v, w)), 1e-6);
      }
  }
}

TEST(ConeSolver, StartsFromAGuess) {
  RandomStream random(7, "warm");
  Body body = random_body(random, 4, 0.5);
  Vector3d v = body.v, w = body.w;
  const ConeResult cold = solve_impulses(body.contacts, body.mass, v, w, exact());
  ASSERT_TRUE(cold.converged);
  ASSERT_GT(cold.sweeps, 2);
  Vector3d v_again = body.v, w_again = body.w;
  const ConeResult warm = solve_impulses(body.contacts, body.mass, v_again, w_again, exact());
  EXPECT_LE(warm.sweeps, 2);
  EXPECT_LT((v - v_again).norm(), 1e-8);
}

TEST(ConeSolver, SaysWhenItGivesUpAndAllocatesNothing) {
  RandomStream random(7, "warm");
  Body body = random_body(random, 4, 0.5);
  Vector3d v = body.v, w = body.w;
  ConeOptions options;
  options.most_sweeps = 2;
  const test::AllocationCount allocations;
  const ConeResult result = solve_impulses(body.contacts, body.mass, v, w, options);
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.sweeps, 2);
}

}  // namespace cone_solver_test
}  // namespace handspan
