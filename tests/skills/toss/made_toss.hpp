#pragma once
// Tosses that the rigid stepping made, and their text.
#include <fmt/format.h>

#include <string>

#include "contact/rigid_stepping.hpp"
#include "core/random.hpp"
#include "skills/toss/cube_tosses.hpp"

namespace handspan::test {

inline const char* const kTossHead = "x,y,z,qw,qx,qy,qz,vx\n";

inline std::string row(const Pose& X_WB) {
  const Eigen::Quaterniond q = X_WB.quaternion();
  return fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},0\n", X_WB.p[0], X_WB.p[1],
                     X_WB.p[2], q.w(), q.x(), q.y(), q.z());
}

// A toss that the rigid stepping made, held in a hand for the first samples.
inline MeasuredToss simulated(std::uint64_t seed, int held, const ImpactLaw& law,
                              double noise = 0.0) {
  RandomStream random(seed, "toss");
  const TossedCube cube;
  RigidBox box = uniform_box(Eigen::Vector3d::Constant(cube.edge), cube.mass);
  box.inertia_C = cube.inertia * Eigen::Matrix3d::Identity();
  // 20 steps a sample
  const RigidModel model(box, {plane_surface("plate", Pose(), law)}, {0, 0, -cube.gravity},
                         cube.sample_period / 20);
  RigidData data(model);
  RigidState start;
  start.X_WB = Pose::from({0.1, -0.2, 0.25}, Eigen::Quaterniond(exp_so3(3 * random.direction())));
  start.V_WB << 0.8, -0.4, 0.3, 5.0 * random.direction();
  set_state(model, data, start);
  MeasuredToss toss;
  toss.name = "made";
  for (int i = 0; i < held; ++i)  // pushed: neither a parabola nor a constant velocity
    toss.poses.push_back({start.X_WB.R, start.X_WB.p - Eigen::Vector3d(0.01 * (held - i), 0, 0)});
  for (int i = 0; i < 200; ++i) {
    toss.poses.push_back(state(model, data).X_WB);
    for (int k = 0; k < 3; ++k) toss.poses.back().p[k] += noise * random.normal();
    for (int k = 0; k < 20; ++k) step(model, data);
  }
  return toss;
}

inline std::string csv(const MeasuredToss& toss) {
  std::string text = kTossHead;
  for (const Pose& X_WB : toss.poses) text += row(X_WB);
  return text;
}

}  // namespace handspan::test
