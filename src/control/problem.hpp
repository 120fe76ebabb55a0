#pragma once
// One tick's optimisation: tasks and constraints in, accelerations, torques and contact forces out.
// Knows neither plants nor apps; whole_arm.hpp connects it to them.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/conflict.hpp"
#include "control/constraint.hpp"
#include "control/task.hpp"
#include "control/viability.hpp"

namespace handspan {

struct ProblemConfig {
  // who gives way last comes first; kinds that are not named share the last place. kDynamics is
  // never in it.
  std::vector<ConstraintKind> priority = {ConstraintKind::kTorque, ConstraintKind::kJointBox,
                                          ConstraintKind::kCollision, ConstraintKind::kCartesian,
                                          ConstraintKind::kJerk};
  double regularisation =
      1e-6;  // weight of q''^2 and of (force / 10 N)^2, against tasks of weight 1
  // of q' in the same term: the speed that nothing asks for decays with it [1/s]
  double regularisation_damping = 2.0;
  // weight of q''^2 per unit of what tasks demand (Task::demand) [1/m], and of q' in that term
  // [1/s]: near a singular pose this is all the damping there is
  double error_damping = 0.3;
  double error_damping_rate = 2.0;
};

struct ProblemCounts {
  std::uint64_t ticks = 0;
  // ticks in which limits other than jerk's gave way; rows that are stricter than their limit may
  // give way without it (Constraint::limit_holds)
  std::uint64_t relaxed = 0;
  std::uint64_t failed = 0;         // ticks without a usable answer: braked
  std::uint64_t empty_boxes = 0;    // a bug
  std::uint64_t outside_boxes = 0;  // joints found outside their limits, joint by joint
  std::array<std::uint64_t, kConstraintKinds> by_kind{};  // ticks in which a kind gave way
};

class ControlProblem {
 public:
  /// @param system sealed, outlives this
  /// @throws InputError when a limit cannot be used, see viability.hpp
  ControlProblem(const ControlSystem& system, const ProblemConfig& config,
                 std::vector<std::unique_ptr<Task>> tasks,
                 std::vector<std::unique_ptr<Constraint>> constraints);

  /// Tasks hold what is at the q and v in `state`; the solver forgets.
  void start(ControlState& state);

  /// Brings `state` up to date for its q and v, solves, and writes q'' and tau into it: the torques
  /// that realise q'' on the model, without extra_torque (which their limits count in). Allocates,
  /// locks and throws nothing. Without a usable answer: braking at the joints' deceleration,
  /// counted.
  void solve(ControlState& state);

  const QpSolution& solution() const { return *solution_; }
  const ProblemCounts& counts() const { return counts_; }
  const Qp& qp() const { return qp_; }
  const std::vector<QpRow>& rows() const { return rows_; }
  ConstraintKind kind(int row) const { return kinds_[static_cast<std::size_t>(row)]; }
  std::vector<std::unique_ptr<Task>>& tasks() { return tasks_; }
  const std::vector<std::unique_ptr<Task>>& tasks() const { return tasks_; }
  const std::vector<std::unique_ptr<Constraint>>& constraints() const { return constraints_; }
  /// @throws InputError naming the tasks there are
  Task& task(std::string_view name);
  QpSolver& solver() { return *solver_; }
  /// Whether a bound or row kept the last answer from being better.
  bool active(int row) const { return solver_->active(row); }
  /// Of an actuated joint.
  const JointViability& viability(std::size_t mechanism, std::size_t joint) const {
    return viability_[mechanism][joint];
  }
  /// What conflicts were found, explained on a thread of its own.
  ConflictReporter& conflicts() { return *conflicts_; }

  /// Accelerations that a mechanism's coordinates are asked for besides what tasks ask (nv)
  /// [rad/s^2], from the next solve on, until no weight is given. What tasks leave undecided is
  /// then decided by them: how an arm that stops moves where it is singular or redundant.
  void ask_joints(int mechanism, const Eigen::VectorXd& qdd, double weight);

  void state(StateArchive& archive);

  /// task.*, collision.*, qp.*: errors, counts and what gives way now.
  void declare(ChannelTable& channels, Rate rate);
  void publish(ChannelTable& channels, Nanoseconds stamp) const;

 private:
  void add_tasks(ControlState& state);
  void add_joint_boxes(ControlState& state);
  void look_at_what_came(ControlState& state);
  void regularise(ControlState& state);
  void count();
  void find_obstructed(ControlState& state) const;
  bool limit_holds(int i) const;
  void brake(ControlState& state);

  const ControlSystem& system_;
  ProblemConfig config_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<std::unique_ptr<Constraint>> constraints_;
  std::vector<int> first_row_;                          // of each constraint
  std::vector<std::vector<JointViability>> viability_;  // by mechanism and actuated joint
  std::vector<QpRow> rows_;
  std::vector<ConstraintKind> kinds_;
  Qp qp_;
  std::optional<QpSolver> solver_;
  const QpSolution* solution_ = nullptr;
  QpSolution none_;
  ProblemCounts counts_;
  std::unique_ptr<ConflictReporter> conflicts_;
  struct AskedJoints {
    Eigen::VectorXd qdd;
    double weight = 0.0;
  };
  std::vector<AskedJoints> asked_joints_;  // by mechanism
  struct Came {                            // of what a mechanism was asked for (nv)
    Eigen::VectorXd v_before, missing;     // smoothed [rad/s^2]
    double pushed = 1.0;                   // of it, that is no reference's doing
    bool known = false;
  };
  std::vector<Came> came_;         // by mechanism
  Eigen::RowVectorXd motion_row_;  // scratch
  IntegerChannel status_channel_, relaxed_channel_, iterations_channel_;
};

}  // namespace handspan
