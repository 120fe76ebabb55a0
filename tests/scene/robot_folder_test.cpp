// Robot folders: every error of and between their files, with its place.
#include "scene/robot_folder.hpp"

#include <gtest/gtest.h>

#include "core/schema.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace robot_folder_test {

using test::replaced;

const std::string kModel =
    "<mujoco model='two'><compiler angle='radian' autolimits='true' "
    "inertiafromgeom='false'/><worldbody>\n"
    "<body name='a'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>\n"
    "<body name='b'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>\n"
    "<joint name='j1' type='hinge' axis='0 0 1' range='-2 2' actuatorfrcrange='-10 10'/>\n"
    "<body name='c'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/><joint name='j2' "
    "type='hinge' axis='0 1 0'/>\n"
    "<geom name='tip' type='sphere' size='0.1' contype='1' conaffinity='1'/><site "
    "name='flange'/></body></body></body>\n"
    "</worldbody></mujoco>\n";
const std::string kRobot =
    "name: two\n"
    "kind: robot\n"
    "model: model.xml\n"
    "limits: limits.yaml\n"
    "mount: flange\n"
    "groups:\n"
    "  - {name: arm, joints: [j1, j2], drive: velocity, lag: 20 ms, delay_ticks: 1}\n"
    "ignored_pairs: [[a, c]]\n"
    "poses:\n"
    "  home: [0.5, 10]\n"
    "sensors:\n"
    "  - {name: wrist, type: force_torque, site: flange}\n"
    "suction:\n"
    "  - {name: cup, site: flange, shape: tip, lip: {mass: 0.1, radius: 0.05}, bellows: {shear: "
    "8000, "
    "normal: 4000, tilt: 8, torsion: 12, damping_ratio: 0.3}, seal: {angle: 5 deg, gap: 2 mm}, "
    "break_away: {force: 100, friction: 0.5}}\n"
    "repairs:\n"
    "  - {body: c, what: Izz, published: '3', used: '1', reason: triangle}\n";
const std::string kLimits =
    "rate: 125\n"
    "joints:\n"
    "  j1: {position: [-1.9, 1.9], velocity: 1, acceleration: 2, braking: 1, jerk: 10, torque: 9, "
    "torque_rate: 100}\n"
    "  j2: {velocity: 1, acceleration: 2, braking: 1, jerk: 10, torque: 9, torque_rate: 100}\n"
    "elbow: {body: b, velocity: 1, acceleration: 1, jerk: 1}\n";

class Folder : public testing::Test {
 protected:
  std::string error(const std::string& robot, const std::string& limits = kLimits,
                    const std::string& model = kModel) {
    folder_.write("model.xml", model);
    folder_.write("robot.yaml", robot);
    folder_.write("limits.yaml", limits);
    std::string message = "no error";
    try {
      load_robot_folder(folder_.path());
    } catch (const std::exception& e) {
      message = e.what();
    }
    const std::string path = folder_.path().string() + "/";
    for (std::size_t at; (at = message.find(path)) != std::string::npos;)
      message.erase(at, path.size());
    return message;
  }
  // the robot's file with one text replaced
  std::string robot_error(const std::string& from, const std::string& to) {
    return error(replaced(kRobot, from, to));
  }
  std::string limits_error(const std::string& from, const std::string& to) {
    return error(kRobot, replaced(kLimits, from, to));
  }
  test::TemporaryFolder folder_;
};

using RobotFolderFiles = Folder;

TEST_F(RobotFolderFiles, AreRead) {
  ASSERT_EQ(error(kRobot), "no error");
  const RobotFolder folder = load_robot_folder(folder_.path());
  EXPECT_EQ(folder.name, "two");
  EXPECT_EQ(folder.mount, "flange");
  EXPECT_EQ(folder.limits.rate, Rate::hz(125));
  EXPECT_EQ(folder.limits.find("j1")->upper, 1.9);
  EXPECT_FALSE(folder.limits.find("j1")->continuous);
  EXPECT_TRUE(folder.limits.find("j2")->continuous);
  EXPECT_EQ(folder.limits.find("j3"), nullptr);
  EXPECT_EQ(folder.groups.front().drive, Drive::kVelocity);
  EXPECT_EQ(folder.groups.front().lag, 0.02);
  EXPECT_EQ(folder.groups.front().delay_ticks, 1);
  EXPECT_EQ(folder.pose("home")->q, Eigen::Vector2d(0.5, 10));
  EXPECT_EQ(folder.pose("away"), nullptr);
  EXPECT_EQ(folder.sensors.front().site, "flange");
  EXPECT_EQ(folder.suctions.front().shape, "tip");
  EXPECT_EQ(folder.repairs.front().published, "3");
  EXPECT_EQ(folder.limits.elbow->body, "b");
}

TEST_F(RobotFolderFiles, AreThere) {
  EXPECT_EQ(robot_error("model: model.xml", "model: madel.xml").rfind("robot.yaml:3: model ", 0),
            0U);
  EXPECT_EQ(
      robot_error("limits: limits.yaml", "limits: limit.yaml").rfind("robot.yaml:4: limits ", 0),
      0U);
  std::filesystem::remove(folder_.path() / "robot.yaml");
  EXPECT_THROW(load_robot_folder(folder_.path()), ConfigError);
  try {
    load_robot_folder(folder_.path() / "none");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), (folder_.path() / "none").string() + ": no such folder");
  }
}

TEST_F(RobotFolderFiles, HaveKnownKeys) {
  EXPECT_EQ(robot_error("mount: flange", "munt: flange"),
            "robot.yaml:5: unknown key 'munt'; did you mean 'mount'?");
  EXPECT_EQ(robot_error("drive: velocity", "drive: velocty"),
            "robot.yaml:7: groups[0].drive is 'velocty'; did you mean 'velocity'?");
  EXPECT_EQ(robot_error("delay_ticks: 1", "delay_ticks: 101"),
            "robot.yaml:7: groups[0].delay_ticks is 101; it must be <= 100");
  EXPECT_EQ(limits_error("jerk: 10, torque: 9, torque_rate: 100}\n  j2",
                         "torque: 9, torque_rate: 100}\n  j2"),
            "limits.yaml:3: joints.j1 has no key 'jerk'; add 'jerk: <number [rad/s^3], > 0, "
            "<= 10000000000 rad/s^3>'");
  EXPECT_EQ(limits_error("velocity: 1,", "velocity: 1 m/s,")
                .rfind("limits.yaml:3: joints.j1.velocity is 1 m/s; it must be a number in one of "
                       "rad/s, deg/s",
                       0),
            0U);
}

TEST_F(RobotFolderFiles, HaveLimitsThatCanBe) {
  EXPECT_EQ(limits_error("[-1.9, 1.9]", "[1.9, -1.9]"),
            "limits.yaml:3: joints.j1.position is 1.9 to -1.9; the lower end must be smaller");
  EXPECT_EQ(limits_error("braking: 1", "braking: 3"),
            "limits.yaml:3: joints.j1.braking is 3, more than the acceleration 2; it must be at "
            "most that");
  EXPECT_EQ(limits_error("[-1.9, 1.9]", "[-1.9, 2.1]"),
            "limits.yaml:3: joint 'j1' may go from -1.9 to 2.1, beyond its mechanical stops -2 to "
            "2; keep the limits within the stops");
  EXPECT_EQ(limits_error("position: [-1.9, 1.9], ", ""),
            "limits.yaml:3: joint 'j1' has mechanical stops but no position limits; give position: "
            "[lower, upper]");
  EXPECT_EQ(limits_error("torque: 9", "torque: 11"),
            "limits.yaml:3: joint 'j1' may have 11 N m, beyond its drive's 10; keep the limit "
            "within the drive's");
  EXPECT_EQ(limits_error("  j2:", "  j3:"),
            "robot.yaml:7: joint 'j2' has no limits; add it to limits.yaml\n"
            "limits.yaml:4: there is no joint 'j3'; did you mean 'j1'?");
  EXPECT_EQ(limits_error("elbow: {body: b", "elbow: {body: bb"),
            "limits.yaml: there is no body 'bb'; the model has: a, b, c");
}

TEST_F(RobotFolderFiles, HaveGroupsOfJointsThatThereAre) {
  EXPECT_EQ(robot_error("[j1, j2]", "[j1, j22]"),
            "robot.yaml:7: there is no joint 'j22'; did you mean 'j2'?");
  EXPECT_EQ(robot_error("joints: [j1, j2], drive: velocity, lag: 20 ms, delay_ticks: "
                        "1}\nignored_pairs: [[a, c]]\nposes:\n  home: [0.5, 10]",
                        "joints: [j1, j1], drive: velocity}\nposes: {}"),
            "robot.yaml:7: joint 'j1' is driven twice; list it in one group");
  EXPECT_EQ(
      robot_error("ignored_pairs", "  - {name: arm, joints: [j2], drive: torque}\nignored_pairs"),
      "robot.yaml:8: group 'arm' is named twice\nrobot.yaml:8: joint 'j2' is driven twice; list it "
      "in one group");
  EXPECT_EQ(robot_error("[j1, j2]", "[]"),
            "robot.yaml:7: groups[0].joints has 0 items; it must have at least 1 item");
  EXPECT_EQ(
      robot_error("groups:\n  - {name: arm, joints: [j1, j2], drive: velocity, lag: 20 ms, "
                  "delay_ticks: 1}\n",
                  "groups: []\n")
          .rfind(
              "robot.yaml: a robot has no actuator groups; list its driven joints under 'groups'",
              0),
      0U);
  EXPECT_EQ(robot_error("limits: limits.yaml\n", "")
                    .find("robot.yaml: a robot has no limits; add 'limits: limits.yaml'") !=
                std::string::npos,
            true);
}

TEST_F(RobotFolderFiles, HaveDriveKeysThatMeanSomething) {
  EXPECT_EQ(robot_error("drive: velocity", "drive: torque"),
            "robot.yaml:7: groups[0].lag stands beside a torque drive, which has none; leave it "
            "out, or set it to 0");
  EXPECT_EQ(robot_error("drive: velocity", "drive: velocity, torque_rate: true"),
            "robot.yaml:7: groups[0].torque_rate stands beside a drive that takes no torques; "
            "leave it out, or set it to false");
}

TEST_F(RobotFolderFiles, HaveFramesBodiesAndShapesThatThereAre) {
  EXPECT_EQ(robot_error("mount: flange", "mount: flnge"),
            "robot.yaml:5: there is no frame 'flnge'; did you mean 'flange'?");
  EXPECT_EQ(robot_error("[[a, c]]", "[[a, d]]"),
            "robot.yaml:8: there is no body 'd'; the model has: a, b, c");
  EXPECT_EQ(robot_error("[[a, c]]", "[[a]]"),
            "robot.yaml:8: ignored_pairs[0] has 1 item; it must have exactly 2 items");
  EXPECT_EQ(robot_error("site: flange}\nsuction", "site: flang}\nsuction"),
            "robot.yaml:12: there is no frame 'flang'; did you mean 'flange'?");
  EXPECT_EQ(robot_error("shape: tip", "shape: tap"),
            "robot.yaml:14: there is no shape 'tap'; did you mean 'tip'?");
  EXPECT_EQ(robot_error("poses:", "rolling: [wheel]\nposes:"),
            "robot.yaml:9: there is no frame 'wheel'; the model has: flange");
  EXPECT_EQ(robot_error("body: c, what", "body: x, what"),
            "robot.yaml:16: there is no body 'x'; the model has: a, b, c");
}

TEST_F(RobotFolderFiles, HavePosesWithinLimits) {
  EXPECT_EQ(robot_error("home: [0.5, 10]", "home: [0.5]"),
            "robot.yaml:10: pose 'home' has 1 values; give one for each of the 2 joints of the "
            "first group");
  EXPECT_EQ(robot_error("home: [0.5, 10]", "home: [1.95, 0]"),
            "robot.yaml:10: pose 'home' puts joint 'j1' at 1.95, outside its limits -1.9 to 1.9");
}

TEST_F(RobotFolderFiles, HavePosesByJointsOfWholeGroups) {
  const std::string groups = replaced(
      kRobot, "  - {name: arm, joints: [j1, j2], drive: velocity, lag: 20 ms, delay_ticks: 1}\n",
      "  - {name: arm, joints: [j1], drive: velocity}\n"
      "  - {name: lift, joints: [j2], drive: position}\n");
  const auto with = [&](const std::string& pose) {
    return error(replaced(groups, "home: [0.5, 10]", "home: " + pose));
  };
  EXPECT_EQ(with("{j1: 10 deg, j2: 3}"), "no error");
  EXPECT_EQ(with("{j1: 0.5}"), "no error");
  EXPECT_EQ(with("{j1: 0.5, j3: 1}"),
            "robot.yaml:11: pose 'home' names the joint 'j3', which no group has; did you mean "
            "'j1'?");
  EXPECT_EQ(with("{j2: 1}"),
            "robot.yaml:11: pose 'home' misses the group 'arm'; the first group has a place in "
            "every pose; give all of: j1");
  EXPECT_EQ(with("{j1: 1.95}"),
            "robot.yaml:11: pose 'home' puts joint 'j1' at 1.95, outside its limits -1.9 to 1.9");
  EXPECT_EQ(with("{j1: 0.5 m/s}"),
            "robot.yaml:11: poses.home.j1 is in m/s; give an angle, or of a joint that slides a "
            "way");
  EXPECT_EQ(error(replaced(kRobot, "home: [0.5, 10]", "home: {j1: 0.5}")),
            "robot.yaml:10: pose 'home' misses of the group 'arm': j2; the first group has a place "
            "in every pose; give all of: j1, j2");
}

TEST_F(RobotFolderFiles, HaveAModelThatCanBe) {
  EXPECT_NE(error(kRobot, kLimits, "<mujoco><worldbody><body name='a'").find("model.xml: "),
            std::string::npos);
  const std::string impossible =
      error(kRobot, kLimits, replaced(kModel, "diaginertia='1 1 1'", "diaginertia='1 1 3'"));
  EXPECT_NE(impossible.find("model.xml: "), std::string::npos) << impossible;
  EXPECT_NE(impossible.find("inertia"), std::string::npos) << impossible;
}

TEST_F(RobotFolderFiles, AreFoundByNameOrPath) {
  EXPECT_EQ(find_robot_folder("fr3", test::kSource / "scenes"), test::kSource / "robots" / "fr3");
  EXPECT_EQ(find_robot_folder((test::kSource / "robots" / "ur5").string(), "/"),
            test::kSource / "robots" / "ur5");
  ASSERT_EQ(error(kRobot), "no error");
  EXPECT_EQ(find_robot_folder(folder_.path().filename().string(), folder_.path().parent_path()),
            folder_.path());
}

TEST_F(RobotFolderFiles, AreDocumented) {
  const std::string robot = describe(robot_yaml_description()),
                    limits = describe(limits_yaml_description());
  for (const char* key : {"groups", "drive", "servo_frequency", "suction", "repairs"})
    EXPECT_NE(robot.find(key), std::string::npos) << key;
  for (const char* key : {"velocity_curve", "braking", "elbow"})
    EXPECT_NE(limits.find(key), std::string::npos) << key;
}

}  // namespace robot_folder_test
}  // namespace handspan
