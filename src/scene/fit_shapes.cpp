#include "scene/fit_shapes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <stdexcept>

namespace handspan {
namespace {

using Points = Eigen::Matrix3Xd;
using Parameters = Eigen::Matrix<double, 5, 1>;

constexpr int kDirections = 1500;  // in which extreme points are looked for
constexpr double kSmallestSegment = 1e-9;

// Points that are extreme in one of many evenly spread directions: the only ones a covering shape
// can feel, but for those that the directions miss, which fit_capsule adds when they stick out.
std::set<Eigen::Index> extreme_points(const Points& points) {
  std::set<Eigen::Index> out;
  for (int k = 0; k < kDirections; ++k) {
    // Fibonacci lattice on the sphere
    const double z = 1.0 - (2.0 * k + 1.0) / kDirections;
    const double angle = std::numbers::pi * (3.0 - std::sqrt(5.0)) * k, r = std::sqrt(1.0 - z * z);
    Eigen::Index best = 0;
    (Eigen::RowVector3d(r * std::cos(angle), r * std::sin(angle), z) * points).maxCoeff(&best);
    out.insert(best);
  }
  return out;
}

Points columns(const Points& points, const std::set<Eigen::Index>& which) {
  Points out(3, static_cast<Eigen::Index>(which.size()));
  Eigen::Index k = 0;
  for (const Eigen::Index i : which) out.col(k++) = points.col(i);
  return out;
}

// Minimises f from x by the simplex method of Nelder and Mead (1965).
Parameters nelder_mead(const std::function<double(const Parameters&)>& f, const Parameters& start,
                       double step, int steps) {
  constexpr int n = 5;
  std::array<std::pair<double, Parameters>, n + 1> simplex;
  for (int i = 0; i <= n; ++i) {
    Parameters x = start;
    if (i > 0) x[i - 1] += step;
    simplex[static_cast<std::size_t>(i)] = {f(x), x};
  }
  const auto by_value = [](const auto& a, const auto& b) { return a.first < b.first; };
  for (int k = 0; k < steps; ++k) {
    std::stable_sort(simplex.begin(), simplex.end(), by_value);
    Parameters centroid = Parameters::Zero();
    for (std::size_t i = 0; i < n; ++i) centroid += simplex[i].second / n;
    const auto at = [&](double t) {
      const Parameters x = centroid + t * (simplex[n].second - centroid);
      return std::pair{f(x), x};
    };
    const auto reflected = at(-1.0);
    if (reflected.first < simplex[0].first) {
      const auto expanded = at(-2.0);
      simplex[n] = expanded.first < reflected.first ? expanded : reflected;
    } else if (reflected.first < simplex[n - 1].first) {
      simplex[n] = reflected;
    } else {
      const auto contracted = at(reflected.first < simplex[n].first ? -0.5 : 0.5);
      if (contracted.first < std::min(reflected.first, simplex[n].first)) {
        simplex[n] = contracted;
      } else {
        for (std::size_t i = 1; i <= n; ++i) {
          simplex[i].second = 0.5 * (simplex[0].second + simplex[i].second);
          simplex[i].first = f(simplex[i].second);
        }
      }
    }
  }
  return std::min_element(simplex.begin(), simplex.end(), by_value)->second;
}

// Capsules whose axis is near that of `frame` (its z), with lengths in units of `scale`: two tilts,
// two shifts of the axis, and how much wider than the farthest point's distance the radius is (a
// wider capsule is a shorter one).
class Family {
 public:
  Family(const Points& points, const Eigen::Matrix3d& frame, double scale)
      : points_(points), frame_(frame), center_(points.rowwise().mean()), scale_(scale) {
    // start in the middle of the points' extent across the axis
    const Points local = frame.transpose() * (points.colwise() - center_);
    center_ += frame * (0.5 * (local.rowwise().minCoeff() + local.rowwise().maxCoeff()));
  }

  FittedCapsule capsule(const Parameters& x) const {
    const Eigen::Vector3d axis = (frame_ * Eigen::Vector3d(x[0], x[1], 1.0)).normalized();
    const Eigen::Vector3d origin = center_ + scale_ * (frame_ * Eigen::Vector3d(x[2], x[3], 0.0));
    const Eigen::RowVectorXd along = axis.transpose() * (points_.colwise() - origin);
    const Eigen::ArrayXXd off = (points_.colwise() - origin) - axis * along;
    const Eigen::ArrayXd squared = off.square().colwise().sum().transpose();
    const double radius = std::sqrt(squared.maxCoeff()) + scale_ * x[4] * x[4];
    // each point asks for a centre within sqrt(r^2 - rho^2) along the axis
    const Eigen::ArrayXd reach = (radius * radius - squared).max(0.0).sqrt();
    const Eigen::ArrayXd t = along.transpose().array();
    double low = (t + reach).minCoeff(), high = (t - reach).maxCoeff();
    if (low > high) low = high = 0.5 * (low + high);
    return {origin + low * axis, origin + high * axis, radius};
  }

  double volume(const Parameters& x) const { return capsule(x).volume(); }

 private:
  const Points& points_;
  Eigen::Matrix3d frame_;
  Eigen::Vector3d center_;
  double scale_;
};

double spread(const Points& points) {
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
}

FittedCapsule search(const Points& points) {
  const double scale = spread(points);
  const Points centred = points.colwise() - points.rowwise().mean();
  const Eigen::Matrix3d axes =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(centred * centred.transpose()).eigenvectors();
  FittedCapsule best;
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    Eigen::Matrix3d frame;
    frame << axes.col((k + 1) % 3), axes.col((k + 2) % 3), axes.col(k);
    const Family family(points, frame, scale);
    const auto f = [&](const Parameters& x) { return family.volume(x); };
    Parameters x = Parameters::Zero();
    x[4] = 0.2;
    // restarts with a fresh simplex: the volume has creases, on which one collapses
    for (const double step : {0.2, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001})
      x = nelder_mead(f, x, step, 150);
    if (const double volume = family.volume(x); volume < smallest) {
      smallest = volume;
      best = family.capsule(x);
    }
  }
  return best;
}

}  // namespace

double FittedCapsule::volume() const {
  return std::numbers::pi * radius * radius * ((b - a).norm() + 4.0 / 3.0 * radius);
}

double FittedCapsule::distance(const Eigen::Vector3d& p) const {
  const Eigen::Vector3d ab = b - a;
  const double length2 = ab.squaredNorm();
  const double t = length2 > 0.0 ? std::clamp((p - a).dot(ab) / length2, 0.0, 1.0) : 0.0;
  return (p - a - t * ab).norm() - radius;
}

FittedCapsule fit_capsule(const std::vector<Eigen::Vector3d>& points) {
  if (points.empty()) throw std::invalid_argument("no points to fit a capsule to");
  Points all(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite())
      throw std::invalid_argument("a point to fit a capsule to is not finite");
    all.col(static_cast<Eigen::Index>(i)) = points[i];
  }
  FittedCapsule capsule{points[0], points[0], kSmallestCapsuleRadius};
  if (spread(all) > kSmallestSegment) {
    std::set<Eigen::Index> which = extreme_points(all);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      capsule = search(columns(all, which));
      const auto before = which.size();
      for (Eigen::Index i = 0; i < all.cols(); ++i)
        if (capsule.distance(all.col(i)) > 1e-4 * capsule.radius) which.insert(i);
      if (which.size() == before) break;
    }
  }
  // what the search missed: the radius grows by the rest, so that everything is covered
  double beyond = 0.0;
  for (Eigen::Index i = 0; i < all.cols(); ++i)
    beyond = std::max(beyond, capsule.distance(all.col(i)));
  capsule.radius = std::max(capsule.radius + beyond, kSmallestCapsuleRadius);
  return capsule;
}

Shape capsule_shape(const FittedCapsule& capsule) {
  Shape shape;
  shape.X_BG.p = 0.5 * (capsule.a + capsule.b);
  shape.size[0] = capsule.radius;
  const Eigen::Vector3d ab = capsule.b - capsule.a;
  if (ab.norm() < kSmallestSegment) {
    shape.type = ShapeType::kSphere;
    shape.size[0] += 0.5 * ab.norm();
    return shape;
  }
  shape.type = ShapeType::kCapsule;
  shape.size[1] = 0.5 * ab.norm();
  shape.X_BG.q = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), ab).normalized();
  return shape;
}

}  // namespace handspan
