// The impact map against closed forms, its own law, and the time stepping of a free box.
#include "contact/impact_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "contact/impact_setup.hpp"
#include "contact/rigid_stepping.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace impact_map_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::box_at_rest;
using test::contact_at;
using test::gamma;
using test::point_mass;

ImpactResult solved(const ImpactProblem& problem) {
  check_impact(problem);
  ImpactMap map;
  ImpactResult result;
  map.solve(problem, result);
  EXPECT_EQ(result.status, ImpactStatus::kSolved);
  return result;
}

// M (v+ - v-) = J^T Lambda, of each arm and the box
void expect_momentum(const ImpactProblem& problem, const ImpactVelocities& after) {
  for (int a = 0; a < problem.arm_count; ++a) {
    const auto& arm = problem.arms[static_cast<std::size_t>(a)];
    Eigen::VectorXd change = arm.M * (after.v[static_cast<std::size_t>(a)] - arm.v);
    for (int i = 0; i < problem.contact_count; ++i) {
      const auto& c = problem.contacts[static_cast<std::size_t>(i)];
      if (c.arm == a) change += c.J.transpose() * after.impulses[static_cast<std::size_t>(i)];
    }
    EXPECT_LT(change.cwiseAbs().maxCoeff(), 1e-12);
  }
  const RigidBox& box = problem.box.box;
  const Matrix3d& R = problem.box.X_WB.R;
  const Vector3d r = R * box.p_BC, w0 = problem.box.V_WB.tail<3>(), w1 = after.V_WB.tail<3>();
  Vector3d linear =
      box.mass * (after.V_WB.head<3>() + w1.cross(r) - problem.box.V_WB.head<3>() - w0.cross(r));
  Vector3d angular = R * box.inertia_C * R.transpose() * (w1 - w0);
  for (int i = 0; i < problem.contact_count; ++i) {
    const Vector3d& p = after.impulses[static_cast<std::size_t>(i)];
    linear -= p;
    angular -=
        (problem.contacts[static_cast<std::size_t>(i)].p_W - problem.box.X_WB.p - r).cross(p);
  }
  EXPECT_LT(linear.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(angular.cwiseAbs().maxCoeff(), 1e-12);
}

// the law of impact_map.hpp, with all e times a scale, as far as `speed` [m/s]
void expect_law(const ImpactProblem& problem, const ImpactVelocities& after, double scale,
                double speed) {
  const ImpactVelocities at = test::before(problem);
  for (int i = 0; i < problem.contact_count; ++i) {
    SCOPED_TRACE(i);
    const auto& c = problem.contacts[static_cast<std::size_t>(i)];
    const Vector3d v0 = gamma(problem, i, at), v1 = gamma(problem, i, after),
                   p = after.impulses[static_cast<std::size_t>(i)];
    const double p_n = c.n_W.dot(p), xi = c.n_W.dot(v1) + scale * c.restitution * c.n_W.dot(v0);
    const Vector3d p_t = p - p_n * c.n_W, slip = v1 - c.n_W.dot(v1) * c.n_W;
    EXPECT_GE(p_n, -1e-12);
    EXPECT_GE(xi, -speed);
    EXPECT_NEAR(p_n * xi, 0.0, speed);
    EXPECT_LE(p_t.norm(), c.friction * p_n + 1e-9);
    if (p_n > 1e-6 && slip.norm() > 1e-6) {
      EXPECT_NEAR(p_t.norm(), c.friction * p_n, 1e-6);
      EXPECT_NEAR(p_t.dot(slip), -p_t.norm() * slip.norm(), speed);
    }
  }
}

// A block of mass m hits the middle of a box face along its normal: u1 = (m - e M) u / (m + M),
// u2 = (1 + e) m u / (m + M).
TEST(ImpactMap, CentralImpactOfTwoMasses) {
  for (const double e : {0.0, 0.3, 1.0}) {
    SCOPED_TRACE(e);
    const double m = 1.7, M = 0.56, u = 0.4;
    ImpactProblem problem;
    problem.box = box_at_rest({0.3, 0.27, 0.2}, M);
    problem.arms[0] = point_mass(m, {0, u, 0});
    problem.arm_count = problem.contact_count = 1;
    problem.contacts[0] = contact_at(0, {0, -0.135, 0}, Vector3d::UnitY(), 0.6, e);
    const ImpactResult result = solved(problem);
    EXPECT_NEAR(result.after.v[0][1], (m - e * M) * u / (m + M), 1e-12);
    EXPECT_NEAR(result.after.V_WB[1], (1.0 + e) * m * u / (m + M), 1e-12);
    EXPECT_NEAR(result.compressed.v[0][1], m * u / (m + M), 1e-12);
    EXPECT_NEAR(result.compressed.V_WB[1], m * u / (m + M), 1e-12);
    EXPECT_NEAR(result.energy_lost, 0.5 * m * M / (m + M) * u * u * (1.0 - e * e), 1e-12);
    EXPECT_LT(result.after.V_WB.tail<3>().norm(), 1e-12);
    EXPECT_EQ(result.restitution_scale, 1.0);
  }
}

// A fixed point hits a free box off its centre, without friction: the impulse along n is
// -(1 + e) gamma_n / (1/m + (r x n) . I^-1 (r x n)).
TEST(ImpactMap, OffCentreImpactOfABox) {
  const double m = 0.56, u = 0.5, e = 0.4;
  ImpactProblem problem;
  problem.box = box_at_rest({0.3, 0.27, 0.2}, m);
  problem.box.V_WB[1] = -u;
  problem.contact_count = 1;
  problem.contacts[0] = contact_at(-1, {0.1, -0.135, 0.05}, Vector3d::UnitY(), 0.0, e);
  const ImpactResult result = solved(problem);
  const Vector3d r(0.1, -0.135, 0.05), turn = r.cross(Vector3d::UnitY());
  const Matrix3d inverse = problem.box.box.inertia_C.inverse();
  const double p = (1.0 + e) * u / (1.0 / m + turn.dot(inverse * turn));
  EXPECT_LT((result.after.impulses[0] - p * Vector3d::UnitY()).norm(), 1e-12);
  EXPECT_LT((result.after.V_WB.tail<3>() - inverse * turn * p).norm(), 1e-11);
  EXPECT_NEAR(result.after.V_WB[1], -u + p / m, 1e-12);
  EXPECT_NEAR(gamma(problem, 0, result.after)[1], e * u, 1e-12);
}

// A block (that cannot turn) slides as it hits a fixed box: with its own G = 1/m there is
// tangential impulse m v_t if that is at most mu m v_n, else mu m v_n.
TEST(ImpactMap, FrictionSticksOrSlips) {
  const double m = 2.0, v_n = 0.5, e = 0.25;
  for (const auto& [v_t, mu] : {std::pair{0.1, 0.5}, {0.4, 0.5}, {0.3, 0.0}}) {
    SCOPED_TRACE(v_t);
    ImpactProblem problem;
    problem.box = box_at_rest();
    problem.box.fixed = true;
    problem.arms[0] = point_mass(m, {0.6 * v_t, v_n, 0.8 * v_t});
    problem.arm_count = problem.contact_count = 1;
    problem.contacts[0] = contact_at(0, {0, -0.135, 0.02}, Vector3d::UnitY(), mu, e);
    const ImpactResult result = solved(problem);
    const double normal = (1.0 + e) * m * v_n, across = std::min(m * v_t, mu * normal);
    const Vector3d expected = normal * Vector3d::UnitY() + across * Vector3d(0.6, 0.0, 0.8);
    EXPECT_LT((result.after.impulses[0] - expected).norm(), 1e-11);
    EXPECT_LT(
        (result.after.v[0] - Vector3d(0.6 * (v_t - across / m), -e * v_n, 0.8 * (v_t - across / m)))
            .norm(),
        1e-11);
    EXPECT_EQ(result.after.V_WB.norm(), 0.0);
  }
}

// Two masses hit a box from both sides: without restitution all go on as one, at the mean velocity;
// with e = 1 the three velocities of a line of masses that touch at once.
TEST(ImpactMap, TwoPointImpactsFromBothSides) {
  const double m1 = 1.7, m2 = 1.1, M = 0.56, u1 = 0.4, u2 = -0.3;
  ImpactProblem problem;
  problem.box = box_at_rest({0.3, 0.27, 0.2}, M);
  problem.arms[0] = point_mass(m1, {0, u1, 0});
  problem.arms[1] = point_mass(m2, {0, u2, 0});
  problem.arm_count = problem.contact_count = 2;
  for (const double e : {0.0, 0.5}) {
    SCOPED_TRACE(e);
    problem.contacts[0] = contact_at(0, {0, -0.135, 0}, Vector3d::UnitY(), 1.0, e);
    problem.contacts[1] = contact_at(1, {0, 0.135, 0}, -Vector3d::UnitY(), 1.0, e);
    const ImpactResult result = solved(problem);
    const double mean = (m1 * u1 + m2 * u2) / (m1 + m2 + M);
    EXPECT_NEAR(result.compressed.v[0][1], mean, 1e-10);
    EXPECT_NEAR(result.compressed.v[1][1], mean, 1e-10);
    EXPECT_NEAR(result.compressed.V_WB[1], mean, 1e-10);
    // each pair parts at e of its approach: v1 = V - e u1, v2 = V - e u2, and momentum gives V
    const double V = (m1 * (u1 + e * u1) + m2 * (u2 + e * u2)) / (m1 + m2 + M);
    EXPECT_NEAR(result.after.V_WB[1], V, 1e-10);
    EXPECT_NEAR(result.after.v[0][1], V - e * u1, 1e-10);
    EXPECT_NEAR(result.after.v[1][1], V - e * u2, 1e-10);
  }
}

// A box falls flat on two points of a floor, as far to both sides of its middle: it stops, and each
// takes half; with friction it stops sideways too when that is within the cone.
TEST(ImpactMap, TwoPointsOfOneFace) {
  const double m = 0.56, fall = 0.7, slide = 0.1;
  ImpactProblem problem;
  problem.box = box_at_rest({0.3, 0.27, 0.2}, m);
  problem.box.V_WB << 0.0, slide, -fall, 0, 0, 0;
  problem.contact_count = 2;
  problem.contacts[0] = contact_at(-1, {0.1, 0, -0.1}, Vector3d::UnitZ(), 0.0, 0.0);
  problem.contacts[1] = contact_at(-1, {-0.1, 0, -0.1}, Vector3d::UnitZ(), 0.0, 0.0);
  const ImpactResult result = solved(problem);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LT((result.after.impulses[i] - Vector3d(0, 0, 0.5 * m * fall)).norm(), 1e-10);
  EXPECT_NEAR(result.after.V_WB[1], slide, 1e-12);
  EXPECT_NEAR(result.after.V_WB[2], 0.0, 1e-10);
}

TEST(ImpactMap, WhatPartsIsLeftAlone) {
  ImpactProblem problem;
  problem.box = box_at_rest();
  problem.arms[0] = point_mass(1.0, {0, -0.2, 0});
  problem.arm_count = problem.contact_count = 1;
  problem.contacts[0] = contact_at(0, {0, -0.135, 0}, Vector3d::UnitY(), 1.0, 1.0);
  const ImpactResult result = solved(problem);
  EXPECT_TRUE(result.after.v[0] == problem.arms[0].v);
  EXPECT_EQ(result.after.V_WB.norm(), 0.0);
}

TEST(ImpactMap, ArmsAndBoxKeepMomentumAndTheLaw) {
  int relaxed = 0, slipping = 0, sweeps = 0, longest = 0;
  const int runs = test::sized(20000);
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "impact map");
    const int each = std::array{1, 2, 4}[static_cast<std::size_t>(run % 3)];
    const ImpactProblem problem =
        test::two_arms(random, each, random.uniform(0.0, 1.0), run % 2 == 0 ? 0.0 : 0.3);
    check_impact(problem);
    ImpactMap map;
    ImpactResult result;
    map.solve(problem, result);
    ASSERT_NE(result.status, ImpactStatus::kSingular);
    expect_momentum(problem, result.after);
    expect_momentum(problem, result.compressed);
    // energy is never made
    EXPECT_GE(result.energy_lost, -1e-9);
    sweeps += result.sweeps;
    longest = std::max(longest, result.sweeps);
    if (result.status == ImpactStatus::kRelaxed) {
      ++relaxed;
      continue;
    }
    expect_law(problem, result.compressed, 0.0, 1e-7);
    expect_law(problem, result.after, result.restitution_scale, 1e-7);
    // no plate comes nearer at the end of compression
    for (int i = 0; i < problem.contact_count; ++i) {
      const auto& c = problem.contacts[static_cast<std::size_t>(i)];
      const Vector3d v = gamma(problem, i, result.compressed);
      EXPECT_GT(c.n_W.dot(v), -1e-7);
      slipping += (v - c.n_W.dot(v) * c.n_W).norm() > 1e-4;
    }
  }
  std::printf("%d impacts: %d relaxed, %.1f sweeps in the mean, %d at most\n", runs, relaxed,
              static_cast<double>(sweeps) / runs, longest);
  EXPECT_GT(slipping, runs / 4);
  EXPECT_LE(relaxed, runs / 100);
}

// Without friction: all sets of contacts that may push are tried, with the whole system written out
TEST(ImpactMap, WithoutFrictionIsTheLinearComplementarityProblem) {
  for (int run = 0; run < 300; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "lcp");
    const double e = run % 2 == 0 ? 0.0 : 0.4;
    const ImpactProblem problem = test::two_arms(random, run % 3 == 0 ? 1 : 2, 0.0, e);
    const int n = problem.contact_count;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(20, 20), J = Eigen::MatrixXd::Zero(n, 20);
    Eigen::VectorXd v(20);
    const Matrix3d R = problem.box.X_WB.R;
    M.topLeftCorner(7, 7) = problem.arms[0].M;
    M.block(7, 7, 7, 7) = problem.arms[1].M;
    M.block(14, 14, 3, 3).diagonal().setConstant(problem.box.box.mass);
    M.block(17, 17, 3, 3) = R * problem.box.box.inertia_C * R.transpose();
    v << problem.arms[0].v, problem.arms[1].v, problem.box.V_WB;
    for (int i = 0; i < n; ++i) {
      const auto& c = problem.contacts[static_cast<std::size_t>(i)];
      J.block(i, 7 * c.arm, 1, 7) = -c.n_W.transpose() * c.J;
      J.block(i, 14, 1, 3) = c.n_W.transpose();
      J.block(i, 17, 1, 3) = (c.p_W - problem.box.X_WB.p).cross(c.n_W).transpose();
    }
    const Eigen::MatrixXd G = J * M.inverse() * J.transpose();
    const Eigen::VectorXd xi = (1.0 + e) * J * v;
    int found = 0;
    Eigen::VectorXd after;
    for (int set = 0; set < (1 << n); ++set) {
      std::vector<int> pushing;
      for (int i = 0; i < n; ++i)
        if ((set >> i) & 1) pushing.push_back(i);
      Eigen::VectorXd p = Eigen::VectorXd::Zero(n);
      if (!pushing.empty())
        p(pushing) = -G(pushing, pushing).fullPivLu().solve(Eigen::VectorXd(xi(pushing)));
      if (p.minCoeff() < 0.0 || (xi + G * p).minCoeff() < -1e-12) continue;
      ++found;
      after = v + M.inverse() * J.transpose() * p;
    }
    ASSERT_GT(found, 0);
    const ImpactResult result = solved(problem);
    EXPECT_LT((result.after.v[0] - after.head(7)).norm(), 1e-7);
    EXPECT_LT((result.after.v[1] - after.segment(7, 7)).norm(), 1e-7);
    EXPECT_LT((result.after.V_WB - after.tail(6)).norm(), 1e-7);
  }
}

// Energy that leaves: what the kinetic energies say
TEST(ImpactMap, EnergyLostIsTheDifference) {
  RandomStream random(5, "energy");
  const ImpactProblem problem = test::two_arms(random, 2, 0.4, 0.5);
  const ImpactResult result = solved(problem);
  double lost = 0.0;
  for (std::size_t a = 0; a < 2; ++a) {
    const auto& arm = problem.arms[a];
    lost += 0.5 * arm.v.dot(arm.M * arm.v) - 0.5 * result.after.v[a].dot(arm.M * result.after.v[a]);
  }
  const RigidBox& box = problem.box.box;
  const Vector3d w_B = problem.box.X_WB.R.transpose() * result.after.V_WB.tail<3>();
  lost -= 0.5 * box.mass * result.after.V_WB.head<3>().squaredNorm() +
          0.5 * w_B.dot(box.inertia_C * w_B);
  EXPECT_NEAR(result.energy_lost, lost, 1e-10);
}

// A box tumbles onto a floor in rigid_stepping: at the step with the impact, without gravity, both
// give the same velocities.
TEST(ImpactMap, AgreesWithRigidSteppingOfAFreeBox) {
  int impacts = 0, softened = 0, compared = 0;
  for (int run = 0; run < 400; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "stepping");
    const ImpactLaw law{random.uniform(0.0, 0.8), run % 2 == 0 ? 0.0 : random.uniform(0.0, 0.9)};
    const RigidModel model(uniform_box({0.27, 0.15, 0.11}, 0.566),
                           {plane_surface("floor", Pose(), law)}, Vector3d::Zero());
    RigidData data(model);
    RigidState start;
    start.X_WB = {exp_so3(random.uniform(0.0, 3.0) * random.direction()), {0, 0, 0.25}};
    if (run % 5 == 0) start.X_WB.R.setIdentity();  // flat: four contacts
    start.V_WB << random.uniform(0.0, 1.0) * random.direction(), Vector3d::Zero();
    start.V_WB[2] = -1.0;
    if (run % 5 != 0) start.V_WB.tail<3>() = 3.0 * random.direction();
    set_state(model, data, start);
    Vector3d v, w_W;
    while (data.contacts().empty() && data.time < 1.0) {
      v = data.v_WC;
      step(model, data);
      // the rotation before the step's impulses: w is constant in B only to the step's order, but
      // the step's own contacts say what it was in W
      if (!data.contacts().empty()) break;
    }
    if (data.contacts().empty()) continue;
    ++impacts;
    softened += data.softened > 0;
    ImpactProblem problem;
    problem.box.box = model.box();
    problem.box.X_WB = state(model, data).X_WB;
    problem.contact_count = static_cast<int>(data.contacts().size());
    const Vector3d p_mid = data.p_WC - 0.5 * model.timestep() * data.v_WC;
    // the pose and the spin at the step's middle: from its end, backwards
    RigidData back(model);
    RigidState end = state(model, data);
    end.V_WB *= -1.0;
    const RigidModel free(model.box(), {}, Vector3d::Zero(), 0.5 * model.timestep());
    RigidData middle(free);
    set_state(free, middle, end);
    step(free, middle);
    problem.box.X_WB = state(free, middle).X_WB;
    EXPECT_LT((problem.box.X_WB.p - p_mid).norm(), 1e-12);
    const Matrix3d R = problem.box.X_WB.R, inertia = R * model.box().inertia_C * R.transpose();
    const Vector3d w_after = -R * middle.w_WB_B;
    // before the impulses: what they say it was
    Vector3d w_before = w_after, v_before = data.v_WC;
    int i = 0;
    for (const ConeContact& c : data.contacts()) {
      w_before -= inertia.inverse() * c.p_CQ.cross(c.impulse);
      v_before -= c.impulse / model.box().mass;
      problem.contacts[static_cast<std::size_t>(i++)] =
          contact_at(-1, p_mid + c.p_CQ, c.n, c.friction, c.restitution);
    }
    EXPECT_LT((v_before - v).norm(), 1e-12);
    problem.box.V_WB << v_before, w_before;
    ImpactMap map;
    ImpactResult result;
    map.solve(problem, result);
    if (data.softened > 0 || data.unconverged > 0 || result.status != ImpactStatus::kSolved)
      continue;
    // the stepping's own tolerance is 1e-7 of the fastest contact, and 1e-4 where several creep
    const bool alone = problem.contact_count == 1;
    EXPECT_LT((result.after.V_WB.head<3>() - data.v_WC).norm(), alone ? 1e-6 : 1e-3);
    EXPECT_LT((result.after.V_WB.tail<3>() - w_after).norm(), alone ? 1e-5 : 1e-2);
    // its solver, with all the time that it wants
    std::vector<ConeContact> contacts(data.contacts().begin(), data.contacts().end());
    Vector3d v_cone = v_before, w_cone = w_before;
    for (ConeContact& c : contacts) {
      c.impulse.setZero();
      prepare_contact(c, model.box().mass, inertia.inverse(), v_cone, w_cone);
    }
    ConeOptions exact;
    exact.tolerance = exact.creep = 1e-10;
    exact.most_sweeps = 100000;
    if (!solve_impulses(contacts, model.box().mass, v_cone, w_cone, exact).converged) continue;
    ++compared;
    EXPECT_LT((result.after.V_WB.head<3>() - v_cone).norm(), 1e-7);
    EXPECT_LT((result.after.V_WB.tail<3>() - w_cone).norm(), 1e-6);
    EXPECT_EQ(result.restitution_scale, 1.0);
  }
  EXPECT_GT(impacts, 300);
  EXPECT_GT(compared, 250);
  EXPECT_LT(softened, impacts / 10);
}

TEST(ImpactMap, AllocatesNothing) {
  RandomStream random(2, "alloc");
  const ImpactProblem problem = test::two_arms(random, 4, 0.5, 0.2);
  ImpactMap map;
  ImpactResult result;
  const test::AllocationCount count;
  map.solve(problem, result);
  ImpactOptions hard;
  hard.most_sweeps = 2;  // the relaxed one as well
  hard.tolerance = 1e-15;
  map.solve(problem, result, hard);
  EXPECT_EQ(count.count(), 0U);
}

TEST(ImpactMap, EqualInputGivesEqualBits) {
  RandomStream random(2, "bits");
  const ImpactProblem problem = test::two_arms(random, 4, 0.5, 0.2);
  ImpactMap a, b;
  ImpactResult first, second;
  a.solve(test::two_arms(random, 2, 0.1, 0.0), first);  // another one before it
  a.solve(problem, first);
  b.solve(problem, second);
  EXPECT_TRUE(first.after.v[0] == second.after.v[0]);
  EXPECT_TRUE(first.after.V_WB == second.after.V_WB);
}

TEST(ImpactMap, TheRelaxedSolutionObeysConesAndMomentum) {
  // as if the exact sweeps had not come to an end
  for (int run = 0; run < 200; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "relaxed");
    const ImpactProblem problem = test::two_arms(random, 2, 0.5, 0.0);
    ImpactMap map;
    ImpactResult result;
    ImpactOptions options;
    options.most_sweeps = 1;
    options.tolerance = 1e-13;
    map.solve(problem, result, options);
    expect_momentum(problem, result.after);
    for (int i = 0; i < problem.contact_count; ++i) {
      const auto& c = problem.contacts[static_cast<std::size_t>(i)];
      const Vector3d& p = result.after.impulses[static_cast<std::size_t>(i)];
      const double p_n = c.n_W.dot(p);
      EXPECT_LE((p - p_n * c.n_W).norm(), c.friction * p_n + 1e-12);
    }
  }
}

TEST(ImpactMap, AnInertiaThatIsNoneIsAStatus) {
  RandomStream random(2, "singular");
  ImpactProblem problem = test::two_arms(random, 1, 0.5, 0.0);
  problem.arms[1].M.setZero();
  ImpactMap map;
  ImpactResult result;
  map.solve(problem, result);
  EXPECT_EQ(result.status, ImpactStatus::kSingular);
  problem = test::two_arms(random, 1, 0.5, 0.0);
  problem.arms[0].v[2] = std::nan("");
  map.solve(problem, result);
  EXPECT_EQ(result.status, ImpactStatus::kSingular);
}

}  // namespace impact_map_test
}  // namespace handspan
