// One file, since it is one closed form for each pair of shapes.
#include "robot/shape_distance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "robot/point_distance.hpp"

namespace handspan {
namespace {

// Newton's method is done where a normal's part along a line is not above this, or where it would
// go no farther [m, or half angles].
constexpr double kAcross = 1e-14, kLastStep = 1e-15;
constexpr int kMostSteps = 60;
// A normal may be as far out of the range that proves a point. Of shapes of a metre that changes a
// distance by 1e-11 m.
constexpr double kBorder = 1e-11;
// a support is an edge, a side line or a face where the direction is across it up to this
constexpr double kParallel = 1e-12;
// a segment or a rim that is not farther from the other shape has no direction of its own [m]
constexpr double kTouch = 1e-7;

// The other shape, at the origin of its own frame, by what lies between it and the point that was
// looked at last: the residual r from its nearest point to that point, 0 inside.
struct BoxBody {
  explicit BoxBody(const Eigen::Vector3d& size) : half(size) {}
  void look(const Eigen::Vector3d& p) {
    for (int i = 0; i < 3; ++i) r[i] = p[i] - std::clamp(p[i], -half[i], half[i]);
  }
  // second derivative of r^2 / 2 along v
  double curvature(const Eigen::Vector3d& v) const {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) sum += r[i] != 0.0 ? v[i] * v[i] : 0.0;
    return sum;
  }
  // a point that reaches farthest along n; the one nearest to p of several
  Eigen::Vector3d support_near(const Eigen::Vector3d& n, const Eigen::Vector3d& p) const {
    Eigen::Vector3d s;
    for (int i = 0; i < 3; ++i)
      s[i] = std::abs(n[i]) > kParallel ? std::copysign(half[i], n[i])
                                        : std::clamp(p[i], -half[i], half[i]);
    return s;
  }
  bool has_face(int axis) const { return r[axis] != 0.0; }
  double face(int axis) const { return half[axis]; }
  // the point of the face across `axis` that is nearest to p, p being in its plane
  Eigen::Vector3d on_face(int axis, Eigen::Vector3d p) const {
    for (int i = 0; i < 3; ++i)
      if (i != axis) p[i] = std::clamp(p[i], -half[i], half[i]);
    return p;
  }
  bool is_over_face(int axis, const Eigen::Vector3d& p) const {
    for (int i = 0; i < 3; ++i)
      if (i != axis && std::abs(p[i]) > half[i]) return false;
    return true;
  }

  Eigen::Vector3d half, r = Eigen::Vector3d::Zero();
};

struct CylinderBody {
  explicit CylinderBody(const Eigen::Vector3d& size) : radius(size[0]), half(size[1]) {}
  void look(const Eigen::Vector3d& p) {
    const double square = p.x() * p.x() + p.y() * p.y();
    r.z() = p.z() - std::clamp(p.z(), -half, half);
    if (square > radius * radius) {
      const double inverse = 1.0 / std::sqrt(square);
      x = p.x() * inverse;
      y = p.y() * inverse;
      beyond = 1.0 - radius * inverse;
      r.x() = beyond * p.x();
      r.y() = beyond * p.y();
    } else {
      x = y = beyond = r.x() = r.y() = 0.0;
    }
  }
  double curvature(const Eigen::Vector3d& v) const {
    double sum = r.z() != 0.0 ? v.z() * v.z() : 0.0;
    if (beyond > 0.0) {
      const double outwards = x * v.x() + y * v.y(), around = x * v.y() - y * v.x();
      sum += outwards * outwards + beyond * around * around;
    }
    return sum;
  }
  Eigen::Vector3d support_near(const Eigen::Vector3d& n, const Eigen::Vector3d& p) const {
    const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
    Eigen::Vector3d s = across > kParallel ? Eigen::Vector3d(radius / across * n) : on_face(2, p);
    s.z() =
        std::abs(n.z()) > kParallel ? std::copysign(half, n.z()) : std::clamp(p.z(), -half, half);
    return s;
  }
  bool has_face(int axis) const { return axis == 2 && r.z() != 0.0; }
  double face(int) const { return half; }
  Eigen::Vector3d on_face(int, Eigen::Vector3d p) const {
    const double out = std::sqrt(p.x() * p.x() + p.y() * p.y());
    if (out > radius) p.head<2>() *= radius / out;
    return p;
  }
  bool is_over_face(int, const Eigen::Vector3d& p) const {
    return p.x() * p.x() + p.y() * p.y() <= radius * radius;
  }

  double radius, half;
  Eigen::Vector3d r = Eigen::Vector3d::Zero();
  double x = 0.0, y = 0.0;  // unit, from the axis to the point; 0 within the radius
  double beyond = 0.0;      // 1 - radius / distance from the axis; 0 within the radius
};

// Nearest points in B's frame.
struct InBody {
  double distance = 0.0;
  Eigen::Vector3d p_B, n_B;  // B's point [m]; unit, from B to A
};

void to_world(const PlacedShape& b, const InBody& nearest, NearestPoints& found) {
  found.distance = nearest.distance;
  found.n_W.noalias() = b.R_WG * nearest.n_B;
  found.p_WB.noalias() = b.R_WG * nearest.p_B;
  found.p_WB += b.p_WG;
  found.p_WA = found.p_WB + found.distance * found.n_W;
}

void swap_sides(NearestPoints& found) {
  std::swap(found.p_WA, found.p_WB);
  found.n_W = -found.n_W;
}

// Where a derivative that grows changes its sign between `low` and `high`, or the end next to that:
// Newton's method in a bracket. `slope(x, curvature)` gives the derivative at x and its own, or 0
// where it is as good as that. Whether it was found; the last call of `slope` was at x.
template <class Slope>
bool find_least(double low, double high, double& x, const Slope& slope) {
  const double first = low, last = high;
  for (int k = 0; k < kMostSteps; ++k) {
    double curvature = 0.0;
    const double g = slope(x, curvature);
    if (g == 0.0 || (g > 0.0 && x <= first) || (g < 0.0 && x >= last)) return true;
    (g > 0.0 ? high : low) = x;
    double next = curvature > 0.0 ? x - g / curvature : 0.5 * (low + high);
    // an end may be where it is least; any other border of the bracket is not
    if (next <= low) next = low == first ? first : 0.5 * (low + high);
    if (next >= high) next = high == last ? last : 0.5 * (low + high);
    if (std::abs(next - x) <= kLastStep) return true;
    x = next;
  }
  return false;
}

// The point of the segment c + t u, |t| <= half, that is nearest to the body: its t.
template <class Body>
bool nearest_of_segment(Body& body, const Eigen::Vector3d& c, const Eigen::Vector3d& u, double half,
                        double& t) {
  t = std::clamp(-c.dot(u), -half, half);
  return find_least(-half, half, t, [&](double at, double& curvature) {
    body.look(c + at * u);
    const double g = body.r.dot(u);
    if (g * g <= kAcross * kAcross * body.r.squaredNorm()) return 0.0;
    curvature = body.curvature(u);
    return g;
  });
}

// A segment with a radius against a box or a cylinder, in the frame of the latter.
template <class Body>
ShapeDistance from_round(Body body, const PlacedShape& a, const PlacedShape& b, double largest,
                         NearestPoints& found) {
  const Eigen::Vector3d c = b.R_WG.transpose() * (a.p_WG - b.p_WG);
  InBody nearest;
  if (a.type == ShapeType::kSphere) {
    const PointDistance d = point_distance(b.type, b.size, c);
    nearest = {d.distance - a.size[0], d.p_G, d.n_G};
  } else {
    const Eigen::Vector3d u = b.R_WG.transpose() * a.R_WG.col(2);
    double t;
    if (!nearest_of_segment(body, c, u, a.size[1], t)) return ShapeDistance::kUnknown;
    const double length = body.r.norm();
    if (length <= kTouch) return ShapeDistance::kUnknown;
    nearest = {length - a.size[0], c + t * u - body.r, body.r / length};
  }
  to_world(b, nearest, found);
  return nearest.distance < largest ? ShapeDistance::kFound : ShapeDistance::kBeyond;
}

// A cylinder in the frame of a box or a cylinder.
struct Rod {
  Rod(const PlacedShape& a, const PlacedShape& b)
      : c(b.R_WG.transpose() * (a.p_WG - b.p_WG)),
        u(b.R_WG.transpose() * a.R_WG.col(2)),
        radius(a.size[0]),
        half(a.size[1]) {}
  Eigen::Vector3d c, u;  // centre [m]; axis, unit
  double radius, half;   // [m]
};

// The other's support point along the axis is over the end face at `end` = +-half.
template <class Body>
bool is_on_own_face(const Body& body, const Rod& rod, double end, InBody& nearest) {
  const Eigen::Vector3d out = std::copysign(1.0, end) * rod.u, centre = rod.c + end * rod.u,
                        s = body.support_near(-out, centre);
  const Eigen::Vector3d from_centre = s - centre;
  const double gap = out.dot(from_centre);
  if (gap <= 0.0 || (from_centre - gap * out).squaredNorm() > rod.radius * rod.radius) return false;
  nearest = {gap, s, -out};
  return true;
}

// The cylinder's support point along the normal of a face of the other is over that face.
template <class Body>
bool is_over_other_face(const Body& body, const Rod& rod, int axis, InBody& nearest) {
  const double side = std::copysign(1.0, body.r[axis]), along = side * rod.u[axis];
  Eigen::Vector3d across = -along * rod.u;  // side e_axis less its part along the axis
  across[axis] += side;
  const double length = across.norm();
  Eigen::Vector3d s = rod.c + std::copysign(rod.half, -along) * rod.u;
  if (length > kParallel) {
    // across again, since what is short is so only roughly
    across /= length;
    across -= across.dot(rod.u) * rod.u;
    s -= rod.radius / across.norm() * across;
  } else {
    // an end face over it: the one of its points that is nearest to the other face's
    const Eigen::Vector3d away = body.on_face(axis, s) - s;
    const double out = away.norm();
    s += std::min(1.0, out > 0.0 ? rod.radius / out : 0.0) * away;
  }
  const double gap = side * s[axis] - body.face(axis);
  if (gap <= 0.0 || !body.is_over_face(axis, s)) return false;
  nearest.distance = gap;
  nearest.n_B = side * Eigen::Vector3d::Unit(axis);
  nearest.p_B = s;
  nearest.p_B[axis] = side * body.face(axis);
  return true;
}

// The nearest point of the rim at `end`, `towards` being a direction in which to begin. Its angle
// from there is 2 atan x.
template <class Body>
bool is_on_rim(Body& body, const Rod& rod, double end, const Eigen::Vector3d& towards,
               InBody& nearest) {
  const Eigen::Vector3d centre = rod.c + end * rod.u;
  Eigen::Vector3d first = towards - towards.dot(rod.u) * rod.u;
  const double length = first.norm();
  if (length <= kTouch) return false;
  first /= length;
  const Eigen::Vector3d second = rod.u.cross(first);
  Eigen::Vector3d outwards;
  double x = 0.0;
  const bool converged = find_least(-1.0, 1.0, x, [&](double at, double& curvature) {
    const double scale = 1.0 / (1.0 + at * at), cosine = (1.0 - at * at) * scale,
                 sine = 2.0 * at * scale;
    outwards = cosine * first + sine * second;
    const Eigen::Vector3d along = cosine * second - sine * first;
    body.look(centre + rod.radius * outwards);
    const double g = body.r.dot(along);
    if (g * g <= kAcross * kAcross * body.r.squaredNorm()) return 0.0;
    // by the angle, then by x
    const double by_angle = rod.radius * body.curvature(along) - body.r.dot(outwards);
    curvature = 2.0 * scale * by_angle;
    return g;
  });
  if (!converged || std::abs(x) == 1.0) return false;
  const double d = body.r.norm();
  if (d <= kTouch) return false;
  const Eigen::Vector3d n = body.r / d;
  // between the normals of the face and of the side
  if (std::copysign(1.0, end) * n.dot(rod.u) > kBorder || n.dot(outwards) > kBorder) return false;
  nearest = {d, centre + rod.radius * outwards - body.r, n};
  return true;
}

// what is known when only the side of a cylinder was looked at
ShapeDistance beyond(const PlacedShape& b, const InBody& bound, NearestPoints& found) {
  found.distance = bound.distance;
  found.n_W.noalias() = b.R_WG * bound.n_B;
  return ShapeDistance::kBeyond;
}

// The side of cylinder a against the other: where the axis is nearest.
template <class Body>
ShapeDistance from_side(Body& body, const Rod& rod, const PlacedShape& b, double largest, double& t,
                        NearestPoints& found) {
  if (!nearest_of_segment(body, rod.c, rod.u, rod.half, t)) return ShapeDistance::kUnknown;
  const double length = body.r.norm();
  // the axis goes through it
  if (length <= kTouch) return ShapeDistance::kUnknown;
  const InBody nearest{length - rod.radius, rod.c + t * rod.u - body.r, body.r / length};
  if (nearest.distance >= largest) return beyond(b, nearest, found);
  if (std::abs(nearest.n_B.dot(rod.u)) > kBorder || nearest.distance <= 0.0)
    return ShapeDistance::kUnknown;
  to_world(b, nearest, found);
  return ShapeDistance::kFound;
}

ShapeDistance within(const PlacedShape& b, const InBody& nearest, double largest,
                     NearestPoints& found) {
  to_world(b, nearest, found);
  return nearest.distance < largest ? ShapeDistance::kFound : ShapeDistance::kBeyond;
}

template <class Body>
ShapeDistance from_cylinder_shape(Body body, const PlacedShape& a, const PlacedShape& b,
                                  double largest, NearestPoints& found) {
  const Rod rod(a, b);
  double t;
  const ShapeDistance by_side = from_side(body, rod, b, largest, t, found);
  if (by_side != ShapeDistance::kUnknown || body.r.squaredNorm() <= kTouch * kTouch) return by_side;
  const Eigen::Vector3d towards = -body.r;
  InBody nearest;
  for (int axis = 0; axis < 3; ++axis)
    if (body.has_face(axis) && is_over_other_face(body, rod, axis, nearest))
      return within(b, nearest, largest, found);
  const double end = std::copysign(rod.half, t);
  if (is_on_own_face(body, rod, end, nearest)) return within(b, nearest, largest, found);
  if (b.type == ShapeType::kCylinder) {
    CylinderBody own(a.size);
    double unused;
    const ShapeDistance by_its_side = from_side(own, Rod(b, a), a, largest, unused, found);
    if (by_its_side != ShapeDistance::kUnknown) {
      swap_sides(found);
      return by_its_side;
    }
  }
  if (is_on_rim(body, rod, end, towards, nearest)) return within(b, nearest, largest, found);
  return ShapeDistance::kUnknown;
}

// Any unit vector across both, or across the one that is a direction.
Eigen::Vector3d across_both(const Eigen::Vector3d& u, const Eigen::Vector3d& v) {
  const Eigen::Vector3d both = u.cross(v);
  const double length = both.norm();
  return length > kParallel ? Eigen::Vector3d(both / length) : u.unitOrthogonal();
}

// Segments c + s u, |s| <= a, and t v, |t| <= b: where they are nearest. With `cross` = u x v.
void nearest_of_segments(const Eigen::Vector3d& c, const Eigen::Vector3d& u, double a,
                         const Eigen::Vector3d& v, double b, double square_sine, double& s,
                         double& t) {
  const double uv = u.dot(v), cu = c.dot(u), cv = c.dot(v);
  if (square_sine > kParallel * kParallel) {
    s = std::clamp((uv * cv - cu) / square_sine, -a, a);
  } else {
    // the middle of what lies side by side, or the ends that face one another
    const double reach = std::abs(uv) * b, low = std::max(-a, -cu - reach),
                 high = std::min(a, -cu + reach);
    s = std::clamp(0.5 * (low + high), -a, a);
  }
  t = cv + s * uv;
  if (std::abs(t) > b) {
    t = std::copysign(b, t);
    s = std::clamp(t * uv - cu, -a, a);
  }
}

ShapeDistance from_round_to_round(const PlacedShape& a, const PlacedShape& b, double largest,
                                  NearestPoints& found) {
  const double half_a = a.type == ShapeType::kCapsule ? a.size[1] : 0.0,
               half_b = b.type == ShapeType::kCapsule ? b.size[1] : 0.0;
  const Eigen::Vector3d u = a.R_WG.col(2), v = b.R_WG.col(2), c = a.p_WG - b.p_WG;
  const Eigen::Vector3d cross = u.cross(v);
  const double square_sine = cross.squaredNorm();
  double s = 0.0, t = 0.0;
  nearest_of_segments(c, u, half_a, v, half_b, square_sine, s, t);
  const Eigen::Vector3d between = c + s * u - t * v;
  double length = between.norm();
  if (length > kTouch) {
    found.n_W = between / length;
  } else if (half_a > 0.0 || half_b > 0.0) {
    // the lines meet: across both of them is the shortest way out
    found.n_W = half_a == 0.0   ? Eigen::Vector3d(v.unitOrthogonal())
                : half_b == 0.0 ? Eigen::Vector3d(u.unitOrthogonal())
                                : across_both(u, v);
    length = found.n_W.dot(between);
    if (length < 0.0) {
      found.n_W = -found.n_W;
      length = -length;
    }
  } else {
    found.n_W = length > 0.0 ? Eigen::Vector3d(between / length) : Eigen::Vector3d::UnitZ();
  }
  found.distance = length - a.size[0] - b.size[0];
  found.p_WB = b.p_WG + t * v + b.size[0] * found.n_W;
  found.p_WA = found.p_WB + found.distance * found.n_W;
  return found.distance < largest ? ShapeDistance::kFound : ShapeDistance::kBeyond;
}

// The greatest separation of two boxes along a normal of a face of `b`: its axis. With M the axes
// of a in b's frame, c the centre of a.
double separation_of_faces(const Eigen::Matrix3d& M, const Eigen::Vector3d& c,
                           const Eigen::Vector3d& half_a, const Eigen::Vector3d& half_b,
                           int& axis) {
  const Eigen::Vector3d gaps = c.cwiseAbs() - half_b - M.cwiseAbs() * half_a;
  return gaps.maxCoeff(&axis);
}

// The corner of a that is nearest to b along b's normal is over that face.
bool is_corner_over_face(const Eigen::Matrix3d& M, const Eigen::Vector3d& c,
                         const Eigen::Vector3d& half_a, const Eigen::Vector3d& half_b, int axis,
                         InBody& nearest) {
  const double side = std::copysign(1.0, c[axis]);
  // where an edge or a face of a is parallel, the point of it that is nearest to b's centre
  const Eigen::Vector3d centre = -(M.transpose() * c);
  Eigen::Vector3d corner;
  for (int i = 0; i < 3; ++i)
    corner[i] = std::abs(M(axis, i)) > kParallel ? std::copysign(half_a[i], -side * M(axis, i))
                                                 : std::clamp(centre[i], -half_a[i], half_a[i]);
  nearest.p_B = c + M * corner;
  nearest.distance = side * nearest.p_B[axis] - half_b[axis];
  for (int i = 0; i < 3; ++i)
    if (i != axis && std::abs(nearest.p_B[i]) > half_b[i]) return false;
  nearest.p_B[axis] = side * half_b[axis];
  nearest.n_B = side * Eigen::Vector3d::Unit(axis);
  return nearest.distance > 0.0;
}

ShapeDistance from_box_to_box(const PlacedShape& a, const PlacedShape& b, double largest,
                              NearestPoints& found) {
  const Eigen::Matrix3d M = b.R_WG.transpose() * a.R_WG;
  const Eigen::Vector3d c = b.R_WG.transpose() * (a.p_WG - b.p_WG),
                        back = a.R_WG.transpose() * (b.p_WG - a.p_WG);
  int face_a, face_b;
  const double by_b = separation_of_faces(M, c, a.size, b.size, face_b),
               by_a = separation_of_faces(M.transpose(), back, b.size, a.size, face_a);
  const double most = std::max(by_a, by_b);
  if (most >= largest) {
    found.distance = most;
    found.n_W = by_b >= by_a
                    ? Eigen::Vector3d(std::copysign(1.0, c[face_b]) * b.R_WG.col(face_b))
                    : Eigen::Vector3d(std::copysign(1.0, -back[face_a]) * a.R_WG.col(face_a));
    return ShapeDistance::kBeyond;
  }
  InBody nearest;
  if (by_b > 0.0 && is_corner_over_face(M, c, a.size, b.size, face_b, nearest))
    return within(b, nearest, largest, found);
  if (by_a > 0.0 && is_corner_over_face(M.transpose(), back, b.size, a.size, face_a, nearest)) {
    to_world(a, nearest, found);
    swap_sides(found);
    return ShapeDistance::kFound;
  }
  return ShapeDistance::kUnknown;
}

bool is_round(ShapeType type) { return type == ShapeType::kSphere || type == ShapeType::kCapsule; }

// with the rounder one, or the cylinder, first
ShapeDistance from_ordered(const PlacedShape& a, const PlacedShape& b, double largest,
                           NearestPoints& found) {
  if (is_round(a.type)) {
    if (is_round(b.type)) return from_round_to_round(a, b, largest, found);
    return b.type == ShapeType::kBox ? from_round(BoxBody(b.size), a, b, largest, found)
                                     : from_round(CylinderBody(b.size), a, b, largest, found);
  }
  if (a.type == ShapeType::kBox) return from_box_to_box(a, b, largest, found);
  return b.type == ShapeType::kBox
             ? from_cylinder_shape(BoxBody(b.size), a, b, largest, found)
             : from_cylinder_shape(CylinderBody(b.size), a, b, largest, found);
}

}  // namespace

ShapeDistance shape_distance(const PlacedShape& a, const PlacedShape& b, double largest,
                             NearestPoints& found) {
  if (a.type == ShapeType::kMesh || b.type == ShapeType::kMesh) return ShapeDistance::kUnknown;
  const auto rank = [](ShapeType type) {
    return is_round(type) ? 0 : type == ShapeType::kCylinder ? 1 : 2;
  };
  if (rank(a.type) <= rank(b.type)) return from_ordered(a, b, largest, found);
  const ShapeDistance result = from_ordered(b, a, largest, found);
  swap_sides(found);
  return result;
}

}  // namespace handspan
