#include "control/relative_pose_task.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace handspan {
namespace {

struct FrameMotion {
  Pose X;
  Vector6d V, bias;
};

FrameMotion motion(const ControlSystem& system, ControlState& state,
                   const ControlSystem::FrameOf& f, Matrix6Xd& J) {
  const auto m = static_cast<std::size_t>(f.mechanism);
  const RobotModel& model = *system.mechanisms()[m].model;
  RobotData& data = state.mechanisms[m].data;
  frame_jacobian(model, data, f.frame, J);
  return {frame_pose(model, data, f.frame), frame_velocity(model, data, f.frame),
          frame_bias_acceleration(model, data, f.frame)};
}

Vector6d turned(const Eigen::Matrix3d& R, const Vector6d& x) {
  Vector6d y;
  y << R * x.head<3>(), R * x.tail<3>();
  return y;
}

}  // namespace

Vector6d relative_velocity(const Pose& X_WA, const Vector6d& V_WA, const Pose& X_WB,
                           const Vector6d& V_WB) {
  const Eigen::Vector3d omega_A = V_WA.tail<3>(), r = X_WB.p - X_WA.p;
  Vector6d V;
  V << X_WA.R.transpose() * (V_WB.head<3>() - V_WA.head<3>() - omega_A.cross(r)),
      X_WA.R.transpose() * (V_WB.tail<3>() - omega_A);
  return V;
}

RelativePoseTask::RelativePoseTask(const RelativePoseTaskConfig& config, const TaskContext& context)
    : FeedbackTask(context.name, static_cast<int>(chosen_axes(config.axes, context.name).size()),
                   config),
      config_(config),
      frame_a_(context.system.frame(config.frame_a)),
      frame_b_(context.system.frame(config.frame_b)),
      selected_(chosen_axes(config.axes, context.name)) {
  if (frame_a_.mechanism == frame_b_.mechanism && frame_a_.frame == frame_b_.frame)
    throw InputError(fmt::format("the task '{}' relates the frame '{}' to itself; name two frames",
                                 context.name, config.frame_a));
  const auto add = [&](const ControlSystem::FrameOf& f, Matrix6Xd& J) {
    const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(f.mechanism)];
    J = Matrix6Xd::Zero(6, m.model->nv());
    blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(rows(), m.model->nv())});
  };
  add(frame_a_, J_a_);
  // two frames of one mechanism share their columns
  if (frame_a_.mechanism != frame_b_.mechanism)
    add(frame_b_, J_b_);
  else
    J_b_ = J_a_;
  if (config.gains) use_gains(*config.gains, context, false);
}

void RelativePoseTask::set_reference(const PoseReference& reference) {
  if (is_sane(reference))
    reference_ = reference;
  else
    ++rejected_;
}

std::vector<Task::Row> RelativePoseTask::error_rows() const {
  return axis_rows(selected_, "m", "rad");
}

void RelativePoseTask::hold(const ControlSystem& system, ControlState& state) {
  const auto pose = [&](const ControlSystem::FrameOf& f) {
    const auto m = static_cast<std::size_t>(f.mechanism);
    return frame_pose(*system.mechanisms()[m].model, state.mechanisms[m].data, f.frame);
  };
  X_AB_ = pose(frame_a_).inverse() * pose(frame_b_);
  V_AB_.setZero();
  reference_ = {X_AB_, Vector6d::Zero(), Vector6d::Zero()};
}

Vector6d RelativePoseTask::counted_axes() const {
  Vector6d counted = Vector6d::Zero();
  for (const int axis : selected_) counted[axis] = 1.0;
  return counted;
}

void RelativePoseTask::state(StateArchive& archive) {
  FeedbackTask::state(archive);
  archive(reference_, X_AB_.p, X_AB_.R, V_AB_);
}

void RelativePoseTask::fill(const ControlSystem& system, ControlState& state) {
  const FrameMotion A = motion(system, state, frame_a_, J_a_),
                    B = motion(system, state, frame_b_, J_b_);
  const Eigen::Matrix3d R_AW = A.X.R.transpose();
  const Eigen::Vector3d r = B.X.p - A.X.p;
  const Eigen::Vector3d omega_A = A.V.tail<3>(), omega_B = B.V.tail<3>();
  const Eigen::Vector3d u = B.V.head<3>() - A.V.head<3>() - omega_A.cross(r);
  Vector6d bias;  // of B relative to A, in A
  const Vector6d& V = V_AB_ = relative_velocity(A.X, A.V, B.X, B.V);
  const Eigen::Vector3d alpha_A = A.bias.tail<3>();
  bias << R_AW * (B.bias.head<3>() - A.bias.head<3>() - alpha_A.cross(r) -
                  omega_A.cross(omega_A.cross(r)) - 2.0 * omega_A.cross(u)),
      R_AW * (B.bias.tail<3>() - A.bias.tail<3>() - omega_A.cross(omega_B));

  Vector6d error;
  X_AB_ = {R_AW * B.X.R, R_AW * r};
  error << reference_.X_WE.p - X_AB_.p, orientation_error(X_AB_.R, reference_.X_WE.R);
  feedback_.orient(system, state, frame_b_.mechanism, B.X.R);
  Vector6d goes = reference_.V_WE - V, pull = error, left = error;
  if (!feedback_.even()) {
    // its gains are of axes that are known in W
    const Vector6d e_W = turned(A.X.R, error);
    goes = turned(R_AW, feedback_.velocity(turned(A.X.R, goes)));
    pull = turned(R_AW, feedback_.position(e_W));
    left = turned(R_AW, feedback_.counted(e_W));
  }
  Vector6d wanted = reference_.A_WE + damping() * goes + stiffness() * pull;
  const double excess = std::max({wanted.head<3>().norm() / kMostTaskAcceleration,
                                  wanted.tail<3>().norm() / kMostTaskAngularAcceleration, 1.0});
  wanted = wanted / excess - bias;

  const bool shared = blocks_.size() == 1;
  const Eigen::Matrix3d r_cross = skew(r);
  demand_ = 0.0;
  for (std::size_t row = 0; row < selected_.size(); ++row) {
    const int axis = selected_[row];
    const auto k = static_cast<Eigen::Index>(row);
    const Eigen::RowVector3d n = R_AW.row(axis % 3);
    auto from_a = blocks_[0].A.row(k);
    auto from_b = blocks_.back().A.row(k);
    if (axis < 3) {
      // -(v_A + omega_A x r) + v_B along n
      from_a.noalias() = -n * J_a_.topRows<3>();
      from_a.noalias() += (n * r_cross) * J_a_.bottomRows<3>();
      if (shared)
        from_b.noalias() += n * J_b_.topRows<3>();
      else
        from_b.noalias() = n * J_b_.topRows<3>();
    } else {
      from_a.noalias() = -n * J_a_.bottomRows<3>();
      if (shared)
        from_b.noalias() += n * J_b_.bottomRows<3>();
      else
        from_b.noalias() = n * J_b_.bottomRows<3>();
    }
    b_[k] = wanted[axis];
    error_[k] = error[axis];
    w_[k] = weight() * (axis < 3 ? 1.0 : config_.orientation_weight);
    demand_ += w_[k] * left[axis] * left[axis];
  }
  demand_ = std::sqrt(weight() * demand_) / excess;
}

void register_relative_pose_task(TaskRegistry& registry) {
  registry.add(
      "relative_pose",
      with_gains(object<RelativePoseTaskConfig>("RelativePoseTask",
                                                "pose of frame B as seen from frame A"))
          .required("frame_a", &RelativePoseTaskConfig::frame_a, text(), "such as left.tcp")
          .required("frame_b", &RelativePoseTaskConfig::frame_b, text(), "such as right.tcp")
          .optional("orientation_weight", &RelativePoseTaskConfig::orientation_weight,
                    number("m^2/rad^2").min(0).max(1e3))
          .optional("axes", &RelativePoseTaskConfig::axes, list(boolean()).size(6),
                    "in A: x, y, z, then about x, y, z")
          .optional("gains", &RelativePoseTaskConfig::gains, axis_gains_schema(6), "tool: frame_b"),
      "relative pose of two frames",
      [](const RelativePoseTaskConfig& config, const TaskContext& context) {
        return std::make_unique<RelativePoseTask>(config, context);
      });
}

}  // namespace handspan
