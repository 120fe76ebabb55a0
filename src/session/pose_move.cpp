#include "session/pose_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "plan/pose_path.hpp"
#include "plant/world.hpp"
#include "scene/scene_frame.hpp"
#include "session/follow_mode.hpp"
#include "session/plan_refusal.hpp"

namespace handspan {
namespace {

// from 1, of the norm of a channel's quaternion: what is farther off is no rotation
constexpr double kUnitQuaternion = 1e-3;

struct WaypointConfig {
  std::optional<Eigen::Vector3d> position;
  std::optional<Eigen::Vector3d> rpy;
  std::optional<Eigen::Quaterniond> quaternion;
  std::optional<std::string> in;
  bool relative = false;
  std::optional<double> passing;
};

// types of their own, so that what a file leaves out has these values
struct LinearLimits : NormLimits {
  LinearLimits() : NormLimits{0.5, 2.0, 20.0} {}
};
struct AngularLimits : NormLimits {
  AngularLimits() : NormLimits{1.0, 4.0, 40.0} {}
};

struct MoveToConfig {
  std::vector<WaypointConfig> waypoints;
  LinearLimits linear;
  AngularLimits angular;
  Tolerance tolerance;
};

struct PoseGoal {
  std::optional<Eigen::Vector3d> p;  // none: where it starts
  std::optional<Eigen::Matrix3d> R;
  bool relative = false;
  std::optional<double> passing;
  int body = -1;         // in whose frame it is; none: in the world's
  bool channel = false;  // likewise, of a channel's pose when the move begins
};

// Names of frames have no dots, unless the scene says so.
bool is_channel(const Scene& scene, const std::string& name) {
  return name.find('.') != std::string::npos &&
         std::ranges::none_of(scene.frames, [&](const auto& frame) { return frame.first == name; });
}

std::vector<PoseGoal> goals_of(const std::vector<WaypointConfig>& waypoints,
                               const SourceContext& context) {
  std::vector<PoseGoal> goals;
  for (const auto& w : waypoints) {
    PoseGoal goal{w.position, {}, w.relative, w.passing};
    if (w.rpy) goal.R = rotation_from_rpy(*w.rpy);
    if (w.quaternion) goal.R = w.quaternion->toRotationMatrix();
    const auto is_object = [&](const SceneBody& object) { return w.in && object.name == *w.in; };
    if (std::ranges::any_of(context.scene->objects, is_object)) {
      if (context.world == nullptr)
        throw InputError(fmt::format(
            "where the object '{}' is, a simulation knows and nothing else here; give a frame of "
            "the scene, or a place in the world",
            *w.in));
      goal.body = context.world->body(*w.in);
    } else if (w.in && is_channel(*context.scene, *w.in)) {
      goal.channel = true;
    } else if (w.in) {
      const Pose X_WF = scene_frame(*context.scene, *w.in);
      goal.p = X_WF * goal.p.value_or(Eigen::Vector3d::Zero());
      if (goal.R) goal.R = Eigen::Matrix3d(X_WF.R * *goal.R);
    }
    goals.push_back(goal);
  }
  return goals;
}

Pose placed(const PoseGoal& goal, const Pose& X_start, const Pose& X_before) {
  if (goal.relative)
    return {goal.R ? Eigen::Matrix3d(*goal.R * X_start.R) : X_before.R,
            X_start.p + goal.p.value_or(Eigen::Vector3d::Zero())};
  return {goal.R.value_or(X_before.R), goal.p.value_or(X_before.p)};
}

// A plan from a state beyond its limits would take long ways to brake within them, metres out of a
// swing at 3 m/s. So it starts within them, and the reference is braked into it by its own limits.
void within(PoseReference& from, const PoseLimits& limits) {
  const auto clip = [](auto&& x, double most) {
    if (x.norm() > most) x *= most / x.norm();
  };
  clip(from.V_WE.head<3>(), limits.linear.velocity);
  clip(from.V_WE.tail<3>(), limits.angular.velocity);
  clip(from.A_WE.head<3>(), limits.linear.acceleration);
  clip(from.A_WE.tail<3>(), limits.angular.acceleration);
}

class MoveTo : public Source {
 public:
  MoveTo(const MoveToConfig& config, const SourceContext& context)
      : goals_(goals_of(config.waypoints, context)),
        world_(context.world),
        limits_{config.linear, config.angular},
        tolerance_(config.tolerance),
        path_(static_cast<int>(goals_.size())),
        waypoints_(goals_.size()),
        X_WO_(goals_.size()),
        channel_(goals_.size()) {
    for (const auto& w : config.waypoints) in_.push_back(w.in.value_or(""));
  }

  void start(const Moment&, const Motion& reference) override {
    X_start_ = reference.pose.X_WE;
    // where objects are now; what the move does to them does not move its goals
    for (std::size_t i = 0; i < goals_.size(); ++i)
      if (goals_[i].body >= 0) X_WO_[i] = world_->body_pose(goals_[i].body);
    read_channels();
    first_ = 0;
    begin(reference.pose);
  }
  // to the waypoints that are left; when none is, to the last one
  void resume(const Moment&, const Motion& reference) override {
    if (path_.planned()) first_ += path_.waypoint(t_);
    begin(reference.pose);
  }
  bool ends() const override { return true; }
  std::optional<Tolerance> tolerance() const override { return tolerance_; }
  std::string text() const override {
    return fmt::format("moves through {} pose{}", goals_.size(), goals_.size() == 1 ? "" : "s");
  }
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override {
    if (unseen_) {
      // a detection may come late, and at a run's first tick nothing is in any channel
      read_channels();
      if (unseen_)
        return {SourceStatus::kSilent, "the channel that it goes to has no pose yet", kAllAxes};
      X_start_ = reference.pose.X_WE;
      begin(reference.pose);
    }
    if (!path_.planned()) return {SourceStatus::kLost, reason_of(path_.error().reason), {}};
    t_ += moment.dt;
    const PoseState state = path_.at(std::min(t_, path_.duration()));
    wanted.pose = {state.X_WE, state.V_WE, state.A_WE};
    return {t_ >= path_.duration() ? SourceStatus::kDone : SourceStatus::kActive};
  }
  void connect(const ChannelTable& channels) override {
    channels_ = &channels;
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      if (!goals_[i].channel) continue;
      channel_[i] = channels.find(in_[i]);
      if (const ChannelInfo& info = channels.info(channel_[i]); info.type != ChannelType::kPose)
        throw InputError(fmt::format("the channel '{}' is a {}; `in` takes one that is a pose",
                                     info.name, name_of(info.type)));
    }
  }
  void state(StateArchive& archive) override {
    bool planned = path_.planned();
    archive(X_start_.p, X_start_.R, first_, from_, t_, planned, unseen_);
    for (Pose& X_WO : X_WO_) archive(X_WO.p, X_WO.R);
    if (!archive.loading()) return;
    first_ = std::clamp(first_, 0, static_cast<int>(goals_.size()) - 1);
    if (planned) plan();
  }

 private:
  void begin(const PoseReference& from) {
    from_ = from;
    within(from_, limits_);
    t_ = 0.0;
    if (!unseen_) plan();
  }
  void read_channels() {
    unseen_ = false;
    for (std::size_t i = 0; i < goals_.size(); ++i)
      if (goals_[i].channel) unseen_ = !read(i) || unseen_;
  }
  // X_WO of a goal in a channel; false: nobody wrote one, or it is none
  bool read(std::size_t goal) {
    const ChannelId id = channel_[goal];
    if (channels_ == nullptr || channels_->writes(id) == 0) return false;
    const auto values = channels_->numbers(id);
    const Eigen::Quaterniond q(Eigen::Vector4d(values.tail<4>()));
    if (!values.allFinite() || !(std::abs(q.norm() - 1.0) < kUnitQuaternion)) return false;
    X_WO_[goal] = Pose::from(Eigen::Vector3d(values.head<3>()), q.normalized());
    return true;
  }
  void plan() {
    Pose before = X_start_;
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      PoseWaypoint& w = waypoints_[i];
      w = {};
      PoseGoal goal = goals_[i];
      if (goal.body >= 0 || goal.channel) {
        goal.p = X_WO_[i] * goal.p.value_or(Eigen::Vector3d::Zero());
        if (goal.R) goal.R = Eigen::Matrix3d(X_WO_[i].R * *goal.R);
      }
      w.X_WE = before = placed(goal, X_start_, before);
      if (goals_[i].passing) {
        w.passing = Passing::kAlong;
        w.speed = *goals_[i].passing;
      }
    }
    path_.start({from_.X_WE, from_.V_WE, from_.A_WE},
                std::span<const PoseWaypoint>(waypoints_).subspan(static_cast<std::size_t>(first_)),
                limits_);
  }

  std::vector<PoseGoal> goals_;
  const World* world_;  // none: nothing is simulated, and no goal is of an object
  PoseLimits limits_;
  Tolerance tolerance_;
  PosePath path_;
  std::vector<PoseWaypoint> waypoints_;
  std::vector<Pose> X_WO_;                  // of goals' objects and channels when it began
  std::vector<std::string> in_;             // as the file says, one a goal
  std::vector<ChannelId> channel_;          // of goals in one
  const ChannelTable* channels_ = nullptr;  // null: in a test that has none
  bool unseen_ = false;                     // a channel had no pose when it began
  Pose X_start_;                            // what relative goals are meant from
  int first_ = 0;                           // waypoint of the present plan
  PoseReference from_;
  double t_ = 0.0;  // [s]
};

// The keys of a move, of a source or of a mode.
template <class Config>
Schema<Config> move_to_schema(const ObjectSchema<Config>& keys) {
  const auto norm_limits = []<class Limits>(const ObjectSchema<Limits>& schema,
                                            const std::string& unit) {
    return schema.optional("velocity", &NormLimits::velocity, number(unit + "/s").above(0).max(100))
        .optional("acceleration", &NormLimits::acceleration,
                  number(unit + "/s^2").above(0).max(1e4))
        .optional("jerk", &NormLimits::jerk, number(unit + "/s^3").above(0).max(1e6));
  };
  const auto tolerance =
      object<Tolerance>("Tolerance", "measured; along a force that is felt it does not matter")
          .optional("distance", &Tolerance::distance, number("m").above(0).max(10))
          .optional("angle", &Tolerance::angle, number("rad").above(0).max(4));
  const auto waypoint =
      object<WaypointConfig>("PoseWaypoint")
          .optional("position", &WaypointConfig::position, vector<3>("m"), "left out: as before")
          .optional("rpy", &WaypointConfig::rpy, vector<3>("rad"), "left out: as before")
          .optional("quaternion", &WaypointConfig::quaternion, quaternion())
          .optional("in", &WaypointConfig::in, text(),
                    "a frame of the scene, an object or a channel of poses in the world "
                    "(object.box.pose), where it is when the move begins; left out: the world")
          .optional("relative", &WaypointConfig::relative, boolean(),
                    "to where the motion starts, along and about W's axes")
          .optional("passing", &WaypointConfig::passing, number("m/s").above(0),
                    "does not stop there, but passes at this speed")
          .check(
              [](const WaypointConfig& w) -> std::optional<Fault> {
                if (w.rpy && w.quaternion)
                  return Fault{"has rpy and quaternion", "give one of them"};
                if (w.in && w.relative)
                  return Fault{"is relative and in a frame", "give one of them"};
                if (!w.position && !w.rpy && !w.quaternion && !w.in)
                  return Fault{"is not a place", "give a position, an orientation or both"};
                return std::nullopt;
              },
              "not both of rpy and quaternion, nor of relative and in");
  return keys
      .required("waypoints", &MoveToConfig::waypoints, list(waypoint).min_size(1).max_size(64))
      .optional("linear", &MoveToConfig::linear,
                norm_limits(object<LinearLimits>("LinearLimits"), "m"))
      .optional("angular", &MoveToConfig::angular,
                norm_limits(object<AngularLimits>("AngularLimits"), "rad"))
      .optional("tolerance", &MoveToConfig::tolerance, tolerance,
                "how near the arm itself must be to where it ends for it to be done")
      .check(
          [](const MoveToConfig& c) -> std::optional<Fault> {
            for (const auto& w : c.waypoints)
              if (w.passing && *w.passing > c.linear.velocity)
                return Fault{"passes a waypoint faster than linear.velocity",
                             "pass slower, or raise it", "waypoints"};
            return std::nullopt;
          },
          "");
}

}  // namespace

void register_pose_move(Parts& parts) {
  const char* words = "moves a pose through waypoints, as fast as its limits allow";
  parts.of<SourceRegistry>().add("move_to", move_to_schema(object<MoveToConfig>("MoveToSource")),
                                 words,
                                 [](const MoveToConfig& config, const SourceContext& context) {
                                   return std::make_unique<MoveTo>(config, context);
                                 });
  using OfMode = OfTask<MoveToConfig>;
  parts.of<ModeRegistry>().add(
      "move_to",
      move_to_schema(object<OfMode>("MoveTo", words).required("task", &OfMode::task, text())),
      words, [](const OfMode& config, const ModeContext& context) {
        return std::make_unique<FollowMode>(
            config.task, std::make_unique<MoveTo>(config, source_context(context)), context);
      });
}

}  // namespace handspan
