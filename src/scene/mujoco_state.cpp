#include "scene/mujoco_state.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "scene/mujoco_spec.hpp"

namespace handspan {

MujocoState::MujocoState(const mjModel& compiled, const RobotModel& model) {
  dofs_.resize(static_cast<std::size_t>(model.nv()));
  for (const auto& joint : model.joints()) {
    const int id = mj_name2id(&compiled, mjOBJ_JOINT, joint.name.c_str());
    if (id < 0)
      throw std::out_of_range(fmt::format("the compiled model has no joint '{}'", joint.name));
    const Slot slot{joint.type, joint.q, joint.v, compiled.jnt_qposadr[id],
                    compiled.jnt_dofadr[id]};
    for (int i = 0; i < joint_nv(joint.type); ++i)
      dofs_[static_cast<std::size_t>(slot.v + i)] = slot.qvel + i;
    slots_.push_back(slot);
  }
}

void MujocoState::write(ConstVectorRef q, ConstVectorRef v, mjData& data) const {
  for (const auto& s : slots_) {
    mjtNum* qpos = data.qpos + s.qpos;
    mjtNum* qvel = data.qvel + s.qvel;
    switch (s.type) {
      case JointType::kFree: {
        const Eigen::Quaterniond R(Eigen::Vector4d(q.segment<4>(s.q + 3)));
        Eigen::Vector3d::Map(qpos) = q.segment<3>(s.q);
        quaternion_to_mujoco(R, qpos + 3);
        Eigen::Vector3d::Map(qvel) = R * Eigen::Vector3d(v.segment<3>(s.v));
        Eigen::Vector3d::Map(qvel + 3) = v.segment<3>(s.v + 3);
        break;
      }
      case JointType::kBall:
        quaternion_to_mujoco(Eigen::Quaterniond(Eigen::Vector4d(q.segment<4>(s.q))), qpos);
        Eigen::Vector3d::Map(qvel) = v.segment<3>(s.v);
        break;
      default:
        *qpos = q[s.q];
        *qvel = v[s.v];
    }
  }
}

void MujocoState::read(const mjData& data, Eigen::Ref<Eigen::VectorXd> q,
                       Eigen::Ref<Eigen::VectorXd> v) const {
  for (const auto& s : slots_) {
    const mjtNum* qpos = data.qpos + s.qpos;
    const mjtNum* qvel = data.qvel + s.qvel;
    switch (s.type) {
      case JointType::kFree: {
        const Eigen::Quaterniond R = quaternion_from_mujoco(qpos + 3);
        q.segment<3>(s.q) = Eigen::Vector3d::Map(qpos);
        q.segment<4>(s.q + 3) = R.coeffs();
        v.segment<3>(s.v) = R.conjugate() * Eigen::Vector3d(Eigen::Vector3d::Map(qvel));
        v.segment<3>(s.v + 3) = Eigen::Vector3d::Map(qvel + 3);
        break;
      }
      case JointType::kBall:
        q.segment<4>(s.q) = quaternion_from_mujoco(qpos).coeffs();
        v.segment<3>(s.v) = Eigen::Vector3d::Map(qvel);
        break;
      default:
        q[s.q] = *qpos;
        v[s.v] = *qvel;
    }
  }
}

Eigen::MatrixXd MujocoState::velocity_map(const mjData& data) const {
  const auto n = static_cast<Eigen::Index>(dofs_.size());
  Eigen::MatrixXd T = Eigen::MatrixXd::Identity(n, n);
  for (const auto& s : slots_)
    if (s.type == JointType::kFree)
      T.block<3, 3>(s.v, s.v) = quaternion_from_mujoco(data.qpos + s.qpos + 3).toRotationMatrix();
  return T;
}

}  // namespace handspan
