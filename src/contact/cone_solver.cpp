#include "contact/cone_solver.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace handspan {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

Vector3d sliding(const ConeContact& c, const Vector3d& v, const Vector3d& w) {
  return c.axes.transpose() * (v - c.v_surface) + c.arms.transpose() * w;
}

void apply(ConeContact& c, const Vector3d& change, double mass, Vector3d& v, Vector3d& w) {
  c.p += change;
  v += c.axes * change / mass;
  w += c.turns * change;
}

// One contact that slides while all others stand: the impulse is p_n (1, mu d) with the unit
// vector d against the slip xi_t, so that f(d) = d x xi_t = 0 and d . xi_t < 0.
class Slide {
 public:
  // free: the velocity without this contact's impulse
  Slide(const ConeContact& c, const Vector3d& free) : c_(c), free_(free) {}

  // @return whether there is a d
  bool solve(const Vector2d& guess, Vector3d& p) {
    if (newton(guess) || search()) {
      p << p_n_, c_.friction * p_n_ * d_;
      return true;
    }
    return false;
  }

 private:
  static Vector2d across(const Vector2d& d) { return {-d[1], d[0]}; }
  static double cross(const Vector2d& a, const Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; }

  // @return whether a push along d answers the approach at all: not where it jams
  bool look(const Vector2d& d) {
    d_ = d;
    by_p_n_ = c_.G.block<2, 1>(1, 0) + c_.friction * c_.G.bottomRightCorner<2, 2>() * d;
    gain_ = c_.G(0, 0) + c_.friction * c_.G.block<1, 2>(0, 1).dot(d);
    if (gain_ <= 1e-9 * c_.G(0, 0)) return false;
    p_n_ = -free_[0] / gain_;
    slip_ = free_.tail<2>() + p_n_ * by_p_n_;
    f_ = cross(d, slip_);
    return true;
  }

  bool newton(Vector2d d) {
    for (int i = 0; i < 10; ++i) {
      if (!look(d)) return false;
      if (std::abs(f_) <= 1e-14 * free_.norm()) return d.dot(slip_) <= 0.0;
      const Vector2d turned = across(d);
      const double p_n_rate = -p_n_ / gain_ * c_.friction * c_.G.block<1, 2>(0, 1).dot(turned);
      const Vector2d slip_rate =
          p_n_rate * by_p_n_ + p_n_ * c_.friction * c_.G.bottomRightCorner<2, 2>() * turned;
      const double rate = -d.dot(slip_) + cross(d, slip_rate);
      if (rate == 0.0) return false;
      d = (d - f_ / rate * turned).normalized();
    }
    return false;
  }

  // from wherever the guess led: all directions, then bisection
  bool search() {
    constexpr int kDirections = 32;
    Vector2d last = Vector2d::UnitX();
    bool last_fine = look(last);
    double last_f = f_;
    for (int i = 1; i <= kDirections; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / kDirections;
      const Vector2d d(std::cos(angle), std::sin(angle));
      const bool fine = look(d);
      const double f = f_;
      if (fine && last_fine && (f > 0.0) != (last_f > 0.0)) {
        Vector2d low = last, high = d;
        for (int k = 0; k < 50; ++k) {
          const Vector2d middle = (low + high).normalized();
          look(middle);
          ((f_ > 0.0) == (last_f > 0.0) ? low : high) = middle;
        }
        if (look(low) && d_.dot(slip_) <= 0.0) return true;
      }
      last = d;
      last_fine = fine;
      last_f = f;
    }
    return false;
  }

  const ConeContact& c_;
  const Vector3d& free_;
  Vector2d d_, by_p_n_, slip_;
  double gain_ = 0.0, p_n_ = 0.0, f_ = 0.0;
};

}  // namespace

Vector3d contact_answer(const ConeContact& c, const Vector3d& xi) {
  const Vector3d free = xi - c.G * c.p;
  if (free[0] >= 0.0) return Vector3d::Zero();
  const Vector3d stick = c.p - c.G_inverse * xi;
  const double limit = c.friction * stick[0], sideways = stick.tail<2>().norm();
  if (stick[0] >= 0.0 && sideways <= limit) return stick;
  Vector3d p;
  if (sideways > 0.0 && Slide(c, free).solve(stick.tail<2>() / sideways, p)) return p;
  // a projection, which its neighbours may help on
  p = c.p;
  p[0] = std::max(0.0, p[0] - xi[0] / c.G(0, 0));
  Vector2d t =
      p.tail<2>() - c.tangent_gain * (xi.tail<2>() + (p[0] - c.p[0]) * c.G.block<2, 1>(1, 0));
  const double radius = c.friction * p[0], length = t.norm();
  p.tail<2>() = length > radius ? Vector2d(radius / length * t) : t;
  return p;
}

void set_contact_axes(ConeContact& c) {
  int least = 0;
  c.n.cwiseAbs().minCoeff(&least);
  c.axes.col(0) = c.n;
  c.axes.col(1) = c.n.cross(Vector3d::Unit(least)).normalized();
  c.axes.col(2) = c.n.cross(c.axes.col(1));
}

void set_contact_matrix(ConeContact& c, const Matrix3d& G) {
  c.G = G;
  c.G_inverse = c.G.inverse();
  // below 2 / (largest eigenvalue) the projection contracts; the trace bounds it
  c.tangent_gain =
      1.0 / (0.5 * (c.G(1, 1) + c.G(2, 2)) + std::hypot(0.5 * (c.G(1, 1) - c.G(2, 2)), c.G(1, 2)));
}

void prepare_contact(ConeContact& c, double mass, const Matrix3d& inverse_inertia,
                     const Vector3d& v, const Vector3d& w) {
  set_contact_axes(c);
  for (int i = 0; i < 3; ++i) c.arms.col(i) = c.p_CQ.cross(c.axes.col(i));
  c.turns = inverse_inertia * c.arms;
  Matrix3d G = c.arms.transpose() * c.turns;
  G.diagonal().array() += 1.0 / mass;
  set_contact_matrix(c, G);
  c.before = sliding(c, v, w);
}

ConeResult solve_impulses(std::span<ConeContact> contacts, double mass, Vector3d& v, Vector3d& w,
                          const ConeOptions& options) {
  double fastest = 0.0;
  for (const ConeContact& c : contacts)
    fastest = std::max({fastest, c.before.norm(), sliding(c, v, w).norm()});
  for (ConeContact& c : contacts) {
    c.p.setZero();
    apply(c, c.axes.transpose() * c.impulse, mass, v, w);
  }
  ConeResult result;
  double last = 0.0;
  while (result.sweeps < options.most_sweeps && !result.converged) {
    ++result.sweeps;
    double changed = 0.0;
    for (ConeContact& c : contacts) {
      Vector3d xi = sliding(c, v, w);
      xi[0] += options.restitution_scale * c.restitution * c.before[0];
      const Vector3d change = contact_answer(c, xi) - c.p;
      if (change.isZero(0.0)) continue;
      apply(c, change, mass, v, w);
      changed = std::max(changed, (c.G * change).norm());
    }
    const bool creeps = result.sweeps >= 10 && changed > 0.95 * last;
    result.converged = changed <= (creeps ? options.creep : options.tolerance) * fastest;
    last = changed;
  }
  for (ConeContact& c : contacts) {
    c.impulse = c.axes * c.p;
    result.work += 0.5 * c.p.dot(c.before + sliding(c, v, w));
  }
  return result;
}

}  // namespace handspan
