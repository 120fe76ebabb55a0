#pragma once

// Where one frame is, seen from another: X_AB = (R_AB, p_AB) takes a point's coordinates in B to A.

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "math/so3.hpp"

namespace handspan {

/// A pose X_AB. Members are public: any rotation and any vector are a pose.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  // R_AB, a rotation   (3 x 3)
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      // p_AB [m], B's origin in A (3)

  /// The pose at p [m] turned by the unit quaternion q.
  static Pose from(const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
    return {q.toRotationMatrix(), p};
  }

  /// The pose at p [m] turned by `rpy` = (roll, pitch, yaw) [rad], the convention of URDF.
  static Pose from_rpy(const Eigen::Vector3d& p, const Eigen::Vector3d& rpy) {
    return {rotation_from_rpy(rpy), p};
  }

  /// The pose at p [m] without turn.
  static Pose translation(const Eigen::Vector3d& p) { return {Eigen::Matrix3d::Identity(), p}; }

  /// The pose at the origin turned by R.
  static Pose rotation(const Eigen::Matrix3d& R) { return {R, Eigen::Vector3d::Zero()}; }

  /// The unit quaternion of R, with w >= 0.
  Eigen::Quaterniond quaternion() const {
    Eigen::Quaterniond q(R);
    if (q.w() < 0.0) q.coeffs() = -q.coeffs();
    return q.normalized();
  }

  /// X_BA of X_AB.
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }

  /// X_AC = X_AB X_BC.
  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, p + R * X_BC.p}; }

  /// The point p_AQ [m] of p_BQ [m]. A free vector (a direction, a force) is turned by R alone.
  Eigen::Vector3d operator*(const Eigen::Vector3d& p_BQ) const { return p + R * p_BQ; }
};

}  // namespace handspan
