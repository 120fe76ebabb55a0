// Both engines built from one description agree to rounding.
#include "import/parity.hpp"

#include <gtest/gtest.h>

#include <random>

#include "scene/mujoco_spec.hpp"
#include "scene/mujoco_state.hpp"
#include "support/random_model.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace parity_test {

// A hundred operations deep, entries of order one: rounding stays well below this.
constexpr double kParity = 1e-12;

TEST(Parity, HoldsForEveryKindOfJointOnEveryBase) {
  for (int seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(seed);
    const ModelDescription description = test::all_joints(random);
    for (const BaseType base : {BaseType::kFixed, BaseType::kFree, BaseType::kPlanar}) {
      const Parity parity = compare_engines(with_base(description, base), 20, seed);
      EXPECT_LE(parity.worst(), kParity) << "seed " << seed << ": " << parity.summary();
      EXPECT_EQ(parity.states, 20);
    }
  }
}

// Folders of robots/ of one kind.
std::vector<RobotFolder> folders(FolderKind kind) {
  std::vector<RobotFolder> out;
  for (const auto& entry : std::filesystem::directory_iterator(test::kSource / "robots")) {
    if (!entry.is_directory()) continue;
    RobotFolder folder = load_robot_folder(entry.path());
    if (folder.kind == kind) out.push_back(std::move(folder));
  }
  return out;
}

TEST(Parity, HoldsForEveryRobotWithEveryToolOnEveryBase) {
  int compared = 0;
  const auto tools = folders(FolderKind::kTool);
  for (const auto& robot : folders(FolderKind::kRobot)) {
    std::vector<ModelDescription> variants = {robot.description};
    for (const auto& tool : tools)
      variants.push_back(
          mounted(robot.description, *robot.mount, with_prefix(tool.description, tool.name + ".")));
    for (const auto& variant : variants)
      for (const BaseType base : {BaseType::kFixed, BaseType::kFree, BaseType::kPlanar}) {
        // one that rolls has its base already
        if (base != BaseType::kFixed && !variant.bodies.front().joints.empty()) continue;
        const Parity parity = compare_engines(with_base(variant, base), 100, 11);
        EXPECT_LE(parity.worst(), kParity)
            << robot.name << " of " << variant.bodies.size() << " bodies: " << parity.summary();
        EXPECT_EQ(parity.states, 100);
        ++compared;
      }
  }
  EXPECT_GE(compared, 27);  // three robots, bare and with two tools, on three bases
}

TEST(Parity, IsTriedWithRotatedPrincipalAxes) {
  int rotated = 0;
  for (const auto& robot : folders(FolderKind::kRobot))
    for (const auto& body : robot.description.bodies)
      rotated += std::abs(body.inertial.X_BC.q.w()) < 0.999 &&
                 body.inertial.X_BC.q.vec().cwiseAbs().maxCoeff() < 0.999;
  EXPECT_GE(rotated, 10);
}

// A comparison that cannot fail would show nothing.
TEST(Parity, SeesADifferenceOfOneInAMillion) {
  std::mt19937_64 random(5);
  ModelDescription d = test::all_joints(random);
  // two names for one joint would be one engine's mistake; here the mass of one body is another's
  const Parity same = compare_engines(d, 5, 1);
  const RobotModel model(d);
  d.bodies.back().parent = 0;
  d.bodies[3].inertial.mass *= 1.0 + 1e-6;
  const RobotModel heavier(d);
  RobotData a(model), b(heavier);
  const Eigen::VectorXd q = test::random_configuration(model, random);
  EXPECT_LE(same.worst(), kParity);
  EXPECT_GT((mass_matrix(model, a, q) - mass_matrix(heavier, b, q)).cwiseAbs().maxCoeff(), 1e-9);
}

// What the reader made of a file, against MuJoCo's own compilation of that file.
TEST(Parity, OfOurDescriptionWithMuJoCosOwnReading) {
  for (const FolderKind kind : {FolderKind::kRobot, FolderKind::kTool})
    for (const auto& robot : folders(kind)) {
      char error[500] = "";
      const MjModelPtr direct(
          mj_loadXML((robot.path / "model.xml").c_str(), nullptr, error, sizeof error));
      ASSERT_TRUE(direct) << error;
      direct->opt.disableflags |= mjDSBL_CONTACT;
      MjSpecPtr spec = make_spec();
      add_to_spec(spec.get(), robot.description, 0);
      const MjModelPtr ours = compile_spec(spec.get(), robot.name);
      ASSERT_EQ(direct->nv, ours->nv) << robot.name;
      ASSERT_EQ(direct->nbody, ours->nbody) << robot.name;
      ASSERT_EQ(direct->nsite, ours->nsite) << robot.name;
      ASSERT_EQ(direct->ngeom, ours->ngeom) << robot.name;
      const MjDataPtr a(mj_makeData(direct.get())), b(mj_makeData(ours.get()));
      std::mt19937_64 random(3);
      const auto nv = static_cast<Eigen::Index>(direct->nv);
      for (int state = 0; state < 20; ++state) {
        Eigen::VectorXd::Map(a->qpos, nv) = 2 * test::random_vector(nv, random);
        Eigen::VectorXd::Map(a->qvel, nv) = test::random_vector(nv, random);
        std::copy_n(a->qpos, nv, b->qpos);
        std::copy_n(a->qvel, nv, b->qvel);
        mj_forward(direct.get(), a.get());
        mj_forward(ours.get(), b.get());
        const auto close = [&](const mjtNum* x, const mjtNum* y, Eigen::Index n, const char* what) {
          if (n == 0) return;
          const auto X = Eigen::VectorXd::Map(x, n), Y = Eigen::VectorXd::Map(y, n);
          EXPECT_LE((X - Y).cwiseAbs().maxCoeff(), kParity * (1.0 + X.cwiseAbs().maxCoeff()))
              << robot.name << " " << what;
        };
        Eigen::MatrixXd M(nv, nv), N(nv, nv);
        mj_fullM(direct.get(), a.get(), M.data());
        mj_fullM(ours.get(), b.get(), N.data());
        close(M.data(), N.data(), nv * nv, "mass matrix");
        close(a->qfrc_bias, b->qfrc_bias, nv, "bias");
        close(a->qfrc_passive, b->qfrc_passive, nv, "damping");
        close(a->site_xpos, b->site_xpos, 3 * direct->nsite, "frames");
        close(a->geom_xpos, b->geom_xpos, 3 * direct->ngeom, "shapes");
        close(a->geom_xmat, b->geom_xmat, 9 * direct->ngeom, "shapes' rotations");
        close(a->xipos, b->xipos, 3 * direct->nbody, "centres of mass");
      }
      // what no dynamics of one state shows
      const auto equal = [&](const mjtNum* x, const mjtNum* y, Eigen::Index n, const char* what) {
        for (Eigen::Index i = 0; i < n; ++i)
          EXPECT_EQ(x[i], y[i]) << robot.name << " " << what << " " << i;
      };
      equal(direct->jnt_range, ours->jnt_range, 2 * direct->njnt, "range");
      equal(direct->dof_armature, ours->dof_armature, nv, "armature");
      equal(direct->dof_frictionloss, ours->dof_frictionloss, nv, "dry friction");
      equal(direct->body_mass, ours->body_mass, direct->nbody, "mass");
    }
}

}  // namespace parity_test
}  // namespace handspan
