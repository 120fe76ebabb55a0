#include "control/frame_task.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace handspan {

bool is_sane(const PoseReference& r) {
  return r.X_WE.p.allFinite() && r.X_WE.R.allFinite() && r.V_WE.allFinite() && r.A_WE.allFinite() &&
         r.X_WE.p.norm() < 1e3 && r.V_WE.norm() < 1e3 && r.A_WE.norm() < 1e5 &&
         (r.X_WE.R * r.X_WE.R.transpose()).isIdentity(1e-6) && r.X_WE.R.determinant() > 0.0;
}

Eigen::Vector3d orientation_error(const Eigen::Matrix3d& R_WE, const Eigen::Matrix3d& R_WE_ref) {
  return R_WE * log_so3(R_WE.transpose() * R_WE_ref);
}

FrameTask::FrameTask(const FrameTaskConfig& config, const TaskContext& context)
    : Task(context.name, static_cast<int>(chosen_axes(config.axes, context.name).size()), config),
      config_(config),
      frame_(context.system.frame(config.frame)),
      selected_(chosen_axes(config.axes, context.name)) {
  const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
  J_ = Matrix6Xd::Zero(6, m.model->nv());
  blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(rows(), m.model->nv())});
  if (!config.orientation_stiffness) return;
  if (config.stiffness == 0.0)
    throw InputError(fmt::format(
        "the task '{}' has a stiffness of 0, to which its orientation_stiffness has no ratio; give "
        "it a stiffness, or use a position and an orientation task",
        context.name));
  stiffness_ratio_ = *config.orientation_stiffness / config.stiffness;
  damping_ratio_ = std::sqrt(stiffness_ratio_);
}

void FrameTask::set_reference(const PoseReference& reference) {
  if (is_sane(reference))
    reference_ = reference;
  else
    ++rejected_;
}

Vector6d FrameTask::counted_axes() const {
  Vector6d counted = Vector6d::Zero();
  for (const int axis : selected_) {
    counted[axis] = 1.0;
    if (config_.axes_of == TaskAxes::kFrame) counted.segment<3>(axis < 3 ? 0 : 3).setOnes();
  }
  return counted;
}

void FrameTask::hold(const ControlSystem& system, ControlState& state) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  X_WE_ = frame_pose(*system.mechanisms()[m].model, state.mechanisms[m].data, frame_.frame);
  V_WE_.setZero();
  reference_ = {X_WE_, Vector6d::Zero(), Vector6d::Zero()};
}

void FrameTask::state(StateArchive& archive) {
  Task::state(archive);
  archive(reference_, pose_error_, X_WE_.p, X_WE_.R, V_WE_);
}

double FrameTask::saturation(double linear, double angular) const {
  double scale = 1.0;
  // the speed that an error e comes to under kp e + kd (0 - v) = 0: its gain times e
  const double turning = gain() * damping_ratio_;
  const auto limit = [&](double wanted, double most) {
    if (wanted > most) scale = std::min(scale, most / wanted);
  };
  if (config_.speed) limit(gain() * linear, *config_.speed);
  if (config_.angular_speed) limit(turning * angular, *config_.angular_speed);
  if (config_.deceleration) limit(gain() * linear, std::sqrt(2.0 * *config_.deceleration * linear));
  return scale;
}

void FrameTask::fill(const ControlSystem& system, ControlState& state) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  const RobotModel& model = *system.mechanisms()[m].model;
  RobotData& data = state.mechanisms[m].data;
  const Pose& X_WE = X_WE_ = frame_pose(model, data, frame_.frame);
  const Vector6d& V = V_WE_ = frame_velocity(model, data, frame_.frame);
  frame_jacobian(model, data, frame_.frame, J_);

  pose_error_ << reference_.X_WE.p - X_WE.p, orientation_error(X_WE.R, reference_.X_WE.R);
  const double scale = saturation(pose_error_.head<3>().norm(), pose_error_.tail<3>().norm());
  Vector6d wanted =
      reference_.A_WE + damping() * (reference_.V_WE - V) + stiffness() * scale * pose_error_;
  if (stiffness_ratio_ != 1.0)
    wanted.tail<3>() += (damping_ratio_ - 1.0) * damping() * (reference_.V_WE - V).tail<3>() +
                        (stiffness_ratio_ - 1.0) * stiffness() * scale * pose_error_.tail<3>();
  wanted.tail<3>() -= V.tail<3>().cross(Eigen::Vector3d(reference_.V_WE.tail<3>() - V.tail<3>()));
  // so that absurd references ask for no more than what fits the limits' numbers
  const double excess = std::max({wanted.head<3>().norm() / kMostTaskAcceleration,
                                  wanted.tail<3>().norm() / kMostTaskAngularAcceleration, 1.0});
  wanted /= excess;
  wanted -= frame_bias_acceleration(model, data, frame_.frame);

  Vector6d error = pose_error_;
  if (config_.axes_of == TaskAxes::kFrame) {
    const Eigen::Matrix3d R_EW = X_WE.R.transpose();
    for (int half = 0; half < 6; half += 3) {
      // column by column: no temporary of the size of J
      for (Eigen::Index c = 0; c < J_.cols(); ++c)
        J_.block<3, 1>(half, c) = Eigen::Vector3d(R_EW * J_.block<3, 1>(half, c));
      wanted.segment<3>(half) = Eigen::Vector3d(R_EW * wanted.segment<3>(half));
      error.segment<3>(half) = Eigen::Vector3d(R_EW * error.segment<3>(half));
    }
  }
  demand_ = 0.0;
  for (std::size_t row = 0; row < selected_.size(); ++row) {
    const int axis = selected_[row];
    const auto r = static_cast<Eigen::Index>(row);
    blocks_[0].A.row(r) = J_.row(axis);
    b_[r] = wanted[axis];
    error_[r] = error[axis];
    w_[r] = weight() * (axis < 3 ? 1.0 : config_.orientation_weight);
    demand_ += w_[r] * error[axis] * error[axis];
  }
  demand_ = scale / excess * std::sqrt(weight() * demand_);
}

void register_frame_tasks(TaskRegistry& registry) {
  const auto axes_of = choice<TaskAxes>({{"world", TaskAxes::kWorld}, {"frame", TaskAxes::kFrame}});
  const auto base = [&](const char* name, const char* doc) {
    return with_gains(object<FrameTaskConfig>(name, doc))
        .required("frame", &FrameTaskConfig::frame, text(), "such as left.tcp")
        .optional("axes_of", &FrameTaskConfig::axes_of, axes_of, "in which axes its rows are");
  };
  const auto with_speed = [](const ObjectSchema<FrameTaskConfig>& schema) {
    return schema
        .optional("speed", &FrameTaskConfig::speed, number("m/s").above(0),
                  "most that it asks for on the way to a far goal")
        .optional("deceleration", &FrameTaskConfig::deceleration, number("m/s^2").above(0),
                  "with which it plans to arrive");
  };
  const auto with_angular_speed = [](const ObjectSchema<FrameTaskConfig>& schema) {
    return schema.optional("angular_speed", &FrameTaskConfig::angular_speed,
                           number("rad/s").above(0));
  };
  const auto make = [](int first, std::size_t size) {
    return [first, size](FrameTaskConfig config, const TaskContext& context) {
      std::vector<bool> axes(6, false);
      for (std::size_t i = 0; i < size; ++i)
        axes[static_cast<std::size_t>(first) + i] = config.axes.empty() || config.axes[i];
      config.axes = axes;
      return std::make_unique<FrameTask>(config, context);
    };
  };
  registry.add("position",
               with_speed(base("PositionTask", "position of a frame"))
                   .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(3),
                             "x, y, z; default all"),
               "position of a frame in the world", make(0, 3));
  registry.add("orientation",
               with_angular_speed(base("OrientationTask", "orientation of a frame"))
                   .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(3),
                             "about x, y, z; default all"),
               "orientation of a frame in the world", make(3, 3));
  registry.add("pose",
               with_angular_speed(with_speed(base("PoseTask", "pose of a frame")))
                   .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(6),
                             "x, y, z, then about x, y, z; default all")
                   .optional("orientation_weight", &FrameTaskConfig::orientation_weight,
                             number("m^2/rad^2").min(0).max(1e3), "of rotation against translation")
                   .optional("orientation_stiffness", &FrameTaskConfig::orientation_stiffness,
                             number("1/s^2").min(0).max(kMostStiffness),
                             "of rotation; left out: the stiffness. The damping ratio is the same"),
               "position and orientation of a frame in the world", make(0, 6));
}

}  // namespace handspan
