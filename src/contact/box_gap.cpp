#include "contact/box_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace handspan {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A pair of edges must part the boxes this much better than a face before it is believed: where
// faces lie flat on each other, rounding would choose [m].
constexpr double kEdgeBias = 1e-7;

void add(GapPoints& out, const Vector3d& p_W, const Vector3d& n_W, double gap, int feature) {
  if (out.count == static_cast<int>(out.points.size())) return;
  out.points[static_cast<std::size_t>(out.count++)] = {p_W, n_W, gap, feature};
}

void against_plane(const RigidModel& model, const Pose& X_WS, const Matrix3d& R_WB,
                   const Vector3d& p_WB, GapPoints& out) {
  const Vector3d n = X_WS.R.col(2);
  const double height = n.dot(p_WB - X_WS.p) - model.box().rounding;
  const Vector3d n_B = R_WB.transpose() * n;
  int feature = 0;
  for (const Vector3d& corner : model.corners()) {
    const double gap = height + n_B.dot(corner);
    if (gap <= 0.0) add(out, p_WB + R_WB * corner - model.box().rounding * n, n, gap, feature);
    ++feature;
  }
}

// Two boxes without rounding, in the frame of the block S; r is the box's rounding.
struct BoxPair {
  Vector3d a, b;   // half edges of box and block
  Matrix3d R;      // R_SB
  Vector3d t;      // p_SB
  double r = 0.0;  // how far apart they may be and still touch
  const Pose* X_WS = nullptr;
  GapPoints* out = nullptr;

  // n_S from the block into the box, p_S on the core
  void touch(const Vector3d& p_S, const Vector3d& n_S, double distance, int feature) const {
    const double gap = distance - r;
    if (gap <= 0.0) add(*out, *X_WS * Vector3d(p_S - r * n_S), X_WS->R * n_S, gap, feature);
  }
};

Vector3d corner_of(const Vector3d& half, int corner) {
  return {corner & 1 ? -half[0] : half[0], corner & 2 ? -half[1] : half[1],
          corner & 4 ? -half[2] : half[2]};
}

// Cuts a convex outline in the plane (u, v) at sign * x[axis] <= limit (Sutherland and Hodgman
// 1974).
struct Outline {
  std::array<Vector3d, 12> p;
  int count = 0;
};
void cut(Outline& outline, int axis, double sign, double limit) {
  Outline kept;
  for (int i = 0; i < outline.count; ++i) {
    const Vector3d& from = outline.p[static_cast<std::size_t>(i)];
    const Vector3d& to = outline.p[static_cast<std::size_t>((i + 1) % outline.count)];
    const double d_from = sign * from[axis] - limit, d_to = sign * to[axis] - limit;
    if (d_from <= 0.0) kept.p[static_cast<std::size_t>(kept.count++)] = from;
    if ((d_from < 0.0 && d_to > 0.0) || (d_from > 0.0 && d_to < 0.0))
      kept.p[static_cast<std::size_t>(kept.count++)] =
          from + d_from / (d_from - d_to) * (to - from);
  }
  outline = kept;
}

// The face `axis`, `sign` of a box with half edges `half`, whose frame the outline is in at the
// end; the other box is at R, t in it with half edges `other`.
Outline clipped_face(const Vector3d& half, int axis, double sign, const Vector3d& other,
                     const Matrix3d& R, const Vector3d& t) {
  // the face of the other that looks most against this one
  int facing = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(R(axis, i)) > std::abs(R(axis, facing))) facing = i;
  const double side = sign * R(axis, facing) > 0.0 ? -1.0 : 1.0;
  const int u = (facing + 1) % 3, v = (facing + 2) % 3;
  const Vector3d center = t + side * other[facing] * R.col(facing);
  const Vector3d du = other[u] * R.col(u), dv = other[v] * R.col(v);
  Outline outline;
  outline.count = 4;
  outline.p[0] = center + du + dv;
  outline.p[1] = center - du + dv;
  outline.p[2] = center - du - dv;
  outline.p[3] = center + du - dv;
  for (const int other_axis : {(axis + 1) % 3, (axis + 2) % 3})
    for (const double s : {1.0, -1.0}) cut(outline, other_axis, s, half[other_axis]);
  return outline;
}

// Nearest points of two segments, as parameters in [-1, 1] along their half vectors.
// @return whether both are inside of their segments
bool nearest(const Vector3d& c1, const Vector3d& d1, const Vector3d& c2, const Vector3d& d2,
             Vector3d& p1, Vector3d& p2) {
  const double a = d1.squaredNorm(), b = d1.dot(d2), c = d2.squaredNorm();
  const double determinant = a * c - b * b;
  if (determinant <= 1e-12 * a * c) return false;
  const Vector3d between = c2 - c1;
  const double e = d1.dot(between), f = d2.dot(between);
  const double s = (e * c - f * b) / determinant, t = (e * b - f * a) / determinant;
  p1 = c1 + s * d1;
  p2 = c2 + t * d2;
  return std::abs(s) <= 1.0 && std::abs(t) <= 1.0;
}

// The core is outside of the block, and what is nearest is an edge or a corner of one of the two.
void rounded_near_edges(const BoxPair& pair) {
  for (int corner = 0; corner < 8; ++corner) {
    bool again = false;  // of a core without length along an axis
    for (int axis = 0; axis < 3; ++axis)
      again = again || ((corner >> axis & 1) != 0 && pair.a[axis] == 0.0);
    if (again) continue;
    const Vector3d p = pair.t + pair.R * corner_of(pair.a, corner);
    const Vector3d on_block = p.cwiseMin(pair.b).cwiseMax(-pair.b);
    const double distance = (p - on_block).norm();
    if (distance > 0.0 && distance <= pair.r)
      pair.touch(p, (p - on_block) / distance, distance, 32 + corner);
  }
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3d q = corner_of(pair.b, corner);
    const Vector3d q_B = pair.R.transpose() * (q - pair.t);
    const Vector3d on_core = q_B.cwiseMin(pair.a).cwiseMax(-pair.a);
    // corners of the core have been looked at
    if ((on_core.cwiseAbs() - pair.a).cwiseAbs().maxCoeff() == 0.0) continue;
    const Vector3d p = pair.t + pair.R * on_core;
    const double distance = (p - q).norm();
    if (distance > 0.0 && distance <= pair.r)
      pair.touch(p, (p - q) / distance, distance, 40 + corner);
  }
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      const int axis = i / 4, other = j / 4;
      Vector3d c1 =
          corner_of(pair.a, ((i & 1) << ((axis + 1) % 3)) | ((i >> 1 & 1) << ((axis + 2) % 3)));
      Vector3d c2 =
          corner_of(pair.b, ((j & 1) << ((other + 1) % 3)) | ((j >> 1 & 1) << ((other + 2) % 3)));
      c1[axis] = 0.0;
      c2[other] = 0.0;
      Vector3d p1, p2;
      const Vector3d d2 = pair.b[other] * Vector3d::Unit(other);
      if (pair.a[axis] == 0.0 ||
          !nearest(pair.t + pair.R * c1, pair.a[axis] * pair.R.col(axis), c2, d2, p1, p2))
        continue;
      const double distance = (p1 - p2).norm();
      if (distance <= 0.0 || distance > pair.r) continue;
      // only where the way from one to the other leaves both boxes
      const Vector3d n = (p1 - p2) / distance, n_B = pair.R.transpose() * n;
      bool outward = true;
      for (int k = 0; k < 3; ++k) {
        if (k != other) outward = outward && n[k] * c2[k] >= 0.0;
        if (k != axis) outward = outward && n_B[k] * c1[k] <= 0.0;
      }
      if (outward) pair.touch(p1, n, distance, 64 + 12 * i + j);
    }
}

// One function, since the cases of one minimum are found and compared in one pass.
void against_block(const RigidModel& model, const Vector3d& half, const Pose& X_WS,
                   const Matrix3d& R_WB, const Vector3d& p_WB, GapPoints& out) {
  BoxPair pair;
  pair.a = model.core();
  pair.b = half;
  pair.R = X_WS.R.transpose() * R_WB;
  pair.t = X_WS.R.transpose() * (p_WB - X_WS.p);
  pair.r = model.box().rounding;
  pair.X_WS = &X_WS;
  pair.out = &out;
  const Matrix3d size_R = pair.R.cwiseAbs();

  // faces: 0 to 2 of the block, 3 to 5 of the box
  double face_distance = -std::numeric_limits<double>::infinity();
  int face = -1;
  const Vector3d t_B = pair.R.transpose() * pair.t;
  for (int i = 0; i < 6; ++i) {
    const double distance =
        i < 3 ? std::abs(pair.t[i]) - pair.b[i] - size_R.row(i).dot(pair.a)
              : std::abs(t_B[i - 3]) - pair.a[i - 3] - size_R.col(i - 3).dot(pair.b);
    if (distance > pair.r) return;
    if (distance > face_distance) {
      face_distance = distance;
      face = i;
    }
  }

  double edge_distance = -std::numeric_limits<double>::infinity();
  int edge = -1;
  Vector3d edge_n = Vector3d::Zero();  // from the block into the box
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Vector3d n = Vector3d::Unit(i).cross(pair.R.col(j));
      const double length = n.norm();
      if (length < 1e-6) continue;  // parallel: the faces' axes say it better
      n /= length;
      if (n.dot(pair.t) < 0.0) n = -n;
      const double distance = n.dot(pair.t) - n.cwiseAbs().dot(pair.b) -
                              (pair.R.transpose() * n).cwiseAbs().dot(pair.a);
      if (distance > pair.r) return;
      if (distance > edge_distance) {
        edge_distance = distance;
        edge = 3 * i + j;
        edge_n = n;
      }
    }

  if (edge >= 0 && edge_distance > face_distance + kEdgeBias) {
    const int i = edge / 3, j = edge % 3;
    const Vector3d n_B = pair.R.transpose() * edge_n;
    Vector3d c_block, c_box;
    for (int k = 0; k < 3; ++k) {
      c_block[k] = k == i ? 0.0 : std::copysign(pair.b[k], edge_n[k]);
      c_box[k] = k == j ? 0.0 : -std::copysign(pair.a[k], n_B[k]);
    }
    Vector3d p_box, p_block;
    const bool inside = nearest(pair.t + pair.R * c_box, pair.a[j] * pair.R.col(j), c_block,
                                pair.b[i] * Vector3d::Unit(i), p_box, p_block);
    if (inside || edge_distance <= 0.0)
      pair.touch(p_box, edge_n, edge_distance, 16 + edge);
    else
      rounded_near_edges(pair);
    return;
  }

  if (face < 3) {
    const double sign = pair.t[face] < 0.0 ? -1.0 : 1.0;
    const Outline outline = clipped_face(pair.b, face, sign, pair.a, pair.R, pair.t);
    for (int i = 0; i < outline.count; ++i) {
      const Vector3d& p = outline.p[static_cast<std::size_t>(i)];
      pair.touch(p, sign * Vector3d::Unit(face), sign * p[face] - pair.b[face], i);
    }
  } else {
    const int axis = face - 3;
    // the block is on this side of the box
    const double sign = t_B[axis] < 0.0 ? 1.0 : -1.0;
    const Outline outline = clipped_face(pair.a, axis, sign, pair.b, pair.R.transpose(), -t_B);
    for (int i = 0; i < outline.count; ++i) {
      Vector3d p_B = outline.p[static_cast<std::size_t>(i)];
      const double distance = sign * p_B[axis] - pair.a[axis];
      p_B[axis] = sign * pair.a[axis];
      pair.touch(pair.t + pair.R * p_B, -sign * pair.R.col(axis), distance, i);
    }
  }
  // what is nearest lies outside of the face
  double nearest_gap = std::numeric_limits<double>::infinity();
  for (int i = 0; i < out.count; ++i)
    nearest_gap = std::min(nearest_gap, out.points[static_cast<std::size_t>(i)].gap);
  if (face_distance > 0.0 && nearest_gap > face_distance - pair.r + kEdgeBias) {
    out.count = 0;
    rounded_near_edges(pair);
  }
}

}  // namespace

void find_gaps(const RigidModel& model, const RigidSurface& surface, const Pose& X_WS,
               const Matrix3d& R_WB, const Vector3d& p_WB, GapPoints& out) {
  out.count = 0;
  const Vector3d p_SC = X_WS.R.transpose() * (p_WB + R_WB * model.box().p_BC - X_WS.p);
  if (!surface.size) {
    if (p_SC[2] > model.reach()) return;
    against_plane(model, X_WS, R_WB, p_WB, out);
    return;
  }
  const Vector3d half = 0.5 * *surface.size;
  const Vector3d outside = (p_SC.cwiseAbs() - half).cwiseMax(0.0);
  if (outside.squaredNorm() > model.reach() * model.reach()) return;
  against_block(model, half, X_WS, R_WB, p_WB, out);
}

}  // namespace handspan
