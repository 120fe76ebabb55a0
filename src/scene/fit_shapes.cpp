#include "scene/fit_shapes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <stdexcept>
#include <utility>

#include "robot/support.hpp"

namespace handspan {
namespace {

using Points = Eigen::Matrix3Xd;

constexpr double kSmallestSegment = 1e-9;

// How long a search takes: directions in which extreme points are looked for, sizes of the first
// simplex of each restart (the volume has creases, on which one collapses) and steps of each.
struct Effort {
  int directions;
  std::vector<double> restarts;
  int steps;
};
const Effort kThorough{1500, {0.2, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001}, 150};
const Effort kQuick{150, {0.1, 0.02}, 40};

// Points that are extreme in one of many evenly spread directions: the only ones a covering shape
// can feel, but for those that the directions miss, which are added when they stick out.
std::set<Eigen::Index> extreme_points(const Points& points, int directions) {
  std::set<Eigen::Index> out;
  for (int k = 0; k < directions; ++k) {
    // Fibonacci lattice on the sphere
    const double z = 1.0 - (2.0 * k + 1.0) / directions;
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

Points all_columns(const std::vector<Eigen::Vector3d>& points) {
  if (points.empty()) throw std::invalid_argument("no points to fit a shape to");
  Points all(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite())
      throw std::invalid_argument("a point to fit a shape to is not finite");
    all.col(static_cast<Eigen::Index>(i)) = points[i];
  }
  return all;
}

// Minimises f from x by the simplex method of Nelder and Mead (1965).
template <int n, class F>
Eigen::Vector<double, n> nelder_mead(const F& f, const Eigen::Vector<double, n>& start, double step,
                                     int steps) {
  using Parameters = Eigen::Vector<double, n>;
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

template <int n, class F>
Eigen::Vector<double, n> minimise(const F& f, Eigen::Vector<double, n> x, const Effort& effort) {
  for (const double step : effort.restarts) x = nelder_mead<n>(f, x, step, effort.steps);
  return x;
}

double spread(const Points& points) {
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
}

// Shapes whose axes are near those of a frame, in coordinates in which the points' middle is 0 and
// their spread 1.
class Family {
 public:
  Family(const Points& points, const Eigen::Matrix3d& frame)
      : frame_(frame), scale_(std::max(spread(points), kSmallestSegment)) {
    const Points turned = frame.transpose() * points;
    middle_ = 0.5 * (turned.rowwise().minCoeff() + turned.rowwise().maxCoeff());
    local_ = (turned.colwise() - middle_) / scale_;
  }

  // Two tilts, two shifts of the axis, and how much wider than the farthest point's distance the
  // radius is (a wider capsule is a shorter one).
  FittedCapsule capsule(const Eigen::Vector<double, 5>& x) const {
    const Eigen::Vector3d axis = Eigen::Vector3d(x[0], x[1], 1.0).normalized();
    const Eigen::Vector3d origin(x[2], x[3], 0.0);
    const auto [along, squared] = cylindrical(axis, origin);
    const double radius = std::sqrt(squared.maxCoeff()) + x[4] * x[4];
    // each point asks for a centre within sqrt(r^2 - rho^2) along the axis
    const Eigen::ArrayXd reach = (radius * radius - squared).max(0.0).sqrt();
    double low = (along + reach).minCoeff(), high = (along - reach).maxCoeff();
    if (low > high) low = high = 0.5 * (low + high);
    return {at(origin + low * axis), at(origin + high * axis), scale_ * radius};
  }

  // Two tilts and two shifts of the axis.
  Shape cylinder(const Eigen::Vector4d& x) const {
    const Eigen::Vector3d axis = Eigen::Vector3d(x[0], x[1], 1.0).normalized();
    const Eigen::Vector3d origin(x[2], x[3], 0.0);
    const auto [along, squared] = cylindrical(axis, origin);
    const double low = along.minCoeff(), high = along.maxCoeff();
    Shape out;
    out.type = ShapeType::kCylinder;
    out.size = {scale_ * std::sqrt(squared.maxCoeff()), 0.5 * scale_ * (high - low), 0.0};
    out.X_BG.p = at(origin + 0.5 * (low + high) * axis);
    out.X_BG.q =
        Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), frame_ * axis).normalized();
    return out;
  }

  // A rotation vector of its axes.
  Shape box(const Eigen::Vector3d& x) const {
    const double angle = x.norm();
    const Eigen::Matrix3d R = angle > 0.0 ? Eigen::AngleAxisd(angle, x / angle).toRotationMatrix()
                                          : Eigen::Matrix3d::Identity();
    const Points turned = R.transpose() * local_;
    const Eigen::Vector3d low = turned.rowwise().minCoeff(), high = turned.rowwise().maxCoeff();
    Shape out;
    out.type = ShapeType::kBox;
    out.size = 0.5 * scale_ * (high - low);
    out.X_BG.p = at(R * (0.5 * (low + high)));
    out.X_BG.q = Eigen::Quaterniond(frame_ * R).normalized();
    return out;
  }

 private:
  std::pair<Eigen::ArrayXd, Eigen::ArrayXd> cylindrical(const Eigen::Vector3d& axis,
                                                        const Eigen::Vector3d& origin) const {
    const Eigen::RowVectorXd along = axis.transpose() * (local_.colwise() - origin);
    const Points off = (local_.colwise() - origin) - axis * along;
    return {along.transpose().array(), off.colwise().squaredNorm().transpose().array()};
  }
  Eigen::Vector3d at(const Eigen::Vector3d& p) const { return frame_ * (middle_ + scale_ * p); }

  Eigen::Matrix3d frame_;
  double scale_;
  Eigen::Vector3d middle_;
  Points local_;
};

// The frame with its axis k as z.
Eigen::Matrix3d with_axis(const Eigen::Matrix3d& axes, int k) {
  Eigen::Matrix3d out;
  out << axes.col((k + 1) % 3), axes.col((k + 2) % 3), axes.col(k);
  return out;
}

Eigen::Matrix3d principal_axes(const Points& points) {
  const Points centred = points.colwise() - points.rowwise().mean();
  Eigen::Matrix3d axes =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(centred * centred.transpose()).eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  return axes;
}

FittedCapsule search_capsule(const Points& points, const Effort& effort) {
  const Eigen::Matrix3d axes = principal_axes(points);
  FittedCapsule best;
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const Family family(points, with_axis(axes, k));
    Eigen::Vector<double, 5> x = Eigen::Vector<double, 5>::Zero();
    x[4] = 0.2;
    x = minimise<5>([&](const auto& y) { return family.capsule(y).volume(); }, x, effort);
    if (const FittedCapsule found = family.capsule(x); found.volume() < smallest) {
      smallest = found.volume();
      best = found;
    }
  }
  return best;
}

FittedCapsule covering_capsule(const Points& all, const Effort& effort) {
  FittedCapsule capsule{all.col(0), all.col(0), kSmallestCapsuleRadius};
  if (spread(all) > kSmallestSegment) {
    std::set<Eigen::Index> which = extreme_points(all, effort.directions);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      capsule = search_capsule(columns(all, which), effort);
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

// Lengths along and around an axis, or along three, of all points: what a cylinder or a box found
// on some of them is grown to.
Shape grown(Shape shape, const Points& all) {
  const Eigen::Matrix3d R = shape.X_BG.q.toRotationMatrix();
  const Points local = R.transpose() * (all.colwise() - shape.X_BG.p);
  Eigen::Vector3d low = local.rowwise().minCoeff(), high = local.rowwise().maxCoeff();
  const Eigen::Vector3d thin = Eigen::Vector3d::Constant(kSmallestCapsuleRadius);
  if (shape.type == ShapeType::kBox) {
    shape.X_BG.p += R * (0.5 * (low + high));
    shape.size = (0.5 * (high - low)).cwiseMax(thin);
  } else {
    shape.X_BG.p += R.col(2) * (0.5 * (low[2] + high[2]));
    shape.size[0] = std::max(local.topRows<2>().colwise().norm().maxCoeff(), thin[0]);
    shape.size[1] = std::max(0.5 * (high[2] - low[2]), thin[0]);
  }
  return shape;
}

// how far the shape reaches out of the half space
double beyond(const Shape& shape, const HalfSpace& inside) {
  return inside.d - inside.n.dot(shape.X_BG.p) +
         support(shape.type, shape.size, shape.X_BG.q.inverse() * -inside.n);
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
  return covering_capsule(all_columns(points), kThorough);
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

double shape_volume(const Shape& shape) {
  const Eigen::Vector3d& s = shape.size;
  switch (shape.type) {
    case ShapeType::kBox:
      return 8.0 * s.prod();
    case ShapeType::kSphere:
      return 4.0 / 3.0 * std::numbers::pi * s[0] * s[0] * s[0];
    case ShapeType::kCapsule:
      return std::numbers::pi * s[0] * s[0] * (2.0 * s[1] + 4.0 / 3.0 * s[0]);
    case ShapeType::kCylinder:
      return std::numbers::pi * s[0] * s[0] * 2.0 * s[1];
    case ShapeType::kMesh:
      break;
  }
  throw std::invalid_argument("the volume of a mesh is not asked for");
}

Shape fit_shape(const std::vector<Eigen::Vector3d>& points, const std::optional<HalfSpace>& inside,
                bool thorough) {
  constexpr double kBoxWeight = 1.1, kCylinderWeight = 1.2;
  const Effort& effort = thorough ? kThorough : kQuick;
  const Points all = all_columns(points);
  HalfSpace allowed;
  if (inside)
    allowed = {inside->n, std::min(inside->d, (inside->n.transpose() * all).minCoeff()) - 1e-9};

  Shape best;
  double smallest = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Shape& shape, double weight) {
    if (inside && beyond(shape, allowed) > 0.0) return;
    if (const double volume = weight * shape_volume(shape); volume < smallest) {
      smallest = volume;
      best = shape;
    }
  };
  offer(capsule_shape(covering_capsule(all, effort)), 1.0);
  if (spread(all) <= kSmallestSegment) return capsule_shape(covering_capsule(all, effort));

  // what people draw has its axes along those of its frame
  const Points some = columns(all, extreme_points(all, effort.directions));
  for (const Eigen::Matrix3d& axes :
       {Eigen::Matrix3d(Eigen::Matrix3d::Identity()), principal_axes(some)}) {
    const Family boxes(some, axes);
    const auto box = [&](const Eigen::Vector3d& x) { return grown(boxes.box(x), all); };
    offer(box(Eigen::Vector3d::Zero()), kBoxWeight);
    if (thorough)
      offer(box(minimise<3>([&](const auto& x) { return shape_volume(boxes.box(x)); },
                            Eigen::Vector3d(Eigen::Vector3d::Zero()), effort)),
            kBoxWeight);
    for (int k = 0; k < 3; ++k) {
      const Family family(some, with_axis(axes, k));
      const auto cylinder = [&](const Eigen::Vector2d& shift) {
        return family.cylinder({0.0, 0.0, shift[0], shift[1]});
      };
      offer(grown(cylinder(Eigen::Vector2d::Zero()), all), kCylinderWeight);
      if (!thorough) continue;
      const Eigen::Vector2d shift =
          minimise<2>([&](const auto& x) { return shape_volume(cylinder(x)); },
                      Eigen::Vector2d(Eigen::Vector2d::Zero()), effort);
      offer(grown(cylinder(shift), all), kCylinderWeight);
      const Eigen::Vector4d tilted =
          minimise<4>([&](const auto& x) { return shape_volume(family.cylinder(x)); },
                      Eigen::Vector4d(0.0, 0.0, shift[0], shift[1]), effort);
      offer(grown(family.cylinder(tilted), all), kCylinderWeight);
    }
  }
  if (!inside) return best;
  // along the plane's normal nothing sticks out of it
  const Eigen::Matrix3d along =
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), inside->n).toRotationMatrix();
  const Family family(some, along);
  const auto box = [&](const Eigen::Vector<double, 1>& x) { return family.box({0.0, 0.0, x[0]}); };
  const auto turn = minimise<1>([&](const auto& x) { return shape_volume(box(x)); },
                                Eigen::Vector<double, 1>(Eigen::Vector<double, 1>::Zero()), effort);
  offer(grown(box(turn), all), kBoxWeight);
  const auto shift = minimise<2>(
      [&](const auto& x) { return shape_volume(family.cylinder({0.0, 0.0, x[0], x[1]})); },
      Eigen::Vector2d(Eigen::Vector2d::Zero()), effort);
  offer(grown(family.cylinder({0.0, 0.0, shift[0], shift[1]}), all), kCylinderWeight);
  return best;
}

}  // namespace handspan
