#include "reference/merge_poses.hpp"

namespace handspan {

void merge_poses(const FollowMoment& at, const PoseReference& now, PoseReference& wanted,
                 Axes& axes, Axes& jumps) {
  const Pose& X = now.X_WE;
  // in the axes in which authority is given, and back
  const auto chosen = [&](const Vector6d& x) {
    Vector6d turned = x;
    if (at.R_WA != nullptr)
      turned << at.R_WA->transpose() * x.head<3>(), at.R_WA->transpose() * x.tail<3>();
    return turned;
  };
  const auto in_W = [&](Vector6d& x) {
    if (at.R_WA == nullptr) return;
    const Vector6d turned = x;
    x << *at.R_WA * turned.head<3>(), *at.R_WA * turned.tail<3>();
  };
  Vector6d e = Vector6d::Zero(), V = Vector6d::Zero(), A = Vector6d::Zero(),
           share = Vector6d::Zero();
  jumps = kAllAxes;
  int active = 0;
  const Wanted* last = nullptr;
  for (const Wanted& one : at.wanted) {
    if (!one.active()) continue;
    const PoseReference& asked = one.motion->pose;
    Vector6d from;
    from << asked.X_WE.p - X.p, log_so3(asked.X_WE.R * X.R.transpose());
    from = chosen(from);
    const Vector6d V_asked = chosen(asked.V_WE), A_asked = chosen(asked.A_WE);
    for (int axis = 0; axis < 6; ++axis) {
      if (!one.axes[static_cast<std::size_t>(axis)]) continue;
      jumps[static_cast<std::size_t>(axis)] &= one.jump;
      share[axis] += one.share;
      e[axis] += one.share * from[axis];
      V[axis] += one.share * V_asked[axis];
      A[axis] += one.share * A_asked[axis];
    }
    ++active;
    last = &one;
  }
  bool complete = true;
  for (int axis = 0; axis < 6; ++axis) {
    axes[static_cast<std::size_t>(axis)] = share[axis] > 0.0;
    jumps[static_cast<std::size_t>(axis)] &= share[axis] > 0.0;
    complete = complete && share[axis] > 0.0;
    if (share[axis] == 0.0) continue;
    e[axis] /= share[axis];
    V[axis] /= share[axis];
    A[axis] /= share[axis];
  }
  // one that has all of it: exactly what it asks
  if (active == 1 && complete) {
    wanted = last->motion->pose;
    return;
  }
  for (Vector6d* x : {&e, &V, &A}) in_W(*x);
  wanted.X_WE = {exp_so3(e.tail<3>()) * X.R, X.p + e.head<3>()};
  wanted.V_WE = V;
  wanted.A_WE = A;
}

}  // namespace handspan
