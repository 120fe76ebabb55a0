// One file, since both ways to move joints share the plan, the hold and the way on after it.
#include "session/joint_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "control/posture_task.hpp"
#include "control/whole_arm.hpp"
#include "core/error.hpp"
#include "core/named.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "plan/smooth_path.hpp"
#include "scene/scene.hpp"
#include "session/follow_mode.hpp"
#include "session/plan_refusal.hpp"

namespace handspan {
namespace {

struct JointWaypointConfig {
  std::optional<JointValues> q;
  std::optional<Eigen::VectorXd> v;
  std::optional<std::string> pose;
};

struct MoveJointsConfig {
  std::string task;
  std::vector<JointWaypointConfig> waypoints;
  double speed = 0.5, acceleration = 0.5, jerk = 0.5;  // shares of the limits
};

// values of a robot's named pose for the rows of a posture task
Eigen::VectorXd named_pose(const std::string& name, const PostureTask& task,
                           const SourceContext& context) {
  const Mechanism& m =
      context.arms->system().mechanisms()[static_cast<std::size_t>(task.mechanism())];
  const RobotInstance& robot = *context.scene->robot(m.name);
  const NamedPose& pose = robot.poses[find_named(fmt::format("'{}'", m.name), "pose", name,
                                                 robot.poses, &NamedPose::name)];
  std::vector<std::string> first;  // the robot's own names, as poses have them
  for (const auto& joint : robot.groups.front().joints)
    first.push_back(joint.substr(m.name.size() + 1));
  Eigen::VectorXd values(task.rows());
  for (Eigen::Index r = 0; r < values.size(); ++r) {
    const std::string& joint = task.joint_names()[static_cast<std::size_t>(r)];
    const auto value = pose.of(joint.substr(m.name.size() + 1), first);
    if (!value)
      throw InputError(
          fmt::format("the pose '{}' of '{}' says nothing of the joint '{}'; add it in robot.yaml "
                      "(poses.{}, by "
                      "joint names), or give the task the joints that the pose has",
                      name, m.name, joint, name));
    values[r] = *value;
  }
  return values;
}

Eigen::VectorXd goal_of(const JointWaypointConfig& w, const PostureTask& task,
                        const SourceContext& context) {
  if (w.q.has_value() == w.pose.has_value())
    throw InputError("a waypoint needs either q or the name of a pose");
  if (w.q && w.q->list && w.q->list->size() != task.rows())
    throw InputError(fmt::format("a waypoint has {} values for the {} joints of '{}'",
                                 w.q->list->size(), task.rows(), task.name()));
  const Mechanism& m =
      context.arms->system().mechanisms()[static_cast<std::size_t>(task.mechanism())];
  const Eigen::VectorXd q = w.pose ? named_pose(*w.pose, task, context)
                                   : values_for(*w.q, task.joint_names(), m.name + ".", {});
  for (Eigen::Index r = 0; r < q.size(); ++r) {
    const JointLimits& l = task.limits()[static_cast<std::size_t>(r)];
    if (!l.continuous && (q[r] < l.lower || q[r] > l.upper))
      throw InputError(
          fmt::format("a waypoint asks joint {} of '{}' for {:.4g} rad; it may be from "
                      "{:.4g} to {:.4g}",
                      r + 1, task.name(), q[r], l.lower, l.upper));
  }
  return q;
}

PostureTask& posture_of(const std::string& name, const SourceContext& context) {
  if (context.arms == nullptr)
    throw InputError("the app has no whole_arm, and so no joints to move");
  auto* posture = dynamic_cast<PostureTask*>(&context.arms->task(name));
  if (posture == nullptr) {
    const std::string_view kind = context.arms->task(name).reference_kind();
    throw InputError(fmt::format("the reference of '{}' is of the kind '{}', and this moves '{}'{}",
                                 name, kind, kJointsKind,
                                 kind == kPoseKind ? "; use move_to" : ""));
  }
  auto& task = *posture;
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

// A plan from a state beyond its limits would take long ways to brake within them. So it starts
// within them, and the reference is braked into it by its own limits.
void within(MotionState& from, const MotionLimits& limits) {
  from.v = from.v.cwiseMax(-limits.velocity).cwiseMin(limits.velocity);
  from.a = from.a.cwiseMax(-limits.acceleration).cwiseMin(limits.acceleration);
}

/// Joints on their way through points. It says before each way which way round they go: "joint1
/// +90.0 deg, joint6 -30.0 deg". With joints that turn without end nobody could tell from the goal.
class JointMove : public Source {
 public:
  JointMove(const PostureTask& task, const SourceContext& context) : task_(task.name()) {
    const RobotModel& model =
        *context.arms->system().mechanisms()[static_cast<std::size_t>(task.mechanism())].model;
    for (const auto& name : task.joint_names()) {
      const bool turns = model.joint(name).type == JointType::kRevolute;
      // "arm.joint1" is joint1 of the task's robot
      joints_.push_back(
          {name.substr(name.find('.') + 1), turns ? 180.0 / M_PI : 1e3, turns ? "deg" : "mm"});
    }
  }

  void start(const Moment& moment, const Motion& reference) final {
    start_from(reference);
    tell(moment, 0, reference.q);
    said_ = 0;
  }
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) final {
    const SourceAnswer answer = go_on(moment.dt, wanted);
    for (const int now = next(); said_ < now;) {
      ++said_;
      tell(moment, said_, point(said_ - 1));
    }
    return answer;
  }
  bool ends() const override { return true; }
  std::string_view asks_for() const override { return kJointsKind; }
  void state(StateArchive& archive) override { archive(said_); }

 protected:
  virtual void start_from(const Motion& reference) = 0;
  virtual SourceAnswer go_on(double dt, Motion& wanted) = 0;
  virtual int points() const = 0;
  /// The point that it goes to now.
  virtual int next() const = 0;
  virtual const Coordinates& point(int k) const = 0;

 private:
  template <class Vector>
  void tell(const Moment& at, int k, const Vector& from) const {
    if (at.events == nullptr) return;
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
    const Coordinates& to = point(k);
    if (points() > 1) add("to point {} of {}: ", k + 1, points());
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
    at.events->add("move", task_, std::string_view(text, used));
  }

  static constexpr double kLeastTold = 0.05;  // [deg], [mm]
  struct Joint {
    std::string name;
    double scale;
    const char* unit;
  };
  std::string task_;
  std::vector<Joint> joints_;
  int said_ = 0;
};

class MoveJoints : public JointMove {
 public:
  MoveJoints(const MoveJointsConfig& config, const PostureTask& task, const SourceContext& context)
      : JointMove(task, context),
        limits_(limits_of(config, task)),
        plan_(static_cast<int>(config.waypoints.size())) {
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

  void resume(const Moment&, const Motion& reference) override {
    if (plan_.planned()) first_ += plan_.waypoint(t_);
    begin(reference);
  }
  std::string text() const override {
    return fmt::format("moves its joints through {} points", waypoints_.size());
  }
  void state(StateArchive& archive) override {
    JointMove::state(archive);
    for (Coordinates* c : {&from_.q, &from_.v, &from_.a})
      for (Eigen::Index i = 0; i < c->size(); ++i) archive((*c)[i]);
    archive(t_, first_);
    if (!archive.loading()) return;
    first_ = std::clamp(first_, 0, static_cast<int>(waypoints_.size()) - 1);
    plan();
  }

 protected:
  void start_from(const Motion& reference) override {
    first_ = 0;
    begin(reference);
  }
  int points() const override { return static_cast<int>(waypoints_.size()); }
  int next() const override {
    return std::min(first_ + (plan_.planned() ? plan_.waypoint(t_) : 0), points() - 1);
  }
  const Coordinates& point(int k) const override {
    return waypoints_[static_cast<std::size_t>(k)].q;
  }
  SourceAnswer go_on(double dt, Motion& wanted) override {
    if (!plan_.planned()) return {SourceStatus::kLost, reason_of(plan_.error().reason), {}};
    t_ += dt;
    const MotionState state = plan_.at(std::min(t_, plan_.duration()));
    wanted.q = state.q;
    wanted.v = state.v;
    wanted.a = state.a;
    return {t_ >= plan_.duration() ? SourceStatus::kDone : SourceStatus::kActive};
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
  MoveAlong(const MoveJointsConfig& config, const PostureTask& task, const SourceContext& context)
      : JointMove(task, context),
        limits_(limits_of(config, task)),
        approach_(1),
        count_(config.waypoints.size()) {
    SmoothPathConfig path;
    path.velocity = limits_.velocity;
    path.acceleration = limits_.acceleration;
    for (const auto& w : config.waypoints) {
      if (w.v)
        throw InputError(
            "a smooth curve has no passing velocities; take v away, or use move_joints");
      path.waypoints.push_back(goal_of(w, task, context));
    }
    first_.q = path.waypoints.front();
    last_ = path.waypoints.back();
    from_.q = first_.q;
    from_.v = from_.a = Coordinates::Zero(first_.q.size());
    if (path.waypoints.size() > 1) path_.emplace(path);
  }

  void resume(const Moment&, const Motion& reference) override {
    // on the curve it goes on where it was; the reference comes back to it by itself
    if (t_ < approach_.duration()) begin(reference);
  }
  std::string text() const override {
    return path_ ? fmt::format("moves its joints along a curve through {} points", count_)
                 : std::string("moves its joints to a point");
  }
  void state(StateArchive& archive) override {
    JointMove::state(archive);
    for (Coordinates* c : {&from_.q, &from_.v, &from_.a})
      for (Eigen::Index i = 0; i < c->size(); ++i) archive((*c)[i]);
    archive(t_);
    if (archive.loading()) approach_.start(from_, {&first_, 1}, limits_);
  }

 protected:
  void start_from(const Motion& reference) override { begin(reference); }
  // the curve's beginning and its end
  int points() const override { return path_ ? 2 : 1; }
  int next() const override { return !path_ || t_ < approach_.duration() ? 0 : 1; }
  const Coordinates& point(int k) const override { return k == 0 ? first_.q : last_; }
  SourceAnswer go_on(double dt, Motion& wanted) override {
    if (!approach_.planned()) return {SourceStatus::kLost, reason_of(approach_.error().reason), {}};
    t_ += dt;
    const double approach = approach_.duration();
    const MotionState state = path_ && t_ >= approach ? path_->at(t_ - approach) : approach_.at(t_);
    wanted.q = state.q;
    wanted.v = state.v;
    wanted.a = state.a;
    return {t_ >= approach + (path_ ? path_->duration() : 0.0) ? SourceStatus::kDone
                                                               : SourceStatus::kActive};
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
  std::size_t count_;  // of points
  MotionState from_;
  double t_ = 0.0;  // [s], of approach and curve
};

Schema<MoveJointsConfig> joint_move_schema(const char* name, const char* doc) {
  const auto share = number().above(0).max(1);
  const auto waypoint =
      object<JointWaypointConfig>("JointWaypoint")
          .optional("q", &JointWaypointConfig::q, joint_values(), "one a joint of the task")
          .optional("pose", &JointWaypointConfig::pose, text(), "a pose that the robot names")
          .optional("v", &JointWaypointConfig::v, dynamic_vector("rad/s"),
                    "passes with these velocities; left out: stops");
  return object<MoveJointsConfig>(name, doc)
      .required("task", &MoveJointsConfig::task, text(), "a posture")
      .required("waypoints", &MoveJointsConfig::waypoints, list(waypoint).min_size(1).max_size(64))
      .optional("speed", &MoveJointsConfig::speed, share, "share of the joints' limits")
      .optional("acceleration", &MoveJointsConfig::acceleration, share)
      .optional("jerk", &MoveJointsConfig::jerk, share);
}

template <class Move>
void add_joint_move(Parts& parts, const char* name, const char* schema, const char* doc,
                    const char* words) {
  const auto make = [](const MoveJointsConfig& config, const SourceContext& context) {
    return std::make_unique<Move>(config, posture_of(config.task, context), context);
  };
  parts.of<SourceRegistry>().add(
      name, joint_move_schema((std::string(schema) + "Source").c_str(), doc), words,
      [make](const MoveJointsConfig& config, const SourceContext& context) {
        return make(config, context);
      });
  parts.of<ModeRegistry>().add(name, joint_move_schema(schema, doc), words,
                               [make](const MoveJointsConfig& config, const ModeContext& context) {
                                 return std::make_unique<FollowMode>(
                                     config.task, make(config, source_context(context)), context);
                               });
}

}  // namespace

void register_joint_moves(Parts& parts) {
  add_joint_move<MoveJoints>(parts, "move_joints", "MoveJoints", "joints move through waypoints",
                             "moves joints through waypoints, as fast as their limits allow");
  add_joint_move<MoveAlong>(
      parts, "move_along", "MoveAlong",
      "joints move along a smooth curve through the waypoints; to a single one as move_joints does",
      "moves joints along a smooth curve, the fastest without a limit of jerk");
}

}  // namespace handspan
