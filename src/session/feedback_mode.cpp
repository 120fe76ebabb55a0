#include "session/feedback_mode.hpp"

#include <fmt/format.h>

#include "control/feedback_task.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

struct FeedbackConfig {
  std::string task;
  Vector6d position = Vector6d::Ones(), velocity = Vector6d::Ones();  // shares, in the gains' axes
};

FeedbackTask& feedback_task(const std::string& name, const ModeContext& context) {
  if (context.arms == nullptr)
    throw InputError("shares of feedback are of tasks of the whole-arm QP, which this app has not");
  if (auto* task = dynamic_cast<FeedbackTask*>(&context.arms->task(name))) return *task;
  throw InputError(fmt::format(
      "the task '{}' is none of a frame; feedback is of tasks position, orientation, pose, "
      "relative_pose, object_pose and direction",
      name));
}

// It has its shares from its first tick on, and they stay until another state says otherwise.
class FeedbackMode : public Mode {
 public:
  FeedbackMode(const FeedbackConfig& config, const ModeContext& context)
      : config_(config), task_(feedback_task(config.task, context)) {
    task_.show_feedback();
  }
  void enter(const ModeMoment&) override {
    task_.set_feedback({config_.position, config_.velocity});
  }
  bool update(const ModeMoment&) override { return true; }
  std::string text() const override {
    return fmt::format("position feedback of {} {}, velocity feedback {}", config_.task,
                       words(config_.position), words(config_.velocity));
  }
  std::vector<std::string> drives() const override { return {}; }

 private:
  static std::string words(const Vector6d& share) {
    if (share == Vector6d::Constant(share[0])) return fmt::format("{:g}", share[0]);
    return fmt::format("[{:g}, {:g}, {:g}, {:g}, {:g}, {:g}]", share[0], share[1], share[2],
                       share[3], share[4], share[5]);
  }

  FeedbackConfig config_;
  FeedbackTask& task_;
};

Schema<Vector6d> shares_schema() {
  const auto one = number().min(0).max(1);
  const auto six = vector<6>().min(0).max(1);
  Description description;
  description.type = "number or list of 6 numbers";
  description.rules = {">= 0", "<= 1"};
  return {[one, six](const Node& node, Reader& reader) -> std::optional<Vector6d> {
            if (node.kind() == Node::Kind::kList) return six.read(node, reader);
            const auto all = one.read(node, reader);
            if (!all) return std::nullopt;
            return Vector6d(Vector6d::Constant(*all));
          },
          std::move(description)};
}

}  // namespace

void register_feedback_mode(ModeRegistry& registry) {
  registry.add(
      "feedback",
      object<FeedbackConfig>("Feedback", "how much of a task's feedback acts, from one tick on")
          .required("task", &FeedbackConfig::task, text(), "of a frame")
          .optional("position", &FeedbackConfig::position, shares_schema(),
                    "share of the position feedback: of all axes, or along and about each of the "
                    "axes of its gains; left out: 1")
          .optional("velocity", &FeedbackConfig::velocity, shares_schema(),
                    "of the velocity feedback; left out: 1"),
      "how much of the position and velocity feedback of a frame's task acts, until another state "
      "says otherwise",
      [](const FeedbackConfig& config, const ModeContext& context) {
        return std::make_unique<FeedbackMode>(config, context);
      });
}

}  // namespace handspan
