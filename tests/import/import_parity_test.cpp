// Robots of others, imported and compared with Pinocchio's own URDF parser and between our two
// engines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include "core/error.hpp"
#include "import/import.hpp"
#include "import/import_write.hpp"
#include "import/parity.hpp"
#include "import/urdf.hpp"
#include "robot/model.hpp"
#include "scene/mjcf.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {
namespace import_parity_test {

namespace fs = std::filesystem;
namespace pin = pinocchio;

// Decimal files, two parsers' trigonometry, trees 20 deep.
constexpr double kUrdfParity = 1e-9;
constexpr double kEngineParity = 1e-12;

// Joint k of Pinocchio's model has ours' coordinates at q, v: continuous joints are cos, sin there.
class UrdfComparison {
 public:
  UrdfComparison(const fs::path& file, const ModelDescription& description)
      : model_(description), data_(model_) {
    pin::urdf::buildModel(file.string(), theirs_);
    their_data_ = std::make_unique<pin::Data>(theirs_);
  }

  // Gives Pinocchio the inertia that is used instead of an impossible one.
  void repair(const UrdfLink& published, const Inertial& used) {
    const auto frame = theirs_.frames[theirs_.getFrameId(published.name, pin::BODY)];
    const Eigen::Matrix3d R = published.inertial->X_LC.q.toRotationMatrix();
    const Eigen::Matrix3d change = used.inertia_B() - R * published.inertial->I_C * R.transpose();
    const pin::SE3& X = frame.placement;
    theirs_.inertias[frame.parentJoint] += pin::Inertia(
        0.0, Eigen::Vector3d::Zero(), X.rotation() * change * X.rotation().transpose());
    their_data_ = std::make_unique<pin::Data>(theirs_);
  }

  // largest ||A - B|| / (1 + ||A||) over `states` random states; what was compared is counted
  double worst(int states, std::mt19937_64& random) {
    double worst = 0.0;
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    const auto n = model_.nv();
    EXPECT_EQ(n, static_cast<Eigen::Index>(theirs_.nv));
    for (int k = 0; k < states; ++k) {
      Eigen::VectorXd q(model_.nq()), v(n), their_q = pin::neutral(theirs_), their_v(n);
      Eigen::VectorXi columns(n);
      for (const auto& joint : model_.joints()) {
        const auto& theirs = theirs_.joints[theirs_.getJointId(joint.name)];
        q[joint.q] = 2.0 * unit(random);
        v[joint.v] = unit(random);
        columns[joint.v] = theirs.idx_v();
        their_v[theirs.idx_v()] = v[joint.v];
        if (theirs.nq() == 2)
          their_q.segment<2>(theirs.idx_q()) << std::cos(q[joint.q]), std::sin(q[joint.q]);
        else
          their_q[theirs.idx_q()] = q[joint.q];
      }
      const auto compare = [&](const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
        worst = std::max(worst, (A - B).cwiseAbs().maxCoeff() / (1.0 + A.cwiseAbs().maxCoeff()));
      };
      Eigen::MatrixXd their_M = pin::crba(theirs_, *their_data_, their_q);
      their_M.triangularView<Eigen::StrictlyLower>() =
          their_M.transpose().triangularView<Eigen::StrictlyLower>();
      const Eigen::VectorXd their_h =
          pin::nonLinearEffects(theirs_, *their_data_, their_q, their_v);
      Eigen::MatrixXd M(n, n);
      Eigen::VectorXd h(n);
      for (int i = 0; i < n; ++i) {
        h[i] = their_h[columns[i]];
        for (int j = 0; j < n; ++j) M(i, j) = their_M(columns[i], columns[j]);
      }
      compare(M, mass_matrix(model_, data_, q));
      compare(h, nonlinear_effects(model_, data_, q, v));

      update_kinematics(model_, data_, q, v);
      pin::computeJointJacobians(theirs_, *their_data_, their_q);
      pin::updateFramePlacements(theirs_, *their_data_);
      compared_ = 0;
      for (std::size_t f = 0; f < theirs_.frames.size(); ++f) {
        if (theirs_.frames[f].type != pin::BODY || theirs_.frames[f].name == "world") continue;
        const FrameId frame = model_.frame(theirs_.frames[f].name);
        const Pose X = frame_pose(model_, data_, frame);
        compare(their_data_->oMf[f].translation(), X.p);
        compare(their_data_->oMf[f].rotation(), X.R);
        Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, n), their_J = J;
        pin::getFrameJacobian(theirs_, *their_data_, f, pin::LOCAL_WORLD_ALIGNED, their_J);
        for (int i = 0; i < n; ++i) J.col(i) = their_J.col(columns[i]);
        Matrix6Xd ours(6, n);
        frame_jacobian(model_, data_, frame, ours);
        compare(J, ours);
        ++compared_;
      }
    }
    return worst;
  }

  int links() const { return compared_; }
  double mass_difference() const {
    return std::abs(pin::computeTotalMass(theirs_) + theirs_.inertias[0].mass() - model_.mass());
  }

 private:
  RobotModel model_;
  RobotData data_;
  pin::Model theirs_;
  // never assigned: Data has members that nothing initialises
  std::unique_ptr<pin::Data> their_data_;
  int compared_ = 0;
};

struct Case {
  const char* name;
  const char* file;
  int links, joints, mimics, repairs;
};

class RobotsOfOthers : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    for (const auto& python :
         fs::directory_iterator(fs::path(HANDSPAN_SOURCE_DIR) / ".deps/venv/lib")) {
      const fs::path robots =
          python.path() / "site-packages/cmeel.prefix/share/example-robot-data/robots";
      if (fs::is_directory(robots)) file_ = robots / GetParam().file;
    }
    if (!fs::is_regular_file(file_))
      GTEST_SKIP() << "example-robot-data is not installed (tools/setup --meshes)";
  }

  fs::path file_;
};

TEST_P(RobotsOfOthers, AgreeWithPinocchiosOwnUrdfParser) {
  const ImportedRobot robot = import_urdf(file_);
  EXPECT_EQ(robot.repairs.size(), static_cast<std::size_t>(GetParam().repairs));
  EXPECT_EQ(robot.description.mimics.size(), static_cast<std::size_t>(GetParam().mimics));
  EXPECT_EQ(robot.limits.size(), static_cast<std::size_t>(GetParam().joints - GetParam().mimics));
  UrdfComparison comparison(file_, robot.description);
  const UrdfRobot urdf = read_urdf(file_);
  for (const auto& repair : robot.repairs) {
    const auto& body =
        robot.description
            .bodies[static_cast<std::size_t>(robot.description.body_index(repair.body))];
    comparison.repair(*std::ranges::find(urdf.links, repair.body, &UrdfLink::name), body.inertial);
  }
  std::mt19937_64 random(3);
  EXPECT_LE(comparison.worst(100, random), kUrdfParity);
  EXPECT_EQ(comparison.links(), GetParam().links);
  EXPECT_LE(comparison.mass_difference(), 1e-12 * 100.0);
}

TEST_P(RobotsOfOthers, AgreeBetweenTheEngines) {
  const Parity parity = compare_engines(import_urdf(file_).description, 100, 5);
  EXPECT_LE(parity.worst(), kEngineParity) << parity.summary();
}

TEST_P(RobotsOfOthers, LoadAgainToTheSameBitsAsAFolder) {
  const ImportedRobot robot = import_urdf(file_);
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("import {}", GetParam().name);
  write_robot_folder(robot, folder, true);
  const RobotFolder loaded = load_robot_folder(folder);
  EXPECT_EQ(write_mjcf(loaded.description), write_mjcf(robot.description));
  EXPECT_EQ(loaded.limits.joints.size(), robot.limits.size());
  fs::remove_all(folder);
}

// Continuous, prismatic and revolute joints, turned inertial frames, massless links between and
// after, an absent axis, a chain of mimics, and a joint, a link and a fixed joint of one name.
constexpr const char* kMixed = R"(<robot name="mixed">
  <link name="base"><inertial><origin xyz="0.1 0 0.2" rpy="0.3 0.2 0.1"/><mass value="3"/>
    <inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.25" iyz="0.03" izz="0.2"/></inertial></link>
  <link name="plain"/>
  <link name="a"><inertial><origin xyz="0.1 -0.1 0.2" rpy="-1 0.5 2"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.04"/></inertial></link>
  <link name="b"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
  <link name="c"><inertial><mass value="0.5"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="carried"><inertial><origin xyz="0 0.1 0" rpy="0 1 0"/><mass value="0.7"/>
    <inertia ixx="0.01" ixy="0" ixz="0.001" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="tip-of_arm.1"/>
  <joint name="f1" type="fixed"><parent link="base"/><child link="plain"/>
<origin xyz="0 0.1 0.3" rpy="0.1 0.7 -2"/></joint>
  <joint name="a" type="continuous"><parent link="plain"/><child link="a"/>
<origin xyz="0.1 0.1 0" rpy="1 2 3"/>
    <axis xyz="0 0.6 -0.8"/><limit effort="3" velocity="2"/>
<dynamics damping="0.2" friction="0.1"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>
<origin xyz="0.1 0.2 0.4" rpy="-1 0.2 0.3"/>
    <axis xyz="0.6 0 0.8"/><limit lower="-0.2" upper="0.3" effort="30" velocity="0.5"/></joint>
  <joint name="turn" type="revolute"><parent link="b"/><child link="c"/>
<origin xyz="0 0.2 0" rpy="0.5 0 0"/>
    <limit upper="0.5" effort="3" velocity="2"/>
<mimic joint="slide" multiplier="2" offset="0.1"/></joint>
  <joint name="f2" type="fixed"><parent link="c"/><child link="carried"/>
<origin xyz="0.1 0 0" rpy="0 0 0.4"/></joint>
  <joint name="f3" type="fixed"><parent link="carried"/><child link="tip-of_arm.1"/>
<origin xyz="0 0 0.1"/></joint>
</robot>)";

TEST(ImportUrdf, OfMixedJointsAndLinksAgreesWithPinocchiosParser) {
  const fs::path file = fs::path(testing::TempDir()) / "mixed robot.urdf";
  std::ofstream(file) << kMixed;
  const ImportedRobot robot = import_urdf(file);
  UrdfComparison comparison(file, robot.description);
  std::mt19937_64 random(11);
  EXPECT_LE(comparison.worst(100, random), kUrdfParity);
  EXPECT_EQ(comparison.links(), 7);
  EXPECT_LE(comparison.mass_difference(), 1e-12);
  const Parity parity = compare_engines(robot.description, 50, 1);
  EXPECT_LE(parity.worst(), kEngineParity) << parity.summary();
  EXPECT_EQ(robot.description.bodies.size(), 5U);
  EXPECT_EQ(robot.description.frames.size(), 2U);
  fs::remove(file);
}

INSTANTIATE_TEST_SUITE_P(
    Package, RobotsOfOthers,
    testing::Values(Case{"ur5", "ur_description/urdf/ur5_robot.urdf", 10, 6, 0, 0},
                    Case{"ur10", "ur_description/urdf/ur10_robot.urdf", 10, 6, 0, 0},
                    Case{"panda", "panda_description/urdf/panda.urdf", 13, 9, 1, 0},
                    Case{"baxter", "baxter_description/urdf/baxter.urdf", 57, 19, 2, 2}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace import_parity_test
}  // namespace handspan
