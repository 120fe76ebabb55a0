#include "import/robot_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <set>

#include "core/random.hpp"
#include "robot/model.hpp"

namespace handspan {

namespace {

// index of the body that a frame is fixed to, or that has its name; -1: the world
int carrier(const ModelDescription& description, const std::string& frame) {
  const int index = description.frame_index(frame);
  return index < 0 ? description.body_index(frame)
                   : description.frames[static_cast<std::size_t>(index)].body;
}

}  // namespace

std::string end_frame(const RobotFolder& folder) {
  if (folder.mount) return *folder.mount;
  const ModelDescription& d = folder.description;
  const auto body_of_joint = [&](const std::string& name) {
    for (std::size_t b = 0; b < d.bodies.size(); ++b)
      if (std::ranges::count(d.bodies[b].joints, name, &JointDescription::name) > 0)
        return static_cast<int>(b);
    return -1;
  };
  const int last = folder.groups.empty() ? -1 : body_of_joint(folder.groups.front().joints.back());
  // on that joint's body, or on what is fixed to it
  const auto at_its_end = [&](int body) {
    for (; body > last; body = d.bodies[static_cast<std::size_t>(body)].parent)
      if (!d.bodies[static_cast<std::size_t>(body)].joints.empty()) return false;
    return body == last;
  };
  for (auto frame = d.frames.rbegin(); frame != d.frames.rend(); ++frame)
    if (last < 0 || at_its_end(frame->body)) return frame->name;
  return last < 0 ? "" : d.bodies[static_cast<std::size_t>(last)].name;
}

double find_reach(const ModelDescription& description, const RobotLimits& limits,
                  const std::string& frame_name) {
  const RobotModel model(description);
  RobotData data(model);
  const FrameId frame = model.frame(frame_name);
  RandomStream random(1, "reach");
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
  Eigen::VectorXd q = model.neutral();
  const auto distance = [&] {
    update_kinematics(model, data, q, v);
    return frame_pose(model, data, frame).p.norm();
  };
  const auto range = [&](const JointSlot& joint) -> std::array<double, 2> {
    const JointLimits* l = limits.find(joint.name);
    return l && !l->continuous ? std::array{l->lower, l->upper}
                               : std::array{-std::numbers::pi, std::numbers::pi};
  };
  // other joints do not move the frame: searching them would only take time
  std::set<std::string> moving;
  for (int b = carrier(description, frame_name); b >= 0;
       b = description.bodies[static_cast<std::size_t>(b)].parent)
    for (const auto& joint : description.bodies[static_cast<std::size_t>(b)].joints)
      moving.insert(joint.name);
  double best = distance();
  for (int start = 0; start < 20; ++start) {
    for (const auto& joint : model.joints()) {
      if (joint_nq(joint.type) != 1) continue;
      const auto [low, high] = range(joint);
      q[joint.q] = low + random.uniform() * (high - low);
    }
    // one joint at a time, ever finer about its best value
    double here = distance();
    for (double width = 1.0; width > 1e-3; width *= 0.6)
      for (const auto& joint : model.joints()) {
        if (joint_nq(joint.type) != 1 || !moving.contains(joint.name)) continue;
        const auto [low, high] = range(joint);
        const double middle = q[joint.q];
        double kept = middle;
        for (int i = -6; i <= 6; ++i) {
          q[joint.q] = std::clamp(middle + width * i / 6.0 * 0.5 * (high - low), low, high);
          if (const double d = distance(); d > here) {
            here = d;
            kept = q[joint.q];
          }
        }
        q[joint.q] = kept;
      }
    best = std::max(best, here);
  }
  return best;
}

namespace {

// whether the root, or what is fixed to it, has mass: what moves must
bool base_has_mass(const ModelDescription& description) {
  std::vector<char> fixed(description.bodies.size(), 0);
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const auto& body = description.bodies[b];
    fixed[b] = body.joints.empty() &&
               (body.parent < 0 || fixed[static_cast<std::size_t>(body.parent)] != 0);
    if (fixed[b] != 0 && body.inertial.mass > 0.0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> friction_notes(const RobotFolder& folder) {
  // of a joint's torque, at half its speed
  constexpr double kMuch = 0.3;
  std::vector<std::string> notes;
  for (const auto& body : folder.description.bodies)
    for (const auto& joint : body.joints) {
      const JointLimits* limits = folder.limits.find(joint.name);
      if (limits == nullptr) continue;
      const double taken = joint.friction_loss + 0.5 * joint.damping * limits->velocity;
      if (taken < kMuch * limits->torque) continue;
      const bool slides = joint.type == JointType::kPrismatic;
      const double left = std::max(0.0, kMuch * limits->torque - joint.friction_loss);
      const bool driven_by_torque = std::ranges::any_of(folder.groups, [&](const auto& group) {
        return group.drive == Drive::kTorque && std::ranges::count(group.joints, joint.name) > 0;
      });
      std::string note = fmt::format(
          "joint '{}': friction and damping take {:.3g} of its {:.3g} {} at half its speed; it "
          "will "
          "stay behind",
          joint.name, taken, limits->torque, slides ? "N" : "N m");
      if (left > 0.0 && joint.damping > 0.0)
        note += fmt::format(": limit its velocity to {:.2g} {}", 2.0 * left / joint.damping,
                            slides ? "m/s" : "rad/s");
      if (driven_by_torque) note += "; give its arm 'friction' in the app";
      notes.push_back(std::move(note));
    }
  return notes;
}

RobotReport check_robot(const RobotFolder& folder, int states) {
  RobotReport report;
  for (const auto& body : folder.description.bodies) {
    report.mass += body.inertial.mass;
    if (body.inertial.mass <= 0.0) continue;
    BodyReport b;
    b.name = body.name;
    b.mass = body.inertial.mass;
    b.principal = body.inertial.principal;
    std::sort(b.principal.begin(), b.principal.end());
    b.triangle_slack = (b.principal[0] + b.principal[1] - b.principal[2]) / b.principal.sum();
    b.repaired = std::ranges::any_of(folder.repairs,
                                     [&](const InertiaRepair& r) { return r.body == body.name; });
    report.bodies.push_back(std::move(b));
  }
  report.reach_frame = end_frame(folder);
  if (!report.reach_frame.empty())
    report.reach = find_reach(folder.description, folder.limits, report.reach_frame);
  report.fixed = compare_engines(folder.description, states, 1);
  report.parity_holds = report.fixed.worst() <= kParityBound;
  // a robot whose root moves already has its base; one without mass cannot have any
  const auto roots = std::ranges::count(folder.description.bodies, -1, &BodyDescription::parent);
  if (roots == 1 && folder.description.bodies.front().joints.empty() &&
      base_has_mass(folder.description)) {
    report.floating = compare_engines(with_base(folder.description, BaseType::kFree), states, 2);
    report.planar = compare_engines(with_base(folder.description, BaseType::kPlanar), states, 3);
    report.parity_holds = report.parity_holds &&
                          std::max(report.floating.worst(), report.planar.worst()) <= kParityBound;
  }
  return report;
}

}  // namespace handspan
