// One file, since a scene is put together in one order, each step reads what those before it found,
// and a scene with other numbers repeats some of these steps.
#include "scene/load_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>

#include "core/suggest.hpp"
#include "scene/mujoco_scene.hpp"
#include "scene/restitution.hpp"
#include "scene/scene_schema.hpp"
#include "scene/uniform_object.hpp"

namespace handspan {
namespace {

// Names the shapes of a body: one shape has the body's name, several get numbers.
std::vector<Shape> named_shapes(const std::string& name, const std::vector<ShapeEntry>& entries) {
  std::vector<Shape> shapes;
  for (const auto& entry : entries)
    shapes.insert(shapes.end(), entry.shapes.begin(), entry.shapes.end());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    shapes[i].name = shapes.size() == 1 ? name : fmt::format("{}_{}", name, i + 1);
  return shapes;
}

// Those of them that only robots touch.
std::vector<std::string> robots_only(const std::vector<Shape>& shapes,
                                     const std::vector<ShapeEntry>& entries) {
  std::vector<std::string> names;
  auto shape = shapes.begin();
  for (const auto& entry : entries)
    for (std::size_t i = 0; i < entry.shapes.size(); ++i, ++shape)
      if (entry.touches == Touches::kRobots) names.push_back(shape->name);
  return names;
}

SceneBody body_of(const std::string& name, const Placement& X_WB,
                  const std::vector<ShapeEntry>& entries) {
  SceneBody body{name, X_WB, named_shapes(name, entries), {}};
  body.robots_only = robots_only(body.shapes, entries);
  return body;
}

class Assembly {
 public:
  Assembly(SceneFile file, const std::filesystem::path& path)
      : file_(std::move(file)), path_(path) {}

  /// @param robots of an earlier load of the same file: taken over when all else is well
  Scene assemble(std::vector<RobotInstance>* robots = nullptr) {
    scene_.name = file_.name;
    scene_.file = path_;
    scene_.physics = file_.physics;
    scene_.default_law = file_.default_law;
    scene_.ground = file_.ground;
    if (scene_.ground) names_["shape"].insert(kGround);
    scene_.views.reserve(file_.views.size());
    for (auto& [name, view] : file_.views) scene_.views.push_back({name, view.eye, view.target});
    for (auto& [name, camera] : file_.cameras) {
      CameraDescription c = camera;
      c.name = name;
      c.X_WC = camera.pose.placement();
      scene_.cameras.push_back(std::move(c));
    }
    if (robots == nullptr)
      for (const auto& [name, entry] : file_.robots) add_robot(name, entry);
    else
      for (const auto& robot : *robots) claim_instance(robot);
    for (const auto& [name, entry] : file_.frames) {
      claim("frame", name, entry.place);
      scene_.frames.emplace_back(name, entry.placement());
    }
    for (const auto& [name, entry] : file_.objects) add_object(name, entry);
    for (const auto& [name, entry] : file_.fixtures)
      scene_.fixtures.push_back(
          claimed(body_of(name, entry.pose.placement(), entry.shapes), entry.place));
    for (const auto& [name, entry] : file_.belts) add_belt(name, entry);
    for (const auto& [name, entry] : file_.kinematics) add_kinematic(name, entry);
    add_pairs(robots == nullptr ? scene_.robots : *robots);
    check_starts_held();
    if (!issues_.empty()) throw ConfigError(std::move(issues_));
    if (robots != nullptr) scene_.robots = std::move(*robots);
    return std::move(scene_);
  }

 private:
  void report(const Place& place, std::string cause, std::string hint) {
    issues_.push_back({place, "", std::move(cause), std::move(hint)});
  }

  // Names of one kind are MuJoCo's: equal ones would meet there.
  void claim(const std::string& kind, const std::string& name, const Place& place) {
    if (!schema_detail::is_identifier(name))
      report(place, fmt::format("'{}' is not a name", shown(name)), schema_detail::kIdentifierHint);
    else if (!names_[kind].insert(name).second)
      report(place, fmt::format("there is a {} '{}' already", kind, name),
             "give each a name of its own");
  }

  void claim_instance(const RobotInstance& robot) {
    claim("robot", robot.name, {path_.string(), 0, 0});
    claim_robot(robot.description, {path_.string(), 0, 0});
  }

  void claim_robot(const ModelDescription& description, const Place& place) {
    for (const auto& body : description.bodies) {
      claim("body", body.name, place);
      for (const auto& shape : body.shapes) claim("shape", shape.name, place);
    }
    for (const auto& frame : description.frames) claim("frame", frame.name, place);
  }

  SceneBody claimed(SceneBody body, const Place& place) {
    if (body.name == "world") report(place, "'world' is the world's own name", "choose another");
    claim("body", body.name, place);
    for (const auto& shape : body.shapes) claim("shape", shape.name, place);
    return body;
  }

  // Messages of folders carry no place in this file: put it before them.
  template <class F>
  auto at(const Place& place, F&& load) -> std::optional<decltype(load())> {
    try {
      return load();
    } catch (const ConfigError&) {
      throw;  // has places of its own
    } catch (const std::exception& e) {
      report(place, e.what(), "");
      return std::nullopt;
    }
  }

  void add_robot(const std::string& name, const RobotEntry& entry) {
    claim("robot", name, entry.place);
    const auto from = path_.parent_path();
    auto folder = at(entry.place, [&] {
      return load_robot_folder(find_robot_folder(entry.robot, from.empty() ? "." : from));
    });
    if (!folder) return;
    if (folder->kind != FolderKind::kRobot)
      return report(entry.place, fmt::format("'{}' is a tool", entry.robot),
                    "name a robot, and the tool under 'tool'");
    const std::string prefix = name + ".";
    RobotInstance robot;
    robot.name = name;
    robot.robot = entry.robot;
    robot.description = with_prefix(folder->description, prefix);
    if (!entry.joint_friction)
      for (auto& body : robot.description.bodies)
        for (auto& joint : body.joints) joint.friction_loss = joint.damping = 0.0;
    robot.maker_gravity_compensation = folder->maker_gravity_compensation;
    robot.limits = folder->limits;
    for (auto& [joint, limits] : robot.limits.joints) joint.insert(0, prefix);
    if (robot.limits.elbow) robot.limits.elbow->body.insert(0, prefix);
    robot.groups = folder->groups;
    robot.poses = folder->poses;
    take_over(robot, *folder, prefix);
    if (entry.tool && !mount_tool(robot, entry, *folder, prefix)) return;
    for (auto& group : robot.groups) {
      for (auto& joint : group.joints) joint.insert(0, prefix);
      claim("group", prefix + group.name, entry.place);
    }
    for (const auto& suction : robot.suctions) claim("group", suction.name, entry.place);
    for (const auto& sensor : robot.sensors) claim("sensor", sensor.name, entry.place);
    change_suction(robot, entry);
    robot.description.name = name;
    robot.description = placed(std::move(robot.description), entry.base.placement());
    choose_start(robot, entry, *folder);
    claim_robot(robot.description, entry.place);
    scene_.robots.push_back(std::move(robot));
  }

  static void take_over(RobotInstance& robot, const RobotFolder& folder,
                        const std::string& prefix) {
    for (auto sensor : folder.sensors) {
      sensor.name.insert(0, prefix);
      sensor.site.insert(0, prefix);
      robot.sensors.push_back(std::move(sensor));
    }
    for (auto suction : folder.suctions) {
      for (std::string* name : {&suction.name, &suction.site, &suction.shape})
        name->insert(0, prefix);
      for (auto& shape : suction.bellows_shapes) shape.insert(0, prefix);
      robot.suctions.push_back(std::move(suction));
    }
    for (const auto& [a, b] : folder.ignored_pairs)
      robot.ignored_pairs.emplace_back(prefix + a, prefix + b);
  }

  bool mount_tool(RobotInstance& robot, const RobotEntry& entry, const RobotFolder& folder,
                  const std::string& prefix) {
    const auto from = path_.parent_path();
    auto tool = at(entry.place, [&] {
      return load_robot_folder(find_robot_folder(*entry.tool, from.empty() ? "." : from));
    });
    if (!tool) return false;
    if (tool->kind != FolderKind::kTool)
      return report(entry.place, fmt::format("'{}' is a robot, not a tool", *entry.tool), ""),
             false;
    if (!folder.mount)
      return report(entry.place, fmt::format("robot '{}' has no mount for a tool", folder.name),
                    "name it in its robot.yaml: mount: FRAME"),
             false;
    auto mounted_on = at(entry.place, [&] {
      return mounted(robot.description, prefix + *folder.mount,
                     with_prefix(tool->description, prefix));
    });
    if (!mounted_on) return false;
    robot.description = std::move(*mounted_on);
    robot.tool = *entry.tool;
    take_over(robot, *tool, prefix);
    for (auto [joint, limits] : tool->limits.joints)
      robot.limits.joints.emplace_back(prefix + joint, limits);
    for (const auto& group : tool->groups) robot.groups.push_back(group);
    return true;
  }

  void change_suction(RobotInstance& robot, const RobotEntry& entry) {
    std::vector<std::string> names;
    for (const auto& suction : robot.suctions)
      names.push_back(suction.name.substr(robot.name.size() + 1));
    for (const auto& [name, changes] : entry.suction) {
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) {
        report(changes.place, fmt::format("the robot has no suction cup '{}'", shown(name)),
               names.empty() ? "name a tool that has one" : did_you_mean(name, names, "it has"));
        continue;
      }
      SuctionDescription& suction = robot.suctions[static_cast<std::size_t>(found - names.begin())];
      change(suction, changes);
      for (auto& [cause, hint] : suction_faults(suction, robot.description))
        report(changes.place, std::move(cause), std::move(hint));
      if (!suction.holds.empty()) starts_held_.push_back({changes.place, suction.holds});
    }
  }

  // when the objects are known
  void check_starts_held() {
    std::vector<std::string> names;
    for (const auto& object : scene_.objects) names.push_back(object.name);
    for (std::size_t i = 0; i < starts_held_.size(); ++i) {
      const auto& [place, name] = starts_held_[i];
      if (!std::ranges::count(names, name))
        report(place, fmt::format("the scene has no object '{}'", shown(name)),
               names.empty() ? "" : did_you_mean(name, names, "it has"));
      for (std::size_t j = 0; j < i; ++j)
        if (starts_held_[j].second == name)
          report(place, fmt::format("object '{}' is held by two cups", shown(name)),
                 "let one of them hold it");
    }
  }

  void choose_start(RobotInstance& robot, const RobotEntry& entry, const RobotFolder& folder) {
    const auto& joints = robot.groups.front().joints;
    const auto n = static_cast<Eigen::Index>(joints.size());
    robot.q_start = Eigen::VectorXd::Zero(n);
    if (entry.pose && entry.q)
      return report(entry.q->place, "q stands beside pose", "give one of them");
    const auto take = [&](const NamedPose& pose) {
      robot.q_start = pose.q;
      for (const auto& [joint, q] : pose.others)
        robot.other_q_start.emplace_back(robot.name + "." + joint, q);
    };
    if (entry.q) {
      if (!entry.q->value.list) {
        if (!folder.poses.empty()) take(folder.poses.front());
        start_by_joint(robot, *entry.q);
      } else if (entry.q->value.list->size() != n) {
        return report(entry.q->place, fmt::format("q has {} values", entry.q->value.list->size()),
                      fmt::format("give {}", n));
      } else {
        robot.q_start = *entry.q->value.list;
      }
    } else if (entry.pose) {
      const NamedPose* pose = folder.pose(entry.pose->value);
      std::vector<std::string> names;
      for (const auto& p : folder.poses) names.push_back(p.name);
      if (!pose)
        return report(entry.pose->place,
                      fmt::format("robot '{}' has no pose '{}'", folder.name, entry.pose->value),
                      did_you_mean(entry.pose->value, names, "it has"));
      take(*pose);
    } else if (!folder.poses.empty()) {
      take(folder.poses.front());
    }
    for (Eigen::Index i = 0; i < n; ++i)
      check_start(robot, entry.place, joints[static_cast<std::size_t>(i)], robot.q_start[i]);
    for (const auto& [joint, q] : robot.other_q_start) check_start(robot, entry.place, joint, q);
  }

  void check_start(const RobotInstance& robot, const Place& place, const std::string& joint,
                   double q) {
    const JointLimits& limits = *robot.limits.find(joint);
    if (limits.continuous || (q >= limits.lower && q <= limits.upper)) return;
    report(place,
           fmt::format("joint '{}' starts at {}, outside its limits {} to {}", joint, q,
                       limits.lower, limits.upper),
           // more than a turn is seldom meant in rad
           std::abs(q) > 2.0 * std::numbers::pi && limits.upper < 100.0
               ? fmt::format("angles are in rad: write '{} deg' if degrees are meant", q)
               : "");
  }

  // joints that it says nothing of are as the first pose of the folder has them
  void start_by_joint(RobotInstance& robot, const Located<JointValues>& q) {
    std::vector<std::string> grouped;
    for (const auto& group : robot.groups)
      for (const auto& joint : group.joints) grouped.push_back(joint.substr(robot.name.size() + 1));
    const auto& first = robot.groups.front().joints;
    for (const auto& [name, value] : q.value.by_joint) {
      if (!std::ranges::count(grouped, name)) {
        report(q.place,
               fmt::format("q names the joint '{}', which no group of the robot has", shown(name)),
               did_you_mean(name, grouped, "groups have"));
        continue;
      }
      const std::string joint = robot.name + "." + name;
      if (const auto at = std::ranges::find(first, joint); at != first.end()) {
        robot.q_start[at - first.begin()] = value;
        continue;
      }
      std::erase_if(robot.other_q_start, [&](const auto& other) { return other.first == joint; });
      robot.other_q_start.emplace_back(joint, value);
    }
  }

  void add_object(const std::string& name, const BodyEntry& entry) {
    SceneBody body = claimed(body_of(name, entry.pose.placement(), entry.shapes), entry.place);
    if (entry.inertia) {
      body.inertial = Inertial::from_full(
          *entry.mass, entry.center_of_mass.value_or(Eigen::Vector3d::Zero()), *entry.inertia);
    } else {
      try {
        if (auto uniform = at(entry.place, [&] { return uniform_object(body.name, entry); }))
          body.inertial = *uniform;
      } catch (const ConfigError& error) {
        issues_.insert(issues_.end(), error.issues().begin(), error.issues().end());
        return;
      }
    }
    check_inertial(body, entry.place);
    scene_.objects.push_back(std::move(body));
  }

  // the same words as for a robot's body
  void check_inertial(const SceneBody& body, const Place& place) {
    ModelDescription alone;
    alone.name = body.name;
    alone.bodies.push_back({body.name, -1, body.X_WB, body.inertial, {}, {}});
    at(place, [&] {
      validate(alone);
      return true;
    });
  }

  void add_belt(const std::string& name, const BeltEntry& entry) {
    Shape shape;
    shape.name = name;
    shape.type = ShapeType::kBox;
    shape.size = 0.5 * entry.size;
    shape.material = entry.material;
    shape.rgba = {0.16F, 0.17F, 0.19F, 1.0F};
    scene_.belts.push_back({claimed({name, entry.pose.placement(), {shape}, {}}, entry.place),
                            entry.speed, entry.settable});
  }

  void add_kinematic(const std::string& name, const KinematicEntry& entry) {
    KinematicBody kinematic;
    kinematic.body =
        claimed(body_of(name, entry.motion.front().pose.placement(), entry.shapes), entry.place);
    for (const auto& waypoint : entry.motion)
      kinematic.waypoints.push_back({waypoint.time, waypoint.pose.placement()});
    scene_.kinematics.push_back(std::move(kinematic));
  }

  void add_pairs(const std::vector<RobotInstance>& robots) {
    std::set<std::string> materials;
    const auto collect = [&](const std::vector<Shape>& shapes) {
      for (const auto& shape : shapes) materials.insert(shape.material);
    };
    for (const auto& robot : robots)
      for (const auto& body : robot.description.bodies) collect(body.shapes);
    for (const auto& body : scene_.objects) collect(body.shapes);
    for (const auto& body : scene_.fixtures) collect(body.shapes);
    for (const auto& belt : scene_.belts) collect(belt.body.shapes);
    for (const auto& kinematic : scene_.kinematics) collect(kinematic.body.shapes);
    if (scene_.ground) materials.insert(scene_.ground->material);
    const std::vector<std::string> known(materials.begin(), materials.end());
    for (const auto& pair : file_.pairs) {
      for (const auto& material : pair.materials)
        if (!materials.contains(material))
          report(pair.place, fmt::format("no shape of the scene is of material '{}'", material),
                 did_you_mean(material, known, "there are"));
      const auto same = [&](const MaterialPair& p) {
        return (p.a == pair.materials[0] && p.b == pair.materials[1]) ||
               (p.b == pair.materials[0] && p.a == pair.materials[1]);
      };
      if (std::ranges::any_of(scene_.pairs, same))
        report(
            pair.place,
            fmt::format("materials {} and {} have two rows", pair.materials[0], pair.materials[1]),
            "keep one");
      check_law(pair.law, pair.place);
      scene_.pairs.push_back({pair.materials[0], pair.materials[1], pair.law});
    }
    check_materials(materials);
    check_law(scene_.default_law, {path_.string(), 0, 0});
    if (scene_.default_law.friction_damping)
      report({path_.string(), 0, 0}, "the default law has friction_damping",
             "MuJoCo knows it of pairs only: give it in a row");
  }

  // a slip in a shape's material would quietly be the default law
  void check_materials(const std::set<std::string>& used) {
    std::vector<std::string> known;
    for (const auto& pair : scene_.pairs)
      for (const std::string& material : {pair.a, pair.b})
        if (!std::ranges::count(known, material)) known.push_back(material);
    for (const auto& material : used) {
      if (material.empty() || std::ranges::count(known, material)) continue;
      if (const auto meant = nearest_name(material, known))
        report({path_.string(), 0, 0},
               fmt::format("material '{}' of a shape has no row in contact.pairs", material),
               fmt::format("did you mean '{}'? If not, give it a row, or a name less like it",
                           *meant));
    }
  }

  void check_law(const ContactLaw& law, const Place& place) {
    if (law.restitution)
      at(place, [&] {
        return restitution_damping(*law.restitution, law.stiffness, scene_.physics.timestep,
                                   law.impedance);
      });
    else if (law.time_constant < 2.0 * scene_.physics.timestep)
      report(place, fmt::format("time_constant is {} s", law.time_constant),
             fmt::format("it must be at least two time steps, {} s, or the contact bursts",
                         2.0 * scene_.physics.timestep));
    if (!(law.impedance[0] <= law.impedance[1] && law.impedance[1] < 1.0))
      report(place, "impedance falls, or reaches 1",
             "give at contact <= at full width < 1, and the width in m");
  }

  SceneFile file_;
  std::filesystem::path path_;
  Scene scene_;
  std::map<std::string, std::set<std::string>> names_;  // by kind
  std::vector<Issue> issues_;
  std::vector<std::pair<Place, std::string>> starts_held_;  // objects
};

// What MuJoCo itself refuses is a person's input too.
CompiledScene compiled_or_refused(const Scene& scene) {
  try {
    return CompiledScene(scene);
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& e) {
    throw InputError(e.what());
  }
}

Scene checked(Scene scene) {
  check_start(compiled_or_refused(scene));
  return scene;
}

}  // namespace

Scene load_scene(const std::filesystem::path& file) {
  return checked(Assembly(load_yaml(file, scene_schema()), file).assemble());
}

Description scene_description() { return scene_schema().description(); }

Scene renumbered_scene(const Node& tree, Scene& from) {
  const std::filesystem::path file = from.file;
  return Assembly(read_tree(tree, file.string(), scene_schema()), file).assemble(&from.robots);
}

bool is_number_of_scene(std::span<const TreeStep> steps) {
  const auto is = [&](std::size_t i, std::initializer_list<std::string_view> keys) {
    const auto* step = i < steps.size() ? std::get_if<std::string>(&steps[i]) : nullptr;
    return step != nullptr && std::ranges::count(keys, *step) > 0;
  };
  if (is(0, {"contact"})) {
    // which rows there are, and of what, decides which pairs the model has
    if (is(1, {"default"})) return steps.size() > 2;
    return is(1, {"pairs"}) && steps.size() > 3 && !is(3, {"materials"});
  }
  if (is(0, {"frames"})) return steps.size() > 2;
  if (is(0, {"belts"})) return is(2, {"pose", "size", "speed"});
  if (!is(0, {"objects", "fixtures"})) return false;
  if (is(2, {"mass", "center_of_mass", "inertia", "pose"})) return true;
  // of a shape its numbers, not its kind
  return is(2, {"shapes"}) && steps.size() > 4 &&
         !is(4, {"type", "material", "file", "scale", "touches"});
}

Scene parse_scene(const std::string& text, const std::filesystem::path& file) {
  return checked(Assembly(parse_yaml(text, file.string(), scene_schema()), file).assemble());
}

}  // namespace handspan
