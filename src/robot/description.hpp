#pragma once
// The one description of a mechanism from which both engines are built:
// Pinocchio in robot/, MuJoCo in scene/. Letters: W world, P parent body, B body, J joint anchor, G
// shape, F frame, C centre of mass. Plain data in SI units; nothing here computes dynamics.
#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "math/pose.hpp"

namespace handspan {

/// A pose kept as position and quaternion, so that what is read, written and read again keeps its
/// bits.
struct Placement {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();            // position [m]
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  // orientation, unit

  Pose pose() const { return Pose::from(p, q); }
  static Placement from(const Pose& X) { return {X.p, X.quaternion()}; }
  friend Placement operator*(const Placement& a, const Placement& b) {
    return {a.p + a.q * b.p, (a.q * b.q).normalized()};
  }
};

/// Mass and rotational inertia in principal form: I_C = R(q) diag(principal) R(q)^T about the
/// centre of mass.
struct Inertial {
  double mass = 0.0;                                    // [kg]
  Placement X_BC;                                       // centre of mass and principal axes in B
  Eigen::Vector3d principal = Eigen::Vector3d::Zero();  // principal moments [kg m^2]

  /// Rotational inertia about the centre of mass, expressed in B [kg m^2].
  Eigen::Matrix3d inertia_B() const;
  /// From a full matrix about the centre of mass in B (symmetric, 3x3, kg m^2).
  static Inertial from_full(double mass, const Eigen::Vector3d& p_BC,
                            const Eigen::Matrix3d& I_BC_B);
};

enum class JointType { kRevolute, kPrismatic, kBall, kFree };

/// Configuration and velocity sizes of one joint: a free joint is x y z, qx qy qz qw, its velocity
/// the body's twist in the body's own axes, linear first; a ball joint is qx qy qz qw with the
/// angular velocity in the body's axes.
int joint_nq(JointType type);
int joint_nv(JointType type);

/// A joint of a body relative to its parent. A body's joints act one after the other, each about an
/// anchor and axis fixed in the body (MuJoCo's convention); none makes the body fixed to its
/// parent.
struct JointDescription {
  std::string name;
  JointType type = JointType::kRevolute;
  Eigen::Vector3d axis =
      Eigen::Vector3d::UnitZ();  // unit, in B                  (revolute, prismatic)
  Eigen::Vector3d p_BJ = Eigen::Vector3d::Zero();  // anchor in B [m]             (revolute, ball)
  std::optional<std::array<double, 2>> range;  // mechanical stops [rad or m]; none: turns freely
  std::optional<double> effort;                // largest drive effort [N m or N]; none: not driven
  double armature = 0.0;                       // reflected rotor inertia [kg m^2 or kg]
  double damping = 0.0;                        // viscous friction [N m s/rad or N s/m]
  double friction_loss = 0.0;                  // dry friction [N m or N]
};

enum class ShapeType { kBox, kSphere, kCapsule, kCylinder, kMesh };

/// A rigid shape of a body, convex. Lengths in m.
struct Shape {
  std::string name;
  ShapeType type = ShapeType::kSphere;
  Eigen::Vector3d size =
      Eigen::Vector3d::Zero();  // box: half edges; sphere: r; capsule, cylinder: r, half length
  Placement X_BG;               // G's z is the axis of a capsule or cylinder
  std::string material;         // row of the scene's table of material pairs; may be empty
  bool collides = true;         // false: only drawn
  std::array<float, 4> rgba = {0.7F, 0.7F, 0.7F, 1.0F};
  std::vector<Eigen::Vector3d> vertices;  // mesh only: vertices in G, at least 4, not in one plane
};

struct BodyDescription {
  std::string name;
  int parent = -1;  // index of an earlier body; -1 is the world
  Placement X_PB;   // at q = 0
  Inertial inertial;
  std::vector<JointDescription> joints;
  std::vector<Shape> shapes;
};

/// A named frame fixed to a body: flange, tcp, sensor.
struct FrameDescription {
  std::string name;
  int body = -1;  // -1: fixed to the world
  Placement X_BF;
};

/// q[joint] = multiplier * q[master] + offset. The joint keeps a coordinate of its own in both
/// engines.
struct MimicDescription {
  std::string joint, master;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// The frame's origin has no velocity along the frame's own y axis: a wheeled base that rolls
/// without side slip.
struct RollingDescription {
  std::string frame;
};

struct ModelDescription {
  std::string name;
  std::vector<BodyDescription> bodies;  // parents before children
  std::vector<FrameDescription> frames;
  std::vector<MimicDescription> mimics;
  std::vector<RollingDescription> rollings;

  int body_index(std::string_view body) const;    // -1 when there is none
  int frame_index(std::string_view frame) const;  // -1 when there is none
  int nq() const;
  int nv() const;
};

/// Checks what both engines rely on and reports the first violation as InputError with the
/// element's name: order of parents, equal or empty names, unit axes and quaternions, finite
/// numbers, positive mass where a body moves, positive definite inertias that satisfy the triangle
/// inequality (relative 1e-9), swapped ranges, positive shape sizes, mimic masters that exist and
/// do not form a circle.
void validate(const ModelDescription& description);

/// The description with every name prefixed ("left." makes joint1 left.joint1).
ModelDescription with_prefix(ModelDescription description, std::string_view prefix);

/// The description with its roots moved: X_WB' = X_WA * X_WB, in world A's place.
ModelDescription placed(ModelDescription description, const Placement& X_WA);

/// Puts another model beside what is there; names must stay unique (validate() finds others).
void append(ModelDescription& into, ModelDescription other);

/// Mounts `tool` (its single root at the frame) on the frame `at` of `robot`. Names must stay
/// unique: prefix before.
/// @throws InputError when the frame is missing, the tool has several roots, or names clash.
ModelDescription mounted(ModelDescription robot, std::string_view at, ModelDescription tool);

enum class BaseType { kFixed, kFree, kPlanar };

/// Gives the root body joints: free ("NAME.base"), or planar ("NAME.base_x", "_y", "_yaw"; x and y
/// act along the axes in which the root stands at q = 0).
/// @throws InputError unless there is one root, itself without joints.
ModelDescription with_base(ModelDescription description, BaseType base);

}  // namespace handspan
