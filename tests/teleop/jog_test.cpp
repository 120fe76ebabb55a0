#include "teleop/jog.hpp"

#include <gtest/gtest.h>

#include "control/frame_task.hpp"
#include "core/random.hpp"
#include "jog_support.hpp"
#include "math/so3.hpp"
#include "reference/arbiter.hpp"
#include "reference/frame_reference.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace jog_test {

using test::ArmRig;
using test::JogPad;
using test::source_error;

constexpr double kDt = 1e-3;
constexpr double kRise = 0.025;  // of a jog's acceleration [s]
const PoseReferenceLimits kLimits;

// A jog and a reference that follows it, as the arbiter has them.
struct Rig {
  explicit Rig(const std::string& keys, const SourceContext& more = {},
               const PoseReferenceLimits& limits = kLimits)
      : follower(limits) {
    SourceContext context = more;
    context.name = "stick";
    context.devices = &pad.devices;
    jog = test::source_of("{type: jog, device: pad, response: {dead_zone: 0.1}, " + keys + "}",
                          context);
    follower.start({});
    pad.tick();
    start();
    tick();
  }
  void start() {
    motion.pose = follower.reference();
    jog->start(pad.moment, motion);
  }
  void tick() {
    const Moment moment = pad.tick();
    motion.pose = follower.reference();
    answer = jog->update(moment, motion, wanted);
    if (answer.status == SourceStatus::kActive)
      follower.follow(wanted.pose, answer.axes, {motion.pose.X_WE}, kDt);
    else
      follower.brake(kDt);
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) tick();
  }
  const Eigen::Vector3d& p() const { return follower.reference().X_WE.p; }
  Eigen::Vector3d v() const { return follower.reference().V_WE.head<3>(); }
  Eigen::Vector3d w() const { return follower.reference().V_WE.tail<3>(); }

  JogPad pad;
  std::unique_ptr<Source> jog;
  PoseFollower follower;
  Motion motion, wanted;
  SourceAnswer answer;
};

const std::string kSticks = "x: left.stick_y, y: -left.stick_x, yaw: right.stick_x";

TEST(Jog, MovesAtTheStatedSpeedInAnyDirection) {
  Rig rig(kSticks + ", speed: 0.3, angular_speed: 0.8");
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(500);
  EXPECT_LT((rig.v() - Eigen::Vector3d(0.3, 0.0, 0.0)).norm(), 1e-12);
  // a diagonal is no faster
  rig.pad.axis("left.stick_x", 1.0);
  rig.pad.axis("right.stick_x", -0.55);
  rig.run(500);
  EXPECT_LT((rig.v() - 0.3 / std::sqrt(2.0) * Eigen::Vector3d(1.0, -1.0, 0.0)).norm(), 1e-12);
  EXPECT_LT((rig.w() - Eigen::Vector3d(0.0, 0.0, -0.4)).norm(), 1e-12);
}

TEST(Jog, LetGoItStopsWithinTheBrakingDistanceAndStaysThere) {
  Rig rig(kSticks + ", speed: 0.5, acceleration: 2");
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(1000);
  const double x = rig.p().x();
  rig.pad.axis("left.stick_y", 0.0);
  int ticks = 0;
  double before = x;
  for (; rig.v().norm() > 0.0; ++ticks) {
    rig.tick();
    ASSERT_GE(rig.p().x(), before);
    before = rig.p().x();
    ASSERT_LT(ticks, 400);
  }
  // v^2 / (2 a), and the time in which the acceleration rises
  EXPECT_LE(rig.p().x() - x, 0.5 * 0.5 / (2.0 * 2.0) + 0.5 * kRise / 2.0 + 0.5 * kDt);
  EXPECT_GE(rig.p().x() - x, 0.5 * 0.5 / (2.0 * 2.0) + 0.5 * kRise / 2.0 - 1.01 * 0.5 * kDt);
  const Eigen::Vector3d rest = rig.p();
  rig.run(1000);
  EXPECT_EQ(rig.p(), rest);
}

TEST(Jog, APressTurnsItToAFrameAtItsSpeedAndItsRatesGoOnFromThere) {
  const Scene scene = test::scene_of(test::kJogScene);
  SourceContext context;
  context.scene = &scene;
  Rig rig(kSticks +
              ", dead_man: left.squeeze, angular_speed: 0.8, angular_acceleration: 4, "
              "snap: {control: left.primary, frame: bench}",
          context);
  const auto R = [&] { return rig.follower.reference().X_WE.R; };
  const Eigen::Matrix3d R_WS = rotation_from_rpy({0.0, 0.0, std::numbers::pi / 6.0});
  // not without its dead man, and not later for that press
  rig.pad.button("left.primary", true);
  rig.run(50);
  rig.pad.axis("left.squeeze", 1.0);
  rig.run(100);
  EXPECT_TRUE(R().isIdentity(1e-12));
  rig.pad.button("left.primary", false);
  rig.run(5);
  rig.pad.button("left.primary", true);
  double fastest = 0.0;
  for (int i = 0; i < 2000; ++i) {
    rig.tick();
    fastest = std::max(fastest, rig.w().norm());
  }
  EXPECT_LT(fastest, 0.8 + 1e-9);
  EXPECT_GT(fastest, 0.7);
  EXPECT_LT(angle_between(R(), R_WS), 3e-3);
  EXPECT_EQ(rig.w().norm(), 0.0);
  // one that is held goes on as it is turned
  rig.pad.axis("right.stick_x", 1.0);
  rig.run(500);
  EXPECT_GT(angle_between(R(), R_WS), 0.2);
  context.devices = &rig.pad.devices;
  const auto error = [&](const std::string& snap) {
    return source_error("{type: jog, device: pad, x: left.stick_x, snap: {" + snap + "}}", context);
  };
  EXPECT_NE(error("control: grip, frame: bench").find("has no button or axis 'grip'"),
            std::string::npos);
  EXPECT_NE(error("control: left.primary, frame: bnch").find("did you mean 'bench'?"),
            std::string::npos);
}

TEST(Jog, NothingWindsUpWhileTheReferenceCannotFollow) {
  // a reference that is five times slower than what is asked for
  PoseReferenceLimits slow;
  slow.speed = 0.1;
  Rig rig(kSticks + ", speed: 0.5, acceleration: 5", {}, slow);
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(2000);
  const double x = rig.p().x();
  rig.pad.axis("left.stick_y", 0.0);
  rig.run(200);
  // it is ahead by 0.1 mm at the most, in which its own speed may rise to 0.12 m/s
  EXPECT_LE(rig.p().x() - x, 0.12 * 0.12 / (2.0 * 5.0) + 0.12 * kRise / 2.0 + 0.12 * kDt + 1e-4);
  EXPECT_TRUE(rig.follower.at_rest());
}

TEST(Jog, ButtonsScaleTheSpeedWithinItsBounds) {
  Rig rig(kSticks +
          ", speed: 0.4, scale: {faster: right.primary, slower: right.secondary, step: 2, min: "
          "0.2, start: 0.5}");
  rig.pad.axis("left.stick_y", 1.0);
  const auto speed_after = [&](const char* button) {
    rig.pad.button(button, true);
    rig.tick();
    rig.pad.button(button, false);
    rig.run(500);
    return rig.v().x();
  };
  rig.run(500);
  EXPECT_NEAR(rig.v().x(), 0.2, 1e-12);
  EXPECT_NEAR(speed_after("right.primary"), 0.4, 1e-12);
  EXPECT_NEAR(speed_after("right.primary"), 0.4, 1e-12);
  for (int i = 0; i < 4; ++i) speed_after("right.secondary");
  EXPECT_NEAR(rig.v().x(), 0.08, 1e-12);
}

TEST(Jog, AStickThatIsHeldWhenItGetsAuthorityMovesNothing) {
  Rig rig(kSticks);
  rig.pad.axis("left.stick_y", 1.0);
  rig.pad.tick();
  rig.start();
  rig.run(100);
  EXPECT_EQ(rig.p().x(), 0.0);
  EXPECT_EQ(rig.answer.status, SourceStatus::kSilent);
  EXPECT_STREQ(rig.answer.reason, "an axis or button is held – let it go first");
  rig.pad.axis("left.stick_y", 0.0);
  rig.run(2);
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(100);
  EXPECT_GT(rig.p().x(), 0.0);
}

TEST(Jog, TheDeadMansButtonMustBeHeldAndPressedAnewAfterAStop) {
  Rig rig(kSticks + ", dead_man: left.squeeze");
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(50);
  EXPECT_STREQ(rig.answer.reason, "the dead man's button is not held – hold it to move");
  rig.pad.axis("left.squeeze", 1.0);
  rig.run(300);
  EXPECT_GT(rig.v().x(), 0.1);
  rig.pad.axis("left.squeeze", 0.0);
  rig.run(300);
  EXPECT_TRUE(rig.follower.at_rest());
  rig.pad.axis("left.squeeze", 1.0);
  rig.run(300);
  EXPECT_GT(rig.v().x(), 0.1);
  // stopped: not asked for some ticks, then it goes on
  for (int i = 0; i < 300; ++i) {
    rig.pad.tick();
    rig.follower.brake(kDt);
  }
  rig.motion.pose = rig.follower.reference();
  rig.jog->resume(rig.pad.moment, rig.motion);
  rig.run(100);
  EXPECT_TRUE(rig.follower.at_rest());
  EXPECT_STREQ(rig.answer.reason,
               "the dead man's button was held before – release it, press again");
  rig.pad.axis("left.squeeze", 0.0);
  rig.run(2);
  rig.pad.axis("left.squeeze", 1.0);
  rig.run(100);
  EXPECT_GT(rig.v().x(), 0.1);
}

TEST(Jog, ASilentDeviceBrakesAndItsStickMustComeToRestAnew) {
  Rig rig(kSticks + ", speed: 0.2");
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(300);
  rig.pad.silent = true;
  rig.run(100);
  EXPECT_NEAR(rig.v().x(), 0.2, 1e-12);
  rig.run(100);
  EXPECT_TRUE(rig.follower.at_rest());
  EXPECT_EQ(rig.answer.status, SourceStatus::kSilent);
  EXPECT_STREQ(rig.answer.reason, "no sample came in time");
  rig.pad.silent = false;
  rig.run(200);
  EXPECT_TRUE(rig.follower.at_rest());
  rig.pad.axis("left.stick_y", 0.0);
  rig.run(2);
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(200);
  EXPECT_NEAR(rig.v().x(), 0.2, 1e-12);
}

TEST(Jog, RatesAreAlongTheAxesOfTheTool) {
  Rig rig(kSticks + ", frame: tool");
  const Eigen::Matrix3d R = exp_so3({0.3, -0.5, 1.1});
  rig.follower.start(Pose::rotation(R));
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(300);
  EXPECT_LT((rig.v() - 0.2 * R.col(0)).norm(), 1e-12);
  // it turns with the tool, about the tool's own axis
  rig.pad.axis("right.stick_x", 1.0);
  rig.run(500);
  EXPECT_LT((rig.w() - 0.6 * R.col(2)).norm(), 1e-9);
}

TEST(Jog, RatesAreAlongTheOperatorsScreen) {
  const Scene scene = test::scene_of(test::kJogScene);
  SourceContext context;
  context.scene = &scene;
  const auto moves = [&](const char* view) {
    Rig rig(std::string("x: left.stick_x, y: left.stick_y, frame: view, view: ") + view, context);
    rig.pad.axis("left.stick_x", 1.0);
    rig.run(300);
    const Eigen::Vector3d right = rig.v();
    rig.pad.axis("left.stick_x", 0.0);
    rig.pad.axis("left.stick_y", 1.0);
    rig.run(300);
    return std::pair(right, rig.v());
  };
  // seen from +x: y is to the right, z up; from above, as pictures are drawn: -y right, x up
  const auto [right, up] = moves("front");
  EXPECT_LT((right - 0.2 * Eigen::Vector3d::UnitY()).norm(), 1e-12);
  EXPECT_LT((up - 0.2 * Eigen::Vector3d::UnitZ()).norm(), 1e-12);
  const auto [right_of_top, up_of_top] = moves("top");
  EXPECT_LT((right_of_top + 0.2 * Eigen::Vector3d::UnitY()).norm(), 1e-12);
  EXPECT_LT((up_of_top - 0.2 * Eigen::Vector3d::UnitX()).norm(), 1e-12);
}

TEST(Jog, RatesAreAlongTheRobotsBase) {
  ArmRig arm;
  SourceContext context;
  context.arms = &arm.arms;
  Rig rig(kSticks + ", frame: base, moves: left.tcp", context);
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(300);
  // the base is turned by 90 degrees about z
  EXPECT_LT((rig.v() - 0.2 * Eigen::Vector3d::UnitY()).norm(), 1e-12);
}

TEST(Jog, NeverLeavesItsWorkspaceWhateverTheSticksDo) {
  const Scene scene = test::scene_of(test::kJogScene);
  SourceContext context;
  context.scene = &scene;
  Rig rig(
      "x: left.stick_y, y: left.stick_x, z: right.stick_y, speed: 0.8, acceleration: 4, workspace: "
      "{frame: bench, lower: [-0.1, -0.2, -0.05], upper: [0.1, 0.2, 0.15]}",
      context);
  const Pose X_WB = scene.frames[0].second.pose();
  rig.follower.start(X_WB);
  RandomStream random(11, "sticks");
  const Eigen::Vector3d lower(-0.1, -0.2, -0.05), upper(0.1, 0.2, 0.15);
  Eigen::Vector3d least = upper, most = lower;
  for (int i = 0; i < 60000; ++i) {
    if (random.uniform() < 0.005)
      for (const char* axis : {"left.stick_x", "left.stick_y", "right.stick_y"})
        rig.pad.axis(axis, random.uniform() < 0.3 ? 0.0 : random.uniform(-1.0, 1.0));
    rig.tick();
    const Eigen::Vector3d p = X_WB.R.transpose() * (rig.p() - X_WB.p);
    ASSERT_GE((p - lower).minCoeff(), -1e-12) << "tick " << i;
    ASSERT_GE((upper - p).minCoeff(), -1e-12) << "tick " << i;
    least = least.cwiseMin(p);
    most = most.cwiseMax(p);
  }
  // and all of it is reached
  EXPECT_LT((least - lower).norm(), 1e-6);
  EXPECT_LT((most - upper).norm(), 1e-6);
}

TEST(Jog, SlidesAlongTheWorkspaceAndComesBackFromOutside) {
  const std::string box = ", workspace: {lower: [-0.1, -5.0, -1.0], upper: [0.1, 5.0, 1.0]}";
  Rig rig(kSticks + box);
  rig.pad.axis("left.stick_y", 1.0);
  rig.pad.axis("left.stick_x", -1.0);
  rig.run(3000);
  EXPECT_NEAR(rig.p().x(), 0.1, 1e-12);
  // no slower along it
  EXPECT_NEAR(rig.v().y(), 0.2 / std::sqrt(2.0), 1e-12);
  rig.follower.start(Pose::translation({0.3, 0.0, 0.0}));
  rig.pad.axis("left.stick_x", 0.0);
  rig.run(500);
  EXPECT_EQ(rig.p().x(), 0.3);
  rig.pad.axis("left.stick_y", -1.0);
  rig.run(500);
  EXPECT_NEAR(rig.v().x(), -0.2, 1e-12);
}

TEST(Jog, HeldAgainstAPostItStopsBeforeItAndGoesBackAtFullSpeed) {
  ArmRig arm;
  JogPad pad;
  SourceContext context;
  context.name = "stick";
  context.devices = &pad.devices;
  context.arms = &arm.arms;
  EventList events;
  Arbiter arbiter(events);
  const ReferenceIndex hand = arbiter.add(
      std::make_unique<FrameReference>(dynamic_cast<FrameTask&>(arm.arms.task("hand")), kLimits));
  const SourceIndex source = arbiter.add_source(
      "stick", test::source_of("{type: jog, device: pad, y: left.stick_y, speed: 0.25, moves: "
                               "left.tcp, slow_down: {from: 0.12, to: 0.04, slowest: 0}}",
                               context));
  arbiter.start();
  const Authority authority{source};
  pad.tick();
  arbiter.give_authority(hand, {&authority, 1}, pad.moment);
  Obstacles look({1.0, 0.0, 1.0}, arm.arms, "left.tcp");
  double distance = 0.0, fastest = 0.0;
  const auto run = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      arbiter.update(pad.tick());
      arm.tick();
      Vector6d nothing = Vector6d::Zero();
      look.slow_down(nothing);
      distance = look.nearest();
      const double vy = arbiter.reference(hand).motion().pose.V_WE[1];
      fastest = std::max(fastest, vy);
      // the reference leads the arm by a few millimetres
      if (distance < 0.12) {
        ASSERT_LE(vy, 0.25 * (distance - 0.04 + 0.012) / 0.08);
      }
    }
  };
  run(1);
  pad.axis("left.stick_y", 1.0);
  run(8000);
  EXPECT_NEAR(fastest, 0.25, 1e-9);
  EXPECT_NEAR(distance, 0.04, 0.003);
  EXPECT_LT(std::abs(arbiter.reference(hand).motion().pose.V_WE[1]), 1e-4);
  // back: nothing to unwind, nothing slowed
  const double y = arbiter.reference(hand).motion().pose.X_WE.p.y();
  pad.axis("left.stick_y", -1.0);
  run(500);
  EXPECT_NEAR(arbiter.reference(hand).motion().pose.V_WE[1], -0.25, 1e-9);
  EXPECT_NEAR(y - arbiter.reference(hand).motion().pose.X_WE.p.y(),
              0.25 * 0.5 - 0.25 * 0.25 / (2.0 * 2.0) - 0.25 * kRise / 2.0, 0.25 * 2e-3);
}

TEST(Jog, SaysWhatItCannotBeMadeOf) {
  JogPad pad;
  const Scene scene = test::scene_of(test::kJogScene);
  ArmRig arm;
  SourceContext context;
  context.devices = &pad.devices;
  const auto error = [&](const std::string& keys, const SourceContext& with) {
    return source_error("{type: jog, " + keys + "}", with);
  };
  EXPECT_EQ(error("device: paddle, x: left.stick_x", context),
            "there is no device 'paddle'; there are: pad");
  EXPECT_EQ(error("device: pad", context),
            "a jog moves nothing; give one of x, y, z, roll, pitch, yaw at least");
  EXPECT_EQ(error("device: pad, x: left.sticky", context),
            "the device 'pad' has no axis 'left.sticky'; did you mean 'left.stick_y'?");
  EXPECT_EQ(error("device: pad, x: left.stick_x, dead_man: grip", context),
            "the device 'pad' has no button or axis 'grip'; it has: left.trigger, left.squeeze, "
            "left.stick_x, left.stick_y, right.trigger, right.squeeze, right.stick_x, "
            "right.stick_y, left.primary, left.secondary, left.stick, right.primary, "
            "right.secondary, right.stick");
  const std::string x = "device: pad, x: left.stick_x, ";
  EXPECT_EQ(error(x + "frame: view", context),
            "the frame 'view' needs the name of a view; give 'view'");
  EXPECT_EQ(error(x + "frame: view, view: back", context),
            "a view is of a scene, and there is none");
  context.scene = &scene;
  EXPECT_EQ(error(x + "frame: view, view: back", context),
            "the scene has no view 'back'; it has: front, top");
  EXPECT_EQ(error(x + "workspace: {frame: bensh, lower: [0, 0, 0], upper: [1, 1, 1]}", context),
            "the scene has no frame 'bensh'; did you mean 'bench'?");
  EXPECT_EQ(error(x + "workspace: {lower: [0, 2, 0], upper: [1, 1, 1]}", context),
            "jog.yaml:1: workspace.lower is not below upper; each number must be smaller");
  EXPECT_EQ(error(x + "frame: base", context),
            "the frame 'base' needs to know which frame the jog moves; give 'moves'");
  EXPECT_EQ(error(x + "slow_down: {}, moves: left.tcp", context),
            "slow_down needs a whole-arm controller, and there is none");
  context.arms = &arm.arms;
  EXPECT_TRUE(error(x + "frame: base, moves: left.tpc", context).starts_with("there is no frame"));
}

TEST(Jog, ShowsItsScaleAndTwistAndAllocatesNothing) {
  ArmRig arm;
  SourceContext context;
  context.arms = &arm.arms;
  Rig rig(kSticks +
              ", frame: base, moves: left.tcp, slow_down: {}, workspace: {lower: [-1, -1, "
              "-1], upper: [1, 1, 1]}",
          context);
  ChannelTable channels;
  rig.jog->declare(channels, Rate{1000, 1});
  channels.seal();
  rig.pad.axis("left.stick_y", 1.0);
  rig.run(200);
  const test::AllocationCount count;
  rig.run(200);
  rig.jog->publish(channels, 1);
  EXPECT_EQ(count.count(), 0U);
  EXPECT_EQ(channels.number(channels.find("source.stick.scale")), 1.0);
  EXPECT_NEAR(channels.numbers(channels.find("source.stick.twist"))[1], 0.2, 1e-12);
  EXPECT_GT(channels.number(channels.find("source.stick.nearest")), 0.0);
}

}  // namespace jog_test
}  // namespace handspan
