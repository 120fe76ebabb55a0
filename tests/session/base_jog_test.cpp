// A base driven by rates in its own axes.
#include <gtest/gtest.h>

#include "tiago_support.hpp"

namespace handspan {
namespace base_jog_test {

using test::AppFolder;
using test::HeldHeadset;
using test::kTiagoLive;
using test::measured;
using test::run_for;
using test::tiago_app;

const char* const kScene = R"(name: drive
robots:
  tiago: {robot: tiago, joint_friction: false, q: {torso_lift_joint: 15 cm}}
)";

std::string driven() { return tiago_app("      s:\n        do:" + kTiagoLive); }

TEST(BaseJog, DrivesAlongItsOwnAxesWhileTheDeadManIsHeld) {
  const AppFolder folder(kScene);
  const App app = folder.app(driven());
  Session session(app);
  // a quarter turn at 0.8 rad/s, then forward; the stick is pushed before the squeeze too
  session.set_feed(
      std::make_unique<HeldHeadset>(session.base_period(), [](const std::string& axis, double t) {
        if (axis == "left.squeeze") return t > 1.0 && t < 6.0 ? 1.0 : 0.0;
        if (axis == "left.stick_x") return t > 1.2 && t < 2.763 ? -1.0 : 0.0;
        if (axis == "left.stick_y") return (t > 0.2 && t < 0.8) || t > 4.0 ? 1.0 : 0.0;
        return 0.0;
      }));
  run_for(session, 1.0);
  EXPECT_LT(measured(session, "tiago.base").norm(), 1e-4);
  run_for(session, 3.0);
  const Eigen::VectorXd turned = measured(session, "tiago.base");
  EXPECT_NEAR(turned[2], 0.8 * 1.563, 0.02);
  EXPECT_LT(turned.head<2>().norm(), 0.005);
  run_for(session, 4.0);
  const Eigen::VectorXd end = measured(session, "tiago.base");
  const double way = (end - turned).head<2>().norm();
  // 0.4 m/s for 2 s, less what it takes to get there, and to rest when the dead man is let go
  EXPECT_NEAR(way, 0.4 * 2.0, 0.12);
  EXPECT_NEAR(std::atan2(end[1] - turned[1], end[0] - turned[0]), turned[2], 0.01);
  EXPECT_NEAR(end[2], turned[2], 0.01);
}

TEST(BaseJog, EachErrorSaysWhereWhatAndWhatToDo) {
  const AppFolder folder(kScene);
  const std::string app = driven();
  const auto told = [&](const std::string& from, const std::string& to) {
    std::string wrong = app;
    const auto at = wrong.find(from);
    if (at == std::string::npos) return "nothing is '" + from + "'";
    wrong.replace(at, from.size(), to);
    return folder.error(wrong);
  };
  const std::string wheels = "test.yaml:19: sources.wheels", made = wheels + " cannot be made: ";
  EXPECT_EQ(told("base_jog, device: headset", "base_jog, device: headse"),
            made + "there is no device 'headse'; did you mean 'headset'?");
  EXPECT_EQ(told("base_jog, device: headset,", "base_jog,"),
            wheels + " has no key 'device'; add 'device: <text>'");
  EXPECT_EQ(told("task: base, forward", "forward"),
            wheels + " has no key 'task'; add 'task: <text>'");
  EXPECT_EQ(told("task: base, forward", "task: bas, forward"),
            made + "there is no task 'bas'; did you mean 'base'?");
  EXPECT_EQ(told("task: base, forward", "task: hand, forward"),
            made + "the task 'hand' has no joints of its own; give a posture of the base's joints");
  EXPECT_EQ(told("task: base, forward", "task: torso, forward"),
            made +
                "the task 'torso' is of the joints tiago.torso_lift_joint; a base has three, in "
                "this order: two that slide along x and y and one that turns (joints: "
                "[ROBOT.base_x, ROBOT.base_y, ROBOT.base_yaw])");
  EXPECT_EQ(told("[tiago.base_x, tiago.base_y, tiago.base_yaw]",
                 "[tiago.base_yaw, tiago.base_x, tiago.base_y]"),
            made +
                "the task 'base' is of the joints tiago.base_yaw, tiago.base_x, tiago.base_y; a "
                "base has three, in this order: two that slide along x and y and one that turns "
                "(joints: [ROBOT.base_x, ROBOT.base_y, ROBOT.base_yaw])");
  EXPECT_EQ(told("forward: left.stick_y", "forward: left.stick"),
            made + "the device 'headset' has no axis 'left.stick'; did you mean 'left.stick_x'?");
  EXPECT_EQ(told("turn: -left.stick_x", "turn: -left.stik_x"),
            made + "the device 'headset' has no axis 'left.stik_x'; did you mean 'left.stick_x'?");
  EXPECT_EQ(told("turn: -left.stick_x", "left: left.stick_x"),
            made +
                "left: the wheels of this base do not slip sideways (rolling: in robot.yaml); "
                "leave it out");
  EXPECT_EQ(told("dead_man: left.squeeze", "dead_man: left.sqeeze"),
            made +
                "the device 'headset' has no button or axis 'left.sqeeze'; did you mean "
                "'left.squeeze'?");
  EXPECT_EQ(told("forward: left.stick_y, turn: -left.stick_x", "speed: 0.3 m/s"),
            wheels + " moves nothing; give forward, left or turn");
  EXPECT_EQ(told("forward: left.stick_y", "forwards: left.stick_y"),
            "test.yaml:19: unknown key 'forwards' in sources.wheels; did you mean 'forward'?");
  for (const std::string key : {"speed", "angular_speed", "acceleration", "angular_acceleration"})
    EXPECT_EQ(told("forward: left.stick_y", "forward: left.stick_y, " + key + ": 0"),
              wheels + "." + key + " is 0; it must be > 0");
  // it moves joints, and not a hand
  EXPECT_EQ(
      told("task: base, sources: [{source: wheels}]", "task: posture, sources: [{source: wheels}]"),
      "");
}

TEST(BaseJog, NeedsAWholeArmController) {
  const AppFolder folder(kScene);
  EXPECT_EQ(folder.error("devices:\n  headset: {driver: {type: headset}}\nsources:\n  wheels: "
                         "{type: base_jog, device: headset, task: base, forward: left.stick_y}\n"),
            "test.yaml:6: sources.wheels cannot be made: a jog of a base needs a whole-arm "
            "controller, and there is none");
}

}  // namespace base_jog_test
}  // namespace handspan
