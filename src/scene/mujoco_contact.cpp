// Laws of contact as MuJoCo has them.
#include <algorithm>

#include "scene/mujoco_parts.hpp"
#include "scene/restitution.hpp"

namespace handspan {

SolverParameters solver_parameters(const ContactLaw& law, double timestep) {
  SolverParameters p;
  if (law.restitution) {
    p.solref[0] = -law.stiffness;
    p.solref[1] = -restitution_damping(*law.restitution, law.stiffness, timestep, law.impedance);
  } else {
    p.solref[0] = law.time_constant;
    p.solref[1] = law.damping_ratio;
  }
  for (std::size_t i = 0; i < 3; ++i) p.solimp[i] = law.impedance[i];
  // MuJoCo keeps friction above zero; 1e-5 is its own floor
  const double mu = std::max(law.friction, 1e-5);
  p.condim = law.rolling_friction > 0.0     ? 6
             : law.torsional_friction > 0.0 ? 4
             : law.friction > 0.0           ? 3
                                            : 1;
  p.friction[0] = p.friction[1] = mu;
  p.friction[2] = law.torsional_friction;
  p.friction[3] = p.friction[4] = law.rolling_friction;
  return p;
}

}  // namespace handspan
