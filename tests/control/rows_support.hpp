#pragma once
// Constraints in a loop of their own: small mechanisms, their rows in a QP that stays as near as it
// can to accelerations that are asked for, and exact integration of joints.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/constraint.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "support/message_of.hpp"
#include "support/sized.hpp"

namespace handspan::test {

inline Shape shape(const std::string& name, ShapeType type, const Eigen::Vector3d& size,
                   const Eigen::Vector3d& p = Eigen::Vector3d::Zero()) {
  Shape s;
  s.name = name;
  s.type = type;
  s.size = size;
  s.X_BG.p = p;
  return s;
}

/// A body of 1 kg; joints act one after the other.
inline BodyDescription body(const std::string& name, int parent, std::vector<Shape> shapes,
                            const std::vector<std::pair<JointType, Eigen::Vector3d>>& joints = {}) {
  BodyDescription b;
  b.name = name;
  b.parent = parent;
  b.inertial = {1.0, {}, Eigen::Vector3d(0.1, 0.1, 0.1)};
  b.shapes = std::move(shapes);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointDescription joint;
    joint.name = name + "_" + std::to_string(j);
    joint.type = joints[j].first;
    joint.axis = joints[j].second;
    b.joints.push_back(joint);
  }
  return b;
}

/// All joints actuated unless they are named in `passive`; limits so wide that none matters, a jerk
/// so high that the horizon is dt.
inline MechanismDescription mechanism(const std::string& name, std::vector<BodyDescription> bodies,
                                      double hz = 1000.0,
                                      const std::vector<std::string>& passive = {}) {
  MechanismDescription m;
  m.name = name;
  m.description.name = name;
  m.description.bodies = std::move(bodies);
  m.limits.rate = Rate::hz(hz);
  m.torque_rate = false;
  for (const auto& b : m.description.bodies)
    for (const auto& joint : b.joints) {
      if (std::ranges::count(passive, joint.name)) continue;
      JointLimits limits;
      limits.lower = -100.0;
      limits.upper = 100.0;
      limits.velocity = 100.0;
      limits.acceleration = limits.braking = 1000.0;
      limits.jerk = 1e9;
      limits.torque = 1e4;
      limits.torque_rate = 1e7;
      m.limits.joints.emplace_back(joint.name, limits);
      m.actuated.push_back(joint.name);
    }
  return m;
}

/// One constraint over a system, tick by tick.
class Rig {
 public:
  Rig(const ControlSystem& system_in, std::unique_ptr<Constraint> constraint_in)
      : system(system_in),
        constraint(std::move(constraint_in)),
        names(constraint->rows()),
        state(system),
        qp(system.unknowns(), static_cast<int>(names.size())) {
    std::vector<QpRow> rows(static_cast<std::size_t>(qp.unknowns()));
    for (const auto& row : names) rows.push_back({row.name, 1, row.scale});
    solver.emplace(qp.unknowns(), qp.rows(), rows);
  }

  void rows() {
    update_state(system, state);
    qp.lower.setConstant(-kNoBound);
    qp.upper.setConstant(kNoBound);
    const Eigen::Index n = qp.unknowns(), m = qp.rows();
    constraint->update(system, state, {qp.A, qp.lower.segment(n, m), qp.upper.segment(n, m)});
  }
  double lower(Eigen::Index row) const { return qp.lower[qp.unknowns() + row]; }
  double upper(Eigen::Index row) const { return qp.upper[qp.unknowns() + row]; }

  /// The accelerations nearest to `wanted` that keep the rows, written to `state`; q'' within
  /// `most`. Mechanisms that are not due keep theirs.
  const QpSolution& solve(const Eigen::VectorXd& wanted, double most = 1e3) {
    rows();
    qp.H.setIdentity();
    qp.f = -wanted;
    const Eigen::Index n = qp.unknowns();
    qp.lower.head(n).setConstant(-most);
    qp.upper.head(n).setConstant(most);
    for (std::size_t m = 0; m < state.mechanisms.size(); ++m) {
      if (state.mechanisms[m].due) continue;
      const Eigen::Index offset = system.mechanisms()[m].offset, nv = state.mechanisms[m].v.size();
      qp.lower.segment(offset, nv) = qp.upper.segment(offset, nv) = state.mechanisms[m].qdd;
    }
    const QpSolution& solution = solver->solve(qp);
    for (std::size_t m = 0; m < state.mechanisms.size(); ++m)
      state.mechanisms[m].qdd =
          solution.x.segment(system.mechanisms()[m].offset, state.mechanisms[m].v.size());
    return solution;
  }

  /// Joints of one coordinate each, under constant acceleration.
  void advance(double dt) {
    for (auto& s : state.mechanisms) {
      s.q += dt * s.v + 0.5 * dt * dt * s.qdd;
      s.v += dt * s.qdd;
    }
  }

  const ControlSystem& system;
  std::unique_ptr<Constraint> constraint;
  std::vector<ConstraintRow> names;
  ControlState state;
  Qp qp;
  std::optional<QpSolver> solver;
};

}  // namespace handspan::test
