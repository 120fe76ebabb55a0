// The mode that presses: the wrench of a loop closure is ramped to a goal and stays there.
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

struct ApplyWrenchConfig {
  std::string task;
  Vector6d wrench = Vector6d::Zero();  // on the loop closure's b, in its axes [N, N m]
};

class GoalWrench : public Source {
 public:
  GoalWrench(const Vector6d& goal, const WrenchTask& task, const ControlState& control)
      : goal_(goal), task_(task), control_(control) {}

  void start(const Moment&, const Motion&) override {}
  bool ends() const override { return true; }
  MotionKind asks_for() const override { return MotionKind::kWrench; }
  SourceAnswer update(const Moment&, const Motion&, Motion& wanted) override {
    if (!task_.carries(control_))
      return {SourceStatus::kSilent, "the loop closure is open and carries nothing"};
    wanted.wrench = goal_;
    return {SourceStatus::kDone};
  }

 private:
  Vector6d goal_;
  const WrenchTask& task_;
  const ControlState& control_;
};

class ApplyWrenchMode : public Mode {
 public:
  ApplyWrenchMode(const ApplyWrenchConfig& config, const ModeContext& context)
      : config_(config), outlet_(context.arbiter.outlet(config.task)) {
    const MotionKind is = context.arbiter.kind(outlet_);
    if (is != MotionKind::kWrench)
      throw InputError(
          fmt::format("'{}' is a task of {}; this is for wrenches", config.task, name_of(is)));
    const WrenchTask& task = context.arbiter.wrench_task(outlet_);
    const WrenchReferenceLimits& most = context.arbiter.wrench_limits(outlet_);
    const double force = config.wrench.head<3>().norm(), torque = config.wrench.tail<3>().norm();
    if (force > most.force || torque > most.torque)
      throw InputError(fmt::format(
          "'wrench' has {:g} N and {:g} N m, and the reference of '{}' at most {:g} N and {:g} N "
          "m; ask for less, or allow more in wrench_references.{}",
          force, torque, config.task, most.force, most.torque, config.task));
    for (int axis = 0; axis < 6; ++axis)
      if (config.wrench[axis] != 0.0 && !task.axes()[static_cast<std::size_t>(axis)])
        throw InputError(
            fmt::format("'wrench' has {:g} in axis {}, which the task '{}' leaves free; set it to "
                        "0, or add the axis to the task",
                        config.wrench[axis], axis, config.task));
    source_ = context.arbiter.add_source(
        context.name, std::make_unique<GoalWrench>(config.wrench, task, context.arms->state()));
  }
  void enter(const ModeMoment& at) override {
    Grant grant;
    grant.source = source_;
    at.arbiter.grant(outlet_, {&grant, 1}, at.moment);
  }
  bool update(const ModeMoment& at) override { return at.arbiter.done(outlet_); }
  std::string text() const override {
    return fmt::format("{} presses with {:g} N and {:g} N m", config_.task,
                       config_.wrench.head<3>().norm(), config_.wrench.tail<3>().norm());
  }
  std::vector<std::string> drives() const override { return {config_.task}; }

 private:
  ApplyWrenchConfig config_;
  int outlet_, source_ = 0;
};

}  // namespace

void register_wrench_modes(ModeRegistry& registry) {
  registry.add(
      "apply_wrench",
      object<ApplyWrenchConfig>("ApplyWrench",
                                "the wrench of a loop closure goes to a goal and stays")
          .required("task", &ApplyWrenchConfig::task, text(), "of a wrench")
          .required("wrench", &ApplyWrenchConfig::wrench, vector<6>(),
                    "force [N] and torque [N m] on the loop closure's second frame, in its axes"),
      "force and torque of a loop closure that is closed are ramped to a goal, and stay there",
      [](const ApplyWrenchConfig& config, const ModeContext& context) {
        return std::make_unique<ApplyWrenchMode>(config, context);
      });
}

}  // namespace handspan
