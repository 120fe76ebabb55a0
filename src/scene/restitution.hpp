#pragma once
// MuJoCo's contact damping for a wanted coefficient of restitution.
#include <array>

namespace handspan {

/// The damping b [1/s] with which a contact of stiffness k [1/s^2] (negative solref: -k, -b)
/// rebounds with restitution e in a simulated drop test at this time step. The text-book formula
/// for a linear spring and damper does not hold there: MuJoCo's contact never pulls, acts through
/// its impedance, and is stepped. It holds for the mean over where in a step the impact falls; one
/// impact strays by up to sqrt(k) timestep / 8. Weight acts meanwhile, which takes about g pi /
/// sqrt(k) off the speed after it.
/// @param e in [0, 0.95], timestep [s], impedance: MuJoCo's solimp at contact, at full width, width
/// [m]
/// @throws InputError when e is outside, k is not > 0, or the contact is too stiff for the step: it
/// lasts less than 8 steps, or cannot rebound so little (to 0.05)
double restitution_damping(double e, double k, double timestep,
                           const std::array<double, 3>& impedance);

/// What those drop tests rebound with in the mean: speed after over speed before, without gravity.
double simulated_restitution(double k, double b, double timestep,
                             const std::array<double, 3>& impedance);

}  // namespace handspan
