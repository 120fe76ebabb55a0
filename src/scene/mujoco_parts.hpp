#pragma once
// What compiling a scene and giving it other numbers share.
#include "scene/mujoco_spec.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// A law of contact as MuJoCo has it.
struct SolverParameters {
  mjtNum solref[mjNREF] = {0, 0};
  mjtNum solimp[mjNIMP] = {0, 0, 0, 0.5, 2.0};
  int condim = 3;
  double friction[5] = {0, 0, 0, 0, 0};
};

SolverParameters solver_parameters(const ContactLaw& law, double timestep);

/// All of a scene but its robots and what is drawn only, compiled: every element has a name.
/// @throws std::runtime_error with MuJoCo's words
MjModelPtr compile_without_robots(const Scene& scene);

/// The solver's tolerance is relative to the mean inertia, which bodies of 1e6 kg would make
/// meaningless: it is that of the others.
void forget_kinematic_masses(const Scene& scene, mjModel& model);

}  // namespace handspan
