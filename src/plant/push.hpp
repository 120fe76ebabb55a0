#pragma once
// Hands that disturb a simulation: a force on a body, whoever it belongs to.
#include "plant/mujoco_plant.hpp"

namespace handspan {

/// From the next step on a force and a torque act on a body, until they are set anew; zeros end
/// them. Not for objects that a cup holds: it sets theirs in each step.
/// @param body of plant.bodies()  @param p_W where the force acts now; it is moved with the body by
/// whoever sets it anew [m]  @param F_W force and torque [N, N m]
void push(MujocoPlant& plant, int body, const Eigen::Vector3d& p_W, const Vector6d& F_W);

}  // namespace handspan
