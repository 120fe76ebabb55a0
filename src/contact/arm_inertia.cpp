#include "contact/arm_inertia.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "math/so3.hpp"

namespace handspan {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Matrix3d contact_mobility(const ArmMatrix& M, const PointJacobian& J, int stiff) {
  const Eigen::LLT<ArmMatrix> factor(M);
  if (factor.info() != Eigen::Success) return Matrix3d::Constant(kNaN);
  Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::ColMajor, kMostImpactCoordinates, 3> Y =
      J.transpose();
  factor.solveInPlace(Y);
  Matrix3d N = J.lazyProduct(Y);
  if (stiff < 0 || stiff >= M.rows()) return N;
  // the joint's own impulse keeps it where it is: M^-1 less its part along that joint
  ArmVector held = ArmVector::Unit(M.rows(), stiff);
  factor.solveInPlace(held);
  const Vector3d moved = J.lazyProduct(held);
  N -= moved * moved.transpose() / held[stiff];
  return N;
}

ImpactArm composite_arm(double mass, const Vector3d& p_WC, const Matrix3d& inertia_C,
                        const Vector3d& p_WE, const Vector6d& V_WE) {
  ImpactArm arm;
  arm.M.setZero(6, 6);
  arm.M.diagonal().head<3>().setConstant(mass);
  arm.M.block<3, 3>(3, 3) = inertia_C;
  arm.v.resize(6);
  const Vector3d w = V_WE.tail<3>();
  arm.v << V_WE.head<3>() + w.cross(p_WC - p_WE), w;
  return arm;
}

PointJacobian composite_jacobian(const Vector3d& p_WC, const Vector3d& p_W) {
  PointJacobian J(3, 6);
  J << Matrix3d::Identity(), -skew(p_W - p_WC);
  return J;
}

ArmVector joint_jump(const PointJacobian& J, const Vector3d& dv) {
  const Matrix3d square = J.lazyProduct(J.transpose());
  const double size = square.trace() / 3.0;
  if (!(square.determinant() > 1e-12 * size * size * size))
    return ArmVector::Constant(J.cols(), kNaN);
  const Vector3d by_square = square.inverse() * dv;
  return J.transpose().lazyProduct(by_square);
}

}  // namespace handspan
