#pragma once
// The axes of a contact: z along the force that the arm feels, as it was last; before any they are
// the world's, and with each change of the force they turn the shortest way.
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace handspan {

/// From which a force on an arm is one: beyond noise [N].
inline constexpr double kPresses = 5.0;

/// Turns R_WC so that its z is along the force F on the arm, in W [N]; of less than kPresses it
/// stays.
inline void turn_to_contact(Eigen::Matrix3d& R_WC, const Eigen::Vector3d& F) {
  if (F.norm() > kPresses)
    R_WC = Eigen::Quaterniond::FromTwoVectors(R_WC.col(2), F).toRotationMatrix() * R_WC;
}

}  // namespace handspan
