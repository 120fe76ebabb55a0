#pragma once
// A model's q and v in MuJoCo's order and conventions, and back. MuJoCo's quaternions are w first;
// a free joint's linear velocity is the world's there, the body's own here; angular velocity is the
// body's own in both.
#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <vector>

#include "robot/model.hpp"

namespace handspan {

class MujocoState {
 public:
  /// Finds the model's joints by name. @throws std::out_of_range when the compiled model lacks one
  MujocoState(const mjModel& compiled, const RobotModel& model);

  /// q (nq) and v (nv) into qpos and qvel. Allocates nothing.
  void write(ConstVectorRef q, ConstVectorRef v, mjData& data) const;
  /// qpos and qvel into q and v. Allocates nothing.
  void read(const mjData& data, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v) const;
  /// T (nv x nv) with qvel = T v at the configuration of data: identity but for a free joint's
  /// rotation.
  Eigen::MatrixXd velocity_map(const mjData& data) const;
  /// Index in qvel of each of the model's velocity coordinates.
  const std::vector<int>& dofs() const { return dofs_; }

 private:
  struct Slot {
    JointType type;
    int q, v, qpos, qvel;
  };
  std::vector<Slot> slots_;
  std::vector<int> dofs_;
};

}  // namespace handspan
