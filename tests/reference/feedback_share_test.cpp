// Shares of feedback in a source's answer: in force in the tick in which it gives them, back when
// it does not.
#include <gtest/gtest.h>

#include "control/feedback_task.hpp"
#include "reference/direction_reference.hpp"
#include "reference/parted_source.hpp"
#include "reference/relative_reference.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace feedback_share_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, 0.45, 0.0]}}
  right: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, -0.45, 0.0]}}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
  right.arm: {feedback: commanded}
tasks:
  hands: {type: relative_pose, frame_a: left.tcp, frame_b: right.tcp, stiffness: 100}
  elbow: {type: direction, frame: left.link4, direction: [0.0, 0.3, 1.0], stiffness: 50}
  hand: {type: pose, frame: left.tcp, stiffness: 100}
)";

struct FeedbackShareTest : testing::Test, test::ReferenceRig {
  FeedbackShareTest() : ReferenceRig(kScene, kArms) {
    shares.velocity[2] = 0.0;
    shares.position[0] = 0.5;
  }
  SourceIndex source(const char* name, std::string_view kind = kPoseKind) {
    const SourceIndex index = add_source(name, kind);
    wishes.back().shares_feedback = true;
    return index;
  }
  FeedbackTask& of(const char* name) { return task<FeedbackTask>(name); }
  void tick() { run(1e-3); }
  std::string reason(ReferenceIndex r) const { return std::string(arbiter.reason(r)); }

  const ReferenceIndex hand = arbiter.find_reference("hand");
  FeedbackShares shares;
};

TEST_F(FeedbackShareTest, AreInForceInTheTickInWhichTheyAreGivenAndGoBackInTheNext) {
  for (const auto& [name, kind] :
       {std::pair{"hand", kPoseKind}, {"hands", kRelativePoseKind}, {"elbow", kDirectionKind}}) {
    SCOPED_TRACE(name);
    give(arbiter.find_reference(name), {{.source = source(name, kind)}});
    test::Wish& wish = wishes.back();
    tick();
    EXPECT_EQ(of(name).feedback(), FeedbackShares{});
    wish.feedback = shares;
    tick();
    EXPECT_EQ(of(name).feedback(), shares);
    // from one tick to the next
    wish.feedback->velocity[2] = 1.0;
    tick();
    EXPECT_EQ(of(name).feedback().velocity[2], 1.0);
    wish.feedback.reset();
    tick();
    EXPECT_EQ(of(name).feedback(), FeedbackShares{});
  }
}

TEST_F(FeedbackShareTest, AHoldTakesAllFeedbackBack) {
  give(hand, {{.source = source("impact")}});
  wishes.back().feedback = shares;
  tick();
  ASSERT_EQ(of("hand").feedback(), shares);
  wishes.back().status = SourceStatus::kSilent;
  tick();
  EXPECT_EQ(of("hand").feedback(), FeedbackShares{});
  wishes.back().status = SourceStatus::kActive;
  tick();
  EXPECT_EQ(of("hand").feedback(), shares);
  arbiter.stop("somebody pressed stop");
  tick();
  EXPECT_EQ(of("hand").feedback(), FeedbackShares{});
}

TEST_F(FeedbackShareTest, OfSeveralTheirMeanActsAndWhoGivesNoneMeansAllOfIt) {
  const SourceIndex impact = source("impact");
  wishes.back().feedback = FeedbackShares{Vector6d::Ones(), Vector6d::Zero()};
  const SourceIndex person = add_source("person");
  give(hand, {{.source = impact, .share = 3.0}, {.source = person}});
  tick();
  EXPECT_LT((of("hand").feedback().velocity - Vector6d::Constant(0.25)).norm(), 1e-15);
  EXPECT_EQ(of("hand").feedback().position, Vector6d::Ones());
  // who has no say now gives none
  wishes[1].status = SourceStatus::kSilent;
  tick();
  EXPECT_TRUE(of("hand").feedback().velocity.isZero(0.0));
}

TEST_F(FeedbackShareTest, OneThatMayNotGiveAnyGivesNoneAndOneThatIsNotAShareIsALoss) {
  give(hand, {{.source = source("impact")}});
  test::Wish& wish = wishes.back();
  wish.shares_feedback = false;
  wish.feedback = shares;
  tick();
  EXPECT_EQ(of("hand").feedback(), FeedbackShares{});
  wish.shares_feedback = true;
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    wish.feedback->velocity[4] = bad;
    tick();
    EXPECT_TRUE(arbiter.holding(hand)) << bad;
    EXPECT_EQ(reason(hand), "impact: a share of feedback that it gave is not from 0 to 1");
    EXPECT_EQ(of("hand").feedback(), FeedbackShares{});
  }
}

// gives half of the velocity feedback, as a part
class Halves : public PartedSource {
 public:
  std::vector<std::string> parts() const override { return {"one"}; }
  Source& part(std::size_t) override { return part_; }

 private:
  struct Part : Source {
    void start(const Moment&, const Motion&) override {}
    bool shares_feedback() const override { return true; }
    SourceAnswer update(const Moment&, const Motion& reference, Motion& wanted) override {
      wanted = reference;
      SourceAnswer answer;
      answer.feedback = FeedbackShares{Vector6d::Ones(), Vector6d::Constant(0.5)};
      return answer;
    }
  };
  Part part_;
};

TEST_F(FeedbackShareTest, APartOfASourceGivesThemAsAWhole) {
  arbiter.add_source("both", std::make_unique<Halves>());
  give(hand, {{.source = arbiter.find_source("both.one")}});
  tick();
  EXPECT_EQ(of("hand").feedback().velocity, Vector6d::Constant(0.5));
}

TEST_F(FeedbackShareTest, TicksWithThemAllocNothing) {
  give(hand, {{.source = source("impact")}, {.source = source("other")}});
  wishes[0].feedback = shares;
  run(0.01);
  const test::AllocationCount allocations;
  for (int i = 0; i < 10; ++i) {
    wishes[0].feedback->velocity[2] = 0.1 * i;
    tick();
  }
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace feedback_share_test
}  // namespace handspan
