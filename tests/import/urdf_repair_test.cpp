// What URDF files of the wild write, and what becomes of it.
#include "import/urdf_repair.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "import/import_fixture.hpp"
#include "import/import_write.hpp"
#include "import/parity.hpp"
#include "import/robot_check.hpp"
#include "import/urdf_mesh.hpp"
#include "robot/model.hpp"
#include "scene/load_scene.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace urdf_repair_test {

using test::kInertial;
using test::kLimit;
namespace fs = std::filesystem;

class UrdfRepair : public test::ImportTest {
 protected:
  // the only note that tells of `what`
  static std::string told(const ImportedRobot& robot, const std::string& what) {
    std::string out;
    for (const auto& note : robot.notes)
      if (note.find(what) != std::string::npos) out += note;
    return out;
  }
};

TEST_F(UrdfRepair, JointsWithoutARealStopTurnWithoutEnd) {
  const struct {
    std::string type, limit, note;
  } cases[] = {
      {"continuous", kLimit, "joint 'a' is continuous: its limits -1 to 2 are ignored"},
      {"revolute", "<limit lower='0' upper='0' effort='5' velocity='3'/>",
       "joint 'a' has the limits 0 to 0"},
      {"revolute", "<limit lower='-1e16' upper='1e16' effort='5' velocity='3'/>",
       "joint 'a' has the limits -1e+16 to 1e+16"},
      {"revolute", "<limit effort='5' velocity='3'/>", "joint 'a' is revolute without limits"}};
  for (const auto& c : cases) {
    const ImportedRobot r = import_urdf(urdf(joint(c.type, c.limit)));
    ASSERT_EQ(r.limits.size(), 1U) << c.note;
    EXPECT_TRUE(r.limits[0].limits.continuous) << c.note;
    EXPECT_FALSE(r.description.bodies[1].joints[0].range) << c.note;
    EXPECT_EQ(r.limits[0].limits.velocity, 3.0) << c.note;
    EXPECT_NE(told(r, c.note), "");
  }
  // a slide without a stop is a fault, and so are degrees
  EXPECT_NE(error([&] {
              import_urdf(
                  urdf(joint("prismatic", "<limit lower='0' upper='0' effort='5' velocity='3'/>")));
            }).find("has the limits 0 to 0; they are equal"),
            std::string::npos);
  EXPECT_NE(error([&] {
              import_urdf(urdf(
                  joint("revolute", "<limit lower='-170' upper='170' effort='5' velocity='3'/>")));
            }).find("degrees by their size"),
            std::string::npos);
}

TEST_F(UrdfRepair, AMimicOfAFixedJointMovesForItself) {
  const ImportedRobot r = import_urdf(
      write("m.urdf", "<robot name='r'><link name='base'>" + kInertial + "</link><link name='l'>" +
                          kInertial + "</link><link name='k'>" + kInertial +
                          "</link><joint name='j' type='fixed'><parent link='base'/>"
                          "<child link='l'/></joint><joint name='f' type='revolute'>"
                          "<parent link='base'/><child link='k'/>" +
                          kLimit + "<mimic joint='j' multiplier='-1'/></joint></robot>"));
  EXPECT_TRUE(r.description.mimics.empty());
  ASSERT_EQ(r.limits.size(), 1U);
  EXPECT_EQ(r.limits[0].joint, "f");
  EXPECT_TRUE(noted(r, "joint 'f' mimics 'j', which is fixed: it moves for itself"));
}

TEST_F(UrdfRepair, AFixedLinkWithoutInertiaIsAPointMassAndARepair) {
  const ImportedRobot r = import_urdf(urdf(
      joint("fixed", ""), "<inertial><origin xyz='0 0 0.25'/><mass value='0.072'/></inertial>"));
  const Inertial& i = r.description.bodies[1].inertial;
  EXPECT_EQ(i.mass, 0.072);
  EXPECT_EQ(i.X_BC.p, Eigen::Vector3d(0.0, 0.0, 0.25));
  EXPECT_LT(i.principal.maxCoeff(), 1e-8);
  ASSERT_EQ(r.repairs.size(), 1U);
  EXPECT_EQ(r.repairs[0].published, "none");
  EXPECT_NE(r.repairs[0].reason.find("without <inertia>"), std::string::npos);
}

TEST_F(UrdfRepair, CommasBetweenNumbersAreBlanks) {
  const ImportedRobot r = import_urdf(urdf(joint("revolute", "<axis xyz='0, 0.6 0.8'/>" + kLimit)));
  EXPECT_LT((r.description.bodies[1].joints[0].axis - Eigen::Vector3d(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_TRUE(noted(r, "commas between numbers are taken for blanks (1 times)"));
}

// A hip of three axes through links without mass: poses are those of the chain, link by link
TEST_F(UrdfRepair, LinksWithoutMassBetweenJointsMakeOneBodyOfSeveralJoints) {
  const auto chain = [&](const std::string& between) {
    std::string text = "<robot name='r'>";
    for (const char* link : {"base", "leg"})
      text += "<link name='" + std::string(link) + "'>" + kInertial + "</link>";
    for (const char* link : {"v1", "v2"})
      text += "<link name='" + std::string(link) + "'>" + between + "</link>";
    const auto add = [&](const char* name, const char* type, const char* parent, const char* child,
                         const char* axis) {
      text += fmt::format(
          "<joint name='{}' type='{}'><parent link='{}'/><child link='{}'/><origin xyz='0.1 0.2 "
          "0.3' rpy='0.4 -0.5 0.6'/><axis xyz='{}'/>{}</joint>",
          name, type, parent, child, axis, kLimit);
    };
    add("x", "revolute", "base", "v1", "1 0 0");
    add("y", "prismatic", "v1", "v2", "0 1 0");
    add("z", "revolute", "v2", "leg", "0 0.6 0.8");
    return import_urdf(write("c.urdf", text + "</robot>"));
  };
  const ImportedRobot one = chain(""), links = chain(kInertial);
  ASSERT_EQ(one.description.bodies.size(), 2U);
  ASSERT_EQ(one.description.bodies[1].joints.size(), 3U);
  ASSERT_EQ(links.description.bodies.size(), 4U);
  EXPECT_NE(told(one, "link 'v1' has no mass and no shapes"), "");
  const RobotModel a(one.description), b(links.description);
  RobotData data_a(a), data_b(b);
  const Eigen::Vector3d q(0.7, -0.3, 1.1), v(0.5, 0.2, -0.4);
  update_kinematics(a, data_a, q, v);
  update_kinematics(b, data_b, q, v);
  const Pose X = frame_pose(a, data_a, a.frame("leg")), Y = frame_pose(b, data_b, b.frame("leg"));
  EXPECT_LT((X.p - Y.p).norm(), 1e-14);
  EXPECT_LT((X.R - Y.R).norm(), 1e-14);
  EXPECT_LT((frame_velocity(a, data_a, a.frame("leg")) - frame_velocity(b, data_b, b.frame("leg")))
                .norm(),
            1e-14);
  EXPECT_LE(compare_engines(one.description, 20, 1).worst(), 1e-12);
  // nothing moves at the end: still a fault
  EXPECT_NE(error([&] {
              import_urdf(urdf(joint("revolute", kLimit), " "));
            }).find("link 'arm' moves and has no mass"),
            std::string::npos);
}

TEST_F(UrdfRepair, ASphereOfNoSizeIsLeftOut) {
  const ImportedRobot r = import_urdf(
      urdf(joint("fixed", ""),
           kInertial + "<collision><geometry><sphere radius='0'/></geometry></collision>"));
  EXPECT_TRUE(r.description.bodies[1].shapes.empty());
  EXPECT_TRUE(noted(r, "a collision sphere of link 'arm' has radius 0: left out"));
}

TEST_F(UrdfRepair, TheRobotsNameMayBeStated) {
  const auto file = write("n.urdf", "<robot><link name='base'>" + kInertial + "</link></robot>");
  EXPECT_NE(error([&] { import_urdf(file); })
                .find("n.urdf:1: <robot> has no name; give it "
                      "name=\"...\", or --name NAME"),
            std::string::npos);
  ImportOptions options;
  options.name = "stated";
  EXPECT_EQ(import_urdf(file, options).description.name, "stated");
}

TEST_F(UrdfRepair, EscapesInMeshPathsAreDecodedWhereNoFileIsNamedSo) {
  const auto spaced = write("my arm/link 0.stl", "x"), literal = write("my%20hand/a.stl", "x");
  const MeshPaths paths{folder_ / "r.urdf", {{"pack", folder_}}};
  EXPECT_EQ(resolve_mesh("my%20arm/link%200.stl", paths), spaced);
  EXPECT_EQ(resolve_mesh("package://pack/my%20arm/link%200.stl", paths), spaced);
  EXPECT_EQ(resolve_mesh("my%20hand/a.stl", paths), literal);
  EXPECT_NE(error([&] { resolve_mesh("my%20arm/none.stl", paths); }).find("'my%20arm/none.stl'"),
            std::string::npos);
}

TEST_F(UrdfRepair, AllFaultsOfAFileAndTheOptionsComeAtOnce) {
  ImportOptions options;
  options.mount = "flnge";
  options.passive = {"z"};
  const std::string what = error([&] {
    import_urdf(
        write("f.urdf",
              "<robot name='r'>\n<link name='base'>" + kInertial +
                  "</link>\n<link name='arm'><inertial><mass value='1kg'/></inertial>"
                  "<collision><geometry><mesh filename='lost.stl'/></geometry></collision></link>\n"
                  "<link name='flange'/>\n"
                  "<joint name='a' type='revolute'><parent link='base'/><child link='arm'/>"
                  "<limit lower='1' upper='-1' effort='5' velocity='2'/></joint>\n"
                  "<joint name='b' type='fixed'><parent link='arm'/><child link='flange'/></joint>"
                  "\n</robot>"),
        options);
  });
  for (const char* one :
       {"f.urdf:3: link 'arm' mass has value '1kg'", "f.urdf:5: joint 'a' has the limits 1 to -1",
        "has no joint 'z' that --passive names", "--mount 'flnge' is not a body or frame of ",
        "did you mean 'flange'?", "f.urdf:3: the mesh 'lost.stl' is not there"})
    EXPECT_NE(what.find(one), std::string::npos) << one << "\nin\n" << what;
  // a mass that cannot be read is not a missing one too
  EXPECT_EQ(what.find("moves and has no mass"), std::string::npos) << what;
}

TEST_F(UrdfRepair, PartsOfOtherFilesAreNamedAsSuch) {
  EXPECT_NE(
      error([&] {
        import_robot(write("arm.xacro",
                           "<robot name='r'><joint name='j' type='fixed'>"
                           "<parent link='a'/><child link='b'/></joint></robot>"));
      })
          .find("arm.xacro: is a xacro file, perhaps a part of a robot's; run xacro on the file "
                "that includes it"),
      std::string::npos);
  EXPECT_NE(
      error([&] { import_robot(write("part.xml", "<mujocoinclude><body/></mujocoinclude>")); })
          .find("part.xml:1: is a part of an MJCF file; import the file that has <include "
                "file=\"part.xml\"/>"),
      std::string::npos);
}

// A fixed base without mass, as xacro writes it for most arms: 0.3 kg at 0.25 m and 0.00175
TEST_F(UrdfRepair, ABaseWithoutMassNeedsNone) {
  for (const char* name : {"urdf/base_massless.urdf", "mjcf/base_massless.xml"}) {
    const auto file = test::kSource.parent_path() / "shared" / "cases" / name;
    if (!fs::exists(file)) GTEST_SKIP() << "no cases beside the tree";
    ImportOptions options;
    options.velocity = 2.0;
    const ImportedRobot r = import_robot(file, options);
    write_robot_folder(r, folder_ / fs::path(name).stem(), true);
    const RobotFolder folder = load_robot_folder(folder_ / fs::path(name).stem());
    const RobotModel model(folder.description);
    RobotData data(model);
    EXPECT_NEAR(mass_matrix(model, data, Eigen::VectorXd::Zero(1))(0, 0), 0.0205, 1e-12);
    EXPECT_TRUE(check_robot(folder, 5).parity_holds);
    fs::remove_all(folder_ / fs::path(name).stem());
  }
}

TEST_F(UrdfRepair, OddNamesStandInASceneToo) {
  const auto file = test::kSource.parent_path() / "shared" / "cases" / "urdf" / "names_odd.urdf";
  if (!fs::exists(file)) GTEST_SKIP() << "no cases beside the tree";
  ImportOptions options;
  options.name = "odd";
  write_robot_folder(import_robot(file, options), folder_ / "odd");
  const Scene scene = load_scene(write("s.yaml", "name: s\nrobots: {r: {robot: odd}}\n"));
  ASSERT_EQ(scene.robots.size(), 1U);
  EXPECT_EQ(scene.robots[0].q_start.size(), 2);
  // letters that no scene takes are one _ each run; a name of nothing else is that of its kind
  std::vector<std::string> bodies;
  for (const auto& body : scene.robots[0].description.bodies) bodies.push_back(body.name);
  EXPECT_EQ(bodies, (std::vector<std::string>{"r.Sockel_unten", "r.Glied_1", "r.body"}));
}

}  // namespace urdf_repair_test
}  // namespace handspan
