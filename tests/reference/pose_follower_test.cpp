#include "reference/pose_follower.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace pose_follower_test {

constexpr double kDt = 1e-3;

PoseReferenceLimits limits() {
  PoseReferenceLimits l;
  l.speed = 0.8;
  l.acceleration = 5.0;
  l.jerk = 300.0;
  l.angular_speed = 2.0;
  l.angular_acceleration = 12.0;
  l.angular_jerk = 800.0;
  // as far as asked, but where a test says so
  l.leash.reset();
  l.leash_angle.reset();
  return l;
}

// every step within speed, acceleration and jerk, and x' = x + v' dt, but where it is `dragged`
void expect_legal(const PoseReference& before, const PoseReference& now, double dt = kDt,
                  bool dragged = false, bool turned = false) {
  const PoseReferenceLimits l = limits();
  ASSERT_LE(now.V_WE.head<3>().norm(), l.speed * (1.0 + 2e-12));
  ASSERT_LE(now.V_WE.tail<3>().norm(), l.angular_speed * (1.0 + 2e-12));
  const Vector6d A = (now.V_WE - before.V_WE) / dt;
  ASSERT_LE((A - now.A_WE).norm(), 1e-9);
  ASSERT_LE(A.head<3>().norm(), l.acceleration * (1.0 + 1e-9));
  ASSERT_LE(A.tail<3>().norm(), l.angular_acceleration * (1.0 + 1e-9));
  ASSERT_LE((A - before.A_WE).head<3>().norm(), l.jerk * dt * (1.0 + 1e-9));
  ASSERT_LE((A - before.A_WE).tail<3>().norm(), l.angular_jerk * dt * (1.0 + 1e-9));
  const Pose went = {exp_so3(dt * now.V_WE.tail<3>()) * before.X_WE.R,
                     before.X_WE.p + dt * now.V_WE.head<3>()};
  ASSERT_LE(dragged ? 0.0 : (now.X_WE.p - went.p).norm(), 1e-12);
  ASSERT_LE(turned ? 0.0 : (now.X_WE.R - went.R).norm(), 1e-12);
}

// a follower of which every tick is checked
struct Checked {
  explicit Checked(const PoseReferenceLimits& l = limits(), double tick = kDt)
      : follower(l), dt(tick) {
    follower.start({});
  }
  void follow(const PoseReference& wanted, const ArmFrame& arm = {}, const Axes& axes = kAllAxes) {
    const PoseReference before = follower.reference();
    follower.follow(wanted, axes, arm, dt);
    // an arm that goes away faster than the limits let it follow drags it at its leash's end
    const PoseReferenceLimits& l = follower.limits();
    const bool dragged = l.leash && (X().p - arm.X_WE.p).norm() > *l.leash * (1.0 - 1e-9);
    const bool turned =
        l.leash_angle && angle_between(X().R, arm.X_WE.R) > *l.leash_angle * (1.0 - 1e-9);
    expect_legal(before, follower.reference(), dt, dragged, turned);
  }
  void brake() {
    const PoseReference before = follower.reference();
    follower.brake(dt);
    expect_legal(before, follower.reference(), dt);
  }
  const Pose& X() const { return follower.reference().X_WE; }

  PoseFollower follower;
  double dt;
};

double distance(const Pose& a, const Pose& b) { return (a.p - b.p).norm(); }

// sampled as a plan is, or integrated; accelerations rise from rest within the jerk
TEST(PoseFollower, FollowsLegalMotionsExactly) {
  for (const double dt : {1e-3, 8e-3})
    for (const bool sampled : {true, false}) {
      Checked c(limits(), dt);
      PoseReference wanted;
      const auto angle = [](double t) { return 0.5 * t - 0.25 * std::sin(2.0 * t); };
      const auto position = [](double t) {
        return Eigen::Vector3d(0.2 * (1.0 - std::cos(t) * std::exp(-t * t)),
                               0.1 * (t - std::sin(t)), 0.05 * (2.0 * t - std::sin(2.0 * t)));
      };
      const Eigen::Vector3d offset = position(0.0);
      for (int i = 1; i * dt < 3.0; ++i) {
        const double t = i * dt;
        Vector6d V;
        if (sampled) {
          const double h = 1e-5;
          V << (position(t + h) - position(t - h)) / (2.0 * h), 0.0, 0.0,
              0.5 - 0.5 * std::cos(2.0 * t);
          wanted.X_WE = {exp_so3({0.0, 0.0, angle(t)}), position(t) - offset};
        } else {
          V << 0.15 * (1.0 - std::cos(2.0 * t)), 0.1 * (1.0 - std::cos(3.0 * t)), 0.0, 0.0,
              0.25 * (1.0 - std::cos(t)), 0.2 * (1.0 - std::cos(2.0 * t));
          wanted.X_WE.p += dt * V.head<3>();
          wanted.X_WE.R = exp_so3(dt * V.tail<3>()) * wanted.X_WE.R;
        }
        wanted.V_WE = V;
        c.follow(wanted);
        // the first tick of an acceleration from rest may be more than its jerk
        if (t < 0.05 && sampled) continue;
        ASSERT_LT(distance(c.X(), wanted.X_WE), 1e-12) << "dt " << dt << ", t " << t;
        ASSERT_LT((c.X().R - wanted.X_WE.R).norm(), 1e-10) << "dt " << dt << ", t " << t;
      }
    }
}

TEST(PoseFollower, AFarGoalIsReachedInTheTimeOfTheFastestLegalMotion) {
  Checked c;
  PoseReference goal;
  goal.X_WE.p = {0.6, 0.0, 0.8};  // 1 m away
  int ticks = 0;
  while (distance(c.X(), goal.X_WE) > 0.0 || !c.follower.at_rest()) {
    c.follow(goal);
    ASSERT_LT(++ticks, 3000);
  }
  // d / v + v / a + a / j; stopping is planned with a little less, and some ticks to the last bit
  const PoseReferenceLimits l = limits();
  const double fastest = 1.0 / l.speed + l.speed / l.acceleration + l.acceleration / l.jerk;
  EXPECT_GE(ticks * kDt, fastest - 2.0 * kDt);
  EXPECT_LE(ticks * kDt, fastest + 0.01);
}

TEST(PoseFollower, AWildHandGivesTheFastestLegalMotionInItsDirection) {
  Checked c;
  PoseReference wanted;
  const Eigen::Vector3d direction = Eigen::Vector3d(1.0, 2.0, -1.0).normalized();
  wanted.V_WE.head<3>() = 6.0 * direction;
  for (int i = 0; i < 300; ++i) {
    wanted.X_WE.p += 6.0 * kDt * direction;
    c.follow(wanted);
    ASSERT_LT(c.X().p.cross(direction).norm(), 1e-12);
  }
  const PoseReferenceLimits l = limits();
  EXPECT_NEAR(c.follower.reference().V_WE.head<3>().dot(direction), l.speed, 1e-9);
  const double rise = l.speed / l.acceleration + l.acceleration / l.jerk;
  EXPECT_NEAR(c.X().p.dot(direction), l.speed * (0.3 - 0.5 * rise), l.speed * kDt);
}

TEST(PoseFollower, WildTargetsAndHoldsStayLegal) {
  for (const std::uint64_t seed : {7U, 8U}) {
    RandomStream random(seed, "wild");
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    PoseReferenceLimits l = limits();
    if (seed == 8) {
      l.leash = 0.2;
      l.leash_angle = 0.4;
    }
    Checked c(l, seed == 8 ? 8e-3 : 1e-3);
    PoseReference wanted;
    for (int i = 0; i < 20000 && !HasFailure(); ++i) {
      if (random.uniform() < 0.02) {
        wanted.X_WE.p = 2.0 * random.direction();
        wanted.X_WE.R = exp_so3(random.uniform(0.0, 3.1) * random.direction());
        wanted.V_WE.setZero();
        if (random.uniform() < 0.3) wanted.V_WE.head<3>() = 3.0 * random.direction();
      }
      if (random.uniform() < 0.1)
        c.brake();
      else
        c.follow(wanted, {{Eigen::Matrix3d::Identity(), 0.01 * random.direction()}});
      ASSERT_LT((c.X().R.transpose() * c.X().R - Eigen::Matrix3d::Identity()).norm(), 1e-12);
    }
    int ticks = 0;
    while (!c.follower.at_rest()) {
      c.brake();
      ASSERT_LE(++ticks, 400);
    }
  }
}

TEST(PoseFollower, AxesWithoutAuthorityBrakeToRest) {
  Checked c;
  PoseReference wanted;
  wanted.X_WE.p = {1.0, 1.0, 1.0};
  wanted.X_WE.R = exp_so3({0.5, 0.5, 0.0});
  const Axes some = {true, false, true, false, true, false};
  for (int i = 0; i < 3000; ++i) c.follow(wanted, {}, some);
  EXPECT_NEAR(c.X().p.x(), 1.0, 1e-9);
  EXPECT_EQ(c.X().p.y(), 0.0);
  EXPECT_NEAR(c.X().p.z(), 1.0, 1e-9);
  EXPECT_TRUE(c.follower.at_rest());
  // in motion it loses one, which brakes as soon as it may
  wanted.X_WE.p = {-1.0, -1.0, -1.0};
  for (int i = 0; i < 300; ++i) c.follow(wanted);
  const double y = c.X().p.y(), v = c.follower.reference().V_WE.head<3>().norm();
  for (int i = 0; i < 5000; ++i) c.follow(wanted, {}, some);
  const PoseReferenceLimits l = limits();
  EXPECT_LT(c.X().p.y(), y);
  EXPECT_GT(c.X().p.y(), y - 1.3 * (v * v / l.acceleration / 2.0 + v * l.acceleration / l.jerk));
  EXPECT_NEAR(c.X().p.x(), -1.0, 1e-9);
  EXPECT_TRUE(c.follower.at_rest());
}

// the issue: an arm that does not come along is not wound up, and nothing accumulates
TEST(PoseFollower, TheLeashHoldsTheReferenceNearAnArmThatStands) {
  PoseReferenceLimits l = limits();
  l.leash = 0.15;
  l.leash_angle = 0.3;
  for (const double dt : {1e-3, 8e-3})
    for (const double speed : {0.1, 0.5, 5.0}) {
      Checked c(l, dt);
      PoseReference wanted;
      double farthest = 0.0, most = 0.0;
      const auto move = [&](double v, double time) {
        wanted.V_WE << v, 0.5 * v, 0.0, 0.0, 0.0, v;
        for (double t = 0.0; t < time; t += dt) {
          wanted.X_WE.p += dt * wanted.V_WE.head<3>();
          wanted.X_WE.R = exp_so3(dt * wanted.V_WE.tail<3>()) * wanted.X_WE.R;
          c.follow(wanted);
          farthest = std::max(farthest, c.X().p.norm());
          most = std::max(most, angle_between(c.X().R, Eigen::Matrix3d::Identity()));
        }
      };
      move(speed, 1.0 / speed);
      move(0.0, 1.0);
      EXPECT_LE(farthest, *l.leash * 1.001);
      EXPECT_LE(most, *l.leash_angle * 1.001);
      // the nearest point that it may be at
      EXPECT_LT((c.X().p - *l.leash * wanted.X_WE.p.normalized()).norm(), 1e-9);
      EXPECT_NEAR(angle_between(c.X().R, wanted.X_WE.R), 1.0 - *l.leash_angle, 0.02);
      // the hand slides along outside
      for (int i = 0; i < 2.0 / dt; ++i) {
        wanted.V_WE << 0.0, 0.0, 0.1, Eigen::Vector3d::Zero();
        wanted.X_WE.p.z() += 0.1 * dt;
        c.follow(wanted);
        farthest = std::max(farthest, c.X().p.norm());
      }
      EXPECT_LE(farthest, *l.leash * 1.001);
      EXPECT_GT(c.X().p.normalized().dot(wanted.X_WE.p.normalized()), 0.99);
      wanted.X_WE.p.z() = 0.0;
      // it comes back, and the reference is where the hand is as if nothing had been
      move(-speed, 1.0 / speed);
      move(0.0, 1.0);
      EXPECT_LT(distance(c.X(), wanted.X_WE), 1e-9);
      EXPECT_LE(farthest, *l.leash * 1.001);
    }
}

// whatever is wanted, and whatever braking at full speed would carry it to
TEST(PoseFollower, TheLeashHoldsAWildHand) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    RandomStream random(seed, "leash");
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    PoseReferenceLimits l = limits();
    l.leash = seed % 2 == 0 ? 0.03 : 0.15;
    l.leash_angle = 2.0 * *l.leash;
    Checked c(l, seed < 3 ? 1e-3 : 8e-3);
    PoseReference wanted;
    for (int i = 0; i < 20000 && !HasFailure(); ++i) {
      if (random.uniform() < 0.02) {
        wanted.X_WE.p = (i < 10000 ? 2.0 : *l.leash) * random.uniform() * random.direction();
        wanted.X_WE.R = exp_so3(random.uniform(0.0, 3.1) * random.direction());
        wanted.V_WE << 3.0 * random.uniform() * random.direction(),
            6.0 * random.uniform() * random.direction();
      }
      wanted.X_WE.p += c.dt * wanted.V_WE.head<3>();
      wanted.X_WE.R = exp_so3(c.dt * wanted.V_WE.tail<3>()) * wanted.X_WE.R;
      const bool followed = random.uniform() >= 0.02;
      if (followed)
        c.follow(wanted);
      else
        c.brake();
      if (!followed) continue;
      ASSERT_LE(c.X().p.norm(), (1.0 + 1e-12) * *l.leash);
      ASSERT_LE(angle_between(c.X().R, Eigen::Matrix3d::Identity()), (1.0 + 1e-9) * *l.leash_angle);
    }
  }
}

TEST(PoseFollower, TheLeashGoesWithAnArmThatLagsAndLetsAHoldBe) {
  PoseReferenceLimits l = limits();
  l.leash = 0.12;
  Checked c(l);
  PoseReference wanted;
  Pose arm;
  double farthest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    wanted.V_WE.head<3>() = Eigen::Vector3d(0.3, 0.0, 0.0);
    wanted.X_WE.p.x() += 0.3 * kDt;
    c.follow(wanted, {arm});
    farthest = std::max(farthest, (c.X().p - arm.p).norm());
    // 50 ms behind
    arm.p += (c.X().p - arm.p) * kDt / 0.05;
  }
  EXPECT_LE(farthest, *l.leash);
  EXPECT_NEAR(c.follower.reference().V_WE[0], 0.3, 1e-9);
  EXPECT_LT(distance(c.X(), wanted.X_WE), 1e-9);
  // taken away from it while it holds: it stays
  for (int i = 0; i < 500; ++i) c.brake();
  const Pose held = c.X();
  arm.p = held.p + Eigen::Vector3d(0.0, 0.5, 0.0);
  for (int i = 0; i < 500; ++i) c.brake();
  EXPECT_EQ(c.X().p, held.p);
  // and is with the arm as soon as somebody leads it again
  wanted.X_WE = held;
  wanted.V_WE.setZero();
  c.follow(wanted, {arm});
  EXPECT_LE((c.X().p - arm.p).norm(), *l.leash * (1.0 + 1e-12));
  for (int i = 0; i < 2000; ++i) c.follow(wanted, {arm});
  EXPECT_NEAR((c.X().p - arm.p).norm(), *l.leash, 1e-9);
}

// an arm that gives way at a limit or a singular pose, up to nearly the reference's acceleration
TEST(PoseFollower, TheLeashGoesAfterAnArmThatGoesAway) {
  for (const double dt : {1e-3, 8e-3})
    for (const double speed : {0.2, 0.5, 0.7}) {
      SCOPED_TRACE(testing::Message() << "dt " << dt << ", speed " << speed);
      PoseReferenceLimits l = limits();
      l.leash = 0.05;
      l.leash_angle = 0.3;
      Checked c(l, dt);
      PoseReference wanted;
      wanted.X_WE.p = {1.0, 0.0, 0.0};
      wanted.X_WE.R = exp_so3({0.0, 0.0, 1.0});
      ArmFrame arm;
      double farthest = 0.0, most = 0.0;
      for (double t = 0.0; t < 1.6; t += dt) {
        c.follow(wanted, arm);
        farthest = std::max(farthest, (c.X().p - arm.X_WE.p).norm());
        most = std::max(most, angle_between(c.X().R, arm.X_WE.R));
        // it stands, and goes away until it stands again
        const double rate = 4.0 * dt;
        const double away = t > 0.5 && t < 1.0 ? speed : 0.0;
        const double v = std::clamp(away + arm.V_WE[0], -rate, rate);
        arm.V_WE[0] -= v;
        arm.V_WE[5] = 2.0 * arm.V_WE[0];
        arm.X_WE.p += dt * arm.V_WE.head<3>();
        arm.X_WE.R = exp_so3(dt * arm.V_WE.tail<3>()) * arm.X_WE.R;
      }
      EXPECT_LT(arm.X_WE.p.x(), -0.4 * speed);
      EXPECT_LE(farthest, (1.0 + 1e-12) * *l.leash);
      EXPECT_LE(most, (1.0 + 1e-9) * *l.leash_angle);
      EXPECT_NEAR((c.X().p - arm.X_WE.p).norm(), *l.leash, 1e-6);
    }
}

// one with a slower rate than the loop's
TEST(PoseFollower, AnArmThatIsLookedAtSeldomIsWhereItWent) {
  PoseReferenceLimits l = limits();
  l.leash = 0.1;
  l.leash_angle = 0.2;
  Checked often(l), seldom(l);
  PoseReference wanted;
  wanted.V_WE << 0.5, 0.0, 0.0, 0.0, 0.0, 0.5;
  ArmFrame arm, seen;
  for (int i = 0; i < 3000; ++i) {
    wanted.X_WE.p.x() += 0.5 * kDt;
    wanted.X_WE.R = exp_so3({0.0, 0.0, 0.5 * kDt}) * wanted.X_WE.R;
    if (i % 8 == 0) seen = arm;
    often.follow(wanted, arm);
    seldom.follow(wanted, seen);
    ASSERT_LT(distance(often.X(), seldom.X()), 1e-9) << i;
    ASSERT_LT(angle_between(often.X().R, seldom.X().R), 1e-7) << i;
    // slower than the hand: the reference is at the end of the leash
    arm.V_WE << 0.2, 0.0, 0.0, 0.0, 0.0, 0.3;
    arm.X_WE.p += kDt * arm.V_WE.head<3>();
    arm.X_WE.R = exp_so3(kDt * arm.V_WE.tail<3>()) * arm.X_WE.R;
  }
  EXPECT_GT(distance(often.X(), arm.X_WE), 0.09);
}

// an arm that is pushed away, faster than any limit
TEST(PoseFollower, AnArmThatIsPushedDragsTheReferenceAlong) {
  PoseReferenceLimits l = limits();
  l.leash = 0.05;
  l.leash_angle = 0.2;
  PoseFollower follower(l);
  follower.start({});
  ArmFrame arm;
  for (int i = 0; i < 300; ++i) {
    arm.V_WE << -5.0, 0.0, 0.0, 0.0, 0.0, 20.0;
    arm.X_WE.p += kDt * arm.V_WE.head<3>();
    arm.X_WE.R = exp_so3(kDt * arm.V_WE.tail<3>()) * arm.X_WE.R;
    follower.follow({}, kAllAxes, arm, kDt);
    const Pose& X = follower.reference().X_WE;
    ASSERT_LE((X.p - arm.X_WE.p).norm(), 0.05 * (1.0 + 1e-12)) << i;
    ASSERT_LE(angle_between(X.R, arm.X_WE.R), 0.2 * (1.0 + 1e-9)) << i;
    ASSERT_LE(follower.stretched(arm.X_WE), 1.0 + 1e-9) << i;
  }
}

// axes that a task does not have are on no leash
TEST(PoseFollower, ALeashCountsInTheAxesThatATaskHas) {
  PoseReferenceLimits l = limits();
  l.leash = 0.1;
  l.leash_angle = 0.1;
  Vector6d counted;
  counted << 1.0, 1.0, 0.0, 0.0, 0.0, 0.0;
  PoseFollower follower(l, counted);
  follower.start({});
  ArmFrame arm;
  arm.X_WE = {exp_so3({0.0, 0.0, 2.0}), {0.0, 0.0, 1.0}};
  PoseReference wanted;
  wanted.X_WE.p = {0.5, 0.0, 0.4};
  for (int i = 0; i < 5000; ++i) follower.follow(wanted, kAllAxes, arm, kDt);
  EXPECT_NEAR(follower.reference().X_WE.p.x(), 0.1, 1e-9);
  EXPECT_NEAR(follower.reference().X_WE.p.z(), 0.4, 1e-9);
  EXPECT_TRUE(follower.reference().X_WE.R.isIdentity(1e-9));
  // what is beyond, and in the axes alone that are followed
  const Vector6d back = follower.beyond_leash(wanted.X_WE, kAllAxes, arm.X_WE);
  EXPECT_NEAR(back[0], -0.4, 1e-12);
  EXPECT_TRUE(back.tail<5>().isZero(0.0));
  const Axes y = {false, true, false, false, false, false};
  EXPECT_TRUE(follower.beyond_leash(wanted.X_WE, y, arm.X_WE).isZero(0.0));
}

TEST(PoseFollower, ATickDoesNotTouchTheHeap) {
  PoseReferenceLimits l = limits();
  l.leash = 0.1;
  l.leash_angle = 0.1;
  PoseFollower pose(l);
  pose.start({});
  PoseReference wanted;
  wanted.X_WE = {exp_so3({0.0, 1.0, 0.0}), {1.0, 0.0, 0.0}};
  const test::AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) pose.follow(wanted, kAllAxes, {}, kDt);
  pose.brake(kDt);
  EXPECT_EQ(allocations.count(), 0U);
}

// at 0.3 m/s along x for a second, then from one tick to the next at another velocity and with an
// acceleration; what was wanted last, and the follower
struct Impact {
  explicit Impact(const PoseReferenceLimits& l) : follower(l) {
    follower.start({});
    for (int i = 0; i < 1000; ++i) {
      wanted.V_WE[0] = std::min(0.3, 2.0 * kDt * i);
      go({});
    }
    wanted.V_WE << -0.1, 0.2, 0.0, 0.0, 0.0, 1.0;
    wanted.A_WE << 1.0, 0.5, 0.0, 0.0, -2.0, 0.0;
  }
  void go(const Axes& jumps) {
    wanted.X_WE.p += kDt * wanted.V_WE.head<3>();
    wanted.X_WE.R = exp_so3(kDt * wanted.V_WE.tail<3>()) * wanted.X_WE.R;
    follower.follow(wanted, kAllAxes, {follower.reference().X_WE, {}}, kDt, nullptr, jumps);
  }
  // beyond the feed-forward
  double extra() const { return (follower.reference().A_WE - wanted.A_WE).norm(); }

  PoseFollower follower;
  PoseReference wanted;
};

TEST(PoseFollower, AnAnnouncedJumpLeavesNoAccelerationBeyondTheFeedForward) {
  PoseReferenceLimits l = limits();
  l.jumps = true;
  Impact impact(l);
  ASSERT_EQ(impact.follower.reference().V_WE[0], impact.follower.reference().V_WE.norm());
  const Eigen::Vector3d p_before = impact.follower.reference().X_WE.p;
  impact.go(kAllAxes);
  const PoseReference& r = impact.follower.reference();
  EXPECT_EQ(r.V_WE, impact.wanted.V_WE);
  EXPECT_EQ(r.A_WE, impact.wanted.A_WE);
  EXPECT_LT((r.X_WE.p - p_before - kDt * r.V_WE.head<3>()).norm(), 1e-15);
  // and goes on exactly as its source does
  for (int i = 0; i < 100; ++i) {
    impact.wanted.V_WE += kDt * impact.wanted.A_WE;
    impact.go({});
    ASSERT_LT(impact.extra(), 1e-8) << i;
    ASSERT_LT((r.V_WE - impact.wanted.V_WE).norm(), 1e-11) << i;
    ASSERT_LT((r.X_WE.p - impact.wanted.X_WE.p).norm(), 1e-12) << i;
  }
}

// the same jump where the limits do not allow one, or nobody announces it
TEST(PoseFollower, WithoutLeaveOrAnnouncementAJumpIsGoneThroughWithinTheLimits) {
  for (const bool allowed : {false, true}) {
    PoseReferenceLimits l = limits();
    l.jumps = allowed;
    Impact impact(l);
    const PoseReference& r = impact.follower.reference();
    double most = 0.0;
    for (int i = 0; i < 50; ++i) {
      const PoseReference before = r;
      impact.go(allowed ? Axes{} : kAllAxes);
      expect_legal(before, r);
      most = std::max(most, impact.extra());
    }
    EXPECT_GT(most, 2.0);
    EXPECT_GT((r.V_WE - impact.wanted.V_WE).norm(), 0.1);
  }
}

TEST(PoseFollower, OnlyTheAxesThatJumpDoInWhateverFrame) {
  PoseReferenceLimits l = limits();
  l.jumps = true;
  const Eigen::Matrix3d R_WA = exp_so3({0.3, -0.5, 0.8});
  PoseFollower follower(l);
  follower.start({});
  PoseReference wanted;
  const Eigen::Vector3d v_A(0.2, -0.3, 0.4);
  wanted.V_WE.head<3>() = R_WA * v_A;
  wanted.X_WE.p = kDt * wanted.V_WE.head<3>();
  follower.follow(wanted, kAllAxes, {}, kDt, &R_WA, {false, false, true, false, false, false});
  const Eigen::Vector3d v = R_WA.transpose() * follower.reference().V_WE.head<3>(),
                        a = R_WA.transpose() * follower.reference().A_WE.head<3>();
  EXPECT_NEAR(v.z(), 0.4, 1e-15);
  EXPECT_NEAR(a.z(), 0.0, 1e-12);
  // the others no faster than the jerk lets them in a tick
  EXPECT_LE(v.head<2>().norm(), l.jerk * kDt * kDt * (1.0 + 1e-9));
  EXPECT_LE((a.head<2>() - v.head<2>() / kDt).norm(), 1e-9);
}

TEST(PoseFollower, AJumpIsNoFasterThanTheSpeedLimitAndWhatStopsWithinTheLeash) {
  for (const double leash : {0.1, 0.02, 0.002}) {
    PoseReferenceLimits l = limits();
    l.jumps = true;
    l.leash = leash;
    PoseFollower follower(l);
    follower.start({});
    PoseReference wanted;
    const Eigen::Vector3d direction = Eigen::Vector3d(2.0, -1.0, 2.0) / 3.0;
    wanted.V_WE.head<3>() = 6.0 * direction;
    double fastest = 0.0;
    for (int i = 0; i < 400; ++i) {
      wanted.X_WE.p += kDt * wanted.V_WE.head<3>();
      // also when it is announced again and again
      follower.follow(wanted, kAllAxes, {}, kDt, nullptr, i % 3 == 0 ? kAllAxes : Axes{});
      fastest = std::max(fastest, follower.reference().V_WE.norm());
      ASSERT_LE(follower.reference().X_WE.p.norm(), leash * (1.0 + 1e-3)) << leash << " " << i;
    }
    EXPECT_LE(fastest, l.speed * (1.0 + 1e-12));
    // v^2 / (2 a) to rest, and less where the jerk counts
    EXPECT_LE(fastest, std::sqrt(2.0 * l.acceleration * leash) * 1.02) << leash;
    EXPECT_GT(fastest, 0.25 * std::min(l.speed, std::sqrt(2.0 * l.acceleration * leash)));
    EXPECT_NEAR(follower.reference().X_WE.p.dot(direction), leash, 2e-3 * leash);
  }
}

TEST(PoseFollower, AJumpDoesNotTouchTheHeapOrAlloc) {
  PoseReferenceLimits l = limits();
  l.jumps = true;
  l.leash = 0.05;
  PoseFollower follower(l);
  follower.start({});
  PoseReference wanted;
  wanted.V_WE << 0.3, 0.2, 0.1, 0.1, 0.2, 0.3;
  const test::AllocationCount allocations;
  for (int i = 0; i < 10; ++i) {
    wanted.V_WE *= -1.0;
    follower.follow(wanted, kAllAxes, {}, kDt, nullptr, kAllAxes);
  }
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(PoseFollower, LimitsAreReadAndChecked) {
  const auto read = [](const std::string& text) {
    return parse_yaml(text, "references", pose_reference_limits_schema());
  };
  const PoseReferenceLimits l = read("{jerk: 200 m/s^3, leash: 5 cm, leash_angle: 30 deg}");
  EXPECT_EQ(l.jerk, 200.0);
  EXPECT_DOUBLE_EQ(l.leash.value(), 0.05);
  EXPECT_NEAR(l.leash_angle.value(), 0.5235987755982988, 1e-15);
  EXPECT_EQ(read("{}").angular_jerk, 1500.0);
  // one is there unless an app says otherwise
  EXPECT_DOUBLE_EQ(read("{}").leash.value(), 0.15);
  EXPECT_DOUBLE_EQ(read("{}").leash_angle.value(), 0.5235987755982988);
  const auto error = [&](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("{jerk: 0}").find("jerk"), std::string::npos);
  EXPECT_NE(error("{leash: -1 m}").find("leash"), std::string::npos);
  EXPECT_NE(error("{leash_angle: 4}").find("leash_angle"), std::string::npos);
  EXPECT_NE(error("{jerkk: 1}").find("did you mean 'jerk'"), std::string::npos);
}

}  // namespace pose_follower_test
}  // namespace handspan
