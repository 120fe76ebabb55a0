#include "skills/toss/toss_aim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unsupported/Eigen/NonLinearOptimization>
#include <utility>

#include "core/error.hpp"
#include "core/random.hpp"
#include "math/minimum_jerk.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace {

constexpr double kLongestForecast = 2.0;  // of a forecast [s]

// units of what is wanted
constexpr double kOff = 0.05;                        // [m]
constexpr double kSlip = 0.5;                        // [m/s]
constexpr double kFall = 1.0;                        // [m/s]
constexpr double kClear = 0.02, kClearUnit = 0.005;  // above the walls [m]
constexpr double kTilt = 0.15;                       // [rad]
constexpr double kSpin = 3.0;                        // [rad/s]

HeldSwing::Sample sample_at(const HeldSwing& trial, double time) {
  const auto& all = trial.samples;
  if (all.size() < 2 || !(time >= all.front().time && time <= all.back().time))
    throw InputError(fmt::format(
        "the box would be let go at {:.3f} s, and the trial has it held from {:.3f} s to {:.3f} s",
        time, all.empty() ? 0.0 : all.front().time, all.empty() ? 0.0 : all.back().time));
  const auto next = std::ranges::upper_bound(all, time, {}, &HeldSwing::Sample::time);
  const auto& b = next == all.end() ? all.back() : *next;
  const auto& a = next == all.end() ? *(all.end() - 2) : *(next - 1);
  const double s = (time - a.time) / (b.time - a.time);
  const auto between = [&](const Pose& X, const Pose& Y) {
    return Pose{exp_so3(s * log_so3(Y.R * X.R.transpose())) * X.R, X.p + s * (Y.p - X.p)};
  };
  HeldSwing::Sample out;
  out.time = time;
  out.box.X_WB = between(a.box.X_WB, b.box.X_WB);
  out.box.V_WB = a.box.V_WB + s * (b.box.V_WB - a.box.V_WB);
  out.p_WE = a.p_WE + s * (b.p_WE - a.p_WE);
  out.X_WT = between(a.X_WT, b.X_WT);
  return out;
}

RigidModel endless_floor(const TossTask& task, const TossForecast& release) {
  RigidSurface floor = plane_surface("floor", release.X_WT, task.floor);
  floor.velocity_W = release.v_WT;
  return RigidModel(task.box, {floor});
}

void fly(const RigidModel& model, TossForecast& out) {
  RigidData data(model);
  TossOptions options;
  options.longest = kLongestForecast;
  out.toss = toss(model, data, out.release, options);
  const Pose X_WT{out.X_WT.R, out.X_WT.p + out.toss.time * out.v_WT};
  out.off_T = X_WT.R.transpose() * (out.toss.end.X_WB.p - X_WT.p);
}

// The plan as numbers that are 0 for the trial's, in units of the freedom, and back.
struct Numbers {
  TossPlan from;
  TossFreedom freedom;
  std::vector<std::pair<double TossFreedom::*, std::function<double&(TossPlan&)>>> parts = {
      {&TossFreedom::scale, [](TossPlan& p) -> double& { return p.swing.scale; }},
      {&TossFreedom::speed, [](TossPlan& p) -> double& { return p.swing.speed; }},
      {&TossFreedom::turn, [](TossPlan& p) -> double& { return p.swing.turn; }},
      {&TossFreedom::release, [](TossPlan& p) -> double& { return p.swing.release; }},
      {&TossFreedom::lift, [](TossPlan& p) -> double& { return p.swing.lift; }},
      {&TossFreedom::target_later, [](TossPlan& p) -> double& { return p.target_later; }}};

  int size() const {
    int n = 0;
    for (const auto& [unit, of] : parts) n += freedom.*unit > 0.0 ? 1 : 0;
    for (int i = 0; i < 3; ++i) n += freedom.flick[i] > 0.0 ? 1 : 0;
    return n;
  }
  TossPlan plan(const Eigen::VectorXd& x) const {
    TossPlan out = from;
    int k = 0;
    for (const auto& [unit, of] : parts)
      if (freedom.*unit > 0.0) of(out) += freedom.*unit * x[k++];
    for (int i = 0; i < 3; ++i)
      if (freedom.flick[i] > 0.0) out.swing.flick[i] += freedom.flick[i] * x[k++];
    out.swing.scale = std::max(out.swing.scale, 0.1);
    out.swing.speed = std::max(out.swing.speed, 0.1);
    return out;
  }
  // how much it differs from the demonstration; the target may come whenever it likes
  Eigen::VectorXd effort(const TossPlan& plan) const {
    TossPlan now = plan, demonstrated;
    Eigen::VectorXd out(size());
    int k = 0;
    for (const auto& [unit, of] : parts)
      if (freedom.*unit > 0.0)
        out[k++] = unit == &TossFreedom::target_later
                       ? 0.0
                       : (of(now) - of(demonstrated)) / (freedom.*unit);
    for (int i = 0; i < 3; ++i)
      if (freedom.flick[i] > 0.0) out[k++] = now.swing.flick[i] / freedom.flick[i];
    return out;
  }
};

// of the box's lowest corner above the walls' tops when it is let go [m]
double clearance(const TossTask& task, const TossForecast& f) {
  const Pose X_TB = f.X_WT.inverse() * f.release.X_WB;
  const double lowest = X_TB.p.z() - 0.5 * X_TB.R.row(2).cwiseAbs().dot(task.box.size);
  double highest = 0.0;
  for (const RigidSurface& surface : task.surfaces)
    if (surface.size)
      highest = std::max(
          highest, surface.X_WS.p.z() + 0.5 * surface.X_WS.R.row(2).cwiseAbs().dot(*surface.size));
  return lowest - highest;
}

struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };
  static constexpr int kWanted = 11;

  const TossTask& task;
  const HeldSwing& trial;
  const Numbers& numbers;
  TossAimOptions options;

  int inputs() const { return numbers.size(); }
  int values() const { return kWanted + 2 * numbers.size(); }
  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& r) const {
    const TossPlan plan = numbers.plan(x);
    r.resize(values());
    try {
      const TossForecast f = forecast(task, trial, plan);
      const RigidState& met =
          std::isfinite(f.toss.first_impact) ? f.toss.before_impact : f.toss.end;
      const Eigen::Matrix3d R_TW = f.X_WT.R.transpose();
      const Eigen::Vector3d slip = R_TW * (met.V_WB.head<3>() - f.v_WT);
      r.head<2>() = (f.off_T.head<2>() - options.off_T) / kOff;
      r.segment<2>(2) = slip.head<2>() / kSlip;
      r.segment<2>(4) = (R_TW * met.X_WB.R.col(2)).head<2>() / kTilt;
      r.segment<3>(6) = met.V_WB.tail<3>() / kSpin;
      r[9] = slip.z() / kFall;
      r[10] = std::max(0.0, kClear - clearance(task, f)) / kClearUnit;
    } catch (const InputError&) {
      // of no use, and worse the farther it is off
      r.head<kWanted>().setConstant(10.0 + x.norm());
    }
    r.segment(kWanted, numbers.size()) = numbers.effort(plan);
    r.tail(numbers.size()) = options.near * x;
    return 0;
  }
};

}  // namespace

TossForecast at_release(const HeldSwing& trial, const TossPlan& plan) {
  const SwingChange &was = trial.plan.swing, &is = plan.swing;
  const double scale = is.scale / was.scale, speed = is.speed / was.speed;
  // the command of the demonstration, then that of the plan, in each its own time
  const double demonstrated = (trial.release - trial.delay - was.release) * was.speed;
  const double release = changed_release(is, demonstrated) + trial.delay;
  const HeldSwing::Sample seen = sample_at(trial, release * speed);
  const HeldSwing::Sample& first = trial.samples.front();
  const Eigen::Matrix3d turn = exp_so3({0.0, 0.0, is.turn - was.turn});
  const auto moved = [&](const Eigen::Vector3d& p, const Eigen::Vector3d& start) {
    return Eigen::Vector3d(start + scale * (turn * (p - start)));
  };
  const RigidState& box = seen.box;
  const Eigen::Matrix3d& R_start = first.box.X_WB.R;
  TossForecast out;
  out.release.X_WB.p = moved(box.X_WB.p, first.box.X_WB.p);
  out.release.X_WB.R = turn * box.X_WB.R * R_start.transpose() * turn.transpose() * R_start;
  out.release.V_WB.head<3>() = scale * speed * (turn * box.V_WB.head<3>());
  out.release.V_WB.tail<3>() = speed * (turn * box.V_WB.tail<3>());
  // half of the flick is done, and it is at its fastest
  const Eigen::Vector3d flick = is.flick - was.flick;
  const Eigen::Matrix3d half = exp_so3(0.5 * flick);
  const Eigen::Vector3d w = kMinimumJerkPeak / is.flick_time * flick;
  const Eigen::Vector3d lift(0.0, 0.0, is.lift - was.lift);
  out.release.X_WB.p += lift;
  const Eigen::Vector3d p_WE = moved(seen.p_WE, first.p_WE) + lift;
  const Eigen::Vector3d arm = half * (out.release.X_WB.p - p_WE);
  out.release.X_WB.p = p_WE + arm;
  out.release.X_WB.R = half * out.release.X_WB.R;
  out.release.V_WB.head<3>() += w.cross(arm);
  out.release.V_WB.tail<3>() += w;
  // the target goes its own way, at constant velocity about then
  const double leaves = release - (plan.target_later - trial.plan.target_later);
  constexpr double kStep = 0.02;  // [s]
  const double before = std::max(leaves - kStep, first.time);
  const Pose X_before = sample_at(trial, before).X_WT;
  out.X_WT = sample_at(trial, before + kStep).X_WT;
  out.v_WT = (out.X_WT.p - X_before.p) / kStep;
  out.X_WT.p += (leaves - before - kStep) * out.v_WT;
  return out;
}

TossForecast forecast(const TossTask& task, const HeldSwing& trial, const TossPlan& plan) {
  TossForecast out = at_release(trial, plan);
  fly(endless_floor(task, out), out);
  return out;
}

TossAim aim_toss(const TossTask& task, const HeldSwing& trial, const TossFreedom& freedom,
                 const TossAimOptions& options) {
  const Numbers numbers{trial.plan, freedom};
  // what is wrong with the trial itself is said, and not minimised
  (void)forecast(task, trial, trial.plan);
  // differences over a tenth of what counts: an impact is in whole steps, and not smooth below
  Eigen::NumericalDiff<Residuals, Eigen::Central> residuals(
      Residuals{task, trial, numbers, options}, 0.1 * 0.1);
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals, Eigen::Central>> search(residuals);
  search.parameters.ftol = search.parameters.xtol = 1e-4;
  search.parameters.maxfev = 400;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(numbers.size());
  if (numbers.size() > 0) search.minimize(x);
  TossAim out;
  out.plan = numbers.plan(x);
  out.forecast = forecast(task, trial, out.plan);
  Eigen::VectorXd r;
  residuals(x, r);
  out.cost = 0.5 * r.head(Residuals::kWanted + numbers.size()).squaredNorm();
  return out;
}

double forecast_success(const TossTask& task, const HeldSwing& trial, const TossPlan& plan,
                        const TossSpread& spread, int n, std::uint64_t seed) {
  RandomStream random(seed, "forecast");
  int good = 0;
  for (int i = 0; i < n; ++i) {
    TossPlan drawn = plan;
    drawn.swing.release += spread.release * random.normal();
    TossForecast f = at_release(trial, drawn);
    for (int k = 0; k < 3; ++k) f.release.X_WB.p[k] += spread.position[k] * random.normal();
    Eigen::Vector3d turn;
    for (int k = 0; k < 3; ++k) turn[k] = spread.turn[k] * random.normal();
    f.release.X_WB.R = exp_so3(turn) * f.release.X_WB.R;
    for (int k = 0; k < 3; ++k) f.release.V_WB[3 + k] += spread.spin[k] * random.normal();
    if (f.v_WT.norm() > 0.0) f.X_WT.p += spread.target * random.normal() * f.v_WT.normalized();
    const double bounce = spread.restitution * random.normal();
    std::vector<RigidSurface> surfaces = task.surfaces;
    for (RigidSurface& surface : surfaces) {
      surface.X_WS = f.X_WT * surface.X_WS;
      surface.velocity_W = f.v_WT;
      surface.law.restitution = std::clamp(surface.law.restitution + bounce, 0.0, 1.0);
    }
    const RigidModel model(task.box, std::move(surfaces));
    fly(model, f);
    const double up = f.X_WT.R.col(2).dot(f.toss.end.X_WB.R.col(2));
    good += f.toss.at_rest && up > std::cos(task.max_tilt) ? 1 : 0;
  }
  return static_cast<double>(good) / n;
}

}  // namespace handspan
