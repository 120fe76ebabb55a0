// MJCF of other people: what is kept is what MuJoCo computes with, what is not is said.
#include "import/import_reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "import/import_fixture.hpp"
#include "robot/model.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {
namespace import_reduce_test {

const std::string kMass = "<inertial mass='1' pos='0.1 0.2 0.3' diaginertia='0.1 0.1 0.1'/>";

MjModelPtr compiled(const std::string& inside) {
  char error[1024] = "";
  const std::string xml =
      "<mujoco model='t'><compiler angle='radian' autolimits='true'/>" + inside + "</mujoco>";
  MjSpecPtr spec(mj_parseXMLString(xml.c_str(), nullptr, error, sizeof error));
  EXPECT_TRUE(spec) << error;
  spec->compiler.fusestatic = 0;
  return compile_spec(spec.get(), "t.xml");
}

bool told(const ReducedModel& r, const std::string& what) {
  return std::ranges::any_of(
      r.notes, [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

std::string notes(const ReducedModel& r) {
  std::string out;
  for (const auto& note : r.notes) out += note + "\n";
  return out;
}

// Poses of all bodies are MuJoCo's own, with three joints of refs in one body behind one another.
TEST(ImportReduce, RefsMoveTheZerosAndNothingElse) {
  const std::string inside =
      "<worldbody><body name='a' pos='0.1 0 0.2' euler='0.3 0 0.5'>" + kMass +
      "<joint name='i' axis='0 0.6 0.8' pos='0.1 0.2 0' ref='0.4'/>"
      "<joint name='j' type='slide' axis='1 0 0' ref='-0.3'/>"
      "<joint name='k' axis='1 0 0' pos='0 0.3 0.1' ref='-0.7' range='-1 2'/>"
      "<body name='b' pos='0 0 0.5'>" +
      kMass +
      "<joint name='l' axis='0 1 0' ref='1.1'/>"
      "</body></body></worldbody>"
      "<equality><joint joint1='l' joint2='k' polycoef='0.2 -2 0 0 0'/></equality>";
  const MjModelPtr mujoco = compiled(inside), changed = compiled(inside);
  const ReducedModel r = reduce(*changed, "t");
  const RobotModel model(r.description);
  RobotData robot(model);
  const MjDataPtr data(mj_makeData(mujoco.get()));
  Eigen::VectorXd q(4);
  q << 0.9, 0.25, -0.45, 0.6;
  for (int i = 0; i < 4; ++i) data->qpos[i] = q[i];
  mj_kinematics(mujoco.get(), data.get());
  update_kinematics(model, robot, q, Eigen::VectorXd::Zero(4));
  for (const char* name : {"a", "b"}) {
    const Pose X = frame_pose(model, robot, model.frame(name));
    const double* p = data->xpos + 3 * mj_name2id(mujoco.get(), mjOBJ_BODY, name);
    const double* R = data->xmat + 9 * mj_name2id(mujoco.get(), mjOBJ_BODY, name);
    EXPECT_LT((X.p - Eigen::Map<const Eigen::Vector3d>(p)).norm(), 1e-14) << name;
    EXPECT_LT((X.R - Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R)).norm(),
              1e-14)
        << name;
  }
  EXPECT_EQ(*r.description.bodies[0].joints[2].range, (std::array{-1.0, 2.0}));
  EXPECT_TRUE(told(r, "joint 'k' has ref -0.7: its body is moved"));
  // q_l - 1.1 = 0.2 - 2 (q_k + 0.7)
  ASSERT_EQ(r.description.mimics.size(), 1U);
  EXPECT_EQ(r.description.mimics[0].joint, "l");
  EXPECT_EQ(r.description.mimics[0].multiplier, -2.0);
  EXPECT_NEAR(r.description.mimics[0].offset, 1.1 + 0.2 - 2.0 * 0.7, 1e-15);
}

const std::string kFingers =
    "<worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='palm'>" + kMass +
    "<body name='l'>" + kMass +
    "<joint name='left' type='slide' range='0 0.04'/></body>"
    "<body name='r'>" +
    kMass +
    "<joint name='right' type='slide' range='0 0.04'/></body>"
    "</body></worldbody><tendon><fixed name='split'><joint joint='left' coef='0.5'/>"
    "<joint joint='right' coef='-0.5'/></fixed></tendon>";

TEST(ImportReduce, ATendonThatAnEqualityHoldsCouplesItsTwoJoints) {
  const MjModelPtr m =
      compiled(kFingers +
               "<equality><tendon tendon1='split' polycoef='0.01 0 0 0 0'/></equality>"
               "<actuator><general tendon='split' forcerange='-30 30' gear='2'/></actuator>");
  const ReducedModel r = reduce(*m, "t");
  // 0.5 l - 0.5 r = 0.01
  ASSERT_EQ(r.description.mimics.size(), 1U) << notes(r);
  EXPECT_EQ(r.description.mimics[0].joint, "right");
  EXPECT_EQ(r.description.mimics[0].master, "left");
  EXPECT_EQ(r.description.mimics[0].multiplier, 1.0);
  EXPECT_EQ(r.description.mimics[0].offset, -0.02);
  // the tendon pulls with 60 N at an arm of 0.5
  EXPECT_EQ(r.efforts.at("left"), 30.0);
  EXPECT_FALSE(told(r, "tendons are not kept"));
  EXPECT_EQ(r.ground, 0.0);
}

TEST(ImportReduce, WhatStandsInTheWorldIsKeptApart) {
  const MjModelPtr m = compiled(
      "<worldbody><geom type='plane' size='1 1 1' pos='0 0 -0.2'/>"
      "<geom type='plane' size='1 1 1' pos='0 0 -0.9'/>"
      "<geom name='horizon' type='plane' size='1 1 1' pos='0 0 3' contype='0' conaffinity='0'/>"
      "<geom name='wall' type='plane' size='1 1 1' euler='0 1.57 0'/>"
      "<geom name='table' type='box' size='0.3 0.4 0.05' pos='0.6 0 0.2' euler='0 0 0.5'/>"
      "<geom name='egg' type='ellipsoid' size='0.1 0.05 0.05'/>"
      "<geom name='mark' type='sphere' size='0.1' contype='0' conaffinity='0'/>"
      "<body name='a'>" +
      kMass + "<joint name='j'/></body></worldbody>");
  const ReducedModel r = reduce(*m, "t");
  EXPECT_EQ(r.ground, -0.2);
  ASSERT_EQ(r.surroundings.size(), 2U);
  EXPECT_EQ(r.surroundings[0].name, "table");
  EXPECT_EQ(r.surroundings[0].size, Eigen::Vector3d(0.3, 0.4, 0.05));
  EXPECT_EQ(r.surroundings[0].X_BG.p, Eigen::Vector3d(0.6, 0, 0.2));
  EXPECT_NEAR(r.surroundings[0].X_BG.q.angularDistance(
                  Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()))),
              0.0, 1e-7);
  EXPECT_EQ(r.surroundings[1].type, ShapeType::kCapsule);
  EXPECT_TRUE(told(r, "the geom 'wall' of the world is left out: a plane that is not level"));
  EXPECT_TRUE(told(r, "the geom 'mark' of the world is left out: it is only drawn"));
  EXPECT_TRUE(told(r, "the geom 'horizon' of the world is left out: it is only drawn"));
  EXPECT_TRUE(told(r, "of the level planes of the world the highest counts, not that at -0.9 m"));
  EXPECT_TRUE(told(r, "ellipsoids are capsules that cover them: 'egg'"));
  EXPECT_EQ(r.description.bodies.size(), 1U);
}

TEST(ImportReduce, ATendonAloneIsSaidAndItsJointsMoveForThemselves) {
  const MjModelPtr m = compiled(kFingers);
  const ReducedModel r = reduce(*m, "t");
  EXPECT_TRUE(r.description.mimics.empty());
  EXPECT_TRUE(told(r, "tendons are not kept: 'split'; joints that they couple move each for"));
}

TEST(ImportReduce, WhatIsNoLinearCouplingIsSaid) {
  const MjModelPtr m =
      compiled(kFingers +
               "<equality><joint name='curved' joint1='left' joint2='right' polycoef='0 1 3 0 0'/>"
               "<joint name='off' joint1='left' joint2='right' active='false'/>"
               "<connect name='loop' body1='l' body2='r' anchor='0 0 0'/></equality>");
  const ReducedModel r = reduce(*m, "t");
  EXPECT_TRUE(r.description.mimics.empty());
  EXPECT_TRUE(told(r, "equality 'curved', which is of joints, is not kept: only a linear"));
  EXPECT_TRUE(told(r, "equality 'off', which is of joints, is not kept: the file has it inactive"));
  EXPECT_TRUE(told(r, "equality 'loop', which connects two bodies, is not kept: the loop"));
}

TEST(ImportReduce, SpringsAreSaidWithTheirNumbers) {
  const MjModelPtr m =
      compiled("<worldbody><body name='b'>" + kMass +
               "<joint stiffness='3' springref='0.2' damping='0.5'/></body></worldbody>");
  const ReducedModel r = reduce(*m, "t");
  EXPECT_TRUE(told(r, "springs of joints are not kept: 'b_joint0' (3 about 0.2)")) << notes(r);
  EXPECT_EQ(r.description.bodies[0].joints[0].damping, 0.5);
}

TEST(ImportReduce, WhatAFileSwitchesOffOrSetsForTheWorldIsSaid) {
  const MjModelPtr m = compiled(
      "<option gravity='0 0 -981' density='1.2'><flag gravity='disable'/></option>"
      "<worldbody><body name='b' gravcomp='1'>" +
      kMass + "<joint name='j' type='ball' range='0 1'/></body></worldbody>");
  const ReducedModel r = reduce(*m, "t");
  for (const char* what :
       {"gravity 0 0 -981 m/s^2 is not kept", "the file switches gravity off", "the fluid (density",
        "gravcomp of 'b' is not kept", "the limit of the ball joint 'j' is not kept"})
    EXPECT_TRUE(told(r, what)) << what << "\nnot in\n" << notes(r);
}

TEST(ImportReduce, EffortsAreWhatActuatorsCanGive) {
  const MjModelPtr m = compiled(
      "<worldbody><body name='b'>" + kMass + "<joint name='motor'/><body name='c' pos='1 0 0'>" +
      kMass + "<joint name='limited'/><body name='d' pos='1 0 0'>" + kMass +
      "<joint name='own' actuatorfrcrange='-7 7'/><body name='e' pos='1 0 0'>" + kMass +
      "<joint name='servo'/><body name='f' pos='1 0 0'>" + kMass +
      "<joint name='idle' actuatorfrcrange='-1 2'/></body></body></body></body></body>"
      "</worldbody><actuator><motor joint='motor' gear='50' ctrlrange='-1 1'/>"
      "<motor joint='limited' gear='2' ctrlrange='-9 9' forcerange='-3 4'/>"
      "<motor joint='own' gear='100' ctrlrange='-1 1'/>"
      "<position joint='servo' kp='100' ctrlrange='-1 1'/></actuator>");
  const ReducedModel r = reduce(*m, "t");
  EXPECT_EQ(r.efforts.at("motor"), 50.0);
  EXPECT_EQ(r.efforts.at("limited"), 6.0);
  EXPECT_EQ(r.efforts.at("own"), 7.0);
  EXPECT_EQ(r.efforts.at("idle"), 1.0);
  EXPECT_FALSE(r.efforts.contains("servo")) << "a servo's control is not a force";
  EXPECT_EQ(r.actuated, (std::set<std::string>{"limited", "motor", "own", "servo"}));
  EXPECT_TRUE(told(r, "joint 'idle' has the force range -1 to 2: the smaller, 1, is its effort"));
}

TEST(ImportReduce, ACapsuleCoversAnEllipsoidTightly) {
  const MjModelPtr m = compiled("<worldbody><body name='b'>" + kMass +
                                "<geom name='g' type='ellipsoid' size='0.2 0.5 0.3'/>"
                                "<geom name='p' type='plane' size='1 1 1'/>"
                                "<geom name='s' type='sphere' size='0.1'/></body></worldbody>");
  const ReducedModel r = reduce(*m, "t");
  const auto& shapes = r.description.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[1].name, "s");
  EXPECT_TRUE(told(r, "the geom 'p' is left out: a plane of a body"));
  ASSERT_EQ(shapes[0].type, ShapeType::kCapsule);
  EXPECT_NEAR(shapes[0].size[0], 0.3, 1e-15);
  EXPECT_NEAR(shapes[0].size[1], 0.2, 1e-15);
  const Eigen::Vector3d axis = shapes[0].X_BG.q * Eigen::Vector3d::UnitZ();
  EXPECT_NEAR(std::abs(axis[1]), 1.0, 1e-12);
  double nearest = 1.0;
  for (int i = 0; i < 40; ++i)
    for (int k = 0; k < 40; ++k) {
      const double u = 0.157 * i, w = 0.0785 * k;
      const Eigen::Vector3d p(0.2 * std::sin(w) * std::cos(u), 0.5 * std::cos(w),
                              0.3 * std::sin(w) * std::sin(u));
      const double along = std::clamp(p[1], -0.2, 0.2);
      const double room = 0.3 - (p - Eigen::Vector3d(0, along, 0)).norm();
      EXPECT_GE(room, -1e-12) << p.transpose();
      nearest = std::min(nearest, room);
    }
  EXPECT_LT(nearest, 1e-3);
}

TEST(ImportReduce, MocapHandlesAreNoPartOfTheRobot) {
  const MjModelPtr m = compiled(
      "<worldbody><body name='handle' mocap='true'><site name='s'/></body>"
      "<body name='b'>" +
      kMass +
      "<joint name='j'/><site name='b'/>"
      "</body></worldbody>"
      "<keyframe><key name='home' qpos='0.5'/></keyframe>");
  const ReducedModel r = reduce(*m, "t");
  ASSERT_EQ(r.description.bodies.size(), 1U);
  EXPECT_EQ(r.description.bodies[0].name, "b");
  EXPECT_EQ(r.description.bodies[0].parent, -1);
  ASSERT_EQ(r.description.frames.size(), 1U);
  EXPECT_EQ(r.description.frames[0].name, "b_site");
  EXPECT_EQ(r.description.frames[0].body, 0);
  EXPECT_TRUE(told(r, "the mocap body 'handle' is left out"));
  ASSERT_EQ(r.keys.size(), 1U);
  EXPECT_EQ(r.keys[0].second.at("j"), 0.5);
}

class ImportReduced : public test::ImportTest {};

TEST_F(ImportReduced, JointsThatNoActuatorMovesAreNotDriven) {
  const auto file = write("m.xml",
                          "<mujoco model='m'><compiler angle='radian'/><worldbody>"
                          "<body name='a'>" +
                              kMass +
                              "<joint name='j' range='-1 1'/>"
                              "<body name='b' pos='0 0 1'>" +
                              kMass +
                              "<joint name='k' range='-1 1'/></body></body></worldbody>"
                              "<actuator><motor joint='j' gear='20' ctrlrange='-1 1'/>"
                              "</actuator></mujoco>");
  ImportOptions options;
  options.velocity = 2.0;
  const ImportedRobot r = import_robot(file, options);
  ASSERT_EQ(r.limits.size(), 1U);
  EXPECT_EQ(r.limits[0].joint, "j");
  EXPECT_EQ(r.limits[0].limits.torque, 20.0);
  EXPECT_EQ(r.undriven, std::vector<std::string>{"k"});
  // unless a person says with what force
  options.effort_by_joint = {{"k", 5.0}};
  options.velocity_by_joint = {{"k", 1.0}};
  const ImportedRobot both = import_robot(file, options);
  ASSERT_EQ(both.limits.size(), 2U);
  EXPECT_EQ(both.limits[1].limits.torque, 5.0);
  EXPECT_EQ(both.limits[1].limits.velocity, 1.0);
  EXPECT_EQ(both.limits[0].limits.velocity, 2.0);
  options.effort_by_joint["z"] = 1.0;
  EXPECT_NE(
      error([&] { import_robot(file, options); }).find("has no joint 'z' that --effort names"),
      std::string::npos);
}

TEST(ImportReduce, ABodyWithoutAMomentIsRepairedAndRoundingOfAMeshIsNone) {
  const MjModelPtr m = compiled(
      "<worldbody><body name='b'><inertial mass='2' pos='3e-8 0 0' diaginertia='0 0 0'/></body>"
      "</worldbody>");
  const ReducedModel r = reduce(*m, "t");
  EXPECT_GT(r.description.bodies[0].inertial.principal.minCoeff(), 0.0);
  EXPECT_EQ(r.description.bodies[0].inertial.X_BC.p, Eigen::Vector3d::Zero());
  EXPECT_TRUE(told(r, "the centre of mass of 'b' is 3e-08 m from its origin: 0"));
  ASSERT_EQ(r.repairs.size(), 1U);
  EXPECT_EQ(r.repairs[0].body, "b");
}

TEST_F(ImportReduced, GeomsAloneAreOneBody) {
  const ImportedRobot r =
      import_robot(write("brick.xml",
                         "<mujoco model='brick'><worldbody><geom type='box' size='0.1 0.2 0.3' "
                         "mass='0.5'/><site name='top' pos='0 0 0.3'/></worldbody></mujoco>"));
  ASSERT_EQ(r.description.bodies.size(), 1U);
  EXPECT_EQ(r.description.bodies[0].name, "brick");
  EXPECT_EQ(r.description.bodies[0].inertial.mass, 0.5);
  EXPECT_EQ(r.description.bodies[0].shapes.size(), 1U);
  ASSERT_EQ(r.description.frames.size(), 1U);
  EXPECT_EQ(r.description.frames[0].name, "brick_top");
  EXPECT_TRUE(noted(r,
                    "the file has geoms and no body: they are one, 'brick', and names begin "
                    "with 'brick_'"));
  EXPECT_NE(error([&] {
              import_robot(write("none.xml", "<mujoco model='none'/>"));
            }).find("none.xml: model 'none' has no bodies"),
            std::string::npos);
}

}  // namespace import_reduce_test
}  // namespace handspan
