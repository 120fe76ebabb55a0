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
#include <Eigen/LU>
#include <array>

#include "contact/cone_solver.hpp"
#include "contact/impact_problem.hpp"

namespace handspan {

enum class ImpactStatus {
  kSolved,   // the law holds to the tolerance
  kRelaxed,  // friction jams: impulses are in their cones and momentum is kept, but at some contact
             // what slides also lifts a little, see `residual`
  kSingular,  // an inertia that is not positive, or a contact that nothing can answer
};

struct ImpactVelocities {
  std::array<ArmVector, kMostImpactArms> v;                   // of the arms
  Vector6d V_WB = Vector6d::Zero();                           // of B's origin, in W
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
  double tolerance = 1e-9;  // of `residual`, of the fastest contact's velocity before
  int most_sweeps = 200;    // of each solution, and as many again of the convex problems: what
                            // bounds the time
};

/// The workspace of the map, and the map. No call allocates or throws, so that a tick may make it;
/// what is given is checked with check_impact() when it is configured.
///
/// The law is solved as a projection p = P(p - r xi) (Alart and Curnier 1991). Contact after
/// contact is answered exactly (contact_answer), which finds out what parts, sticks and slides;
/// then Newton's steps go for all contacts at once, and the nearest point is kept; and so in turn.
/// What comes out is held against the law by De Saxce and Feng's residual. Answers in turn descend
/// on a convex function while contacts stick, part or have no friction; where they slide, Coulomb's
/// law is not of such a function, and nobody has a proof that anything converges. So if it misses,
/// a sequence of convex problems is solved (Cadoux 2009; Acary, Cadoux, Lemarechal, Malick 2011):
/// with the slip's share in the law fixed, projected steps of the contacts in turn descend to the
/// minimum of a convex function over cones, which is proven (Beck and Tetruashvili 2013); then the
/// slip is taken anew. If that misses too, or `most_sweeps` end it, its last point is the result,
/// named `kRelaxed`.
class ImpactMap {
 public:
  void solve(const ImpactProblem& problem, ImpactResult& result, const ImpactOptions& options = {});

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

  static constexpr int kMostUnknowns = 3 * kMostImpactContacts;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                               kMostUnknowns, kMostUnknowns>;
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostUnknowns>;

  bool prepare(const ImpactProblem& problem);
  bool prepare_point(const ImpactProblem& problem, std::size_t index);
  Eigen::Vector3d velocity(const Point& point) const;
  Eigen::Vector3d xi(const Point& point) const;
  void push(Point& point, const Eigen::Vector3d& change);
  void restart();
  double residual() const;
  bool exact_sweeps(int most, const ImpactOptions& options, int& sweeps);
  void couple();
  void linearise(Column& F);
  void newton(const ImpactOptions& options);
  void into_cones();
  bool converged(const ImpactOptions& options) const;
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
  bool fixed_ = false, coupled_ = false;
  Square G_, system_;  // velocities of all contacts by impulses at all; Newton's
  Eigen::PartialPivLU<Square> solver_;
};

}  // namespace handspan
