// Where a hand should be in an object that is observed: it goes along with it without lag, and
// holds when the object is lost.
#include "reference/object_reference.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "core/error.hpp"
#include "reference/relative_reference.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace object_reference_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
)";
std::string arms_of(const std::string& more) {
  return R"(
arms:
  left.arm: {feedback: commanded}
tasks:
  hand: {type: object_pose, frame: left.tcp, object: box, stiffness: 100)" +
         more + "}\n";
}

// an object that a test moves, and a source that asks for a pose in it
struct Rig : test::ReferenceRig {
  explicit Rig(const std::string& more = "") : ReferenceRig(kScene, arms_of(more)) {
    box = channels.pose("object.box.pose", Rate::hz(1000.0));
    arbiter.declare(channels, Rate::hz(1000.0));
    EXPECT_TRUE(arbiter.connect_references(channels).empty());
    channels.seal();
    give(hand, {{.source = add_source("goal", kRelativePoseKind), .reengages = reengages}});
  }
  const ObjectReference& reference() const {
    return dynamic_cast<const ObjectReference&>(arbiter.reference(hand));
  }
  const PoseReference& in_object() const { return motion(hand).pose; }
  const PoseReference& in_world() { return task<ObjectPoseTask>("hand").reference(); }
  Pose X_WO(double t) const { return {exp_so3(t * omega) * X_start.R, X_start.p + t * v}; }
  double time() const { return seconds(moment.now); }
  // ticks, before each of which the box is seen as it is then, every `every` of them
  void go(double time, int every = 1) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) {
      const double t = seconds(moment.now + kSecond / 1000);
      if (every > 0 && (moment.tick + 1) % every == 0) {
        const Pose X = X_WO(t);
        channels.write(box, X.p, X.quaternion(), moment.now + kSecond / 1000);
      }
      run(1e-3);
    }
  }
  std::string reason() const { return std::string(arbiter.reason(hand)); }

  ReferenceIndex hand = arbiter.find_reference("hand");
  bool reengages = false;
  ChannelTable channels;
  PoseChannel box;
  // near the hand, so that it stays within the leash of an arm that does not move
  Pose X_start{exp_so3(Eigen::Vector3d(0.3, -0.2, 0.5)), {0.45, 0.1, 0.35}};
  Eigen::Vector3d v{0.03, -0.02, 0.01}, omega{0.0, 0.0, 0.1};
};

TEST(MovingObject, WhatMovesInItMovesInTheWorldAsDifferencesSay) {
  // a steady screw, in which something else goes
  const Eigen::Vector3d v(0.2, -0.1, 0.3), omega(0.4, 0.7, -0.5);
  const auto O = [&](double t) {
    return MovingObject{{exp_so3(t * omega) * exp_so3(Eigen::Vector3d(0.1, 0.2, 0.3)),
                         Eigen::Vector3d(1.0, 2.0, 3.0) + t * v},
                        (Vector6d() << v, omega).finished()};
  };
  const Eigen::Vector3d u(0.3, 0.1, -0.2), a(0.5, -0.4, 0.2), turns(0.2, -0.3, 0.6);
  const auto E = [&](double t) {
    PoseReference r;
    r.X_WE = {exp_so3(t * turns) * exp_so3(Eigen::Vector3d(-0.4, 0.2, 0.1)),
              Eigen::Vector3d(0.1, -0.2, 0.15) + t * u + 0.5 * t * t * a};
    r.V_WE << u + t * a, turns;
    r.A_WE << a, Eigen::Vector3d::Zero();
    return r;
  };
  const auto W = [&](double t) { return in_world(O(t), E(t)); };
  const double h = 1e-4;
  const PoseReference now = W(0.0), before = W(-h), after = W(h);
  EXPECT_LT(((after.X_WE.p - before.X_WE.p) / (2.0 * h) - now.V_WE.head<3>()).norm(), 1e-7);
  EXPECT_LT(
      (log_so3(after.X_WE.R * before.X_WE.R.transpose()) / (2.0 * h) - now.V_WE.tail<3>()).norm(),
      1e-7);
  EXPECT_LT(((after.V_WE - before.V_WE) / (2.0 * h) - now.A_WE).norm(), 1e-7);
  // and back
  const PoseReference back = in_object(O(0.3), W(0.3)), is = E(0.3);
  EXPECT_LT((back.X_WE.p - is.X_WE.p).norm() + (back.X_WE.R - is.X_WE.R).norm(), 1e-14);
  EXPECT_LT((back.V_WE - is.V_WE).norm() + (back.A_WE - is.A_WE).norm(), 1e-14);
}

TEST(ObjectReference, GoesAlongWithTheObjectWithoutLag) {
  for (const int every : {1, 30}) {
    SCOPED_TRACE(every);
    Rig rig;
    rig.go(0.5, every);
    const Pose stays = rig.in_object().X_WE;
    rig.go(0.5, every);
    // where it was in the object, there it is
    EXPECT_LT((rig.in_object().X_WE.p - stays.p).norm(), 1e-6);
    EXPECT_LT(angle_between(rig.in_object().X_WE.R, stays.R), 1e-6);
    const Pose X_WE = rig.X_WO(rig.time()) * stays;
    EXPECT_LT((rig.in_world().X_WE.p - X_WE.p).norm(), 1e-6);
    // with its velocity as a point of the object, as feed-forward
    const Eigen::Vector3d r = X_WE.p - rig.X_WO(rig.time()).p;
    EXPECT_LT((rig.in_world().V_WE.head<3>() - rig.v - rig.omega.cross(r)).norm(), 1e-4);
    EXPECT_LT((rig.in_world().V_WE.tail<3>() - rig.omega).norm(), 1e-4);
    EXPECT_GT(rig.in_world().V_WE.head<3>().norm(), 0.02);
  }
}

TEST(ObjectReference, AGoalInTheObjectIsReachedWhileItMoves) {
  Rig rig;
  rig.go(0.3);
  rig.wishes.back().p = {0.0, 0.03, -0.02};
  const Pose start = rig.in_object().X_WE;
  rig.go(0.7);
  EXPECT_LT((rig.in_object().X_WE.p - start.p - Eigen::Vector3d(0.0, 0.03, -0.02)).norm(), 1e-5);
  EXPECT_TRUE(rig.arbiter.reference(rig.hand).arrived());
}

TEST(ObjectReference, OneThatWasNeverSeenIsWaitedFor) {
  Rig rig;
  rig.run(0.1);
  EXPECT_TRUE(rig.arbiter.holding(rig.hand));
  EXPECT_EQ(rig.reason(), "the object 'box' was not seen yet");
  const Pose before = rig.in_world().X_WE;
  rig.go(0.01);
  EXPECT_FALSE(rig.arbiter.holding(rig.hand));
  // who moves it began when it was seen, from where the hand was
  EXPECT_LT((rig.in_world().X_WE.p - before.p).norm(), 1e-4);
}

TEST(ObjectReference, OneThatIsSeenInTheFirstTickIsGoneAlongWithFromThere) {
  Rig rig;
  const Pose before = rig.in_world().X_WE;
  rig.go(0.01);
  EXPECT_FALSE(rig.arbiter.holding(rig.hand));
  EXPECT_LT((rig.in_world().X_WE.p - before.p).norm(), 1e-4);
}

TEST(ObjectReference, OneThatIsNotSeenAnyMoreIsLostAndTheHandHolds) {
  Rig rig(", lost_after: 0.1 s");
  rig.go(0.5);
  ASSERT_FALSE(rig.arbiter.holding(rig.hand));
  // it goes on as it went, for so long
  rig.run(0.1);
  EXPECT_FALSE(rig.arbiter.holding(rig.hand));
  rig.run(0.002);
  EXPECT_TRUE(rig.arbiter.holding(rig.hand));
  EXPECT_EQ(rig.reason(), "the object 'box' was not seen for 0.1 s");
  rig.run(0.5);
  EXPECT_TRUE(rig.in_world().V_WE.isZero(0.0));
  const Pose rests = rig.in_world().X_WE;
  // seen again: only who is told to goes on
  rig.go(0.2);
  EXPECT_TRUE(rig.arbiter.holding(rig.hand));
  EXPECT_EQ(rig.in_world().X_WE.p, rests.p);
  rig.arbiter.stop("test");
  rig.arbiter.resume(rig.moment);
  // without a jump: it takes up the object's motion within its limits
  const PoseReferenceLimits limits;
  Vector6d V = Vector6d::Zero();
  for (int i = 0; i < 300; ++i) {
    rig.go(1e-3);
    ASSERT_LE((rig.in_world().V_WE - V).head<3>().norm(), 1e-3 * limits.acceleration * 1.000001);
    V = rig.in_world().V_WE;
  }
  EXPECT_FALSE(rig.arbiter.holding(rig.hand));
  EXPECT_LT((V.tail<3>() - rig.omega).norm(), 1e-3);
}

TEST(ObjectReference, OneThatIsElsewhereAtOnceIsLost) {
  Rig rig;
  rig.go(0.5);
  rig.X_start.p.x() += 0.3;
  rig.go(0.001);
  EXPECT_TRUE(rig.arbiter.holding(rig.hand));
  EXPECT_EQ(rig.reason(), "the object 'box' is elsewhere from one look to the next");
}

TEST(ObjectReference, ALookThatIsNoPoseIsNone) {
  Rig rig(", lost_after: 0.05 s");
  rig.go(0.2);
  const auto bad = [&](const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
    rig.channels.write(rig.box, p, q, rig.moment.now);
    rig.run(1e-3);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 45; ++i) bad({nan, 0.0, 0.0}, Eigen::Quaterniond::Identity());
  EXPECT_FALSE(rig.arbiter.holding(rig.hand));
  for (int i = 0; i < 10; ++i) bad({0.4, 0.0, 0.3}, Eigen::Quaterniond(0.0, 0.0, 0.0, 0.0));
  EXPECT_EQ(rig.reason(), "the object 'box' was not seen for 0.05 s");
}

// stamps that go back are no motion
TEST(ObjectReference, StampsThatGoBackAreLeftOut) {
  Rig rig;
  rig.go(0.5);
  const Vector6d V = rig.reference().object().V_WO;
  const Pose X = rig.X_WO(0.4);
  rig.channels.write(rig.box, X.p, X.quaternion(), rig.moment.now - kSecond / 10);
  rig.run(1e-3);
  EXPECT_EQ(rig.reference().object().V_WO, V);
  EXPECT_FALSE(rig.arbiter.holding(rig.hand));
}

TEST(ObjectReference, SnapshotsGoOnToTheBit) {
  Rig one, other;
  one.go(0.2);
  std::vector<std::byte> bytes;
  StateArchive saved(bytes);
  one.arbiter.state(saved);
  StateArchive loaded(std::span<const std::byte>{bytes});
  other.arbiter.state(loaded);
  other.moment = one.moment;
  // the channel's count is the run's, too
  for (std::uint64_t n = one.channels.writes(one.box.id); n > 0; --n)
    other.channels.write(other.box, {}, Eigen::Quaterniond::Identity(), 0);
  one.go(0.1);
  other.go(0.1);
  EXPECT_EQ(one.in_world().X_WE.p, other.in_world().X_WE.p);
  EXPECT_EQ(one.in_object().X_WE.p, other.in_object().X_WE.p);
}

TEST(ObjectReference, TicksAllocNothing) {
  Rig rig;
  rig.go(0.05);
  const test::AllocationCount allocations;
  rig.go(0.02);
  rig.arbiter.publish(rig.channels, rig.moment.now);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(ObjectReference, NamesThatAreNotThereAreSaid) {
  Rig rig;
  ChannelTable other;
  other.pose("object.bix.pose", Rate::hz(1000.0));
  auto faults = rig.arbiter.connect_references(other);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].first, "hand");
  EXPECT_EQ(faults[0].second,
            "there is no object 'box' whose pose is observed, and no channel of that name; did you "
            "mean 'bix'?");
  ChannelTable none;
  faults = rig.arbiter.connect_references(none);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].second,
            "there is no object 'box' whose pose is observed, and no channel of that name; give a "
            "channel of poses, as of a camera");
  ChannelTable wrong;
  wrong.number("object.box.pose", "m", Rate::hz(1000.0));
  faults = rig.arbiter.connect_references(wrong);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].second,
            "the channel 'object.box.pose' is a number; `object` takes one that is a pose");
}

// ---- the filter by itself

TEST(PoseFilter, FollowsAConstantVelocityWithoutLagAndAnAccelerationByTheSquareOfItsTime) {
  for (const double T : {1e-3, 0.033}) {
    SCOPED_TRACE(T);
    const double tau = 0.05;
    PoseFilter steady(tau), speeding(tau);
    const Eigen::Vector3d v(0.3, 0.0, -0.1), omega(0.0, 0.5, 0.2), a(0.4, 0.0, 0.0);
    Nanoseconds stamp = 0;
    for (int i = 0; i < 2000; ++i) {
      stamp = static_cast<Nanoseconds>(i * T * 1e9);
      const double t = seconds(stamp);
      const Pose goes{exp_so3(t * omega), t * v},
          faster{Eigen::Matrix3d::Identity(), 0.5 * t * t * a};
      if (i == 0) {
        steady.start(goes, stamp);
        speeding.start(faster, stamp);
      }
      EXPECT_TRUE(steady.see(goes, stamp));
      // no faster than a leap
      if (t < 10.0) {
        EXPECT_TRUE(speeding.see(faster, stamp));
        if (t > 30.0 * tau) {
          // a T^2 theta^2 / (1 - theta)^2 after the look, which is a tau^2 for short T
          EXPECT_NEAR((faster.p - speeding.at(stamp).p)[0],
                      0.4 * std::pow(T * std::exp(-T / tau) / (1.0 - std::exp(-T / tau)), 2), 1e-6);
        }
      }
    }
    const double t = seconds(stamp);
    EXPECT_LT((steady.at(stamp).p - t * v).norm(), 1e-9);
    EXPECT_LT((steady.velocity().head<3>() - v).norm(), 1e-9);
    EXPECT_LT((steady.velocity().tail<3>() - omega).norm(), 1e-9);
    EXPECT_LT((steady.at(stamp + kSecond / 10).p - (t + 0.1) * v).norm(), 1e-9);
  }
}

}  // namespace object_reference_test
}  // namespace handspan
