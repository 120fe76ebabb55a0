// Jumps of velocity that a source announces: who may, and what stays as it is.
#include <gtest/gtest.h>

#include "reference/frame_reference.hpp"
#include "reference/parted_source.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace jump_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
tasks:
  hand: {type: pose, frame: left.tcp, stiffness: 100}
)";

PoseReferenceLimits with_jumps(bool jumps = true) {
  PoseReferenceLimits limits;
  limits.jumps = jumps;
  return limits;
}

// one reference that takes jumps, or not, and a source that announces one when its wish says so
class JumpTest : public ::testing::Test, protected test::ReferenceRig {
 protected:
  JumpTest() : ReferenceRig(kScene, kArms) { make(true); }
  void make(bool takes) {
    jumping.emplace(events);
    hand =
        jumping->add(std::make_unique<FrameReference>(task<FrameTask>("hand"), with_jumps(takes)));
    impact = source("impact");
    person = source("person");
    wish().jumps = true;
    jumping->start();
  }
  SourceIndex source(const char* name) {
    return jumping->add_source(
        name, std::make_unique<test::WishSource>(wishes.emplace_back(), kPoseKind));
  }
  test::Wish& wish() { return wishes[wishes.size() - 2]; }
  test::Wish& other() { return wishes.back(); }
  void give(std::initializer_list<Authority> authorities) {
    jumping->give_authority(hand, {authorities.begin(), authorities.size()}, moment);
  }
  void tick(int n = 1) {
    for (int i = 0; i < n; ++i) {
      ++moment.tick;
      events.clear(moment.tick);
      jumping->update(moment);
    }
  }
  const PoseReference& now() const { return jumping->reference(hand).motion().pose; }
  // goes along x, then jumps
  void go_and_jump(double reached = 0.2) {
    tick();
    wish().v = {0.2, 0.0, 0.0};
    tick(300);
    ASSERT_NEAR(now().V_WE[0], reached, 1e-9);
    wish().v = {-0.05, 0.1, 0.0};
    wish().a = {0.0, 0.0, 1.5};
    wish().jump = true;
    tick();
    wish().jump = false;
  }

  std::optional<Arbiter> jumping;
  ReferenceIndex hand;
  SourceIndex impact, person;
};

TEST_F(JumpTest, IsTakenInOneTickAndTold) {
  give({{.source = impact}});
  go_and_jump();
  EXPECT_EQ(now().V_WE.head<3>(), wish().v);
  EXPECT_EQ(now().A_WE.head<3>(), wish().a);
  bool told = false;
  for (const auto& event : events.events())
    told = told || (event.kind == "jump" && event.name == "hand");
  EXPECT_TRUE(told);
  // the task follows just that
  EXPECT_EQ(task<FrameTask>("hand").reference().A_WE, now().A_WE);
}

TEST_F(JumpTest, AHoldAfterItBrakesWithinTheLimits) {
  give({{.source = impact}});
  go_and_jump();
  wish().status = SourceStatus::kSilent;
  const PoseReferenceLimits l = with_jumps();
  for (int i = 0; i < 300; ++i) {
    const PoseReference before = now();
    tick();
    const Vector6d A = (now().V_WE - before.V_WE) / moment.dt;
    ASSERT_LE(A.head<3>().norm(), l.acceleration * (1.0 + 1e-9));
    ASSERT_LE((A - before.A_WE).head<3>().norm(), l.jerk * moment.dt * (1.0 + 1e-9));
  }
  EXPECT_TRUE(now().V_WE.isZero(0.0));
}

// who begins does so from the reference, and one who was lost, too
TEST_F(JumpTest, AHandOverIsNone) {
  wish().v = {0.4, 0.0, 0.0};
  wish().jump = true;
  give({{.source = impact, .reengages = true}});
  const double first_tick = with_jumps().jerk * 1e-6 * (1.0 + 1e-9);
  tick();
  EXPECT_LE(now().V_WE.norm(), first_tick);
  EXPECT_GT(now().V_WE.norm(), 0.0);
  wish().status = SourceStatus::kLost;
  tick(500);
  ASSERT_TRUE(now().V_WE.isZero(0.0));
  wish().status = SourceStatus::kActive;
  tick();
  EXPECT_LE(now().V_WE.norm(), first_tick);
  // and in the tick after it may
  tick();
  EXPECT_NEAR(now().V_WE[0], 0.4, 1e-15);
}

TEST_F(JumpTest, APersonOnTheSameAxisKeepsTheLimits) {
  give({{.source = impact}, {.source = person, .axes = {true, false, false, false, false, false}}});
  go_and_jump(0.1);  // of two at rest and at 0.2 m/s
  // along y the impact has it alone, along x they share it
  EXPECT_NEAR(now().V_WE[1], 0.1, 1e-15);
  EXPECT_GT(now().V_WE[0], 0.05);
}

TEST_F(JumpTest, IsNothingWhereTheReferenceOrTheSourceDoesNotSayThatItMay) {
  for (const bool takes : {false, true}) {
    make(takes);
    wish().jumps = !takes;
    give({{.source = impact}});
    tick();
    wish().v = {0.2, 0.0, 0.0};
    tick(300);
    wish().v.setZero();
    wish().jump = true;
    tick();
    EXPECT_GT(now().V_WE[0], 0.19) << takes;
    EXPECT_EQ(jumping->reference(hand).takes_jumps(), takes);
  }
}

TEST_F(JumpTest, ReferencesOfOtherKindsTakeNone) {
  const auto& kinds = test::reference_test_parts().of<ReferenceRegistry>();
  EXPECT_FALSE(kinds.plain("pose").make({arms.task("hand")})->takes_jumps());
  for (const Reference* any : {&arbiter.reference(arbiter.find_reference("hand"))})
    EXPECT_FALSE(any->takes_jumps());
}

TEST_F(JumpTest, ATickWithAJumpDoesNotAllocate) {
  give({{.source = impact}});
  go_and_jump();
  wish().jump = true;
  const test::AllocationCount allocations;
  tick(5);
  EXPECT_EQ(allocations.count(), 0U);
}

// ---- one source for several references

// goes along x with one hand and along y with the other, and finds both once a tick
class BothHands : public PartedSource {
 public:
  class Part : public Source {
   public:
    Part(BothHands& whole, int axis) : whole_(whole), axis_(axis) {}
    void start(const Moment&, const Motion& reference) override { from_ = reference.pose.X_WE; }
    SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
      whole_.find(moment);
      wanted.pose = {};
      wanted.pose.X_WE = from_;
      wanted.pose.X_WE.p[axis_] += whole_.way_;
      return {};
    }

   private:
    friend class BothHands;
    BothHands& whole_;
    int axis_;
    Pose from_;
  };
  std::vector<std::string> parts() const override { return {"first", "second"}; }
  Source& part(std::size_t i) override { return i == 0 ? first_ : second_; }
  void receive(const Moment&, const Input&) override { ++inputs; }
  void state(StateArchive& archive) override {
    archive(way_, tick_, first_.from_.p, first_.from_.R, second_.from_.p, second_.from_.R);
  }

  int found = 0, inputs = 0;

 private:
  void find(const Moment& moment) {
    if (moment.tick == tick_) return;
    tick_ = moment.tick;
    ++found;
    way_ = std::min(0.05, way_ + 1e-4);
  }
  double way_ = 0.0;
  std::int64_t tick_ = -1;
  Part first_{*this, 0}, second_{*this, 1};
};

const char* const kTwoHands = R"(
arms:
  left.arm: {feedback: commanded}
  right.arm: {feedback: commanded}
tasks:
  first: {type: pose, frame: left.tcp, stiffness: 100}
  second: {type: pose, frame: right.tcp, stiffness: 100}
)";
const char* const kTwoArms = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, 0.45, 0.0]}}
  right: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, -0.45, 0.0]}}
)";

struct TwoHands : test::ReferenceRig {
  TwoHands() : ReferenceRig(kTwoArms, kTwoHands) {
    auto made = std::make_unique<BothHands>();
    both = made.get();
    arbiter.add_source("both", std::move(made));
    for (const char* name : {"first", "second"})
      give(arbiter.find_reference(name),
           {{.source = arbiter.find_source(std::string("both.") + name)}});
  }
  Eigen::Vector3d p(const char* name) const {
    return motion(arbiter.find_reference(name)).pose.X_WE.p;
  }
  BothHands* both = nullptr;
};

TEST(OneSource, AsksForBothHandsAndFindsThemOnceATick) {
  TwoHands rig;
  const Eigen::Vector3d first = rig.p("first"), second = rig.p("second");
  rig.run(1.0);
  EXPECT_EQ(rig.both->found, 1000);
  EXPECT_LT((rig.p("first") - first - Eigen::Vector3d(0.05, 0.0, 0.0)).norm(), 1e-9);
  EXPECT_LT((rig.p("second") - second - Eigen::Vector3d(0.0, 0.05, 0.0)).norm(), 1e-9);
  // inputs are for the whole
  Input input;
  input.to = "both";
  EXPECT_TRUE(rig.arbiter.receive(rig.moment, input));
  EXPECT_EQ(rig.both->inputs, 1);
  EXPECT_EQ(rig.both->part(0).asks_for(), kPoseKind);
}

TEST(OneSource, ASnapshotOfItGoesOnToTheBit) {
  TwoHands one, other;
  one.run(0.2);
  std::vector<std::byte> bytes;
  StateArchive saved(bytes);
  one.arbiter.state(saved);
  StateArchive loaded(std::span<const std::byte>{bytes});
  other.arbiter.state(loaded);
  other.moment = one.moment;
  one.run(0.1);
  other.run(0.1);
  EXPECT_EQ(one.p("first"), other.p("first"));
  EXPECT_EQ(one.p("second"), other.p("second"));
}

TEST(OneSource, ItsTicksDoNotAllocate) {
  TwoHands rig;
  rig.run(0.01);
  const test::AllocationCount allocations;
  rig.run(0.01);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace jump_test
}  // namespace handspan
