#pragma once
// One free rigid box and the surfaces that it may meet, for rigid time stepping. W is the world, B
// the box's frame in the middle of the box along its edges, C its centre of mass, S a surface.
#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "math/pose.hpp"

namespace handspan {

/// How the box meets a surface: Newton's restitution and Coulomb's friction.
struct ImpactLaw {
  double friction = 0.5;     // mu, >= 0
  double restitution = 0.0;  // e of the normal velocity, 0 to 1; tangentially there is none
};

/// A box, its corners and edges rounded when asked: the convex hull of eight equal balls, within
/// the same outer edges.
struct RigidBox {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  // outer edges [m]
  double rounding = 0.0;                           // radius of the balls [m]; 0: sharp
  double mass = 0.0;                               // [kg]
  Eigen::Vector3d p_BC = Eigen::Vector3d::Zero();  // [m]
  Eigen::Matrix3d inertia_C =                      // about C, in B's axes [kg m^2]
      Eigen::Matrix3d::Zero();
};

/// A box of one density with sharp corners.
RigidBox uniform_box(const Eigen::Vector3d& size, double mass);

/// What the box may meet and cannot move: all of z <= 0 in S, or a block with real edges about the
/// origin of S.
struct RigidSurface {
  std::string name;
  Pose X_WS;                            // at time 0
  std::optional<Eigen::Vector3d> size;  // of the block [m]; none: all of z <= 0
  Eigen::Vector3d running_S =           // how its skin runs, S staying where it is: a belt [m/s];
      Eigen::Vector3d::Zero();          // what is normal to a contact does not count
  Eigen::Vector3d velocity_W =          // how it travels as a whole: a carried tray [m/s]
      Eigen::Vector3d::Zero();
  ImpactLaw law;
};

/// All below the plane z = 0 of S.
RigidSurface plane_surface(std::string name, const Pose& X_WS, const ImpactLaw& law);
/// A block of this size [m] whose skin runs along its x at speed [m/s].
RigidSurface belt_surface(std::string name, const Pose& X_WS, const Eigen::Vector3d& size,
                          double speed, const ImpactLaw& law);
/// A floor and four walls with edges, as a scene's shape `tray` has them: `inside` is length, width
/// and height of the walls [m], `wall` the thickness of floor and walls [m]; X_WT is the middle of
/// the floor's top. All travel at velocity_W [m/s].
std::vector<RigidSurface> tray_surfaces(
    const std::string& name, const Pose& X_WT, const Eigen::Vector3d& inside, double wall,
    const ImpactLaw& law, const Eigen::Vector3d& velocity_W = Eigen::Vector3d::Zero());

/// The longest step that is taken [s].
inline constexpr double kLongestRigidStep = 0.01;

/// Box, surfaces, gravity and step, checked; never changes.
class RigidModel {
 public:
  /// @param gravity [m/s^2], timestep [s]
  /// @throws InputError that names what is wrong: sizes, rounding, mass, an inertia that no body
  /// has, a law outside its range, a pose that is none, numbers that are not finite, a step outside
  /// (0, kLongestRigidStep]
  RigidModel(const RigidBox& box, std::vector<RigidSurface> surfaces,
             const Eigen::Vector3d& gravity = Eigen::Vector3d(0.0, 0.0, -9.81),
             double timestep = 5e-4);

  const RigidBox& box() const { return box_; }
  const std::vector<RigidSurface>& surfaces() const { return surfaces_; }
  const Eigen::Vector3d& gravity() const { return gravity_; }
  double timestep() const { return timestep_; }

  /// Half edges of the box that the balls' centres span [m].
  const Eigen::Vector3d& core() const { return core_; }
  /// The centres of the balls, each once where several coincide, in B [m].
  const std::vector<Eigen::Vector3d>& corners() const { return corners_; }
  /// Nothing of the box is farther from C [m].
  double reach() const { return reach_; }
  const Eigen::Matrix3d& inverse_inertia_C() const { return inverse_inertia_C_; }
  /// The inertia is the same about all axes.
  bool isotropic() const { return isotropic_; }

 private:
  RigidBox box_;
  std::vector<RigidSurface> surfaces_;
  Eigen::Vector3d gravity_;
  double timestep_;
  Eigen::Vector3d core_;
  std::vector<Eigen::Vector3d> corners_;
  double reach_ = 0.0;
  Eigen::Matrix3d inverse_inertia_C_;
  bool isotropic_ = false;
};

}  // namespace handspan
