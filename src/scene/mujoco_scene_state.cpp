// Where a compiled scene starts, where its kinematic bodies are, and what overlaps then.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "scene/mixed_drives.hpp"
#include "scene/mujoco_scene.hpp"
#include "scene/mujoco_suction.hpp"

namespace handspan {

void CompiledScene::reset(const mjModel& model, mjData& data) const {
  mj_resetData(&model, &data);
  const auto put = [&](const std::string& joint, double q) {
    data.qpos[model.jnt_qposadr[mj_name2id(&model, mjOBJ_JOINT, joint.c_str())]] = q;
  };
  for (const auto& robot : scene_->robots) {
    for (std::size_t i = 0; i < robot.groups.front().joints.size(); ++i)
      put(robot.groups.front().joints[i], robot.q_start[static_cast<Eigen::Index>(i)]);
    for (const auto& [joint, q] : other_starts(robot)) put(joint, q);
  }
  mj_forward(&model, &data);
}

void kinematic_state(const KinematicBody& kinematic, double time, Placement& X_WB,
                     Eigen::Vector3d& v_WB, Eigen::Vector3d& w_WB) {
  const auto& points = kinematic.waypoints;
  v_WB.setZero();
  w_WB.setZero();
  std::size_t next = 0;
  while (next < points.size() && points[next].time <= time) ++next;
  if (next == 0 || next == points.size()) {
    X_WB = next == 0 ? points.front().X_WB : points.back().X_WB;
    return;
  }
  const auto &a = points[next - 1], &b = points[next];
  const double span = b.time - a.time, s = (time - a.time) / span;
  const Eigen::AngleAxisd turn(a.X_WB.q.conjugate() * b.X_WB.q);
  X_WB.p = a.X_WB.p + s * (b.X_WB.p - a.X_WB.p);
  X_WB.q = a.X_WB.q * Eigen::Quaterniond(Eigen::AngleAxisd(s * turn.angle(), turn.axis()));
  v_WB = (b.X_WB.p - a.X_WB.p) / span;
  w_WB = a.X_WB.q * Eigen::Vector3d(turn.angle() / span * turn.axis());
}

std::vector<Overlap> starting_overlaps(const CompiledScene& compiled, double deepest) {
  const mjModel& m = compiled.model();
  const MjDataPtr data(mj_makeData(&m));
  compiled.reset(m, *data);
  // contacts are what MuJoCo itself would push apart: excluded and fixed pairs are not among them
  std::map<std::pair<std::string, std::string>, double> worst;
  for (int c = 0; c < data->ncon; ++c) {
    const mjContact& contact = data->contact[c];
    if (contact.dist >= -deepest) continue;
    const auto body = [&](int geom) {
      return std::string(mj_id2name(&m, mjOBJ_BODY, m.geom_bodyid[geom]));
    };
    double& depth = worst[std::minmax(body(contact.geom[0]), body(contact.geom[1]))];
    depth = std::max(depth, -contact.dist);
  }
  std::vector<Overlap> overlaps;
  for (const auto& [pair, depth] : worst) overlaps.push_back({pair.first, pair.second, depth});
  return overlaps;
}

std::vector<std::pair<std::string, std::string>> starting_misfits(const CompiledScene& compiled) {
  const mjModel& m = compiled.model();
  const MjDataPtr data(mj_makeData(&m));
  compiled.reset(m, *data);
  std::vector<std::pair<std::string, std::string>> misfits;
  for (const auto& robot : compiled.scene().robots)
    for (const auto& suction : robot.suctions)
      if (!suction.holds.empty() && !SealProbe(m, suction, suction.holds).fit(m, *data))
        misfits.emplace_back(suction.name, suction.holds);
  return misfits;
}

namespace {

// The key of the scene that moves a body, and the robot that it is part of, if any.
struct Owner {
  std::string key;
  const RobotInstance* robot = nullptr;
};

// As a message calls a body: the world's own shape is the ground.
std::string called(const std::string& body) { return body == "world" ? kGround : body; }

Owner owner_of(const Scene& scene, const std::string& body) {
  if (body == "world") return {"ground.height"};
  for (const auto& robot : scene.robots)
    for (const auto& part : simulated_description(robot).bodies)
      if (part.name == body) return {fmt::format("robots.{}", robot.name), &robot};
  const auto is = [&](const SceneBody& candidate) { return candidate.name == body; };
  if (std::ranges::any_of(scene.objects, is)) return {fmt::format("objects.{}.pose", body)};
  if (std::ranges::any_of(scene.fixtures, is)) return {fmt::format("fixtures.{}.pose", body)};
  for (const auto& belt : scene.belts)
    if (is(belt.body)) return {fmt::format("belts.{}.pose", body)};
  return {fmt::format("kinematic.{}.motion", body)};
}

// Two bodies of one robot never meet when the robot.yaml that has both says so; a folder's list
// knows the bodies of that folder alone.
std::string hint_within(const Scene& scene, const RobotInstance& robot, const std::string& a,
                        const std::string& b) {
  const std::string elsewhere =
      fmt::format("start it elsewhere (pose or q of robots.{})", robot.name);
  const auto local = [&](const std::string& body) { return body.substr(robot.name.size() + 1); };
  const auto from = scene.file.has_parent_path() ? scene.file.parent_path() : ".";
  for (const std::string& name : {robot.robot, robot.tool}) {
    if (name.empty()) continue;
    const auto folder = find_robot_folder(name, from);
    const RobotFolder parts = load_robot_folder(folder);
    const auto has = [&](const std::string& body) {
      return std::ranges::any_of(parts.description.bodies,
                                 [&](const auto& part) { return part.name == local(body); });
    };
    if (has(a) && has(b))
      return fmt::format("{}, or when they never collide add [{}, {}] to ignored_pairs in {}",
                         elsewhere, local(a), local(b), (folder / "robot.yaml").string());
  }
  return elsewhere;
}

std::string hint_of(const Scene& scene, const Overlap& overlap) {
  const Owner a = owner_of(scene, overlap.a), b = owner_of(scene, overlap.b);
  if (a.robot != nullptr && a.robot == b.robot)
    return hint_within(scene, *a.robot, overlap.a, overlap.b);
  const auto key = [](const Owner& owner) {
    return owner.robot == nullptr ? owner.key : owner.key + " (base, pose or q)";
  };
  return fmt::format("move one of them: {} or {}", key(a), key(b));
}

}  // namespace

void check_start(const CompiledScene& compiled) {
  std::vector<Issue> issues;
  // a lip is welded to what it holds as they lie, also where the lip would give way a little
  const auto held = [&](const Overlap& overlap) {
    for (const auto& robot : compiled.scene().robots)
      for (const auto& suction : robot.suctions)
        if (std::minmax(suction.shape, suction.holds) == std::minmax(overlap.a, overlap.b))
          return overlap.depth <= suction.seal.gap;
    return false;
  };
  for (const auto& overlap : starting_overlaps(compiled, kDeepestStart))
    if (!held(overlap))
      issues.push_back({{compiled.scene().file.string(), 0, 0},
                        "",
                        fmt::format("'{}' starts {:.1f} mm deep in '{}'", called(overlap.a),
                                    1e3 * overlap.depth, called(overlap.b)),
                        hint_of(compiled.scene(), overlap)});
  for (const auto& [cup, object] : starting_misfits(compiled))
    issues.push_back(
        {{compiled.scene().file.string(), 0, 0},
         "",
         fmt::format("'{}' is to hold '{}' at the start, but the lip does not lie on a "
                     "face of it within the seal's gap and angle",
                     cup, object),
         "move one of them, or give the object a face (a box) that the lip may touch"});
  if (!issues.empty()) throw ConfigError(std::move(issues));
}

}  // namespace handspan
