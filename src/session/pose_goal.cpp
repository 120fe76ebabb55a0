#include "session/pose_goal.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "math/so3.hpp"
#include "reference/direction_reference.hpp"
#include "reference/relative_reference.hpp"
#include "session/follow_mode.hpp"

namespace handspan {
namespace {

// Asks for one pose, at rest; how the reference goes there is its own matter.
class GoalSource : public Source {
 public:
  GoalSource(std::string_view kind, const Pose& goal, std::string words)
      : kind_(kind), goal_(goal), words_(std::move(words)) {}

  void start(const Moment&, const Motion&) override {}
  bool ends() const override { return true; }
  std::optional<Tolerance> tolerance() const override { return Tolerance{}; }
  std::string text() const override { return words_; }
  std::string_view asks_for() const override { return kind_; }
  SourceAnswer update(const Moment&, const Motion&, Motion& wanted) override {
    wanted.pose = {goal_, Vector6d::Zero(), Vector6d::Zero()};
    return {SourceStatus::kDone};
  }

 private:
  std::string_view kind_;
  Pose goal_;
  std::string words_;
};

struct RelativeGoal {
  Eigen::Vector3d position = Eigen::Vector3d::Zero(), rpy = Eigen::Vector3d::Zero();
};

std::unique_ptr<Source> goal_of(const RelativeGoal& goal) {
  return std::make_unique<GoalSource>(
      kRelativePoseKind, Pose{rotation_from_rpy(goal.rpy), goal.position},
      fmt::format("goes to [{:g}, {:g}, {:g}] m of its other frame", goal.position.x(),
                  goal.position.y(), goal.position.z()));
}

struct DirectionGoal {
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();
};

std::unique_ptr<Source> goal_of(const DirectionGoal& goal) {
  const Eigen::Vector3d& d = goal.direction;
  return std::make_unique<GoalSource>(
      kDirectionKind, Pose::rotation(orientation_along(d, Eigen::Matrix3d::Identity())),
      fmt::format("points along [{:g}, {:g}, {:g}]", d.x(), d.y(), d.z()));
}

// its keys, of a source or, with a task, of a mode
template <class Config>
Schema<Config> relative_goal_schema(const ObjectSchema<Config>& keys) {
  return keys
      .required("position", &RelativeGoal::position, vector<3>("m"), "of frame_b, in frame_a")
      .required("rpy", &RelativeGoal::rpy, vector<3>("rad"), "of frame_b, in frame_a");
}

template <class Config>
Schema<Config> direction_goal_schema(const ObjectSchema<Config>& keys) {
  return keys.required("direction", &DirectionGoal::direction,
                       vector<3>().check([](const Eigen::Vector3d& d) -> std::optional<Fault> {
                         if (d.norm() > 1e-9) return std::nullopt;
                         return Fault{"has no length", "give a direction"};
                       }),
                       "in the world, of any length");
}

template <class Config>
void register_goal(Parts& parts, const char* name, const char* words, const Schema<Config>& source,
                   const Schema<OfTask<Config>>& mode) {
  parts.of<SourceRegistry>().add(
      name, source, words,
      [](const Config& config, const SourceContext&) { return goal_of(config); });
  parts.of<ModeRegistry>().add(
      name, mode, words, [](const OfTask<Config>& config, const ModeContext& context) {
        return std::make_unique<FollowMode>(config.task,
                                            goal_of(static_cast<const Config&>(config)), context);
      });
}

// a mode's own keys begin with the task
template <class Config>
ObjectSchema<OfTask<Config>> of_task(const char* name, const char* words) {
  return object<OfTask<Config>>(name, words).required("task", &OfTask<Config>::task, text());
}

}  // namespace

void register_pose_goals(Parts& parts) {
  const char* relative = "a frame goes to a pose in another frame, and stays there as both move";
  register_goal<RelativeGoal>(
      parts, "move_relative", relative,
      relative_goal_schema(object<RelativeGoal>("MoveRelativeSource", relative)),
      relative_goal_schema(of_task<RelativeGoal>("MoveRelative", relative)));
  const char* point = "an axis of a frame turns to a direction, and stays there";
  register_goal<DirectionGoal>(parts, "point", point,
                               direction_goal_schema(object<DirectionGoal>("PointSource", point)),
                               direction_goal_schema(of_task<DirectionGoal>("Point", point)));
}

}  // namespace handspan
