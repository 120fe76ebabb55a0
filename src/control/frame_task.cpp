#include "control/frame_task.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace {

// of an error that is as good as none it does not matter who made it [m]
constexpr double kLeastLed = 1e-4;

}  // namespace

bool is_sane(const PoseReference& r) {
  return r.X_WE.p.allFinite() && r.X_WE.R.allFinite() && r.V_WE.allFinite() && r.A_WE.allFinite() &&
         r.X_WE.p.norm() < 1e3 && r.V_WE.norm() < 1e3 && r.A_WE.norm() < 1e5 &&
         (r.X_WE.R * r.X_WE.R.transpose()).isIdentity(1e-6) && r.X_WE.R.determinant() > 0.0;
}

Eigen::Vector3d orientation_error(const Eigen::Matrix3d& R_WE, const Eigen::Matrix3d& R_WE_ref) {
  return R_WE * log_so3(R_WE.transpose() * R_WE_ref);
}

FrameTask::FrameTask(const FrameTaskConfig& config, const TaskContext& context)
    : FeedbackTask(context.name, static_cast<int>(chosen_axes(config.axes, context.name).size()),
                   config),
      config_(config),
      frame_(context.system.frame(config.frame)),
      selected_(chosen_axes(config.axes, context.name)),
      keeps_(config.keep_direction.value_or(false)),
      way_(context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)]) {
  const Mechanism& m = context.system.mechanisms()[static_cast<std::size_t>(frame_.mechanism)];
  J_ = Matrix6Xd::Zero(6, m.model->nv());
  blocks_.push_back({m.offset, Eigen::MatrixXd::Zero(rows(), m.model->nv())});
  if (config.gains) add_gains(*config.gains, context);
  if (config.stiffness_unit == StiffnessUnit::kNewtonPerMetre) {
    if (config.speed || config.angular_speed || config.deceleration)
      throw InputError(fmt::format(
          "the task '{}' is a spring (stiffness_unit: N/m) and has a speed or deceleration, which "
          "need a stiffness in 1/s^2; leave them out, or limit its reference",
          context.name));
    inertia_ = Eigen::LLT<Eigen::MatrixXd>(m.model->nv());
    accelerations_ = Eigen::MatrixXd::Zero(m.model->nv(), 6);
    return;
  }
  if (!config.orientation_stiffness) return;
  if (config.stiffness == 0.0)
    throw InputError(fmt::format(
        "the task '{}' has a stiffness of 0, to which its orientation_stiffness has no ratio; give "
        "it a stiffness, or use a position and an orientation task",
        context.name));
  stiffness_ratio_ = *config.orientation_stiffness / config.stiffness;
  damping_ratio_ = std::sqrt(stiffness_ratio_);
}

void FrameTask::add_gains(const AxisGainsConfig& gains, const TaskContext& context) {
  const bool given = gains.stiffness || gains.damping;
  if (given && config_.stiffness_unit == StiffnessUnit::kNewtonPerMetre)
    throw InputError(fmt::format(
        "the task '{}' is a spring (stiffness_unit: N/m) and has gains of each axis, which are in "
        "1/s^2; leave one of the two out",
        context.name));
  if (given && config_.orientation_stiffness)
    throw InputError(
        fmt::format("the task '{}' has an orientation_stiffness and gains of each axis, which say "
                    "the same; leave one of the two out",
                    context.name));
  use_gains(gains, context, selected_.front() > 2);
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

std::vector<Task::Row> FrameTask::error_rows() const { return axis_rows(selected_, "m", "rad"); }

void FrameTask::hold(const ControlSystem& system, ControlState& state) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  X_WE_ = frame_pose(*system.mechanisms()[m].model, state.mechanisms[m].data, frame_.frame);
  V_WE_.setZero();
  led_way_ = led_ = 0.0;
  reference_ = {X_WE_, Vector6d::Zero(), Vector6d::Zero()};
}

void FrameTask::state(StateArchive& archive) {
  FeedbackTask::state(archive);
  archive(reference_, pose_error_, led_way_, led_, X_WE_.p, X_WE_.R, V_WE_, way_);
}

void FrameTask::find_led(double dt) {
  const Eigen::Vector3d e = pose_error_.head<3>();
  const double distance = e.norm();
  const double goes = distance > 0.0 ? reference_.V_WE.head<3>().dot(e) / distance : 0.0;  // [m/s]
  led_way_ = std::clamp(led_way_ + goes * dt, 0.0, distance);
  led_ = distance > kLeastLed ? led_way_ / distance : 0.0;
}

// What draws it to a reference that goes at V and is e away, of which `scale` counts.
Vector6d FrameTask::towards(const Vector6d& V, const Vector6d& e, double scale) const {
  Vector6d pull = damping() * V + stiffness() * scale * e;
  if (stiffness_ratio_ != 1.0)
    pull.tail<3>() += (damping_ratio_ - 1.0) * damping() * V.tail<3>() +
                      (stiffness_ratio_ - 1.0) * stiffness() * scale * e.tail<3>();
  return pull;
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
  if (state.mechanisms[m].due) find_led(state.mechanisms[m].dt);
  const bool even = feedback_.even();
  feedback_.orient(system, state, frame_.mechanism, X_WE.R);
  const Vector6d near = even ? pose_error_ : feedback_.approach(pose_error_);
  const double scale = saturation(near.head<3>().norm(), near.tail<3>().norm());
  // towards the reference, and against the motion that there is
  Vector6d pull, drag;
  double damps = damping();  // [1/s]
  if (config_.stiffness_unit == StiffnessUnit::kNewtonPerMetre) {
    add_spring(state.mechanisms[m], V, pull, drag, damps);
  } else {
    const Vector6d e = even ? pose_error_ : feedback_.position(pose_error_);
    pull = towards(even ? reference_.V_WE : feedback_.velocity(reference_.V_WE), e, scale);
    drag = damping() * (even ? V : feedback_.velocity(V));
    drag.tail<3>() *= damping_ratio_;
  }
  wanted_twist_ = reference_.V_WE;
  if (damps > 0.0) {
    wanted_twist_ = pull / damps;
    wanted_twist_.tail<3>() /= damping_ratio_;
  }
  pull += reference_.A_WE;
  Vector6d wanted = pull - drag;
  // of the way that it keeps to: where it goes, whatever of the feedback acts on it
  if (!even && keeps_ && config_.stiffness_unit == StiffnessUnit::kPerSecondSquared)
    pull = towards(reference_.V_WE, near, scale) + reference_.A_WE;
  wanted.tail<3>() -= V.tail<3>().cross(Eigen::Vector3d(reference_.V_WE.tail<3>() - V.tail<3>()));
  // so that absurd references ask for no more than what fits the limits' numbers
  const double excess = std::max({wanted.head<3>().norm() / kMostTaskAcceleration,
                                  wanted.tail<3>().norm() / kMostTaskAngularAcceleration, 1.0});
  wanted /= excess;
  pull /= excess;
  Vector6d bias = frame_bias_acceleration(model, data, frame_.frame);
  wanted -= bias;

  Vector6d error = pose_error_, moves = V;
  Vector6d left = even ? pose_error_ : feedback_.counted(pose_error_);
  if (config_.axes_of == TaskAxes::kFrame)
    turn_to_frame(X_WE.R.transpose(), {&wanted, &error, &left, &pull, &moves, &bias});
  demand_ = 0.0;
  for (std::size_t row = 0; row < selected_.size(); ++row) {
    const int axis = selected_[row];
    const auto r = static_cast<Eigen::Index>(row);
    blocks_[0].A.row(r) = J_.row(axis);
    b_[r] = wanted[axis];
    error_[r] = error[axis];
    w_[r] = weight() * (axis < 3 ? 1.0 : config_.orientation_weight);
    demand_ += w_[r] * left[axis] * left[axis];
  }
  demand_ = scale / excess * std::sqrt(weight() * demand_);
  if (keeps_ && brakes_) way_.clear();
  if (keeps_ && !brakes_) keep(state.mechanisms[m], moves, pull, wanted, bias, damps);
}

void FrameTask::turn_to_frame(const Eigen::Matrix3d& R_EW,
                              std::initializer_list<Vector6d*> vectors) {
  for (int half = 0; half < 6; half += 3) {
    // column by column: no temporary of the size of J
    for (Eigen::Index c = 0; c < J_.cols(); ++c)
      J_.block<3, 1>(half, c) = Eigen::Vector3d(R_EW * J_.block<3, 1>(half, c));
    for (Vector6d* x : vectors) x->segment<3>(half) = Eigen::Vector3d(R_EW * x->segment<3>(half));
  }
}

// The pull is along the wanted twist; what is beyond the speed that the way allows is taken from
// it.
void FrameTask::keep(const MechanismState& state, const Vector6d& V, const Vector6d& pull,
                     const Vector6d& wanted, const Vector6d& bias, double damping) {
  Vector6d roots = Vector6d::Zero(), twist = Vector6d::Zero();
  const double turning = std::sqrt(config_.orientation_weight);
  for (const int axis : selected_) roots[axis] = axis < 3 ? 1.0 : turning;
  if (damping > 0.0) {
    twist = pull / damping;
    twist.tail<3>() /= damping_ratio_;
  }
  const double asked =
      std::hypot(reference_.V_WE.head<3>().norm(), turning * reference_.V_WE.tail<3>().norm());
  way_.update(J_, roots, twist, asked, V, state.q, state.dt);
  const Vector6d& u = way_.direction();
  const double speed = u.dot(roots.cwiseProduct(V));
  Vector6d b = roots.cwiseProduct(wanted);
  const double along = b.dot(u) + u.dot(roots.cwiseProduct(bias));
  b += (way_.limit(along, speed, state.dt) - along) * u;
  // against what is wanted in the weights' metric [m/s]; of the error, that is the reference's
  // doing; wanted [m/s]
  constexpr double kTurnsBack = 0.1, kLed = 0.2, kHasDirection = 0.02;
  // turning back after its reference is braking, whichever way is quickest; where something pushes
  // it off a reference that did not lead it there it keeps to the way back. What hardly moves has
  // no direction, as where it presses against something
  const bool turns_back = speed < -kTurnsBack && led_ > kLed;
  const bool goes = !turns_back && way_.wanted() > kHasDirection;
  const bool narrow = !state.obstructed && !u.isZero(0.0) && goes;
  const double across = narrow ? std::sqrt(kAcross) : 1.0;
  const double b_along = u.dot(b);
  Eigen::MatrixXd& A = blocks_[0].A;
  for (std::size_t row = 0; row < selected_.size(); ++row) {
    const auto r = static_cast<Eigen::Index>(row);
    const int axis = selected_[row];
    A.row(r) *= across * roots[axis];
    b_[r] = across * b[axis] + (1.0 - across) * u[axis] * b_along;
    w_[r] = weight();
  }
  if (narrow)
    for (Eigen::Index c = 0; c < A.cols(); ++c) {
      double J_along = 0.0;
      for (const int axis : selected_) J_along += u[axis] * roots[axis] * J_(axis, c);
      for (std::size_t row = 0; row < selected_.size(); ++row)
        A(static_cast<Eigen::Index>(row), c) += (1.0 - across) * u[selected_[row]] * J_along;
    }
  // near a singular pose it is the shrinking that damps
  if (narrow) demand_ = 0.0;
}

void FrameTask::add_spring(const MechanismState& state, const Vector6d& V, Vector6d& pull,
                           Vector6d& drag, double& damps) {
  using Matrix6d = Eigen::Matrix<double, 6, 6>;
  const double k = stiffness();
  const double turning = config_.orientation_stiffness && config_.stiffness > 0.0
                             ? k * *config_.orientation_stiffness / config_.stiffness
                             : k * kSpringLever;
  inertia_.compute(state.M);
  accelerations_ = J_.transpose();
  inertia_.solveInPlace(accelerations_);
  const Matrix6d mobility = J_.lazyProduct(accelerations_);
  Vector6d root = Vector6d::Zero();
  for (const int axis : selected_) root[axis] = std::sqrt(axis < 3 ? k : turning);
  if (config_.axes_of == TaskAxes::kFrame) root << Vector6d::Constant(std::sqrt(k));
  if (config_.axes_of == TaskAxes::kFrame) root.tail<3>().setConstant(std::sqrt(turning));
  const Vector6d K = root.cwiseProduct(root);
  const bool even = feedback_.even();
  const Vector6d e = even ? pose_error_ : feedback_.position(pose_error_);
  pull.noalias() = mobility * K.cwiseProduct(e);
  const Matrix6d B = root.asDiagonal() * mobility * root.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix6d> modes(B);
  const Vector6d frequency = modes.eigenvalues().cwiseMax(0.0).cwiseSqrt();  // [rad/s]
  damps = 2.0 * std::sqrt(std::max(B.trace(), 0.0) / 6.0);
  const auto damped = [&](const Vector6d& twist) -> Vector6d {
    if (!critically_damped()) {
      Vector6d force = damping() * twist;
      if (k > 0.0) force.tail<3>() *= std::sqrt(turning / k);
      return mobility * force;
    }
    const Vector6d in_modes = modes.eigenvectors().transpose() * root.cwiseProduct(twist);
    const Vector6d out = modes.eigenvectors() * (2.0 * frequency.cwiseProduct(in_modes));
    Vector6d a = Vector6d::Zero();
    for (int axis = 0; axis < 6; ++axis)
      if (root[axis] > 0.0) a[axis] = out[axis] / root[axis];
    return a;
  };
  pull += damped(even ? reference_.V_WE : feedback_.velocity(reference_.V_WE));
  drag = damped(even ? V : feedback_.velocity(V));
}

// The critical damping of a spring is not one number: it depends on the mass that the arm has at
// the frame. So a spring has no damping to set.
void FrameTask::declare_parameters(PartParameters& parameters) {
  if (config_.stiffness_unit == StiffnessUnit::kPerSecondSquared)
    return Task::declare_parameters(parameters);
  declare_gains(parameters, "N/m", "N s/m", !critically_damped());
  declare_weight(parameters);
}

void register_frame_tasks(TaskRegistry& registry) {
  const auto axes_of = choice<TaskAxes>({{"world", TaskAxes::kWorld}, {"frame", TaskAxes::kFrame}});
  const auto base = [&](const char* name, const char* doc) {
    return with_gains(object<FrameTaskConfig>(name, doc))
        .required("frame", &FrameTaskConfig::frame, text(), "such as left.tcp")
        .optional("axes_of", &FrameTaskConfig::axes_of, axes_of, "in which axes its rows are")
        .optional("keep_direction", &FrameTaskConfig::keep_direction, boolean(),
                  "where joints' limits or a singular pose bind, go slower on the same way rather "
                  "than another way; left out: where hands, jogs or moves drive it");
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
                   .optional("gains", &FrameTaskConfig::gains, axis_gains_schema(3))
                   .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(3),
                             "x, y, z; default all"),
               "position of a frame in the world", make(0, 3));
  registry.add("orientation",
               with_angular_speed(base("OrientationTask", "orientation of a frame"))
                   .optional("gains", &FrameTaskConfig::gains, axis_gains_schema(3))
                   .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(3),
                             "about x, y, z; default all"),
               "orientation of a frame in the world", make(3, 3));
  registry.add("pose",
               with_angular_speed(with_speed(base("PoseTask", "pose of a frame")))
                   .optional("axes", &FrameTaskConfig::axes, list(boolean()).size(6),
                             "x, y, z, then about x, y, z; default all")
                   .optional("gains", &FrameTaskConfig::gains, axis_gains_schema(6))
                   .optional("orientation_weight", &FrameTaskConfig::orientation_weight,
                             number("m^2/rad^2").min(0).max(1e3), "of rotation against translation")
                   .optional("orientation_stiffness", &FrameTaskConfig::orientation_stiffness,
                             number("1/s^2").min(0).max(kMostStiffness),
                             "of rotation; left out: the stiffness. The damping ratio is the "
                             "same. Of a spring [N m/rad]; left out: 0.1 m^2 of its stiffness")
                   .optional("stiffness_unit", &FrameTaskConfig::stiffness_unit,
                             choice<StiffnessUnit>({{"1/s^2", StiffnessUnit::kPerSecondSquared},
                                                    {"N/m", StiffnessUnit::kNewtonPerMetre}}),
                             "N/m: a spring, which gives way along the force that pushes it; "
                             "damping is in N s/m then, and critical when left out"),
               "position and orientation of a frame in the world", make(0, 6));
}

}  // namespace handspan
