#pragma once
// Velocities after a rigid impact of arms and a box, all contacts at once. Letters as in
// impact_problem.hpp.
//
// With M = blkdiag(M_1, ..., M_b), v of all arms and the box, and J the stacked Jacobians of
// gamma, the velocity of the box's point against the plate's:
//   M (v+ - v-) = J^T Lambda,   0 <= Lambda_n, 0 <= gamma_n+ + e gamma_n-, their product is 0,
//   |Lambda_t| <= mu Lambda_n, against the slip and equal to it where there is one.
// e is Newton's: of normal velocities, not of impulses (Poisson's). The end of compression is the
// same with e = 0, where no plate comes nearer to the box any more; what is measured of pads that
// give way is compared with that.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <array>

#include "contact/cone_solver.hpp"
#include "contact/impact_problem.hpp"

namespace handspan {

enum class ImpactStatus {
  kSolved,    // the law holds to the tolerance
  kRelaxed,   // friction jams: impulses are in their cones and momentum is kept, but at some contact
              // what slides also lifts a little, see `residual`
  kSingular,  // an inertia that is not positive, or a contact that nothing can answer
};

struct ImpactVelocities {
  std::array<ArmVector, kMostImpactArms> v;  // of the arms
  Vector6d V_WB = Vector6d::Zero();          // of B's origin, in W
  std::array<Eigen::Vector3d, kMostImpactContacts> impulses;  // on the box, in W [N s]
};

struct ImpactResult {
  ImpactStatus status = ImpactStatus::kSolved;
  ImpactVelocities compressed;  // at the end of compression
  ImpactVelocities after;       // with restitution; the same where all e are 0
  // Newton's law can make energy where friction turns a slip around. Then all e are multiplied by
  // 3/4, 1/2, 1/4 or 0, the largest with which it does not; as rigid_stepping does
  double restitution_scale = 1.0;
  double energy_lost = 0.0;  // kinetic, from before to after, seen from surfaces that move [J]
  double residual = 0.0;     // by how much a contact's velocity misses the law [m/s], the worst
  int sweeps = 0;            // over the contacts, of both solutions
};

struct ImpactOptions {
  double tolerance = 1e-10;  // of `residual`, of the fastest contact's velocity before
  int most_sweeps = 400;     // of each solution; then the relaxed one is taken
};

/// The workspace of the map, and the map. No call allocates or throws, so that a tick may make it;
/// what is given is checked with check_impact() when it is configured.
///
/// First contact after contact is answered exactly (contact_answer) until nothing changes: block
/// descent on a convex function while contacts stick, part or have no friction. Where they slide,
/// Coulomb's law is not of such a function, and nobody has a proof. What comes out is therefore
/// held against the law (De Saxce and Feng's residual). If it misses, a sequence of convex problems
/// is solved (Cadoux 2009; Acary, Cadoux, Lemarechal, Malick 2011): with the slip's share in
/// the law fixed, projected steps of the contacts in turn descend to the minimum of a convex
/// function over cones (Beck and Tetruashvili 2013), then the slip is taken anew. If that misses
/// too, its last point is the result, named `kRelaxed`.
class ImpactMap {
 public:
  void solve(const ImpactProblem& problem, ImpactResult& result,
             const ImpactOptions& options = {});

 private:
  struct Point {
    ConeContact cone;  // its own law; axes, G and impulse
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, kMostImpactCoordinates> A;
    Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::ColMajor, kMostImpactCoordinates, 3> Y;
    Eigen::Matrix<double, 3, 6> B;  // velocity along the axes by the box's twist at C
    Eigen::Matrix<double, 6, 3> Z;  // twist of the box by an impulse along the axes
    Eigen::Vector3d drift;          // velocity along the axes that nothing here changes
    double step = 0.0;              // 1 / largest eigenvalue of G
    double slip = 0.0;              // mu |gamma_t| that the relaxed problem has
    int arm = -1;
  };

  bool prepare(const ImpactProblem& problem);
  bool prepare_point(const ImpactProblem& problem, std::size_t index);
  Eigen::Vector3d velocity(const Point& point) const;
  Eigen::Vector3d xi(const Point& point) const;
  void push(Point& point, const Eigen::Vector3d& change);
  void restart();
  double residual() const;
  void exact_sweeps(const ImpactOptions& options, int& sweeps);
  void relaxed_sweeps(const ImpactOptions& options, int& sweeps);
  bool find(double restitution_scale, const ImpactOptions& options, ImpactResult& result);
  void read(const ImpactProblem& problem, ImpactVelocities& out) const;
  double work() const;

  std::array<Point, kMostImpactContacts> points_;
  std::array<Eigen::LLT<ArmMatrix>, kMostImpactArms> factors_;
  std::array<ArmVector, kMostImpactArms> v_, v_before_;
  Vector6d V_WC_ = Vector6d::Zero(), V_WC_before_ = Vector6d::Zero();
  Eigen::Matrix3d inertia_W_, inverse_inertia_W_;
  Eigen::Vector3d p_WC_;
  double inverse_mass_ = 0.0, fastest_ = 0.0, scale_ = 0.0;
  std::size_t count_ = 0, arms_ = 0;
  bool fixed_ = false;
};

}  // namespace handspan
