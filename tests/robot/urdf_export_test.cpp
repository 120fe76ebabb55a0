// What export_urdf writes is the same mechanism to Pinocchio's own URDF parser.
#include "robot/urdf_export.hpp"

#include <gtest/gtest.h>

#include <random>

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include "core/error.hpp"
#include "robot/model.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace urdf_export_test {

namespace pin = pinocchio;

// rpy angles cost a few digits near a pitch of +-pi/2
constexpr double kParity = 1e-9;

// Every joint that URDF knows: all_joints without ball joints and rotor inertias, which it does
// not.
ModelDescription urdf_joints(std::mt19937_64& random) {
  ModelDescription d = test::all_joints(random);
  for (auto& body : d.bodies)
    for (auto& joint : body.joints) {
      if (joint.type == JointType::kBall) joint.type = JointType::kRevolute;
      joint.armature = 0.0;
    }
  return d;
}

// Largest difference relative to 1 + size, of mass matrix, nonlinear effects and every body's and
// frame's pose.
double difference(const ModelDescription& description, const pin::Model& theirs,
                  std::mt19937_64& random) {
  const RobotModel model(description);
  RobotData data(model);
  pin::Data their_data(theirs);
  EXPECT_EQ(model.nv(), theirs.nv);
  double worst = 0.0;
  const auto compare = [&](const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    worst = std::max(worst, (A - B).cwiseAbs().maxCoeff() / (1.0 + A.cwiseAbs().maxCoeff()));
  };
  for (int k = 0; k < 20; ++k) {
    Eigen::VectorXd q = test::random_configuration(model, random),
                    v = test::random_vector(model.nv(), random);
    Eigen::VectorXd their_q = pin::neutral(theirs), their_v(model.nv());
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(model.nv(), model.nv());  // their v = P v
    for (const auto& joint : model.joints()) {
      const auto& t = theirs.joints[theirs.getJointId(joint.name)];
      if (joint.type == JointType::kFree) {
        // ours is the pose in the world, theirs that in the joint's placement
        const pin::SE3 X(Eigen::Quaterniond(Eigen::Vector4d(q.segment<4>(joint.q + 3))),
                         q.segment<3>(joint.q));
        const pin::SE3 rest = theirs.jointPlacements[theirs.getJointId(joint.name)].actInv(X);
        their_q.segment<3>(t.idx_q()) = rest.translation();
        their_q.segment<4>(t.idx_q() + 3) = Eigen::Quaterniond(rest.rotation()).coeffs();
      } else if (t.nq() == 2) {
        their_q.segment<2>(t.idx_q()) << std::cos(q[joint.q]), std::sin(q[joint.q]);
      } else {
        their_q[t.idx_q()] = q[joint.q];
      }
      const int nv = joint_nv(joint.type);
      P.block(t.idx_v(), joint.v, nv, nv).setIdentity();
    }
    their_v = P * v;
    Eigen::MatrixXd M = pin::crba(theirs, their_data, their_q);
    M.triangularView<Eigen::StrictlyLower>() = M.transpose().triangularView<Eigen::StrictlyLower>();
    compare(P.transpose() * M * P, mass_matrix(model, data, q));
    compare(P.transpose() * pin::nonLinearEffects(theirs, their_data, their_q, their_v),
            nonlinear_effects(model, data, q, v));
    update_kinematics(model, data, q, v);
    pin::framesForwardKinematics(theirs, their_data, their_q);
    std::vector<std::string> names;
    for (const auto& body : description.bodies) names.push_back(body.name);
    for (const auto& frame : description.frames) names.push_back(frame.name);
    for (const auto& name : names) {
      const auto& X = their_data.oMf[theirs.getFrameId(name, pin::BODY)];
      compare(X.translation(), frame_pose(model, data, model.frame(name)).p);
      compare(X.rotation(), frame_pose(model, data, model.frame(name)).R);
    }
  }
  return worst;
}

TEST(ExportUrdf, IsTheSameMechanismToPinocchiosParserOnEveryBase) {
  for (int seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const ModelDescription tree = urdf_joints(random);
    for (const BaseType base : {BaseType::kFixed, BaseType::kFree, BaseType::kPlanar}) {
      const ModelDescription description = with_base(tree, base);
      pin::Model theirs;
      pin::urdf::buildModelFromXML(export_urdf(description), theirs);
      EXPECT_LE(difference(description, theirs, random), kParity)
          << "seed " << seed << " base " << static_cast<int>(base);
    }
  }
}

TEST(ExportUrdf, KeepsLimitsMimicsAndNamesThatNeedEscaping) {
  ModelDescription d;
  d.name = "a<b>&\"c\"";
  d.bodies.resize(2);
  d.bodies[0].name = "base";
  d.bodies[0].inertial = {1.0, {}, Eigen::Vector3d::Constant(0.1)};
  d.bodies[1] = d.bodies[0];
  d.bodies[1].name = "arm";
  d.bodies[1].parent = 0;
  JointDescription joint;
  joint.name = "turn";
  joint.range = {-1.0, 0.1};
  joint.effort = 1.0 / 3.0;
  joint.damping = 0.5;
  d.bodies[1].joints.push_back(joint);
  const std::string urdf = export_urdf(d, {{"turn", 2.5}});
  EXPECT_NE(urdf.find("<robot name=\"a&lt;b&gt;&amp;&quot;c&quot;\">"), std::string::npos);
  pin::Model theirs;
  pin::urdf::buildModelFromXML(urdf, theirs);
  EXPECT_EQ(theirs.name, d.name);
  EXPECT_EQ(theirs.upperPositionLimit[0], 0.1);
  EXPECT_EQ(theirs.lowerPositionLimit[0], -1.0);
  EXPECT_EQ(theirs.velocityLimit[0], 2.5);
  EXPECT_EQ(theirs.upperEffortLimit[0], 1.0 / 3.0);
}

TEST(ExportUrdf, WritesACapsuleAsCylinderAndTwoSpheres) {
  ModelDescription d;
  d.name = "one";
  d.bodies.resize(1);
  d.bodies[0].name = "base";
  Shape capsule;
  capsule.name = "limb";
  capsule.type = ShapeType::kCapsule;
  capsule.size = {0.1, 0.25, 0.0};
  d.bodies[0].shapes.push_back(capsule);
  const std::string urdf = export_urdf(d);
  EXPECT_NE(urdf.find("<cylinder radius=\"0.1\" length=\"0.5\"/>"), std::string::npos);
  EXPECT_NE(
      urdf.find("<collision name=\"limb_end2\">\n      <origin xyz=\"0 0 0.25\" rpy=\"0 0 0\"/>"),
      std::string::npos)
      << urdf;
  d.bodies[0].shapes[0].collides = false;
  EXPECT_EQ(export_urdf(d).find("<collision"), std::string::npos);
}

std::string refusal(const ModelDescription& d) {
  try {
    export_urdf(d);
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(ExportUrdf, NamesWhatUrdfCannotSay) {
  std::mt19937_64 random(0);
  const ModelDescription with_ball = test::all_joints(random);
  EXPECT_EQ(refusal(with_ball),
            "joint 'shoulder_joint0' is a ball joint, which URDF does not know; replace it by "
            "three revolute ones");
  ModelDescription mesh = urdf_joints(random);
  Shape hull;
  hull.name = "hull";
  hull.type = ShapeType::kMesh;
  hull.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.bodies[0].shapes.push_back(hull);
  EXPECT_EQ(refusal(mesh),
            "shape 'hull' is a mesh, which URDF keeps in a file of its own; use primitives");
  ModelDescription clash = urdf_joints(random);
  clash.frames[0].name = "arm";
  EXPECT_EQ(refusal(clash), "frame 'arm' has the name of a body; in URDF both are links");
}

}  // namespace urdf_export_test
}  // namespace handspan
