#include "person/through_points.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace handspan {
namespace {

// no part of the way is shorter
constexpr double kShortestPart = 0.01;
// of a point's time, by halving what it may be in
constexpr int kHalvings = 40, kHalvingsOfMany = 14;
// over all points, when they are more than one
constexpr int kSweeps = 6;

// From p0 to p1 within h: coefficients of s^3, s^4, s^5 for s from 0 to h.
struct Quintic {
  Eigen::Vector3d c3, c4, c5;
};
Quintic quintic(const Eigen::Vector3d& p0, const Eigen::Vector3d& v0, const Eigen::Vector3d& a0,
                const Eigen::Vector3d& p1, const Eigen::Vector3d& v1, const Eigen::Vector3d& a1,
                double h) {
  const Eigen::Vector3d d = p1 - p0;
  const double h2 = h * h, h3 = h2 * h;
  return {(20.0 * d - (8.0 * v1 + 12.0 * v0) * h - (3.0 * a0 - a1) * h2) / (2.0 * h3),
          (-30.0 * d + (14.0 * v1 + 16.0 * v0) * h + (3.0 * a0 - 2.0 * a1) * h2) / (2.0 * h3 * h),
          (12.0 * d - 6.0 * (v1 + v0) * h - (a0 - a1) * h2) / (2.0 * h3 * h2)};
}

}  // namespace

// The jerk's integral is a quadratic form in the velocities and accelerations at the points. Its
// derivatives by them are the jumps of snap and jerk there, which are zero where it is least. Each
// point's two equations know its neighbours only, so that the matrix is block-tridiagonal, and
// positive definite: it is eliminated from the start to the end.
void ThroughPoints::solve() {
  v_[0].setZero();
  a_[0].setZero();
  v_[parts_].setZero();
  a_[parts_].setZero();
  if (parts_ < 2) return;
  // of point i: U couples it to the next one, after what was before is eliminated
  std::array<Eigen::Matrix2d, kMost> U;
  std::array<Eigen::Matrix<double, 2, 3>, kMost> y;
  for (std::size_t i = 1; i < parts_; ++i) {
    const double l = x_[i] - x_[i - 1], r = x_[i + 1] - x_[i];
    const double l2 = l * l, l3 = l2 * l, r2 = r * r, r3 = r2 * r;
    const Eigen::RowVector3d dl = (p_[i] - p_[i - 1]).transpose();
    const Eigen::RowVector3d dr = (p_[i + 1] - p_[i]).transpose();
    Eigen::Matrix2d D, L, R;
    D << 192.0 / l3 + 192.0 / r3, 36.0 / r2 - 36.0 / l2, 36.0 / r2 - 36.0 / l2, 9.0 / l + 9.0 / r;
    L << 168.0 / l3, 24.0 / l2, -24.0 / l2, -3.0 / l;
    R << 168.0 / r3, -24.0 / r2, 24.0 / r2, -3.0 / r;
    Eigen::Matrix<double, 2, 3> b;
    b.row(0) = 360.0 * dl / (l3 * l) + 360.0 * dr / (r3 * r);
    b.row(1) = 60.0 * dr / r3 - 60.0 * dl / l3;
    if (i > 1) {
      D -= L * U[i - 1];
      b -= L * y[i - 1];
    }
    const Eigen::Matrix2d inverse = D.inverse();
    U[i] = inverse * R;
    y[i] = inverse * b;
  }
  for (std::size_t i = parts_ - 1; i >= 1; --i) {
    Eigen::Matrix<double, 2, 3> u = y[i];
    if (i + 1 < parts_) {
      u.row(0) -= U[i](0, 0) * v_[i + 1].transpose() + U[i](0, 1) * a_[i + 1].transpose();
      u.row(1) -= U[i](1, 0) * v_[i + 1].transpose() + U[i](1, 1) * a_[i + 1].transpose();
    }
    v_[i] = u.row(0).transpose();
    a_[i] = u.row(1).transpose();
  }
}

// Half of the derivative of the whole jerk by the time of point i: the jump of the fifth derivative
// along the velocity there (the Hamiltonian goes on where the time is the best one).
double ThroughPoints::slope(std::size_t i) const {
  const auto fifth = [&](std::size_t from) -> Eigen::Vector3d {
    return 120.0 * quintic(p_[from], v_[from], a_[from], p_[from + 1], v_[from + 1], a_[from + 1],
                           x_[from + 1] - x_[from])
                       .c5;
  };
  return (fifth(i) - fifth(i - 1)).dot(v_[i]);
}

// the time of point i between its neighbours' at which the whole jerk is least
void ThroughPoints::place(std::size_t i) {
  double low = x_[i - 1] + kShortestPart, high = x_[i + 1] - kShortestPart;
  for (int n = parts_ == 2 ? kHalvings : kHalvingsOfMany; n > 0; --n) {
    x_[i] = 0.5 * (low + high);
    solve();
    (slope(i) > 0.0 ? high : low) = x_[i];
  }
}

void ThroughPoints::plan(std::span<const Eigen::Vector3d> points, std::span<const double> times) {
  parts_ = points.size();
  p_[0].setZero();
  x_[0] = 0.0;
  for (std::size_t i = 0; i < parts_; ++i) {
    p_[i + 1] = points[i];
    x_[i + 1] = i + 1 < parts_ ? times[i] : 1.0;
  }
  solve();
}

void ThroughPoints::plan(std::span<const Eigen::Vector3d> points) {
  // at first in proportion to the way, none of it too short
  std::array<double, kMost> times{};
  double way = 0.0, most = 0.0;
  const auto length = [&](std::size_t i) {
    return (points[i] - (i > 0 ? points[i - 1] : Eigen::Vector3d::Zero())).norm();
  };
  for (std::size_t i = 0; i < points.size(); ++i) most += length(i);
  const double least = most > 0.0 ? 0.1 * most : 1.0;
  for (std::size_t i = 0; i < points.size(); ++i) times[i] = way += std::max(least, length(i));
  for (double& time : times) time /= way;
  plan(points, times);
  for (int sweep = parts_ > 2 ? kSweeps : 1; sweep > 0; --sweep)
    for (std::size_t i = 1; i < parts_; ++i) place(i);
}

std::size_t ThroughPoints::part_at(double x) const {
  std::size_t i = 0;
  while (i + 1 < parts_ && x > x_[i + 1]) ++i;
  return i;
}

Eigen::Vector3d ThroughPoints::at(double x) const {
  if (x >= 1.0) return p_[parts_];
  const std::size_t i = part_at(x);
  const double s = std::max(0.0, x) - x_[i];
  const Quintic q =
      quintic(p_[i], v_[i], a_[i], p_[i + 1], v_[i + 1], a_[i + 1], x_[i + 1] - x_[i]);
  return p_[i] + s * (v_[i] + s * (0.5 * a_[i] + s * (q.c3 + s * (q.c4 + s * q.c5))));
}

Eigen::Vector3d ThroughPoints::rate(double x) const {
  if (!(x > 0.0 && x < 1.0)) return Eigen::Vector3d::Zero();
  const std::size_t i = part_at(x);
  const double s = x - x_[i];
  const Quintic q =
      quintic(p_[i], v_[i], a_[i], p_[i + 1], v_[i + 1], a_[i + 1], x_[i + 1] - x_[i]);
  return v_[i] + s * (a_[i] + s * (3.0 * q.c3 + s * (4.0 * q.c4 + s * 5.0 * q.c5)));
}

double ThroughPoints::peak() const {
  double peak = 0.0;
  for (int k = 1; k < 100; ++k) peak = std::max(peak, rate(0.01 * k).norm());
  return peak;
}

double ThroughPoints::jerk() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < parts_; ++i) {
    const double h = x_[i + 1] - x_[i];
    const Quintic q = quintic(p_[i], v_[i], a_[i], p_[i + 1], v_[i + 1], a_[i + 1], h);
    // of (j0 + j1 s + j2 s^2)^2
    const Eigen::Vector3d j0 = 6.0 * q.c3, j1 = 24.0 * q.c4, j2 = 60.0 * q.c5;
    sum += h * (j0.squaredNorm() +
                h * (j0.dot(j1) + h * ((j1.squaredNorm() + 2.0 * j0.dot(j2)) / 3.0 +
                                       h * (0.5 * j1.dot(j2) + h * j2.squaredNorm() / 5.0))));
  }
  return sum;
}

ThroughPoints ThroughPoints::mapped(const Eigen::Matrix3d& A) const {
  ThroughPoints other;
  other.parts_ = parts_;
  other.x_ = x_;
  for (std::size_t i = 0; i <= parts_; ++i) {
    other.p_[i] = A * p_[i];
    other.v_[i] = A * v_[i];
    other.a_[i] = A * a_[i];
  }
  return other;
}

}  // namespace handspan
