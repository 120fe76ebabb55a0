#pragma once
// Impacts made up for tests: arms that are inertia matrices, a box between two plates.
#include <Eigen/LU>

#include "contact/arm_inertia.hpp"
#include "contact/impact_map.hpp"
#include "core/random.hpp"

namespace handspan::test {

inline ImpactBox box_at_rest(const Eigen::Vector3d& size = {0.3, 0.27, 0.2}, double mass = 0.56) {
  ImpactBox out;
  out.box = uniform_box(size, mass);
  return out;
}

/// Some arm of n joints.
inline ImpactArm any_arm(RandomStream& random, int n) {
  ImpactArm arm;
  Eigen::MatrixXd root(n, n);
  for (double& x : root.reshaped()) x = random.normal(0.0, 0.4);
  arm.M = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
  arm.v.resize(n);
  for (double& x : arm.v) x = random.normal(0.0, 0.3);
  return arm;
}

/// A block of so much mass that moves without turning: an arm of three coordinates.
inline ImpactArm point_mass(double mass, const Eigen::Vector3d& velocity) {
  ImpactArm arm;
  arm.M = mass * Eigen::Matrix3d::Identity();
  arm.v = velocity;
  return arm;
}

inline ImpactContact contact_at(int arm, const Eigen::Vector3d& p, const Eigen::Vector3d& n,
                                double friction, double restitution) {
  ImpactContact c;
  c.arm = arm;
  c.p_W = p;
  c.n_W = n;
  c.friction = friction;
  c.restitution = restitution;
  c.J = Eigen::Matrix3d::Identity();
  return c;
}

/// Two arms of seven joints that close on a box along y, each with so many contacts of its corners
/// (1, 2 or 4) on a face.
inline ImpactProblem two_arms(RandomStream& random, int each, double friction, double restitution) {
  ImpactProblem problem;
  problem.box = box_at_rest();
  problem.box.X_WB = Pose::from_rpy({0.6, 0.4, 0.3}, {0.0, 0.0, random.uniform(-0.1, 0.1)});
  problem.arm_count = 2;
  for (std::size_t side = 0; side < 2; ++side) {
    problem.arms[side] = any_arm(random, 7);
    const double out = side == 0 ? -1.0 : 1.0;
    const Eigen::Vector3d n = -out * problem.box.X_WB.R.col(1);
    const Eigen::Vector3d middle(random.uniform(-0.03, 0.03), out * 0.135,
                                 random.uniform(-0.03, 0.03));
    // Jacobians of one rigid plate: its twist at its middle, taken to the corners
    Eigen::Matrix<double, 6, 7> J;
    for (double& x : J.reshaped()) x = random.normal(0.0, 0.5);
    for (int k = 0; k < each; ++k) {
      const Eigen::Vector3d corner(each == 1 ? 0.0 : (k % 2 == 0 ? 0.03 : -0.03), 0.0,
                                   each < 4 ? 0.0 : (k < 2 ? 0.03 : -0.03));
      const Eigen::Vector3d p = problem.box.X_WB * Eigen::Vector3d(middle + corner);
      ImpactContact c = contact_at(static_cast<int>(side), p, n, friction, restitution);
      c.J = J.topRows<3>() - skew(problem.box.X_WB.R * corner) * J.bottomRows<3>();
      problem.contacts[static_cast<std::size_t>(problem.contact_count++)] = c;
    }
    // the plate comes with up to 0.6 m/s along its normal and slides a little, without turning
    Eigen::Matrix<double, 6, 1> V;
    V << random.uniform(0.1, 0.6) * n + 0.05 * random.direction(), 0.1 * random.direction();
    problem.arms[side].v = J.transpose() * (J * J.transpose()).inverse() * V;
  }
  return problem;
}

/// Velocity of the box's point against the plate's, in W.
inline Eigen::Vector3d gamma(const ImpactProblem& problem, int contact,
                             const ImpactVelocities& at) {
  const ImpactContact& c = problem.contacts[static_cast<std::size_t>(contact)];
  const Eigen::Vector3d of_box =
      at.V_WB.head<3>() + at.V_WB.tail<3>().cross(c.p_W - problem.box.X_WB.p);
  if (c.arm < 0) return of_box - c.v_fixed;
  return of_box - c.J * at.v[static_cast<std::size_t>(c.arm)];
}

inline ImpactVelocities before(const ImpactProblem& problem) {
  ImpactVelocities at;
  at.V_WB = problem.box.V_WB;
  for (int a = 0; a < problem.arm_count; ++a)
    at.v[static_cast<std::size_t>(a)] = problem.arms[static_cast<std::size_t>(a)].v;
  return at;
}

}  // namespace handspan::test
