#pragma once
// Where a rigid box and a surface meet. Letters as in rigid_model.hpp.
#include <Eigen/Core>
#include <array>

#include "contact/rigid_model.hpp"

namespace handspan {

struct GapPoint {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  // on the box [m]
  Eigen::Vector3d n_W = Eigen::Vector3d::Zero();  // unit, from the surface into the box
  double gap = 0.0;                               // <= 0 [m]
  int feature = 0;                                // the same meeting has the same one next step
};

/// The points of one meeting; more than eight never matter to a box.
struct GapPoints {
  std::array<GapPoint, 8> points;
  int count = 0;
};

/// The points at which the box at R_WB, p_WB is at or below the surface at X_WS. Planes: the
/// corners, exact for a rounded box too. Blocks: the axis of least overlap among the faces and
/// pairs of edges of the two (Gottschalk 1996), then the face's outline clipped, or the one point
/// of two edges; for a rounded box whose core is outside of the block, distances are exact.
/// Allocates nothing.
void find_gaps(const RigidModel& model, const RigidSurface& surface, const Pose& X_WS,
               const Eigen::Matrix3d& R_WB, const Eigen::Vector3d& p_WB, GapPoints& out);

}  // namespace handspan
