#pragma once
// The impulses of one rigid body's contacts within a step: Newton's restitution along the normals
// and Coulomb's friction in the circle across them, the exact second-order cone and not a pyramid.
#include <Eigen/Core>
#include <span>

namespace handspan {

/// One contact of a body whose centre of mass is C; everything in one frame, W.
struct ConeContact {
  Eigen::Vector3d n = Eigen::Vector3d::UnitZ();         // unit, into the body
  Eigen::Vector3d p_CQ = Eigen::Vector3d::Zero();       // of the contact point [m]
  Eigen::Vector3d v_surface = Eigen::Vector3d::Zero();  // of the surface's skin there [m/s]
  double friction = 0.0;
  double restitution = 0.0;
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  // in: a guess, out: on the body [N s]

  // filled by prepare_contact()
  Eigen::Matrix3d axes, arms, turns;  // columns n, t1, t2; p_CQ x them; I^-1 of that
  Eigen::Matrix3d G, G_inverse;       // velocity of the point by an impulse there, along the axes
  double tangent_gain = 0.0;
  Eigen::Vector3d before = Eigen::Vector3d::Zero();  // sliding velocity before the impact [m/s]
  Eigen::Vector3d p = Eigen::Vector3d::Zero();       // the impulse along the axes [N s]
};

/// The axes of a contact from its n: any two across it will do, since friction is the same in all
/// directions.
void set_contact_axes(ConeContact& contact);
/// The contact's own matrix G, and what is computed of it. @param G symmetric, positive definite
void set_contact_matrix(ConeContact& contact, const Eigen::Matrix3d& G);
/// The impulse along the axes that answers xi of one contact exactly, all others as they are, xi
/// being what it is with the impulse contact.p. It obeys the law below; where friction jams there
/// may be no such impulse, and it is a step of projection towards one.
Eigen::Vector3d contact_answer(const ConeContact& contact, const Eigen::Vector3d& xi);

/// Everything that the law needs to know about a contact before the impulses: its axes, its own
/// matrix, and its velocity against the surface at the body's v and w before the step.
void prepare_contact(ConeContact& contact, double mass, const Eigen::Matrix3d& inverse_inertia,
                     const Eigen::Vector3d& v, const Eigen::Vector3d& w);

struct ConeOptions {
  double restitution_scale = 1.0;  // of every contact's e
  double tolerance = 1e-7;         // of a contact's velocity, of the fastest without impulses
  double creep = 1e-4;             // the same, when sweeps no longer help
  int most_sweeps = 300;
};

struct ConeResult {
  int sweeps = 0;  // over the contacts
  bool converged = false;
  double work = 0.0;  // done on the body by the surfaces, as they see it: sum of
                      // p . (before + after) / 2 [J]; a law of impact must not be above 0
};

/// Finds p with, for xi = after + e before of each contact (e along the normal only),
///   0 <= p_n, 0 <= xi_n, p_n xi_n = 0    and    p_t = proj_disk(mu p_n)(p_t - r xi_t)
/// (Moreau 1988; Leine and van de Wouw 2008, section 5.4): contact after contact, each exactly,
/// until nothing changes. Two corners of one edge that is not parallel to the surface cannot always
/// both have what the law wants of them; then impulses along the edge creep from one to the other
/// without end, at velocities that matter to nobody, and the sweeps end there. Allocates nothing.
/// @param v, w in: of C and of the body [m/s, rad/s] without the impulses; out: with them
ConeResult solve_impulses(std::span<ConeContact> contacts, double mass, Eigen::Vector3d& v,
                          Eigen::Vector3d& w, const ConeOptions& options = {});

}  // namespace handspan
