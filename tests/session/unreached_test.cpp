// References that no arm reaches: told once, with what binds, and again when it is over.
#include "session/unreached.hpp"

#include <gtest/gtest.h>

#include "session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace unreached_test {

App pair_app(const test::AppFolder& folder) { return folder.app(test::kPairArms); }

class UnreachedByAPair : public testing::Test {
 protected:
  UnreachedByAPair() : app_(pair_app(folder_)), session_(app_) {
    const Arbiter& arbiter = session_.arbiter();
    for (const ReferenceIndex r : arbiter.references())
      wanted_.push_back(arbiter.reference(r).motion());
    hand_ = arbiter.find_reference("hand");
  }
  // the references go there in so many ticks, and stay
  void go(const Eigen::Vector3d& by, int ticks) {
    PoseReference& pose = wanted_[hand_.value].pose;
    const Eigen::Vector3d start = pose.X_WE.p;
    for (int i = 1; i <= ticks; ++i) {
      const double s = std::min(1.0, i / 1000.0);
      pose.X_WE.p = start + s * by;
      tick();
    }
  }
  void tick() {
    session_.follow(wanted_);
    session_.tick();
    for (const Event& event : session_.events().events())
      if (event.kind == "limit" && event.name == "hand") said_.push_back(std::string(event.text));
  }
  const test::AppFolder folder_;
  const App app_;
  Session session_;
  std::vector<Motion> wanted_;
  ReferenceIndex hand_;
  std::vector<std::string> said_;
};

TEST_F(UnreachedByAPair, WhatIsReachedIsNotTold) {
  go({0.0, 0.08, 0.05}, 2000);
  EXPECT_TRUE(said_.empty());
  EXPECT_FALSE(session_.unreached()->unreached(hand_));
  EXPECT_TRUE(session_.unreached()->cause(hand_).empty());
  for (const auto& summary : session_.unreached()->summary()) {
    EXPECT_EQ(summary.times, 0U) << summary.task;
    EXPECT_EQ(summary.time, 0.0) << summary.task;
  }
}

TEST_F(UnreachedByAPair, AnArmThatIsStretchedOutIsNamedOnceAndWhenItIsBack) {
  go({1.2, 0.0, 0.0}, 8000);
  ASSERT_FALSE(said_.empty());
  const Unreached& unreached = *session_.unreached();
  EXPECT_TRUE(unreached.unreached(hand_));
  EXPECT_NE(said_.back().find(" mm and "), std::string::npos) << said_.back();
  EXPECT_NE(said_.back().find("the arm is stretched out"), std::string::npos) << said_.back();
  EXPECT_NE(said_.back().find(unreached.cause(hand_)), std::string::npos);
  // no more often than its words change
  for (std::size_t i = 1; i < said_.size(); ++i)
    EXPECT_NE(said_[i].substr(said_[i].find(": ")), said_[i - 1].substr(said_[i - 1].find(": ")));
  EXPECT_LE(said_.size(), 4U);
  EXPECT_EQ(session_.channels().integer(session_.channels().find("reference.hand.unreached")), 1);
  for (const auto& summary : unreached.summary()) {
    if (summary.task != "hand") {
      EXPECT_EQ(summary.times, 0U) << summary.task;
      continue;
    }
    EXPECT_EQ(summary.times, 1U);
    EXPECT_GT(summary.distance, 0.4);
    EXPECT_GT(summary.time, kUnreachedTime);
    EXPECT_LE(summary.time, 8.0);
    EXPECT_EQ(summary.last, unreached.cause(hand_));
  }
  // a snapshot goes on with it
  std::vector<std::byte> bytes;
  session_.snapshot(bytes);
  Session other(app_);
  other.restore(bytes);
  EXPECT_TRUE(other.unreached()->unreached(hand_));
  EXPECT_EQ(other.unreached()->cause(hand_), unreached.cause(hand_));
  // what binds is asked again, and nothing is allocated for it
  const test::AllocationCount allocations;
  for (int i = 0; i < 700; ++i) {
    session_.follow(wanted_);
    session_.tick();
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(unreached.unreached(hand_));
  // the reference comes to where the hand is
  said_.clear();
  const auto& task = dynamic_cast<const FrameTask&>(session_.whole_arm()->task("hand"));
  wanted_[hand_.value].pose.X_WE = task.X_WE();
  for (int i = 0; i < 300; ++i) tick();
  EXPECT_EQ(said_, std::vector<std::string>{"reached again"});
  EXPECT_FALSE(unreached.unreached(hand_));
  EXPECT_EQ(session_.channels().integer(session_.channels().find("reference.hand.unreached")), 0);
}

}  // namespace unreached_test
}  // namespace handspan
