#include "contact/arm_inertia.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "contact/impact_setup.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace arm_inertia_test {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

PointJacobian any_jacobian(RandomStream& random, int n) {
  PointJacobian J(3, n);
  for (double& x : J.reshaped()) x = random.normal();
  return J;
}

TEST(ArmInertia, MobilityIsTheVelocityByAnImpulse) {
  RandomStream random(1, "mobility");
  const ImpactArm arm = test::any_arm(random, 7);
  const PointJacobian J = any_jacobian(random, 7);
  const MatrixXd expected = J * MatrixXd(arm.M).inverse() * J.transpose();
  EXPECT_LT((contact_mobility(arm.M, J) - expected).norm(), 1e-10 * expected.norm());
}

TEST(ArmInertia, AStiffJointIsOneThatIsNotThere) {
  RandomStream random(2, "stiff");
  const ImpactArm arm = test::any_arm(random, 7);
  const PointJacobian J = any_jacobian(random, 7);
  for (int stiff = 0; stiff < 7; ++stiff) {
    std::vector<int> others;
    for (int j = 0; j < 7; ++j)
      if (j != stiff) others.push_back(j);
    const MatrixXd M = arm.M(others, others), without = J(Eigen::all, others);
    const MatrixXd expected = without * M.inverse() * without.transpose();
    EXPECT_LT((contact_mobility(arm.M, J, stiff) - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(ArmInertia, ACompositeArmIsARigidBody) {
  // a ball of mass m hits a rod of mass M at its end: known from any textbook
  const double M = 3.0, length = 0.8;
  const Matrix3d inertia =
      Vector3d(M * length * length / 12.0, 1e-3, M * length * length / 12.0).asDiagonal();
  const Vector3d p_WC(0, 0, 0), end(0, length / 2.0, 0);
  Vector6d V = Vector6d::Zero();
  V.tail<3>() = Vector3d(2.0, 0, 0);     // turns about x
  V.head<3>() = V.tail<3>().cross(end);  // about its own middle
  const ImpactArm arm = composite_arm(M, p_WC, inertia, end, V);
  EXPECT_LT((arm.v.head<3>()).norm(), 1e-15);
  const PointJacobian J = composite_jacobian(p_WC, end);
  EXPECT_LT((J * arm.v - V.head<3>()).norm(), 1e-15);
  // across the rod: 1/M + (L/2)^2 / I = 4 / M
  const Matrix3d N = contact_mobility(arm.M, J);
  EXPECT_NEAR(N(0, 0), 4.0 / M, 1e-12);
  EXPECT_NEAR(N(2, 2), 4.0 / M, 1e-12);
  EXPECT_NEAR(N(1, 1), 1.0 / M, 1e-12);
}

TEST(ArmInertia, AStiffArmIsHeavierThanItsJoints) {
  // two links in line, hit across at the end: joints yield, one rigid body does not
  const double m = 2.0, l = 0.4, I = m * l * l / 12.0;
  // planar arm, base at 0, straight along x: M of the two relative angles
  const double a = m * l * l / 4.0 + I;
  ArmMatrix M(2, 2);
  const double m22 = a, m12 = a + m * l * l / 2.0, m11 = 2.0 * a + m * l * l + m * l * l;
  M << m11, m12, m12, m22;
  PointJacobian J(3, 2);
  J << 0, 0, 2.0 * l, l, 0, 0;
  const double joints = contact_mobility(M, J)(1, 1);
  // one body of both links, about its middle at l
  const Matrix3d inertia = Vector3d(1e-3, 1.0, 2.0 * m * 4.0 * l * l / 12.0).asDiagonal();
  const Vector3d p_WC(l, 0, 0), tip(2.0 * l, 0, 0);
  const ImpactArm stiff = composite_arm(2.0 * m, p_WC, inertia, tip, Vector6d::Zero());
  const double body = contact_mobility(stiff.M, composite_jacobian(p_WC, tip))(1, 1);
  EXPECT_NEAR(body, 4.0 / (2.0 * m), 1e-12);
  EXPECT_GT(joints, 1.3 * body);
}

TEST(ArmInertia, JointsJumpAsTheirPointDoes) {
  RandomStream random(4, "jump");
  const PointJacobian J = any_jacobian(random, 7);
  const Vector3d dv(0.1, -0.2, 0.05);
  const ArmVector jump = joint_jump(J, dv);
  EXPECT_LT((J * jump - dv).norm(), 1e-13);
  // the least one that does: nothing of it in the null space
  const MatrixXd null =
      MatrixXd::Identity(7, 7) - MatrixXd(J).completeOrthogonalDecomposition().pseudoInverse() * J;
  EXPECT_LT((null * jump).norm(), 1e-12);
}

TEST(ArmInertia, WhatHasNoInverseIsNaN) {
  PointJacobian J = PointJacobian::Zero(3, 7);
  EXPECT_TRUE(joint_jump(J, Vector3d::UnitX()).array().isNaN().all());
  EXPECT_TRUE(contact_mobility(ArmMatrix::Zero(7, 7), J).array().isNaN().all());
}

TEST(ArmInertia, AllocatesNothing) {
  RandomStream random(1, "alloc");
  const ImpactArm arm = test::any_arm(random, 7);
  const PointJacobian J = any_jacobian(random, 7);
  const test::AllocationCount count;
  double sum = contact_mobility(arm.M, J, 2).sum() + joint_jump(J, Vector3d::UnitX()).sum();
  const ImpactArm stiff = composite_arm(1.0, Vector3d::Zero(), Matrix3d::Identity(),
                                        Vector3d::UnitX(), Vector6d::Ones());
  sum += composite_jacobian(Vector3d::Zero(), Vector3d::UnitX()).sum() + stiff.v.sum();
  EXPECT_EQ(count.count(), 0U);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace arm_inertia_test
}  // namespace handspan
