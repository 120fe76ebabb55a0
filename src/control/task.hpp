#pragma once
// What the QP is asked to achieve: a task is a small linear object, w_i (A x - b)_i^2 summed over
// its rows, for the current state and nothing else (style: TSID). Tasks register by name with a
// schema and publish their own channels; gains and weights change at run time along ramps.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/ramp.hpp"
#include "control/system.hpp"
#include "core/channel.hpp"
#include "core/parameter_table.hpp"
#include "core/registry.hpp"
#include "core/state_archive.hpp"
#include "core/values.hpp"

namespace handspan {

/// Columns of x on which a task's rows act; of others they are zero.
struct TaskBlock {
  int offset = 0;
  Eigen::MatrixXd A;  // rows x columns of the block
};

/// What a task's gains may be at most, in a file and at run time.
inline constexpr double kMostStiffness = 1e5;  // [1/s^2]
inline constexpr double kMostDamping = 1e3;    // [1/s]
inline constexpr double kMostWeight = 1e6;

/// b'' = ff + stiffness (b_ref - b) + damping (b'_ref - b').
struct TaskGains {
  double stiffness = 100.0;       // [1/s^2]
  std::optional<double> damping;  // [1/s]; none: critical, 2 sqrt(stiffness)
  double weight = 1.0;
};

class Task {
 public:
  static constexpr char kKind[] = "task";

  Task(std::string name, int rows, const TaskGains& gains);
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const std::string& name() const { return name_; }
  int rows() const { return static_cast<int>(b_.size()); }
  const std::vector<TaskBlock>& blocks() const { return blocks_; }
  const Eigen::VectorXd& b() const { return b_; }
  /// Weights of the rows, the task's own weight included.
  const Eigen::VectorXd& weights() const { return w_; }
  /// What is left, one a row: reference minus actual [the rows' unit].
  const Eigen::VectorXd& error() const { return error_; }
  /// A row of the error: "x" in "m", "left.joint1" in "rad".
  struct Row {
    std::string label, unit;
  };
  /// By itself: numbered, without units.
  virtual std::vector<Row> error_rows() const;
  /// The kind of reference that it follows, by the name under which that is registered
  /// (reference/reference.hpp): "pose". Empty: none, nobody moves it.
  virtual std::string_view reference_kind() const { return {}; }
  /// Weight times what is left of the error after saturation [m, rad]; the problem damps its
  /// solution by it, so that goals out of reach do not chatter (after Sugihara 2011, whose damping
  /// also grows with the error).
  double demand() const { return demand_; }
  /// References that were not finite or absurd and were replaced by the last good one.
  std::uint64_t rejected() const { return rejected_; }

  /// Fills blocks, b, weights and error. Allocates and throws nothing.
  void update(const ControlSystem& system, ControlState& state);
  /// The reference becomes what is there now, at rest; one that the task's file states and nobody
  /// has set stays.
  virtual void hold(const ControlSystem& system, ControlState& state) = 0;
  /// What a run changes. A task that keeps more than its gains adds it.
  virtual void state(StateArchive& archive);

  /// The share of its error that comes from the reference moving away from the arm, as into a wall.
  /// The rest comes from the arm moving away from the reference, as when it is pushed [0 ... 1].
  double led() const { return led_; }
  /// As they are now.
  TaskGains gains() const { return {stiffness(), damping(), weight()}; }

  // at run time, along ramps of `time` [s]; values that are not finite, negative or beyond the most
  // that a file may say are ignored

  void set_weight(double weight, double time = kRampTime);
  void set_stiffness(double stiffness, double time = kRampTime);
  /// None: critical again.
  void set_damping(std::optional<double> damping, double time = kRampTime);

  /// What of it may be changed live: by itself stiffness, damping and weight, each along a ramp. A
  /// task with more than these calls this one, then adds its own ("task.NAME." + its name).
  virtual void declare_parameters(PartParameters& parameters);

  /// Declares "NAME.error" and what else it shows. `rate` is that of the control.
  /// A task that shows more calls these first.
  virtual void declare(ChannelTable& channels, Rate rate);
  virtual void publish(ChannelTable& channels, Nanoseconds stamp) const;

 protected:
  virtual void fill(const ControlSystem& system, ControlState& state) = 0;
  double stiffness() const { return stiffness_.value(); }
  double damping() const {
    const double share = critical_.value();
    return share * 2.0 * std::sqrt(stiffness()) + (1.0 - share) * damping_.value();
  }
  /// Whether no damping was given.
  bool critically_damped() const { return critical_.value() > 0.5; }
  double weight() const { return weight_.value(); }
  // what declare_parameters() consists of, for a task whose gains have other units or none

  /// @param damping_for_persons whether persons may set the damping too
  void declare_gains(PartParameters& parameters, const char* stiffness_unit,
                     const char* damping_unit, bool damping_for_persons = true);
  void declare_weight(PartParameters& parameters);

  std::vector<TaskBlock> blocks_;
  Eigen::VectorXd b_, w_, error_;
  double demand_ = 0.0, led_ = 0.0;
  std::uint64_t rejected_ = 0;

 private:
  std::string name_;
  Ramp stiffness_, damping_, weight_;
  Ramp critical_;  // 1: damping follows the stiffness, 0: it is damping_
  VectorChannel error_channel_;
  NumberChannel weight_channel_;
};

/// What a task is made for; outlives it.
struct TaskContext {
  const ControlSystem& system;
  std::string name;
};

/// Indices of the axes that are set. @throws InputError when none is
std::vector<int> chosen_axes(const std::vector<bool>& axes, const std::string& task);

/// Rows along x, y, z and about them, of which these were chosen.
std::vector<Task::Row> axis_rows(std::span<const int> axes, const char* along, const char* about);

using TaskRegistry = Registry<Task, const TaskContext&>;

/// Adds the keys that every task has: stiffness, damping, weight. Config derives from TaskGains.
template <class Config>
ObjectSchema<Config> with_gains(const ObjectSchema<Config>& schema) {
  return schema
      .optional("stiffness", &TaskGains::stiffness, number("1/s^2").min(0).max(kMostStiffness))
      .optional("damping", &TaskGains::damping, number("1/s").min(0).max(kMostDamping),
                "left out: critical, 2 sqrt(stiffness)")
      .optional("weight", &TaskGains::weight, number().min(0).max(kMostWeight),
                "against the other tasks, per (m/s^2)^2 or (rad/s^2)^2");
}

}  // namespace handspan
