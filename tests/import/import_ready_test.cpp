// The pose in which an imported robot starts.
#include "import/import_ready.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "import/import_fixture.hpp"
#include "import/import_write.hpp"
#include "robot/model.hpp"
#include "scene/mujoco_spec.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {
namespace import_ready_test {

namespace fs = std::filesystem;
using test::kInertial;

class ImportReady : public test::ImportTest {
 protected:
  // Four links of 0.3 m in one plane; folded flat at zero, each beside the one before the last.
  fs::path folded(const std::string& limits) {
    std::string text = "<robot name='r'>";
    const std::string rod =
        "<collision><origin xyz='0 0 0.15'/><geometry><capsule radius='0.04' length='0.2'/>"
        "</geometry></collision>";
    for (int i = 0; i < 5; ++i)
      text += fmt::format("<link name='l{}'>{}{}</link>", i, kInertial, rod);
    for (int i = 1; i < 5; ++i)
      text += fmt::format(
          "<joint name='j{}' type='revolute'><parent link='l{}'/><child link='l{}'/>"
          "<origin xyz='0 0 0.3' rpy='0 3.14159 0'/><axis xyz='0 1 0'/>{}</joint>",
          i, i - 1, i, limits);
    return write("r.urdf", text + "</robot>");
  }
};

// smallest distance of bodies that are not neighbours, by an independent count of all pairs
double clearance(const ImportedRobot& r, const Eigen::VectorXd& pose) {
  const RobotModel model(r.description);
  MjSpecPtr spec = make_spec();
  add_to_spec(spec.get(), r.description, 0);
  const MjModelPtr m = compile_spec(spec.get(), "t");
  const MjDataPtr data(mj_makeData(m.get()));
  MujocoState(*m, model).write(pose, Eigen::VectorXd::Zero(model.nv()), *data);
  mj_kinematics(m.get(), data.get());
  double least = 1.0;
  for (int a = 0; a < m->ngeom; ++a)
    for (int b = a + 1; b < m->ngeom; ++b)
      if (m->body_parentid[m->geom_bodyid[b]] != m->geom_bodyid[a])
        least = std::min(least, mj_geomDistance(m.get(), data.get(), a, b, 1.0, nullptr));
  return least;
}

TEST_F(ImportReady, IsFreeOfCollisionAndFarFromLimitsAndTheSameEachTime) {
  const auto file = folded("<limit lower='-2.5' upper='2.5' effort='5' velocity='3'/>");
  const ImportedRobot r = import_urdf(file);
  ASSERT_EQ(r.poses[0].name, "ready");
  const Eigen::VectorXd& q = r.poses[0].q;
  ASSERT_EQ(q.size(), 4);
  EXPECT_LT(clearance(r, Eigen::VectorXd::Zero(4)), 0.0) << "folded at zero";
  EXPECT_GE(clearance(r, q), 0.01);
  for (const double x : q) {
    EXPECT_LE(std::abs(x), 2.5 - 0.1 * 5.0);
    EXPECT_EQ(x, std::round(x * 1e3) / 1e3);
  }
  EXPECT_EQ(import_urdf(file).poses[0].q, q);
  EXPECT_TRUE(r.ignored_pairs.empty());
}

TEST_F(ImportReady, ItsDrivesHoldItAgainstGravity) {
  const auto gravity = [&](const std::string& effort) {
    const ImportedRobot r = import_urdf(
        folded("<limit lower='-2.5' upper='2.5' effort='" + effort + "' velocity='3'/>"));
    const RobotModel model(r.description);
    RobotData data(model);
    return gravity_forces(model, data, r.poses[0].q).cwiseAbs().maxCoeff();
  };
  // with strong drives it is where gravity asks for more than weak ones have
  EXPECT_GT(gravity("500"), 5.0);
  EXPECT_LE(gravity("5"), 0.55 * 5.0);
}

TEST_F(ImportReady, WhatNoPoseSetsApartIsSaid) {
  // within a degree of folded
  const ImportedRobot r =
      import_urdf(folded("<limit lower='-0.02' upper='0.02' effort='5' velocity='3'/>"));
  const auto pair = std::pair<std::string, std::string>{"l0", "l2"};
  EXPECT_TRUE(std::ranges::count(r.ignored_pairs, pair)) << "they overlap wherever they move";
  EXPECT_TRUE(noted(r,
                    "the shapes of 'l0' and 'l2' overlap or are nearer than 10 mm in each of 40 "
                    "configurations: never checked"));
}

TEST_F(ImportReady, FingersThatOverlapWhereTheyStartAreIgnoredWithANote) {
  // an arm with two fingers that start closed, into one another
  std::string text = "<robot name='r'>";
  for (const char* link : {"l0", "l1", "l2", "l3", "l4"})
    text += fmt::format("<link name='{}'>{}</link>", link, kInertial);
  for (int i = 1; i < 5; ++i)
    text += fmt::format(
        "<joint name='j{}' type='revolute'><parent link='l{}'/><child link='l{}'/><origin xyz='0 0 "
        "0.3'/><axis xyz='{} {} 0'/>{}</joint>",
        i, i - 1, i, i % 2, (i + 1) % 2, test::kLimit);
  for (const char* side : {"left", "right"})
    text += fmt::format(
        "<link name='{0}'>{1}<collision><geometry><box size='0.02 0.02 0.1'/></geometry>"
        "</collision></link><joint name='{0}_finger' type='prismatic'><parent link='l4'/>"
        "<child link='{0}'/><origin xyz='0 0 0.1'/><axis xyz='{2} 0 0'/>"
        "<limit lower='0' upper='0.05' effort='5' velocity='1'/></joint>",
        side, kInertial, std::string(side) == "left" ? -1 : 1);
  const ImportedRobot r = import_urdf(write("f.urdf", text + "</robot>"));
  ASSERT_EQ(r.groups.size(), 2U);
  EXPECT_EQ(r.groups[1].joints, (std::vector<std::string>{"left_finger", "right_finger"}));
  EXPECT_EQ(r.ignored_pairs, (std::vector<std::pair<std::string, std::string>>{{"left", "right"}}));
  EXPECT_TRUE(noted(r,
                    "the shapes of 'left' and 'right' overlap where their joints start, and no "
                    "arm or leg moves one against the other: never checked"));
}

TEST_F(ImportReady, AMountNeedNotBeAFrameAndIsWarnedOfAtTheFoot) {
  const auto file = folded("<limit lower='-2.5' upper='2.5' effort='5' velocity='3'/>");
  ImportOptions options;
  options.mount = "l4";
  const ImportedRobot r = import_urdf(file, options);
  EXPECT_EQ(*r.mount, "l4_mount");
  EXPECT_TRUE(noted(r, "tools mount on the origin of body 'l4', the frame 'l4_mount'"));
  write_robot_folder(r, folder_ / "out");
  EXPECT_EQ(*load_robot_folder(folder_ / "out").mount, "l4_mount");
  options.mount = "l0";
  EXPECT_TRUE(noted(import_urdf(file, options),
                    "no joint moves the mount 'l0_mount': a tool would stand at the robot's foot; "
                    "state another with --mount"));
}

}  // namespace import_ready_test
}  // namespace handspan
