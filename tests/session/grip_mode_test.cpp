// Machines that grip: what `grip`, `release`, `operate` and `held` do with grippers, and what they
// refuse.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "device/headset.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace grip_mode_test {

using test::AppFolder;

// An arm that stands still, its hand straight down over a cube of 40 mm on a post.
const std::string kScene = R"(name: grip
physics: {noslip_iterations: 5}
contact: {default: {friction: 0.8, time_constant: 0.004, impedance: [0.98, 0.99, 0.001]}}
robots:
  arm: {robot: ur5, tool: gripper2f, q: [0, -90 deg, 90 deg, -90 deg, -90 deg, 0]}
  cup: {robot: ur10, tool: vacuum, base: {position: [3.0, 0.0, 0.0]}, pose: stance}
frames: {unused: {position: [0, 0, 0]}}
CUBE)";
const std::string kCube = R"(objects:
  cube: {pose: {position: [X, Y, Z]}, mass: 0.1, shapes: [{type: box, size: [0.04, 0.04, 0.04]}]}
fixtures:
  post: {pose: {position: [X, Y, P]}, shapes: [{type: box, size: [0.05, 0.05, 0.1]}]}
)";
const std::string kArms = R"(whole_arm:
  arms: {arm.arm: {}, cup.arm: {}}
  tasks:
    hand: {type: pose, frame: arm.tcp, stiffness: 100}
    posture: {type: posture, robot: arm, stiffness: 10, weight: 1.0e-4}
    other: {type: posture, robot: cup, stiffness: 10}
)";

std::string machine(const std::string& grip, const std::string& next) {
  const std::string more =
      next.find("nothing") == std::string::npos ? "" : "      nothing: {final: true}\n";
  return kArms + "machines:\n  arm:\n    start: grip\n    states:\n      grip: {do: [" + grip +
         "], next: [" + next + "]}\n      held: {final: true}\n" + more;
}

// the scene with the cube between the pads, or far away
std::string scene(bool between) {
  const Scene bare = parse_scene(
      "name: t\nrobots: {arm: {robot: ur5, tool: gripper2f, q: [0, -90 deg, 90 deg, -90 deg, -90 "
      "deg, 0]}}\n",
      std::filesystem::path(HANDSPAN_SOURCE_DIR) / "scenes" / "t.yaml");
  MujocoPlant plant(bare);
  RobotModel model(bare.robots[0].description);
  RobotData data(model);
  Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv());
  plant.robot_state("arm", q, v);
  update_kinematics(model, data, q, v);
  const Eigen::Vector3d p = frame_pose(model, data, model.frame("arm.tcp")).p;
  std::string text = kScene;
  std::string cube = kCube;
  const auto put = [](std::string& in, const std::string& word, double value) {
    for (std::size_t at; (at = in.find(word)) != std::string::npos;)
      in.replace(at, word.size(), fmt::format("{}", value));
  };
  put(cube, "X", p.x() + (between ? 0.0 : 0.12));
  put(cube, "Y", p.y());
  put(cube, "Z", p.z() - 0.005);
  put(cube, "P", p.z() - 0.005 - 0.02 - 0.05);
  return text.replace(text.find("CUBE"), 4, cube);
}

struct Events : SessionWatcher {
  void after_tick(Session& session) noexcept override {
    for (const Event& event : session.events().events())
      if (event.kind == "gripper" && count < 8) all[count++] = event;
  }
  bool has(std::string_view words) const {
    for (std::size_t i = 0; i < count; ++i)
      if (all[i].text.view().find(words) != std::string_view::npos) return true;
    return false;
  }
  std::array<Event, 8> all;
  std::size_t count = 0;
};

struct Rig {
  Rig(const std::string& app_text, bool between)
      : folder(scene(between)), app(folder.app(app_text)), session(app) {
    session.watch(events);
  }
  ~Rig() { session.unwatch(events); }
  void run(double time) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5) && !session.ended(); ++i)
      session.tick();
  }
  std::string state() { return session.machines()[0].current_name(); }
  double number(const std::string& channel) {
    return session.channels().number(session.channels().find(channel));
  }
  AppFolder folder;
  App app;
  Session session;
  Events events;
};

const std::string kBranch =
    "{to: held, when: [{type: done}, {type: held, group: arm.gripper}]}, {to: nothing, when: "
    "[{type: done}]}";

TEST(GripModes, AGripIsDoneWhenSomethingStopsIt) {
  Rig rig(machine("{type: grip, group: arm.gripper, force: 30 N}", kBranch), true);
  rig.run(3.0);
  EXPECT_EQ(rig.state(), "held");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.04, 1e-3);
  EXPECT_NEAR(rig.number("arm.gripper.force"), 30.0, 1.5);
  EXPECT_EQ(rig.session.channels().integer(rig.session.channels().find("arm.gripper.grasped")), 1);
  EXPECT_EQ(rig.events.count, 0U);
}

TEST(GripModes, AGripOnNothingIsSaidAndHoldsNothing) {
  Rig rig(machine("{type: grip, group: arm.gripper}", kBranch), false);
  rig.run(3.0);
  EXPECT_EQ(rig.state(), "nothing");
  EXPECT_TRUE(rig.events.has("closes on nothing"));
}

TEST(GripModes, AJawThatItsOwnFrictionHoldsBackHasNotGrasped) {
  // 20 N at each pad, more than is asked for
  for (const double force : {5.0, 30.0}) {
    AppFolder folder(scene(true));
    App app = folder.app(
        machine(fmt::format("{{type: grip, group: arm.gripper, force: {} N}}", force), kBranch));
    RobotInstance& robot = app.scene.robots[0];
    const ActuatorGroup& group = robot.groups[1];
    for (auto& body : robot.description.bodies)
      for (auto& joint : body.joints)
        if (joint.name == group.joints[0])
          joint.friction_loss = std::abs(group.gripper->torque(0, 20.0, 0.5));
    Session session(app);
    for (int i = 0; i < 3000 && !session.ended(); ++i) session.tick();
    EXPECT_EQ(session.machines()[0].current_name(), std::string("held")) << force;
    EXPECT_NEAR(session.channels().number(session.channels().find("arm.gripper.width")), 0.04, 2e-3)
        << force;
  }
}

TEST(GripModes, AWidthIsGoneTo) {
  Rig rig(machine("{type: grip, group: arm.gripper, width: 50 mm, speed: 0.1 m/s}", kBranch), true);
  rig.run(3.0);
  EXPECT_EQ(rig.state(), "nothing");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.05, 5e-4);
  // it was not to shut
  EXPECT_EQ(rig.events.count, 0U);
}

TEST(GripModes, WhatIsTakenAwayIsSaidToBeLost) {
  Rig rig(machine("{type: grip, group: arm.gripper}", "{to: held, when: [{type: event, name: x}]}"),
          true);
  rig.run(2.0);
  EXPECT_EQ(rig.events.count, 0U);
  rig.session.world()->set_object("cube", {Eigen::Matrix3d::Identity(), {0.0, 2.0, 0.1}},
                                  Vector6d::Zero());
  rig.run(2.0);
  EXPECT_TRUE(rig.events.has("lost what it grasped"));
  EXPECT_EQ(rig.session.channels().integer(rig.session.channels().find("arm.gripper.grasped")), 0);
}

TEST(GripModes, ReleaseOpens) {
  Rig rig(kArms + R"(machines:
  arm:
    start: grip
    states:
      grip: {do: [{type: grip, group: arm.gripper}], next: [{to: open, when: [{type: done}]}]}
      open: {do: [{type: release, group: arm.gripper}], next: [{to: held, when: [{type: done}, {type: held, group: arm.gripper, held: false}]}]}
      held: {final: true}
)",
          true);
  rig.run(4.0);
  EXPECT_EQ(rig.state(), "held");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.085, 1e-3);
}

TEST(GripModes, ARunGoesOnFromASnapshotBitForBitAndAllocatesNothing) {
  Rig rig(machine("{type: grip, group: arm.gripper}", "{to: held, when: [{type: event, name: x}]}"),
          true);
  rig.run(0.2);
  std::vector<std::byte> bytes, then, again;
  rig.session.snapshot(bytes);
  rig.run(0.5);
  rig.session.snapshot(then);
  rig.session.restore(bytes);
  rig.run(0.5);
  rig.session.snapshot(again);
  EXPECT_EQ(then, again);
  const test::AllocationCount count;
  rig.run(0.2);
  EXPECT_EQ(count.count(), 0U);
}

TEST(GripModes, WhatAGripperCannotDoIsRefused) {
  const AppFolder folder(scene(true));
  const auto told = [&](const std::string& grip) {
    return folder.error(machine(grip, "{to: held, when: [{type: done}]}"));
  };
  const auto expect = [](const std::string& message, const std::vector<std::string>& words) {
    for (const auto& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  expect(told("{type: grip, group: arm.gripper, width: 0.2 m}"), {"test.yaml:", "0.2 m", "0.08"});
  expect(told("{type: grip, group: arm.gripper, force: 300 N}"), {"300 N", "235 N"});
  expect(told("{type: grip, group: arm.gripper, speed: 1 m/s}"), {"1 m/s", "0.15 m/s"});
  expect(told("{type: grip, group: arm.gripper, to: [0.5]}"), {"'width'"});
  expect(told("{type: grip, group: arm.griper}"), {"arm.griper", "arm.gripper"});
  expect(told("{type: grip, group: cup.cup, width: 1 cm}"), {"is not a gripper", "gripper:"});
  expect(told("{type: operate, group: cup.cup, device: page, \"on\": right.primary, force: 1 N}"),
         {"cup.cup", "is not a gripper", "gripper:"});
  expect(told("{type: operate, group: cup.cup, device: page, \"on\": right.primary}"), {"page"});
  expect(folder.error(machine("{type: grip, group: arm.gripper}",
                              "{to: held, when: [{type: held, group: arm.arm}]}")),
         {"arm.arm", "there are", "arm.gripper", "cup.cup"});
}

TEST(GripModes, APersonsButtonAndAxisWorkIt) {
  Rig rig(
      machine("{type: operate, group: arm.gripper, device: page, \"on\": right.primary, toggles: "
              "true, force: 20 N}",
              "{to: held, when: [{type: event, name: x}]}") +
          "devices: {page: {driver: {type: headset}}}\n",
      true);
  rig.run(0.2);
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.085, 1e-3);
  const auto press = [&](bool down) {
    DeviceSample sample("page", headset_layout());
    for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b)
      sample.set_button(b, down && headset_layout().buttons[b] == "right.primary");
    sample.set_stamp(rig.session.now());
    rig.session.mailbox("page").post(sample.input());
    rig.run(0.02);
  };
  press(false);
  press(true);
  press(false);
  rig.run(1.5);
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.04, 1e-3);
  EXPECT_NEAR(rig.number("arm.gripper.force"), 20.0, 1.0);
  // the page was silent since: a button is believed when it is seen released
  press(false);
  press(true);
  press(false);
  rig.run(1.5);
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.085, 1e-3);
}

TEST(GripModes, SeveralDevicesWorkOne) {
  const std::string devices =
      "devices: {pad: {driver: {type: headset}}, page: {driver: {type: headset}}}\n";
  const auto app = [&](const std::string& also) {
    return machine(
               "{type: operate, group: arm.gripper, device: pad, \"on\": left.primary, toggles: "
               "true, also: [" +
                   also + "]}",
               "{to: held, when: [{type: event, name: x}]}") +
           devices;
  };
  Rig rig(app("{device: page, \"on\": right.primary}"), true);
  const auto press = [&](const std::string& device, const std::string& button) {
    for (const bool down : {false, true, false}) {
      for (const std::string one : {"pad", "page"}) {
        DeviceSample sample(one, headset_layout());
        for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b)
          sample.set_button(b, down && (one == device || device == "both") &&
                                   (headset_layout().buttons[b] == button || button == "all"));
        sample.set_stamp(rig.session.now());
        rig.session.mailbox(one).post(sample.input());
      }
      rig.run(0.02);
    }
    rig.run(1.5);
  };
  press("page", "left.primary");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.085, 1e-3) << "the pad's button is not the page's";
  press("page", "right.primary");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.04, 1e-3);
  press("pad", "left.primary");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.085, 1e-3);
  press("both", "all");
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.04, 1e-3) << "two at once are one change";
  const AppFolder folder(scene(true));
  const auto told = [&](const std::string& also, const std::vector<std::string>& words) {
    const std::string message = folder.error(app(also));
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  told("{device: page}", {"test.yaml:", "also[0] names no control; give on or off"});
  told("{device: pge, \"on\": left.primary}",
       {"test.yaml:", "there is no device 'pge'", "did you mean 'page'?"});
  told("{device: page, \"on\": left.primary, all_off: left.stick}",
       {"test.yaml:", "is not a suction cup: 'all_off' is for one"});
}

TEST(GripModes, OneThatNobodyCommandsIsAParameter) {
  Rig rig(kArms, false);
  const ParameterTable& table = rig.session.parameters();
  const std::size_t width = table.find("gripper.arm.gripper.width");
  EXPECT_NEAR(table.get(width), 0.085, 1e-3);
  EXPECT_FALSE(table.set(width, 0.2, 0.0));
  EXPECT_TRUE(table.set(width, 0.02, 0.0));
  rig.run(2.0);
  EXPECT_NEAR(rig.number("arm.gripper.width"), 0.02, 5e-4);
}

TEST(GripModes, AMoveGoesToWhereAnObjectIs) {
  Rig rig(kArms + R"(machines:
  arm:
    start: go
    states:
      go: {do: [{type: move_to, task: hand, waypoints: [{in: cube, position: [0, 0, 0.1], rpy: [180 deg, 0, 0]}]}], next: [{to: there, when: [{type: done}]}]}
      there: {final: true}
)",
          false);
  const Pose X = rig.session.world()->body_pose(rig.session.world()->body("cube"));
  rig.run(8.0);
  EXPECT_EQ(rig.state(), "there");
  const Pose X_WE = test::reference_of(rig.session, "hand").motion().pose.X_WE;
  EXPECT_LT((X_WE.p - (X.p + Eigen::Vector3d(0, 0, 0.1))).norm(), 1e-3);
}

}  // namespace grip_mode_test
}  // namespace handspan
