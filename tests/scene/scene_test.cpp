// A scene put together: names resolved, robots with tools placed, what does not fit is an error.
#include "scene/scene.hpp"
#include "scene/load_scene.hpp"

#include <gtest/gtest.h>

#include "robot/model.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace scene_test {

using test::scene_error;
using test::scene_of;

const std::string kBoxes =
    "objects:\n"
    "  box:\n"
    "    pose: {position: [0, 0, 0.5]}\n"
    "    mass: 2\n"
    "    shapes: [{type: box, size: [0.2, 0.2, 0.2], material: cardboard}]\n";

std::string ball(const std::string& name, const std::string& position) {
  return "  " + name + ":\n    pose: {position: " + position +
         "}\n    mass: 1\n    shapes: [{type: sphere, radius: 0.1}]\n";
}

TEST(Scene, LoadsTheScenesOfTheRepository) {
  int scenes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::kSource / "scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_NO_THROW(load_scene(entry.path())) << entry.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 1);
}

TEST(Scene, NamesARobotThatThereIsNot) {
  const std::string message = scene_error("robots:\n  left: {robot: fr33}\n");
  EXPECT_EQ(message.rfind("t.yaml:3: there is no robot 'fr33'; did you mean 'fr3'? (no "
                          "robot.yaml in ",
                          0),
            0U)
      << message;
}

TEST(Scene, WantsARobotAndATool) {
  EXPECT_EQ(scene_error("robots:\n  left: {robot: plate}\n"),
            "t.yaml:3: 'plate' is a tool; name a robot, and the tool under 'tool'");
  EXPECT_EQ(scene_error("robots:\n  left: {robot: fr3, tool: ur10}\n"),
            "t.yaml:3: 'ur10' is a robot, not a tool");
}

TEST(Scene, NamesPosesThereAre) {
  EXPECT_EQ(scene_error("robots:\n  left: {robot: ur10, pose: stanse}\n"),
            "t.yaml:3: robot 'ur10' has no pose 'stanse'; did you mean 'stance'?");
  EXPECT_EQ(scene_error("robots:\n  left: {robot: ur10, pose: upright, q: [0, 0, 0, 0, 0, 0]}\n"),
            "t.yaml:3: q stands beside pose; give one of them");
  EXPECT_EQ(scene_error("robots:\n  left: {robot: ur10, q: [0, 0, 0]}\n"),
            "t.yaml:3: q has 3 values; give 6");
}

TEST(Scene, StartsWithinLimits) {
  EXPECT_EQ(
      scene_error("robots:\n  left: {robot: ur10, q: [0, -1.57, 3.2, 0, 0, 0]}\n")
          .rfind("t.yaml:3: joint 'left.elbow_joint' starts at 3.2, outside its limits -3.14159",
                 0),
      0U);
}

TEST(Scene, StartsAtTheNamedPoseOrTheFirst) {
  const Scene scene = scene_of(
      "robots:\n  a: {robot: ur10, pose: upright}\n  b: {robot: ur10, base: {position: [3, 0, "
      "0]}}\n"
      "  c: {robot: ur10, q: [0.1, -1.5, 0.2, 0.3, 0.4, 0.5], base: {position: [6, 0, 0]}}\n");
  EXPECT_EQ(scene.robot("a")->q_start[0], 0.0);
  EXPECT_EQ(scene.robot("b")->q_start[4], 1.5707963267948966);
  EXPECT_EQ(scene.robot("c")->q_start[5], 0.5);
  EXPECT_EQ(scene.robot("d"), nullptr);
}

TEST(Scene, MountsToolsOnAnyRobot) {
  for (const std::string robot : {"fr3", "ur5", "ur10"})
    for (const std::string tool : {"plate", "vacuum"}) {
      const Scene scene = scene_of("robots:\n  it: {robot: " + robot + ", tool: " + tool +
                                   ", base: {position: [1, 2, 3], rpy: [0, 0, 90 deg]}}\n");
      const RobotInstance& it = scene.robots.front();
      const std::string tip = tool == "plate" ? "it.tcp" : "it.suction";
      ASSERT_GE(it.description.frame_index(tip), 0) << robot << tool;
      const RobotModel model(it.description);
      RobotData data(model);
      Eigen::VectorXd q = model.neutral();
      for (std::size_t i = 0; i < it.groups.front().joints.size(); ++i)
        q[model.joint(it.groups.front().joints[i]).q] = it.q_start[static_cast<Eigen::Index>(i)];
      update_kinematics(model, data, q, Eigen::VectorXd::Zero(model.nv()));
      // the tip is on the flange's axis, beyond it by the tool's length
      const Pose X_WF = frame_pose(model, data, model.frame("it.flange"));
      const Pose X_WT = frame_pose(model, data, model.frame(tip));
      const Eigen::Vector3d p_FT = X_WF.inverse() * X_WT.p;
      EXPECT_LT((p_FT - Eigen::Vector3d(0, 0, tool == "plate" ? 0.036 : 0.14)).norm(), 1e-12)
          << robot << tool;
      // the base is where the scene puts it
      const Pose X_WB = frame_pose(model, data, model.frame("it.base"));
      EXPECT_LT((X_WB.p - Eigen::Vector3d(1, 2, 3)).norm(), 1e-12);
      EXPECT_LT((X_WB.R.col(0) - Eigen::Vector3d::UnitY()).norm(), 1e-12);
      EXPECT_EQ(it.sensors.size(), tool == "plate" ? 1U : 0U);
      EXPECT_EQ(it.suctions.size(), tool == "vacuum" ? 1U : 0U);
    }
}

TEST(Scene, TakesJointFrictionAwayWhenAsked) {
  const auto friction = [](const std::string& key) {
    double sum = 0.0;
    const Scene scene = scene_of("robots:\n  it: {robot: fr3" + key + "}\n");
    for (const auto& body : scene.robots.front().description.bodies)
      for (const auto& joint : body.joints) sum += joint.friction_loss + joint.damping;
    return sum;
  };
  EXPECT_GT(friction(""), 1.0);
  EXPECT_EQ(friction(", joint_friction: false"), 0.0);
}

TEST(Scene, RefusesBodiesThatStartInOneAnother) {
  EXPECT_EQ(scene_error("objects:\n" + ball("a", "[0, 0, 1]") + ball("b", "[0, 0, 1.195]")),
            "t.yaml: 'a' starts 5.0 mm deep in 'b'; move one of them: objects.a.pose or "
            "objects.b.pose");
  // on the border of what is let pass: 0.1 mm
  EXPECT_EQ(scene_error("objects:\n" + ball("a", "[0, 0, 1]") + ball("b", "[0, 0, 1.19992]")),
            "no error");
  EXPECT_NE(scene_error("objects:\n" + ball("a", "[0, 0, 1]") + ball("b", "[0, 0, 1.19988]")),
            "no error");
  EXPECT_NE(scene_error("objects:\n" + ball("a", "[0, 0, 1]") +
                        "fixtures:\n  wall:\n    pose: {position: [0.15, 0, 1]}\n    shapes: "
                        "[{type: box, size: [0.2, 1, 1]}]\n")
                .find("'a' starts 50.0 mm deep in 'wall'"),
            std::string::npos);
}

TEST(Scene, LetsImmovableBodiesOverlap) {
  const std::string block =
      ":\n    pose: {position: [0, 0, 0]}\n    shapes: [{type: box, size: [1, 1, 1]}]\n";
  EXPECT_EQ(
      scene_error(
          "fixtures:\n  a" + block + "  b" + block + "belts:\n  c: {size: [1, 1, 1]}\n" +
          "kinematic:\n  d:\n    shapes: [{type: sphere, radius: 1}]\n    motion: [{time: 0, pose: "
          "{}}]\n"
          "  e:\n    shapes: [{type: sphere, radius: 1}]\n    motion: [{time: 0, pose: {}}]\n"),
      "no error");
  // a robot's base may stand a little in its table, and in a kinematic cart
  EXPECT_EQ(
      scene_error("robots:\n  it: {robot: ur10, base: {position: [0, 0, 0.499]}, pose: upright}\n"
                  "fixtures:\n  table:\n    shapes: [{type: box, size: [1, 1, 1]}]\n"
                  "contact: {pairs: [{materials: [shell, shell], friction: 0.3}]}\n"),
      "no error");
}

TEST(Scene, RefusesARobotInItsTable) {
  const std::string message = scene_error(
      "robots:\n  it: {robot: ur10, q: [0, 0, 0, 0, 0, 0], base: {position: [0, 0, 0.45]}}\n"
      "fixtures:\n  table:\n    shapes: [{type: box, size: [2, 2, 1]}]\n");
  EXPECT_NE(message.find("mm deep in 'table'"), std::string::npos) << message;
}

TEST(Scene, NamesMaterialsThereAre) {
  EXPECT_EQ(
      scene_error(kBoxes +
                  "contact:\n  pairs:\n    - {materials: [cardbord, cardboard], friction: 1}\n"),
      "t.yaml:9: no shape of the scene is of material 'cardbord'; did you mean 'cardboard'?");
}

TEST(Scene, ASlipInTheMaterialOfAShapeIsNotTheDefaultLaw) {
  const std::string slip =
      "  other: {pose: {position: [1, 0, 1]}, mass: 1, shapes: [{type: sphere, radius: 0.1, "
      "material: "
      "MATERIAL}]}\n";
  const auto with = [&](const std::string& material) {
    std::string body = slip;
    body.replace(body.find("MATERIAL"), 8, material);
    return scene_error("contact: {pairs: [{materials: [cardboard, cardboard], friction: 0.3}]}\n" +
                       kBoxes + body);
  };
  const std::string told = with("cardbord");
  EXPECT_NE(told.find("'cardbord'"), std::string::npos) << told;
  EXPECT_NE(told.find("did you mean 'cardboard'?"), std::string::npos) << told;
  EXPECT_EQ(with("steel"), "no error");
  EXPECT_EQ(with("cardboard"), "no error");
}

TEST(Scene, NumbersAreOfThisWorld) {
  const std::pair<const char*, const char*> cases[] = {
      {"objects: {a: {pose: {position: [1e11, 0, 0]}, mass: 1, shapes: [{type: sphere, radius: "
       "1}]}}",
       "position"},
      {"objects: {a: {mass: 1e300, shapes: [{type: sphere, radius: 1}]}}", "mass"},
      {"objects: {a: {mass: 1, shapes: [{type: sphere, radius: 1e300}]}}", "radius"},
      {"objects: {a: {mass: 1, shapes: [{type: box, size: [1, 1e9, 1]}]}}", "size"},
      {"contact: {default: {friction: 1e300}}", "friction"},
      {"contact: {default: {time_constant: 1e300}}", "time_constant"},
      {"ground: {height: 1e9}", "height"},
      {"robots: {arm: {robot: ur10, tool: vacuum, suction: {cup: {lip: {radius: 1e300}}}}}",
       "radius"}};
  for (const auto& [text, key] : cases) {
    const std::string told = scene_error(text);
    EXPECT_NE(told.find(key), std::string::npos) << text << "\n" << told;
    EXPECT_NE(told.find("t.yaml:2"), std::string::npos) << text << "\n" << told;
  }
}

TEST(Scene, WantsOneRowForEachPairOfMaterials) {
  const std::string plank =
      "fixtures:\n  plank:\n    shapes: [{type: box, size: [1, 1, 0.1], material: wood}]\n";
  EXPECT_EQ(scene_error(kBoxes + plank +
                        "contact:\n  pairs:\n    - {materials: [wood, cardboard], friction: 1}\n"
                        "    - {materials: [cardboard, wood], friction: 0.5}\n"),
            "t.yaml:13: materials cardboard and wood have two rows; keep one");
  const Scene scene = scene_of(
      kBoxes + plank + "contact:\n  pairs: [{materials: [wood, cardboard], friction: 0.25}]\n");
  EXPECT_EQ(scene.law("cardboard", "wood").friction, 0.25);
  EXPECT_EQ(scene.law("wood", "cardboard").friction, 0.25);
  EXPECT_EQ(scene.law("wood", "wood").friction, 0.5);
}

TEST(Scene, NamesLawsThatTheStepCannotFollow) {
  EXPECT_EQ(scene_error("contact:\n  default: {time_constant: 1.9 ms}\n"),
            "t.yaml: time_constant is 0.0019 s; it must be at least two time steps, 0.002 s, or "
            "the contact bursts");
  EXPECT_EQ(scene_error("contact:\n  default: {restitution: 0.9, stiffness: 1e6}\n"),
            "t.yaml: a contact of stiffness 1000000 1/s^2 lasts less than 8 steps of 0.001 s; use "
            "at most 160000");
  EXPECT_EQ(scene_error("contact:\n  default: {impedance: [0.95, 0.9, 0.001]}\n"),
            "t.yaml: impedance falls, or reaches 1; give at contact <= at full width < 1, and the "
            "width in m");
  EXPECT_EQ(scene_error("contact:\n  default: {friction_damping: 10}\n"),
            "t.yaml: the default law has friction_damping; MuJoCo knows it of pairs only: give it "
            "in a row");
  EXPECT_EQ(
      scene_error(
          kBoxes +
          "contact:\n  pairs:\n    - {materials: [cardboard, cardboard], time_constant: 1 us}\n"),
      "t.yaml:9: time_constant is 1e-06 s; it must be at least two time steps, 0.002 s, or the "
      "contact bursts");
}

TEST(Scene, NamesInertiasThatNoBodyHas) {
  EXPECT_EQ(scene_error(kBoxes + "    inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 2.5]]\n"),
            "t.yaml:4: body 'box' has principal inertias 1, 1, 2.5 kg m^2, which no body can have: "
            "the largest exceeds the "
            "sum of the others");
  EXPECT_EQ(scene_error(kBoxes + "    inertia: [[1, 0, 0], [0, -1, 0], [0, 0, 1]]\n"),
            "t.yaml:4: body 'box' has principal inertias 1, -1, 1 kg m^2; each must be > 0");
}

TEST(Scene, NamesAMeshWithoutVolume) {
  const test::TemporaryFolder folder;
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  const std::string message =
      scene_error("objects:\n  it:\n    mass: 1\n    shapes: [{type: mesh, file: " +
                  (folder.path() / "flat.obj").string() + "}]\n");
  EXPECT_EQ(message, "t.yaml:5: objects.it.shapes[0].file is " +
                         (folder.path() / "flat.obj").string() +
                         ", which is flat: all of it lies in a plane through (0, 0, 0) m; give a "
                         "solid, such as a box as thick as it is");
}

// A box without its top, and one that is inside out. Neither matters where the inertia is given,
// nor of a fixture.
TEST(Scene, NamesMeshesThatEncloseNothing) {
  const test::TemporaryFolder folder;
  const std::string corners =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
  const std::string sides = "f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 1 4 3 2\n";
  folder.write("open.obj", corners + sides);
  folder.write("turned.obj",
               corners + "f 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\nf 2 3 4 1\nf 8 7 6 5\n");
  const auto shapes = [&](const std::string& file) {
    return "    shapes: [{type: mesh, scale: 0.1, file: " + (folder.path() / file).string() +
           "}]\n";
  };
  const std::string said = scene_error("objects:\n  a:\n    mass: 1\n" + shapes("open.obj") +
                                       "  b:\n    mass: 1\n" + shapes("turned.obj"));
  EXPECT_NE(
      said.find("t.yaml:5: objects.a.shapes[0].file is " + (folder.path() / "open.obj").string() +
                ", which is open: there is a hole of 4 edges about (0.05, 0.05, 0.1) m; close "
                "it in the program that made it, or give center_of_mass and inertia"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("t.yaml:8: objects.b.shapes[0].file is " +
                      (folder.path() / "turned.obj").string() + ", which is inside out: "),
            std::string::npos)
      << said;
  EXPECT_EQ(scene_error("objects:\n  a:\n    mass: 1\n    pose: {position: [0, 0, 1]}\n    "
                        "center_of_mass: [0, 0, 0]\n    inertia: [[1, 0, 0], [0, 1, 0], [0, 0, "
                        "1]]\n" +
                        shapes("open.obj") + "fixtures:\n  b:\n" + shapes("turned.obj")),
            "no error");
}

// an L of three cubes of 0.1 m: its hull would be a sixth larger, and its centre elsewhere
TEST(Scene, AConcaveMeshHasTheMassOfWhatItEncloses) {
  const test::TemporaryFolder folder;
  folder.write("l.obj",
               "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
               "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
               "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n"
               "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n");
  const std::string text =
      "objects:\n  it:\n    mass: 3\n    pose: {position: [0, 0, 1]}\n    "
      "shapes: [{type: mesh, scale: 0.1, pose: {position: [1, 0, 0]}, file: " +
      (folder.path() / "l.obj").string();
  const Scene hull = scene_of(text + "}]\n"), parts = scene_of(text + ", parts: 2}]\n");
  // cubes of 1 kg with their middles at (5, 5), (15, 5), (5, 15) cm
  const Inertial& inertial = hull.objects.front().inertial;
  EXPECT_LT((inertial.X_BC.p - Eigen::Vector3d(1.0 + 0.25 / 3.0, 0.25 / 3.0, 0.05)).norm(), 1e-7);
  const double cube = 0.1 * 0.1 / 6.0, off = 2.0 / 3.0 * 0.1 * 0.1;
  const Eigen::Matrix3d I = inertial.inertia_B();
  EXPECT_NEAR(I(0, 0), 3.0 * cube + off, 1e-8);
  EXPECT_NEAR(I(2, 2), 3.0 * cube + 2.0 * off, 1e-8);
  EXPECT_NEAR(I(0, 1), off / 2.0, 1e-8);
  // what touches: the hull, or two boxes that leave the corner free; the mass is the same
  EXPECT_EQ(hull.objects.front().shapes.size(), 1U);
  EXPECT_EQ(parts.objects.front().shapes.size(), 2U);
  EXPECT_LT((parts.objects.front().inertial.inertia_B() - I).norm(), 1e-15);
}

TEST(Scene, WantsNamesOfTheirOwn) {
  const std::string block = ":\n    shapes: [{type: box, size: [1, 1, 1]}]\n";
  EXPECT_EQ(scene_error(kBoxes + "fixtures:\n  box" + block),
            "t.yaml:9: there is a body 'box' already; give each a name of its own\n"
            "t.yaml:9: there is a shape 'box' already; give each a name of its own");
  EXPECT_EQ(scene_error("fixtures:\n  world" + block),
            "t.yaml:4: 'world' is the world's own name; choose another");
  EXPECT_EQ(
      scene_error("fixtures:\n  'my box'" + block),
      "t.yaml:4: 'my box' is not a name; use letters, digits, '_', '-' and '.', at least one\n"
      "t.yaml:4: 'my box' is not a name; use letters, digits, '_', '-' and '.', at least one");
  // the first of two shapes of 'a' is called a_1
  EXPECT_NE(scene_error("fixtures:\n  a:\n    shapes: [{type: sphere, radius: 1}, {type: sphere, "
                        "radius: 2}]\n  a_1" +
                        block)
                .find("there is a shape 'a_1' already"),
            std::string::npos);
  EXPECT_NE(
      scene_error("robots:\n  it: {robot: ur10}\nframes:\n  it.flange: {position: [0, 0, 0]}\n")
          .find("t.yaml:5: there is a frame 'it.flange' already"),
      std::string::npos);
  EXPECT_NE(scene_error("robots:\n  it: {robot: ur10}\nfixtures:\n  it.base" + block)
                .find("there is a body 'it.base' already"),
            std::string::npos);
}

TEST(Scene, BuildsAllShapes) {
  const test::TemporaryFolder folder;
  folder.write("tetra.obj",
               "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const Scene scene = scene_of(
      "objects:\n"
      "  compound:\n    pose: {position: [0, 0, 1]}\n    mass: 1\n"
      "    shapes:\n"
      "      - {type: box, size: [0.1, 0.2, 0.3]}\n"
      "      - {type: sphere, radius: 0.1, pose: {position: [1, 0, 0]}}\n"
      "      - {type: cylinder, radius: 0.1, length: 0.4, pose: {position: [2, 0, 0]}}\n"
      "      - {type: capsule, radius: 0.1, length: 0.4, pose: {position: [3, 0, 0]}}\n"
      "      - {type: mesh, file: " +
      (folder.path() / "tetra.obj").string() +
      ", scale: 2, pose: {position: [4, 0, 0]}}\n"
      "fixtures:\n  tray:\n    shapes: [{type: tray, size: [0.4, 0.3, 0.05], wall: 0.02}]\n");
  const auto& shapes = scene.objects.front().shapes;
  ASSERT_EQ(shapes.size(), 5U);
  EXPECT_EQ(shapes[0].name, "compound_1");
  EXPECT_EQ(shapes[0].size, Eigen::Vector3d(0.05, 0.1, 0.15));
  EXPECT_EQ(shapes[3].size, Eigen::Vector3d(0.1, 0.2, 0.0));
  // a reader may list a corner once a face; the hull is what counts
  ASSERT_GE(shapes[4].vertices.size(), 4U);
  Eigen::Vector3d most = Eigen::Vector3d::Zero();
  for (const auto& v : shapes[4].vertices) most = most.cwiseMax(v);
  EXPECT_LT((most - Eigen::Vector3d::Constant(0.2)).norm(), 1e-7);
  // floor and four walls around a free inside of the asked size
  const auto& tray = scene.fixtures.front().shapes;
  ASSERT_EQ(tray.size(), 5U);
  EXPECT_EQ(tray[0].X_BG.p[2] + tray[0].size[2], 0.0);
  Eigen::Vector2d inside(10, 10);
  for (std::size_t i = 1; i < 5; ++i)
    for (int axis = 0; axis < 2; ++axis) {
      const double gap = std::abs(tray[i].X_BG.p[axis]) - tray[i].size[axis];
      if (gap > 0) inside[axis] = std::min(inside[axis], gap);
      EXPECT_NEAR(tray[i].X_BG.p[2] + tray[i].size[2], 0.05, 1e-15);
    }
  EXPECT_LT((inside - Eigen::Vector2d(0.2, 0.15)).norm(), 1e-15);
}

TEST(Scene, RefusesWhatACameraDoesNotShowYet) {
  const auto camera = [](const std::string& keys) {
    return scene_error("cameras:\n  eye: {pose: {position: [1, 2, 3]}, resolution: [320, 240], " +
                       keys + "}\n");
  };
  EXPECT_NE(camera("fx: 300, fy: 310").find("fx is not yet of any effect"), std::string::npos);
  EXPECT_NE(camera("cx: 161").find("cx is not yet of any effect"), std::string::npos);
  EXPECT_NE(camera("cy: 100").find("leave it out, or write 120"), std::string::npos);
}

TEST(Scene, KeepsCamerasFramesAndViews) {
  const Scene scene = scene_of(
      "cameras:\n  eye: {pose: {position: [1, 2, 3]}, resolution: [320, 240], fx: 310, fy: 310, "
      "cx: 160, cy: 120, rate: 60, "
      "latency: 20 ms}\n"
      "frames:\n  drop: {position: [1, 0, 0]}\nviews:\n  front: {eye: [1, 1, 1], target: [0, 0, "
      "0]}\n");
  const CameraDescription& camera = scene.cameras.front();
  EXPECT_EQ(camera.name, "eye");
  EXPECT_EQ(camera.X_WC.p, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(camera.resolution[1], 240);
  EXPECT_EQ(camera.fy, 310);
  EXPECT_EQ(camera.rate, 60);
  EXPECT_EQ(camera.latency, 0.02);
  EXPECT_EQ(scene.frames.front().first, "drop");
  EXPECT_EQ(scene.views.front().name, "front");
}

}  // namespace scene_test
}  // namespace handspan
