#include "plan/pose_spline.hpp"

#include <array>

namespace handspan {
namespace {

// Of the window of one spacing about `t`: the means of p and of the turns from the pose at t, which
// is the mean on the sphere up to the third power of the turns in the window.
TimedPose mean_about(const PoseTrajectory& poses, double t, double spacing) {
  constexpr int kSamples = 8;
  const Eigen::Quaterniond q_middle(poses.at(t).X_WE.R);
  Eigen::Vector3d p = Eigen::Vector3d::Zero(), turn = Eigen::Vector3d::Zero();
  for (int k = 0; k < kSamples; ++k) {
    const Pose X = poses.at(t + ((k + 0.5) / kSamples - 0.5) * spacing).X_WE;
    p += X.p / kSamples;
    turn += log_quaternion(Eigen::Quaterniond(X.R) * q_middle.conjugate()) / kSamples;
  }
  return {t, p, (exp_quaternion(turn) * q_middle).normalized()};
}

}  // namespace

PoseSpline::PoseSpline(const PoseTrajectory& poses, double spacing)
    : start_(poses.start()), end_(poses.end()) {
  if (!(spacing > 0.0) || !std::isfinite(spacing))
    throw InputError(
        fmt::format("the spacing of a smooth curve is {:g} s; give more than 0 s", spacing));
  if (!(end_ > start_))
    throw InputError("a smooth curve is asked for of one pose; give two at least");
  const int n = std::max(1, static_cast<int>(std::ceil((end_ - start_) / spacing - 1e-9)));
  h_ = (end_ - start_) / n;
  const auto add = [&](const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
    const Eigen::Vector3d turn = controls_.empty()
                                     ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                     : log_quaternion(controls_.back().q.conjugate() * q);
    controls_.push_back({p, q, turn});
  };
  std::vector<TimedPose> knots = {poses.samples().front()};
  for (int i = 1; i < n; ++i) knots.push_back(mean_about(poses, start_ + i * h_, h_));
  knots.push_back(poses.samples().back());
  // beyond both ends as much as within: there the curve goes through the end, without acceleration
  const auto beyond = [](const TimedPose& end, const TimedPose& within) {
    return TimedPose{
        0.0, 2.0 * end.p - within.p,
        (end.q * exp_quaternion(-log_quaternion(end.q.conjugate() * within.q))).normalized()};
  };
  const TimedPose before = beyond(knots[0], knots[1]),
                  after = beyond(knots[knots.size() - 1], knots[knots.size() - 2]);
  add(before.p, before.q);
  for (const TimedPose& knot : knots) add(knot.p, knot.q);
  add(after.p, after.q);
}

PoseTrajectory::State PoseSpline::at(double t) const {
  PoseTrajectory::State state;
  state.over = t >= end_;
  const bool rests = t < start_ || state.over;
  const auto last = static_cast<double>(controls_.size() - 4);
  const double s = std::clamp((t - start_) / h_, 0.0, last + 1.0);
  const double piece = std::min(std::floor(s), last);
  const double u = s - piece, u2 = u * u, u3 = u2 * u;
  const Control* const c = &controls_[static_cast<std::size_t>(piece)];
  // how much of each step between control poses is made at u, and its rates by u
  const std::array<double, 3> b = {(5.0 + 3.0 * u - 3.0 * u2 + u3) / 6.0,
                                   (1.0 + 3.0 * u + 3.0 * u2 - 2.0 * u3) / 6.0, u3 / 6.0},
                              db = {(3.0 - 6.0 * u + 3.0 * u2) / 6.0,
                                    (3.0 + 6.0 * u - 6.0 * u2) / 6.0, 3.0 * u2 / 6.0},
                              ddb = {u - 1.0, 1.0 - 2.0 * u, u};
  Eigen::Vector3d p = c[0].p, v = Eigen::Vector3d::Zero(), a = v, w = v, dw = v;
  Eigen::Quaterniond q = c[0].q;
  // w and dw are of E and in its axes, as if the steps so far were all
  for (std::size_t j = 0; j < 3; ++j) {
    const Control &next = c[j + 1], &before = c[j];
    p += b[j] * (next.p - before.p);
    v += db[j] / h_ * (next.p - before.p);
    a += ddb[j] / (h_ * h_) * (next.p - before.p);
    const Eigen::Quaterniond step = exp_quaternion(b[j] * next.turn), back = step.conjugate();
    const Eigen::Vector3d rate = db[j] / h_ * next.turn;
    const Eigen::Vector3d turned = back * w;
    dw = back * dw + turned.cross(rate) + ddb[j] / (h_ * h_) * next.turn;
    w = turned + rate;
    q = q * step;
  }
  q.normalize();
  state.X_WE = Pose::from(p, q);
  if (rests) return state;
  state.V_WE << v, q * w;
  state.A_WE << a, q * dw;
  return state;
}

}  // namespace handspan
