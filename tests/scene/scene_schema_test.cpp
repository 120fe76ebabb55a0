// What a scene file may say: every error with its place, cause and hint.
#include "scene/scene_schema.hpp"

#include <gtest/gtest.h>

#include "core/config.hpp"
#include "scene/load_scene.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace scene_schema_test {

using test::scene_error;

const std::string kBox =
    "objects:\n  box:\n    mass: 1\n    shapes: [{type: box, size: [1, 1, 1]}]\n";

// One object of this shape.
std::string shape(const std::string& text) {
  return "fixtures:\n  it:\n    shapes: [" + text + "]\n";
}

TEST(SceneSchema, NamesUnknownKeysWithTheNearest) {
  EXPECT_EQ(scene_error("objekts: {}"), "t.yaml:2: unknown key 'objekts'; did you mean 'objects'?");
  EXPECT_EQ(scene_error("physics: {gravty: [0, 0, 0]}"),
            "t.yaml:2: unknown key 'gravty' in physics; did you mean 'gravity'?");
  EXPECT_EQ(scene_error("robots:\n  left: {robot: fr3, tol: plate}"),
            "t.yaml:3: unknown key 'tol' in robots.left; did you mean 'tool'?");
  EXPECT_EQ(scene_error(shape("{type: box, size: [1, 1, 1], materiel: wood}")),
            "t.yaml:4: unknown key 'materiel' in fixtures.it.shapes[0]; did you mean 'material'?");
}

TEST(SceneSchema, NamesWrongUnitsAndNumbers) {
  EXPECT_EQ(scene_error("physics: {timestep: 1 kg}"),
            "t.yaml:2: physics.timestep is 1 kg; it must be a number in one of s, ms, us");
  EXPECT_EQ(scene_error("physics: {timestep: 0}"),
            "t.yaml:2: physics.timestep is 0; it must be > 0");
  EXPECT_EQ(scene_error("physics: {timestep: 21 ms}"),
            "t.yaml:2: physics.timestep is 21 ms; it must be <= 0.02 s");
  EXPECT_EQ(scene_error("physics: {gravity: [0, 0]}"),
            "t.yaml:2: physics.gravity has 2 items; it must be a list of 3 numbers");
  EXPECT_EQ(scene_error(shape("{type: sphere, radius: -1 mm}")),
            "t.yaml:4: fixtures.it.shapes[0].radius is -1 mm; it must be > 0");
  EXPECT_EQ(scene_error(shape("{type: box, size: [1, 0, 1]}")),
            "t.yaml:4: fixtures.it.shapes[0].size[1] is 0; it must be > 0");
  EXPECT_EQ(scene_error("belts:\n  b: {size: [1, 1, 1], speed: 11}"),
            "t.yaml:3: belts.b.speed is 11; it must be <= 10 m/s");
  EXPECT_EQ(scene_error("belts:\n  b: {size: [1, 1, 1], settable: [1, 1]}"),
            "t.yaml:3: belts.b.settable has no room between its ends; give the lowest speed, then "
            "the highest");
}

TEST(SceneSchema, ReadsUnits) {
  const Scene scene = test::scene_of(
      "physics: {timestep: 2 ms}\n"
      "fixtures:\n  it:\n    pose: {position: [10 cm, 0, 5 mm], rpy: [0, 0, 90 deg]}\n"
      "    shapes: [{type: cylinder, radius: 30 mm, length: 0.2}]\n");
  EXPECT_EQ(scene.physics.timestep, 0.002);
  const SceneBody& it = scene.fixtures.front();
  EXPECT_EQ(it.X_WB.p, Eigen::Vector3d(0.1, 0.0, 0.005));
  EXPECT_LT((it.X_WB.q * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_EQ(it.shapes.front().size, Eigen::Vector3d(0.03, 0.1, 0.0));
}

TEST(SceneSchema, WantsOneOrientation) {
  EXPECT_EQ(scene_error("frames:\n  f: {rpy: [0, 0, 0], quaternion: [0, 0, 0, 1]}"),
            "t.yaml:3: frames.f.rpy stands beside quaternion; give one of them");
  EXPECT_NE(scene_error("frames:\n  f: {quaternion: [0, 0, 0, 2]}").find("frames.f.quaternion"),
            std::string::npos);
  const Scene scene = test::scene_of("frames:\n  f: {quaternion: [1, 0, 0, 0]}");
  EXPECT_EQ(scene.frames.front().second.q.x(), 1.0);  // x y z w
}

TEST(SceneSchema, NamesShapesThereAre) {
  EXPECT_EQ(scene_error(shape("{type: bx, size: [1, 1, 1]}")),
            "t.yaml:4: fixtures.it.shapes[0].type is 'bx'; did you mean 'box'?");
  EXPECT_EQ(scene_error("fixtures:\n  it: {shapes: []}"),
            "t.yaml:3: fixtures.it.shapes has 0 items; it must have at least 1 item");
  EXPECT_EQ(scene_error("fixtures:\n  it: {}"),
            "t.yaml:3: fixtures.it has no key 'shapes'; add 'shapes: <list of one of box, sphere, "
            "cylinder, capsule, "
            "tray, mesh, at least 1 item>'");
}

TEST(SceneSchema, WantsMassAndACompleteInertia) {
  EXPECT_EQ(scene_error("objects:\n  box:\n    shapes: [{type: box, size: [1, 1, 1]}]\n"),
            "t.yaml:4: objects.box has no key 'mass'; add 'mass: <number [kg], > 0, <= "
            "1000000 kg>'");
  EXPECT_EQ(scene_error(kBox + "    center_of_mass: [0, 0, 0.1]\n"),
            "t.yaml:6: objects.box.center_of_mass stands without inertia; give both, or neither "
            "for uniform density");
  EXPECT_EQ(scene_error(kBox + "    inertia: [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]\n"),
            "t.yaml:6: objects.box.inertia is not symmetric");
}

TEST(SceneSchema, NamesLawsThatCannotBe) {
  EXPECT_EQ(scene_error("contact: {default: {friction: -0.1}}"),
            "t.yaml:2: contact.default.friction is -0.1; it must be >= 0");
  EXPECT_EQ(scene_error("contact: {default: {restitution: 1.0}}"),
            "t.yaml:2: contact.default.restitution is 1.0; it must be <= 0.95");
  EXPECT_EQ(scene_error("contact: {pairs: [{materials: [a], friction: 1}]}"),
            "t.yaml:2: contact.pairs[0].materials has 1 item; it must have exactly 2 items");
}

TEST(SceneSchema, WantsKinematicTimesToRise) {
  const auto motion = [](const std::string& second) {
    return "kinematic:\n  k:\n    shapes: [{type: sphere, radius: 1}]\n    motion:\n"
           "      - {time: 1, pose: {}}\n      - {time: " +
           second + ", pose: {}}\n";
  };
  EXPECT_EQ(scene_error(motion("1")),
            "t.yaml:6: kinematic.k.motion has times that do not rise; sort the waypoints by time");
  EXPECT_EQ(scene_error(motion("-1")),
            "t.yaml:7: kinematic.k.motion[1].time is -1; it must be >= 0");
  EXPECT_EQ(scene_error(motion("1.5")), "no error");
  EXPECT_EQ(
      scene_error("kinematic:\n  k:\n    shapes: [{type: sphere, radius: 1}]\n    motion: []\n"),
      "t.yaml:5: kinematic.k.motion has 0 items; it must have at least 1 item");
}

TEST(SceneSchema, NamesMeshFilesThatAreNone) {
  const test::TemporaryFolder folder;
  folder.write("empty.stl", "solid nothing\nendsolid nothing\n");
  EXPECT_NE(scene_error(shape("{type: mesh, file: absent.stl}")).find("shapes[0].file"),
            std::string::npos);
  const std::string message =
      scene_error(shape("{type: mesh, file: " + (folder.path() / "empty.stl").string() + "}"));
  EXPECT_NE(message.find("t.yaml:4: fixtures.it.shapes[0].file cannot be read as a mesh: "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; give a mesh file"), std::string::npos) << message;
}

TEST(SceneSchema, ReportsAllErrorsOfAFileAtOnce) {
  const std::string message =
      scene_error("physics: {timestep: 0}\nviews:\n  v: {eye: [0, 0, 0]}\nbelts: 3\n");
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
  EXPECT_NE(message.find("t.yaml:4: views.v has no key 'target'"), std::string::npos) << message;
  EXPECT_NE(message.find("t.yaml:5: belts is 3; it must be an object of names and values"),
            std::string::npos)
      << message;
}

TEST(SceneSchema, DocumentsEveryKey) {
  const std::string text = describe(scene_description());
  for (const char* key :
       {"robots", "objects", "fixtures", "belts", "kinematic", "cameras", "frames", "views",
        "pairs", "timestep", "restitution", "joint_friction", "center_of_mass", "latency"})
    EXPECT_NE(text.find(std::string("  ") + key + ": "), std::string::npos) << key;
}

}  // namespace scene_schema_test
}  // namespace handspan
