#include "cli/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "import/robot_check.hpp"

namespace handspan {
namespace {

// of the box and its pedestal, as shares of the reach
constexpr double kBoxDistance = 0.6, kBoxEdge = 0.08, kPedestalEdge = 0.16, kPedestalHeight = 0.2;
constexpr double kThickness = 0.08;    // of a link, as a share of the reach
constexpr double kBoxDensity = 150.0;  // of a parcel [kg/m^3]

// to a millimetre: people read and change these
std::string metres(double x) { return fmt::format("{}", std::round(1e3 * x) / 1e3 + 0.0); }
std::string point(const Eigen::Vector3d& p) {
  return fmt::format("[{}, {}, {}]", metres(p[0]), metres(p[1]), metres(p[2]));
}

std::string numbers(const Eigen::VectorXd& q) {
  std::string out;
  for (const double x : q) out += fmt::format("{}{}", out.empty() ? "" : ", ", x + 0.0);
  return "[" + out + "]";
}

const char* name_of(Drive drive) {
  return drive == Drive::kTorque ? "torque" : drive == Drive::kVelocity ? "velocity" : "position";
}

// Nine tenths of the dry friction that model.xml has: more than there is would be an engine.
std::string compensated(const RobotFolder& robot) {
  const auto& joints = robot.groups.front().joints;
  Eigen::VectorXd friction = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints.size()));
  for (const auto& body : robot.description.bodies)
    for (const auto& joint : body.joints) {
      const auto at = std::ranges::find(joints, joint.name);
      if (at != joints.end())
        friction[at - joints.begin()] = std::round(900.0 * joint.friction_loss) / 1000.0;
    }
  return friction.maxCoeff() > 0.0 ? ", friction: " + numbers(friction) : "";
}

// With which links can count on braking against their own arm's others: the slowest joint's braking
// at the lever of a link's thickness [m/s^2].
double own_deceleration(const RobotFolder& robot, double reach) {
  double slowest = 2.0;
  for (const auto& body : robot.description.bodies)
    for (const auto& joint : body.joints) {
      const JointLimits* limits = robot.limits.find(joint.name);
      if (limits == nullptr || !std::ranges::count(robot.groups.front().joints, joint.name))
        continue;
      const double lever = joint.type == JointType::kPrismatic ? 1.0 : kThickness * reach;
      slowest = std::min(slowest, lever * limits->braking);
    }
  return std::max(slowest, 0.05);
}

// what keeps a group where it is that the whole-arm controller does not drive
const char* keeper_of(Drive drive) {
  return drive == Drive::kTorque     ? "joint_springs"
         : drive == Drive::kVelocity ? "zero_velocity"
                                     : "hold_position";
}

}  // namespace

std::string hand_frame(const RobotFolder& robot, const RobotFolder* tool) {
  const RobotFolder& last = tool != nullptr ? *tool : robot;
  const auto& frames = last.description.frames;
  for (const char* usual : {"tcp", "suction", "grasp", "tool0"})
    if (std::ranges::count(frames, usual, &FrameDescription::name)) return usual;
  if (tool == nullptr)
    if (const std::string end = end_frame(robot); !end.empty()) return end;
  // of a tool what no jaw moves
  const auto& bodies = last.description.bodies;
  const auto moved = [&](int body) {
    for (; body >= 0; body = bodies[static_cast<std::size_t>(body)].parent)
      if (!bodies[static_cast<std::size_t>(body)].joints.empty()) return true;
    return false;
  };
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    if (!moved(frame->body)) return frame->name;
  if (tool != nullptr && !bodies.empty()) return bodies.front().name;
  return last.description.bodies.empty() ? "" : last.description.bodies.back().name;
}

std::string workspace_scene(const WorkspacePlan& plan, const RobotFolder& robot) {
  std::string out = fmt::format(
      "# {} at the world's origin. Every key of a scene: handspan check --schema scene\n"
      "name: {}\n",
      plan.robot, plan.name);
  out += "robots:\n";
  out += fmt::format(
      "  # `base: {{position: [x, y, z], rpy: [0, 0, 90 deg]}}` puts it elsewhere\n"
      "  arm: {{robot: {}{}{}}}\n",
      plan.robot, plan.tool.empty() ? "" : ", tool: " + plan.tool,
      plan.q                ? ", q: " + numbers(*plan.q)
      : robot.poses.empty() ? ""
                            : ", pose: " + robot.poses.front().name);
  if (plan.box_angle) {
    const double r = plan.reach;
    const double edge = std::max(0.01, kBoxEdge * r), height = kPedestalHeight * r;
    const Eigen::Vector3d at =
        kBoxDistance * r *
        Eigen::Vector3d(std::cos(*plan.box_angle), std::sin(*plan.box_angle), 0.0);
    const auto up = [&](double z) { return point(at + z * Eigen::Vector3d::UnitZ()); };
    const double low = std::round(1e3 * height) / 1e3, side = std::round(1e3 * edge) / 1e3;
    out += fmt::format(
        "objects:\n  box:\n    pose: {{position: {}}}\n    mass: {:.3g}\n"
        "    shapes: [{{type: box, size: [{}, {}, {}], material: cardboard, rgba: [0.78, 0.60, "
        "0.38, 1.0]}}]\n",
        up(low + 0.5 * side), std::max(0.005, kBoxDensity * std::pow(side, 3)), metres(side),
        metres(side), metres(side));
    out += fmt::format(
        "fixtures:\n  pedestal:\n    pose: {{position: {}}}\n"
        "    shapes: [{{type: box, size: [{}, {}, {}], rgba: [0.45, 0.47, 0.50, 1.0]}}]\n",
        up(0.5 * low), metres(kPedestalEdge * r), metres(kPedestalEdge * r), metres(low));
  }
  const double r = plan.reach > 0.0 ? plan.reach : 1.0;
  out += fmt::format("views:\n  overview: {{eye: {}, target: {}}}\n",
                     point(r * Eigen::Vector3d(1.7, 1.6, 1.1)),
                     point(r * Eigen::Vector3d(0.1, 0.0, 0.3)));
  return out;
}

// One function, since it writes one file key by key.
std::string workspace_app(const WorkspacePlan& plan, const RobotFolder& robot,
                          const RobotFolder* tool) {
  const ActuatorGroup& arm = robot.groups.front();
  std::string out = fmt::format(
      "# What runs in scenes/{0}.yaml: the hand goes a small way and back, and is a person's after "
      "that. `handspan run` shows\n# the first, `handspan serve` both. Every key: handspan check "
      "--schema app\n"
      "name: {0}\nscene: ../scenes/{0}.yaml\nduration: 10 s\n",
      plan.name);
  std::vector<std::pair<std::string, Drive>> others;
  std::vector<std::string> grippers;
  const auto other = [&](const ActuatorGroup& group) {
    if (group.gripper)
      grippers.push_back(group.name);
    else
      others.emplace_back(group.name, group.drive);
  };
  std::for_each(robot.groups.begin() + 1, robot.groups.end(), other);
  if (tool != nullptr) std::ranges::for_each(tool->groups, other);
  if (!others.empty()) {
    out += "controllers:\n";
    for (const auto& [name, drive] : others)
      out += fmt::format("  arm.{}: {{type: {}}}\n", name, keeper_of(drive));
  }
  const bool torque = arm.drive == Drive::kTorque;
  out += fmt::format(
      "whole_arm:\n  arms:\n"
      "    # driven by {}: {}\n"
      "    arm.{}: {{feedback: {}{}}}\n",
      name_of(arm.drive),
      plan.measured ? "control sees what is measured, and the arm gives way when it is pushed"
                    : "control follows its own commanded state, and the drive follows that",
      arm.name, plan.measured ? "measured" : "commanded",
      torque && !plan.measured ? compensated(robot) : "");
  out += fmt::format(
      "  tasks:\n"
      "    hand: {{type: {}, frame: arm.{}, stiffness: 100{}}}\n"
      "    # what is free besides the hand stays near where it was\n"
      "    posture: {{type: posture, robot: arm, stiffness: 10, weight: 1.0e-4}}\n",
      plan.turns_hand ? "pose" : "position", plan.hand,
      plan.turns_hand ? ", orientation_stiffness: 400" : "");
  out += "  constraints:\n";
  if (torque) out += "    - {type: torque_limits}\n";
  out += "    - {type: jerk_limits}\n";
  const bool itself = plan.apart == Apart::kAll;
  const bool beside = plan.apart != Apart::kNothing && plan.box_angle.has_value();
  if (itself)
    out += fmt::format(
        "    # links that are near a joint's axis brake against one another with a short lever\n"
        "    - {{type: collision, pairs: [[arm.*, arm.*]], deceleration: {:.2g} m/s^2}}\n",
        own_deceleration(robot, plan.reach));
  if (beside) out += "    - {type: collision, pairs: [[arm.*, pedestal]]}\n";
  const double speed = std::max(0.05, 0.4 * plan.reach);
  out += fmt::format(
      "devices:\n  # its right controller moves the hand, and so do the page's keys, mouse, "
      "gamepad "
      "and touch\n"
      "  headset: {{driver: {{type: headset}}}}\n"
      "  page: {{driver: {{type: page}}}}\n"
      "sources:\n  person: {{type: hand, device: headset, pose: right, clutch: {{motion: "
      "right.trigger}}}}\n"
      "  jog: {{type: jog, device: page, x: x, y: y, z: z, roll: roll, pitch: pitch, yaw: yaw, "
      "dead_man: clutch, response: {{dead_zone: 0}}, speed: {} m/s, angular_speed: 1 rad/s, "
      "acceleration: {} m/s^2, angular_acceleration: 1.5 rad/s^2}}\n",
      metres(speed), metres(1.2 * speed));
  out += fmt::format(
      "references:\n  hand: {{speed: {} m/s, acceleration: {} m/s^2, angular_speed: 1 rad/s, "
      "angular_acceleration: 3 rad/s^2}}\n",
      metres(speed), metres(2.5 * speed));
  out += "machines:\n  arm:\n    start: rest\n    states:\n";
  out += fmt::format(
      "      rest: {{do: [{{type: hold, tasks: [hand]}}], next: [{{to: {}, when: [{{type: after, "
      "time: 0.5 s}}]}}]}}\n",
      plan.shown_way ? "there" : "shown");
  if (plan.shown_way) {
    const auto move = [&](const char* state, const Eigen::Vector3d& way, const char* next) {
      out += fmt::format(
          "      {}:\n        do: [{{type: move_to, task: hand, linear: {{velocity: {} m/s}}, "
          "tolerance: {{distance: {} m, angle: 15 deg}}, waypoints: [{{relative: true, position: "
          "{}}}]}}]\n"
          "        next: [{{to: {}, when: [{{type: done}}]}}]\n",
          state, metres(0.5 * speed), metres(std::max(0.01, 0.3 * way.norm())), point(way), next);
    };
    // wide tolerances: nobody has compensated this arm's friction yet
    move("there", *plan.shown_way, "back");
    move("back", -*plan.shown_way, "shown");
  }
  out +=
      "      # a run without --for ends here; the station goes on\n"
      "      shown: {final: true, next: [{to: teleoperation}]}\n"
      "      teleoperation:\n        do:\n"
      "          - {type: follow, task: hand, sources: [{source: person}, {source: jog}]}\n";
  for (const auto& gripper : grippers)
    out += fmt::format(
        "          # a press closes the gripper, the next one opens it\n"
        "          - {{type: operate, group: arm.{}, device: headset, \"on\": right.primary, "
        "toggles: "
        "true}}\n",
        gripper);
  out += "picture: {view: overview}\n";
  return out;
}

std::string workspace_readme(const WorkspacePlan& plan, bool own) {
  std::string out = fmt::format("# {}\n\nA workspace of handspan around {}{}.\n\n", plan.name,
                                plan.robot, plan.tool.empty() ? "" : " with " + plan.tool);
  out += "| what | where |\n|---|---|\n";
  if (own)
    out += fmt::format(
        "| the robot: model, limits, groups and drives, poses, and where each number comes from | "
        "`robots/{}/` |\n",
        plan.robot);
  out += fmt::format(
      "| the scene: where the robot and things stand, and how materials meet | `scenes/{0}.yaml` "
      "|\n| the app: controller, tasks, limits, devices and the machine that runs | "
      "`apps/{0}.yaml` |\n\n",
      plan.name);
  if (!own)
    out += fmt::format(
        "The robot `{}` is one that handspan came with. A folder `robots/{}` here would be taken "
        "before it.\n\n",
        plan.robot, plan.robot);
  out += fmt::format(
      "In this folder:\n```\n"
      "# as fast as it goes, and a picture of the end\n"
      "handspan run apps/{0}.yaml\n"
      "# a page: take over and move the hand by keys, mouse, gamepad, touch or a headset\n"
      "handspan serve apps/{0}.yaml\n"
      "# a log, and the same run again from it\n"
      "handspan run apps/{0}.yaml --record {0}.mcap\n"
      "handspan replay {0}.mcap --verify\n"
      "# the app in words; with --channels also what a log of it holds\n"
      "handspan check apps/{0}.yaml\n",
      plan.name);
  if (own)
    out +=
        fmt::format("# masses, reach, limits, agreement of the engines\nhandspan check robots/{}\n",
                    plan.robot);
  out += "```\n";
  if (own)
    out += fmt::format(
        "\nBefore you trust it: `robots/{0}/SOURCES.md` lists every number that the file did not "
        "have and handspan chose, above\nall the drive (`robot.yaml`, groups) and the "
        "accelerations and jerks (`limits.yaml`). Put the maker's there.\n",
        plan.robot);
  return out;
}

}  // namespace handspan
