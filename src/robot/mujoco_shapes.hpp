#pragma once
// Shapes as MuJoCo geoms: what the distances of robot/ and the builders of scene/ share. MuJoCo
// stays inside robot/distance.cpp, scene/ and plant/.
#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "robot/description.hpp"

namespace handspan {

struct MjSpecDelete {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
struct MjModelDelete {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct MjDataDelete {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MjSpecPtr = std::unique_ptr<mjSpec, MjSpecDelete>;
using MjModelPtr = std::unique_ptr<mjModel, MjModelDelete>;
using MjDataPtr = std::unique_ptr<mjData, MjDataDelete>;

/// An empty spec with our compiler settings: radians, no inertia inferred, nothing balanced, fused
/// or discarded.
MjSpecPtr make_spec();

/// Compiles. @param what names the input in the message. @throws std::runtime_error with MuJoCo's
/// words
MjModelPtr compile_spec(mjSpec* spec, const std::string& what);

/// Adds one shape as a geom of the body, massless, without contact bits.
mjsGeom* add_shape(mjSpec* spec, mjsBody* body, const Shape& shape, int geom_group);

/// MuJoCo's order (w first) and ours.
inline Eigen::Quaterniond quaternion_from_mujoco(const mjtNum* wxyz) {
  return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
}
inline void quaternion_to_mujoco(const Eigen::Quaterniond& q, mjtNum* wxyz) {
  wxyz[0] = q.w();
  wxyz[1] = q.x();
  wxyz[2] = q.y();
  wxyz[3] = q.z();
}

}  // namespace handspan
