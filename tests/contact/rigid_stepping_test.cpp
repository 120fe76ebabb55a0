// Moreau's time stepping against closed forms of mechanics.
#include "contact/rigid_stepping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace rigid_stepping_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kG = 9.81;
const Vector3d kGravity(0.0, 0.0, -kG);

RigidState at(const Pose& X_WB, const Vector3d& v = Vector3d::Zero(),
              const Vector3d& w = Vector3d::Zero()) {
  RigidState state;
  state.X_WB = X_WB;
  state.V_WB << v, w;
  return state;
}

RigidSurface floor_of(double friction, double restitution) {
  return plane_surface("floor", Pose(), {friction, restitution});
}

RigidBox ball(double radius, double mass) {
  RigidBox box = uniform_box(Vector3d::Constant(2 * radius), mass);
  box.inertia_C = 0.4 * mass * radius * radius * Matrix3d::Identity();
  box.rounding = radius;
  return box;
}

void advance(const RigidModel& model, RigidData& data, double seconds) {
  const auto steps = std::llround(seconds / model.timestep());
  for (long long i = 0; i < steps; ++i) step(model, data);
}

TEST(RigidStepping, FliesAParabola) {
  RigidBox box = uniform_box({0.3, 0.2, 0.1}, 2.0);
  box.p_BC = {0.05, -0.03, 0.02};
  const RigidModel model(box, {}, kGravity, 0.002);
  RigidData data(model);
  const RigidState start = at(Pose::from_rpy({1, 2, 3}, {0.3, 0.2, 0.1}), {1, -2, 4}, {3, -2, 5});
  set_state(model, data, start);
  const Vector3d p = data.p_WC, v = data.v_WC;
  advance(model, data, 1.0);
  EXPECT_LT((data.p_WC - (p + v + 0.5 * kGravity)).norm(), 1e-12);
  EXPECT_LT((data.v_WC - (v + kGravity)).norm(), 1e-12);
  EXPECT_NEAR(data.time, 1.0, 1e-12);
  EXPECT_EQ(data.steps, 500U);
}

TEST(RigidStepping, GivesBackTheStateItWasGiven) {
  RigidBox box = uniform_box({0.3, 0.2, 0.1}, 2.0);
  box.p_BC = {0.05, -0.03, 0.02};
  const RigidModel model(box, {});
  RigidData data(model);
  const RigidState start = at(Pose::from_rpy({1, 2, 3}, {0.3, 0.2, 0.1}), {1, -2, 4}, {3, -2, 5});
  set_state(model, data, start, 7.0);
  EXPECT_EQ(data.time, 7.0);
  const RigidState back = state(model, data);
  EXPECT_LT((back.X_WB.p - start.X_WB.p).norm(), 1e-15);
  EXPECT_LT((back.X_WB.R - start.X_WB.R).norm(), 1e-15);
  EXPECT_LT((back.V_WB - start.V_WB).norm(), 1e-14);
}

TEST(RigidStepping, KeepsMomentumAndEnergyOfATumblingBox) {
  for (int run = 0; run < test::sized(100); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "tumble");
    const Vector3d size(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3),
                        random.uniform(0.05, 0.3));
    const RigidModel model(uniform_box(size, 1.0), {}, Vector3d::Zero(), 0.001);
    RigidData data(model);
    set_state(model, data, at(Pose(), {}, random.uniform(1.0, 30.0) * random.direction()));
    const Vector3d L = angular_momentum(model, data);
    const double E = energy(model, data);
    advance(model, data, 5.0);
    // 10^4 half steps, each with a few errors of rounding
    EXPECT_LT((angular_momentum(model, data) - L).norm(), 1e-11 * L.norm());
    EXPECT_NEAR(energy(model, data), E, 1e-11 * E);
  }
}

// A body of revolution precesses about L at |L| / I1 and spins about its axis at w3 (1 - I3 / I1).
TEST(RigidStepping, PrecessesAsASymmetricTop) {
  const RigidBox box = uniform_box({0.1, 0.1, 0.3}, 1.0);
  const Vector3d w(2.0, 0.0, 9.0);
  const double i1 = box.inertia_C(0, 0), i3 = box.inertia_C(2, 2), seconds = 2.0;
  const Vector3d L = box.inertia_C * w;
  const Matrix3d exact =
      exp_so3(seconds / i1 * L) * exp_so3({0, 0, seconds * w[2] * (1.0 - i3 / i1)});
  double last = 0.0;
  for (const double h : {0.002, 0.001}) {
    const RigidModel model(box, {}, Vector3d::Zero(), h);
    RigidData data(model);
    set_state(model, data, at(Pose(), {}, w));
    advance(model, data, seconds);
    const double error = angle_between(exact, data.q_WB.toRotationMatrix());
    // turned late by (h w)^2 / 12, of half steps, and as much again by the precession
    EXPECT_LT(error, 2.0 * seconds * w.norm() * std::pow(0.5 * h * w.norm(), 2) / 12.0 * 2.0);
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 4.0, 0.1);  // second order
    }
    last = error;
  }
}

TEST(RigidStepping, BouncesAsHighAsRestitutionSays) {
  for (const double e : {0.0, 0.15, 0.5, 0.9, 1.0}) {
    const double h = 1e-4, radius = 0.1, height = 0.7;
    const RigidModel model(ball(radius, 0.3), {floor_of(0.4, e)}, kGravity, h);
    RigidData data(model);
    set_state(model, data, at(Pose::translation({0, 0, radius + height})));
    const double fall = std::sqrt(2.0 * height / kG), speed = kG * fall;
    double top = height, bounces = 0;
    while (bounces < 3 && data.time < 4.0) {
      const double before = data.v_WC[2];
      step(model, data);
      if (data.contacts().empty() || before >= -10 * kG * h) {
        top = std::max(top, data.p_WC[2] - radius);
        if (data.time > 3.9) break;
        continue;
      }
      // the impulse of a step holds what gravity did in it
      EXPECT_NEAR(data.v_WC[2], -e * before, 1e-9);
      ++bounces;
      const double expected = std::pow(e, 2.0 * bounces) * height;
      top = 0.0;
      while (data.v_WC[2] > 0.0) {
        step(model, data);
        top = std::max(top, data.p_WC[2] - radius);
      }
      // each impact is up to a step late, which is worth speed * h
      EXPECT_NEAR(top, expected, 3.0 * bounces * speed * h) << e << " bounce " << bounces;
      if (e == 0.0) break;
    }
    EXPECT_GT(bounces, 0);
  }
}

TEST(RigidStepping, SlidingBlockStopsWhereFrictionSays) {
  for (const double mu : {0.1, 0.3, 0.8}) {
    const Vector3d size(0.3, 0.2, 0.1);
    const RigidModel model(uniform_box(size, 2.0), {floor_of(mu, 0.0)}, kGravity, 0.0005);
    RigidData data(model);
    const double v = 1.0;
    set_state(model, data, at(Pose::translation({0, 0, 0.05 - 1e-9}), {0.6, 0.8, 0}));
    advance(model, data, v / (mu * kG) + 0.1);
    const double distance = v * v / (2 * mu * kG);
    // the last step is not a whole one: less than v_last h / 2
    EXPECT_LT((data.p_WC - Vector3d(0.6 * distance, 0.8 * distance, 0.05)).norm(),
              mu * kG * 0.0005 * 0.0005 + 1e-8)
        << mu;
    EXPECT_LT(data.v_WC.norm(), 1e-9);
    EXPECT_EQ(data.unconverged, 0U);
  }
}

TEST(RigidStepping, InclineHoldsBelowItsAngleAndLetsSlideAbove) {
  for (const double mu : {0.1, 0.4, 0.7})
    for (const double ratio : {0.99, 1.01, 1.4}) {
      SCOPED_TRACE(testing::Message() << mu << " " << ratio);
      const double angle = std::atan(ratio * mu);
      const Matrix3d R = exp_so3({0, angle, 0});  // sinks along +x
      const RigidModel model(uniform_box({0.3, 0.3, 0.06}, 1.5),
                             {plane_surface("slope", Pose::rotation(R), {mu, 0.0})}, kGravity,
                             0.001);
      RigidData data(model);
      const Vector3d start = R * Vector3d(0, 0, 0.03 - 1e-9);
      set_state(model, data, at({R, start}));
      advance(model, data, 1.0);
      const double a = ratio < 1.0 ? 0.0 : kG * (std::sin(angle) - mu * std::cos(angle));
      EXPECT_LT((data.v_WC - a * R.col(0)).norm(), 1e-6);
      EXPECT_LT((data.p_WC - start - 0.5 * a * R.col(0)).norm(), 1e-6);
    }
}

TEST(RigidStepping, BlockSetOnABeltReachesItsSpeed) {
  const double speed = 1.5, mu = 0.4, h = 0.0005;
  const Pose X_WS = Pose::from_rpy({0, 0, -0.05}, {0, 0, 0.7});
  const RigidModel model(uniform_box({0.2, 0.15, 0.1}, 0.5),
                         {belt_surface("belt", X_WS, {6, 1.4, 0.1}, speed, {mu, 0.0})}, kGravity,
                         h);
  RigidData data(model);
  set_state(model, data, at(Pose::from_rpy({0, 0, 0.05 - 1e-9}, {0, 0, 0.2})));
  const double seconds = speed / (mu * kG);
  while (data.time + h < seconds) step(model, data);
  EXPECT_LT(data.v_WC.norm(), speed);
  EXPECT_NEAR(data.v_WC.norm(), mu * kG * data.time, 1e-6);
  step(model, data);
  step(model, data);
  const Vector3d v = speed * X_WS.R.col(0);
  EXPECT_LT((data.v_WC - v).norm(), 1e-7);
  // the face's corners slip alike while the box does not turn
  EXPECT_LT(data.w_WB_B.norm(), 1e-6);
  // lost against the belt: v^2 / (2 mu g)
  EXPECT_NEAR((data.time * v - data.p_WC).head<2>().norm(), speed * speed / (2 * mu * kG),
              speed * h);
}

// An edge along y of a tilted box hits the floor; the rest of the box is in the air. With lever arm
// d across and l above the edge, J = I + m (d^2 + l^2), in the plane.
struct EdgeImpact {
  RigidBox box = uniform_box({0.2, 0.5, 0.1}, 1.7);
  double tilt = 0.4;
  Vector3d v{0.3, 0, -2.0};
  double w = 1.1;  // about y

  // lever from C to the edge that is lowest
  Vector3d lever() const {
    const Matrix3d R = exp_so3({0, tilt, 0});
    return R * Vector3d(0.1, 0, -0.05);
  }
  RigidData after(double mu, double e) const {
    const RigidModel model(box, {floor_of(mu, e)}, Vector3d::Zero(), 1e-4);
    RigidData data(model);
    const Matrix3d R = exp_so3({0, tilt, 0});
    set_state(model, data, at({R, Vector3d(0, 0, -lever()[2] + 1e-5)}, v, {0, w, 0}));
    for (int i = 0; i < 3; ++i) {
      step(model, data);
      if (!data.contacts().empty()) break;
    }
    EXPECT_EQ(data.contacts().size(), 2U);
    return data;
  }
};

TEST(RigidStepping, EdgeWithoutFrictionGivesTheClosedFormImpulse) {
  for (const double e : {0.0, 0.4, 1.0}) {
    const EdgeImpact impact;
    const RigidData data = impact.after(0.0, e);
    const Vector3d r = impact.lever();
    const double m = impact.box.mass, inertia = impact.box.inertia_C(1, 1);
    // the point's velocity downwards: v_z - w r_x
    const double gap_rate = impact.v[2] - impact.w * r[0];
    const double p = -(1.0 + e) * gap_rate / (1.0 / m + r[0] * r[0] / inertia);
    double found = 0.0;
    for (const auto& contact : data.contacts()) found += contact.impulse[2];
    // the lever has turned by w h since the start
    EXPECT_NEAR(found, p, 2e-3 * p);
    EXPECT_NEAR(data.v_WC[2], impact.v[2] + p / m, 2e-3 * p / m);
    EXPECT_NEAR(data.w_WB_B[1], impact.w - r[0] * p / inertia, 2e-3 * r[0] * p / inertia);
    EXPECT_NEAR(data.v_WC[0], impact.v[0], 1e-12);
  }
}

TEST(RigidStepping, EdgeThatSticksGivesTheClosedFormImpulse) {
  const EdgeImpact impact;
  const RigidData data = impact.after(5.0, 0.3);
  const Vector3d r = impact.lever();
  const double m = impact.box.mass, inertia = impact.box.inertia_C(1, 1);
  // velocity of the point (x, z) = v + w (r_z, -r_x); by impulse (px, pz) through
  Eigen::Matrix2d G;
  G << 1 / m + r[2] * r[2] / inertia, -r[0] * r[2] / inertia, -r[0] * r[2] / inertia,
      1 / m + r[0] * r[0] / inertia;
  const Eigen::Vector2d before(impact.v[0] + impact.w * r[2], impact.v[2] - impact.w * r[0]);
  const Eigen::Vector2d after(0.0, -0.3 * before[1]);
  const Eigen::Vector2d p = G.inverse() * (after - before);
  Vector3d found = Vector3d::Zero();
  for (const auto& contact : data.contacts()) found += contact.impulse;
  EXPECT_NEAR(found[0], p[0], 3e-3 * p.norm());
  EXPECT_NEAR(found[2], p[1], 3e-3 * p.norm());
  EXPECT_NEAR(found[1], 0.0, 1e-8);
}

// Boxes with their mass off the middle, dropped, thrown and spun, on slopes and into trays.
TEST(RigidStepping, EnergyNeverGrows) {
  std::uint64_t softened = 0, unconverged = 0, steps = 0;
  for (int run = 0; run < test::sized(2000); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "drop");
    const auto edge = [&] { return random.uniform(0.05, 0.3); };
    RigidBox box = uniform_box({edge(), edge(), edge()}, random.uniform(0.1, 2.0));
    box.p_BC = 0.2 * box.size.cwiseProduct(random.uniform() * random.direction());
    if (run % 2 == 0) box.rounding = random.uniform(0.0, 0.5) * box.size.minCoeff();
    const ImpactLaw law{random.uniform(0.0, 1.2), random.uniform(0.0, 1.0)};
    std::vector<RigidSurface> surfaces;
    if (run % 3 == 0)
      surfaces = tray_surfaces("tray", Pose(), {0.6, 0.5, 0.1}, 0.02, law);
    else
      surfaces = {plane_surface("slope", Pose::rotation(exp_so3(0.3 * random.direction())), law)};
    const double h = run % 2 == 0 ? 0.001 : 0.0005;
    const RigidModel model(box, surfaces, kGravity, h);
    RigidData data(model);
    set_state(model, data,
              at(Pose::from({0, 0, 0.5}, Eigen::Quaterniond(exp_so3(3.0 * random.direction()))),
                 random.uniform(0.0, 2.0) * random.direction(),
                 random.uniform(0.0, 20.0) * random.direction()));
    const double start = energy(model, data), weight = box.mass * kG;
    const double rounding = 1e-7 * (start + weight);
    double before = start;
    for (int i = 0; i < 1500; ++i) {
      step(model, data);
      const double now = energy(model, data);
      ASSERT_LE(now, before + box.mass * std::pow(h * kG, 2) / 8.0 + rounding) << "step " << i;
      before = now;
    }
    // and nothing hidden in many small ones
    EXPECT_LE(before, start + 0.01 * weight * 0.5);
    softened += data.softened;
    unconverged += data.unconverged;
    steps += data.steps;
  }
  EXPECT_LT(softened, steps / 1000);
  EXPECT_LT(unconverged, steps / 100);
}

TEST(RigidStepping, TrayWallStopsASlidingBox) {
  const RigidModel model(uniform_box({0.2, 0.1, 0.1}, 1.0),
                         tray_surfaces("tray", Pose(), {0.4, 0.4, 0.1}, 0.01, {0.2, 0.0}), kGravity,
                         0.0005);
  RigidData data(model);
  set_state(model, data, at(Pose::translation({-0.05, 0, 0.05 - 1e-9}), {1.2, 0, 0}));
  double farthest = 0.0;
  for (int i = 0; i < 2000; ++i) {
    step(model, data);
    farthest = std::max(farthest, data.p_WC[0]);
  }
  // the wall's inner side is at 0.2; deep by at most speed h
  EXPECT_GE(farthest, 0.1 - 1e-9);
  EXPECT_LE(farthest, 0.1 + 1.2 * 0.0005);
  EXPECT_LT(data.v_WC.norm(), 1e-6);
  EXPECT_LT(angle_between(data.q_WB.toRotationMatrix(), Matrix3d::Identity()), 0.01);
}

// The tray travels with what is in it; over its rim there is nothing.
TEST(RigidStepping, TravellingTrayCarriesTheBox) {
  const RigidModel model(
      uniform_box({0.2, 0.1, 0.1}, 1.0),
      tray_surfaces("tray", Pose(), {0.4, 0.4, 0.1}, 0.01, {0.5, 0.1}, {1.5, 0, 0}), kGravity,
      0.0005);
  RigidData data(model);
  set_state(model, data, at(Pose::translation({0.0, 0, 0.06})));
  advance(model, data, 2.0);
  EXPECT_LT((data.v_WC - Vector3d(1.5, 0, 0)).norm(), 1e-6);
  // slid to the back wall at most
  EXPECT_LT(std::abs(data.p_WC[0] - 3.0), 0.11);
  EXPECT_NEAR(data.p_WC[2], 0.05, 1e-3);
}

TEST(RigidStepping, BoxTipsOverTheTraysEdge) {
  const RigidModel model(uniform_box({0.2, 0.2, 0.05}, 1.0),
                         tray_surfaces("tray", Pose(), {0.4, 0.4, 0.1}, 0.01, {0.5, 0.0}), kGravity,
                         0.0005);
  RigidData data(model);
  // on the wall's top (x 0.2 to 0.21), its centre of mass a little outside: it turns out about y
  set_state(model, data, at(Pose::translation({0.24, 0, 0.125 - 1e-9})));
  advance(model, data, 0.1);
  EXPECT_GT(data.w_WB_B[1], 0.2);
  EXPECT_GT(data.p_WC[2], 0.1);
  advance(model, data, 1.0);
  EXPECT_LT(data.p_WC[2], -1.0);
  // and with it above the wall it stays
  set_state(model, data, at(Pose::translation({0.205, 0, 0.125 - 1e-9})));
  advance(model, data, 1.0);
  EXPECT_NEAR(data.p_WC[2], 0.125, 1e-6);
}

// A rounded box on a plane rests on its face with the same height as a sharp one.
TEST(RigidStepping, RoundedBoxRestsOnItsFace) {
  RigidBox box = uniform_box({0.2, 0.15, 0.1}, 1.0);
  box.rounding = 0.01;
  const RigidModel model(box, {floor_of(0.5, 0.1)}, kGravity, 0.0005);
  RigidData data(model);
  set_state(model, data, at(Pose::from_rpy({0, 0, 0.06}, {0.05, 0.03, 0})));
  advance(model, data, 2.0);
  EXPECT_NEAR(data.p_WC[2], 0.05, 1e-3);
  EXPECT_LT(data.v_WC.norm() + data.w_WB_B.norm(), 1e-6);
  EXPECT_EQ(data.contacts().size(), 4U);
  double weight = 0.0;
  for (const auto& contact : data.contacts()) weight += contact.impulse[2];
  EXPECT_NEAR(weight, kG * 0.0005, 1e-9);
}

// With e of different contacts at once and in any order, halving the step goes to one motion.
TEST(RigidStepping, ConvergesWithTheStep) {
  const auto end = [](double h) {
    const RigidModel model(uniform_box({0.3, 0.2, 0.1}, 0.5), {floor_of(0.3, 0.4)}, kGravity, h);
    RigidData data(model);
    set_state(model, data, at(Pose::from_rpy({0, 0, 0.3}, {0.4, 0.3, 0}), {1.0, 0, 0}, {0, 3, 1}));
    advance(model, data, 0.3);
    return data.p_WC;
  };
  const Vector3d finest = end(1e-3 / 256);
  EXPECT_LT((end(1e-3 / 16) - finest).norm(), 0.35 * (end(1e-3) - finest).norm());
  EXPECT_LT((end(1e-3 / 16) - finest).norm(), 2e-3);
}

TEST(RigidStepping, IsTheSameEachTime) {
  RigidBox box = uniform_box({0.3, 0.2, 0.1}, 0.5);
  const RigidModel model(box, tray_surfaces("tray", Pose(), {0.6, 0.5, 0.1}, 0.02, {0.4, 0.3}));
  const RigidState start = at(Pose::from_rpy({0.1, 0, 0.3}, {0.4, 0.3, 0}), {1.0, 0, 0}, {0, 3, 1});
  RigidData one(model), other(model);
  set_state(model, other, at(Pose::from_rpy({0, 0, 0.2}, {0.1, 0, 0})));
  advance(model, other, 0.7);
  set_state(model, one, start);
  set_state(model, other, start);
  advance(model, one, 1.0);
  advance(model, other, 1.0);
  EXPECT_EQ(one.p_WC, other.p_WC);
  EXPECT_EQ(one.q_WB.coeffs(), other.q_WB.coeffs());
  EXPECT_EQ(one.v_WC, other.v_WC);
}

TEST(RigidStepping, AllocatesNothing) {
  const RigidModel model(uniform_box({0.3, 0.2, 0.1}, 0.5),
                         tray_surfaces("tray", Pose(), {0.6, 0.5, 0.1}, 0.02, {0.4, 0.3}));
  RigidData data(model);
  set_state(model, data, at(Pose::from_rpy({0.1, 0, 0.3}, {0.4, 0.3, 0}), {1.0, 0, 0}, {0, 3, 1}));
  const test::AllocationCount allocations;
  advance(model, data, 1.0);
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_FALSE(data.contacts().empty());
}

TEST(RigidStepping, RefusesAStateThatIsNone) {
  const RigidModel model(uniform_box({0.3, 0.2, 0.1}, 0.5), {});
  RigidData data(model);
  const auto error = [&](const std::function<void(RigidState&)>& spoil) -> std::string {
    RigidState start;
    spoil(start);
    try {
      set_state(model, data, start);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error([](auto&) {}), "no error");
  EXPECT_EQ(error([&](auto& s) { s.X_WB.p[1] = nan; }), "the box's state is not finite");
  EXPECT_EQ(error([&](auto& s) { s.V_WB[4] = nan; }), "the box's state is not finite");
  EXPECT_EQ(error([&](auto& s) { s.X_WB.R *= 1.1; }), "the box's R_WB is not a rotation");
}

}  // namespace rigid_stepping_test
}  // namespace handspan
