#pragma once
// What meets in an impact: arms, a box, and the points at which they touch. W is the world, B the
// box's frame in its middle along its edges, C its centre of mass. Spatial vectors are linear
// first, angular last. Nothing here knows a robot: an arm is its inertia matrix and Jacobians.
#include <Eigen/Core>
#include <array>

#include "contact/rigid_model.hpp"
#include "math/pose.hpp"
#include "math/se3.hpp"

namespace handspan {

inline constexpr int kMostImpactArms = 4;
inline constexpr int kMostImpactCoordinates = 12;  // of an arm
inline constexpr int kMostImpactContacts = 16;

/// Of fixed room: none of these allocate.
using ArmMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                                kMostImpactCoordinates, kMostImpactCoordinates>;
using ArmVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostImpactCoordinates>;
using PointJacobian =
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, kMostImpactCoordinates>;

/// An arm just before the impact: joints that yield, or one rigid body (composite_arm()).
struct ImpactArm {
  ArmMatrix M;  // inertia (n x n) [kg m^2, kg]
  ArmVector v;  // velocity (n) [rad/s, m/s]
};

/// The box just before the impact.
struct ImpactBox {
  RigidBox box;
  Pose X_WB;
  Vector6d V_WB = Vector6d::Zero();  // of B's origin [m/s, rad/s], in W
  bool fixed = false;                // a pillar: it does not move, whatever hits it
};

/// A point at which a plate and the box touch.
struct ImpactContact {
  int arm = -1;                                       // whose plate; -1: of what does not move
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();      // [m]
  Eigen::Vector3d n_W = Eigen::Vector3d::UnitZ();     // unit, from the plate into the box
  PointJacobian J;                                    // velocity of the plate's point, in W
                                                      // (3 x n of the arm), unless arm is -1
  Eigen::Vector3d v_fixed = Eigen::Vector3d::Zero();  // of a surface that is no arm's [m/s]
  double friction = 0.5;                              // Coulomb's mu, >= 0
  double restitution = 0.0;                           // Newton's e, 0 to 1
};

struct ImpactProblem {
  ImpactBox box;
  std::array<ImpactArm, kMostImpactArms> arms;
  int arm_count = 0;
  std::array<ImpactContact, kMostImpactContacts> contacts;
  int contact_count = 0;
};

/// A contact may be this far from the box's surface [m]: pads give way, and poses are measured.
inline constexpr double kContactTolerance = 0.005;

/// @throws InputError that names the arm, the contact or the box and says what is wrong with it
/// and what it must be: counts beyond the room; sizes that do not match; numbers that are not
/// finite; an inertia that is not symmetric and positive; what RigidModel refuses of a box; a
/// normal that is not unit or points out of the box; friction below 0; restitution outside 0 to 1;
/// a point inside the box or away from it by more than kContactTolerance
void check_impact(const ImpactProblem& problem);

}  // namespace handspan
