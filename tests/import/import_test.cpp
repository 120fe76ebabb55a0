// What an import makes of a file, and what it says about it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "import/import.hpp"
#include "import/import_fixture.hpp"
#include "import/import_inertia.hpp"
#include "import/parity.hpp"
#include "import/urdf_mesh.hpp"
#include "robot/model.hpp"
#include "scene/mesh_file.hpp"

namespace handspan {
namespace import_test {

namespace fs = std::filesystem;
using test::kInertial;
using test::kLimit;

class Import : public test::ImportTest {};

std::string cube_obj(double half) {
  std::string out;
  for (int k = 0; k < 8; ++k)
    out += fmt::format("v {} {} {}\n", k & 1 ? half : -half, k & 2 ? half : -half,
                       k & 4 ? half : -half);
  return out +
         "f 1 2 4\nf 1 4 3\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 "
         "5\nf 2 4 8\nf 2 8 6\n";
}

TEST_F(Import, KeepsLimitsAndFrictionAndSaysWhereTheRestIsFrom) {
  const ImportedRobot r = import_urdf(urdf(joint(
      "revolute", "<axis xyz='0 0 1'/>" + kLimit + "<dynamics damping='0.3' friction='0.4'/>")));
  ASSERT_EQ(r.limits.size(), 1U);
  const JointLimits& l = r.limits[0].limits;
  EXPECT_EQ(l.lower, -1.0);
  EXPECT_EQ(l.upper, 2.0);
  EXPECT_EQ(l.velocity, 3.0);
  EXPECT_EQ(l.torque, 5.0);
  EXPECT_EQ(l.acceleration, 12.0);
  EXPECT_EQ(r.limits[0].sources.at("acceleration"),
            "not in the file: handspan's default, full speed in 0.25 s");
  EXPECT_FALSE(r.limits[0].sources.contains("velocity"));
  const JointDescription& j = r.description.bodies[1].joints[0];
  EXPECT_EQ(j.damping, 0.3);
  EXPECT_EQ(j.friction_loss, 0.4);
  EXPECT_EQ(*j.effort, 5.0);
}

TEST_F(Import, TakesStatedLimitsAndSaysSo) {
  ImportOptions options;
  options.velocity = 1.5;
  options.effort = 8.0;
  options.acceleration = 20.0;
  const ImportedRobot r = import_urdf(urdf(joint("continuous", "")), options);
  EXPECT_TRUE(r.limits[0].limits.continuous);
  EXPECT_EQ(r.limits[0].limits.velocity, 1.5);
  EXPECT_EQ(r.limits[0].limits.acceleration, 20.0);
  EXPECT_EQ(r.limits[0].sources.at("velocity"), "not in the file: stated on import");
  EXPECT_EQ(r.limits[0].sources.at("torque"), "not in the file: stated on import");
  EXPECT_EQ(r.limits[0].sources.at("acceleration"), "not in the file: stated on import");
  EXPECT_TRUE(noted(r, "joint 'a' has no axis: x, by URDF's definition"));
  options.jerk = -1.0;
  EXPECT_EQ(error([&] { import_urdf(folder_ / "r.urdf", options); }),
            "--jerk -1 must be > 0 and finite");
}

TEST_F(Import, NormalisesAnAxisAndNotesIt) {
  const ImportedRobot r = import_urdf(urdf(joint("revolute", "<axis xyz='0 3 4'/>" + kLimit)));
  EXPECT_LT((r.description.bodies[1].joints[0].axis - Eigen::Vector3d(0.0, 0.6, 0.8)).norm(),
            1e-15);
  EXPECT_TRUE(noted(r, "joint 'a' has an axis of length 5: normalised"));
}

TEST_F(Import, NotesPlaceholdersIgnoredElementsAndAbsentEnds) {
  const ImportedRobot r =
      import_urdf(urdf(joint("revolute", "<limit upper='2' effort='5' velocity='10000'/>") +
                       "<transmission/><gazebo/>"));
  EXPECT_TRUE(noted(r, "<transmission> is not read (1 times)"));
  EXPECT_TRUE(noted(r, "<gazebo> is not read (1 times)"));
  EXPECT_TRUE(noted(r, "joint 'a' has no lower limit: 0, by URDF's definition"));
  EXPECT_TRUE(noted(r,
                    "joint 'a' has velocity 10000 and effort 5: a placeholder by its size, hence "
                    "hardly a limit; correct limits.yaml"));
}

TEST_F(Import, MakesPassiveJointsWithoutDrive) {
  ImportOptions options;
  options.passive = {"a"};
  const ImportedRobot r = import_urdf(
      urdf(joint("revolute", "<limit lower='-1' upper='1' effort='0' velocity='0'/>")), options);
  EXPECT_FALSE(r.description.bodies[1].joints[0].effort);
  EXPECT_EQ(r.undriven, std::vector<std::string>{"a"});
  EXPECT_TRUE(r.limits.empty());
}

TEST_F(Import, PlanarJointSlidesInItsPlaneAndTurnsAboutItsAxis) {
  const ImportedRobot r = import_urdf(urdf(joint("planar", "<axis xyz='0 1 0'/>")));
  const RobotModel model(r.description);
  ASSERT_EQ(model.nq(), 3);
  RobotData data(model);
  const Eigen::Vector3d q(0.3, -0.2, 0.5);
  update_kinematics(model, data, q, Eigen::Vector3d::Zero());
  const Pose X = frame_pose(model, data, model.frame("arm"));
  // z goes to y by a turn of -pi/2 about x, which leaves x and takes y to -z
  EXPECT_LT((X.p - Eigen::Vector3d(0.3, 0.0, 0.5 + 0.2)).norm(), 1e-15);
  EXPECT_LT((X.R - exp_so3(Eigen::Vector3d(0.0, 0.5, 0.0))).norm(), 1e-15);
  EXPECT_TRUE(noted(r, "the planar joint 'a' is a_x, a_y and a_yaw, without limits and drive"));
  EXPECT_LE(compare_engines(r.description, 20, 1).worst(), 1e-12);
}

TEST_F(Import, FloatingJointIsFreeInTheWorldAndRefusedOnWhatMoves) {
  const ImportedRobot r = import_urdf(
      write("f.urdf",
            "<robot name='r'><link name='origin'/><link name='arm'>" + kInertial +
                "</link><joint name='a' type='floating'><parent link='origin'/><child link='arm'/>"
                "<origin xyz='1 2 3'/></joint></robot>"));
  ASSERT_EQ(r.description.bodies.size(), 1U);
  EXPECT_EQ(r.description.bodies[0].joints[0].type, JointType::kFree);
  EXPECT_EQ(r.description.bodies[0].X_PB.p, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(r.description.frames[0].name, "origin");
  const auto file =
      write("g.urdf", "<robot name='r'><link name='base'>" + kInertial +
                          "</link>\n<link name='arm'>" + kInertial + "</link><link name='ball'>" +
                          kInertial + "</link>" + joint("revolute", kLimit) +
                          "\n<joint name='b' type='floating'><parent link='arm'/><child "
                          "link='ball'/></joint></robot>");
  EXPECT_EQ(error([&] { import_urdf(file); }),
            file.string() +
                ":3: joint 'b' floats, and its parent 'arm' moves; let it float in a link that is "
                "fixed to the root");
}

TEST_F(Import, KeepsTheBaseLinksMassAndEveryOther) {
  const ImportedRobot r = import_urdf(urdf(joint("fixed", "")));
  EXPECT_EQ(RobotModel(r.description).mass(), 2.0);
  EXPECT_EQ(r.description.bodies[0].inertial.mass, 1.0);
  EXPECT_EQ(r.description.bodies.size(), 2U);
}

TEST_F(Import, RepairsAnImpossibleInertiaAndReportsIt) {
  const std::string bad =
      "<inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
      "izz='5'/></inertial>";
  const ImportedRobot r = import_urdf(urdf(joint("fixed", ""), bad));
  ASSERT_EQ(r.repairs.size(), 1U);
  EXPECT_EQ(r.repairs[0].body, "arm");
  EXPECT_EQ(r.repairs[0].published, "ixx 1 ixy 0 ixz 0 iyy 1 iyz 0 izz 5");
  EXPECT_NE(r.repairs[0].reason.find("the largest exceeds the sum of the others"),
            std::string::npos);
}

TEST(RepairInertia, IsTheNearestPossibleOne) {
  // (1, 1, 5) violates I3 <= I1 + I2; nearest point of the plane I3 = I1 + I2: (2, 2, 4), distance
  // sqrt(3)
  const auto repaired =
      repair_inertia("b", 2.0, Eigen::Vector3d::Zero(), Eigen::Vector3d(1, 1, 5).asDiagonal());
  ASSERT_TRUE(repaired.repair);
  EXPECT_LT((repaired.inertial.principal - Eigen::Vector3d(2, 2, 4)).norm(), 1e-6);
  // turned axes are kept
  const Eigen::Matrix3d R = exp_so3(Eigen::Vector3d(0.3, -0.5, 0.7));
  const Eigen::Matrix3d turned = R * Eigen::Vector3d(1, 1.2, 5).asDiagonal() * R.transpose();
  const Eigen::Matrix3d used =
      repair_inertia("b", 2.0, Eigen::Vector3d::Zero(), turned).inertial.inertia_B();
  const Eigen::Matrix3d local = R.transpose() * used * R;
  EXPECT_LT((local - Eigen::Matrix3d(local.diagonal().asDiagonal())).norm(), 1e-12);
  EXPECT_NEAR(local(2, 2), local(0, 0) + local(1, 1), 1e-6);
}

TEST(RepairInertia, LeavesPossibleOnesAndRoundsLastDecimals) {
  const Eigen::Vector3d box(0.02, 0.03, 0.04), flat(0.01, 0.02, 0.03 * (1.0 + 1e-11));
  const auto kept = repair_inertia("b", 1.0, Eigen::Vector3d::Zero(), box.asDiagonal());
  EXPECT_FALSE(kept.repair);
  EXPECT_FALSE(kept.rounded);
  EXPECT_EQ(kept.inertial.principal, box);
  const auto rounded = repair_inertia("b", 1.0, Eigen::Vector3d::Zero(), flat.asDiagonal());
  EXPECT_FALSE(rounded.repair);
  EXPECT_TRUE(rounded.rounded);
  EXPECT_EQ(rounded.inertial.principal[2],
            rounded.inertial.principal[0] + rounded.inertial.principal[1]);
  // a negative moment and none at all become possible
  for (const Eigen::Vector3d& I : {Eigen::Vector3d(-0.1, 0.2, 0.3), Eigen::Vector3d(0.0, 0.0, 0.0),
                                   Eigen::Vector3d(-1, -1, -1)}) {
    const Eigen::Vector3d p =
        repair_inertia("b", 1.0, Eigen::Vector3d::Zero(), I.asDiagonal()).inertial.principal;
    EXPECT_GT(p.minCoeff(), 0.0);
    EXPECT_LE(2.0 * p.maxCoeff(), p.sum() * (1.0 + 1e-12));
  }
}

TEST_F(Import, TakesPrimitivesAsTheyAreAndFitsOrKeepsMeshes) {
  write("meshes of arm/cube.obj", cube_obj(0.1));
  const std::string shapes =
      kInertial +
      "<collision><geometry><box size='0.2 0.4 0.6'/></geometry></collision>"
      "<collision name='rod'><origin xyz='1 0 0'/><geometry><cylinder radius='0.1' "
      "length='0.4'/></geometry></collision>"
      "<collision name='rod'><geometry><sphere radius='0.3'/></geometry></collision>"
      "<collision><geometry><capsule radius='0.1' length='0.4'/></geometry></collision>"
      "<collision><origin xyz='0 0 2'/><geometry><mesh filename='meshes of arm/cube.obj' scale='1 "
      "2 3'/></geometry></collision>";
  const fs::path file = urdf(joint("fixed", ""), shapes);
  const auto arm = [](const ImportedRobot& r) { return r.description.bodies[1].shapes; };
  const ImportedRobot fit = import_urdf(file);
  ASSERT_EQ(arm(fit).size(), 5U);
  EXPECT_EQ(arm(fit)[0].size, Eigen::Vector3d(0.1, 0.2, 0.3));
  EXPECT_EQ(arm(fit)[1].name, "rod");
  EXPECT_EQ(arm(fit)[1].size[1], 0.2);
  EXPECT_EQ(arm(fit)[1].X_BG.p, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(arm(fit)[2].type, ShapeType::kSphere);
  EXPECT_TRUE(noted(fit, "a second collision named 'rod' is called 'arm_shape3'"));
  EXPECT_EQ(arm(fit)[3].type, ShapeType::kCapsule);
  // a mesh that is a box is one, scaled and moved
  const Shape box = arm(fit)[4];
  EXPECT_EQ(box.type, ShapeType::kBox);
  EXPECT_LT((box.X_BG.p - Eigen::Vector3d(0, 0, 2)).norm(), 1e-6);
  EXPECT_NEAR(box.size.prod(), 0.1 * 0.2 * 0.3, 1e-7);

  ImportOptions options;
  options.meshes = MeshShapes::kExact;
  const ImportedRobot exact = import_urdf(file, options);
  const Shape hull = arm(exact)[4];
  ASSERT_EQ(hull.type, ShapeType::kMesh);
  ASSERT_EQ(hull.vertices.size(), 8U);
  for (const auto& v : hull.vertices) {
    const Eigen::Vector3d p = hull.X_BG.p + hull.X_BG.q * v - Eigen::Vector3d(0, 0, 2);
    EXPECT_LT((p.cwiseAbs() - Eigen::Vector3d(0.1, 0.2, 0.3)).norm(), 1e-6);
  }
  options.meshes = MeshShapes::kNone;
  const ImportedRobot none = import_urdf(file, options);
  EXPECT_EQ(arm(none).size(), 4U);
  EXPECT_TRUE(noted(none, "the mesh 'meshes of arm/cube.obj' of shape 'arm_shape5' is left out"));
}

TEST_F(Import, FindsPackagesAboveTheFileStatedAndInTheEnvironment) {
  const fs::path mesh = write("pack/meshes/cube.obj", cube_obj(0.1));
  const fs::path elsewhere = write("other/place/meshes/cube.obj", cube_obj(0.1));
  MeshPaths paths{write("pack/urdf/r.urdf", ""), {}};
  EXPECT_EQ(fs::canonical(resolve_mesh("package://pack/meshes/cube.obj", paths)),
            fs::canonical(mesh));
  EXPECT_EQ(fs::canonical(resolve_mesh("../meshes/cube.obj", paths)), fs::canonical(mesh));
  EXPECT_EQ(fs::canonical(resolve_mesh("file://" + mesh.string(), paths)), fs::canonical(mesh));
  paths.packages["pack"] = folder_ / "other/place";
  EXPECT_EQ(fs::canonical(resolve_mesh("package://pack/meshes/cube.obj", paths)),
            fs::canonical(elsewhere));
  paths.packages.clear();
  ::setenv("ROS_PACKAGE_PATH", (folder_ / "other").c_str(), 1);
  EXPECT_EQ(fs::canonical(resolve_mesh("package://place/meshes/cube.obj", paths)),
            fs::canonical(elsewhere));
  ::unsetenv("ROS_PACKAGE_PATH");
  write("prefix/share/desc/cube.obj", cube_obj(0.1));
  ::setenv("AMENT_PREFIX_PATH", ("/nowhere:" + (folder_ / "prefix").string()).c_str(), 1);
  EXPECT_TRUE(fs::exists(resolve_mesh("package://desc/cube.obj", paths)));
  ::unsetenv("AMENT_PREFIX_PATH");
}

TEST_F(Import, NamesMeshesThatAreMissingOrUnreadableOrFlat) {
  const auto with = [&](const std::string& uri) {
    return urdf(joint("fixed", ""), kInertial + "<collision><geometry><mesh filename='" + uri +
                                        "'/></geometry></collision>");
  };
  const std::string place = (folder_ / "r.urdf").string() + ":1: ";
  EXPECT_EQ(
      error([&] { import_urdf(with("package://lost_desc/a.stl")); }),
      place +
          "the mesh 'package://lost_desc/a.stl' is not there: no folder 'lost_desc' was found; say "
          "where the package is: "
          "--package lost_desc=DIR, or ROS_PACKAGE_PATH; --shapes none imports without meshes");
  // as a shell takes it
  EXPECT_NE(error([&] {
              import_urdf(with("package://lost desc/a.stl"));
            }).find("--package 'lost desc=DIR', or"),
            std::string::npos);
  EXPECT_EQ(error([&] { import_urdf(with("a.stl")); }),
            place + "the mesh 'a.stl' is not there: no file " + (folder_ / "a.stl").string() +
                "; --shapes none imports without meshes");
  EXPECT_NE(error([&] {
              import_urdf(with("http://a/b.stl"));
            }).find("is neither a path nor package:// nor file://"),
            std::string::npos);
  EXPECT_NE(error([&] { import_urdf(with("package://x")); }).find("names no file of a package"),
            std::string::npos);
  write("broken.stl", "nonsense");
  EXPECT_NE(error([&] { import_urdf(with("broken.stl")); }).find("cannot be read"),
            std::string::npos);
  write("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  ImportOptions options;
  options.meshes = MeshShapes::kExact;
  EXPECT_NE(error([&] {
              import_urdf(with("flat.obj"), options);
            }).find("its vertices span no volume: use --shapes fit"),
            std::string::npos);
  EXPECT_EQ(import_urdf(with("flat.obj")).description.bodies[1].shapes.size(), 1U);
}

TEST_F(Import, ReadsColladaInItsUnitsAndAsItIsWritten) {
  // a triangle in centimetres, z up, below a node that moves it by 100
  const fs::path file = write("t.dae", R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>
<unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="pa" count="9">1 2 3 40 5 6 7 80 9</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
</source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>100 0 0</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
  const MeshSurface mesh = load_mesh(file, Eigen::Vector3d::Ones());
  const auto& vertices = mesh.vertices;
  EXPECT_EQ(mesh.triangles.size(), 1U);
  ASSERT_EQ(vertices.size(), 3U);
  const std::vector<Eigen::Vector3d> expected = {
      {1.01, 0.02, 0.03}, {1.40, 0.05, 0.06}, {1.07, 0.80, 0.09}};
  for (const auto& e : expected)
    EXPECT_TRUE(std::ranges::any_of(vertices, [&](const auto& v) { return (v - e).norm() < 1e-6; }))
        << e.transpose();
}

TEST_F(Import, ARobotsNameMustBeAnIdentifierAndBodiesAreGivenOne) {
  const auto file = write("n.urdf", "<robot name='mein \xc3\xa4rmchen'><link name='base link/1'>" +
                                        kInertial + "</link></robot>");
  EXPECT_EQ(
      error([&] { import_urdf(file); }),
      "n.urdf: the robot's name 'mein \xc3\xa4rmchen' is not an identifier (letters, digits, _ "
      "and -); give --name NAME");
  ImportOptions options;
  options.name = "arm";
  EXPECT_EQ(import_urdf(file, options).description.bodies[0].name, "base_link_1");
  options.mount = "hand";
  EXPECT_EQ(error([&] { import_urdf(file, options); }),
            "--mount 'hand' is not a body or frame of " + file.string() + "; it has: base link/1");
}

TEST_F(Import, OfMjcfTakesRangesAndForcesFromJointsAndActuators) {
  const auto file =
      write("m.xml",
            R"(<mujoco model="m"><compiler angle="radian"/><worldbody><body name="base">
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="j" axis="0 0 1" range="-1 2" actuatorfrcrange="-7 7"/>
<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="k" axis="0 1 0"/></body></body></body></worldbody>
<actuator><motor joint="k" gear="2" forcerange="-3 4" ctrlrange="-1 1"/></actuator></mujoco>)");
  EXPECT_EQ(error([&] { import_robot(file); }),
            file.string() +
                ": joint 'j' has no velocity limit: MJCF has none; give --velocity, or list the "
                "joint as passive with --passive j\n" +
                file.string() +
                ": joint 'k' has no velocity limit: MJCF has none; give --velocity, or list the "
                "joint as passive with --passive k");
  // as a shell takes it
  EXPECT_TRUE(error([&] {
                import_robot(write("spaced.xml", R"(<mujoco model="m"><worldbody><body name="a">
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="the j" axis="0 0 1" range="-1 2" actuatorfrcrange="-7 7"/></body></worldbody></mujoco>)"));
              }).ends_with("--passive 'the j'"));
  ImportOptions options;
  options.velocity = 2.0;
  const ImportedRobot r = import_robot(file, options);
  ASSERT_EQ(r.limits.size(), 2U);
  EXPECT_EQ(r.limits[0].limits.torque, 7.0);
  EXPECT_EQ(r.limits[0].limits.upper, 2.0);
  EXPECT_TRUE(r.limits[1].limits.continuous);
  // its control, at most 1 either way, is less than its force range allows; the gear doubles it
  EXPECT_EQ(r.limits[1].limits.torque, 2.0);
  EXPECT_TRUE(
      noted(r, "the actuator of joint 'k' has the force range -3 to 4: the smaller is its effort"));
  EXPECT_FALSE(r.limits[1].sources.contains("torque"));
}

}  // namespace import_test
}  // namespace handspan
