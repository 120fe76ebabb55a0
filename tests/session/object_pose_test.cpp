// A hand that goes along with a box on a belt, by what is seen of the box.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "control/control_parts.hpp"
#include "device/device_parts.hpp"
#include "mujoco/mujoco_parts.hpp"
#include "plant/plant_parts.hpp"
#include "plant/world.hpp"
#include "reference/object_reference.hpp"
#include "reference/reference_parts.hpp"
#include "session/session_parts.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"
#include "teleop/teleop_parts.hpp"

namespace handspan {
namespace object_pose_test {

using test::AppFolder;

// the belt runs along y below the hand
const char* const kScene = R"(name: belt
contact: {default: {friction: 0.8}}
robots:
  left: {robot: fr3, tool: plate, pose: ready}
objects:
  box: {pose: {position: [0.45, -0.2, 0.1505]}, mass: 0.5, shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}
belts:
  conveyor: {pose: {position: [0.45, 0.0, 0.05], rpy: [0, 0, 90 deg]}, size: [1.2, 0.3, 0.1], speed: 0.1}
)";

const Parts& parts() {
  return parts_of<register_plants, register_mujoco, register_control, register_references,
                  register_devices, register_teleop, register_session>();
}

std::string app_of(const std::string& states, const std::string& task = "object: box") {
  return R"(whole_arm:
  arms:
    left.arm: {feedback: commanded, friction: [0.18, 0.18, 0.18, 0.18, 0.18, 0.18, 0.18]}
  tasks:
    hand: {type: object_pose, frame: left.tcp, stiffness: 400, )" +
         task + R"(}
    posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
  constraints: [{type: torque_limits}, {type: jerk_limits}]
references: {hand: {type: relative_pose, acceleration: 2 m/s^2}}
machines: {m: {start: s, states: {)" +
         states + "}}}\n";
}

const ObjectReference& hand(Session& session) {
  return dynamic_cast<const ObjectReference&>(test::reference_of(session, "hand"));
}

Pose box(Session& session) { return session.world()->body_pose(session.world()->body("box")); }

void run(Session& session, double time) {
  for (const Nanoseconds until = session.now() + static_cast<Nanoseconds>(time * 1e9);
       session.now() < until;)
    session.tick();
}

// move_relative to 20 cm above the box, turned to it as the hand is at the start
std::string move_above(const AppFolder& folder) {
  const App app = folder.app(app_of("s: {do: [{type: wait}]}"));
  Session session(app);
  run(session, 0.1);
  const Eigen::Matrix3d R = hand(session).motion().pose.X_WE.R;
  const Eigen::Vector3d ypr = R.eulerAngles(2, 1, 0);
  return fmt::format(
      "{{type: move_relative, task: hand, position: [0, 0, 0.2], rpy: [{:.9f}, {:.9f}, {:.9f}]}}",
      ypr[2], ypr[1], ypr[0]);
}

TEST(ObjectPose, AHandGoesAlongWithABoxOnABeltWithoutLag) {
  const AppFolder folder(kScene, parts());
  const App app = folder.app(app_of("s: {do: [" + move_above(folder) + "]}"));
  Session session(app);
  run(session, 2.0);
  const auto v = [&] {
    return Vector6d(session.world()->body_velocity(session.world()->body("box")));
  };
  ASSERT_NEAR(v()[1], 0.1, 2e-3);
  double reference = 0.0, arm = 0.0, speed = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const Eigen::Vector3d p = (box(session) * Pose::translation({0.0, 0.0, 0.2})).p;
    session.tick();
    reference = std::max(reference, (hand(session).pose()->p - p).norm());
    const auto& task = dynamic_cast<const FrameTask&>(session.whole_arm()->task("hand"));
    arm = std::max(arm, (task.X_WE().p - p).norm());
    speed = std::max(speed, std::abs(hand(session).object().V_WO[1] - 0.1));
  }
  std::printf("behind the box: reference %.4f mm, arm %.4f mm; its velocity %.2e m/s off\n",
              1e3 * reference, 1e3 * arm, speed);
  // a lag of one tick would be 0.1 mm, the filter's time without the velocity 2 mm
  EXPECT_LT(reference, 5e-5);
  EXPECT_LT(arm, 1e-3);
  EXPECT_LT(speed, 5e-3);
  // the belt stops: so does the hand
  session.world()->set_belt_speed("conveyor", 0.0);
  run(session, 1.0);
  EXPECT_LT(hand(session).motion().pose.V_WE.norm(), 1e-3);
  EXPECT_LT(
      (hand(session).pose()->p - (box(session) * Pose::translation({0.0, 0.0, 0.2})).p).norm(),
      1e-4);
}

TEST(ObjectPose, AMoveIntoTheObjectComesToItsEndWhileItMoves) {
  const AppFolder folder(kScene, parts());
  const App app = folder.app(app_of("s: {do: [" + move_above(folder) +
                                    "], next: [{to: there, when: [{type: done}]}]}, there: {do: "
                                    "[{type: wait}]}"));
  Session session(app);
  run(session, 3.0);
  EXPECT_EQ(session.machines()[0].current_name(), "there");
}

TEST(ObjectPose, AnObjectThatIsPutElsewhereIsLostAndTheHandHoldsWithReason) {
  const AppFolder folder(kScene, parts());
  const App app = folder.app(app_of("s: {do: [" + move_above(folder) + "]}"));
  Session session(app);
  run(session, 1.5);
  const ReferenceIndex r = session.arbiter().find_reference("hand");
  ASSERT_FALSE(session.arbiter().holding(r));
  Pose X = box(session);
  X.p.y() += 0.2;
  session.world()->set_object("box", X, Vector6d::Zero());
  bool told = false;
  for (int i = 0; i < 1000; ++i) {
    session.tick();
    for (const Event& event : session.events().events())
      told = told || (event.kind == "hold" && event.name == "hand" &&
                      event.text == "the object 'box' is elsewhere from one look to the next");
  }
  EXPECT_TRUE(told);
  EXPECT_TRUE(session.arbiter().holding(r));
  // at rest in the world, while the box goes on
  const auto& task = dynamic_cast<const FrameTask&>(session.whole_arm()->task("hand"));
  EXPECT_LT(task.V_WE().norm(), 1e-3);
  EXPECT_GT(session.world()->body_velocity(session.world()->body("box")).norm(), 0.05);
}

TEST(ObjectPose, ASnapshotGoesOnToTheBit) {
  const AppFolder folder(kScene, parts());
  const App app = folder.app(app_of("s: {do: [" + move_above(folder) + "]}"));
  Session one(app), other(app);
  run(one, 0.5);
  std::vector<std::byte> bytes;
  one.snapshot(bytes);
  other.restore(bytes);
  for (int i = 0; i < 200; ++i) {
    one.tick();
    other.tick();
    ASSERT_EQ(one.hashes(), other.hashes()) << i;
  }
}

TEST(ObjectPose, ATickAllocsNothing) {
  const AppFolder folder(kScene, parts());
  const App app = folder.app(app_of("s: {do: [" + move_above(folder) + "]}"));
  Session session(app);
  run(session, 0.3);
  const test::AllocationCount allocations;
  run(session, 0.05);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(ObjectPose, ErrorsHavePlaceCauseAndHint) {
  const AppFolder folder(kScene, parts());
  const std::string waits = "s: {do: [{type: wait}]}";
  const auto expect = [&](const std::string& task, const std::string& part) {
    const std::string text = folder.error(app_of(waits, task));
    EXPECT_EQ(text.rfind("test.yaml:7: ", 0), 0U) << text;
    EXPECT_NE(text.find("whole_arm.tasks.hand"), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("object: bix",
         "there is no object 'bix' whose pose is observed, and no channel of that name; did you "
         "mean 'box'?");
  expect("object: camera.box", "there is no object 'camera.box'");
  expect("object: mode.m", "the channel 'mode.m' is a choice; `object` takes one that is a pose");
  expect("object: box, lost_after: 0 s", "lost_after is 0 s; it must be > 0");
  expect("object: box, axes_of: frame", "unknown key 'axes_of'");
  expect("smoothing: 10 ms", "has no key 'object'; add");
}

}  // namespace object_pose_test
}  // namespace handspan
