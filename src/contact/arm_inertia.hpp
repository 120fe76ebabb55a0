#pragma once
// What an arm is in an impact: how its point yields to an impulse, and the arm of a stiff law as
// one rigid body. W is the world, E the plate, C the centre of mass of the arm's moving links;
// spatial vectors are linear first, angular last.
#include <Eigen/Core>

#include "contact/impact_problem.hpp"
#include "math/se3.hpp"

namespace handspan {

/// N = J M^-1 J^T [1/kg]: the velocity that an impulse of 1 N s at the point gives to it, in W. Its
/// part 1 / (n^T N n) along a normal n is the effective mass there, and n to another axis the
/// coupling that turns an impact along n sideways (Khatib 1995).
/// @param M, J of joints that yield (n x n; 3 x n)
/// @param stiff a joint that a law holds so stiffly that it does not yield; -1: none
/// Allocates nothing. All NaN when M is not positive.
Eigen::Matrix3d contact_mobility(const ArmMatrix& M, const PointJacobian& J, int stiff = -1);

/// An arm whose law is so stiff that its joints do not yield while the impact lasts: its moving
/// links are one rigid body (Wang, Dehio and Kheddar 2022, "Predicting impact-induced joint
/// velocity jumps on kinematic-controlled manipulator", arXiv 2202.12646), which moves as the plate
/// does.
/// @param mass [kg], p_WC [m], inertia_C (about C, in W) [kg m^2] of the links together
/// @param p_WE, V_WE of the plate's point [m, m/s, rad/s]
/// @return n = 6, coordinates the twist at C in W. Allocates nothing
ImpactArm composite_arm(double mass, const Eigen::Vector3d& p_WC, const Eigen::Matrix3d& inertia_C,
                        const Eigen::Vector3d& p_WE, const Vector6d& V_WE);
/// The Jacobian of a point of that body (3 x 6).
PointJacobian composite_jacobian(const Eigen::Vector3d& p_WC, const Eigen::Vector3d& p_W);

/// The jump of joint velocities that goes with a jump of the point's velocity, J^+ dv with the
/// pseudo-inverse J^T (J J^T)^-1 (as the same authors map it): for composite_arm(), which
/// knows no joints. All NaN where J has no full row rank. Allocates nothing.
/// @param J of the point, of joints (3 x n)
/// @param dv v+ - v- of the point [m/s]
ArmVector joint_jump(const PointJacobian& J, const Eigen::Vector3d& dv);

}  // namespace handspan
