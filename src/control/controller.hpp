#pragma once
// What turns observations of one actuator group into its commands. Controllers register by name
// with a schema; an app names one for each group. Whole-arm control over
// several robots will stand beside these.
#include <Eigen/Core>
#include <memory>

#include "core/registry.hpp"
#include "core/state_archive.hpp"
#include "plant/plant.hpp"
#include "robot/limits.hpp"
#include "robot/model.hpp"

namespace handspan {

/// What a controller is made for; everything outlives it.
struct GroupContext {
  const RobotModel& model;  // of the whole robot, tool included
  const RobotLimits& limits;
  const GroupLayout& group;
};

class GroupController {
 public:
  static constexpr char kKind[] = "controller";

  virtual ~GroupController() = default;
  /// Latches where the group is; before the first update, and when it takes over.
  virtual void start(const GroupState& state) = 0;
  /// One tick: the command of the group's size and kind. Allocates and throws nothing.
  virtual void update(const GroupState& state, Eigen::Ref<Eigen::VectorXd> command) = 0;
  /// What a run changes.
  virtual void state(StateArchive&) {}
};

using ControllerRegistry = Registry<GroupController, const GroupContext&>;

}  // namespace handspan
