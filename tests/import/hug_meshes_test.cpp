#include "import/hug_meshes.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <numbers>

#include "math/so3.hpp"

namespace handspan {
namespace hug_meshes_test {

int add_body(ModelDescription& d, const std::string& name, int parent, const Placement& X_PB = {}) {
  BodyDescription body;
  body.name = name;
  body.parent = parent;
  body.X_PB = X_PB;
  body.inertial.mass = 1.0;
  body.inertial.principal.setOnes();
  d.bodies.push_back(body);
  return static_cast<int>(d.bodies.size()) - 1;
}

void add_joint(ModelDescription& d, int body, const Eigen::Vector3d& axis,
               JointType type = JointType::kRevolute) {
  auto& to = d.bodies[static_cast<std::size_t>(body)];
  JointDescription joint;
  joint.name = to.name + "_joint" + std::to_string(to.joints.size());
  joint.axis = axis;
  joint.type = type;
  to.joints.push_back(joint);
}

Placement turned(const Eigen::Vector3d& p, double roll) {
  return {p, Eigen::Quaterniond(Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))};
}

const BodyDescription& body(const ModelDescription& d, int i) {
  return d.bodies[static_cast<std::size_t>(i)];
}

TEST(MountingPlane, IsThatOnWhichTheRobotStandsInTheBodysFrame) {
  ModelDescription d;
  const int root = add_body(d, "root", -1, turned({1.0, 2.0, 3.0}, 0.7));
  const int fixed = add_body(d, "fixed", root, turned({0.1, 0.2, 0.3}, std::numbers::pi / 2));
  const auto of_root = mounting_plane(d, body(d, root));
  ASSERT_TRUE(of_root);
  EXPECT_LT((of_root->n - Eigen::Vector3d::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(of_root->d, 0.0);
  const auto plane = mounting_plane(d, body(d, fixed));
  ASSERT_TRUE(plane);
  // any point: as high above the plane in the body as above z = 0 in the root
  const Eigen::Vector3d p_B(0.4, -0.5, 0.6);
  const double height = (body(d, fixed).X_PB.p + body(d, fixed).X_PB.q * p_B).z();
  EXPECT_NEAR(plane->n.dot(p_B) - plane->d, height, 1e-15);
  EXPECT_NEAR(plane->n.norm(), 1.0, 1e-15);
}

TEST(MountingPlane, IsThereForWhatTurnsAboutTheRootsZOnly) {
  ModelDescription d;
  const int root = add_body(d, "root", -1, turned(Eigen::Vector3d::Zero(), 0.3));
  const int base = add_body(d, "base", root, turned({0.0, 0.0, 0.2}, 0.0));
  add_joint(d, base, Eigen::Vector3d::UnitZ());
  const int upper = add_body(d, "upper", base);
  const int tilted =
      add_body(d, "tilted", root, turned(Eigen::Vector3d::Zero(), std::numbers::pi / 2));
  add_joint(d, tilted, Eigen::Vector3d::UnitY());  // the root's z
  const int arm = add_body(d, "arm", base);
  add_joint(d, arm, Eigen::Vector3d::UnitX());
  const int lift = add_body(d, "lift", root);
  add_joint(d, lift, Eigen::Vector3d::UnitZ(), JointType::kPrismatic);
  EXPECT_TRUE(mounting_plane(d, body(d, base)));
  EXPECT_EQ(mounting_plane(d, body(d, base))->d, -0.2);
  EXPECT_TRUE(mounting_plane(d, body(d, upper)));
  EXPECT_TRUE(mounting_plane(d, body(d, tilted)));
  EXPECT_FALSE(mounting_plane(d, body(d, arm)));
  EXPECT_FALSE(mounting_plane(d, body(d, lift)));
  // a root that moves stands on nothing
  add_joint(d, root, Eigen::Vector3d::UnitZ());
  EXPECT_FALSE(mounting_plane(d, body(d, base)));
}

MeshSurface box_mesh(const Eigen::Vector3d& half, const Eigen::Vector3d& at) {
  MeshSurface mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        at + half.cwiseProduct(Eigen::Vector3d((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1,
                                               (i & 4) != 0 ? 1 : -1)));
  mesh.triangles = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7}, {0, 5, 1}, {0, 4, 5},
                    {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  return mesh;
}

// two boxes at a right angle
MeshSurface angle_mesh() {
  MeshSurface mesh = box_mesh({0.3, 0.05, 0.05}, {0.3, 0.0, 0.2});
  const MeshSurface other = box_mesh({0.05, 0.05, 0.3}, {0.05, 0.0, 0.5});
  for (auto t : other.triangles) {
    for (int& i : t) i += 8;
    mesh.triangles.push_back(t);
  }
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  return mesh;
}

TEST(HugMeshes, ABoxBecomesABoxWhereTheMeshWasAndKeepsItsNameAndColour) {
  ModelDescription d;
  d.name = "d";
  add_body(d, "root", -1);
  BodyMesh mesh;
  mesh.body = "root";
  mesh.shape.name = "cover";
  mesh.shape.rgba = {0.1F, 0.2F, 0.3F, 0.4F};
  mesh.shape.X_BG = turned({0.0, 0.0, 1.0}, std::numbers::pi / 2);
  mesh.mesh = box_mesh({0.1, 0.2, 0.3}, {0.5, 0.0, 0.0});
  std::set<std::string> taken = {"cover"};
  std::vector<std::pair<std::size_t, std::size_t>> told;
  std::mutex telling;
  const auto hugged = hug_meshes(d, {mesh}, taken, [&](const char*, std::size_t n, std::size_t of) {
    const std::scoped_lock lock(telling);
    told.emplace_back(n, of);
  });
  ASSERT_EQ(hugged.size(), 1U);
  EXPECT_EQ(hugged[0].shapes, 1U);
  EXPECT_FALSE(hugged[0].convex_pieces);
  ASSERT_EQ(d.bodies[0].shapes.size(), 1U);
  const Shape& shape = d.bodies[0].shapes[0];
  EXPECT_EQ(shape.name, "cover");
  EXPECT_EQ(shape.type, ShapeType::kBox);
  EXPECT_EQ(shape.rgba, mesh.shape.rgba);
  EXPECT_NEAR(shape.size.prod(), 0.1 * 0.2 * 0.3, 1e-5);
  EXPECT_LT(
      (shape.X_BG.p - (mesh.shape.X_BG.p + mesh.shape.X_BG.q * Eigen::Vector3d(0.5, 0, 0))).norm(),
      1e-4);
  EXPECT_EQ(told, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}}));
}

TEST(HugMeshes, FurtherShapesHaveTheNextFreeNames) {
  ModelDescription d;
  d.name = "d";
  add_body(d, "root", -1);
  BodyMesh mesh;
  mesh.body = "root";
  mesh.shape.name = "angle";
  mesh.mesh = angle_mesh();
  std::set<std::string> taken = {"angle", "angle_2"};
  ModelDescription again = d;
  std::set<std::string> taken_again = taken;
  const auto hugged = hug_meshes(d, {mesh}, taken);
  const auto& shapes = d.bodies[0].shapes;
  ASSERT_GE(shapes.size(), 2U);
  EXPECT_EQ(hugged[0].shapes, shapes.size());
  EXPECT_EQ(shapes[0].name, "angle");
  for (std::size_t s = 1; s < shapes.size(); ++s) {
    EXPECT_EQ(shapes[s].name, "angle_" + std::to_string(s + 2));
    EXPECT_TRUE(taken.contains(shapes[s].name));
  }
  // the same another time
  hug_meshes(again, {mesh}, taken_again);
  ASSERT_EQ(again.bodies[0].shapes.size(), shapes.size());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    EXPECT_EQ(again.bodies[0].shapes[s].size, shapes[s].size);
    EXPECT_EQ(again.bodies[0].shapes[s].X_BG.p, shapes[s].X_BG.p);
  }
}

}  // namespace hug_meshes_test
}  // namespace handspan
