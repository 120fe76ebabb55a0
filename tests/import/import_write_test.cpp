// Robot folders that an import writes, and robots through URDF and back.
#include "import/import_write.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <fstream>
#include <locale>
#include <sstream>

#include "import/import_fixture.hpp"
#include "robot/model.hpp"
#include "robot/urdf_export.hpp"
#include "scene/load_scene.hpp"
#include "scene/mjcf.hpp"
#include "scene/robot_folder.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace import_write_test {

namespace fs = std::filesystem;
using test::kLimit;

class ImportWrite : public test::ImportTest {};

TEST_F(ImportWrite, WritesAFolderThatLoadsToTheSameBitsTwice) {
  const ImportedRobot r = import_urdf(
      urdf(joint("revolute", "<axis xyz='1 2 3'/>" + kLimit + "<dynamics damping='0.1'/>"),
           "<inertial><origin xyz='0.1 0.2 0.3' rpy='0.1 0.2 0.3'/><mass value='2'/><inertia "
           "ixx='1' ixy='0.1' "
           "ixz='0' iyy='1' iyz='0' izz='5'/></inertial><collision><geometry><sphere "
           "radius='0.1'/></geometry></collision>"));
  write_robot_folder(r, folder_ / "once");
  ImportOptions options;
  options.velocity = 3.0;
  const RobotFolder loaded = load_robot_folder(folder_ / "once");
  EXPECT_EQ(write_mjcf(loaded.description), write_mjcf(r.description));
  const ImportedRobot again = import_robot(folder_ / "once/model.xml", options);
  EXPECT_EQ(write_mjcf(again.description), write_mjcf(r.description));
  write_robot_folder(again, folder_ / "twice");
  EXPECT_EQ(write_mjcf(load_robot_folder(folder_ / "twice").description),
            write_mjcf(r.description));
  // limits and repairs come back as they were
  const JointLimits *l = loaded.limits.find("a"), &given = r.limits[0].limits;
  ASSERT_NE(l, nullptr);
  EXPECT_EQ(l->lower, given.lower);
  EXPECT_EQ(l->velocity, given.velocity);
  EXPECT_EQ(l->jerk, given.jerk);
  EXPECT_EQ(l->torque_rate, given.torque_rate);
  ASSERT_EQ(loaded.repairs.size(), 1U);
  EXPECT_EQ(loaded.repairs[0].used, r.repairs[0].used);
  EXPECT_EQ(loaded.groups[0].joints, std::vector<std::string>{"a"});
  std::stringstream sources;
  sources << std::ifstream(folder_ / "once/SOURCES.md").rdbuf();
  EXPECT_NE(sources.str().find("its licence"), std::string::npos);
  EXPECT_NE(sources.str().find(r.repairs[0].published), std::string::npos);
}

TEST_F(ImportWrite, WhatStoodAroundTheRobotIsASceneOfItsFolder) {
  const auto file = write(
      "arm.xml",
      "<mujoco model='arm'><worldbody><geom type='plane' size='1 1 1' pos='0 0 -0.2'/>"
      "<geom name='a\"b' type='box' size='0.3 0.4 0.05' pos='0.9 0 0.2' euler='0 0 30'/>"
      "<geom type='cylinder' size='0.05 0.2' pos='-0.9 0 0.2' rgba='1 0 0 1'/>"
      "<body name='a'><inertial mass='1' pos='0 0 0' diaginertia='0.1 0.1 0.1'/>"
      "<joint name='j' range='-90 90' actuatorfrcrange='-20 20'/></body></worldbody></mujoco>");
  ImportOptions options;
  options.velocity = 2.0;
  const ImportedRobot r = import_robot(file, options);
  EXPECT_TRUE(noted(r,
                    "the world has a level plane at -0.2 m and 2 shapes: scene.yaml of the folder "
                    "has them around the robot"));
  write_robot_folder(r, folder_ / "own");
  const Scene scene = load_scene(folder_ / "own/scene.yaml");
  ASSERT_TRUE(scene.ground);
  EXPECT_EQ(scene.ground->height, -0.2);
  ASSERT_EQ(scene.fixtures.size(), 1U);
  const auto& shapes = scene.fixtures[0].shapes;
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].type, ShapeType::kBox);
  EXPECT_EQ(shapes[0].size, Eigen::Vector3d(0.3, 0.4, 0.05));
  EXPECT_NEAR(shapes[0].X_BG.q.angularDistance(r.surroundings[0].X_BG.q), 0.0, 1e-7);
  EXPECT_EQ(shapes[1].type, ShapeType::kCylinder);
  EXPECT_EQ(shapes[1].size, (Eigen::Vector3d(0.05, 0.2, 0.0)));
  EXPECT_EQ(shapes[1].rgba[0], 1.0F);
  EXPECT_EQ(scene.robots[0].description.bodies.size(), 1U);
  // a robot without more around it has none
  write_robot_folder(import_urdf(urdf(joint("revolute", kLimit))), folder_ / "alone");
  EXPECT_FALSE(fs::exists(folder_ / "alone/scene.yaml"));
}

TEST_F(ImportWrite, OfAToolNothingStandsAroundAndThatIsSaid) {
  const auto file = write(
      "tool.xml",
      "<mujoco model='tool'><worldbody><geom type='plane' size='1 1 1'/><body name='a'>"
      "<inertial mass='1' pos='0 0 0' diaginertia='0.1 0.1 0.1'/><body name='b'><inertial mass='1' "
      "pos='0 0 0' diaginertia='0.1 0.1 0.1'/></body></body></worldbody>"
      "<contact><exclude body1='a' body2='b'/></contact></mujoco>");
  const ImportedRobot r = import_robot(file);
  EXPECT_TRUE(noted(r, "what stands in the world is left out: nothing of the file is driven"));
  EXPECT_TRUE(noted(r, "1 <exclude> are ignored_pairs of robot.yaml"));
  write_robot_folder(r, folder_ / "tool");
  EXPECT_FALSE(fs::exists(folder_ / "tool/scene.yaml"));
}

TEST_F(ImportWrite, ASceneThatDoesNotStartIsKeptAndSaysWhy) {
  // a table in the arm's own base
  const auto file = write(
      "arm.xml",
      "<mujoco model='arm'><worldbody><geom type='box' size='0.3 0.3 0.3'/><body name='a'>"
      "<inertial mass='1' pos='0 0 0' diaginertia='0.1 0.1 0.1'/><geom type='sphere' size='0.1'/>"
      "<joint name='j' range='-90 90' actuatorfrcrange='-20 20'/></body></worldbody></mujoco>");
  ImportOptions options;
  options.velocity = 2.0;
  write_robot_folder(import_robot(file, options), folder_ / "arm");
  std::stringstream text;
  text << std::ifstream(folder_ / "arm/scene.yaml").rdbuf();
  EXPECT_TRUE(text.str().starts_with("# It does not start yet:\n#   scene.yaml: 'arm.a' starts "))
      << text.str();
  EXPECT_EQ(error([&] { load_scene(folder_ / "arm/scene.yaml"); }).find("world's"),
            std::string::npos);
}

TEST_F(ImportWrite, ReplacesNothingWithoutForceAndNoOtherFolderWithIt) {
  const ImportedRobot r = import_urdf(urdf(joint("revolute", kLimit)));
  write_robot_folder(r, folder_ / "arm");
  EXPECT_EQ(error([&] { write_robot_folder(r, folder_ / "arm/"); }),
            (folder_ / "arm").string() + " exists; --force replaces it");
  write("arm/mine.txt", "gone with --force");
  write_robot_folder(r, folder_ / "arm", true);
  EXPECT_FALSE(fs::exists(folder_ / "arm/mine.txt"));
  write("letters/to_mother.txt", "kept");
  EXPECT_NE(error([&] {
              write_robot_folder(r, folder_ / "letters", true);
            }).find("is not a robot folder"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "letters/to_mother.txt"));
  // below a file nothing can be made, and nothing is left behind
  write("file", "");
  EXPECT_NE(error([&] { write_robot_folder(r, folder_ / "file/arm"); }).find("cannot write"),
            std::string::npos);
  int hidden = 0;
  for (const auto& entry : fs::directory_iterator(folder_))
    hidden += entry.path().filename().string().starts_with(".");
  EXPECT_EQ(hidden, 0);
}

TEST_F(ImportWrite, LeavesNothingBehindWhenACheckFails) {
  const ImportedRobot r = import_urdf(urdf(joint("revolute", kLimit)));
  const auto fails = [](const RobotFolder& folder) {
    throw InputError("'" + folder.name + "' is no good");
  };
  EXPECT_EQ(error([&] { write_robot_folder(r, folder_ / "arm", false, fails); }), "'r' is no good");
  EXPECT_FALSE(fs::exists(folder_ / "arm"));
  // what was there stays
  write_robot_folder(r, folder_ / "arm");
  write("arm/mine.txt", "kept");
  EXPECT_EQ(error([&] { write_robot_folder(r, folder_ / "arm", true, fails); }), "'r' is no good");
  EXPECT_TRUE(fs::exists(folder_ / "arm/mine.txt"));
  // a folder that would not load is a failure too
  ImportedRobot broken = r;
  broken.groups[0].joints = {"none"};
  EXPECT_NE(error([&] { write_robot_folder(broken, folder_ / "leg"); }).find("no joint 'none'"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "leg"));
}

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_F(ImportWrite, IsTheSameInALocaleWithADecimalComma) {
  const fs::path file = urdf(joint(
      "revolute",
      "<axis xyz='0.6 0 0.8'/><limit lower='-1.5' upper='2.5' effort='5.5' velocity='3.5'/>"));
  const ImportedRobot plain = import_urdf(file);
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  const ImportedRobot r = import_urdf(file);
  write_robot_folder(r, folder_ / "arm");
  const RobotFolder loaded = load_robot_folder(folder_ / "arm");
  const std::string limits = limits_yaml(r);
  std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
  EXPECT_EQ(write_mjcf(r.description), write_mjcf(plain.description));
  EXPECT_EQ(write_mjcf(loaded.description), write_mjcf(plain.description));
  EXPECT_EQ(limits, limits_yaml(plain));
  EXPECT_EQ(loaded.limits.joints[0].second.velocity, 3.5);
}

// Our own robots through URDF and back: everything but rotor inertia, which URDF lacks.
TEST_F(ImportWrite, OfAnExportedRobotIsTheSameMechanism) {
  int robots = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(HANDSPAN_SOURCE_DIR) / "robots")) {
    if (!fs::exists(entry.path() / "limits.yaml") || !fs::exists(entry.path() / "model.xml"))
      continue;
    ++robots;
    RobotFolder own = load_robot_folder(entry.path());
    JointVelocities velocities;
    for (const auto& [name, l] : own.limits.joints) velocities[name] = l.velocity;
    for (auto& body : own.description.bodies) {
      for (auto& j : body.joints) j.armature = 0.0;
      // what is compared is the mechanism; meshes are files of their own
      std::erase_if(body.shapes, [](const Shape& s) { return s.type == ShapeType::kMesh; });
    }
    const ImportedRobot back =
        import_urdf(write(own.name + ".urdf", export_urdf(own.description, velocities)));
    ASSERT_EQ(back.limits.size(), own.limits.joints.size()) << own.name;
    const RobotModel a(own.description), b(back.description);
    RobotData data_a(a), data_b(b);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(a.nq(), -1.0, 1.5),
                          v = Eigen::VectorXd::LinSpaced(a.nv(), 1.0, -0.5);
    EXPECT_LT((mass_matrix(a, data_a, q) - mass_matrix(b, data_b, q)).norm(), 1e-9) << own.name;
    EXPECT_LT((nonlinear_effects(a, data_a, q, v) - nonlinear_effects(b, data_b, q, v)).norm(),
              1e-9)
        << own.name;
    update_kinematics(a, data_a, q, v);
    update_kinematics(b, data_b, q, v);
    for (const auto& frame : own.description.frames)
      EXPECT_LT((frame_pose(a, data_a, a.frame(frame.name)).p -
                 frame_pose(b, data_b, b.frame(frame.name)).p)
                    .norm(),
                1e-9)
          << frame.name;
  }
  if (robots == 0) GTEST_SKIP() << "robots/ has no robot yet";
}

}  // namespace import_write_test
}  // namespace handspan
