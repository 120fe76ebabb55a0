// Hold, don't fall, don't drop: whatever ends a motion, the arm brakes to rest
// and the reference ends at it and stays; going on is not a jump.
#include <gtest/gtest.h>

#include "session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace hold_everything_test {

using test::AppFolder;
using test::kPairArms;
using test::pose_sample;
using test::row;

constexpr double kSpeed = 0.5, kAcceleration = 4.0, kJerk = 500.0;

const std::string kApp = kPairArms + R"(references:
  hand: {speed: 0.5 m/s, acceleration: 4 m/s^2, jerk: 500 m/s^3}
sources:
  person: {type: pose_stream}
  other: {type: pose_stream, relative: true}
machines:
  left:
    start: follow
    states:
      follow: {do: [{type: follow, task: hand, sources: [{source: person}]}], next: [{to: hand_over, when: [{type: event, name: other}]}]}
      hand_over: {do: [{type: follow, task: hand, sources: [{source: other}], reengages: true}]}
)";

class Set {
 public:
  explicit Set(const std::string& text = kApp)
      : app(folder.app(text)), session(app), hand(session.arbiter().find_reference("hand")) {
    X = session.arbiter().reference(hand).motion().pose.X_WE;
    before = session.arbiter().reference(hand).motion().pose;
  }
  // the person's hand moves on at v and is sent at 100 Hz
  void follow(double time, const Eigen::Vector3d& v, const std::string& source = "person") {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) {
      X.p += v * 1e-3;
      if (session.ticks() % 10 == 0) {
        EXPECT_TRUE(session.mailbox(source).post(pose_sample(source, row(0.0, X))));
      }
      tick();
    }
  }
  void silence(double time) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) tick();
  }
  void tick() {
    const bool held = session.arbiter().holding(hand);
    session.tick();
    const PoseReference now = session.arbiter().reference(hand).motion().pose;
    // in a hold it goes with the arm, which may brake harder than it
    if (held || session.arbiter().holding(hand)) {
      before = now;
      return;
    }
    // no jump, ever
    EXPECT_LE((now.V_WE - before.V_WE).head<3>().norm(), kAcceleration * 1e-3 * (1.0 + 1e-9));
    EXPECT_LE((now.A_WE - before.A_WE).head<3>().norm(), kJerk * 1e-3 * (1.0 + 1e-6));
    EXPECT_LE(now.V_WE.head<3>().norm(), kSpeed * (1.0 + 1e-9));
    // but for an arm that goes away and drags it along at its leash's end
    const double distance =
        (now.X_WE.p - test::frame_reference(session, "hand").arm().X_WE.p).norm();
    EXPECT_LE((now.X_WE.p - before.X_WE.p - 1e-3 * now.V_WE.head<3>()).norm(),
              distance > leash * (1.0 - 1e-9) ? 1e-4 : 1e-12);
    before = now;
  }
  void ask(InputKind kind, const std::string& to = "", const std::string& text = "") {
    EXPECT_TRUE(session.mailbox("operator").post(test::operator_input(kind, to, text)));
  }
  const PoseReference& reference() { return session.arbiter().reference(hand).motion().pose; }
  bool at_rest() { return reference().V_WE.isZero(0.0); }
  std::string reason() { return std::string(session.arbiter().reason(hand)); }

  AppFolder folder;
  App app;
  Session session;
  ReferenceIndex hand;
  double leash = 0.15;  // [m]
  Pose X;
  PoseReference before;
};

const Eigen::Vector3d kMove(0.0, 0.1, 0.1);

// A single pose says nothing of velocity: the reference stays where it could still stop at it, and
// 10 ms lie between two of them.
const double kLag = kMove.squaredNorm() / (2.0 * kAcceleration) +
                    kMove.norm() * kAcceleration / (2.0 * kJerk) + 0.01 * kMove.norm();

TEST(Hold, FollowsSinglePosesAsNearAsItCanStop) {
  Set set;
  set.follow(1.0, kMove);
  EXPECT_LT((set.reference().X_WE.p - set.X.p).norm(), kLag);
  EXPECT_FALSE(set.session.arbiter().holding(set.hand));
}

TEST(Hold, SilenceIsAHoldAfterTheTimeout) {
  Set set;
  set.follow(0.5, kMove);
  set.silence(0.085);
  EXPECT_FALSE(set.session.arbiter().holding(set.hand));
  set.silence(0.2);
  EXPECT_TRUE(set.at_rest());
  EXPECT_EQ(set.reason(), "person: nothing new has come in time");
  const Pose stays = set.reference().X_WE;
  // latched: new samples do not move it until someone resumes
  set.follow(0.3, kMove);
  EXPECT_EQ(set.reference().X_WE.p, stays.p);
  set.ask(InputKind::kResume);
  set.follow(0.5, kMove);
  EXPECT_LT((set.reference().X_WE.p - set.X.p).norm(), kLag);
}

TEST(Hold, StopHoldsAndResumeGoesOn) {
  Set set;
  set.follow(0.5, kMove);
  set.ask(InputKind::kStop, "", "red button");
  set.follow(0.3, kMove);
  EXPECT_TRUE(set.at_rest());
  EXPECT_EQ(set.reason(), "red button");
  set.ask(InputKind::kResume);
  set.follow(1.0, kMove);
  EXPECT_LT((set.reference().X_WE.p - set.X.p).norm(), kLag);
}

TEST(Hold, NumbersThatAreNoneAndBrokenPosesHold) {
  struct Case {
    std::vector<double> values;
    const char* reason;
  };
  std::vector<double> nan = row(0.0, Pose{}), zero = row(0.0, Pose{}), infinite = row(0.0, Pose{});
  nan[2] = std::nan("");
  infinite[1] = HUGE_VAL;
  zero[4] = zero[5] = zero[6] = zero[7] = 0.0;
  std::vector<double> falling = row(0.2, Pose{});
  for (const double x : row(0.1, Pose{})) falling.push_back(x);
  for (const Case& c : {Case{nan, "person: a pose that is not a number"},
                        Case{infinite, "person: a pose that is not a number"},
                        Case{zero, "person: a pose whose quaternion is zero"},
                        Case{falling, "person: poses whose times do not rise"},
                        Case{{1.0, 2.0}, "person: a sample that is not rows of 8 numbers"},
                        Case{row(0.0, Pose::translation({1e4, 0.0, 0.0})),
                             "person: what it asked for is not a finite motion"}}) {
    Set set;
    set.follow(0.3, kMove);
    EXPECT_TRUE(set.session.mailbox("person").post(pose_sample("person", c.values)));
    set.silence(0.5);
    EXPECT_TRUE(set.at_rest()) << c.reason;
    EXPECT_EQ(set.reason(), c.reason);
  }
}

TEST(Hold, ATeleportIsTheFastestLegalMotion) {
  Set set;
  set.follow(0.2, kMove);
  const Eigen::Vector3d from = set.reference().X_WE.p;
  set.X.p.x() -= 0.3;
  set.follow(1.5, Eigen::Vector3d::Zero());
  EXPECT_LT((set.reference().X_WE.p - set.X.p).norm(), 1e-6);
  EXPECT_GT((set.reference().X_WE.p - from).norm(), 0.29);
}

TEST(Hold, HandOverRebasesARelativeSource) {
  Set set;
  set.follow(0.5, kMove);
  set.ask(InputKind::kEvent, "other");
  const Pose X = set.X;
  set.X.p += Eigen::Vector3d(5.0, 0.0, 0.0);  // another room
  set.follow(1.0, -kMove, "other");
  // it started near X and has moved by one second of -kMove since
  EXPECT_LT((set.reference().X_WE.p - (X.p - kMove)).norm(), 0.03);
  // this one engages again by itself
  set.silence(0.5);
  EXPECT_TRUE(set.at_rest());
  set.follow(0.5, kMove, "other");
  EXPECT_FALSE(set.session.arbiter().holding(set.hand));
}

TEST(Hold, ChunksAreFollowedToTheirEnd) {
  Set set;
  std::vector<double> rows;
  const Pose X = set.X;
  for (int i = 0; i <= 10; ++i)
    for (const double x : row(0.1 * i, {X.R, X.p + Eigen::Vector3d(0.0, 0.02 * i, 0.0)}))
      rows.push_back(x);
  EXPECT_TRUE(set.session.mailbox("person").post(pose_sample("person", rows)));
  set.silence(0.5);
  EXPECT_NEAR(set.reference().X_WE.p.y(), X.p.y() + 0.1, 1e-3);
  EXPECT_NEAR(set.reference().V_WE[1], 0.2, 1e-6);
  set.silence(0.55);
  // it stops from 0.2 m/s when the chunk does
  EXPECT_NEAR(set.reference().X_WE.p.y(), X.p.y() + 0.2,
              0.2 * 0.2 / (2.0 * kAcceleration) + 0.2 * kAcceleration / (2.0 * kJerk));
  EXPECT_FALSE(set.session.arbiter().holding(set.hand));
  set.silence(0.2);
  EXPECT_TRUE(set.session.arbiter().holding(set.hand));
}

// the arm cannot reach where the hand is: the reference waits near it, and is not wound up
TEST(Hold, ALeashKeepsTheReferenceNearTheArm) {
  std::string text = kApp;
  text.replace(text.find("jerk: 500 m/s^3"), 15, "jerk: 500 m/s^3, leash: 8 cm");
  // where its direction is kept, a bound arm has a shorter one
  text.replace(text.find("type: pose,"), 11, "type: pose, keep_direction: false,");
  Set set(text);
  set.leash = 0.08;
  const Eigen::Vector3d start = set.X.p;
  double farthest = 0.0;
  const auto go = [&](double time, const Eigen::Vector3d& v) {
    for (int i = 0; i < static_cast<int>(time * 100.0 + 0.5); ++i) {
      set.follow(0.01, v);
      // the arm as it was when the reference was moved
      farthest =
          std::max(farthest, test::reference_of(set.session, "hand").leash_figures().distance);
    }
  };
  go(5.0, {0.0, -0.3, 0.0});
  EXPECT_GT((set.reference().X_WE.p - set.X.p).norm(), 0.3);
  EXPECT_LE(farthest, 0.08 * (1.0 + 1e-12));
  EXPECT_GT(farthest, 0.07);
  go(5.0, {0.0, 0.3, 0.0});
  go(1.0, Eigen::Vector3d::Zero());
  EXPECT_LT((set.reference().X_WE.p - start).norm(), 1e-9);
  EXPECT_LE(farthest, 0.08 * (1.0 + 1e-12));
}

TEST(Hold, ATickWithModesAndSourcesDoesNotTouchTheHeap) {
  Set set;
  set.follow(0.3, kMove);
  set.ask(InputKind::kStop, "", "a reason that is longer than what a small string holds");
  set.ask(InputKind::kResume);
  set.ask(InputKind::kEvent, "other");
  set.ask(InputKind::kEpisode, "start", "put the box on the belt");
  Input parameter = test::operator_input(InputKind::kParameter, "task.hand.weight");
  parameter.set(std::vector<double>{2.0});
  EXPECT_TRUE(set.session.mailbox("operator").post(parameter));
  const test::AllocationCount allocations;
  for (int i = 0; i < 50; ++i) set.session.tick();
  set.session.hashes();
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace hold_everything_test
}  // namespace handspan
