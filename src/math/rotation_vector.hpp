#pragma once

// A rotation vector phi [rad] that changes with time, R_WE = exp(phi) R_WS, and the angular motion
// of E in W that it makes. The rate of phi is not the angular velocity, but along one axis.

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace handspan {

/// A vector's first three time derivatives.
struct RotationVectorRates {
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   // [rad/s]
  Eigen::Vector3d second = Eigen::Vector3d::Zero();  // [rad/s^2]
  Eigen::Vector3d third = Eigen::Vector3d::Zero();   // [rad/s^3]
};

/// The angular motion of E in W, expressed in W.
struct AngularMotion {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();      // [rad/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();  // [rad/s^2]
  Eigen::Vector3d jerk = Eigen::Vector3d::Zero();          // [rad/s^3]
};

/// omega = J(phi) phi' with the left Jacobian J = I + a(u) S(phi) + b(u) S(phi)^2, u = |phi|^2, and
/// its first two derivatives. a = (1 - cos |phi|) / u and b = (|phi| - sin |phi|) / |phi|^3 and
/// their derivatives are summed as power series of u, without a case for small angles. Accurate to
/// rounding for |phi| < 2 pi.
inline AngularMotion angular_motion(const Eigen::Vector3d& phi, const RotationVectorRates& rates) {
  const auto& [d1, d2, d3] = rates;
  const double u = phi.squaredNorm();
  // a = sum_k (-u)^k / (2k + 2)!, b = sum_k (-u)^k / (2k + 3)!; by Horner, with two derivatives
  double a = 0.0, a_u = 0.0, a_uu = 0.0, b = 0.0, b_u = 0.0, b_uu = 0.0;
  for (int k = 20; k >= 0; --k) {
    // each sum is c_k (1 + x c_(k+1) / c_k ...) with x = -u
    const double a_step = -1.0 / ((2 * k + 3) * (2 * k + 4));
    const double b_step = -1.0 / ((2 * k + 4) * (2 * k + 5));
    a_uu = a_step * (u * a_uu + 2.0 * a_u);
    a_u = a_step * (u * a_u + a);
    a = 1.0 + a_step * u * a;
    b_uu = b_step * (u * b_uu + 2.0 * b_u);
    b_u = b_step * (u * b_u + b);
    b = 1.0 + b_step * u * b;
  }
  a /= 2.0, a_u /= 2.0, a_uu /= 2.0;
  b /= 6.0, b_u /= 6.0, b_uu /= 6.0;

  // by time
  const double u_1 = 2.0 * phi.dot(d1);
  const double u_2 = 2.0 * (d1.dot(d1) + phi.dot(d2));
  const double a_1 = a_u * u_1, a_2 = a_uu * u_1 * u_1 + a_u * u_2;
  const double b_1 = b_u * u_1, b_2 = b_uu * u_1 * u_1 + b_u * u_2;

  // f = phi x phi' and g = phi x f, with two derivatives
  const Eigen::Vector3d f = phi.cross(d1);
  const Eigen::Vector3d f_1 = phi.cross(d2);
  const Eigen::Vector3d f_2 = d1.cross(d2) + phi.cross(d3);
  const Eigen::Vector3d g = phi.cross(f);
  const Eigen::Vector3d g_1 = d1.cross(f) + phi.cross(f_1);
  const Eigen::Vector3d g_2 = d2.cross(f) + 2.0 * d1.cross(f_1) + phi.cross(f_2);

  AngularMotion motion;
  motion.velocity = d1 + a * f + b * g;
  motion.acceleration = d2 + a_1 * f + a * f_1 + b_1 * g + b * g_1;
  motion.jerk = d3 + a_2 * f + 2.0 * a_1 * f_1 + a * f_2 + b_2 * g + 2.0 * b_1 * g_1 + b * g_2;
  return motion;
}

}  // namespace handspan
