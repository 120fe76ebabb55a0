#include "plan/smooth_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <toppra/algorithm/toppra.hpp>
#include <toppra/constraint/linear_joint_acceleration.hpp>
#include <toppra/constraint/linear_joint_velocity.hpp>
#include <toppra/geometric_path/piecewise_poly_path.hpp>
#include <toppra/solver/seidel.hpp>

#include "core/error.hpp"

namespace handspan {
namespace {

// [s] at the velocity limits: a shorter way between two waypoints has no timing, and a longer one
// in all is a wrong number
constexpr double kShortest = 1e-6;
constexpr double kLongest = 7200.0;
// of the velocity limits, by the path coordinate
constexpr double kNoRate = 1e-12;

void check_limits(const char* name, const Coordinates& limits, Eigen::Index size) {
  if (limits.size() != size)
    throw InputError(fmt::format("smooth path: {} has {} numbers; give {}, as many as a waypoint",
                                 name, limits.size(), size));
  for (int i = 0; i < size; ++i)
    if (!std::isfinite(limits[i]) || !(limits[i] > 0.0))
      throw InputError(
          fmt::format("smooth path: {}[{}] is {}; it must be finite and > 0", name, i, limits[i]));
}

void check(const SmoothPathConfig& config) {
  const auto& waypoints = config.waypoints;
  if (waypoints.size() < 2)
    throw InputError(
        fmt::format("smooth path: waypoints has {}; give at least two", waypoints.size()));
  const auto size = waypoints[0].size();
  if (size < 1) throw InputError("smooth path: waypoints[0] is empty; give 1 to 16 numbers");
  for (std::size_t k = 0; k < waypoints.size(); ++k) {
    if (waypoints[k].size() != size)
      throw InputError(
          fmt::format("smooth path: waypoints[{}] has {} numbers; give {}, as the first", k,
                      waypoints[k].size(), size));
    if (!waypoints[k].allFinite())
      throw InputError(fmt::format(
          "smooth path: waypoints[{}] has a number that is not finite; give finite numbers", k));
  }
  check_limits("velocity", config.velocity, size);
  check_limits("acceleration", config.acceleration, size);
  for (std::size_t k = 1; k < waypoints.size(); ++k)
    if (waypoints[k] == waypoints[k - 1])
      throw InputError(
          fmt::format("smooth path: waypoints[{}] is the one before it again; leave it out", k));
  // the most that leaves grid points apart: of the shortest way after the longest
  if (config.grid < 4 || config.grid > 100000)
    throw InputError(fmt::format("smooth path: grid is {}; it must be 4 to 100000", config.grid));
}

}  // namespace

SmoothPath::SmoothPath(const SmoothPathConfig& config) : config_(config) {
  check(config_);
  fit();
  find_rates();
  // at every time velocities go with the rate and accelerations with its square
  const double slower = 1.0 / std::max(1.0, worst_ratio());
  for (double& rate : rate_) rate *= slower;
  find_times();
}

// the natural spline: second derivatives by the tridiagonal system of continuous first ones
void SmoothPath::fit() {
  const auto& q = config_.waypoints;
  const int n = static_cast<int>(q.size());
  knot_.assign(n, 0.0);
  for (int k = 1; k < n; ++k) {
    const double way = (q[k] - q[k - 1]).cwiseQuotient(config_.velocity).norm();
    if (!(way >= kShortest))
      throw InputError(
          fmt::format("smooth path: waypoints[{}] is less than a microsecond from the one before "
                      "it at the velocity limits; leave it out",
                      k));
    knot_[k] = knot_[k - 1] + way;
    if (!(knot_[k] <= kLongest))
      throw InputError(
          fmt::format("smooth path: to waypoints[{}] it takes more than two hours at the velocity "
                      "limits; give waypoints nearer together or higher limits",
                      k));
  }
  bend_.assign(n, Coordinates::Zero(q[0].size()));
  std::vector<double> factor(n, 0.0);
  for (int k = 1; k + 1 < n; ++k) {
    const double before = knot_[k] - knot_[k - 1], after = knot_[k + 1] - knot_[k];
    const Coordinates turn = 6.0 * ((q[k + 1] - q[k]) / after - (q[k] - q[k - 1]) / before);
    const double pivot = 2.0 * (before + after) - before * factor[k - 1];
    factor[k] = after / pivot;
    bend_[k] = (turn - before * bend_[k - 1]) / pivot;
  }
  for (int k = n - 2; k > 0; --k) bend_[k] -= factor[k] * bend_[k + 1];
}

SmoothPath::Derivatives SmoothPath::spline(int piece, double s) const {
  const double length = knot_[piece + 1] - knot_[piece];
  const double right = (s - knot_[piece]) / length, left = 1.0 - right;
  const Coordinates &q0 = config_.waypoints[piece], &q1 = config_.waypoints[piece + 1];
  const Coordinates &m0 = bend_[piece], &m1 = bend_[piece + 1];
  const double sixth = length * length / 6.0;
  return {left * q0 + right * q1 +
              sixth * ((left * left - 1.0) * left * m0 + (right * right - 1.0) * right * m1),
          (q1 - q0) / length +
              length / 6.0 * ((1.0 - 3.0 * left * left) * m0 + (3.0 * right * right - 1.0) * m1),
          left * m0 + right * m1};
}

// the greatest rate of the path coordinate at each grid point
void SmoothPath::find_rates() {
  const int pieces = static_cast<int>(knot_.size()) - 1, grid = config_.grid;
  const auto size = config_.velocity.size();
  toppra::Matrices coefficients;
  for (int k = 0; k < pieces; ++k) {
    const double length = knot_[k + 1] - knot_[k];
    const Derivatives start = spline(k, knot_[k]);
    toppra::Matrix polynomial(4, size);  // highest power first
    polynomial.row(0) = ((bend_[k + 1] - bend_[k]) / (6.0 * length)).transpose();
    polynomial.row(1) = (0.5 * start.second).transpose();
    polynomial.row(2) = start.first.transpose();
    // where the path turns back, rounding for a derivative of 0 would bound the rate's change
    for (int i = 0; i < size; ++i)
      if (std::abs(start.first[i]) < kNoRate * config_.velocity[i]) polynomial(2, i) = 0.0;
    polynomial.row(3) = start.q.transpose();
    coefficients.push_back(polynomial);
  }
  const int points = pieces * grid + 1;
  s_.resize(points);
  for (int i = 0; i < points; ++i) {
    const int k = std::min(i / grid, pieces - 1);
    s_[i] = knot_[k] + (knot_[k + 1] - knot_[k]) * (i - k * grid) / grid;
  }
  s_.back() = knot_.back();

  const toppra::Vector velocity = config_.velocity, acceleration = config_.acceleration;
  const toppra::LinearConstraintPtrs constraints{
      std::make_shared<toppra::constraint::LinearJointVelocity>(-velocity, velocity),
      std::make_shared<toppra::constraint::LinearJointAcceleration>(-acceleration, acceleration)};
  toppra::algorithm::TOPPRA timing(
      constraints, std::make_shared<toppra::PiecewisePolyPath>(coefficients, knot_));
  timing.setGridpoints(Eigen::Map<const toppra::Vector>(s_.data(), points));
  timing.solver(std::make_shared<toppra::solver::Seidel>());
  const auto code = timing.computePathParametrization(0.0, 0.0);
  const toppra::Vector& square = timing.getParameterizationData().parametrization;
  if (code != toppra::ReturnCode::OK || square.size() != points || !square.allFinite())
    throw InputError(fmt::format(
        "smooth path: TOPP-RA finds no timing (code {}); give waypoints farther apart, fewer of "
        "them, or another grid",
        static_cast<int>(code)));
  rate_.resize(points);
  for (int i = 0; i < points; ++i) rate_[i] = std::sqrt(std::max(0.0, square[i]));
  rate_.front() = rate_.back() = 0.0;
  for (int i = 1; i < points; ++i)
    if (!(rate_[i] + rate_[i - 1] > 0.0))
      throw InputError(fmt::format(
          "smooth path: TOPP-RA stops between waypoints {} and {}; give waypoints farther apart, "
          "fewer of them, or a finer grid",
          (i - 1) / grid, (i - 1) / grid + 1));
}

// of the limits, also between the grid points: as a factor of time
double SmoothPath::worst_ratio() const {
  double worst = 0.0;
  for (std::size_t i = 0; i + 1 < s_.size(); ++i) {
    const double x0 = rate_[i] * rate_[i], x1 = rate_[i + 1] * rate_[i + 1];
    const double rate_2 = 0.5 * (x1 - x0) / (s_[i + 1] - s_[i]);
    constexpr int kSamples = 8;
    for (int k = 0; k <= kSamples; ++k) {
      const double share = static_cast<double>(k) / kSamples;
      const double x = x0 + share * (x1 - x0);
      const Derivatives d =
          spline(static_cast<int>(i) / config_.grid, s_[i] + share * (s_[i + 1] - s_[i]));
      const double v = std::sqrt(x) * d.first.cwiseQuotient(config_.velocity).cwiseAbs().maxCoeff();
      const double a = (rate_2 * d.first + x * d.second)
                           .cwiseQuotient(config_.acceleration)
                           .cwiseAbs()
                           .maxCoeff();
      worst = std::max({worst, v, std::sqrt(a)});
    }
  }
  return worst;
}

void SmoothPath::find_times() {
  time_.assign(s_.size(), 0.0);
  // between grid points the path coordinate accelerates evenly
  for (std::size_t i = 1; i < s_.size(); ++i)
    time_[i] = time_[i - 1] + 2.0 * (s_[i] - s_[i - 1]) / (rate_[i] + rate_[i - 1]);
}

MotionState SmoothPath::at(double t) const {
  const auto rest = [](const Coordinates& q) {
    return MotionState{q, Coordinates::Zero(q.size()), Coordinates::Zero(q.size())};
  };
  if (!(t > 0.0)) return rest(config_.waypoints.front());
  if (t >= time_.back()) return rest(config_.waypoints.back());
  const auto next = std::upper_bound(time_.begin(), time_.end(), t);
  const int i = static_cast<int>(next - time_.begin()) - 1;
  const double dt = t - time_[i];
  const double rate_2 =
      0.5 * (rate_[i + 1] * rate_[i + 1] - rate_[i] * rate_[i]) / (s_[i + 1] - s_[i]);
  const double rate = rate_[i] + rate_2 * dt;
  const double s = std::min(s_[i] + dt * (rate_[i] + 0.5 * rate_2 * dt), s_[i + 1]);
  const Derivatives d = spline(i / config_.grid, s);
  return {d.q, rate * d.first, rate_2 * d.first + rate * rate * d.second};
}

int SmoothPath::waypoint(double t) const {
  const auto next = std::upper_bound(time_.begin(), time_.end(), t);
  const int i = std::max(0, static_cast<int>(next - time_.begin()) - 1);
  return std::min(i / config_.grid + 1, static_cast<int>(knot_.size()) - 1);
}

}  // namespace handspan
