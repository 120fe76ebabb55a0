#include "plant/push.hpp"

#include "plant/mujoco_plant_impl.hpp"

namespace handspan {

void push(MujocoPlant& plant, int body, const Eigen::Vector3d& p_W, const Vector6d& F_W) {
  mjData& data = *plant.impl().data;
  // brings what follows from positions up to date
  plant.body_pose(body);
  // bodies() are MuJoCo's, and it takes forces at the centre of mass
  const Eigen::Vector3d arm = p_W - Eigen::Vector3d::Map(data.xipos + 3 * body);
  Eigen::Vector3d::Map(data.xfrc_applied + 6 * body) = F_W.head<3>();
  Eigen::Vector3d::Map(data.xfrc_applied + 6 * body + 3) = F_W.tail<3>() + arm.cross(F_W.head<3>());
}

}  // namespace handspan
