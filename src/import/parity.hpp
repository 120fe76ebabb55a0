#pragma once
// The same mechanism in both engines, compared at random states: what `handspan check` shows and
// the tests bound.
#include <cstdint>
#include <string>
#include <vector>

#include "robot/description.hpp"

namespace handspan {

/// Largest ||A - B||_inf / (1 + ||A||_inf) over the states, A ours (Pinocchio), B MuJoCo's;
/// ||.||_inf the largest entry.
struct Parity {
  double mass_matrix = 0.0;
  double nonlinear_effects = 0.0;
  double frame_positions = 0.0;
  double frame_rotations = 0.0;
  double jacobians = 0.0;
  double bias_accelerations = 0.0;  // dJ/dt v of every frame
  double constraint_rows = 0.0;     // mimic joints
  int states = 0;

  double worst() const;
  std::string summary() const;  // one line
};

/// Compares at `states` random states: joints within +-2 rad or m, velocities within +-1,
/// quaternions uniform.
/// @throws std::runtime_error or InputError when either engine refuses the description
Parity compare_engines(const ModelDescription& description, int states, std::uint64_t seed);

}  // namespace handspan
