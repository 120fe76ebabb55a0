#include "session/wrench_goal.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "reference/wrench_reference.hpp"
#include "session/follow_mode.hpp"

namespace handspan {
namespace {

struct WrenchGoalConfig {
  std::string task;
  Vector6d wrench = Vector6d::Zero();  // on the loop closure's b, in its axes [N, N m]
};

class WrenchGoal : public Source {
 public:
  WrenchGoal(const WrenchGoalConfig& config, const SourceContext& context)
      : goal_(config.wrench), reference_(reference_of(config.task, *context.arbiter)) {
    const WrenchReferenceLimits& max = reference_.limits();
    const double force = goal_.head<3>().norm(), torque = goal_.tail<3>().norm();
    if (force > max.force || torque > max.torque)
      throw InputError(fmt::format(
          "'wrench' has {:g} N and {:g} N m, and the reference of '{}' at most {:g} N and {:g} N "
          "m; ask for less, or allow more in references.{}",
          force, torque, config.task, max.force, max.torque, config.task));
    for (int axis = 0; axis < 6; ++axis)
      if (goal_[axis] != 0.0 && !reference_.wrench_task().axes()[static_cast<std::size_t>(axis)])
        throw InputError(
            fmt::format("'wrench' has {:g} in axis {}, which the task '{}' leaves free; set it to "
                        "0, or add the axis to the task",
                        goal_[axis], axis, config.task));
  }

  void start(const Moment&, const Motion&) override {}
  bool ends() const override { return true; }
  std::string text() const override {
    return fmt::format("presses with {:g} N and {:g} N m", goal_.head<3>().norm(),
                       goal_.tail<3>().norm());
  }
  std::string_view asks_for() const override { return kWrenchKind; }
  SourceAnswer update(const Moment&, const Motion&, Motion& wanted) override {
    if (!reference_.carries())
      return {SourceStatus::kSilent, "the loop closure is open and carries nothing"};
    wanted.wrench = goal_;
    return {SourceStatus::kDone};
  }

 private:
  static const WrenchReference& reference_of(const std::string& task, const Arbiter& arbiter) {
    const Reference& any = arbiter.reference(arbiter.find_reference(task));
    if (const auto* reference = dynamic_cast<const WrenchReference*>(&any)) return *reference;
    throw InputError(fmt::format("the reference of '{}' is of the kind '{}'; this is for wrenches",
                                 task, any.kind()));
  }

  Vector6d goal_;
  const WrenchReference& reference_;
};

Schema<WrenchGoalConfig> wrench_goal_schema(const char* name) {
  return object<WrenchGoalConfig>(name, "the wrench of a loop closure goes to a goal and stays")
      .required("task", &WrenchGoalConfig::task, text(), "of a wrench")
      .required("wrench", &WrenchGoalConfig::wrench, vector<6>(),
                "force [N] and torque [N m] on the loop closure's second frame, in its axes");
}

}  // namespace

void register_wrench_goal(Parts& parts) {
  const char* words =
      "force and torque of a loop closure that is closed are ramped to a goal, and stay there";
  parts.of<SourceRegistry>().add("apply_wrench", wrench_goal_schema("ApplyWrenchSource"), words,
                                 [](const WrenchGoalConfig& config, const SourceContext& context) {
                                   return std::make_unique<WrenchGoal>(config, context);
                                 });
  parts.of<ModeRegistry>().add(
      "apply_wrench", wrench_goal_schema("ApplyWrench"), words,
      [](const WrenchGoalConfig& config, const ModeContext& context) {
        return std::make_unique<FollowMode>(
            config.task, std::make_unique<WrenchGoal>(config, source_context(context)), context);
      });
}

}  // namespace handspan
