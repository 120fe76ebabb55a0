#include "study/made_app.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>

#include "core/config.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

// compensated of a torque-driven joint's dry friction, nine tenths of what an FR3 has [N m]
constexpr double kFriction = 0.18;
// a streamed hand tells where it will be so much later [s]
constexpr double kAhead = 0.01;

Schema<App> keys_schema(const Parts& parts) {
  return object<App>("MadeApp")
      .optional("whole_arm", &App::whole_arm, whole_arm_schema(parts))
      .optional("devices", &App::devices, dictionary(device_schema(parts)))
      .optional("sources", &App::sources, dictionary(parts.of<SourceRegistry>().schema()))
      .optional("references", &App::references,
                dictionary(reference_schema(parts.of<ReferenceRegistry>())))
      .optional("machines", &App::machines, dictionary(machine_schema(parts)));
}

}  // namespace

App made_app(Scene scene, const std::string& keys, const Parts& parts) {
  App app = parse_yaml(keys, scene.file.string(), keys_schema(parts));
  app.reference_kinds = reference_kinds(parts.of<ReferenceRegistry>());
  app.name = scene.name;
  app.file = scene.file;
  app.scene = std::move(scene);
  return app;
}

std::string robot_text(const std::string& name, const std::filesystem::path& robot,
                       const std::filesystem::path& tool, const std::string& more) {
  return fmt::format("{}: {{robot: \"{}\"{}, {}}}", name, absolute(robot).string(),
                     tool.empty() ? "" : fmt::format(", tool: \"{}\"", absolute(tool).string()),
                     more);
}

std::string arm_text(const RobotInstance& robot) {
  const ActuatorGroup& group = robot.groups.front();
  if (group.drive != Drive::kTorque) return "";
  return fmt::format(", friction: [{}]",
                     fmt::join(std::vector<double>(group.joints.size(), kFriction), ", "));
}

DriveLag lag_of(const RobotInstance& robot) {
  const ActuatorGroup& group = robot.groups.front();
  return {(group.delay_ticks + 1) / robot.limits.rate.hz(), group.lag};
}

PlantArm::PlantArm(Session& session, const std::string& robot, const std::string& frame)
    : world_(world_of(session)),
      name_(robot),
      model_(session.app().scene.robot(robot)->description, session.app().scene.physics.gravity),
      data_(model_),
      frame_(model_.frame(frame)),
      q_(model_.neutral()),
      v_(Eigen::VectorXd::Zero(model_.nv())) {
  look();
}

void PlantArm::look() {
  world_.robot_state(name_, q_, v_);
  update_kinematics(model_, data_, q_, v_);
  X_WE_ = frame_pose(model_, data_, frame_);
  V_WE_ = frame_velocity(model_, data_, frame_);
}

Pose PlantArm::pose(const std::string& frame) const {
  return frame_pose(model_, data_, model_.frame(frame));
}

Eigen::MatrixXd PlantArm::accelerations(const Matrix6Xd& J) {
  return mass_matrix(model_, data_, q_).llt().solve(J.transpose());
}

Vector6d PlantArm::acceleration_by(const Vector6d& F_W, const std::string& P) {
  Matrix6Xd J_E = Matrix6Xd::Zero(6, model_.nv()), J_P = J_E;
  frame_jacobian(model_, data_, frame_, J_E);
  frame_jacobian(model_, data_, model_.frame(P), J_P);
  return J_E * (accelerations(J_P) * F_W);
}

Eigen::Matrix<double, 6, 6> PlantArm::inertia() {
  Matrix6Xd J = Matrix6Xd::Zero(6, model_.nv());
  frame_jacobian(model_, data_, frame_, J);
  return (J * accelerations(J)).inverse();
}

void StreamedHand::show(const Eigen::Vector3d& p, const Eigen::Vector3d& v) {
  const Eigen::Vector3d next = p + kAhead * v;
  Input input;
  input.kind = InputKind::kSample;
  input.to = "person";
  input.set(std::array{0.0, p.x(), p.y(), p.z(), 0.0, 0.0, 0.0, 1.0,  //
                       kAhead, next.x(), next.y(), next.z(), 0.0, 0.0, 0.0, 1.0});
  mailbox_.post(input);
}

void LeashWatch::after_tick(Session& session, const Pose& X_WE) {
  const Arbiter& arbiter = session.arbiter();
  if (arbiter.holding(reference_)) return;
  const Pose& X = arbiter.reference(reference_).motion().pose.X_WE;
  distance_ = std::max(distance_, (X.p - X_WE.p).norm());
  angle_ = std::max(angle_, angle_between(X.R, X_WE.R));
}

}  // namespace handspan
