#include "contact/impact_map.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace handspan {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kFirstSweeps = 6, kMoreSweeps = 20, kNewtonSteps = 12;
constexpr double kSharedImpulse = 1e-9;  // of the mean of G's diagonal, added to it
constexpr int kSlips = 10;               // times that the relaxed problem takes the slip anew
constexpr double kMadeEnergy = 1e-10;    // that rounding may make, of what compression takes

// onto {|p_t| <= mu p_n}
Vector3d projected(const Vector3d& p, double mu) {
  const double across = p.tail<2>().norm();
  if (across <= mu * p[0]) return p;
  if (mu * across <= -p[0]) return Vector3d::Zero();
  const double n = (p[0] + mu * across) / (1.0 + mu * mu);
  Vector3d out;
  out << n, mu * n / across * p.tail<2>();
  return out;
}

// De Saxce and Feng: the law holds where projecting p - r (xi + mu |xi_t| n) gives p again
double missed(const ConeContact& c, const Vector3d& xi, double step) {
  Vector3d shifted = xi;
  shifted[0] += c.friction * xi.tail<2>().norm();
  return (c.p - projected(c.p - step * shifted, c.friction)).norm() / step;
}

}  // namespace

Vector3d ImpactMap::velocity(const Point& point) const {
  Vector3d out = point.B * V_WC_ + point.drift;
  if (point.arm >= 0) out += point.A.lazyProduct(v_[static_cast<std::size_t>(point.arm)]);
  return out;
}

Vector3d ImpactMap::xi(const Point& point) const {
  Vector3d out = velocity(point);
  out[0] += scale_ * point.cone.restitution * point.cone.before[0];
  return out;
}

void ImpactMap::push(Point& point, const Vector3d& change) {
  point.cone.p += change;
  V_WC_ += point.Z * change;
  if (point.arm >= 0) v_[static_cast<std::size_t>(point.arm)] += point.Y.lazyProduct(change);
}

// velocities from impulses: nothing of the sweeps' rounding stays in them
void ImpactMap::restart() {
  V_WC_ = V_WC_before_;
  for (std::size_t a = 0; a < arms_; ++a) v_[a] = v_before_[a];
  for (std::size_t i = 0; i < count_; ++i) {
    const Vector3d p = points_[i].cone.p;
    points_[i].cone.p.setZero();
    push(points_[i], p);
  }
}

double ImpactMap::residual() const {
  double worst = 0.0;
  for (std::size_t i = 0; i < count_; ++i)
    worst = std::max(worst, missed(points_[i].cone, xi(points_[i]), points_[i].step));
  return worst;
}

bool ImpactMap::converged(const ImpactOptions& options) const {
  return residual() <= options.tolerance * fastest_;
}

bool ImpactMap::prepare_point(const ImpactProblem& problem, std::size_t index) {
  const ImpactContact& contact = problem.contacts[index];
  Point& point = points_[index];
  ConeContact& cone = point.cone;
  cone.n = contact.n_W;
  cone.friction = contact.friction;
  cone.restitution = contact.restitution;
  cone.p.setZero();
  set_contact_axes(cone);
  const Matrix3d across = cone.axes.transpose();
  point.arm = contact.arm;
  point.B << across, -across * skew(contact.p_W - p_WC_);
  if (fixed_) {
    point.Z.setZero();
  } else {
    point.Z.topRows<3>() = inverse_mass_ * cone.axes;
    point.Z.bottomRows<3>() = inverse_inertia_W_ * point.B.rightCols<3>().transpose();
  }
  Matrix3d G = point.B * point.Z;
  point.drift.setZero();
  if (contact.arm >= 0) {
    point.A = -across.lazyProduct(contact.J);
    point.Y = point.A.transpose();
    factors_[static_cast<std::size_t>(contact.arm)].solveInPlace(point.Y);
    G += point.A.lazyProduct(point.Y);
  } else {
    point.drift = -across * contact.v_fixed;
  }
  G = (0.5 * (G + G.transpose())).eval();
  const double size = G.trace() / 3.0;
  if (!(G.determinant() > 1e-12 * size * size * size)) return false;
  set_contact_matrix(cone, G);
  point.step = 1.0 / G.trace();  // the trace is above the largest eigenvalue
  cone.before = velocity(point);
  return true;
}

bool ImpactMap::prepare(const ImpactProblem& problem) {
  count_ = static_cast<std::size_t>(problem.contact_count);
  arms_ = static_cast<std::size_t>(problem.arm_count);
  fixed_ = problem.box.fixed;
  for (std::size_t a = 0; a < arms_; ++a) {
    factors_[a].compute(problem.arms[a].M);
    if (factors_[a].info() != Eigen::Success) return false;
    v_[a] = v_before_[a] = problem.arms[a].v;
  }
  const RigidBox& box = problem.box.box;
  const Matrix3d& R_WB = problem.box.X_WB.R;
  const Vector3d p_BC_W = R_WB * box.p_BC, w = problem.box.V_WB.tail<3>();
  p_WC_ = problem.box.X_WB.p + p_BC_W;
  inverse_mass_ = 1.0 / box.mass;
  inertia_W_ = R_WB * box.inertia_C * R_WB.transpose();
  inverse_inertia_W_ = inertia_W_.inverse();
  V_WC_before_ << problem.box.V_WB.head<3>() + w.cross(p_BC_W), w;
  if (fixed_) V_WC_before_.setZero();
  V_WC_ = V_WC_before_;
  coupled_ = false;
  bool finite = V_WC_.allFinite();
  for (std::size_t a = 0; a < arms_; ++a) finite = finite && v_[a].allFinite();
  if (!finite) return false;
  fastest_ = 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!prepare_point(problem, i)) return false;
    fastest_ = std::max(fastest_, points_[i].cone.before.norm());
  }
  return std::isfinite(fastest_);
}

// @return whether nothing changed any more
bool ImpactMap::exact_sweeps(int most, const ImpactOptions& options, int& sweeps) {
  for (int sweep = 0; sweep < most; ++sweep) {
    ++sweeps;
    double changed = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      Point& point = points_[i];
      const Vector3d change = contact_answer(point.cone, xi(point)) - point.cone.p;
      if (change.isZero(0.0)) continue;
      push(point, change);
      changed = std::max(changed, (point.cone.G * change).norm());
    }
    if (changed <= 0.1 * options.tolerance * fastest_) return true;
  }
  return false;
}

void ImpactMap::couple() {
  if (std::exchange(coupled_, true)) return;
  const auto n = static_cast<Eigen::Index>(3 * count_);
  G_.resize(n, n);
  for (std::size_t c = 0; c < count_; ++c)
    for (std::size_t d = 0; d < count_; ++d) {
      Matrix3d block = points_[c].B * points_[d].Z;
      if (points_[c].arm >= 0 && points_[c].arm == points_[d].arm)
        block += points_[c].A.lazyProduct(points_[d].Y);
      G_.block<3, 3>(static_cast<Eigen::Index>(3 * c), static_cast<Eigen::Index>(3 * d)) = block;
    }
  // several points of one plate share what they do: a solution is enough, whichever
  G_.diagonal().array() += kSharedImpulse * G_.trace() / static_cast<double>(n);
}

// F = p - P(p - r xi) and its derivative by p, I - D + r D G with D that of the projection P onto
// {p_n >= 0, |p_t| <= mu max(0, p_n - r xi_n)}
void ImpactMap::linearise(Column& F) {
  const auto n = static_cast<Eigen::Index>(3 * count_);
  F.resize(n);
  system_.resize(n, n);
  for (std::size_t i = 0; i < count_; ++i) {
    const Point& point = points_[i];
    const auto row = static_cast<Eigen::Index>(3 * i);
    const Vector3d a = point.cone.p - point.step * xi(point);
    const double mu = point.cone.friction, radius = mu * std::max(0.0, a[0]),
                 across = a.tail<2>().norm();
    Matrix3d D = Matrix3d::Zero();
    Vector3d onto = Vector3d::Zero();
    if (a[0] > 0.0) {
      D(0, 0) = 1.0;
      onto = a;
      if (across <= radius) {
        D.bottomRightCorner<2, 2>().setIdentity();
      } else {
        const Vector2d u = a.tail<2>() / across;
        onto.tail<2>() = radius * u;
        D.block<2, 1>(1, 0) = mu * u;
        D.bottomRightCorner<2, 2>() =
            radius / across * (Eigen::Matrix2d::Identity() - u * u.transpose());
      }
    }
    F.segment<3>(row) = point.cone.p - onto;
    const Matrix3d scaled = point.step * D;
    system_.middleRows<3>(row) = scaled.lazyProduct(G_.middleRows<3>(row));
    system_.block<3, 3>(row, row) += Matrix3d::Identity() - D;
  }
}

// A step may lead farther off before it leads to the solution, as steps over a kink do: all are
// taken, and the nearest point that they came by is kept.
void ImpactMap::newton(const ImpactOptions& options) {
  couple();
  Column F, change;
  double nearest = residual();
  std::array<Vector3d, kMostImpactContacts> kept;
  for (std::size_t i = 0; i < count_; ++i) kept[i] = points_[i].cone.p;
  for (int step = 0; step < kNewtonSteps && nearest > 0.1 * options.tolerance * fastest_; ++step) {
    linearise(F);
    solver_.compute(system_);
    change = -solver_.solve(F);
    if (!change.allFinite()) break;
    for (std::size_t i = 0; i < count_; ++i)
      push(points_[i], change.segment<3>(static_cast<Eigen::Index>(3 * i)));
    const double miss = residual();
    if (!(miss < nearest)) continue;
    nearest = miss;
    for (std::size_t i = 0; i < count_; ++i) kept[i] = points_[i].cone.p;
  }
  for (std::size_t i = 0; i < count_; ++i) points_[i].cone.p = kept[i];
}

// Newton's point obeys the cones to the tolerance only; velocities are those of its impulses
void ImpactMap::into_cones() {
  for (std::size_t i = 0; i < count_; ++i)
    points_[i].cone.p = projected(points_[i].cone.p, points_[i].cone.friction);
  restart();
}

void ImpactMap::relaxed_sweeps(const ImpactOptions& options, int& sweeps) {
  for (int slip = 0; slip < kSlips && !converged(options); ++slip) {
    for (std::size_t i = 0; i < count_; ++i) {
      Point& point = points_[i];
      point.slip = point.cone.friction * velocity(point).tail<2>().norm();
    }
    for (int sweep = 0; sweep <= options.most_sweeps / kSlips; ++sweep) {
      ++sweeps;
      double changed = 0.0;
      for (std::size_t i = 0; i < count_; ++i) {
        Point& point = points_[i];
        Vector3d shifted = xi(point);
        shifted[0] += point.slip;
        const Vector3d change =
            projected(point.cone.p - point.step * shifted, point.cone.friction) - point.cone.p;
        push(point, change);
        changed = std::max(changed, change.norm() / point.step);
      }
      if (changed <= 0.1 * options.tolerance * fastest_) break;
    }
  }
}

bool ImpactMap::find(double restitution_scale, const ImpactOptions& options, ImpactResult& result) {
  scale_ = restitution_scale;
  double miss = 0.0;
  int sweeps = 0;
  for (int most = kFirstSweeps; sweeps < options.most_sweeps; most = kMoreSweeps) {
    const bool still = exact_sweeps(std::min(most, options.most_sweeps - sweeps), options, sweeps);
    if (!still) newton(options);
    into_cones();
    miss = residual();
    if (still || miss <= options.tolerance * fastest_) break;
  }
  result.sweeps += sweeps;
  if (miss > options.tolerance * fastest_) {
    relaxed_sweeps(options, result.sweeps);
    into_cones();
    miss = residual();
  }
  result.residual = std::max(result.residual, miss);
  return miss <= options.tolerance * fastest_;
}

// by impulses that act while velocities go from before to after along a line (Thomson and Tait)
double ImpactMap::work() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < count_; ++i)
    sum += 0.5 * points_[i].cone.p.dot(points_[i].cone.before + velocity(points_[i]));
  return sum;
}

void ImpactMap::read(const ImpactProblem& problem, ImpactVelocities& out) const {
  for (std::size_t a = 0; a < arms_; ++a) out.v[a] = v_[a];
  const Vector3d p_BC_W = p_WC_ - problem.box.X_WB.p, w = V_WC_.tail<3>();
  out.V_WB << V_WC_.head<3>() - w.cross(p_BC_W), w;
  for (std::size_t i = 0; i < count_; ++i)
    out.impulses[i] = points_[i].cone.axes * points_[i].cone.p;
}

void ImpactMap::solve(const ImpactProblem& problem, ImpactResult& result,
                      const ImpactOptions& options) {
  result.status = ImpactStatus::kSolved;
  result.restitution_scale = 1.0;
  result.energy_lost = result.residual = 0.0;
  result.sweeps = 0;
  if (!prepare(problem)) {
    result.status = ImpactStatus::kSingular;
    return;
  }
  bool solved = find(0.0, options, result);
  read(problem, result.compressed);
  bool bounces = false;
  double let_through = 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    bounces = bounces || points_[i].cone.restitution > 0.0;
    let_through += kMadeEnergy * std::abs(points_[i].cone.p.dot(points_[i].cone.before));
  }
  for (int quarter = 4; bounces && quarter >= 0; --quarter) {
    result.restitution_scale = 0.25 * quarter;
    solved = find(result.restitution_scale, options, result) && solved;
    if (work() <= let_through) break;
  }
  read(problem, result.after);
  result.energy_lost = -work();
  if (!solved) result.status = ImpactStatus::kRelaxed;
}

}  // namespace handspan
