// Two hands that hold one thing: when one is lost, the other holds in the same tick.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "jog_support.hpp"
#include "support/alloc.hpp"
#include "teleop/arbiter.hpp"

namespace handspan {
namespace hold_together_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, base: {position: [0.0, 0.8, 0.0]}, pose: ready}
  right: {robot: fr3, tool: plate, pose: ready}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
  right.arm: {feedback: commanded}
tasks:
  left_hand: {type: pose, frame: left.tcp, stiffness: 100}
  right_hand: {type: pose, frame: right.tcp, stiffness: 100}
)";

// A hand that moves at v from where it began, as its status says.
struct Script {
  SourceStatus status = SourceStatus::kActive;
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  int begun = 0;
};
class Scripted : public Source {
 public:
  explicit Scripted(Script& script) : script_(script) {}
  void start(const Moment&, const Motion& reference) override {
    X_ = reference.pose.X_WE;
    ++script_.begun;
  }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    X_.p += moment.dt * script_.v;
    wanted.pose.X_WE = X_;
    wanted.pose.V_WE.head<3>() = script_.v;
    return {script_.status,
            script_.status == SourceStatus::kSilent ? "the clutch is open" : "gone"};
  }

 private:
  Script& script_;
  Pose X_;
};

class Together : public ::testing::Test {
 protected:
  Together()
      : scene(test::scene_of(kScene)),
        plant(scene),
        arms(parse_yaml(kArms, "arms.yaml", whole_arm_schema()), scene, plant.layout(),
             kSecond / 1000) {
    arms.start(plant.read());
    for (const char* name : {"left_hand", "right_hand"})
      arbiter.add_pose(dynamic_cast<FrameTask&>(arms.task(name)), {});
    for (std::size_t h = 0; h < 2; ++h)
      arbiter.add_source(h == 0 ? "left" : "right", std::make_unique<Scripted>(hands[h]));
    arbiter.start();
    arbiter.hold_together({0, 1});
    for (int h : {0, 1}) grant(h);
  }
  void grant(int h) {
    Grant grant;
    grant.source = h;
    grant.reengages = true;
    arbiter.grant(h, {&grant, 1}, moment);
  }
  void run(double time) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) {
      ++moment.tick;
      moment.now += kSecond / 1000;
      events.clear(moment.tick);
      arbiter.update(moment);
    }
  }
  Eigen::Vector3d p(int h) const { return arbiter.reference(h).pose.X_WE.p; }
  double apart() const { return (p(0) - p(1)).norm(); }

  Scene scene;
  MujocoPlant plant;
  WholeArm arms;
  EventList events;
  Arbiter arbiter{events};
  std::array<Script, 2> hands;
  Moment moment;
};

TEST_F(Together, TheOtherHoldsInTheSameTickAndSaysBecauseOfWhom) {
  for (auto& hand : hands) hand.v = {0.0, 0.0, 0.2};
  run(0.5);
  ASSERT_FALSE(arbiter.holding(0));
  ASSERT_FALSE(arbiter.holding(1));
  const double before = apart();
  hands[0].status = SourceStatus::kSilent;
  run(0.001);
  EXPECT_TRUE(arbiter.holding(0));
  EXPECT_TRUE(arbiter.holding(1));
  EXPECT_EQ(arbiter.reason(0), "left: the clutch is open");
  EXPECT_EQ(arbiter.reason(1), "holds together with left_hand (left: the clutch is open)");
  ASSERT_EQ(events.events().size(), 2U);
  // today's other hand is 0.2 m away in a second
  run(2.0);
  EXPECT_LT(std::abs(apart() - before), 1e-6);
  EXPECT_TRUE(arbiter.at_rest(0));
  EXPECT_TRUE(arbiter.at_rest(1));
}

TEST_F(Together, GoingOnNeedsBothAndIsNoJump) {
  for (auto& hand : hands) hand.v = {0.0, 0.0, 0.2};
  run(0.5);
  hands[1].status = SourceStatus::kLost;
  run(0.8);
  const Eigen::Vector3d stays = p(0);
  run(1.0);
  EXPECT_EQ(p(0), stays);
  hands[1].status = SourceStatus::kActive;
  run(0.001);
  EXPECT_FALSE(arbiter.holding(0));
  EXPECT_FALSE(arbiter.holding(1));
  // where the one that was held went meanwhile does not count
  run(0.1);
  EXPECT_LT((p(0) - stays).norm(), 0.021);
  EXPECT_GT((p(0) - stays).norm(), 0.005);
}

TEST_F(Together, OneMayBeFollowedAloneBeforeAndAfter) {
  hands[1].status = SourceStatus::kSilent;
  hands[0].v = {0.0, 0.0, 0.1};
  run(0.5);
  EXPECT_FALSE(arbiter.holding(0));
  hands[1].status = SourceStatus::kActive;
  run(0.1);
  // both open their clutches, and hold nothing any more
  for (auto& hand : hands) hand.status = SourceStatus::kSilent;
  run(0.9);
  hands[0].status = SourceStatus::kActive;
  run(0.01);
  EXPECT_TRUE(arbiter.holding(0)) << "sooner than after a second";
  hands[0].status = SourceStatus::kSilent;
  run(1.1);
  hands[0].status = SourceStatus::kActive;
  run(0.01);
  EXPECT_FALSE(arbiter.holding(0));
}

TEST_F(Together, WithoutAuthorityOverOneTheOtherIsFreeAndANewOneBeginsAnew) {
  run(0.1);
  arbiter.grant(1, {}, moment);
  run(0.1);
  EXPECT_FALSE(arbiter.holding(0));
  grant(1);
  hands[1].status = SourceStatus::kSilent;
  run(0.1);
  EXPECT_FALSE(arbiter.holding(0));
}

TEST_F(Together, AStopStopsBothAndASnapshotKeepsWhatTheyHold) {
  for (auto& hand : hands) hand.v = {0.0, 0.1, 0.0};
  run(0.3);
  arbiter.stop("red button");
  run(0.5);
  EXPECT_EQ(arbiter.reason(1), "red button");
  arbiter.resume(moment);
  run(0.1);
  std::vector<std::byte> bytes;
  {
    StateArchive archive(bytes);
    arbiter.state(archive);
  }
  for (auto& hand : hands) hand.status = SourceStatus::kSilent;
  run(2.0);
  StateArchive archive{std::span<const std::byte>(bytes)};
  arbiter.state(archive);
  hands[0].status = SourceStatus::kActive;
  run(0.01);
  EXPECT_TRUE(arbiter.holding(0));
}

TEST_F(Together, AllocatesNothing) {
  run(0.1);
  hands[0].status = SourceStatus::kSilent;
  const test::AllocationCount count;
  run(0.1);
  hands[0].status = SourceStatus::kActive;
  run(0.1);
  EXPECT_EQ(count.count(), 0U);
}

TEST_F(Together, NoneHoldsTwice) {
  try {
    arbiter.hold_together({1, 0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'right_hand' is to hold together with others twice; name it once");
  }
}

}  // namespace hold_together_test
}  // namespace handspan
