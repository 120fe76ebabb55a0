#pragma once
// What the QP must keep: rows lower <= A x <= upper for the current state, with names that a person
// reads and a kind that says which gives way first. Bounds on single joints are not here but in
// viability.hpp. Constraints register by name with a schema.
#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "control/qp.hpp"
#include "control/system.hpp"
#include "core/channel.hpp"
#include "core/registry.hpp"
#include "core/state_archive.hpp"
#include "core/values.hpp"

namespace handspan {

/// Kinds in the default order of who gives way last; kDynamics never does.
enum class ConstraintKind { kDynamics, kTorque, kJointBox, kCollision, kCartesian, kJerk };
inline constexpr int kConstraintKinds = 6;
/// "dynamics", "torque", "joint_box", "collision", "cartesian", "jerk"
const char* name_of(ConstraintKind kind);

struct ConstraintRow {
  std::string name;  // "torque limit left.joint2"
  ConstraintKind kind = ConstraintKind::kTorque;
  double scale = 1.0;  // see QpRow
};

/// The rows of the QP that are one constraint's.
struct RowBlock {
  Eigen::Ref<RowMajorMatrix> A;  // rows x unknowns; what was written before is still there
  Eigen::Ref<Eigen::VectorXd> lower, upper;  // kNoBound, -kNoBound before
};

class Constraint {
 public:
  static constexpr char kKind[] = "constraint";

  virtual ~Constraint() = default;
  Constraint(const Constraint&) = delete;
  Constraint& operator=(const Constraint&) = delete;
  Constraint() = default;

  /// What each of its rows is; asked once.
  virtual std::vector<ConstraintRow> rows() const = 0;
  /// Fills its rows. Columns that it once wrote it must write again. Allocates and throws nothing.
  virtual void update(const ControlSystem& system, ControlState& state, RowBlock rows) = 0;
  /// Whether the limit that a row stands for holds at x although the row gave way: for rows that
  /// are stricter than their limit. Of the last update().
  virtual bool limit_holds(int /*row*/, const Eigen::VectorXd& /*x*/) const { return false; }
  /// Declares what it shows. `rate` is that of the control.
  virtual void declare(ChannelTable&, Rate) {}
  virtual void publish(ChannelTable&, Nanoseconds) const {}
  /// What a run changes and a later tick depends on; most constraints have nothing of the kind.
  virtual void state(StateArchive&) {}
};

/// What a constraint is made for; outlives it. Surroundings have no joints.
struct ConstraintContext {
  const ControlSystem& system;
  const RobotModel* surroundings = nullptr;                        // none: there is nothing around
  std::vector<std::pair<std::string, std::string>> ignored_pairs;  // bodies that never meet
};

using ConstraintRegistry = Registry<Constraint, const ConstraintContext&>;

/// Of the deceleration that is counted on: the most that braking_bound() asks for when a gap was
/// lost unforeseen.
inline constexpr double kMostBraking = 4.0;

/// Largest closing speed after `dt` [s] from which a gap can still be kept open by braking with
/// `deceleration` [m/s^2], in exact discrete time: the closing speed now is c [m/s], positive when
/// the gap closes, and the gap to be kept is `gap` [m]. A gap that is lost already opens again, at
/// most at `recovery` [m/s]. From a state that was reached under it, it asks for no more than the
/// deceleration; otherwise for up to kMostBraking times that. When it is asked again before `dt` is
/// over, a gap is kept to about 0.15 deceleration dt^2 only.
/// @return bound on the gap's second derivative [m/s^2]
double braking_bound(double gap, double closing, double deceleration, double recovery, double dt);

}  // namespace handspan
