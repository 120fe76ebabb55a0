#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/index.hpp"
#include "robot/distance_impl.hpp"
#include "robot/point_distance.hpp"
#include "robot/support.hpp"

namespace handspan {
namespace {

// below this closing speed a rim's most urgent point is the nearest one [m/s]
constexpr double kSlow = 1e-3;
// after which a rim's most urgent point changes little
constexpr int kRimSteps = 3;
// in which a gap that is too small opens [s]
constexpr double kOpening = 0.05;
// after which the range of directions in which a place may be urgent changes little
constexpr int kNarrowings = 3;
// places nearer to one another, with directions within 25 degrees, are one [m]
constexpr double kApart = 0.02;
constexpr double kSameDirection = 0.9;

// what GJK and rounding may be wrong by [m]
constexpr double kInexact = 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

using Geom = DistanceModel::Impl::Geom;
using Motion = DistanceData::Impl::Motion;

// largest closing speed after dt: v^2 <= 2 a (gap - (c + v) dt / 2), see viability.hpp
double next_closing(const Braking& b, double gap, double closing) {
  const double room = gap - 0.5 * closing * b.dt, half = 0.5 * b.deceleration * b.dt;
  if (room >= 0.0) return -half + std::sqrt(half * half + 2.0 * b.deceleration * room);
  return std::max(-b.recovery, room / kOpening);
}

// Below this distance something that closes at `closing` >= 0 has a bound above `bound`:
// Braking::bound() solved for the distance.
double urgent_within(const Braking& b, double closing, double bound) {
  const double next = closing - bound * b.dt, used = b.safety + 0.5 * closing * b.dt;
  if (next >= 0.0) return used + 0.5 * next * (next / b.deceleration + b.dt);
  return next > -b.recovery ? used + next * kOpening : -kNever;
}

// what one pair's search for the most urgent place has found
class Search {
 public:
  Search(const DistanceModel& model, DistanceData& data, int pair, const Braking& braking,
         double largest, MostUrgent& found)
      : model_(model),
        data_(data.impl()),
        braking_(braking),
        largest_(largest),
        a_(data.impl().bodies[at(model.impl().pairs[at(pair)].a)]),
        b_(data.impl().bodies[at(model.impl().pairs[at(pair)].b)]),
        found_(found) {
    const auto& impl = model.impl();
    const auto& p = impl.pairs[at(pair)];
    v_ = a_.v - b_.v;
    omega_ = a_.omega - b_.omega;
    turning_ = omega_.norm();
    fastest_of_bodies_ =
        fastest(a_.centre, impl.bodies[at(p.a)].radius, b_.centre, impl.bodies[at(p.b)].radius);
    look_within(fastest_of_bodies_);
    within_of_bodies_ = within_;
  }

  // whether a pair not nearer than `distance` may have an urgent place
  bool may_be_urgent(double distance) const { return distance < within_; }

  // `clear`: a lower bound on their distance, and then a later one
  void shapes(const Geom& a, const Geom& b, Eigen::Vector3d& axis, double& clear) {
    if (clear >= within_of_bodies_) return;
    look_within(fastest_of_bodies_);
    within_of_bodies_ = within_;
    if (!may_be_urgent(clear)) return;
    clear = least_of_balls(data_, a, b);
    if (!may_be_urgent(clear)) return;
    look_within(fastest(centre(data_, a), a.radius, centre(data_, b), b.radius));
    const double along = least_along(data_, a, b, axis);
    clear = std::max(clear, along);
    look_along(axis, along, a, b);
    if (!may_be_urgent(clear)) return;
    const Distance nearest = geom_distance(model_, data_, a, b, within_, axis);
    clear = std::max(clear, nearest.distance - kInexact);
    if (!may_be_urgent(nearest.distance)) return;
    if (!nearest.n_W.isZero(0.0)) consider(nearest);
    corners(a, b, 1.0, axis);
    corners(b, a, -1.0, axis);
  }

  int count() const { return count_; }

 private:
  struct Near {
    double distance;
    Eigen::Vector3d p_W, n_W;
  };

  Near to_shape(const Geom& g, const Eigen::Vector3d& p_W) const {
    const Eigen::Matrix3d& R = rotation(data_, g);
    const Eigen::Vector3d& c = centre(data_, g);
    const PointDistance d = point_distance(g.type, g.size, R.transpose() * (p_W - c));
    return {d.distance, R * d.p_G + c, R * d.n_G};
  }
  double closing(const Distance& d) const { return d.n_W.dot(b_.at(d.p_WB) - a_.at(d.p_WA)); }
  // The most that places of two balls can close with. Along the line between its points a place
  // closes with what A moves against B at either of them, a twist that turns with omega_a -
  // omega_b.
  double fastest(const Eigen::Vector3d& c_a, double r_a, const Eigen::Vector3d& c_b,
                 double r_b) const {
    return std::min((v_ + omega_.cross(c_a)).norm() + turning_ * r_a,
                    (v_ + omega_.cross(c_b)).norm() + turning_ * r_b);
  }
  // from here on what closes at up to `fastest` and is nearer than within_ may be urgent
  void look_within(double fastest) {
    fastest_ = fastest;
    within_ = std::min(largest_, urgent_within(braking_, fastest, least()));
  }
  // Less than that when the shapes slide by or part: at a place at distance d < within_ whose
  // direction is at an angle theta to the axis, d cos(theta) >= the least distance along it, and
  // the closing speed is at most what they close with along the axis plus fastest_ sin(theta).
  void look_along(const Eigen::Vector3d& axis, double along_axis, const Geom& a, const Geom& b) {
    if (along_axis <= 0.0) return;
    const Eigen::Vector3d turn = axis.cross(omega_);  // axis . (omega x p) = turn . p
    const double turning = turn.norm(), part = axis.dot(v_);
    const double along =
        std::max(0.0, std::min(-part - turn.dot(centre(data_, a)) + turning * a.radius,
                               -part - turn.dot(centre(data_, b)) + turning * b.radius));
    const double most = fastest_;
    for (int k = 0; k < kNarrowings && along_axis < within_; ++k) {
      const double cosine = along_axis / within_;
      look_within(std::min(most, along + most * std::sqrt(1.0 - cosine * cosine)));
    }
  }
  double least() const { return count_ < kMostUrgentPlaces ? -kCalm : bounds_[at(count_ - 1)]; }
  void consider(const Distance& d) {
    const double bound = braking_.bound(d.distance, closing(d));
    if (bound <= least()) return;
    int place = 0;
    while (place < count_ && bounds_[at(place)] >= bound) {
      if (same_place(found_[at(place)], d)) return;
      ++place;
    }
    // what it stands for more urgently goes, else the least urgent where there is no room
    int gone = place;
    while (gone < count_ && !same_place(found_[at(gone)], d)) ++gone;
    if (gone == count_) {
      if (count_ < kMostUrgentPlaces) ++count_;
      gone = count_ - 1;
    }
    for (int k = gone; k > place; --k) {
      found_[at(k)] = found_[at(k - 1)];
      bounds_[at(k)] = bounds_[at(k - 1)];
    }
    found_[at(place)] = d;
    bounds_[at(place)] = bound;
    look_within(fastest_);
  }
  static bool same_place(const Distance& a, const Distance& b) {
    return (a.p_WA - b.p_WA).squaredNorm() < kApart * kApart && a.n_W.dot(b.n_W) > kSameDirection;
  }

  // corners of g against the other shape; side: 1 when g is A's, -1 when it is B's; n_W: the
  // direction between their nearest points, from B to A
  void corners(const Geom& g, const Geom& other, double side, const Eigen::Vector3d& n_W) {
    if (!has_point_distance(other.type)) return;
    const Eigen::Matrix3d &R = rotation(data_, g), &R_W = rotation(data_, other);
    const Eigen::Vector3d& c = centre(data_, g);
    const Eigen::Vector3d between = c - centre(data_, other);
    // most are farther along n than what can be urgent
    const Eigen::Vector3d n_G = R.transpose() * (side * n_W);
    const double beyond = side * n_W.dot(between) -
                          support(other.type, other.size, R_W.transpose() * n_W) - g.round -
                          kInexact;
    if (!g.corners.empty()) {
      const Eigen::Matrix3d M = R_W.transpose() * R;
      const Eigen::Vector3d middle = R_W.transpose() * between;
      for (const auto& p : g.corners)
        if (may_be_urgent(n_G.dot(p) + beyond)) corner(g, other, side, middle + M * p);
    }
    if (g.type != ShapeType::kCylinder) return;
    const double rim = g.size[0] * std::sqrt(n_G.x() * n_G.x() + n_G.y() * n_G.y());
    for (const double end : {-g.size[1], g.size[1]})
      if (may_be_urgent(n_G.z() * end - rim + beyond))
        corner(g, other, side,
               R_W.transpose() *
                   (rim_point(g, other, side, c + end * R.col(2)) - centre(data_, other)));
  }

  // one of them, at p in the other's frame
  void corner(const Geom& g, const Geom& other, double side, const Eigen::Vector3d& p) {
    const PointDistance near = point_distance(other.type, other.size, p);
    if (!may_be_urgent(near.distance - g.round)) return;
    const Eigen::Matrix3d& R_W = rotation(data_, other);
    const Eigen::Vector3d n_W = R_W * near.n_G, its = R_W * near.p_G + centre(data_, other);
    Distance d;
    d.distance = near.distance - g.round;
    d.n_W = side * n_W;
    const Eigen::Vector3d own = its + d.distance * n_W;
    d.p_WA = side > 0.0 ? own : its;
    d.p_WB = side > 0.0 ? its : own;
    d.shape_a = side > 0.0 ? g.shape : other.shape;
    d.shape_b = side > 0.0 ? other.shape : g.shape;
    consider(d);
  }

  // The rim's point c + r e at which the speed that is left, sqrt(2 a gap) - closing, is least when
  // the other shape is flat there: e is opposite to its gradient
  // a / sqrt(2 a gap) n + n x (omega - omega_other), the gap being that of the point.
  Eigen::Vector3d rim_point(const Geom& g, const Geom& other, double side,
                            const Eigen::Vector3d& c) const {
    const Near near = to_shape(other, c);
    const double a = braking_.deceleration;
    const Eigen::Vector3d axis = rotation(data_, g).col(2);
    const auto across = [&](const Eigen::Vector3d& v) {
      return Eigen::Vector3d(v - axis.dot(v) * axis);
    };
    const Eigen::Vector3d n = across(near.n_W), turning = across(side * near.n_W.cross(omega_));
    Eigen::Vector3d r = Eigen::Vector3d::Zero();
    for (int k = 0; k < kRimSteps; ++k) {
      const double gap = std::max(0.0, near.distance + near.n_W.dot(r) - braking_.safety);
      const Eigen::Vector3d gradient = a / std::max(kSlow, std::sqrt(2.0 * a * gap)) * n + turning;
      const double length = gradient.norm();
      if (length == 0.0) break;
      r = -g.size[0] / length * gradient;
    }
    return c + r;
  }

  const DistanceModel& model_;
  DistanceData::Impl& data_;
  Braking braking_;
  double largest_;
  const Motion &a_, &b_;
  MostUrgent& found_;
  std::array<double, kMostUrgentPlaces> bounds_{};
  int count_ = 0;
  Eigen::Vector3d v_, omega_;       // of A against B, at the world's origin
  double turning_ = 0.0;            // of omega_ [rad/s]
  double fastest_of_bodies_ = 0.0;  // [m/s]
  double fastest_ = 0.0;            // of the two shapes that are looked at [m/s]
  double within_ = 0.0;             // what is not nearer cannot be urgent enough [m]
  double within_of_bodies_ = 0.0;   // any shapes of them, when it was asked for last: not too small
};

}  // namespace

double Braking::bound(double distance, double closing) const {
  return (closing - next_closing(*this, distance - safety, closing)) / dt;
}

double calm_beyond(DistanceData& data, const Braking& braking, double largest) {
  return std::min(largest, urgent_within(braking, 2.0 * data.impl().fastest, -kCalm));
}

bool all_beyond(const DistanceModel& model, DistanceData& data, double distance) {
  auto& impl = data.impl();
  if (impl.all_clear - 2.0 * impl.farthest >= distance) return true;
  // some have been looked at since
  double least = kNever;
  for (std::size_t p = 0; p < model.impl().pairs.size(); ++p) {
    const auto& pair = model.impl().pairs[p];
    least = std::min(least, impl.clear[p] - impl.bodies[at(pair.a)].travelled -
                                impl.bodies[at(pair.b)].travelled);
  }
  impl.all_clear = least + 2.0 * impl.farthest;
  return least >= distance;
}

int most_urgent(const DistanceModel& model, DistanceData& data, int pair, const Braking& braking,
                double largest, MostUrgent& found) {
  const auto& impl = model.impl();
  const auto& p = impl.pairs[at(pair)];
  double& clear = data.impl().clear[at(pair)];
  const double travelled =
      data.impl().bodies[at(p.a)].travelled + data.impl().bodies[at(p.b)].travelled;
  // most pairs are done here: so far apart that they are calm however they move
  const double closing = data.impl().bodies[at(p.a)].speed + data.impl().bodies[at(p.b)].speed;
  if (clear - travelled >= std::min(largest, urgent_within(braking, closing, -kCalm))) return 0;
  Search search(model, data, pair, braking, largest, found);
  if (!search.may_be_urgent(clear - travelled)) return 0;
  place_shapes(impl, data.impl(), p.a);
  place_shapes(impl, data.impl(), p.b);
  double least = std::numeric_limits<double>::infinity();
  std::size_t k = at(p.first);
  for (const int a : impl.bodies[at(p.a)].geoms)
    for (const int b : impl.bodies[at(p.b)].geoms) {
      double now = data.impl().shapes_clear[k] - travelled;
      search.shapes(impl.geoms[at(a)], impl.geoms[at(b)], data.impl().axes[k], now);
      data.impl().shapes_clear[k++] = now + travelled;
      least = std::min(least, now);
    }
  clear = least + travelled;
  return search.count();
}

}  // namespace handspan
