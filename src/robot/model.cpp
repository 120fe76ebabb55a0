#include "robot/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <stdexcept>

#include "core/error.hpp"
#include "core/index.hpp"
#include "robot/model_impl.hpp"

namespace handspan {
namespace pin = pinocchio;
namespace {

constexpr auto kWorldAxes = pin::LOCAL_WORLD_ALIGNED;

pin::SE3 to_se3(const Placement& X) { return {X.q.toRotationMatrix(), X.p}; }

// The specialised joints of Pinocchio are faster than the general axis; bits of the axis decide.
pin::JointModel scalar_joint(const JointDescription& joint) {
  const bool revolute = joint.type == JointType::kRevolute;
  if (joint.axis == Eigen::Vector3d::UnitX())
    return revolute ? pin::JointModel(pin::JointModelRX()) : pin::JointModel(pin::JointModelPX());
  if (joint.axis == Eigen::Vector3d::UnitY())
    return revolute ? pin::JointModel(pin::JointModelRY()) : pin::JointModel(pin::JointModelPY());
  if (joint.axis == Eigen::Vector3d::UnitZ())
    return revolute ? pin::JointModel(pin::JointModelRZ()) : pin::JointModel(pin::JointModelPZ());
  return revolute ? pin::JointModel(pin::JointModelRevoluteUnaligned(joint.axis))
                  : pin::JointModel(pin::JointModelPrismaticUnaligned(joint.axis));
}

pin::JointModel joint_model(const JointDescription& joint) {
  switch (joint.type) {
    case JointType::kFree:
      return pin::JointModel(pin::JointModelFreeFlyer());
    case JointType::kBall:
      return pin::JointModel(pin::JointModelSpherical());
    default:
      return scalar_joint(joint);
  }
}

}  // namespace

RobotModel::RobotModel(ModelDescription description, const Eigen::Vector3d& gravity)
    : description_(std::move(description)), gravity_(gravity), impl_(std::make_unique<Impl>()) {
  validate(description_);
  pin::Model& model = impl_->model;
  model.name = description_.name;
  model.gravity = pin::Motion(gravity_, Eigen::Vector3d::Zero());

  struct Attachment {
    pin::JointIndex joint;
    pin::SE3 X_JB;  // body frame in its last joint's frame
  };
  std::vector<Attachment> attachments;
  neutral_ = Eigen::VectorXd::Zero(description_.nq());
  for (const auto& body : description_.bodies) {
    const Attachment parent =
        body.parent < 0 ? Attachment{0, pin::SE3::Identity()} : attachments[at(body.parent)];
    Attachment here{parent.joint, parent.X_JB * to_se3(body.X_PB)};
    for (const auto& joint : body.joints) {
      // a free joint's configuration is the pose in the world itself
      const pin::SE3 anchor = joint.type == JointType::kFree
                                  ? pin::SE3::Identity()
                                  : pin::SE3(Eigen::Matrix3d::Identity(), joint.p_BJ);
      const pin::SE3 placement =
          joint.type == JointType::kFree ? pin::SE3::Identity() : here.X_JB * anchor;
      here.joint = model.addJoint(here.joint, joint_model(joint), placement, joint.name);
      here.X_JB = anchor.inverse();
      const auto& added = model.joints[here.joint];
      joints_.push_back({joint.name, joint.type, added.idx_q(), added.idx_v()});
      model.armature.segment(added.idx_v(), added.nv()).setConstant(joint.armature);
      if (joint.type == JointType::kFree)
        neutral_.segment<7>(added.idx_q()) << body.X_PB.p, body.X_PB.q.coeffs();
      if (joint.type == JointType::kBall) neutral_[added.idx_q() + 3] = 1.0;
    }
    if (body.inertial.mass > 0.0)
      model.appendBodyToJoint(
          here.joint,
          pin::Inertia(body.inertial.mass, body.inertial.X_BC.p, body.inertial.inertia_B()),
          here.X_JB);
    body_frames_.push_back(static_cast<int>(
        model.addFrame(pin::Frame(body.name, here.joint, here.X_JB, pin::BODY), false)));
    attachments.push_back(here);
  }
  for (const auto& frame : description_.frames) {
    if (description_.body_index(frame.name) >= 0)
      throw InputError(fmt::format("frame '{}' has the name of a body", frame.name));
    const Attachment on =
        frame.body < 0 ? Attachment{0, pin::SE3::Identity()} : attachments[at(frame.body)];
    model.addFrame(pin::Frame(frame.name, on.joint, on.X_JB * to_se3(frame.X_BF), pin::OP_FRAME),
                   false);
  }
  nq_ = model.nq;
  nv_ = model.nv;
  for (const auto& mimic : description_.mimics) {
    const JointSlot &slave = joint(mimic.joint), &master = joint(mimic.master);
    impl_->mimics.push_back({slave.q, slave.v, master.q, master.v, mimic.multiplier, mimic.offset});
  }
  for (const auto& rolling : description_.rollings) impl_->rollings.push_back(frame(rolling.frame));
}

RobotModel::~RobotModel() = default;
RobotModel::RobotModel(RobotModel&&) noexcept = default;
RobotModel& RobotModel::operator=(RobotModel&&) noexcept = default;

const JointSlot& RobotModel::joint(std::string_view name) const {
  for (const auto& slot : joints_)
    if (slot.name == name) return slot;
  std::vector<std::string> names;
  for (const auto& slot : joints_) names.push_back(slot.name);
  throw std::out_of_range(fmt::format("model '{}' has no joint '{}'; it has {}", this->name(), name,
                                      fmt::join(names, ", ")));
}

FrameId RobotModel::frame(std::string_view name) const {
  const auto& frames = impl_->model.frames;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (frames[i].name == name && (frames[i].type == pin::BODY || frames[i].type == pin::OP_FRAME))
      return {static_cast<int>(i)};
  std::vector<std::string> names;
  for (std::size_t i = 1; i < frames.size(); ++i) names.push_back(frames[i].name);
  throw std::out_of_range(fmt::format("model '{}' has no frame '{}'; it has {}", this->name(), name,
                                      fmt::join(names, ", ")));
}

double RobotModel::mass() const {
  double mass = 0.0;
  for (const auto& body : description_.bodies) mass += body.inertial.mass;
  return mass;
}

RobotData::Impl::Impl(const RobotModel& model)
    : data(model.impl().model), J(Matrix6Xd::Zero(6, model.nv())) {
  data.M.setZero();
}
RobotData::RobotData(const RobotModel& model) : impl_(std::make_unique<Impl>(model)) {}
RobotData::~RobotData() = default;
RobotData::RobotData(const RobotData& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
RobotData& RobotData::operator=(const RobotData& other) {
  *impl_ = *other.impl_;
  return *this;
}
RobotData::RobotData(RobotData&&) noexcept = default;
RobotData& RobotData::operator=(RobotData&&) noexcept = default;

void update_kinematics(const RobotModel& model, RobotData& data, ConstVectorRef q,
                       ConstVectorRef v) {
  const auto& m = model.impl().model;
  auto& d = data.impl().data;
  // zero joint acceleration: what remains in data.a is the bias acceleration
  d.ddq.setZero();
  pin::forwardKinematics(m, d, q, v, d.ddq);
  pin::computeJointJacobians(m, d);
  pin::updateFramePlacements(m, d);
}

Pose frame_pose(const RobotModel&, const RobotData& data, FrameId frame) {
  const auto& X = data.impl().data.oMf[at(frame.index)];
  Pose pose;
  pose.R = X.rotation();
  pose.p = X.translation();
  return pose;
}

// Frames are fixed to their joint; Pinocchio's functions for them copy more than they compute, and
// look over all of its data first where assertions are on.
Vector6d frame_velocity(const RobotModel& model, const RobotData& data, FrameId frame) {
  const auto& d = data.impl().data;
  const auto joint = model.impl().model.frames[at(frame.index)].parentJoint;
  const auto &X_WJ = d.oMi[joint], &X_WF = d.oMf[at(frame.index)];
  const Eigen::Vector3d omega = X_WJ.rotation() * d.v[joint].angular(),
                        r = X_WF.translation() - X_WJ.translation();
  Vector6d V;
  V << X_WJ.rotation() * d.v[joint].linear() + omega.cross(r), omega;
  return V;
}

void frame_jacobian(const RobotModel& model, RobotData& data, FrameId frame,
                    Eigen::Ref<Matrix6Xd> J) {
  J.setZero();
  // what is fixed to the world moves with no joint; Pinocchio would look for one
  if (model.impl().model.frames[at(frame.index)].parentJoint == 0) return;
  pin::getFrameJacobian(model.impl().model, data.impl().data, at(frame.index), kWorldAxes, J);
}

void add_frame_jacobian_transpose(const RobotModel& model, RobotData& data, FrameId frame,
                                  const Vector6d& weights, Eigen::Ref<Eigen::RowVectorXd> row) {
  const auto& m = model.impl().model;
  const auto& d = data.impl().data;
  const auto joint = m.frames[at(frame.index)].parentJoint;
  if (joint == 0) return;
  // the columns of Pinocchio's J are twists of the point at the world's origin
  const Eigen::Vector3d force = weights.head<3>(),
                        torque = Eigen::Vector3d(weights.tail<3>()) +
                                 d.oMf[at(frame.index)].translation().cross(force);
  for (int i = m.idx_vs[joint] + m.nvs[joint] - 1; i >= 0; i = d.parents_fromRow[at(i)])
    row[i] += force.dot(d.J.col(i).head<3>()) + torque.dot(d.J.col(i).tail<3>());
}

Vector6d frame_bias_acceleration(const RobotModel& model, const RobotData& data, FrameId frame) {
  const auto& d = data.impl().data;
  const auto joint = model.impl().model.frames[at(frame.index)].parentJoint;
  const auto &X_WJ = d.oMi[joint], &X_WF = d.oMf[at(frame.index)];
  const Eigen::Vector3d omega = X_WJ.rotation() * d.v[joint].angular(),
                        alpha = X_WJ.rotation() * d.a[joint].angular(),
                        r = X_WF.translation() - X_WJ.translation();
  // of a point: the spatial acceleration of the joint's lacks omega x v of the joint's origin
  const Eigen::Vector3d v = X_WJ.rotation() * d.v[joint].linear();
  Vector6d A;
  A << X_WJ.rotation() * d.a[joint].linear() + omega.cross(v) + alpha.cross(r) +
           omega.cross(omega.cross(r)),
      alpha;
  return A;
}

void point_jacobian(const RobotModel& model, RobotData& data, FrameId body,
                    const Eigen::Vector3d& p_WP, Eigen::Ref<Eigen::Matrix3Xd> J) {
  auto& d = data.impl();
  frame_jacobian(model, data, body, d.J);
  const Eigen::Vector3d r = p_WP - d.data.oMf[at(body.index)].translation();
  // v_P = v_F + omega x r, column by column
  for (int i = 0; i < model.nv(); ++i)
    J.col(i) = d.J.col(i).head<3>() + Eigen::Vector3d(d.J.col(i).tail<3>()).cross(r);
}

Eigen::Vector3d point_velocity(const RobotModel& model, const RobotData& data, FrameId body,
                               const Eigen::Vector3d& p_WP) {
  const Vector6d V = frame_velocity(model, data, body);
  const Eigen::Vector3d r = p_WP - data.impl().data.oMf[at(body.index)].translation();
  return V.head<3>() + Eigen::Vector3d(V.tail<3>()).cross(r);
}

Eigen::Vector3d point_bias_acceleration(const RobotModel& model, const RobotData& data,
                                        FrameId body, const Eigen::Vector3d& p_WP) {
  const Vector6d A = frame_bias_acceleration(model, data, body);
  const Eigen::Vector3d w = frame_velocity(model, data, body).tail<3>();
  const Eigen::Vector3d r = p_WP - data.impl().data.oMf[at(body.index)].translation();
  return A.head<3>() + Eigen::Vector3d(A.tail<3>()).cross(r) + w.cross(w.cross(r));
}

const Eigen::MatrixXd& mass_matrix(const RobotModel& model, RobotData& data, ConstVectorRef q) {
  pin::crba(model.impl().model, data.impl().data, q);
  auto& M = data.impl().data.M;
  // crba fills the upper triangle only; by hand, since Eigen's triangular assignment may alias
  // through a temporary
  for (Eigen::Index j = 0; j < M.cols(); ++j)
    for (Eigen::Index i = j + 1; i < M.rows(); ++i) M(i, j) = M(j, i);
  return M;
}

const Eigen::VectorXd& nonlinear_effects(const RobotModel& model, RobotData& data, ConstVectorRef q,
                                         ConstVectorRef v) {
  return pin::nonLinearEffects(model.impl().model, data.impl().data, q, v);
}

const Eigen::VectorXd& gravity_forces(const RobotModel& model, RobotData& data, ConstVectorRef q) {
  return pin::computeGeneralizedGravity(model.impl().model, data.impl().data, q);
}

const Eigen::VectorXd& inverse_dynamics(const RobotModel& model, RobotData& data, ConstVectorRef q,
                                        ConstVectorRef v, ConstVectorRef vdot) {
  return pin::rnea(model.impl().model, data.impl().data, q, v, vdot);
}

const Eigen::VectorXd& forward_dynamics(const RobotModel& model, RobotData& data, ConstVectorRef q,
                                        ConstVectorRef v, ConstVectorRef tau) {
  return pin::aba(model.impl().model, data.impl().data, q, v, tau);
}

double mechanical_energy(const RobotModel& model, RobotData& data, ConstVectorRef q,
                         ConstVectorRef v) {
  return pin::computeMechanicalEnergy(model.impl().model, data.impl().data, q, v);
}

Vector6d centroidal_momentum(const RobotModel& model, RobotData& data, ConstVectorRef q,
                             ConstVectorRef v) {
  return pin::computeCentroidalMomentum(model.impl().model, data.impl().data, q, v).toVector();
}

void integrate(const RobotModel& model, ConstVectorRef q, ConstVectorRef v,
               Eigen::Ref<Eigen::VectorXd> q_out) {
  pin::integrate(model.impl().model, q, v, q_out);
}

void difference(const RobotModel& model, ConstVectorRef q0, ConstVectorRef q1,
                Eigen::Ref<Eigen::VectorXd> v_out) {
  pin::difference(model.impl().model, q0, q1, v_out);
}

void constraint_rows(const RobotModel& model, RobotData& data, ConstVectorRef q, ConstVectorRef,
                     Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::VectorXd> b,
                     Eigen::Ref<Eigen::VectorXd> e) {
  A.setZero();
  b.setZero();
  e.setZero();
  Eigen::Index row = 0;
  for (const auto& mimic : model.impl().mimics) {
    A(row, mimic.joint_v) = 1.0;
    A(row, mimic.master_v) = -mimic.multiplier;
    e[row] = q[mimic.joint_q] - mimic.multiplier * q[mimic.master_q] - mimic.offset;
    ++row;
  }
  for (const FrameId frame : model.impl().rollings) {
    auto& d = data.impl();
    frame_jacobian(model, data, frame, d.J);
    const Vector6d V = frame_velocity(model, data, frame),
                   a = frame_bias_acceleration(model, data, frame);
    const Eigen::Vector3d y = d.data.oMf[at(frame.index)].rotation().col(1);
    A.row(row) = y.transpose() * d.J.topRows<3>();
    // d/dt (y . v) = y . v' + (omega x y) . v = 0
    b[row] = -(y.dot(a.head<3>()) + Eigen::Vector3d(V.tail<3>()).cross(y).dot(V.head<3>()));
    ++row;
  }
}

}  // namespace handspan
