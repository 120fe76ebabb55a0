// One robot of several groups under one problem: TIAGo's base, torso and arm.
#include <gtest/gtest.h>

#include "reference/joint_reference.hpp"
#include "session_support.hpp"

namespace handspan {
namespace several_groups_test {

using test::AppFolder;

const char* const kScene = R"(name: drive
robots:
  tiago: {robot: tiago, q: {torso_lift_joint: 15 cm}}
objects:
  box: {pose: {position: [3.0, 0.0, 0.1]}, mass: 0.5, shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}
)";

const std::string kArms = R"(whole_arm:
  arms: {tiago.base: {}, tiago.torso: {}, tiago.arm: {}}
  tasks:
    hand: {type: pose, frame: tiago.gripper_grasping_frame, stiffness: 100, orientation_weight: 0.1}
    base: {type: posture, robot: tiago, joints: [tiago.base_x, tiago.base_y, tiago.base_yaw], stiffness: 100, weight: 100}
    torso: {type: posture, robot: tiago, joints: [tiago.torso_lift_joint], stiffness: 100, weight: 100}
    posture: {type: posture, robot: tiago, stiffness: 10, weight: 1.0e-4}
)";

std::string state(const std::string& modes) {
  return kArms + "sources:\n  ride: {type: ride, on: tiago.torso_lift_link}\nmachines:\n" +
         "  m: {start: s, states: {s: {do: [" + modes +
         "], next: [{to: t, when: [{type: done}]}]}, t: {final: true}}}\n";
}

double q_of(Session& session, const std::string& joint) {
  const PlantLayout& layout = session.plant().layout();
  for (std::size_t g = 0; g < layout.groups.size(); ++g)
    for (std::size_t j = 0; j < layout.groups[g].joints.size(); ++j)
      if (layout.groups[g].joints[j] == joint)
        return session.plant().read().groups[g].q[static_cast<Eigen::Index>(j)];
  ADD_FAILURE() << joint;
  return 0.0;
}

TEST(SeveralGroups, StartWhereTheSceneSaysByName) {
  const AppFolder folder(kScene);
  const App app = folder.app(state("{type: hold, tasks: [hand]}"));
  Session session(app);
  EXPECT_NEAR(q_of(session, "tiago.torso_lift_joint"), 0.15, 1e-9);
}

TEST(SeveralGroups, ABaseDrivesByNamedJointsAndTheTorsoGoesUp) {
  const AppFolder folder(kScene);
  const App app = folder.app(state(
      "{type: move_joints, task: base, waypoints: [{q: {base_x: 0.4, base_y: 0, base_yaw: 0}}]}, "
      "{type: move_joints, task: torso, waypoints: [{q: {torso_lift_joint: 25 cm}}]}, "
      "{type: follow, task: hand, sources: [{source: ride}]}"));
  Session session(app);
  const Pose start = session.whole_arm()
                         ->seen(session.whole_arm()->system().frame("tiago.gripper_grasping_frame"))
                         .X_WE;
  for (int k = 0; k < 8000; ++k) session.tick();
  EXPECT_NEAR(q_of(session, "tiago.base_x"), 0.4, 5e-3);
  EXPECT_NEAR(q_of(session, "tiago.base_y"), 0.0, 1e-3);
  EXPECT_NEAR(q_of(session, "tiago.torso_lift_joint"), 0.25, 5e-3);
  // the hand rode along
  const Pose end = session.whole_arm()
                       ->seen(session.whole_arm()->system().frame("tiago.gripper_grasping_frame"))
                       .X_WE;
  EXPECT_LT((end.p - start.p - Eigen::Vector3d(0.4, 0.0, 0.1)).norm(), 0.02);
}

std::string error_of(const std::string& text) {
  const AppFolder folder(kScene);
  try {
    const App app = folder.app(text);
    Session session(app);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SeveralGroups, WhatIsNotThereIsNamed) {
  EXPECT_NE(error_of("whole_arm: {arms: {tiago.bas: {}}, tasks: {h: {type: pose, frame: "
                     "tiago.gripper_link}}}\n")
                .find("arms names the group 'tiago.bas', which the scene does not have; "
                      "did you mean 'tiago.base'?"),
            std::string::npos);
  EXPECT_NE(error_of(state("{type: move_joints, task: torso, waypoints: [{q: {arm_1_joint: 1}}]}"))
                .find("there is no joint 'arm_1_joint' here; there are: tiago.torso_lift_joint"),
            std::string::npos);
  EXPECT_NE(error_of(state("{type: move_joints, task: base, waypoints: [{q: {base_x: 1}}]}"))
                .find("the joint 'tiago.base_y' is left out; give a value for each of: "
                      "tiago.base_x, tiago.base_y, tiago.base_yaw"),
            std::string::npos);
  EXPECT_NE(error_of(state("{type: move_joints, task: torso, waypoints: [{pose: ready}]}"))
                .find("the pose 'ready' of 'tiago' says nothing of the joint "
                      "'tiago.torso_lift_joint'; add it in robot.yaml (poses.ready, by joint "
                      "names)"),
            std::string::npos);
}

}  // namespace several_groups_test
}  // namespace handspan
