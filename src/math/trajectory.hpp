#pragma once
// What is known at some times, at all times between them: poses, joints, wrenches. Between two
// samples a vector goes along a straight line, and an orientation turns at a constant rate about
// one axis (Shoemake 1985, slerp). Velocities are constant there and jump at the samples;
// accelerations are zero but for these jumps. Before the first sample and from the last one on it
// is at rest there. W is the world, E the frame that moves.
#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "math/se3.hpp"

namespace handspan {

/// A pose X_WE at a time.
struct TimedPose {
  double time = 0.0;                                      // [s]
  Eigen::Vector3d p = Eigen::Vector3d::Zero();            // p_WE [m]
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  // of R_WE, unit
};

/// Joints [rad, m], a wrench [N, Nm] or commands at a time.
template <class Vector>
struct TimedVector {
  double time = 0.0;  // [s]
  Vector value;
};

namespace trajectory_detail {

/// @throws InputError: there are none, or one is not later than the one before
template <class Sample>
void check_times(const std::vector<Sample>& samples, std::string_view what) {
  if (samples.empty())
    throw InputError(fmt::format("a trajectory has no {}; give one at least", what));
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!std::isfinite(samples[i].time) || (i > 0 && !(samples[i].time > samples[i - 1].time)))
      throw InputError(fmt::format(
          "number {} of a trajectory's {} is at {:g} s{}; give each a later time than the one "
          "before",
          i + 1, what, samples[i].time,
          i > 0 ? fmt::format(", after one at {:g} s", samples[i - 1].time) : std::string()));
}

/// The two samples around a time and where it is between them: `s` from 0 at a to 1 at b, `span`
/// [s] from a to b. At rest both are the same sample and the span is 0.
template <class Sample>
struct Between {
  const Sample& a;
  const Sample& b;
  double s = 0.0, span = 0.0;
  bool over = false;  // from the last sample on
};

template <class Sample>
Between<Sample> between(const std::vector<Sample>& samples, double t) {
  const auto next = std::ranges::upper_bound(samples, t, {}, &Sample::time);
  if (next == samples.end()) return {samples.back(), samples.back(), 0.0, 0.0, true};
  if (next == samples.begin()) return {*next, *next};
  const Sample &a = *(next - 1), &b = *next;
  const double span = b.time - a.time;
  return {a, b, (t - a.time) / span, span};
}

}  // namespace trajectory_detail

/// Poses over time.
class PoseTrajectory {
 public:
  struct State {
    Pose X_WE;
    Vector6d V_WE = Vector6d::Zero();  // [m/s, rad/s], in W
    Vector6d A_WE = Vector6d::Zero();  // [m/s^2, rad/s^2], in W
    bool over = false;                 // from the last sample on
  };

  /// @throws InputError: no pose, one that is not later than the one before, is not finite, or
  /// whose quaternion is not unit within 1e-6
  explicit PoseTrajectory(std::vector<TimedPose> samples) : samples_(std::move(samples)) {
    trajectory_detail::check_times(samples_, "poses");
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (!samples_[i].p.allFinite() || !(std::abs(samples_[i].q.norm() - 1.0) <= 1e-6))
        throw InputError(fmt::format(
            "number {} of a trajectory's poses, at {:g} s, is not a valid pose; give a finite "
            "position and a unit quaternion",
            i + 1, samples_[i].time));
  }

  const std::vector<TimedPose>& samples() const { return samples_; }
  double start() const { return samples_.front().time; }  // [s]
  double end() const { return samples_.back().time; }     // [s]

  /// Where E is at a time [s] and how it moves. Allocates nothing.
  State at(double t) const {
    const auto [a, b, s, span, over] = trajectory_detail::between(samples_, t);
    State state;
    state.over = over;
    if (span == 0.0) {
      state.X_WE = Pose::from(b.p, b.q);
      return state;
    }
    const Eigen::Vector3d turn = log_quaternion(b.q * a.q.conjugate());
    state.X_WE = Pose::from(a.p + s * (b.p - a.p), exp_quaternion(s * turn) * a.q);
    state.V_WE << (b.p - a.p) / span, turn / span;
    return state;
  }

 private:
  std::vector<TimedPose> samples_;
};

/// Vectors of one size over time: joints, a wrench.
template <class Vector>
class VectorTrajectory {
 public:
  struct State {
    Vector x, v, a;     // the value and its rates by time [/s, /s^2]
    bool over = false;  // from the last sample on
  };

  /// @throws InputError: no vector, one that is not later than the one before, is not finite, or
  /// has another size
  explicit VectorTrajectory(std::vector<TimedVector<Vector>> samples)
      : samples_(std::move(samples)) {
    trajectory_detail::check_times(samples_, "vectors");
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (samples_[i].value.size() != size() || !samples_[i].value.allFinite())
        throw InputError(fmt::format(
            "number {} of a trajectory's vectors, at {:g} s, does not have {} finite numbers; "
            "give all of one size",
            i + 1, samples_[i].time, size()));
  }

  const std::vector<TimedVector<Vector>>& samples() const { return samples_; }
  Eigen::Index size() const { return samples_.front().value.size(); }
  double start() const { return samples_.front().time; }  // [s]
  double end() const { return samples_.back().time; }     // [s]

  /// The value at a time [s]. Allocates nothing when `into` has vectors of its size, as after a
  /// first call.
  void at(double t, State& into) const {
    const auto [a, b, s, span, over] = trajectory_detail::between(samples_, t);
    into.over = over;
    into.a.setZero(size());
    if (span == 0.0) {
      into.x = b.value;
      into.v.setZero(size());
      return;
    }
    into.x = a.value + s * (b.value - a.value);
    into.v = (b.value - a.value) / span;
  }

 private:
  std::vector<TimedVector<Vector>> samples_;
};

using JointTrajectory = VectorTrajectory<Eigen::VectorXd>;
using WrenchTrajectory = VectorTrajectory<Vector6d>;

}  // namespace handspan
