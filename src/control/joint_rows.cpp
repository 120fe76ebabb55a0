#include "control/joint_rows.hpp"

#include <fmt/format.h>

namespace handspan {
namespace {

// calls f(mechanism, actuated joint, its limits) in the order of rows
template <class F>
void for_each_joint(const ControlSystem& system, F&& f) {
  for (std::size_t m = 0; m < system.mechanisms().size(); ++m)
    for (std::size_t j = 0; j < system.mechanisms()[m].actuated.size(); ++j)
      f(m, j, system.mechanisms()[m].limits[j]);
}

}  // namespace

TorqueLimits::TorqueLimits(const ControlSystem& system, bool with_rate) : with_rate_(with_rate) {
  for_each_joint(system, [&](std::size_t m, std::size_t j, const JointLimits& limits) {
    rows_.push_back({"torque limit " + system.mechanisms()[m].joint_names[j],
                     ConstraintKind::kTorque, limits.torque});
  });
}

std::vector<ConstraintRow> TorqueLimits::rows() const { return rows_; }

void TorqueLimits::update(const ControlSystem& system, ControlState& state, RowBlock rows) {
  Eigen::Index row = 0;
  for_each_joint(system, [&](std::size_t m, std::size_t j, const JointLimits& limits) {
    const MechanismState& s = state.mechanisms[m];
    const auto k = static_cast<Eigen::Index>(j);
    const int v = system.mechanisms()[m].actuated[j];
    equation_of_motion_row(system, state, static_cast<int>(m), v, rows.A.row(row));
    if (s.due) {
      double lower = -limits.torque, upper = limits.torque;
      if (with_rate_ && system.mechanisms()[m].torque_rate) {
        // from outside the limits the rate leads back, and the limit is not asked for at once
        const double step = limits.torque_rate * s.dt;
        lower = std::min(std::max(lower, s.tau_before[k] - step), s.tau_before[k] + step);
        upper = std::max(std::min(upper, s.tau_before[k] + step), s.tau_before[k] - step);
      }
      const double known = s.h[v] + s.extra_torque[k];
      rows.lower[row] = lower - known;
      rows.upper[row] = upper - known;
    }
    ++row;
  });
}

JerkLimits::JerkLimits(const ControlSystem& system) {
  for_each_joint(system, [&](std::size_t m, std::size_t j, const JointLimits& limits) {
    rows_.push_back({"jerk limit " + system.mechanisms()[m].joint_names[j], ConstraintKind::kJerk,
                     limits.acceleration});
  });
}

void JerkLimits::update(const ControlSystem& system, ControlState& state, RowBlock rows) {
  Eigen::Index row = 0;
  for_each_joint(system, [&](std::size_t m, std::size_t j, const JointLimits& limits) {
    const Mechanism& mechanism = system.mechanisms()[m];
    const MechanismState& s = state.mechanisms[m];
    const int v = mechanism.actuated[j];
    rows.A(row, mechanism.offset + v) = 1.0;
    if (s.due) {
      rows.lower[row] = s.qdd[v] - limits.jerk * s.dt;
      rows.upper[row] = s.qdd[v] + limits.jerk * s.dt;
    }
    ++row;
  });
}

Dynamics::Dynamics(const ControlSystem& system) {
  const auto add = [&](std::string name, double scale) {
    rows_.push_back({std::move(name), ConstraintKind::kDynamics, scale});
  };
  for (const auto& m : system.mechanisms())
    for (const int v : m.passive) add(fmt::format("equation of motion {}[{}]", m.name, v), 1.0);
  for (const auto& closure : system.loop_closures())
    for (const char* axis : {"x", "y", "z", "about x", "about y", "about z"})
      add(fmt::format("loop closure {} {}", closure.name, axis), 1.0);
  for (const auto& m : system.mechanisms())
    for (int row = 0; row < m.model->constraint_rows(); ++row)
      add(fmt::format("mimic or rolling row {} of {}", row, m.name), 1.0);
}

void Dynamics::update(const ControlSystem& system, ControlState& state, RowBlock rows) {
  Eigen::Index row = 0;
  const auto equal = [&](double value) {
    rows.lower[row] = rows.upper[row] = value;
    ++row;
  };
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m)
    for (const int v : system.mechanisms()[m].passive) {
      equation_of_motion_row(system, state, static_cast<int>(m), v, rows.A.row(row));
      equal(-state.mechanisms[m].h[v]);
    }
  for (std::size_t j = 0; j < state.loop_closures.size(); ++j) {
    const LoopClosure& closure = system.loop_closures()[j];
    const LoopClosureState& s = state.loop_closures[j];
    const auto offset = [&](int m) {
      return system.mechanisms()[static_cast<std::size_t>(m)].offset;
    };
    for (int axis = 0; axis < 6; ++axis) {
      auto A = rows.A.row(row);
      A.setZero();
      if (s.closed) {
        A.segment(offset(closure.a), s.J_a.cols()) -= s.J_a.row(axis);
        A.segment(offset(closure.b), s.J_b.cols()) += s.J_b.row(axis);
        equal(s.rate[axis]);
      } else {
        A[closure.offset + axis] = 1.0;
        equal(0.0);
      }
    }
  }
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
    const MechanismState& s = state.mechanisms[m];
    for (Eigen::Index c = 0; c < s.C.rows(); ++c) {
      rows.A.row(row).segment(system.mechanisms()[m].offset, s.C.cols()) = s.C.row(c);
      equal(s.c[c]);
    }
  }
}

void register_joint_rows(ConstraintRegistry& registry) {
  struct TorqueConfig {
    bool rate = true;
  };
  registry.add("torque_limits",
               object<TorqueConfig>("TorqueLimits", "torques of all actuated joints")
                   .optional("rate", &TorqueConfig::rate, boolean(),
                             "also the torque's rate, where the robot takes torques"),
               "torque and torque rate of all actuated joints",
               [](const TorqueConfig& config, const ConstraintContext& context) {
                 return std::make_unique<TorqueLimits>(context.system, config.rate);
               });
  struct Nothing {};
  registry.add("jerk_limits", object<Nothing>("JerkLimits"), "jerk of all actuated joints",
               [](const Nothing&, const ConstraintContext& context) {
                 return std::make_unique<JerkLimits>(context.system);
               });
}

}  // namespace handspan
