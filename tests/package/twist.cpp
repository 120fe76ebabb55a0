// How fast a frame should move, wherever it is, with nothing that keeps its pose: the kind of
// reference `frame_velocity`, the task of that name that follows one, and the source `spin` that
// drives one. The kind `twist` that handspan has keeps limits of jerk and a pose besides. W: world;
// E: the frame that moves.
// Twists are linear first, angular last, of E's origin, in W [m/s, rad/s].
#include <algorithm>
#include <handspan/control/task.hpp>
#include <handspan/core/object.hpp>
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/reference/reference.hpp>
#include <handspan/reference/source.hpp>

using namespace handspan;

namespace {

constexpr char kFrameVelocity[] = "frame_velocity";

// ---- the task

struct TwistTaskConfig : TaskGains {
  std::string frame;
};

// Its error is a velocity, for controllers that ask for velocities. For those that ask for
// accelerations, its rows are V_WE' = damping (V_ref - V_WE).
class TwistTask : public Task {
 public:
  TwistTask(const TwistTaskConfig& config, const TaskContext& context)
      : Task(context.name, 6, config),
        frame_(context.system.frame(config.frame)),
        frame_name_(config.frame) {
    const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
    J_ = Matrix6Xd::Zero(6, m.model->nv());
    blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(6, m.model->nv())});
  }

  std::string_view reference_kind() const override { return kFrameVelocity; }
  std::vector<Row> error_rows() const override {
    return {{"x", "m/s"},         {"y", "m/s"},         {"z", "m/s"},
            {"about x", "rad/s"}, {"about y", "rad/s"}, {"about z", "rad/s"}};
  }
  void set_reference(const Vector6d& V_WE) { V_ref_ = V_WE; }
  const Vector6d& reference() const { return V_ref_; }
  const std::string& frame_name() const { return frame_name_; }
  // of the frame, as it was at the last update
  const Pose& X_WE() const { return X_WE_; }
  const Vector6d& V_WE() const { return V_WE_; }

  void hold(const ControlSystem& system, ControlState& state) override {
    V_ref_.setZero();
    look(system, state);
  }
  void state(StateArchive& archive) override {
    Task::state(archive);
    archive(V_ref_, V_WE_, X_WE_.p, X_WE_.R);
  }

 protected:
  void fill(const ControlSystem& system, ControlState& state) override {
    look(system, state);
    const auto m = static_cast<std::size_t>(frame_.mechanism);
    const RobotModel& model = *system.mechanisms()[m].model;
    RobotData& data = state.mechanisms[m].data;
    frame_jacobian(model, data, frame_.frame, J_);
    blocks_[0].A = J_;
    error_ = V_ref_ - V_WE_;
    b_ = damping() * error_ - frame_bias_acceleration(model, data, frame_.frame);
    w_.setConstant(weight());
  }

 private:
  void look(const ControlSystem& system, const ControlState& state) {
    const auto m = static_cast<std::size_t>(frame_.mechanism);
    const RobotModel& model = *system.mechanisms()[m].model;
    X_WE_ = frame_pose(model, state.mechanisms[m].data, frame_.frame);
    V_WE_ = frame_velocity(model, state.mechanisms[m].data, frame_.frame);
  }

  ControlSystem::FrameOf frame_;
  std::string frame_name_;
  Matrix6Xd J_;
  Pose X_WE_;
  Vector6d V_ref_ = Vector6d::Zero(), V_WE_ = Vector6d::Zero();
};

// ---- its reference

struct TwistLimits {
  double speed = 0.25, angular_speed = 1.0;               // [m/s], [rad/s]
  double acceleration = 0.5, angular_acceleration = 2.0;  // [m/s^2], [rad/s^2]
};

// Goes to the twist that is wanted at its accelerations, no faster than its speeds, and to zero
// when nobody drives it.
class TwistReference : public Reference {
 public:
  // a twist brakes by its own limits: no mechanism's joints are stopped for it
  TwistReference(TwistTask& task, const TwistLimits& limits)
      : Reference(kFrameVelocity, task, -1), task_(task), limits_(limits) {}

  bool is_sane(const Motion& asked) const override { return asked.pose.V_WE.allFinite(); }
  bool arrived() const override { return V() == limited(wanted().pose.V_WE); }
  bool at_rest() const override { return V().isZero(0.0); }

  ReferenceUnits units() const override { return {"m/s", 1e3, "mm/s"}; }
  ReferenceError error(const Pose*) const override {
    const Vector6d error = motion().pose.V_WE - task_.V_WE(),
                   lag = wanted().pose.V_WE - task_.V_WE();
    return {error.head<3>().norm(), error.tail<3>().norm(), lag.head<3>().norm(),
            lag.tail<3>().norm()};
  }
  const Pose* pose() const override { return &task_.X_WE(); }
  std::string frame_name() const override { return task_.frame_name(); }

  void declare(ChannelTable& channels, Rate rate) override {
    twist_channel_ = channels.vector("reference." + name() + ".twist", 6, "m/s, rad/s", rate,
                                     "that the task follows, in W");
    pose_channel_ =
        channels.pose("reference." + name() + ".pose", rate, "of the frame that follows it, in W");
  }
  void publish(ChannelTable& channels, Nanoseconds stamp) const override {
    channels.write(twist_channel_, motion().pose.V_WE, stamp);
    channels.write(pose_channel_, task_.X_WE().p, task_.X_WE().quaternion(), stamp);
  }
  void state(StateArchive& archive) override {
    Reference::state(archive);
    archive(own_);
  }

 protected:
  const Motion& own() const override { return own_; }
  void start_own() override { own_.pose.V_WE = task_.reference(); }
  void rebase_own() override { own_.pose.V_WE.setZero(); }
  void follow_own(const FollowMoment& at, Motion& wanted) override {
    // of each axis the mean of those who have a say in it, by their shares
    Vector6d sum = Vector6d::Zero(), share = Vector6d::Zero();
    for (const Wanted& one : at.wanted)
      for (int axis = 0; axis < 6; ++axis) {
        if (!one.axes[static_cast<std::size_t>(axis)]) continue;
        sum[axis] += one.share * one.motion->pose.V_WE[axis];
        share[axis] += one.share;
      }
    wanted.pose.V_WE.setZero();
    for (int axis = 0; axis < 6; ++axis)
      if (share[axis] > 0.0) wanted.pose.V_WE[axis] = sum[axis] / share[axis];
    go(limited(wanted.pose.V_WE), at.moment.dt);
  }
  void brake_own(double dt, EventList&, Motion&) override { go(Vector6d::Zero(), dt); }
  void give() override { task_.set_reference(motion().pose.V_WE); }

 private:
  const Vector6d& V() const { return own_.pose.V_WE; }

  // the same direction, at most so long
  static Eigen::Vector3d cut(const Eigen::Vector3d& x, double most) {
    const double norm = x.norm();
    return norm <= most ? x : Eigen::Vector3d(most / norm * x);
  }
  Vector6d limited(const Vector6d& V_WE) const {
    Vector6d V;
    V << cut(V_WE.head<3>(), limits_.speed), cut(V_WE.tail<3>(), limits_.angular_speed);
    return V;
  }
  void go(const Vector6d& goal, double dt) {
    const auto step = [dt](const Eigen::Vector3d& from, const Eigen::Vector3d& to, double most) {
      // at the goal exactly, so that it arrives and comes to rest
      return (to - from).norm() <= most * dt ? to
                                             : Eigen::Vector3d(from + cut(to - from, most * dt));
    };
    Vector6d& V = own_.pose.V_WE;
    V << step(V.head<3>(), goal.head<3>(), limits_.acceleration),
        step(V.tail<3>(), goal.tail<3>(), limits_.angular_acceleration);
  }

  TwistTask& task_;
  TwistLimits limits_;
  Motion own_;
  VectorChannel twist_channel_;
  PoseChannel pose_channel_;
};

// ---- a source that drives it

struct SpinConfig {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
  double time = 1.0;  // [s]
};

// The same twist for a time, then none.
class Spin : public Source {
 public:
  explicit Spin(const SpinConfig& config) : config_(config) {}

  std::string_view asks_for() const override { return kFrameVelocity; }
  bool ends() const override { return true; }
  void start(const Moment&, const Motion&) override { t_ = 0.0; }
  // after a hold it goes on with what is left of its time
  void resume(const Moment&, const Motion&) override {}
  SourceAnswer update(const Moment& moment, const Motion&, Motion& wanted) override {
    t_ += moment.dt;
    // half a tick, since a sum of ticks is rounded
    const bool on = t_ < config_.time + 0.5 * moment.dt;
    wanted.pose.V_WE.setZero();
    if (on) wanted.pose.V_WE << config_.linear, config_.angular;
    return {on ? SourceStatus::kActive : SourceStatus::kDone};
  }
  void state(StateArchive& archive) override { archive(t_); }

 private:
  SpinConfig config_;
  double t_ = 0.0;  // since it began [s]
};

}  // namespace

void register_twist(Parts& parts) {
  parts.of<TaskRegistry>().add(
      kFrameVelocity,
      with_gains(object<TwistTaskConfig>("TwistTask"))
          .required("frame", &TwistTaskConfig::frame, text(), "such as left.tcp"),
      "how fast a frame moves", [](const TwistTaskConfig& config, const TaskContext& context) {
        return std::make_unique<TwistTask>(config, context);
      });
  parts.of<ReferenceRegistry>().add(
      kFrameVelocity,
      object<TwistLimits>("TwistLimits")
          .optional("speed", &TwistLimits::speed, number("m/s").above(0))
          .optional("angular_speed", &TwistLimits::angular_speed, number("rad/s").above(0))
          .optional("acceleration", &TwistLimits::acceleration, number("m/s^2").above(0))
          .optional("angular_acceleration", &TwistLimits::angular_acceleration,
                    number("rad/s^2").above(0)),
      "how fast a frame should move",
      [](const TwistLimits& limits, const ReferenceContext& context) {
        auto* task = dynamic_cast<TwistTask*>(&context.task);
        if (task == nullptr)
          throw InputError("the task '" + context.task.name() +
                           "' is not one of a frame's velocity");
        return std::make_unique<TwistReference>(*task, limits);
      });
  parts.of<SourceRegistry>().add(
      "spin",
      object<SpinConfig>("Spin")
          .optional("linear", &SpinConfig::linear, vector<3>("m/s"), "in W")
          .optional("angular", &SpinConfig::angular, vector<3>("rad/s"), "in W")
          .optional("time", &SpinConfig::time, number("s").above(0), "that it lasts"),
      "the same twist for a time", [](const SpinConfig& config, const SourceContext&) {
        return std::make_unique<Spin>(config);
      });
}
