// What a scene becomes in MuJoCo.
#include "scene/mujoco_scene.hpp"

#include <gtest/gtest.h>

#include "support/scenes.hpp"

namespace handspan {
namespace mujoco_scene_test {

using test::scene_of;

int id(const mjModel& m, int type, const char* name) { return mj_name2id(&m, type, name); }

TEST(CompiledScene, HasThePhysicsThatItIsGiven) {
  const Scene plain = scene_of("views: {}\n");
  const CompiledScene usual(plain);
  const mjOption& option = usual.model().opt;
  EXPECT_EQ(option.timestep, 0.001);
  EXPECT_EQ(option.integrator, mjINT_IMPLICITFAST);
  EXPECT_EQ(option.cone, mjCONE_ELLIPTIC);
  EXPECT_EQ(option.impratio, 100.0);
  EXPECT_EQ(option.noslip_iterations, 0);
  EXPECT_EQ(option.gravity[2], -9.81);
  const Scene own = scene_of(
      "physics: {timestep: 2 ms, friction_to_normal_impedance: 10, iterations: 50, tolerance: "
      "1e-8, gravity: [0, 0, 0], "
      "integrator: euler, cone: pyramidal, noslip_iterations: 3}\n");
  const CompiledScene other(own);
  EXPECT_EQ(other.model().opt.timestep, 0.002);
  EXPECT_EQ(other.model().opt.impratio, 10.0);
  EXPECT_EQ(other.model().opt.iterations, 50);
  EXPECT_EQ(other.model().opt.tolerance, 1e-8);
  EXPECT_EQ(other.model().opt.gravity[2], 0.0);
  EXPECT_EQ(other.model().opt.integrator, mjINT_EULER);
  EXPECT_EQ(other.model().opt.cone, mjCONE_PYRAMIDAL);
  EXPECT_EQ(other.model().opt.noslip_iterations, 3);
}

TEST(CompiledScene, MakesAPairOfEachRowAndNoneOfTheDefault) {
  const Scene scene = scene_of(
      "objects:\n  a:\n    pose: {position: [0, 0, 1]}\n    mass: 1\n    shapes: [{type: sphere, "
      "radius: 0.1, material: x}]\n"
      "  b:\n    pose: {position: [1, 0, 1]}\n    mass: 1\n    shapes: [{type: sphere, radius: "
      "0.1, material: y}]\n"
      "  c:\n    pose: {position: [2, 0, 1]}\n    mass: 1\n    shapes: [{type: sphere, radius: "
      "0.1, material: z}]\n"
      "contact:\n  default: {friction: 0.7}\n  pairs:\n"
      "    - {materials: [y, x], friction: 0.2, time_constant: 5 ms, damping_ratio: 0.8, "
      "impedance: [0.8, 0.9, 0.002]}\n"
      "    - {materials: [y, z], friction: 0, rolling_friction: 0.001}\n");
  const CompiledScene compiled(scene);
  const mjModel& m = compiled.model();
  ASSERT_EQ(m.npair, 2);
  EXPECT_EQ(m.pair_friction[0], 0.2);
  EXPECT_EQ(m.pair_friction[1], 0.2);
  EXPECT_EQ(m.pair_solref[0], 0.005);
  EXPECT_EQ(m.pair_solref[1], 0.8);
  EXPECT_EQ(m.pair_solimp[0], 0.8);
  EXPECT_EQ(m.pair_solimp[2], 0.002);
  EXPECT_EQ(m.pair_dim[0], 3);
  EXPECT_EQ(m.pair_dim[1], 6);
  EXPECT_EQ(m.geom_friction[3 * id(m, mjOBJ_GEOM, "a")], 0.7);
}

TEST(CompiledScene, LooksAtSurfaceVelocitiesThatAreZero) {
  const Scene scene = scene_of("belts:\n  b: {size: [1, 1, 1]}\n");
  const CompiledScene compiled(scene);
  EXPECT_TRUE(compiled.model().flg_surfacevel);
}

TEST(CompiledScene, PutsCamerasAsOpenCvHasThem) {
  // looking along +x of the world, image x to -y, image y down
  const Scene scene = scene_of(
      "cameras:\n  eye: {pose: {quaternion: [-0.5, 0.5, -0.5, 0.5]}, resolution: [640, 480], fy: "
      "480}\n");
  const CompiledScene compiled(scene);
  const MjDataPtr data(mj_makeData(&compiled.model()));
  mj_forward(&compiled.model(), data.get());
  const auto R = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(data->cam_xmat);
  const Eigen::Matrix3d R_WC = scene.cameras.front().X_WC.q.toRotationMatrix();
  EXPECT_LT((R_WC.col(2) - Eigen::Vector3d::UnitX()).norm(), 1e-12);
  EXPECT_LT((-R.col(2) - R_WC.col(2)).norm(), 1e-12);  // MuJoCo looks along -z
  EXPECT_LT((R.col(1) + R_WC.col(1)).norm(), 1e-12);   // with y up
  EXPECT_NEAR(compiled.model().cam_fovy[0], 2 * std::atan(0.5) * 180 / M_PI, 1e-9);
}

TEST(CompiledScene, NeverLetsNeighboursMeet) {
  const Scene scene = scene_of(
      "robots:\n  it: {robot: fr3, tool: plate}\ncontact: {pairs: [{materials: [shell, shell], "
      "friction: 0.3}, {materials: [pad, aluminium], friction: 0.3}]}\n");
  const CompiledScene compiled(scene);
  const mjModel& m = compiled.model();
  const auto& bodies = scene.robots.front().description.bodies;
  for (int p = 0; p < m.npair; ++p) {
    const int a = m.geom_bodyid[m.pair_geom1[p]], b = m.geom_bodyid[m.pair_geom2[p]];
    EXPECT_NE(m.body_weldid[a], m.body_weldid[b]);
    EXPECT_NE(m.body_weldid[m.body_parentid[m.body_weldid[a]]], m.body_weldid[b]);
    EXPECT_NE(m.body_weldid[m.body_parentid[m.body_weldid[b]]], m.body_weldid[a]);
  }
  EXPECT_GT(m.npair, 0);
  EXPECT_EQ(bodies.size() + 1, static_cast<std::size_t>(m.nbody));
}

TEST(CompiledScene, ForgetsKinematicMasses) {
  const Scene without =
      scene_of("objects:\n  a:\n    mass: 1\n    shapes: [{type: sphere, radius: 0.1}]\n");
  const Scene with = scene_of(
      "objects:\n  a:\n    mass: 1\n    shapes: [{type: sphere, radius: 0.1}]\n"
      "kinematic:\n  k:\n    shapes: [{type: sphere, radius: 0.1}]\n    motion: [{time: 0, pose: "
      "{position: [1, 0, 0]}}]\n");
  EXPECT_NEAR(CompiledScene(with).model().stat.meaninertia,
              CompiledScene(without).model().stat.meaninertia, 1e-12);
}

TEST(CompiledScene, FindsStartingOverlapsAndTheirDepth) {
  Scene scene = scene_of(
      "objects:\n  a:\n    mass: 1\n    shapes: [{type: sphere, radius: 0.1}]\n"
      "  b:\n    pose: {position: [0.5, 0, 0]}\n    mass: 1\n    shapes: [{type: sphere, radius: "
      "0.1}]\n");
  EXPECT_TRUE(starting_overlaps(CompiledScene(scene), 0.0).empty());
  scene.objects[1].X_WB.p[0] = 0.19;
  const auto overlaps = starting_overlaps(CompiledScene(scene), 1e-4);
  ASSERT_EQ(overlaps.size(), 1U);
  EXPECT_EQ(overlaps[0].a, "a");
  EXPECT_EQ(overlaps[0].b, "b");
  EXPECT_NEAR(overlaps[0].depth, 0.01, 1e-9);
}

TEST(KinematicState, StandsBeforeAndAfterAndMovesBetween) {
  KinematicBody k;
  k.waypoints = {
      {1.0, {{0, 0, 0}, Eigen::Quaterniond::Identity()}},
      {3.0, {{1, 2, 0}, Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()))}}};
  Placement X;
  Eigen::Vector3d v, w;
  for (const double t : {0.0, 0.999, 3.0, 9.0}) {
    kinematic_state(k, t, X, v, w);
    EXPECT_EQ(v, Eigen::Vector3d::Zero()) << t;
    EXPECT_EQ(w, Eigen::Vector3d::Zero()) << t;
    EXPECT_EQ(X.p, t < 2 ? Eigen::Vector3d(0, 0, 0) : Eigen::Vector3d(1, 2, 0)) << t;
  }
  for (const double t : {1.0, 1.7, 2.9}) {
    kinematic_state(k, t, X, v, w);
    EXPECT_LT((v - Eigen::Vector3d(0.5, 1, 0)).norm(), 1e-15);
    EXPECT_LT((w - Eigen::Vector3d(0.25, 0, 0)).norm(), 1e-12);
    EXPECT_LT((X.p - (t - 1) * Eigen::Vector3d(0.5, 1, 0)).norm(), 1e-15);
    EXPECT_LT(X.q.angularDistance(
                  Eigen::Quaterniond(Eigen::AngleAxisd(0.25 * (t - 1), Eigen::Vector3d::UnitX()))),
              1e-7);
  }
}

}  // namespace mujoco_scene_test
}  // namespace handspan
