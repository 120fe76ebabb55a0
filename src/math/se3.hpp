#pragma once

// Twists, wrenches and the exponential of poses. Spatial vectors (6) are linear first, angular
// last.

#include <Eigen/Core>

#include "math/pose.hpp"

namespace handspan {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// V(phi) [3x3], the left Jacobian of SO(3): exp_se3 of (rho, phi) is at V(phi) rho.
inline Eigen::Matrix3d left_jacobian_so3(const Eigen::Vector3d& phi) {
  const double angle = phi.norm();
  const double angle2 = angle * angle;
  // (1 - cos x) / x^2 and (x - sin x) / x^3; below 1e-2 by series, whose next terms are under 1e-16
  double a = 0.5 - angle2 / 24.0 + angle2 * angle2 / 720.0;
  double b = 1.0 / 6.0 - angle2 / 120.0 + angle2 * angle2 / 5040.0;
  if (angle > 1e-2) {
    const double sin_half = std::sin(0.5 * angle);
    a = 2.0 * sin_half * sin_half / angle2;
    b = (angle - std::sin(angle)) / (angle2 * angle);
  }
  const Eigen::Matrix3d S = skew(phi);
  return Eigen::Matrix3d::Identity() + a * S + b * S * S;
}

/// The inverse of left_jacobian_so3, for |phi| < 2 pi [rad].
inline Eigen::Matrix3d left_jacobian_inverse_so3(const Eigen::Vector3d& phi) {
  const double angle = phi.norm();
  const double angle2 = angle * angle;
  // (1 - x/2 cot(x/2)) / x^2; its series below 1e-2
  double c = 1.0 / 12.0 + angle2 / 720.0 + angle2 * angle2 / 30240.0;
  if (angle > 1e-2) {
    const double half = 0.5 * angle;
    c = (1.0 - half * std::cos(half) / std::sin(half)) / angle2;
  }
  const Eigen::Matrix3d S = skew(phi);
  return Eigen::Matrix3d::Identity() - 0.5 * S + c * S * S;
}

/// The pose reached from the identity in unit time under the constant body twist (rho [m], phi
/// [rad]).
inline Pose exp_se3(const Vector6d& twist) {
  const Eigen::Vector3d phi = twist.tail<3>();
  return {exp_so3(phi), left_jacobian_so3(phi) * twist.head<3>()};
}

/// The twist (rho [m], phi [rad]) whose exp_se3 is X, |phi| in [0, pi].
inline Vector6d log_se3(const Pose& X) {
  const Eigen::Vector3d phi = log_so3(X.R);
  Vector6d twist;
  twist << left_jacobian_inverse_so3(phi) * X.p, phi;
  return twist;
}

/// Where B is seen from A, as vectors of their common frame W: (p_WB - p_WA [m], the rotation
/// vector [rad] that turns A into B). The error of a Cartesian task; unlike log_se3 it keeps the
/// two apart.
inline Vector6d pose_difference(const Pose& X_WA, const Pose& X_WB) {
  Vector6d difference;
  difference << X_WB.p - X_WA.p, log_so3(X_WB.R * X_WA.R.transpose());
  return difference;
}

/// Ad(X_AB) [6x6]: V^A = Ad V^B for one twist whose linear part is at A's origin and B's origin.
inline Matrix6d adjoint(const Pose& X_AB) {
  Matrix6d Ad = Matrix6d::Zero();
  Ad.topLeftCorner<3, 3>() = X_AB.R;
  Ad.topRightCorner<3, 3>() = skew(X_AB.p) * X_AB.R;
  Ad.bottomRightCorner<3, 3>() = X_AB.R;
  return Ad;
}

/// Takes a wrench (force [N], moment [Nm]) at B's origin in B to A's origin in A: Ad(X_AB)^-T F.
inline Vector6d transform_wrench(const Pose& X_AB, const Vector6d& F_B) {
  Vector6d F_A;
  const Eigen::Vector3d force = X_AB.R * F_B.head<3>();
  F_A << force, X_AB.R * F_B.tail<3>() + X_AB.p.cross(force);
  return F_A;
}

}  // namespace handspan
