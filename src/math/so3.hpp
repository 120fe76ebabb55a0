#pragma once

// Rotations. R_AB takes the coordinates of a vector in frame B to its coordinates in frame A.
// Quaternions are unit, written x y z w at the edges.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

namespace handspan {

/// The matrix S(a) [3x3] with S(a) b = a x b.
inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d S;
  S << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return S;
}

/// The vector a of S(a); of a matrix that is not skew-symmetric, that of its skew-symmetric part.
inline Eigen::Vector3d unskew(const Eigen::Matrix3d& S) {
  return 0.5 * Eigen::Vector3d(S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1));
}

/// The unit quaternion of the rotation vector `phi` [rad] (axis times angle).
inline Eigen::Quaterniond exp_quaternion(const Eigen::Vector3d& phi) {
  const double half = 0.5 * phi.norm();
  // sin(x) / x: its series below 1e-4, where the next term (x^4 / 120) is under 1e-18
  const double sinc = half < 1e-4 ? 1.0 - half * half / 6.0 : std::sin(half) / half;
  const Eigen::Vector3d xyz = 0.5 * sinc * phi;
  return {std::cos(half), xyz.x(), xyz.y(), xyz.z()};
}

/// The rotation [3x3] about `phi` by |phi| [rad] (Rodrigues).
inline Eigen::Matrix3d exp_so3(const Eigen::Vector3d& phi) {
  return exp_quaternion(phi).toRotationMatrix();
}

/// The rotation vector [rad] of a unit quaternion, its angle in [0, pi]. Full precision also at 0
/// and at pi, where the sign of the axis is arbitrary.
inline Eigen::Vector3d log_quaternion(const Eigen::Quaterniond& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  const double cosine = sign * q.w();
  // angle / sin(angle / 2): its limit where the sine underflows
  const double ratio = sine < 1e-150 ? 2.0 : 2.0 * std::atan2(sine, cosine) / sine;
  return sign * ratio * q.vec();
}

/// The rotation vector [rad] of R [3x3, a rotation], its angle in [0, pi]; the inverse of exp_so3.
inline Eigen::Vector3d log_so3(const Eigen::Matrix3d& R) {
  return log_quaternion(Eigen::Quaterniond(R));
}

/// The angle [rad] in [0, pi] of the rotation that takes A to B, for two frames given in one third.
inline double angle_between(const Eigen::Matrix3d& R_WA, const Eigen::Matrix3d& R_WB) {
  return log_so3(R_WA.transpose() * R_WB).norm();
}

/// Rz(yaw) Ry(pitch) Rx(roll) of `rpy` = (roll, pitch, yaw) [rad]: the convention of URDF.
inline Eigen::Matrix3d rotation_from_rpy(const Eigen::Vector3d& rpy) {
  return (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
          Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

/// (roll, pitch, yaw) [rad] of R, pitch in [-pi/2, pi/2]; the inverse of rotation_from_rpy. At a
/// pitch of +-pi/2, where roll and yaw are one freedom, the roll is 0.
inline Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& R) {
  const double cos_pitch = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), cos_pitch);
  // below this the entries that give roll and yaw are rounding errors
  if (cos_pitch < 1e-14) return {0.0, pitch, std::atan2(-R(0, 1), R(1, 1))};
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

/// The quaternion of the coefficients (x, y, z, w), normalised. A zero norm is a programming error:
/// input of a person is checked by the schema `quaternion()`.
inline Eigen::Quaterniond quaternion_from_xyzw(const Eigen::Vector4d& xyzw) {
  eigen_assert(xyzw.norm() > 0.0);
  return Eigen::Quaterniond(xyzw.w(), xyzw.x(), xyzw.y(), xyzw.z()).normalized();
}

/// The coefficients (x, y, z, w) of q, with w >= 0, so that one rotation has one spelling.
inline Eigen::Vector4d xyzw_from_quaternion(const Eigen::Quaterniond& q) {
  return q.w() < 0.0 ? Eigen::Vector4d(-q.coeffs()) : Eigen::Vector4d(q.coeffs());
}

/// The rotation nearest to M [3x3, det > 0] in the Frobenius norm (its polar factor): takes away
/// the drift of many products.
inline Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& M) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d U = svd.matrixU();
  if ((U * svd.matrixV().transpose()).determinant() < 0.0) U.col(2) = -U.col(2);
  return U * svd.matrixV().transpose();
}

}  // namespace handspan
