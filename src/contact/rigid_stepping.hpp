#pragma once
// Moreau's time stepping of one rigid box on surfaces. Letters as in rigid_model.hpp; spatial
// vectors are linear first, angular last.
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/box_gap.hpp"
#include "contact/cone_solver.hpp"
#include "contact/rigid_model.hpp"
#include "math/se3.hpp"

namespace handspan {

struct RigidState {
  Pose X_WB;
  Vector6d V_WB = Vector6d::Zero();  // of B's origin [m/s] and angular [rad/s], in W
};

/// State and workspace of a RigidModel; of one thread.
class RigidData {
 public:
  explicit RigidData(const RigidModel& model);

  double time = 0.0;        // [s]
  Eigen::Vector3d p_WC;     // [m]
  Eigen::Quaterniond q_WB;  // unit
  Eigen::Vector3d v_WC;     // [m/s]
  Eigen::Vector3d w_WB_B;   // [rad/s], in B

  /// The contacts of the last step with their impulses, and the index of the surface of each.
  std::span<const ConeContact> contacts() const {
    return {contacts_.data(), static_cast<std::size_t>(count_)};
  }
  int surface_of(std::size_t contact) const { return keys_[contact] / kFeatures; }

  /// Since set_state().
  std::uint64_t steps = 0;
  std::uint64_t softened = 0;     // with less than the named restitution: it would have made energy
  std::uint64_t unconverged = 0;  // impulses were not found to the tolerance
  double energy_made = 0.0;       // by impacts that do so without any restitution [J]; see step()

 private:
  friend void set_state(const RigidModel&, RigidData&, const RigidState&, double);
  friend void step(const RigidModel&, RigidData&);
  static constexpr int kFeatures = 256;
  std::vector<ConeContact> contacts_, last_contacts_;  // of full size from the start
  std::vector<int> keys_, last_keys_;                  // surface and feature
  int count_ = 0, last_count_ = 0;
  GapPoints gaps_;
};

/// Starts anew from a state at a time [s]. @throws InputError when a number is not finite or R is
/// no rotation
void set_state(const RigidModel& model, RigidData& data, const RigidState& state,
               double time = 0.0);

RigidState state(const RigidModel& model, const RigidData& data);

/// One step of the model's timestep h (Moreau 1988; the midpoint rule of Leine and van de Wouw
/// 2008, section 10.2): half a step of free motion, then gravity and the impulses of all contacts
/// that are closed at that pose, at once, then half a step of free motion with the new velocities.
/// No event is looked for: an impact takes part in the step that it falls into, so that it is up to
/// h late or early and what meets at speed u may stay up to u h deep.
///
/// Free motion is exact for the centre of mass; the rotation is the midpoint rule on SO(3), which
/// keeps angular momentum and energy to rounding and turns late by (h w)^2 / 12. So a step changes
/// the energy by exactly the work of its impulses: restitution below 1 and friction never add to
/// it. Newton's law may (where friction reverses a slip); then the step is solved again with
/// restitution 3/4, 1/2, 1/4 and 0 of the named and counted in `softened`. What is left is a body
/// that parts slower than h g while it is still closed: at most m (h g)^2 / 8 a step, summed in
/// `energy_made`. Allocates nothing.
void step(const RigidModel& model, RigidData& data);

/// Kinetic and potential energy [J], the latter 0 where C is at the world's origin.
double energy(const RigidModel& model, const RigidData& data);
/// About C, in W [kg m^2/s].
Eigen::Vector3d angular_momentum(const RigidModel& model, const RigidData& data);
/// The lowest gap to any surface that is closed, 0 when none is [m].
double deepest_gap(const RigidModel& model, const RigidData& data);

}  // namespace handspan
