// An object of a scene as URDF and as MJCF: other programs find the mass, the centre, the inertia
// and the shapes that the scene has.
#include <gtest/gtest.h>

#include <fstream>
#include <pinocchio/parsers/urdf.hpp>

#include "core/error.hpp"
#include "robot/mujoco_shapes.hpp"
#include "robot/urdf_export.hpp"
#include "scene/load_scene.hpp"
#include "scene/mjcf.hpp"
#include "scene/scene_urdf.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace object_export_test {

// exact but for the last digits of rotations written as angles
constexpr double kSame = 1e-9;

// A bracket of two boxes and a ball off its origin, with an inertia that is nobody's default.
Scene bracket() {
  const auto file = std::filesystem::path(::testing::TempDir()) /
                    ("handspan_object_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << R"(name: bench
objects:
  bracket:
    pose: {position: [0.5, 0.2, 0.4], rpy: [0.1, -0.2, 0.3]}
    mass: 1.7
    center_of_mass: [0.03, -0.02, 0.01]
    inertia: [[0.011, 0.001, -0.0004], [0.001, 0.02, 0.0007], [-0.0004, 0.0007, 0.024]]
    shapes:
      - {type: box, size: [0.2, 0.1, 0.02], pose: {position: [0.1, 0, 0], rpy: [0.3, 0.1, -0.4]}}
      - {type: sphere, radius: 0.03, pose: {position: [0, 0.12, 0.02]}}
      - {type: cylinder, radius: 0.02, length: 0.1}
fixtures:
  table: {pose: {position: [0, 0, 0.1]}, shapes: [{type: box, size: [1, 1, 0.2]}]}
belts:
  line: {pose: {position: [0, 2, 0.1]}, size: [1, 0.4, 0.1], speed: 0.2 m/s}
)";
  Scene scene = load_scene(file);
  std::filesystem::remove(file);
  return scene;
}

TEST(ObjectExport, PinocchioReadsItsMassFromUrdf) {
  const Scene scene = bracket();
  const ModelDescription object = object_description(scene, "bracket", false);
  namespace pin = pinocchio;
  pin::Model theirs;
  pin::urdf::buildModelFromXML(export_urdf(object), pin::JointModelFreeFlyer(), theirs);
  const pin::Inertia& Y = theirs.inertias[1];
  const Inertial& ours = scene.objects[0].inertial;
  EXPECT_NEAR(Y.mass(), 1.7, kSame);
  EXPECT_LT((Y.lever() - ours.X_BC.p).norm(), kSame);
  EXPECT_LT((Y.inertia().matrix() - ours.inertia_B()).norm(), kSame);
  EXPECT_NEAR(Y.inertia().matrix()(0, 1), 0.001, kSame) << "as the file has it";
}

TEST(ObjectExport, MujocoReadsItsMassAndShapesFromMjcf) {
  const Scene scene = bracket();
  const std::string xml = write_mjcf(object_description(scene, "bracket", true));
  char error[500] = "";
  const MjSpecPtr spec(mj_parseXMLString(xml.c_str(), nullptr, error, sizeof error));
  ASSERT_NE(spec, nullptr) << error;
  const MjModelPtr model(mj_compile(spec.get(), nullptr));
  ASSERT_NE(model, nullptr) << mjs_getError(spec.get());
  ASSERT_EQ(model->nbody, 2);
  EXPECT_EQ(model->nv, 6) << "it moves freely";
  const Inertial& ours = scene.objects[0].inertial;
  EXPECT_NEAR(model->body_mass[1], 1.7, kSame);
  EXPECT_LT((Eigen::Map<const Eigen::Vector3d>(model->body_ipos + 3) - ours.X_BC.p).norm(), kSame);
  EXPECT_LT((Eigen::Map<const Eigen::Vector3d>(model->body_inertia + 3) - ours.principal).norm(),
            kSame);
  ASSERT_EQ(model->ngeom, 3);
  for (int g = 0; g < 3; ++g) {
    const Shape& shape = scene.objects[0].shapes[static_cast<std::size_t>(g)];
    EXPECT_LT((Eigen::Map<const Eigen::Vector3d>(model->geom_pos + 3 * g) - shape.X_BG.p).norm(),
              kSame);
    const Eigen::Quaterniond q = quaternion_from_mujoco(model->geom_quat + 4 * g);
    EXPECT_LT(q.angularDistance(shape.X_BG.q), 1e-7);
    EXPECT_NEAR(model->geom_size[3 * g], shape.size[0], kSame);
  }
}

TEST(ObjectExport, OurOwnReaderGetsTheSameBits) {
  const Scene scene = bracket();
  const ModelDescription object = object_description(scene, "bracket", true);
  const ModelDescription again = parse_mjcf(write_mjcf(object), "again").description;
  EXPECT_EQ(again.bodies[0].inertial.mass, object.bodies[0].inertial.mass);
  EXPECT_EQ(again.bodies[0].inertial.principal, object.bodies[0].inertial.principal);
  EXPECT_EQ(again.bodies[0].inertial.X_BC.p, object.bodies[0].inertial.X_BC.p);
  ASSERT_EQ(again.bodies[0].shapes.size(), 3U);
  EXPECT_EQ(again.bodies[0].shapes[0].size, object.bodies[0].shapes[0].size);
}

// of a mesh, with a name and a colour that XML would take for something else
TEST(ObjectExport, MeshesColoursAndNamesComeThrough) {
  ModelDescription object;
  object.name = "a<b & \"c\"";
  BodyDescription body;
  body.name = object.name;
  body.inertial = Inertial::from_full(1.0, {0, 0, 0}, Eigen::Matrix3d::Identity());
  Shape shape;
  shape.name = "'wedge' > 1";
  shape.type = ShapeType::kMesh;
  shape.rgba = {0.1F, 0.2F, 0.3F, 0.4F};
  shape.vertices = {{0, 0, 0}, {0.1234567890123, 0, 0}, {0, 0.2, 0}, {0, 0, 0.3}};
  body.shapes = {shape};
  object.bodies = {body};
  const ModelDescription again = parse_mjcf(write_mjcf(object), "again").description;
  EXPECT_EQ(again.bodies[0].name, object.name);
  ASSERT_EQ(again.bodies[0].shapes.size(), 1U);
  EXPECT_EQ(again.bodies[0].shapes[0].name, shape.name);
  EXPECT_EQ(again.bodies[0].shapes[0].rgba, shape.rgba);
  // the file has every digit; MuJoCo reads corners as floats
  EXPECT_NE(write_mjcf(object).find("0.1234567890123"), std::string::npos);
  for (std::size_t i = 0; i < shape.vertices.size(); ++i)
    EXPECT_EQ(again.bodies[0].shapes[0].vertices[i],
              shape.vertices[i].cast<float>().cast<double>().eval());
  const std::string urdf = export_urdf(object, {}, [](const Shape&) { return "meshes/w.stl"; });
  EXPECT_NE(urdf.find("filename=\"meshes/w.stl\""), std::string::npos);
  pinocchio::Model theirs;
  pinocchio::urdf::buildModelFromXML(urdf, pinocchio::JointModelFreeFlyer(), theirs);
  EXPECT_NEAR(theirs.inertias[1].mass(), 1.0, kSame);
}

std::string refusal(const std::string& name) {
  try {
    object_description(bracket(), name, false);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ObjectExport, SaysWhatIsNoObject) {
  EXPECT_EQ(refusal("brackt"), "the scene has no object 'brackt'; did you mean 'bracket'?");
  EXPECT_EQ(refusal("table"),
            "'table' of the scene is a fixture, which has no mass; what is exported is an object");
  EXPECT_EQ(refusal("line"),
            "'line' of the scene is a belt, which has no mass; what is exported is an object");
}

}  // namespace object_export_test
}  // namespace handspan
