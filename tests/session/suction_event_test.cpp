// A cup that holds something at the start stays on; what it loses to a pull is an event.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mujoco/mujoco_plant.hpp"
#include "session_support.hpp"

namespace handspan {
namespace suction_event_test {

using test::AppFolder;

constexpr const char* kArms =
    "whole_arm: {arms: {picker.arm: {feedback: commanded}}, tasks: {cup: {type: pose, frame: "
    "picker.suction, stiffness: 45}}}\n";

// the lip's face of a UR10 in its stance
Pose lip_in_the_world() {
  const AppFolder folder(
      "name: arm\nrobots:\n  picker: {robot: ur10, tool: vacuum, pose: stance}\n");
  const App app = folder.app(kArms);
  const MujocoPlant plant(app.scene);
  return plant.body_pose(plant.body("picker.lip"));
}

std::string scene(const std::string& suction) {
  const Pose X_WL = lip_in_the_world();
  const Pose X_WB = X_WL * Pose::translation({0, 0, 0.05});
  const Eigen::Quaterniond q = X_WB.quaternion();
  return fmt::format(
      "name: held\nrobots:\n  picker: {{robot: ur10, tool: vacuum, pose: stance, suction: {{cup: "
      "{{{}holds: box}}}}}}\nobjects:\n  box: {{pose: {{position: [{:.17g}, {:.17g}, {:.17g}], "
      "quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}]}}, mass: 0.5, shapes: [{{type: box, size: "
      "[0.2, 0.2, 0.1]}}]}}\n",
      suction, X_WB.p[0], X_WB.p[1], X_WB.p[2], q.x(), q.y(), q.z(), q.w());
}

struct Outcome {
  bool held;
  int lost = 0;
};

Outcome run(const std::string& suction) {
  const AppFolder folder(scene(suction));
  const App app = folder.app(kArms);
  Session session(app);
  Outcome outcome{false};
  while (session.now() < kSecond / 2) {
    session.tick();
    for (const Event& event : session.events().events())
      if (event.kind == "suction") {
        EXPECT_EQ(event.name.view(), "picker.cup");
        EXPECT_EQ(event.text.view(), "lost what it held");
        ++outcome.lost;
      }
  }
  const int group = session.plant().layout().group("picker.cup");
  outcome.held = cup_state(session.plant().read().groups[static_cast<std::size_t>(group)]).holds;
  return outcome;
}

TEST(SuctionEvents, WhatIsHeldAtTheStartStaysHeld) {
  const Outcome outcome = run("");
  EXPECT_TRUE(outcome.held);
  EXPECT_EQ(outcome.lost, 0);
}

TEST(SuctionEvents, ALostHoldIsToldOnce) {
  const Outcome outcome = run("break_away: {force: 2}, ");
  EXPECT_FALSE(outcome.held);
  EXPECT_EQ(outcome.lost, 1);
}

}  // namespace suction_event_test
}  // namespace handspan
