#include <algorithm>
#include <array>
#include <cmath>

#include "robot/distance_impl.hpp"
#include "robot/point_distance.hpp"

namespace handspan {
namespace {

// below this closing speed a rim's most urgent point is the nearest one [m/s]
constexpr double kSlow = 1e-3;
// after which a rim's most urgent point changes little
constexpr int kRimSteps = 3;
// in which a gap that is too small opens [s]
constexpr double kOpening = 0.05;
// places nearer to one another, with directions within 25 degrees, are one [m]
constexpr double kApart = 0.02;
constexpr double kSameDirection = 0.9;
// what may still close so much faster asks for nothing: no arm accelerates like that [m/s^2]
constexpr double kCalm = 10.0;

using Geom = DistanceModel::Impl::Geom;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// largest closing speed after dt: v^2 <= 2 a (gap - (c + v) dt / 2), see viability.hpp
double next_closing(const Braking& b, double gap, double closing) {
  const double room = gap - 0.5 * closing * b.dt, half = 0.5 * b.deceleration * b.dt;
  if (room >= 0.0) return -half + std::sqrt(half * half + 2.0 * b.deceleration * room);
  return std::max(-b.recovery, room / kOpening);
}

struct Motion {
  Eigen::Vector3d p, v, omega;  // of a body's frame, in W
  Eigen::Vector3d at(const Eigen::Vector3d& p_WP) const { return v + omega.cross(p_WP - p); }
};

// what one pair's search for the most urgent place has found
class Search {
 public:
  Search(const DistanceModel& model, std::span<const RobotData* const> robots, DistanceData& data,
         int pair, const Braking& braking, double largest, MostUrgent& found)
      : braking_(braking),
        largest_(largest),
        d_(*data.impl().data),
        nearest_(data[pair]),
        found_(found) {
    const BodyPair& p = model.pairs()[at(pair)];
    const auto motion = [&](int robot, int body) -> Motion {
      const RobotModel& m = *model.robots()[at(robot)];
      const Vector6d V = frame_velocity(m, *robots[at(robot)], m.body_frame(body));
      return {frame_pose(m, *robots[at(robot)], m.body_frame(body)).p, V.head<3>(), V.tail<3>()};
    };
    a_ = motion(p.robot_a, p.body_a);
    b_ = motion(p.robot_b, p.body_b);
    consider(nearest_);
  }

  void shapes(const mjModel& m, const Geom& a, const Geom& b) {
    const Eigen::Vector3d c_a = centre(a), c_b = centre(b);
    double least = (c_a - c_b).norm() - a.radius - b.radius;
    fastest_ =
        (a_.at(c_a) - b_.at(c_b)).norm() + a_.omega.norm() * a.radius + b_.omega.norm() * b.radius;
    if (!may_be_urgent(least)) return;
    if (has_point_distance(a.type)) least = std::max(least, to_shape(a, c_b).distance - b.radius);
    if (has_point_distance(b.type)) least = std::max(least, to_shape(b, c_a).distance - a.radius);
    if (!may_be_urgent(least)) return;
    if (a.shape != nearest_.shape_a || b.shape != nearest_.shape_b) nearest(m, a, b);
    corners(a, b, 1.0);
    corners(b, a, -1.0);
  }

  int count() const { return count_; }

 private:
  struct Near {
    double distance;
    Eigen::Vector3d p_W, n_W;
  };

  Eigen::Vector3d centre(const Geom& g) const {
    return Eigen::Vector3d::Map(d_.geom_xpos + 3 * g.id);
  }
  auto rotation(const Geom& g) const {
    return Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(d_.geom_xmat + 9 * g.id);
  }
  Near to_shape(const Geom& g, const Eigen::Vector3d& p_W) const {
    const auto R = rotation(g);
    const Eigen::Vector3d c = centre(g);
    const PointDistance d = point_distance(g.type, g.size, R.transpose() * (p_W - c));
    return {d.distance, R * d.p_G + c, R * d.n_G};
  }
  double closing(const Distance& d) const { return d.n_W.dot(b_.at(d.p_WB) - a_.at(d.p_WA)); }
  // no place of the two shapes closes faster than fastest_
  bool may_be_urgent(double distance) const {
    return distance < largest_ && braking_.bound(distance, fastest_) > least();
  }
  double least() const { return count_ < kMostUrgentPlaces ? -kCalm : bounds_[at(count_ - 1)]; }
  void consider(const Distance& d) {
    const double bound = braking_.bound(d.distance, closing(d));
    if (count_ > 0 && bound <= least()) return;
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
  }
  static bool same_place(const Distance& a, const Distance& b) {
    return (a.p_WA - b.p_WA).squaredNorm() < kApart * kApart && a.n_W.dot(b.n_W) > kSameDirection;
  }

  // the nearest points of two shapes that are not the pair's nearest
  void nearest(const mjModel& m, const Geom& a, const Geom& b) {
    double points[6];
    Distance d;
    d.distance = mj_geomDistance(&m, &d_, a.id, b.id, largest_, points);
    if (!may_be_urgent(d.distance)) return;
    d.p_WA = Eigen::Vector3d::Map(points);
    d.p_WB = Eigen::Vector3d::Map(points + 3);
    d.shape_a = a.shape;
    d.shape_b = b.shape;
    const Eigen::Vector3d difference = (d.distance < 0.0 ? -1.0 : 1.0) * (d.p_WA - d.p_WB);
    const double length = difference.norm();
    if (length == 0.0) return;
    d.n_W = difference / length;
    consider(d);
  }

  // corners of g against the other shape; side: 1 when g is A's, -1 when it is B's
  void corners(const Geom& g, const Geom& other, double side) {
    if (!has_point_distance(other.type)) return;
    const auto R = rotation(g);
    const Eigen::Vector3d c = centre(g);
    for (const auto& p : g.corners) corner(g, other, side, R * p + c);
    if (g.type != ShapeType::kCylinder) return;
    for (const double end : {-g.size[1], g.size[1]})
      corner(g, other, side, rim_point(g, other, side, c + end * R.col(2)));
  }

  void corner(const Geom& g, const Geom& other, double side, const Eigen::Vector3d& p_W) {
    const Near near = to_shape(other, p_W);
    if (!may_be_urgent(near.distance - g.round)) return;
    Distance d;
    d.distance = near.distance - g.round;
    d.n_W = side * near.n_W;
    const Eigen::Vector3d own = p_W - g.round * near.n_W;
    d.p_WA = side > 0.0 ? own : near.p_W;
    d.p_WB = side > 0.0 ? near.p_W : own;
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
    const Eigen::Vector3d axis = rotation(g).col(2);
    const auto across = [&](const Eigen::Vector3d& v) {
      return Eigen::Vector3d(v - axis.dot(v) * axis);
    };
    const Eigen::Vector3d n = across(near.n_W),
                          turning = across(side * near.n_W.cross(a_.omega - b_.omega));
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

  Braking braking_;
  double largest_;
  mjData& d_;
  const Distance& nearest_;
  MostUrgent& found_;
  std::array<double, kMostUrgentPlaces> bounds_{};
  int count_ = 0;
  Motion a_, b_;
  double fastest_ = 0.0;  // of the two shapes that are looked at [m/s]
};

}  // namespace

double Braking::bound(double distance, double closing) const {
  return (closing - next_closing(*this, distance - safety, closing)) / dt;
}

int most_urgent(const DistanceModel& model, std::span<const RobotData* const> robots,
                DistanceData& data, int pair, const Braking& braking, double largest,
                MostUrgent& found) {
  if (data[pair].shape_a < 0) return 0;
  const auto& impl = model.impl();
  Search search(model, robots, data, pair, braking, largest, found);
  for (const int a : impl.geoms_a[at(pair)])
    for (const int b : impl.geoms_b[at(pair)])
      search.shapes(*impl.model, impl.geoms[at(a)], impl.geoms[at(b)]);
  return search.count();
}

}  // namespace handspan
