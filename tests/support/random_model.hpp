#pragma once
// Random states, and a mechanism with every kind of joint, for tests that compare engines.
#include <random>

#include "robot/model.hpp"

namespace handspan::test {

/// A random configuration: scalar joints within +-2 (or their range), unit quaternions, free bases
/// within 1 m.
inline Eigen::VectorXd random_configuration(const RobotModel& model, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal;
  Eigen::VectorXd q(model.nq());
  const auto quaternion = [&] {
    const double x = normal(random), y = normal(random), z = normal(random), w = normal(random);
    return Eigen::Quaterniond(w, x, y, z).normalized();
  };
  for (const auto& joint : model.joints()) {
    switch (joint.type) {
      case JointType::kFree:
        for (int i = 0; i < 3; ++i) q[joint.q + i] = unit(random);
        q.segment<4>(joint.q + 3) = quaternion().coeffs();
        break;
      case JointType::kBall:
        q.segment<4>(joint.q) = quaternion().coeffs();
        break;
      default:
        q[joint.q] = 2.0 * unit(random);
    }
  }
  return q;
}

inline Eigen::VectorXd random_vector(Eigen::Index n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Eigen::VectorXd v(n);
  for (auto& x : v) x = unit(random);
  return v;
}

/// A random physically possible inertia with rotated principal axes.
inline Inertial random_inertial(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.1, 1.0);
  Inertial inertial;
  inertial.mass = 3.0 * unit(random);
  inertial.X_BC.p = 0.1 * random_vector(3, random);
  inertial.X_BC.q = Eigen::Quaterniond(Eigen::Vector4d(random_vector(4, random))).normalized();
  // moments of a box with edges a, b, c always satisfy the triangle inequality
  const double a = 0.3 * unit(random), b = 0.3 * unit(random), c = 0.3 * unit(random);
  inertial.principal =
      inertial.mass / 12.0 * Eigen::Vector3d(b * b + c * c, a * a + c * c, a * a + b * b);
  return inertial;
}

/// A tree with revolute, prismatic and ball joints about skewed axes with anchors off the body's
/// origin, two joints on one body, a fixed body with mass, a massless fixed body, a passive joint
/// and a mimic joint.
inline ModelDescription all_joints(std::mt19937_64& random) {
  ModelDescription d;
  d.name = "all_joints";
  const auto add = [&](const std::string& name, int parent, std::vector<JointType> types) {
    BodyDescription body;
    body.name = name;
    body.parent = parent;
    body.X_PB.p = 0.3 * random_vector(3, random);
    body.X_PB.q = Eigen::Quaterniond(Eigen::Vector4d(random_vector(4, random))).normalized();
    body.inertial = random_inertial(random);
    for (std::size_t i = 0; i < types.size(); ++i) {
      JointDescription joint;
      joint.name = name + "_joint" + std::to_string(i);
      joint.type = types[i];
      joint.axis = Eigen::Vector3d(random_vector(3, random)).normalized();
      if (joint.type != JointType::kPrismatic) joint.p_BJ = 0.2 * random_vector(3, random);
      joint.armature = 0.01;
      body.joints.push_back(joint);
    }
    d.bodies.push_back(body);
    return static_cast<int>(d.bodies.size()) - 1;
  };
  const int root = add("root", -1, {});
  const int arm = add("arm", root, {JointType::kRevolute});
  const int slider = add("slider", arm, {JointType::kPrismatic});
  add("shoulder", slider, {JointType::kBall});
  const int cross =
      add("cross", arm, {JointType::kRevolute, JointType::kPrismatic, JointType::kRevolute});
  const int fixed = add("fixed", cross, {});
  add("finger_left", fixed, {JointType::kPrismatic});
  add("finger_right", fixed, {JointType::kPrismatic});
  const int bare = add("bare", fixed, {});
  d.bodies[static_cast<std::size_t>(bare)].inertial = {};
  d.frames.push_back(
      {"tip", bare, {Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Quaterniond(0.5, 0.5, -0.5, 0.5)}});
  d.mimics.push_back({"finger_right_joint0", "finger_left_joint0", -1.0, 0.01});
  return d;
}

}  // namespace handspan::test
