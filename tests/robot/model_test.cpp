// Closed forms, differences and conserved quantities; the two engines' agreement is
// tests/scene/parity_test.cpp's.
#include "robot/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/alloc.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace model_test {

constexpr double kRounding = 1e-12;

ModelDescription pendulum(double mass, double length, double moment) {
  ModelDescription d;
  d.name = "pendulum";
  BodyDescription bob;
  bob.name = "bob";
  bob.inertial = {mass,
                  {Eigen::Vector3d(0, 0, -length), Eigen::Quaterniond::Identity()},
                  Eigen::Vector3d::Constant(moment)};
  JointDescription joint;
  joint.name = "hinge";
  joint.axis = Eigen::Vector3d::UnitY();
  bob.joints.push_back(joint);
  d.bodies.push_back(bob);
  return d;
}

TEST(RobotModel, PendulumHasItsClosedForm) {
  const double m = 1.3, l = 0.7, I = 0.02, g = 9.81;
  const RobotModel model(pendulum(m, l, I));
  RobotData data(model);
  for (const double angle : {-2.0, -0.3, 0.0, 0.5, 1.5}) {
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, angle),
                          v = Eigen::VectorXd::Constant(1, 0.8);
    const Eigen::VectorXd tau = Eigen::VectorXd::Constant(1, 0.4);
    EXPECT_NEAR(mass_matrix(model, data, q)(0, 0), I + m * l * l, kRounding);
    EXPECT_NEAR(nonlinear_effects(model, data, q, v)[0], m * g * l * std::sin(angle), kRounding);
    EXPECT_NEAR(forward_dynamics(model, data, q, v, tau)[0],
                (0.4 - m * g * l * std::sin(angle)) / (I + m * l * l), kRounding);
    EXPECT_NEAR(mechanical_energy(model, data, q, v),
                0.5 * (I + m * l * l) * 0.64 - m * g * l * std::cos(angle), kRounding);
  }
}

TEST(RobotModel, ReflectedInertiaAddsToTheMassMatrix) {
  ModelDescription d = pendulum(1.0, 0.5, 0.01);
  d.bodies[0].joints[0].armature = 0.3;
  const RobotModel model(d);
  RobotData data(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), a = Eigen::VectorXd::Constant(1, 2.0);
  EXPECT_NEAR(mass_matrix(model, data, q)(0, 0), 0.01 + 0.25 + 0.3, kRounding);
  EXPECT_NEAR(inverse_dynamics(model, data, q, q, a)[0], 2.0 * (0.01 + 0.25 + 0.3), kRounding);
  EXPECT_NEAR(forward_dynamics(model, data, q, q, a)[0], 2.0 / (0.01 + 0.25 + 0.3), kRounding);
}

TEST(RobotModel, FreeBodyFallsAndSpinsAsEulerSays) {
  std::mt19937_64 random(3);
  ModelDescription d;
  d.name = "stone";
  BodyDescription body;
  body.name = "stone_body";
  body.inertial = {2.0,
                   {Eigen::Vector3d::Zero(), Eigen::Quaterniond::Identity()},
                   Eigen::Vector3d(0.1, 0.2, 0.25)};
  d.bodies.push_back(body);
  const RobotModel model(with_base(d, BaseType::kFree));
  RobotData data(model);
  const Eigen::VectorXd q = test::random_configuration(model, random),
                        v = test::random_vector(6, random);
  const Eigen::VectorXd vdot = forward_dynamics(model, data, q, v, Eigen::VectorXd::Zero(6));
  update_kinematics(model, data, q, v);
  const Eigen::Matrix3d R = frame_pose(model, data, model.frame("stone_body")).R;
  const Eigen::Vector3d v_B = v.head<3>(), w = v.tail<3>(), I(0.1, 0.2, 0.25);
  // v' in the body's axes: R^T g - w x v
  EXPECT_TRUE(
      (vdot.head<3>() - (R.transpose() * model.gravity() - w.cross(v_B))).isZero(kRounding));
  const Eigen::Vector3d euler = (-w.cross(Eigen::Vector3d(I.cwiseProduct(w)))).cwiseQuotient(I);
  EXPECT_TRUE((vdot.tail<3>() - euler).isZero(kRounding));
}

class RandomTree : public testing::TestWithParam<int> {
 protected:
  RandomTree()
      : random_(GetParam()),
        model_(with_base(test::all_joints(random_), BaseType::kFree)),
        data_(model_) {
    q_ = test::random_configuration(model_, random_);
    v_ = test::random_vector(model_.nv(), random_);
  }
  std::mt19937_64 random_;
  RobotModel model_;
  RobotData data_;
  Eigen::VectorXd q_, v_;
};

TEST_P(RandomTree, InverseDynamicsIsMassTimesAccelerationPlusNonlinearEffects) {
  const Eigen::VectorXd a = test::random_vector(model_.nv(), random_);
  const Eigen::VectorXd tau = inverse_dynamics(model_, data_, q_, v_, a);
  const Eigen::VectorXd h = nonlinear_effects(model_, data_, q_, v_);
  EXPECT_TRUE((mass_matrix(model_, data_, q_) * a + h - tau).isZero(1e-11))
      << "seed " << GetParam();
  EXPECT_TRUE((forward_dynamics(model_, data_, q_, v_, tau) - a).isZero(1e-9))
      << "seed " << GetParam();
}

TEST_P(RandomTree, JacobianAndBiasAccelerationAreTheDerivativesOfThePose) {
  const double h = 1e-6;
  RobotData plus(model_), minus(model_);
  Eigen::VectorXd q_plus(model_.nq()), q_minus(model_.nq());
  integrate(model_, q_, h * v_, q_plus);
  integrate(model_, q_, -h * v_, q_minus);
  update_kinematics(model_, data_, q_, v_);
  update_kinematics(model_, plus, q_plus, v_);
  update_kinematics(model_, minus, q_minus, v_);
  const FrameId tip = model_.frame("tip");
  Matrix6Xd J(6, model_.nv());
  frame_jacobian(model_, data_, tip, J);
  const Vector6d V = frame_velocity(model_, data_, tip);
  EXPECT_TRUE((J * v_ - V).isZero(kRounding));
  const Eigen::Vector3d rate =
      (frame_pose(model_, plus, tip).p - frame_pose(model_, minus, tip).p) / (2 * h);
  EXPECT_TRUE((rate - V.head<3>()).isZero(1e-7)) << "seed " << GetParam();
  // constant v: what remains of the acceleration is dJ/dt v; differences are good to h^2 and to
  // rounding / h
  const Vector6d bias =
      (frame_velocity(model_, plus, tip) - frame_velocity(model_, minus, tip)) / (2 * h);
  EXPECT_TRUE((bias - frame_bias_acceleration(model_, data_, tip)).isZero(1e-7))
      << "seed " << GetParam();
}

TEST_P(RandomTree, PointRowsFollowThePointOfTheBody) {
  update_kinematics(model_, data_, q_, v_);
  const FrameId body = model_.frame("cross");
  const Eigen::Vector3d p_BP(0.3, -0.2, 0.1), p_WP = frame_pose(model_, data_, body) * p_BP;
  Eigen::Matrix3Xd J(3, model_.nv());
  point_jacobian(model_, data_, body, p_WP, J);
  EXPECT_TRUE((J * v_ - point_velocity(model_, data_, body, p_WP)).isZero(kRounding));
  const double h = 1e-6;
  const auto velocity_at = [&](double t) {
    Eigen::VectorXd q(model_.nq());
    integrate(model_, q_, t * v_, q);
    RobotData data(model_);
    update_kinematics(model_, data, q, v_);
    return point_velocity(model_, data, body, frame_pose(model_, data, body) * p_BP);
  };
  const Eigen::Vector3d bias = (velocity_at(h) - velocity_at(-h)) / (2 * h);
  EXPECT_TRUE((bias - point_bias_acceleration(model_, data_, body, p_WP)).isZero(1e-7))
      << "seed " << GetParam();
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(model_.nv());
  Vector6d weights = Vector6d::Zero();
  weights[1] = 2.0;
  add_frame_jacobian_transpose(model_, data_, body, weights, row);
  EXPECT_NEAR(row.dot(v_), 2.0 * frame_velocity(model_, data_, body)[1], kRounding);
}

TEST_P(RandomTree, MomentumOfTheFloatingTreeIsKeptWithoutGravityOrTorque) {
  const RobotModel model(model_.description(), Eigen::Vector3d::Zero());
  RobotData data(model);
  // v' from no torque; the momentum's rate by central differences along the motion
  const Eigen::VectorXd a =
      forward_dynamics(model, data, q_, v_, Eigen::VectorXd::Zero(model.nv()));
  const double h = 1e-5;
  const auto momentum_at = [&](double t) {
    Eigen::VectorXd q(model.nq());
    integrate(model, q_, t * v_ + 0.5 * t * t * a, q);
    return centroidal_momentum(model, data, q, v_ + t * a);
  };
  const Vector6d rate = (momentum_at(h) - momentum_at(-h)) / (2 * h);
  EXPECT_LE(rate.norm(), 1e-6 * (1.0 + momentum_at(0).norm())) << "seed " << GetParam();
  EXPECT_GT(momentum_at(0).norm(), 1e-2);
}

TEST_P(RandomTree, DifferenceUndoesIntegrate) {
  Eigen::VectorXd q(model_.nq()), v(model_.nv());
  integrate(model_, q_, v_, q);
  difference(model_, q_, q, v);
  EXPECT_TRUE((v - v_).isZero(1e-10)) << "seed " << GetParam();
}

TEST_P(RandomTree, AlgorithmsDoNotTouchTheHeap) {
  const Eigen::VectorXd a = test::random_vector(model_.nv(), random_);
  Eigen::VectorXd q(model_.nq()), v(model_.nv()), b(model_.constraint_rows()),
      e(model_.constraint_rows());
  Eigen::MatrixXd A(model_.constraint_rows(), model_.nv());
  Matrix6Xd J(6, model_.nv());
  Eigen::Matrix3Xd Jp(3, model_.nv());
  const FrameId tip = model_.frame("tip");
  const test::AllocationCount allocations;
  update_kinematics(model_, data_, q_, v_);
  frame_jacobian(model_, data_, tip, J);
  frame_bias_acceleration(model_, data_, tip);
  frame_velocity(model_, data_, tip);
  point_jacobian(model_, data_, tip, Eigen::Vector3d::Zero(), Jp);
  point_bias_acceleration(model_, data_, tip, Eigen::Vector3d::Zero());
  mass_matrix(model_, data_, q_);
  nonlinear_effects(model_, data_, q_, v_);
  gravity_forces(model_, data_, q_);
  inverse_dynamics(model_, data_, q_, v_, a);
  forward_dynamics(model_, data_, q_, v_, a);
  mechanical_energy(model_, data_, q_, v_);
  centroidal_momentum(model_, data_, q_, v_);
  integrate(model_, q_, v_, q);
  difference(model_, q_, q, v);
  constraint_rows(model_, data_, q_, v_, A, b, e);
  EXPECT_EQ(allocations.count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTree, testing::Range(1, 6));

TEST(RobotModel, MimicRowHoldsTheJointToItsMaster) {
  std::mt19937_64 random(1);
  const RobotModel model(test::all_joints(random));
  RobotData data(model);
  Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv()), b(1), e(1);
  const auto &left = model.joint("finger_left_joint0"), &right = model.joint("finger_right_joint0");
  q[left.q] = 0.04;
  q[right.q] = -0.04 + 0.01 + 0.002;
  Eigen::MatrixXd A(1, model.nv());
  update_kinematics(model, data, q, v);
  constraint_rows(model, data, q, v, A, b, e);
  EXPECT_NEAR(e[0], 0.002, kRounding);
  v[left.v] = 0.3;
  v[right.v] = -0.3;
  EXPECT_NEAR((A * v)[0], 0.0, kRounding);
  EXPECT_EQ(b[0], 0.0);
}

TEST(RobotModel, RollingRowForbidsSideSlipWhileTheBaseTurns) {
  ModelDescription d;
  d.name = "cart";
  BodyDescription body;
  body.name = "cart_body";
  body.inertial = {10.0, {}, Eigen::Vector3d(1, 1, 1)};
  d.bodies.push_back(body);
  d.frames.push_back({"axle", 0, {Eigen::Vector3d(-0.2, 0, 0), Eigen::Quaterniond::Identity()}});
  d.rollings.push_back({"axle"});
  const RobotModel model(with_base(d, BaseType::kPlanar));
  RobotData data(model);
  // drives along a circle: forward speed s, yaw rate w about the axle's centre
  const double yaw = 0.7, s = 0.5, w = 0.9;
  const Eigen::VectorXd q = Eigen::Vector3d(0.3, -0.1, yaw);
  const Eigen::Vector3d along(std::cos(yaw), std::sin(yaw), 0),
      side(-std::sin(yaw), std::cos(yaw), 0);
  // the body's origin is 0.2 m ahead of the axle and so moves sideways with w
  const Eigen::Vector3d v_origin = s * along + 0.2 * w * side;
  const Eigen::VectorXd v = Eigen::Vector3d(v_origin[0], v_origin[1], w);
  Eigen::MatrixXd A(1, 3);
  Eigen::VectorXd b(1), e(1);
  update_kinematics(model, data, q, v);
  constraint_rows(model, data, q, v, A, b, e);
  EXPECT_NEAR((A * v)[0], 0.0, kRounding);
  // on the circle the acceleration is w x v of both parts; it must satisfy the row
  const Eigen::Vector3d a_origin = s * w * side - 0.2 * w * w * along;
  EXPECT_NEAR((A * Eigen::Vector3d(a_origin[0], a_origin[1], 0.0))[0], b[0], kRounding);
  const Eigen::VectorXd sideways = Eigen::Vector3d(side[0], side[1], 0);
  EXPECT_NEAR((A * sideways)[0], 1.0, kRounding);
}

TEST(RobotModel, UnknownNamesAreAnErrorThatListsTheNamesThereAre) {
  const RobotModel model(pendulum(1, 1, 0.1));
  try {
    model.joint("elbow");
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "model 'pendulum' has no joint 'elbow'; it has hinge");
  }
  try {
    model.frame("tcp");
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "model 'pendulum' has no frame 'tcp'; it has bob");
  }
}

}  // namespace model_test
}  // namespace handspan
