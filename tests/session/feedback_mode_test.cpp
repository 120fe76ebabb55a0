// States that change the feedback of a task, goals of frames in one another and of directions, and
// what is refused of sources that jump or that ask for several references.
#include "session/feedback_mode.hpp"

#include <gtest/gtest.h>

#include "core/object.hpp"
#include "reference/direction_reference.hpp"
#include "reference/parted_source.hpp"
#include "reference/relative_reference.hpp"
#include "session_support.hpp"

namespace handspan {
namespace feedback_mode_test {

using test::AppFolder;

const char* const kScene = R"(name: two
robots:
  left: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, 0.45, 0.0]}}
  right: {robot: fr3, tool: plate, pose: ready, base: {position: [0.0, -0.45, 0.0]}}
)";

std::string app_of(const std::string& states, const std::string& more = "",
                   const std::string& gains = "") {
  return R"(whole_arm:
  arms:
    left.arm: {feedback: commanded}
    right.arm: {feedback: commanded}
  tasks:
    hand: {type: pose, frame: left.tcp, stiffness: 100)" +
         gains + R"(}
    hands: {type: relative_pose, frame_a: left.tcp, frame_b: right.tcp, stiffness: 100}
    elbow: {type: direction, frame: left.link4, direction: [0.0, 0.3, 1.0], weight: 1.0e-3}
    posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
    other_posture: {type: posture, robot: right, stiffness: 10, weight: 1.0e-4}
  constraints: [{type: torque_limits}, {type: jerk_limits}]
)" + more +
         "machines: {m: {start: s, states: {" + states + "}}}\n";
}

std::string one_state(const std::string& mode, const std::string& more = "") {
  return app_of("s: {do: [" + mode + "]}", more);
}

struct NoKeys {};

// announces jumps of one kind of reference
class Impact : public Source {
 public:
  explicit Impact(std::string_view kind) : kind_(kind) {}
  void start(const Moment&, const Motion&) override {}
  bool jumps() const override { return true; }
  std::string_view asks_for() const override { return kind_; }
  SourceAnswer update(const Moment&, const Motion& reference, Motion& wanted) override {
    wanted = reference;
    return {};
  }

 private:
  std::string_view kind_;
};

// gives shares of the feedback of whatever it moves
class Sharing : public Source {
 public:
  void start(const Moment&, const Motion&) override {}
  bool moves(std::string_view) const override { return true; }
  bool shares_feedback() const override { return true; }
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override {
    wanted = reference;
    SourceAnswer answer;
    if (moment.tick % 2 == 1) answer.feedback.emplace().velocity[2] = 0.0;
    return answer;
  }
};

class Both : public PartedSource {
 public:
  std::vector<std::string> parts() const override { return {"left", "right"}; }
  Source& part(std::size_t i) override { return i == 0 ? left_ : right_; }

 private:
  Impact left_{kPoseKind}, right_{kPoseKind};
};

const Parts& parts_with_impacts() {
  static const Parts parts = [] {
    Parts made = built_in_parts();
    auto& sources = made.of<SourceRegistry>();
    sources.add("sharing", object<NoKeys>("Sharing"), "",
                [](const NoKeys&, const SourceContext&) { return std::make_unique<Sharing>(); });
    sources.add("impact", object<NoKeys>("Impact"), "", [](const NoKeys&, const SourceContext&) {
      return std::make_unique<Impact>(kPoseKind);
    });
    sources.add(
        "joint_impact", object<NoKeys>("JointImpact"), "",
        [](const NoKeys&, const SourceContext&) { return std::make_unique<Impact>(kJointsKind); });
    sources.add("both", object<NoKeys>("Both"), "",
                [](const NoKeys&, const SourceContext&) { return std::make_unique<Both>(); });
    return made;
  }();
  return parts;
}

TEST(FeedbackMode, SharesActFromTheFirstTickOfAStateOnAndStay) {
  const AppFolder folder(kScene);
  const App app = folder.app(app_of(
      "s: {do: [{type: wait}], next: [{to: closing, when: [{type: after, time: 0.01 s}]}]}, "
      "closing: {do: [{type: feedback, task: hand, position: [1, 1, 0, 1, 1, 1], velocity: 0.5}], "
      "next: [{to: rest, when: [{type: after, time: 0.01 s}]}]}, "
      "rest: {do: [{type: wait}], next: [{to: whole, when: [{type: after, time: 0.01 s}]}]}, "
      "whole: {do: [{type: feedback, task: hand}]}"));
  Session session(app);
  const auto& task = dynamic_cast<const FrameTask&>(session.whole_arm()->task("hand"));
  const auto in = [&](const char* state) {
    for (int i = 0; i < 50 && session.machines()[0].current_name() != state; ++i) session.tick();
    ASSERT_EQ(session.machines()[0].current_name(), state);
  };
  in("s");
  EXPECT_EQ(task.feedback(), FeedbackShares{});
  in("closing");
  FeedbackShares shares;
  shares.position[2] = 0.0;
  shares.velocity.setConstant(0.5);
  EXPECT_EQ(task.feedback(), shares);
  const ChannelId channel = session.channels().find("task.hand.feedback");
  EXPECT_EQ(session.channels().numbers(channel)[2], 0.0);
  EXPECT_EQ(session.channels().numbers(channel)[6], 0.5);
  in("rest");
  EXPECT_EQ(task.feedback(), shares);
  in("whole");
  EXPECT_EQ(task.feedback(), FeedbackShares{});
}

TEST(FeedbackMode, ASourcesSharesActInItsTickOnTopOfTheModes) {
  const AppFolder folder(kScene, parts_with_impacts());
  const App app = folder.app(
      one_state("{type: feedback, task: hand, velocity: 0.5}, {type: follow, task: hand, sources: "
                "[{source: soft}]}",
                "sources: {soft: {type: sharing}}\n"));
  Session session(app);
  const auto& task = dynamic_cast<const FrameTask&>(session.whole_arm()->task("hand"));
  const ChannelId channel = session.channels().find("task.hand.feedback");
  for (int i = 0; i < 20; ++i) {
    session.tick();
    // of the tick that has just been
    const double expected = i % 2 == 1 ? 0.0 : 0.5;
    EXPECT_EQ(task.feedback().velocity[2], expected) << i;
    EXPECT_EQ(session.channels().numbers(channel)[8], expected) << i;
    EXPECT_EQ(task.feedback().velocity[0], 0.5);
  }
}

TEST(PoseGoals, TakeAFrameToAnotherAndAnAxisToADirection) {
  const AppFolder folder(kScene);
  const App app = folder.app(app_of(
      "s: {do: [{type: move_relative, task: hands, position: [0.0, 0.85, 0.05], rpy: [0, 0, 0]}, "
      "{type: point, task: elbow, direction: [0, 0.6, 1]}]}"));
  Session session(app);
  for (int i = 0; i < 2500; ++i) session.tick();
  const auto& hands = dynamic_cast<const RelativePoseTask&>(session.whole_arm()->task("hands"));
  const auto& elbow = dynamic_cast<const DirectionTask&>(session.whole_arm()->task("elbow"));
  EXPECT_LT((hands.reference().X_WE.p - Eigen::Vector3d(0.0, 0.85, 0.05)).norm(), 1e-9);
  EXPECT_LT((hands.X_AB().p - hands.reference().X_WE.p).norm(), 2e-3);
  EXPECT_LT((elbow.direction() - Eigen::Vector3d(0.0, 0.6, 1.0).normalized()).norm(), 1e-9);
}

TEST(FeedbackMode, ErrorsHavePlaceCauseAndHint) {
  const AppFolder folder(kScene, parts_with_impacts());
  const auto expect = [&](const std::string& app, const std::string& part) {
    const std::string text = folder.error(app);
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.rfind("test.yaml:", 0), 0U) << text;
  };
  expect(one_state("{type: feedback, task: hnd}"), "did you mean 'hand'?");
  expect(one_state("{type: feedback, task: posture}"),
         "the task 'posture' is none of a frame; feedback is of tasks position, orientation, pose, "
         "relative_pose, object_pose and direction");
  // of all tasks of frames
  for (const char* task : {"hands", "elbow"})
    EXPECT_EQ(folder.error(one_state("{type: feedback, task: " + std::string(task) + "}")), "");
  // shares of feedback that a source gives
  const std::string shares = "sources: {soft: {type: sharing}}\n";
  expect(one_state("{type: follow, task: posture, sources: [{source: soft}]}", shares),
         "the source 'soft' gives shares of feedback, and the task 'posture' is none of a frame; "
         "move a pose, or use a source without them");
  expect(one_state("{type: feedback, task: hand, position: 1.5}"),
         "position is 1.5; it must be <= 1");
  expect(one_state("{type: feedback, task: hand, velocity: [1, 1, 1]}"), "velocity");
  expect(one_state("{type: point, task: elbow, direction: [0, 0, 0]}"),
         "direction has no length; give a direction");
  expect(one_state("{type: point, task: hands, direction: [0, 0, 1]}"),
         "the reference of 'hands' is of the kind 'relative_pose', and this moves 'direction'; use "
         "move_relative");
  // gains of a frame that is not there
  expect(app_of("s: {do: [{type: wait}]}", "", ", gains: {axes_of: left.tpc}"),
         "the gains of the task 'hand' have axes_of 'left.tpc', which is none of world, tool and "
         "contact: there is no frame 'left.tpc'");
  // jumps that nobody takes
  const std::string impact = "sources: {strike: {type: impact}}\n",
                    joints = "sources: {strike: {type: joint_impact}}\n",
                    both = "sources: {pair: {type: both}}\n";
  expect(one_state("{type: follow, task: hand, sources: [{source: strike}]}", impact),
         "the source 'strike' announces jumps of velocity, and the reference of 'hand' takes none; "
         "say jumps: true in references.hand");
  expect(one_state("{type: follow, task: posture, sources: [{source: strike}]}", joints),
         "the source 'strike' announces jumps of velocity, and the reference of 'posture' takes "
         "none; one of the kind 'joints' never does, use a source without jumps");
  EXPECT_EQ(folder.error(one_state("{type: follow, task: hand, sources: [{source: strike}]}",
                                   impact + "references: {hand: {jumps: true}}\n")),
            "");
  // the whole of a source with parts
  expect(one_state("{type: follow, task: hand, sources: [{source: pair}]}", both),
         "the source 'pair' asks for several references, one by each of its parts; follow "
         "pair.left or pair.right");
  EXPECT_EQ(folder.error(one_state("{type: follow, task: hand, sources: [{source: pair.left}]}",
                                   both + "references: {hand: {jumps: true}}\n")),
            "");
}

}  // namespace feedback_mode_test
}  // namespace handspan
