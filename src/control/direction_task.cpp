#include "control/direction_task.hpp"

#include <fmt/format.h>

#include "control/frame_task.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

Eigen::Vector3d unit(const Eigen::Vector3d& v, const std::string& task, const char* key) {
  if (!(v.norm() > 1e-9))
    throw InputError(
        fmt::format("the {} of the task '{}' has no length; give a direction", key, task));
  return v.normalized();
}

}  // namespace

DirectionTask::DirectionTask(const DirectionTaskConfig& config, const TaskContext& context)
    : FeedbackTask(context.name, 3, config),
      frame_(context.system.frame(config.frame)),
      axis_(unit(config.axis, context.name, "axis")),
      direction_(unit(config.direction, context.name, "direction")) {
  const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
  J_ = Matrix6Xd::Zero(6, m.model->nv());
  blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(3, m.model->nv())});
  if (config.gains) use_gains(*config.gains, context, true);
}

void DirectionTask::set_reference(const Eigen::Vector3d& direction, const Eigen::Vector3d& omega_W,
                                  const Eigen::Vector3d& alpha_W) {
  const double length = direction.norm();
  if (!(length > 1e-9) || !(length < 1e9) || !(omega_W.norm() < 1e3) || !(alpha_W.norm() < 1e5)) {
    ++rejected_;
    return;
  }
  direction_ = direction / length;
  omega_ = omega_W;
  alpha_ = alpha_W;
  driven_ = true;
}

std::vector<Task::Row> DirectionTask::error_rows() const {
  const int about[] = {3, 4, 5};
  return axis_rows(about, "m", "rad");
}

void DirectionTask::hold(const ControlSystem& system, ControlState& state) {
  omega_.setZero();
  alpha_.setZero();
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  points_ =
      frame_pose(*system.mechanisms()[m].model, state.mechanisms[m].data, frame_.frame).R * axis_;
  if (driven_) direction_ = points_;
}

void DirectionTask::state(StateArchive& archive) {
  FeedbackTask::state(archive);
  archive(direction_, omega_, alpha_, points_, driven_);
}

void DirectionTask::fill(const ControlSystem& system, ControlState& state) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  const RobotModel& model = *system.mechanisms()[m].model;
  RobotData& data = state.mechanisms[m].data;
  const Eigen::Matrix3d R_WE = frame_pose(model, data, frame_.frame).R;
  const Eigen::Vector3d d = points_ = R_WE * axis_;
  const Eigen::Vector3d omega = frame_velocity(model, data, frame_.frame).tail<3>();
  const Eigen::Vector3d bias = frame_bias_acceleration(model, data, frame_.frame).tail<3>();
  frame_jacobian(model, data, frame_.frame, J_);

  Eigen::Vector3d turn = d.cross(direction_);
  const double sine = turn.norm(), angle = std::atan2(sine, d.dot(direction_));
  if (sine > 1e-9)
    turn *= angle / sine;
  else
    turn = angle > 1.0 ? Eigen::Vector3d(angle * d.unitOrthogonal()) : Eigen::Vector3d::Zero();
  const Eigen::Matrix3d P = Eigen::Matrix3d::Identity() - d * d.transpose();
  feedback_.orient(system, state, frame_.mechanism, R_WE);
  Eigen::Vector3d goes = omega_ - omega, pull = turn, left = turn;
  if (!feedback_.even()) {
    const auto turning = [](const Eigen::Vector3d& x) {
      Vector6d six;
      six << Eigen::Vector3d::Zero(), x;
      return six;
    };
    goes = feedback_.velocity(turning(goes)).tail<3>();
    pull = feedback_.position(turning(turn)).tail<3>();
    left = feedback_.counted(turning(turn)).tail<3>();
  }
  Eigen::Vector3d wanted = P * (alpha_ + stiffness() * pull + damping() * goes);
  wanted /= std::max(1.0, wanted.norm() / kMostTaskAngularAcceleration);
  blocks_[0].A.noalias() = P * J_.bottomRows<3>();
  b_ = wanted - P * bias;
  error_ = turn;
  w_.setConstant(weight());
  demand_ = weight() * left.norm();
}

void register_direction_task(TaskRegistry& registry) {
  registry.add(
      "direction",
      with_gains(object<DirectionTaskConfig>("DirectionTask", "points an axis of a frame"))
          .required("frame", &DirectionTaskConfig::frame, text(), "such as left.link4")
          .optional("axis", &DirectionTaskConfig::axis, vector<3>(), "in the frame")
          .required("direction", &DirectionTaskConfig::direction, vector<3>(), "in the world")
          .optional("gains", &DirectionTaskConfig::gains, axis_gains_schema(3), "about each axis"),
      "points an axis of a frame along a direction of the world",
      [](const DirectionTaskConfig& config, const TaskContext& context) {
        return std::make_unique<DirectionTask>(config, context);
      });
}

}  // namespace handspan
