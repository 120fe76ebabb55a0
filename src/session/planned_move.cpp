#include "session/planned_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "plan/pose_path.hpp"
#include "plant/world.hpp"
#include "reference/asking_source.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

struct PlannedGoal {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  std::optional<Eigen::Vector3d> rpy;
  std::optional<std::string> in;
};

// types of their own, so that what a file leaves out has these values
struct PlannedLinear : NormLimits {
  PlannedLinear() : NormLimits{0.5, 2.0, 20.0} {}
};
struct PlannedAngular : NormLimits {
  PlannedAngular() : NormLimits{1.0, 4.0, 40.0} {}
};

struct PlannedMoveConfig : AskingConfig {
  PlannedMoveConfig() { every = 2.0; }
  std::vector<PlannedGoal> goals;
  PlannedLinear linear;
  PlannedAngular angular;
  double thinks = 0.0;  // [s]
};

// what a question has: where the move begins, how fast, and where it ends
constexpr Eigen::Index kFrom = 0, kVelocity = 7, kGoal = 13, kPlanNumbers = 20;
constexpr double kPlanStep = 0.005;  // between poses, where not too many of them are needed [s]

void put_pose(const Pose& X, double* at) {
  Eigen::Map<Eigen::Vector3d>(at).noalias() = X.p;
  Eigen::Map<Eigen::Vector4d>(at + 3) = X.quaternion().coeffs();
}

Pose pose_of(const double* at) {
  return Pose::from(Eigen::Vector3d(at), quaternion_from_xyzw(Eigen::Vector4d(at + 3)));
}

// The planner, in its own thread: the poses of the whole move, some milliseconds apart.
void plan_move(const PoseLimits& limits, const Question& question, Answer& answer) {
  const double* numbers = question.numbers.data();
  PoseState from{pose_of(numbers + kFrom), Vector6d(numbers + kVelocity), Vector6d::Zero()};
  const auto clip = [](auto&& v, double most) {
    if (v.norm() > most) v *= most / v.norm();
  };
  clip(from.V_WE.head<3>(), limits.linear.velocity);
  clip(from.V_WE.tail<3>(), limits.angular.velocity);
  const std::array<PoseWaypoint, 1> goal = {PoseWaypoint{pose_of(numbers + kGoal)}};
  PosePath path(1);
  if (!path.start(from, goal, limits))
    throw InputError("no move could be planned: " + path.error().text());
  const double time = std::max(path.duration(), kPlanStep);
  const double step = std::max(kPlanStep, time / static_cast<double>(kMostPoses - 2));
  const auto rows = static_cast<std::size_t>(std::ceil(time / step)) + 1;
  answer.stamp = question.due;
  answer.numbers.reserve(1 + rows * kRowNumbers);
  answer.numbers.push_back(step);
  for (std::size_t i = 0; i < rows; ++i) {
    answer.numbers.resize(answer.numbers.size() + kRowNumbers);
    put_pose(path.at(std::min(path.duration(), static_cast<double>(i) * step)).X_WE,
             answer.numbers.data() + answer.numbers.size() - kRowNumbers);
  }
}

AskingConfig with_objects(const PlannedMoveConfig& config) {
  AskingConfig result = config;
  for (const PlannedGoal& goal : config.goals)
    if (goal.in && !std::ranges::count(result.reads.objects, *goal.in))
      result.reads.objects.push_back(*goal.in);
  if (result.reads.objects.size() > kMostRead)
    throw InputError(fmt::format("goals are in {} objects, and {} can be read; name fewer",
                                 result.reads.objects.size(), kMostRead));
  return result;
}

class PlannedMove : public AskingSource {
 public:
  PlannedMove(const PlannedMoveConfig& config, const SourceContext& context)
      : AskingSource(with_objects(config), context, kPlanNumbers,
                     [limits = PoseLimits{config.linear, config.angular}, thinks = config.thinks](
                         const Question& question, Answer& answer, const std::atomic<bool>& stops) {
                       const auto until =
                           std::chrono::steady_clock::now() + std::chrono::duration<double>(thinks);
                       while (!stops && std::chrono::steady_clock::now() < until)
                         std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       plan_move(limits, question, answer);
                     }),
        goals_(config.goals),
        world_(context.world) {
    for (const PlannedGoal& goal : goals_) bodies_.push_back(goal.in ? world_->body(*goal.in) : -1);
  }

  std::string text() const override {
    return fmt::format("moves to {} goal{} in turn, by plans of another thread", goals_.size(),
                       goals_.size() == 1 ? "" : "s");
  }

 protected:
  // From where the present move will be when the answer is taken, so that the new one goes on from
  // it; one whose answer was refused is asked for again.
  void ask(const Moment&, const Motion& reference, Question& question) override {
    if (answered() != answered_before_) goal_ = (goal_ + 1) % goals_.size();
    answered_before_ = answered();
    PoseReference from;
    from.X_WE = reference.pose.X_WE;
    if (!chunk().empty()) from = chunk().at(question.due);
    const PlannedGoal& goal = goals_[goal_];
    Pose X_WG{goal.rpy ? rotation_from_rpy(*goal.rpy) : from.X_WE.R, goal.position};
    if (bodies_[goal_] >= 0) {
      const Pose X_WO = world_->body_pose(bodies_[goal_]);
      X_WG.p = X_WO * goal.position;
      if (goal.rpy) X_WG.R = X_WO.R * X_WG.R;
    }
    put_pose(from.X_WE, question.numbers.data() + kFrom);
    Eigen::Map<Vector6d>(question.numbers.data() + kVelocity) = from.V_WE;
    put_pose(X_WG, question.numbers.data() + kGoal);
  }
  void own_state(StateArchive& archive) override {
    archive(goal_, answered_before_);
    if (archive.loading()) goal_ %= goals_.size();
  }

 private:
  std::vector<PlannedGoal> goals_;
  const World* world_;
  std::vector<int> bodies_;  // of the goals; -1: it is in W
  std::size_t goal_ = 0;
  std::uint64_t answered_before_ = 0;
};

template <class Limits>
Schema<Limits> planned_limits(const ObjectSchema<Limits>& schema, const std::string& unit) {
  return schema.optional("velocity", &NormLimits::velocity, number(unit + "/s").above(0).max(100))
      .optional("acceleration", &NormLimits::acceleration, number(unit + "/s^2").above(0).max(1e4))
      .optional("jerk", &NormLimits::jerk, number(unit + "/s^3").above(0).max(1e6));
}

}  // namespace

void register_planned_move(SourceRegistry& registry) {
  const auto goal =
      object<PlannedGoal>("PlannedGoal")
          .required("position", &PlannedGoal::position, vector<3>("m"))
          .optional("rpy", &PlannedGoal::rpy, vector<3>("rad"), "left out: as it is")
          .optional("in", &PlannedGoal::in, text(),
                    "an object, where it is when the question is asked; left out: the world");
  registry.add(
      "planned_move",
      asking_keys(object<PlannedMoveConfig>("PlannedMove"), false)
          .required("goals", &PlannedMoveConfig::goals, list(goal).min_size(1).max_size(64),
                    "one after another, and again from the first")
          .optional("linear", &PlannedMoveConfig::linear,
                    planned_limits(object<PlannedLinear>("PlannedLinear"), "m"))
          .optional("angular", &PlannedMoveConfig::angular,
                    planned_limits(object<PlannedAngular>("PlannedAngular"), "rad"))
          .optional("thinks", &PlannedMoveConfig::thinks, number("s").min(0).max(10),
                    "the planner takes so much longer, by the wall clock: to try how an app bears "
                    "that"),
      "moves to goals by plans that a thread makes, each replaced by the next while it runs",
      [](const PlannedMoveConfig& config, const SourceContext& context) {
        return std::make_unique<PlannedMove>(config, context);
      });
}

}  // namespace handspan
