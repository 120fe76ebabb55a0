#include "control/problem.hpp"

#include <algorithm>
#include <cmath>

#include "control/joint_rows.hpp"
#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

constexpr double kForceScale = 10.0;  // [N, N m] that count as much as 1 rad/s^2 when regularised
// a typical size of unknowns that no joint limit scales: forces, and accelerations of a free base
constexpr double kUnknownScale = 10.0;
// of the largest entry of H in its unknowns' scales: less on its diagonal and the solver takes H
// for singular. The regularisation alone falls below it beside tasks of weight 1e5 and more.
constexpr double kLeastDiagonal = 1e-12;
// The part of the requested accelerations that did not happen is smoothed, since measured speeds
// are noisy: it grows over the first time constant and, once the contact is gone, falls over the
// second one, sooner than the arm can run away [s]
constexpr double kGrowsOver = 0.02, kFallsOver = 0.004;

std::vector<std::unique_ptr<Constraint>> with_dynamics(
    const ControlSystem& system, std::vector<std::unique_ptr<Constraint>> constraints) {
  auto dynamics = std::make_unique<Dynamics>(system);
  if (!dynamics->rows().empty()) constraints.insert(constraints.begin(), std::move(dynamics));
  return constraints;
}

// How many unknowns stand together whatever couples them: of each mechanism, of each loop closure,
// and the multipliers of each mechanism.
std::vector<int> parts_of(const ControlSystem& system) {
  std::vector<int> parts;
  for (const Mechanism& m : system.mechanisms()) parts.push_back(m.model->nv());
  for (std::size_t j = 0; j < system.loop_closures().size(); ++j) parts.push_back(6);
  for (const Mechanism& m : system.mechanisms()) parts.push_back(m.model->constraint_rows());
  return parts;
}

int level_of(const ProblemConfig& config, ConstraintKind kind) {
  if (kind == ConstraintKind::kDynamics) return 0;
  const auto found = std::ranges::find(config.priority, kind);
  return std::min(static_cast<int>(found - config.priority.begin()), kQpLevels - 1);
}

}  // namespace

ControlProblem::ControlProblem(const ControlSystem& system, const ProblemConfig& config,
                               std::vector<std::unique_ptr<Task>> tasks,
                               std::vector<std::unique_ptr<Constraint>> constraints)
    : system_(system),
      config_(config),
      tasks_(std::move(tasks)),
      constraints_(with_dynamics(system, std::move(constraints))),
      qp_(0, 0) {
  const int n = system.unknowns();
  // bounds first: viable boxes of actuated joints; of others none
  rows_.assign(static_cast<std::size_t>(n), {"unknown", 0, kUnknownScale});
  kinds_.assign(static_cast<std::size_t>(n), ConstraintKind::kDynamics);
  viability_.resize(system.mechanisms().size());
  for (std::size_t m = 0; m < system.mechanisms().size(); ++m) {
    const Mechanism& mechanism = system.mechanisms()[m];
    for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
      viability_[m].emplace_back(mechanism.limits[j]);
      const auto i = static_cast<std::size_t>(mechanism.offset + mechanism.actuated[j]);
      kinds_[i] = ConstraintKind::kJointBox;
      rows_[i] = {"joint limit " + mechanism.joint_names[j], level_of(config, kinds_[i]),
                  mechanism.limits[j].acceleration};
    }
    for (const int v : mechanism.held)
      rows_[static_cast<std::size_t>(mechanism.offset + v)].name =
          "held joint of " + mechanism.name;
  }
  int m = 0;
  for (const auto& constraint : constraints_) {
    first_row_.push_back(m);
    for (auto& row : constraint->rows()) {
      kinds_.push_back(row.kind);
      rows_.push_back({std::move(row.name), level_of(config, row.kind), row.scale});
      ++m;
    }
  }
  qp_ = Qp(n, m);
  solver_.emplace(n, m, rows_, parts_of(system));
  conflicts_ = std::make_unique<ConflictReporter>(n, m, rows_);
  none_.x = Eigen::VectorXd::Zero(n);
  none_.violation = Eigen::VectorXd::Zero(n + m);
  solution_ = &none_;
  motion_row_ = Eigen::RowVectorXd::Zero(n);
  for (const Mechanism& mechanism : system.mechanisms())
    asked_joints_.push_back({Eigen::VectorXd::Zero(mechanism.model->nv()), 0.0});
  for (const Mechanism& mechanism : system.mechanisms()) {
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(mechanism.model->nv());
    came_.push_back({none, none});
  }
}

void ControlProblem::start(ControlState& state) {
  update_state(system_, state);
  for (const auto& task : tasks_) task->hold(system_, state);
  for (Came& came : came_) came.known = false;
  solver_->reset();
}

Task& ControlProblem::task(std::string_view name) {
  return *tasks_[find_named("", "task", name, tasks_,
                            [](const auto& task) -> const std::string& { return task->name(); })];
}

void ControlProblem::add_tasks(ControlState& state) {
  for (const auto& task : tasks_) {
    task->update(system_, state);
    const auto& blocks = task->blocks();
    // row by row, past the zeros of which selections of joints are made: a matrix product of this
    // size costs more to begin than to do
    for (Eigen::Index r = 0; r < task->rows(); ++r)
      for (const auto& block : blocks)
        for (Eigen::Index c = 0; c < block.A.cols(); ++c) {
          const double weighted = task->weights()[r] * block.A(r, c);
          if (weighted == 0.0) continue;
          const Eigen::Index i = block.offset + c;
          qp_.f[i] -= weighted * task->b()[r];
          for (const auto& other : blocks)
            qp_.H.row(i).segment(other.offset, other.A.cols()) += weighted * other.A.row(r);
        }
  }
}

void ControlProblem::regularise(ControlState& state) {
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const int offset = system_.mechanisms()[m].offset;
    const MechanismState& s = state.mechanisms[m];
    double demand = 0.0;
    for (const auto& task : tasks_)
      for (const auto& block : task->blocks())
        if (block.offset == offset) demand += task->demand();
    const double by_error = config_.error_damping * demand;
    const double weight = config_.regularisation + by_error;
    const double damping = config_.regularisation * config_.regularisation_damping +
                           by_error * config_.error_damping_rate;
    const AskedJoints& asked = asked_joints_[m];
    for (Eigen::Index v = 0; v < s.v.size(); ++v) {
      qp_.H(offset + v, offset + v) += weight + asked.weight;
      qp_.f[offset + v] += damping * s.v[v] - asked.weight * asked.qdd[v];
    }
  }
  // forces of loop closures and multipliers stand behind all accelerations
  const Mechanism& last = system_.mechanisms().back();
  for (int i = last.offset + last.model->nv(); i < system_.unknowns(); ++i)
    qp_.H(i, i) += config_.regularisation / (kForceScale * kForceScale);
  const auto squared_scale = [&](int i) {
    const double scale = rows_[static_cast<std::size_t>(i)].scale;
    return scale * scale;
  };
  double largest = 0.0;
  for (int i = 0; i < system_.unknowns(); ++i)
    largest = std::max(largest, qp_.H(i, i) * squared_scale(i));
  for (int i = 0; i < system_.unknowns(); ++i)
    qp_.H(i, i) += kLeastDiagonal * largest / squared_scale(i);
}

// How much of the acceleration that an arm was asked for a contact kept from happening. That part
// is a force, not a motion, so acceleration limits should not count it: else the joints of an arm
// that is pushed reach their limits one by one, and the tool goes another way than it is pushed.
// Where the reference itself went into the contact it is counted, so that the arm presses gently.
void ControlProblem::look_at_what_came(ControlState& state) {
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const MechanismState& s = state.mechanisms[m];
    Came& came = came_[m];
    if (!s.measured || !s.due || !s.v.allFinite()) continue;
    if (!came.known) {
      came.known = true;
      came.v_before = s.v;
      came.missing.setZero();
      continue;
    }
    const Mechanism& mechanism = system_.mechanisms()[m];
    for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
      const int v = mechanism.actuated[j];
      const double asked = s.qdd[v];
      if (!std::isfinite(asked)) continue;
      // an impact takes more than was asked for: that is nothing to ask for
      const double came_about = (s.v[v] - came.v_before[v]) / s.dt;
      const double now = std::clamp(asked - came_about, std::min(0.0, asked), std::max(0.0, asked));
      double& missing = came.missing[v];
      const double over =
          now * missing >= 0.0 && std::abs(now) > std::abs(missing) ? kGrowsOver : kFallsOver;
      // no more than the joint's torque could make of it
      const double most = mechanism.limits[j].torque / s.M(v, v);
      missing = std::clamp(missing + s.dt / (over + s.dt) * (now - missing), -most, most);
    }
    came.v_before = s.v;
    double led = 0.0;
    for (const auto& task : tasks_)
      for (const auto& block : task->blocks())
        if (block.offset == system_.mechanisms()[m].offset) led = std::max(led, task->led());
    came.pushed = 1.0 - led;
  }
}

void ControlProblem::add_joint_boxes(ControlState& state) {
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const Mechanism& mechanism = system_.mechanisms()[m];
    const MechanismState& s = state.mechanisms[m];
    for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
      const int v = mechanism.actuated[j], i = mechanism.offset + v;
      if (!s.due) {
        qp_.lower[i] = qp_.upper[i] = s.qdd[v];
        continue;
      }
      const int q = mechanism.actuated_q[j];
      const JointViability& viability = viability_[m][j];
      const double missing = came_[m].pushed * came_[m].missing[v];
      const AccelerationBox next = viability.box(s.q[q], s.v[v], s.dt, missing);
      if (next.empty) ++counts_.empty_boxes;
      if (next.outside) ++counts_.outside_boxes;
      // the box over the horizon is what jerk and torque rate can follow; where a velocity curve
      // bends, a state inside at its end may be outside before
      const AccelerationBox ahead =
          viability.box(s.q[q], s.v[v], s.horizons[static_cast<Eigen::Index>(j)], missing);
      qp_.lower[i] = std::min(std::max(next.lower, ahead.lower), next.upper);
      qp_.upper[i] = std::max(std::min(next.upper, ahead.upper), qp_.lower[i]);
    }
    for (const int v : mechanism.held)
      qp_.lower[mechanism.offset + v] = qp_.upper[mechanism.offset + v] = 0.0;
  }
}

void ControlProblem::solve(ControlState& state) {
  update_state(system_, state);
  qp_.H.setZero();
  qp_.f.setZero();
  qp_.lower.setConstant(-kNoBound);
  qp_.upper.setConstant(kNoBound);
  add_tasks(state);
  regularise(state);
  look_at_what_came(state);
  add_joint_boxes(state);
  const int n = qp_.unknowns();
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    const int first = first_row_[c];
    const int rows = (c + 1 < constraints_.size() ? first_row_[c + 1] : qp_.rows()) - first;
    constraints_[c]->update(system_, state,
                            {qp_.A.middleRows(first, rows), qp_.lower.segment(n + first, rows),
                             qp_.upper.segment(n + first, rows)});
  }
  solution_ = &solver_->solve(qp_);
  ++counts_.ticks;
  if (solution_->status == QpStatus::kFailed)
    brake(state);
  else
    for (std::size_t m = 0; m < state.mechanisms.size(); ++m)
      state.mechanisms[m].qdd =
          solution_->x.segment(system_.mechanisms()[m].offset, state.mechanisms[m].qdd.size());
  count();
  find_obstructed(state);
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const Mechanism& mechanism = system_.mechanisms()[m];
    MechanismState& s = state.mechanisms[m];
    if (!s.due) continue;
    for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
      const int v = mechanism.actuated[j];
      const auto k = static_cast<Eigen::Index>(j);
      if (solution_->status == QpStatus::kFailed) {
        const double tau = s.M.row(v).dot(s.qdd) + s.h[v];
        // of a state that is not a number: the torque of the tick before
        if (std::isfinite(tau))
          s.tau[k] = std::clamp(tau, -mechanism.limits[j].torque, mechanism.limits[j].torque);
        continue;
      }
      motion_row_.setZero();
      equation_of_motion_row(system_, state, static_cast<int>(m), v, motion_row_);
      s.tau[k] = motion_row_.dot(solution_->x) + s.h[v];
    }
    s.tau_before = s.tau + s.extra_torque;
  }
}

void ControlProblem::brake(ControlState& state) {
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const Mechanism& mechanism = system_.mechanisms()[m];
    MechanismState& s = state.mechanisms[m];
    if (!s.due) continue;
    s.qdd.setZero();
    for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
      const int v = mechanism.actuated[j], i = mechanism.offset + v;
      const double braking = mechanism.limits[j].braking;
      const double stop =
          std::isfinite(s.v[v]) ? std::clamp(-s.v[v] / s.dt, -braking, braking) : 0.0;
      const int q = mechanism.actuated_q[j];
      // the box of a position that is not a number says nothing
      const bool known = std::isfinite(s.q[q]) && qp_.lower[i] <= qp_.upper[i];
      s.qdd[v] = known ? std::clamp(stop, qp_.lower[i], qp_.upper[i]) : stop;
    }
  }
}

void ControlProblem::ask_joints(int mechanism, const Eigen::VectorXd& qdd, double weight) {
  AskedJoints& asked = asked_joints_[static_cast<std::size_t>(mechanism)];
  asked.qdd = qdd;
  asked.weight = weight;
}

void ControlProblem::state(StateArchive& archive) {
  archive.part("control problem");
  archive(counts_, *solver_);
  for (AskedJoints& asked : asked_joints_) archive(asked.qdd, asked.weight);
  for (Came& came : came_) archive(came.v_before, came.missing, came.pushed, came.known);
  if (archive.loading() && counts_.ticks > 0) solution_ = &solver_->solution();
  for (auto& task : tasks_) task->state(archive);
  for (auto& constraint : constraints_) constraint->state(archive);
}

void ControlProblem::count() {
  if (solution_->status == QpStatus::kSolved) return;
  conflicts_->offer(qp_, static_cast<std::int64_t>(counts_.ticks) - 1);
  if (solution_->status == QpStatus::kFailed) {
    ++counts_.failed;
    return;
  }
  std::array<bool, kConstraintKinds> gave_way{};
  for (Eigen::Index i = 0; i < solution_->violation.size(); ++i)
    if (solution_->violation[i] != 0.0 && !limit_holds(static_cast<int>(i)))
      gave_way[static_cast<std::size_t>(kinds_[static_cast<std::size_t>(i)])] = true;
  bool beyond_jerk = false;
  for (std::size_t k = 0; k < gave_way.size(); ++k) {
    if (!gave_way[k]) continue;
    ++counts_.by_kind[k];
    beyond_jerk = beyond_jerk || k != static_cast<std::size_t>(ConstraintKind::kJerk);
  }
  if (beyond_jerk) ++counts_.relaxed;
}

void ControlProblem::find_obstructed(ControlState& state) const {
  for (auto& s : state.mechanisms) s.obstructed = false;
  const int n = qp_.unknowns();
  for (int row = 0; row < qp_.rows(); ++row) {
    // most pairs have no bound now
    if (kind(n + row) != ConstraintKind::kCollision || qp_.lower[n + row] == -kNoBound ||
        !solver_->active(n + row))
      continue;
    for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
      MechanismState& s = state.mechanisms[m];
      const auto part = qp_.A.row(row).segment(system_.mechanisms()[m].offset, s.v.size());
      if (!part.isZero(0.0)) s.obstructed = true;
    }
  }
}

// whether what row i stands for holds although it gave way
bool ControlProblem::limit_holds(int i) const {
  const int row = i - qp_.unknowns();
  if (row < 0) return false;
  // the last constraint that begins there or before: those without rows begin where the next does
  std::size_t c = constraints_.size() - 1;
  while (first_row_[c] > row) --c;
  return constraints_[c]->limit_holds(row - first_row_[c], solution_->x);
}

void ControlProblem::declare(ChannelTable& channels, Rate rate) {
  for (const auto& task : tasks_) task->declare(channels, rate);
  for (const auto& constraint : constraints_) constraint->declare(channels, rate);
  status_channel_ = channels.integer("qp.status", "", rate, "0 solved, 1 relaxed, 2 failed");
  relaxed_channel_ =
      channels.integer("qp.relaxed", "", rate, "rows that give way now, jerk's included");
  iterations_channel_ = channels.integer("qp.iterations", "", rate, "of the solver");
}

void ControlProblem::publish(ChannelTable& channels, Nanoseconds stamp) const {
  for (const auto& task : tasks_) task->publish(channels, stamp);
  for (const auto& constraint : constraints_) constraint->publish(channels, stamp);
  int relaxed = 0;
  for (const int rows : solution_->relaxed) relaxed += rows;
  channels.write(status_channel_, static_cast<std::int64_t>(solution_->status), stamp);
  channels.write(relaxed_channel_, static_cast<std::int64_t>(relaxed), stamp);
  channels.write(iterations_channel_, static_cast<std::int64_t>(solution_->iterations), stamp);
}

}  // namespace handspan
