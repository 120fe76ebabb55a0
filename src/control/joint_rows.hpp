#pragma once
// Rows on single joints besides the viable box: torque and its rate, jerk; and the equations of
// motion that have no torque, with what holds frames and mimic joints together.
#include "control/constraint.hpp"

namespace handspan {

/// -tau_max <= M q'' + h - J^T F - C^T lambda + extra <= tau_max for every actuated joint, where
/// `extra` is what the low-level law adds, and within rate * dt of the torque before. The rate
/// gives way to the limit when both cannot hold.
class TorqueLimits : public Constraint {
 public:
  TorqueLimits(const ControlSystem& system, bool with_rate);
  std::vector<ConstraintRow> rows() const override;
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override;

 private:
  std::vector<ConstraintRow> rows_;
  bool with_rate_;
};

/// |q''_k - q''_(k-1)| <= jerk * dt for every actuated joint.
class JerkLimits : public Constraint {
 public:
  explicit JerkLimits(const ControlSystem& system);
  std::vector<ConstraintRow> rows() const override { return rows_; }
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override;

 private:
  std::vector<ConstraintRow> rows_;
};

/// Equalities that never give way: M q'' + h - J^T F - C^T lambda = 0 for passive coordinates (a
/// floating base, a held object), J_b q''_b = J_a q''_a + rate for closed joins (F = 0 for open
/// ones), C q'' = c for mimic joints and rolling bases.
class Dynamics : public Constraint {
 public:
  explicit Dynamics(const ControlSystem& system);
  std::vector<ConstraintRow> rows() const override { return rows_; }
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override;

 private:
  std::vector<ConstraintRow> rows_;
};

/// torque_limits, jerk_limits.
void register_joint_rows(ConstraintRegistry& registry);

}  // namespace handspan
