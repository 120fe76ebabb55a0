#include "session/arm_force.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "control/frame_task.hpp"

namespace handspan {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

// Directions in which the joints move the tool by less than this count for the less, the smaller
// their lever is [m]: on a stretched arm an error of 10 N m would be hundreds of newtons there.
constexpr double kLeastLever = 0.15;
// A torque on the tool is as likely as a force at this distance from it [m].
constexpr double kTorqueLever = 0.22;
// At which dry friction is met in full; below it grows with the speed, since a joint at rest may be
// held either way [rad/s or m/s].
constexpr double kSlidingSpeed = 0.05;

// the frame that a task moves, else the last body of the robot
FrameId tool_of(const WholeArm& arms, int mechanism) {
  for (const auto& task : arms.tasks())
    if (const auto* frame = dynamic_cast<const FrameTask*>(task.get()))
      if (frame->frame().mechanism == mechanism) return frame->frame().frame;
  const auto& model = *arms.system().mechanisms()[static_cast<std::size_t>(mechanism)].model;
  return model.body_frame(static_cast<int>(model.description().bodies.size()) - 1);
}

// adds what the joints' friction takes of the drives' torques at velocity v (nv)
void add_friction(const RobotModel& model, const Eigen::VectorXd& v, Eigen::VectorXd& load) {
  auto slot = model.joints().begin();  // in the order of the description
  for (const BodyDescription& body : model.description().bodies)
    for (const JointDescription& joint : body.joints) {
      if (joint_nv(joint.type) == 1)
        load[slot->v] += joint.damping * v[slot->v] +
                         joint.friction_loss * std::clamp(v[slot->v] / kSlidingSpeed, -1.0, 1.0);
      ++slot;
    }
}

}  // namespace

ArmForce::ArmForce(const WholeArm& arms, int arm, int sensor, double dt)
    : arms_(arms),
      mechanism_(arms.system().mechanisms()[static_cast<std::size_t>(arms.mechanism_of(arm))]),
      state_(arms.state().mechanisms[static_cast<std::size_t>(arms.mechanism_of(arm))]),
      arm_(static_cast<std::size_t>(arm)),
      sensor_(sensor),
      group_(static_cast<std::size_t>(arms.group_of(arm))),
      tool_(tool_of(arms, arms.mechanism_of(arm))),
      data_(*mechanism_.model) {
  const Eigen::Index nv = mechanism_.model->nv();
  const auto columns = std::max<Eigen::Index>(1, std::lround(kForceWindow / dt));
  for (std::size_t k = 0; k < arms.drive(arm).joints(); ++k) {
    places_.push_back(arms.drive(arm).place_in_group(k));
    actuated_.push_back(arms.drive(arm).actuated(k));
  }
  for (std::size_t k = 0; k < mechanism_.actuated.size(); ++k)
    if (!std::ranges::count(actuated_, k)) others_.push_back(mechanism_.actuated[k]);
  window_ = static_cast<double>(columns) * dt;
  ring_ = Eigen::MatrixXd::Zero(sensor_ >= 0 ? 3 : nv, columns);
  speeds_ = Eigen::MatrixXd::Zero(nv, columns);
  q_ = state_.q;
  v_ = load_ = Eigen::VectorXd::Zero(nv);
  sum_ = Eigen::VectorXd::Zero(ring_.rows());
  tau_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(places_.size()));
  J_ = Matrix6Xd::Zero(6, nv);
}

void ArmForce::forget() {
  next_ = filled_ = 0;
  tau_.setZero();
  heard_ = 0;
}

void ArmForce::listen(const Observation& observation) {
  if (sensor_ >= 0) return;
  const Eigen::VectorXd& tau = observation.groups[group_].tau;
  if (!tau.allFinite()) return;
  tau_ += tau;
  ++heard_;
}

void ArmForce::update(const Observation& observation) {
  if (sensor_ < 0) {
    from_torques(observation);
    return;
  }
  const Eigen::Vector3d F = observation.wrenches[static_cast<std::size_t>(sensor_)].head<3>();
  if (!F.allFinite()) return;
  now_ = F.norm();
  ring_.col(next_) = F;
  next_ = (next_ + 1) % ring_.cols();
  filled_ = std::min(filled_ + 1, ring_.cols());
  mean_ = filled_ == ring_.cols() ? ring_.rowwise().mean().norm() : 0.0;
  // the sensor's own frame is known there
  force_ = arms_.felt_force(arms_.mechanism_of(static_cast<int>(arm_)));
}

void ArmForce::from_torques(const Observation& observation) {
  const GroupState& measured = observation.groups[group_];
  if (!measured.q.allFinite() || !measured.v.allFinite() || heard_ == 0) return;
  const RobotModel& model = *mechanism_.model;
  q_ = state_.q;
  v_ = state_.v;
  // what is carried, at the controller's state: known in its h alone
  load_ = state_.h - nonlinear_effects(model, data_, q_, v_);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    q_[mechanism_.actuated_q[actuated_[k]]] = measured.q[places_[k]];
    v_[mechanism_.actuated[actuated_[k]]] = measured.v[places_[k]];
  }
  load_ += nonlinear_effects(model, data_, q_, v_);
  add_friction(model, v_, load_);
  for (std::size_t k = 0; k < places_.size(); ++k)
    load_[mechanism_.actuated[actuated_[k]]] -= tau_[places_[k]] / static_cast<double>(heard_);
  tau_.setZero();
  heard_ = 0;
  // the oldest one is one window old
  const bool full = filled_ == ring_.cols();
  sum_ = v_ - speeds_.col(next_);
  ring_.col(next_) = load_;
  speeds_.col(next_) = v_;
  next_ = (next_ + 1) % ring_.cols();
  filled_ = std::min(filled_ + 1, ring_.cols());
  if (!full) {
    mean_ = now_ = 0.0;
    force_.setZero();
    return;
  }
  // divided first: a quotient of a product would be made on the heap
  sum_ /= window_;
  load_.noalias() = mass_matrix(model, data_, q_) * sum_;
  load_ += ring_.rowwise().mean();
  update_kinematics(model, data_, q_, v_);
  frame_jacobian(model, data_, tool_, J_);
  // the torques of the robot's other groups are not looked at, so neither are their rows
  for (const int v : others_) {
    J_.col(v).setZero();
    load_[v] = 0.0;
  }
  // min |J^T (F, T / lever) - load|^2 over the tool's force and torque, in the axes of J J^T
  J_.bottomRows<3>() *= kTorqueLever;
  const Eigen::SelfAdjointEigenSolver<Matrix6d> axes(J_ * J_.transpose());
  Vector6d F = axes.eigenvectors().transpose() * (J_ * load_);
  F.array() /= axes.eigenvalues().array().max(kLeastLever * kLeastLever);
  force_ = (axes.eigenvectors() * F).head<3>();
  mean_ = now_ = force_.norm();
}

void ArmForce::state(StateArchive& archive) {
  archive(ring_, speeds_, next_, filled_, mean_, now_, force_, tau_, heard_);
}

}  // namespace handspan
