// Modes that follow a planned motion: move_to (poses), move_joints, move_along (a smooth curve).
// Each plans from where the reference is, also when that is moving, and again after a hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "plan/point_to_point.hpp"
#include "plan/pose_path.hpp"
#include "plan/smooth_path.hpp"
#include "plant/mujoco_plant.hpp"
#include "scene/scene_frame.hpp"
#include "session/modes.hpp"

namespace handspan {
namespace {

const char* reason_of(PlanRefusal refusal) {
  switch (refusal) {
    case PlanRefusal::kNone:
      return "";
    case PlanRefusal::kPassing:
      return "a passing velocity cannot be had within the limits";
    case PlanRefusal::kTooLong:
      return "the motion would last longer than two hours";
    case PlanRefusal::kNotFinite:
      return "the motion starts from something that is not a number";
    default:
      return "the planner found no motion";
  }
}

// how near the measured arm must be to where a move ends
struct Tolerance {
  double distance = 0.005;                  // [m]
  double angle = std::numbers::pi / 180.0;  // [rad]
};

// What moves have in common: a source of its own, that has authority while the mode lasts. It is at
// its end when the arm itself is.
class MoveMode : public Mode {
 public:
  MoveMode(std::string task, std::string text, std::unique_ptr<Source> source,
           const Tolerance& tolerance, const ModeContext& context)
      : task_(std::move(task)),
        text_(std::move(text)),
        tolerance_(tolerance),
        outlet_(context.arbiter.outlet(task_)),
        source_(context.arbiter.add_source(context.name, std::move(source))) {}
  void enter(const ModeMoment& at) override {
    Grant grant;
    grant.source = source_;
    at.arbiter.grant(outlet_, {&grant, 1}, at.moment);
    waited_ = 0.0;
  }
  bool update(const ModeMoment& at) override {
    if (!at.arbiter.done(outlet_)) return false;
    if (is_there(at)) return true;
    const double before = waited_;
    waited_ += at.moment.dt;
    if (before < kTellsAfter && waited_ >= kTellsAfter)
      at.events.add("waits", task_, "the move is at its end and the arm is not, or not at rest");
    return false;
  }
  EventText waits_for(const ModeMoment& at) const override {
    if (is_there(at)) return {};
    char text[EventText::kMost];
    const bool holds = at.arbiter.holding(outlet_);
    const auto end = fmt::format_to_n(text, sizeof text, "{} is not where it is to go{}{}", task_,
                                      holds ? ": " : "", holds ? at.arbiter.reason(outlet_) : "");
    return std::string_view(text, std::min(end.size, sizeof text));
  }
  void state(StateArchive& archive) override { archive(waited_); }
  std::string text() const override { return text_; }
  std::vector<std::string> drives() const override { return {task_}; }

 protected:
  int outlet() const { return outlet_; }

 private:
  static constexpr double kTellsAfter = 0.5;  // [s]

  // a posture may be one that other tasks do not let the arm have
  bool is_there(const ModeMoment& at) const {
    return at.arbiter.done(outlet_) &&
           (!at.arbiter.is_pose(outlet_) ||
            at.arbiter.arm_is_there(outlet_, tolerance_.distance, tolerance_.angle));
  }

  std::string task_, text_;
  Tolerance tolerance_;
  int outlet_, source_;
  double waited_ = 0.0;  // for the arm, at its end [s]
};

int outlet_of(const ModeContext& context, const std::string& task, bool pose) {
  const int outlet = context.arbiter.outlet(task);
  const MotionKind is = context.arbiter.kind(outlet);
  if (is != (pose ? MotionKind::kPose : MotionKind::kJoints))
    throw InputError(fmt::format("'{}' is a task of {}; use {}", task, name_of(is),
                                 is == MotionKind::kPose     ? "move_to"
                                 : is == MotionKind::kJoints ? "move_joints"
                                                             : "apply_wrench"));
  return outlet;
}

// ---- poses

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
  std::string task;
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
  int body = -1;  // in whose frame it is; none: in the world's
};

std::vector<PoseGoal> goals_of(const std::vector<WaypointConfig>& waypoints,
                               const ModeContext& context) {
  std::vector<PoseGoal> goals;
  for (const auto& w : waypoints) {
    PoseGoal goal{w.position, {}, w.relative, w.passing};
    if (w.rpy) goal.R = rotation_from_rpy(*w.rpy);
    if (w.quaternion) goal.R = w.quaternion->toRotationMatrix();
    const auto is_object = [&](const SceneBody& object) { return w.in && object.name == *w.in; };
    if (std::ranges::any_of(context.scene.objects, is_object)) {
      if (context.simulation == nullptr)
        throw InputError(fmt::format(
            "where the object '{}' is, a simulation knows and nothing else here; give a frame of "
            "the scene, or a place in the world",
            *w.in));
      goal.body = context.simulation->body(*w.in);
    } else if (w.in) {
      const Pose X_WF = scene_frame(context.scene, *w.in);
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
void within(MotionState& from, const MotionLimits& limits) {
  from.v = from.v.cwiseMax(-limits.velocity).cwiseMin(limits.velocity);
  from.a = from.a.cwiseMax(-limits.acceleration).cwiseMin(limits.acceleration);
}

class MoveTo : public Source {
 public:
  MoveTo(const MoveToConfig& config, const ModeContext& context)
      : goals_(goals_of(config.waypoints, context)),
        simulation_(context.simulation),
        limits_{config.linear, config.angular},
        path_(static_cast<int>(goals_.size())),
        waypoints_(goals_.size()),
        X_WO_(goals_.size()) {}

  void start(const Moment&, const Motion& reference) override {
    X_start_ = reference.pose.X_WE;
    // where objects are now; what the move does to them does not move its goals
    for (std::size_t i = 0; i < goals_.size(); ++i)
      if (goals_[i].body >= 0) X_WO_[i] = simulation_->body_pose(goals_[i].body);
    first_ = 0;
    begin(reference.pose);
  }
  // to the waypoints that are left; when none is, to the last one
  void resume(const Moment&, const Motion& reference) override {
    if (path_.planned()) first_ += path_.waypoint(t_);
    begin(reference.pose);
  }
  bool ends() const override { return true; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    if (!path_.planned()) return {SourceStatus::kLost, reason_of(path_.error().reason), {}};
    t_ += moment.dt;
    const PoseState state = path_.at(std::min(t_, path_.duration()));
    wanted.pose = {state.X_WE, state.V_WE, state.A_WE};
    return {t_ >= path_.duration() ? SourceStatus::kDone : SourceStatus::kActive};
  }
  void state(StateArchive& archive) override {
    bool planned = path_.planned();
    archive(X_start_.p, X_start_.R, first_, from_, t_, planned);
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
    plan();
  }
  void plan() {
    Pose before = X_start_;
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      PoseWaypoint& w = waypoints_[i];
      w = {};
      PoseGoal goal = goals_[i];
      if (goal.body >= 0) {
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
  const MujocoPlant* simulation_;  // none: nothing is simulated, and no goal is of an object
  PoseLimits limits_;
  PosePath path_;
  std::vector<PoseWaypoint> waypoints_;
  std::vector<Pose> X_WO_;  // of goals' objects when it began
  Pose X_start_;            // what relative goals are meant from
  int first_ = 0;           // waypoint of the present plan
  PoseReference from_;
  double t_ = 0.0;  // [s]
};

// ---- joints

struct JointWaypointConfig {
  std::optional<Eigen::VectorXd> q, v;
  std::optional<std::string> pose;
};

struct MoveJointsConfig {
  std::string task;
  std::vector<JointWaypointConfig> waypoints;
  double speed = 0.5, acceleration = 0.5, jerk = 0.5;  // shares of the limits
};

// values of a robot's named pose for the rows of a posture task
Eigen::VectorXd named_pose(const std::string& name, const PostureTask& task,
                           const ModeContext& context) {
  const Mechanism& m =
      context.arms->system().mechanisms()[static_cast<std::size_t>(task.mechanism())];
  const RobotInstance& robot = *context.scene.robot(m.name);
  std::vector<std::string> names;
  for (const auto& pose : robot.poses) names.push_back(pose.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw InputError(fmt::format("'{}' has no pose '{}'; {}", m.name, shown(name),
                                 did_you_mean(name, names, "it has")));
  const Eigen::VectorXd& q = robot.poses[static_cast<std::size_t>(found - names.begin())].q;
  const auto& joints = robot.groups.front().joints;
  Eigen::VectorXd values(task.rows());
  for (Eigen::Index r = 0; r < values.size(); ++r) {
    const std::string& joint = task.joint_names()[static_cast<std::size_t>(r)];
    const auto at = std::ranges::find(joints, joint);
    if (at == joints.end())
      throw InputError(
          fmt::format("the pose '{}' of '{}' says nothing of the joint '{}'", name, m.name, joint));
    values[r] = q[at - joints.begin()];
  }
  return values;
}

Eigen::VectorXd goal_of(const JointWaypointConfig& w, const PostureTask& task,
                        const ModeContext& context) {
  if (w.q.has_value() == w.pose.has_value())
    throw InputError("a waypoint needs either q or the name of a pose");
  const Eigen::VectorXd q = w.pose ? named_pose(*w.pose, task, context) : *w.q;
  if (q.size() != task.rows())
    throw InputError(fmt::format("a waypoint has {} values for the {} joints of '{}'", q.size(),
                                 task.rows(), task.name()));
  for (Eigen::Index r = 0; r < q.size(); ++r) {
    const JointLimits& l = task.limits()[static_cast<std::size_t>(r)];
    if (q[r] < l.lower || q[r] > l.upper)
      throw InputError(
          fmt::format("a waypoint asks joint {} of '{}' for {:.4g} rad; it may be from "
                      "{:.4g} to {:.4g}",
                      r + 1, task.name(), q[r], l.lower, l.upper));
  }
  return q;
}

PostureTask& posture_of(const std::string& name, const ModeContext& context) {
  outlet_of(context, name, false);
  auto& task = dynamic_cast<PostureTask&>(context.arms->task(name));
  if (task.rows() > kMostCoordinates)
    throw InputError(fmt::format("'{}' has {} joints; a planned motion has {} at most", name,
                                 task.rows(), kMostCoordinates));
  return task;
}

MotionLimits limits_of(const MoveJointsConfig& config, const PostureTask& task) {
  MotionLimits limits;
  const Eigen::Index n = task.rows();
  limits.velocity.resize(n);
  limits.acceleration.resize(n);
  limits.jerk.resize(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const JointLimits& l = task.limits()[static_cast<std::size_t>(r)];
    limits.velocity[r] = config.speed * l.velocity;
    limits.acceleration[r] = config.acceleration * std::min(l.acceleration, l.braking);
    limits.jerk[r] = config.jerk * l.jerk;
  }
  return limits;
}

/// A source of joints on its way through points: what is said of the way to each.
class JointMove : public Source {
 public:
  virtual int points() const = 0;
  /// The point that it goes to now.
  virtual int next() const = 0;
  virtual const Coordinates& point(int k) const = 0;
};

// Says before each way which way round the joints go: "joint1 +90.0 deg, joint6 -30.0 deg". With
// joints that turn without end nobody could tell from the goal.
class JointMoveMode : public MoveMode {
 public:
  /// @param move what `source` is
  JointMoveMode(const PostureTask& task, std::string text, const JointMove& move,
                std::unique_ptr<Source> source, const ModeContext& context)
      : MoveMode(task.name(), std::move(text), std::move(source), Tolerance{}, context),
        task_(task.name()),
        move_(move) {
    const RobotModel& model =
        *context.arms->system().mechanisms()[static_cast<std::size_t>(task.mechanism())].model;
    for (const auto& name : task.joint_names()) {
      const bool turns = model.joint(name).type == JointType::kRevolute;
      // "arm.joint1" is joint1 of the task's robot
      joints_.push_back(
          {name.substr(name.find('.') + 1), turns ? 180.0 / M_PI : 1e3, turns ? "deg" : "mm"});
    }
  }
  void enter(const ModeMoment& at) override {
    MoveMode::enter(at);
    tell(at, 0, at.arbiter.reference(outlet()).q);
    said_ = 0;
  }
  bool update(const ModeMoment& at) override {
    const bool done = MoveMode::update(at);
    for (const int next = move_.next(); !done && said_ < next;) {
      ++said_;
      tell(at, said_, move_.point(said_ - 1));
    }
    return done;
  }
  void state(StateArchive& archive) override {
    MoveMode::state(archive);
    archive(said_);
  }

 private:
  template <class Vector>
  void tell(const ModeMoment& at, int k, const Vector& from) const {
    char text[166];
    std::size_t used = 0;
    int left_out = 0;
    const auto add = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
      char part[96];
      const auto end = fmt::format_to_n(part, sizeof part, format, std::forward<Args>(args)...);
      // room for what says that there are more
      if (end.size > sizeof part || used + end.size + 12 > sizeof text) return false;
      std::copy_n(part, end.size, text + used);
      used += end.size;
      return true;
    };
    const Coordinates& to = move_.point(k);
    if (move_.points() > 1) add("to point {} of {}: ", k + 1, move_.points());
    bool any = false;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const double by = joints_[j].scale * (to[i] - from[i]);
      if (std::abs(by) < kLeastTold) continue;
      if (left_out == 0 &&
          add("{}{} {:+.1f} {}", any ? ", " : "", joints_[j].name, by, joints_[j].unit))
        any = true;
      else
        ++left_out;
    }
    if (left_out > 0) {
      const auto end = fmt::format_to_n(text + used, sizeof text - used, ", {} more", left_out);
      used += std::min(end.size, sizeof text - used);
    } else if (!any) {
      add("no joint has a way to go");
    }
    at.events.add("move", task_, std::string_view(text, used));
  }

  static constexpr double kLeastTold = 0.05;  // [deg], [mm]
  struct Joint {
    std::string name;
    double scale;
    const char* unit;
  };
  std::string task_;
  const JointMove& move_;
  std::vector<Joint> joints_;
  int said_ = 0;
};

class MoveJoints : public JointMove {
 public:
  MoveJoints(const MoveJointsConfig& config, const PostureTask& task, const ModeContext& context)
      : limits_(limits_of(config, task)), plan_(static_cast<int>(config.waypoints.size())) {
    for (const auto& w : config.waypoints) {
      Waypoint waypoint;
      waypoint.q = goal_of(w, task, context);
      if (w.v && w.v->size() != task.rows())
        throw InputError(fmt::format("a waypoint has {} passing velocities for {} joints",
                                     w.v->size(), task.rows()));
      if (w.v) waypoint.v = *w.v;
      waypoints_.push_back(waypoint);
    }
    // where it starts is known only then; that the passing velocities are within limits is now
    MotionState still;
    still.q = waypoints_.front().q;
    still.v = still.a = Coordinates::Zero(still.q.size());
    if (!plan_.start(still, waypoints_, limits_)) throw InputError(plan_.error().text());
    from_ = still;
  }

  void start(const Moment&, const Motion& reference) override {
    first_ = 0;
    begin(reference);
  }
  void resume(const Moment&, const Motion& reference) override {
    if (plan_.planned()) first_ += plan_.waypoint(t_);
    begin(reference);
  }
  int points() const override { return static_cast<int>(waypoints_.size()); }
  int next() const override {
    return std::min(first_ + (plan_.planned() ? plan_.waypoint(t_) : 0), points() - 1);
  }
  const Coordinates& point(int k) const override {
    return waypoints_[static_cast<std::size_t>(k)].q;
  }
  bool ends() const override { return true; }
  MotionKind asks_for() const override { return MotionKind::kJoints; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    if (!plan_.planned()) return {SourceStatus::kLost, reason_of(plan_.error().reason), {}};
    t_ += moment.dt;
    const MotionState state = plan_.at(std::min(t_, plan_.duration()));
    wanted.q = state.q;
    wanted.v = state.v;
    wanted.a = state.a;
    return {t_ >= plan_.duration() ? SourceStatus::kDone : SourceStatus::kActive};
  }
  void state(StateArchive& archive) override {
    for (Coordinates* c : {&from_.q, &from_.v, &from_.a})
      for (Eigen::Index i = 0; i < c->size(); ++i) archive((*c)[i]);
    archive(t_, first_);
    if (!archive.loading()) return;
    first_ = std::clamp(first_, 0, static_cast<int>(waypoints_.size()) - 1);
    plan();
  }

 private:
  void begin(const Motion& from) {
    from_.q = from.q;
    from_.v = from.v;
    from_.a = from.a;
    within(from_, limits_);
    t_ = 0.0;
    plan();
  }
  void plan() {
    plan_.start(from_,
                std::span<const Waypoint>(waypoints_).subspan(static_cast<std::size_t>(first_)),
                limits_);
  }

  MotionLimits limits_;
  std::vector<Waypoint> waypoints_;
  PointToPoint plan_;
  MotionState from_;
  int first_ = 0;   // waypoint of the present plan
  double t_ = 0.0;  // [s]
};

// A smooth curve through the waypoints; it goes to the first one by a motion within the same
// limits. A single waypoint has no curve: that motion is all.
class MoveAlong : public JointMove {
 public:
  MoveAlong(const MoveJointsConfig& config, const PostureTask& task, const ModeContext& context)
      : limits_(limits_of(config, task)), approach_(1) {
    SmoothPathConfig path;
    path.velocity = limits_.velocity;
    path.acceleration = limits_.acceleration;
    for (const auto& w : config.waypoints) path.waypoints.push_back(goal_of(w, task, context));
    first_.q = path.waypoints.front();
    last_ = path.waypoints.back();
    from_.q = first_.q;
    from_.v = from_.a = Coordinates::Zero(first_.q.size());
    if (path.waypoints.size() > 1) path_.emplace(path);
  }

  // the curve's beginning and its end
  int points() const override { return path_ ? 2 : 1; }
  int next() const override { return !path_ || t_ < approach_.duration() ? 0 : 1; }
  const Coordinates& point(int k) const override { return k == 0 ? first_.q : last_; }
  void start(const Moment&, const Motion& reference) override { begin(reference); }
  void resume(const Moment&, const Motion& reference) override {
    // on the curve it goes on where it was; the reference comes back to it by itself
    if (t_ < approach_.duration()) begin(reference);
  }
  bool ends() const override { return true; }
  MotionKind asks_for() const override { return MotionKind::kJoints; }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    if (!approach_.planned()) return {SourceStatus::kLost, reason_of(approach_.error().reason), {}};
    t_ += moment.dt;
    const double approach = approach_.duration();
    const MotionState state = path_ && t_ >= approach ? path_->at(t_ - approach) : approach_.at(t_);
    wanted.q = state.q;
    wanted.v = state.v;
    wanted.a = state.a;
    return {t_ >= approach + (path_ ? path_->duration() : 0.0) ? SourceStatus::kDone
                                                               : SourceStatus::kActive};
  }
  void state(StateArchive& archive) override {
    for (Coordinates* c : {&from_.q, &from_.v, &from_.a})
      for (Eigen::Index i = 0; i < c->size(); ++i) archive((*c)[i]);
    archive(t_);
    if (archive.loading()) approach_.start(from_, {&first_, 1}, limits_);
  }

 private:
  void begin(const Motion& from) {
    from_.q = from.q;
    from_.v = from.v;
    from_.a = from.a;
    within(from_, limits_);
    t_ = 0.0;
    approach_.start(from_, {&first_, 1}, limits_);
  }

  MotionLimits limits_;
  std::optional<SmoothPath> path_;
  PointToPoint approach_;
  Waypoint first_;
  Coordinates last_;
  MotionState from_;
  double t_ = 0.0;  // [s], of approach and curve
};

}  // namespace

void register_move_modes(ModeRegistry& registry) {
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
          .optional(
              "in", &WaypointConfig::in, text(),
              "a frame of the scene, or an object where it is when the move begins; left out: "
              "the world")
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
  registry.add(
      "move_to",
      object<MoveToConfig>("MoveTo", "a pose reference moves through waypoints")
          .required("task", &MoveToConfig::task, text())
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
              ""),
      "a pose reference moves through waypoints, as fast as its limits allow",
      [](const MoveToConfig& config, const ModeContext& context) {
        outlet_of(context, config.task, true);
        return std::make_unique<MoveMode>(
            config.task,
            fmt::format("moves {} through {} pose{}", config.task, config.waypoints.size(),
                        config.waypoints.size() == 1 ? "" : "s"),
            std::make_unique<MoveTo>(config, context), config.tolerance, context);
      });
  const auto share = number().above(0).max(1);
  const auto joint_waypoint =
      object<JointWaypointConfig>("JointWaypoint")
          .optional("q", &JointWaypointConfig::q, dynamic_vector("rad"), "one a joint of the task")
          .optional("pose", &JointWaypointConfig::pose, text(), "a pose that the robot names")
          .optional("v", &JointWaypointConfig::v, dynamic_vector("rad/s"),
                    "passes with these velocities; left out: stops");
  const auto joint_schema = [&](const char* name, const char* doc) {
    return object<MoveJointsConfig>(name, doc)
        .required("task", &MoveJointsConfig::task, text(), "a posture")
        .required("waypoints", &MoveJointsConfig::waypoints,
                  list(joint_waypoint).min_size(1).max_size(64))
        .optional("speed", &MoveJointsConfig::speed, share, "share of the joints' limits")
        .optional("acceleration", &MoveJointsConfig::acceleration, share)
        .optional("jerk", &MoveJointsConfig::jerk, share);
  };
  registry.add("move_joints", joint_schema("MoveJoints", "joints move through waypoints"),
               "a posture reference moves through waypoints, as fast as its limits allow",
               [](const MoveJointsConfig& config, const ModeContext& context) {
                 const PostureTask& task = posture_of(config.task, context);
                 auto move = std::make_unique<MoveJoints>(config, task, context);
                 const JointMove& source = *move;
                 return std::make_unique<JointMoveMode>(
                     task,
                     fmt::format("moves the joints of {} through {} points", config.task,
                                 config.waypoints.size()),
                     source, std::move(move), context);
               });
  registry.add(
      "move_along",
      joint_schema("MoveAlong",
                   "joints move along a smooth curve through the waypoints; to a single one as "
                   "move_joints does"),
      "a posture reference moves along a smooth curve, the fastest without a limit of jerk",
      [](const MoveJointsConfig& config, const ModeContext& context) {
        const PostureTask& task = posture_of(config.task, context);
        for (const auto& w : config.waypoints)
          if (w.v)
            throw InputError(
                "a smooth curve has no passing velocities; take v away, or use move_joints");
        auto move = std::make_unique<MoveAlong>(config, task, context);
        const JointMove& source = *move;
        return std::make_unique<JointMoveMode>(
            task,
            config.waypoints.size() == 1
                ? fmt::format("moves the joints of {} to a point", config.task)
                : fmt::format("moves the joints of {} along a curve through {} points", config.task,
                              config.waypoints.size()),
            source, std::move(move), context);
      });
}

}  // namespace handspan
