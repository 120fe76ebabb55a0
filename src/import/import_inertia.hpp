#pragma once
// Inertias that no body can have, and the nearest that one can.
#include <optional>
#include <string>

#include "robot/description.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

struct RepairedInertia {
  Inertial inertial;
  std::optional<InertiaRepair> repair;  // set when a number changed by more than rounding
  bool rounded = false;                 // principal moments changed by at most 1e-9 of the largest
};

/// The inertia nearest to I_BC_B in the Frobenius norm that a body can have: second moments sigma
/// of mass along the principal axes, I_i = sigma_j + sigma_k, not below mass * (0.1 mm)^2. An
/// inertia that is possible stays as it is.
/// @param body for the report; mass [kg] > 0, p_BC [m], I_BC_B about the centre of mass in B [kg
/// m^2]
RepairedInertia repair_inertia(const std::string& body, double mass, const Eigen::Vector3d& p_BC,
                               const Eigen::Matrix3d& I_BC_B);

}  // namespace handspan
