#include "reference/pose_filter.hpp"

#include <algorithm>
#include <cmath>

#include "math/so3.hpp"

namespace handspan {

void PoseFilter::start(const Pose& X_WO, Nanoseconds stamp) {
  X_WO_ = X_WO;
  V_WO_.setZero();
  stamp_ = stamp;
}

Pose PoseFilter::at(Nanoseconds time) const {
  const double t = seconds(std::max<Nanoseconds>(0, time - stamp_));
  return {exp_so3(t * V_WO_.tail<3>()) * X_WO_.R, X_WO_.p + t * V_WO_.head<3>()};
}

bool PoseFilter::see(const Pose& X_WO, Nanoseconds stamp) {
  if (stamp <= stamp_) return true;
  const double T = seconds(stamp - stamp_);
  const Pose expected = at(stamp);
  Vector6d e;
  e << X_WO.p - expected.p, log_so3(X_WO.R * expected.R.transpose());
  if (e.head<3>().norm() > kLeap * T || e.tail<3>().norm() > kLeapAngle * T) {
    start(X_WO, stamp);
    return false;
  }
  const double theta = smoothing_ > 0.0 ? std::exp(-T / smoothing_) : 0.0;
  e *= 1.0 - theta * theta;
  X_WO_ = {exp_so3(e.tail<3>()) * expected.R, expected.p + e.head<3>()};
  V_WO_ += (1.0 - theta) / (1.0 + theta) / T * e;
  stamp_ = stamp;
  return true;
}

}  // namespace handspan
