// One file, since the three files of a folder are checked against one another.
#include "scene/robot_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/config.hpp"
#include "core/suggest.hpp"
#include "scene/data_folder.hpp"
#include "scene/joint_values.hpp"
#include "scene/mjcf.hpp"

namespace handspan {
namespace {

// Decimals of a degree-to-radian conversion may put a limit or pose past a stop by this much.
constexpr double kAngleRounding = 1e-9;

struct JointEntry {
  Place place;
  std::optional<Eigen::Vector2d> position;
  JointLimits limits;
};

struct LimitsFile {
  Rate rate;
  std::vector<std::pair<std::string, JointEntry>> joints;
  std::optional<CartesianLimits> cartesian;
  std::optional<ElbowLimits> elbow;
};

Schema<JointEntry> joint_schema() {
  const auto curve =
      object<VelocityCurve>("VelocityCurve",
                            "velocity limit that falls towards the ends of the range")
          .required("offset", &VelocityCurve::offset, number("rad/s"), "a")
          .required("gain", &VelocityCurve::gain, number("rad/s^2").above(0).max(1e7), "b")
          .required("lower", &VelocityCurve::lower, number("rad"), "q_l")
          .required("upper", &VelocityCurve::upper, number("rad"), "q_u");
  struct Flat : JointLimits {
    Place place;
    std::optional<Eigen::Vector2d> position;
  };
  return object<Flat>("JointLimits", "of a prismatic joint read m for rad and N for N m")
      .place(&Flat::place)
      .optional("position", &Flat::position, vector<2>("rad"),
                "[lower, upper]; left out: the joint turns without end")
      .required("velocity", &Flat::velocity, number("rad/s").above(0).max(1e4))
      .required("acceleration", &Flat::acceleration, number("rad/s^2").above(0).max(1e7))
      .required("braking", &Flat::braking, number("rad/s^2").above(0).max(1e7),
                "deceleration that a controller counts on for stopping")
      .required("jerk", &Flat::jerk, number("rad/s^3").above(0).max(1e10))
      .required("torque", &Flat::torque, number("N m").above(0).max(1e6))
      .required("torque_rate", &Flat::torque_rate, number("N m/s").above(0).max(1e9))
      .optional("velocity_curve", &Flat::velocity_curve, curve,
                "where the velocity limit depends on the position")
      .check([](const Flat& f) -> std::optional<Fault> {
        if (f.position && (*f.position)[0] >= (*f.position)[1])
          return Fault{fmt::format("is {} to {}", (*f.position)[0], (*f.position)[1]),
                       "the lower end must be smaller", "position"};
        if (f.braking > f.acceleration)
          return Fault{
              fmt::format("is {}, more than the acceleration {}", f.braking, f.acceleration),
              "it must be at most that", "braking"};
        return std::nullopt;
      })
      .map([](Flat f) {
        JointEntry entry{f.place, f.position, f};
        entry.limits.continuous = !f.position;
        if (f.position) {
          entry.limits.lower = (*f.position)[0];
          entry.limits.upper = (*f.position)[1];
        }
        return entry;
      });
}

Schema<LimitsFile> limits_schema() {
  const auto cartesian =
      object<CartesianLimits>("CartesianLimits", "of the flange")
          .required("velocity", &CartesianLimits::velocity, number("m/s").above(0).max(1e4))
          .required("acceleration", &CartesianLimits::acceleration,
                    number("m/s^2").above(0).max(1e7))
          .required("jerk", &CartesianLimits::jerk, number("m/s^3").above(0).max(1e10))
          .required("angular_velocity", &CartesianLimits::angular_velocity,
                    number("rad/s").above(0).max(1e4))
          .required("angular_acceleration", &CartesianLimits::angular_acceleration,
                    number("rad/s^2").above(0).max(1e7))
          .required("angular_jerk", &CartesianLimits::angular_jerk,
                    number("rad/s^3").above(0).max(1e10));
  const auto elbow =
      object<ElbowLimits>("ElbowLimits", "where the maker limits the elbow's motion")
          .required("body", &ElbowLimits::body, text(), "whose frame is the elbow")
          .required("velocity", &ElbowLimits::velocity, number("m/s").above(0).max(1e4))
          .required("acceleration", &ElbowLimits::acceleration, number("m/s^2").above(0).max(1e7))
          .required("jerk", &ElbowLimits::jerk, number("m/s^3").above(0).max(1e10));
  return object<LimitsFile>("Limits", "limits.yaml: what a robot may do; SI and radians")
      .required("rate", &LimitsFile::rate, rate(), "at which the robot takes commands")
      .required("joints", &LimitsFile::joints, dictionary(joint_schema()), "by joint name")
      .optional("cartesian", &LimitsFile::cartesian, cartesian)
      .optional("elbow", &LimitsFile::elbow, elbow);
}

struct GroupEntry : ActuatorGroup {
  Place place;
  std::optional<GripperEntry> jaws;
};
struct SensorEntry : SensorDescription {
  Place place;
};

struct RepairEntry : InertiaRepair {
  Place place;
};

struct RobotFile {
  std::string name;
  FolderKind kind = FolderKind::kRobot;
  std::filesystem::path model;
  std::optional<std::filesystem::path> limits;
  std::optional<Located<std::string>> mount;
  std::vector<GroupEntry> groups;
  bool maker_gravity_compensation = false;
  std::vector<Located<std::vector<std::string>>> ignored_pairs;
  std::vector<std::pair<std::string, Located<JointValues>>> poses;
  std::vector<SensorEntry> sensors;
  std::vector<SuctionEntry> suctions;
  std::vector<RepairEntry> repairs;
  std::vector<Located<std::string>> rolling;
};

// One function, since it is the table of all keys.
ObjectSchema<RobotFile> robot_schema() {
  const auto group =
      object<GroupEntry>("Group", "joints that are commanded together")
          .place(&GroupEntry::place)
          .required("name", &GroupEntry::name, text().identifier())
          .required("joints", &GroupEntry::joints, list(text()).min_size(1))
          .required("drive", &GroupEntry::drive,
                    choice<Drive>({{"torque", Drive::kTorque},
                                   {"velocity", Drive::kVelocity},
                                   {"position", Drive::kPosition}}),
                    "what the maker's interface takes")
          .optional("torque_rate", &GroupEntry::torque_rate, boolean(),
                    "torque: its rate is limited as limits.yaml says")
          .optional("lag", &GroupEntry::lag, number("s").min(0).max(1),
                    "velocity, position: time constant of the drive's first-order lag")
          .optional("delay_ticks", &GroupEntry::delay_ticks, integer().min(0).max(100),
                    "ticks of the robot's rate before a command acts")
          .optional("servo_frequency", &GroupEntry::servo_frequency, number("Hz").above(0).max(200),
                    "velocity, position: natural frequency of the simulated joint servo")
          .optional("gripper", &GroupEntry::jaws, gripper_schema(),
                    "the joints are jaws, and commanded by width, speed and force")
          .check([](const GroupEntry& entry) -> std::optional<Fault> {
            if (entry.drive == Drive::kTorque && entry.lag > 0.0)
              return Fault{"stands beside a torque drive, which has none",
                           "leave it out, or set it to 0", "lag"};
            if (entry.drive != Drive::kTorque && entry.torque_rate)
              return Fault{"stands beside a drive that takes no torques",
                           "leave it out, or set it to false", "torque_rate"};
            if (entry.jaws && entry.drive != Drive::kPosition)
              return Fault{"is not a position drive, and has a gripper",
                           "a gripper's own controller moves its jaws: say 'drive: position'",
                           "drive"};
            if (entry.jaws && entry.lag > 0.0)
              return Fault{"stands beside a gripper, which goes by its speed",
                           "leave it out, or set it to 0", "lag"};
            return std::nullopt;
          });
  const auto sensor = object<SensorEntry>("Sensor")
                          .place(&SensorEntry::place)
                          .required("name", &SensorEntry::name, text().identifier())
                          .required("type", &SensorEntry::type, text().one_of({"force_torque"}))
                          .required("site", &SensorEntry::site, text(),
                                    "frame in which it reads; it carries that frame's body");
  const auto repair =
      object<RepairEntry>("Repair",
                          "a published number that no body can have, and what is used instead")
          .place(&RepairEntry::place)
          .required("body", &RepairEntry::body, text())
          .required("what", &RepairEntry::what, text())
          .required("published", &RepairEntry::published, text())
          .required("used", &RepairEntry::used, text())
          .required("reason", &RepairEntry::reason, text());
  return object<RobotFile>("Robot", "robot.yaml: what a folder of robots/ holds")
      .required("name", &RobotFile::name, text().identifier())
      .required("kind", &RobotFile::kind,
                choice<FolderKind>({{"robot", FolderKind::kRobot}, {"tool", FolderKind::kTool}}))
      .required("model", &RobotFile::model, file(),
                "MJCF: bodies, joints, shapes; sites are frames")
      .optional("limits", &RobotFile::limits, file(),
                "of robots, and of tools with driven joints: limits.yaml")
      .optional("mount", &RobotFile::mount, located(text()), "frame where a tool goes")
      .optional("groups", &RobotFile::groups, list<GroupEntry>(group))
      .optional("maker_gravity_compensation", &RobotFile::maker_gravity_compensation, boolean(),
                "the maker's controller adds gravity to torque commands itself")
      .optional("ignored_pairs", &RobotFile::ignored_pairs, list(located(list(text()).size(2))),
                "bodies that never collide, besides parent and child")
      .optional("poses", &RobotFile::poses, dictionary(located(joint_values())),
                "one value a joint of the first group, or by names: all joints of the first group, "
                "and of any other group all or none")
      .optional("sensors", &RobotFile::sensors, list<SensorEntry>(sensor))
      .optional("suction", &RobotFile::suctions, list(suction_schema()))
      .optional("rolling", &RobotFile::rolling, list(located(text())),
                "frames that do not slip along their y axis")
      .optional("repairs", &RobotFile::repairs, list<RepairEntry>(repair));
}

// Gathers what is wrong between the files, each with its place.
class CrossCheck {
 public:
  CrossCheck(const RobotFile& file, const std::filesystem::path& yaml,
             const ModelDescription& description)
      : file_(file), yaml_(yaml), description_(description) {
    for (const auto& body : description.bodies) {
      bodies_.push_back(body.name);
      for (const auto& shape : body.shapes) shapes_.push_back(shape.name);
      for (const auto& joint : body.joints) {
        joints_.push_back(&joint);
        joint_names_.push_back(joint.name);
      }
    }
    for (const auto& frame : description.frames) frames_.push_back(frame.name);
  }

  void groups(const RobotLimits& limits) {
    std::vector<std::string> driven, names;
    for (const auto& group : file_.groups) {
      if (std::ranges::count(names, group.name))
        report(group.place, "group '" + group.name + "' is named twice", "");
      names.push_back(group.name);
      for (const auto& name : group.joints) {
        if (!known(group.place, "joint", name, joint_names_)) continue;
        if (std::ranges::count(driven, name))
          report(group.place, "joint '" + name + "' is driven twice", "list it in one group");
        driven.push_back(name);
        if (!limits.find(name))
          report(group.place, "joint '" + name + "' has no limits", "add it to limits.yaml");
      }
    }
    if (file_.kind == FolderKind::kRobot && file_.groups.empty())
      report({yaml_.string(), 0, 0}, "a robot has no actuator groups",
             "list its driven joints under 'groups'");
  }

  // Needs groups without faults.
  void grippers(std::vector<ActuatorGroup>& groups, const RobotLimits& limits) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto& entry = file_.groups[g];
      if (!entry.jaws) continue;
      bool all = true;
      for (const auto& pad : entry.jaws->gripper.pads)
        all = (pad.frame.empty() ? known(entry.jaws->place, "body", pad.body, bodies_)
                                 : known(entry.jaws->place, "frame", pad.frame, frames_)) &&
              all;
      if (!all) continue;
      groups[g].gripper = entry.jaws->gripper;
      for (auto& [cause, hint] :
           complete(*groups[g].gripper, *entry.jaws, entry.joints, limits, description_))
        report(entry.jaws->place, std::move(cause), std::move(hint));
    }
  }

  void limits(const LimitsFile& file) {
    for (const auto& [name, entry] : file.joints) {
      if (!known(entry.place, "joint", name, joint_names_)) continue;
      const JointDescription& joint = **std::ranges::find(joints_, name, &JointDescription::name);
      const JointLimits& l = entry.limits;
      if (joint.range && l.continuous)
        report(entry.place, "joint '" + name + "' has mechanical stops but no position limits",
               "give position: [lower, upper]");
      if (joint.range && !l.continuous &&
          (l.lower < (*joint.range)[0] - kAngleRounding ||
           l.upper > (*joint.range)[1] + kAngleRounding))
        report(entry.place,
               fmt::format("joint '{}' may go from {} to {}, beyond its mechanical stops {} to {}",
                           name, l.lower, l.upper, (*joint.range)[0], (*joint.range)[1]),
               "keep the limits within the stops");
      if (joint.effort && l.torque > *joint.effort * (1 + kAngleRounding))
        report(entry.place,
               fmt::format("joint '{}' may have {} N m, beyond its drive's {}", name, l.torque,
                           *joint.effort),
               "keep the limit within the drive's");
    }
    if (file.elbow) known({file_.limits->string(), 0, 0}, "body", file.elbow->body, bodies_);
  }

  void poses(const RobotLimits& limits) {
    for (const auto& [name, pose] : file_.poses) {
      const auto& joints =
          file_.groups.empty() ? std::vector<std::string>{} : file_.groups.front().joints;
      if (!pose.value.list) {
        pose_by_joint(name, pose, limits);
      } else if (pose.value.list->size() != static_cast<Eigen::Index>(joints.size())) {
        report(pose.place, fmt::format("pose '{}' has {} values", name, pose.value.list->size()),
               fmt::format("give one for each of the {} joints of the first group", joints.size()));
      } else {
        for (std::size_t i = 0; i < joints.size(); ++i)
          within_limits(name, pose.place, joints[i],
                        (*pose.value.list)[static_cast<Eigen::Index>(i)], limits);
      }
    }
  }

  void names() {
    if (file_.mount) known(file_.mount->place, "frame", file_.mount->value, frames_);
    for (const auto& pair : file_.ignored_pairs)
      for (const auto& body : pair.value) known(pair.place, "body", body, bodies_);
    for (const auto& sensor : file_.sensors) known(sensor.place, "frame", sensor.site, frames_);
    for (const auto& suction : file_.suctions) {
      bool all = known(suction.place, "frame", suction.site, frames_);
      all = known(suction.place, "shape", suction.shape, shapes_) && all;
      for (const auto& shape : suction.bellows_shapes)
        all = known(suction.place, "shape", shape, shapes_) && all;
      if (!all) continue;
      for (auto& [cause, hint] : suction_faults(suction, description_))
        report(suction.place, std::move(cause), std::move(hint));
    }
    for (const auto& repair : file_.repairs) known(repair.place, "body", repair.body, bodies_);
    for (const auto& frame : file_.rolling) known(frame.place, "frame", frame.value, frames_);
    if (file_.kind == FolderKind::kRobot && !file_.limits)
      report({yaml_.string(), 0, 0}, "a robot has no limits", "add 'limits: limits.yaml'");
  }

  void finish() {
    if (!issues_.empty()) throw ConfigError(std::move(issues_));
  }

 private:
  void report(const Place& place, std::string cause, std::string hint) {
    issues_.push_back({place, "", std::move(cause), std::move(hint)});
  }
  void within_limits(const std::string& pose, const Place& place, const std::string& joint,
                     double q, const RobotLimits& limits) {
    const JointLimits* l = limits.find(joint);
    if (l && !l->continuous && (q < l->lower - kAngleRounding || q > l->upper + kAngleRounding))
      report(place,
             fmt::format("pose '{}' puts joint '{}' at {}, outside its limits {} to {}", pose,
                         joint, q, l->lower, l->upper),
             "");
  }
  // it places groups as a whole, and the first one always
  void pose_by_joint(const std::string& name, const Located<JointValues>& pose,
                     const RobotLimits& limits) {
    std::vector<std::string> grouped;
    for (const auto& group : file_.groups)
      grouped.insert(grouped.end(), group.joints.begin(), group.joints.end());
    for (const auto& [joint, q] : pose.value.by_joint) {
      if (std::ranges::count(grouped, joint))
        within_limits(name, pose.place, joint, q, limits);
      else
        report(
            pose.place,
            fmt::format("pose '{}' names the joint '{}', which no group has", name, shown(joint)),
            did_you_mean(joint, grouped, "groups have"));
    }
    for (const auto& group : file_.groups) {
      std::vector<std::string> missing;
      for (const auto& joint : group.joints)
        if (!pose.value.find(joint)) missing.push_back(joint);
      const bool first = &group == &file_.groups.front();
      if (missing.empty() || (!first && missing.size() == group.joints.size())) continue;
      report(pose.place,
             missing.size() == group.joints.size()
                 ? fmt::format("pose '{}' misses the group '{}'", name, group.name)
                 : fmt::format("pose '{}' misses of the group '{}': {}", name, group.name,
                               joined(missing)),
             first ? fmt::format("the first group has a place in every pose; give all of: {}",
                                 joined(group.joints))
                   : "give all joints of a group, or none of them");
    }
  }
  bool known(const Place& place, const char* kind, const std::string& name,
             const std::vector<std::string>& names) {
    if (std::ranges::count(names, name)) return true;
    report(place, fmt::format("there is no {} '{}'", kind, name),
           did_you_mean(name, names, "the model has"));
    return false;
  }

  const RobotFile& file_;
  const std::filesystem::path& yaml_;
  const ModelDescription& description_;
  std::vector<const JointDescription*> joints_;
  std::vector<std::string> joint_names_, bodies_, shapes_, frames_;
  std::vector<Issue> issues_;
};

// checked before
Eigen::VectorXd first_of(const JointValues& values, const std::vector<std::string>& joints) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints.size()));
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (const double* value = values.find(joints[i])) q[static_cast<Eigen::Index>(i)] = *value;
  return q;
}

}  // namespace

std::optional<double> NamedPose::of(const std::string& joint,
                                    const std::vector<std::string>& first) const {
  if (const auto at = std::ranges::find(first, joint); at != first.end())
    return q[at - first.begin()];
  for (const auto& [other, value] : others)
    if (other == joint) return value;
  return std::nullopt;
}

const NamedPose* RobotFolder::pose(std::string_view pose_name) const {
  for (const auto& pose : poses)
    if (pose.name == pose_name) return &pose;
  return nullptr;
}

RobotFolder load_robot_folder(const std::filesystem::path& folder) {
  const std::filesystem::path yaml = folder / "robot.yaml";
  if (!std::filesystem::is_directory(folder))
    throw InputError(folder.string() + ": no such folder");
  const RobotFile file = load_yaml(yaml, robot_schema());
  DescribedFile model = read_mjcf(file.model);
  RobotFolder out;
  out.path = folder;
  out.name = file.name;
  out.kind = file.kind;
  out.description = std::move(model.description);
  out.description.name = file.name;
  out.notes = std::move(model.notes);
  for (const auto& frame : file.rolling) out.description.rollings.push_back({frame.value});
  std::optional<LimitsFile> limits;
  if (file.limits) {
    limits = load_yaml(*file.limits, limits_schema());
    out.limits.rate = limits->rate;
    out.limits.cartesian = limits->cartesian;
    out.limits.elbow = limits->elbow;
    for (const auto& [name, entry] : limits->joints)
      out.limits.joints.emplace_back(name, entry.limits);
  }
  CrossCheck check(file, yaml, out.description);
  check.names();
  check.groups(out.limits);
  if (limits) check.limits(*limits);
  check.poses(out.limits);
  check.finish();
  for (const auto& group : file.groups) out.groups.push_back(group);
  check.grippers(out.groups, out.limits);
  check.finish();

  if (file.mount) out.mount = file.mount->value;
  out.maker_gravity_compensation = file.maker_gravity_compensation;
  for (const auto& pair : file.ignored_pairs)
    out.ignored_pairs.emplace_back(pair.value[0], pair.value[1]);
  for (const auto& [name, pose] : file.poses) {
    NamedPose named{name, {}};
    named.q = file.groups.empty() ? Eigen::VectorXd()
              : pose.value.list   ? *pose.value.list
                                  : first_of(pose.value, file.groups.front().joints);
    for (const auto& [joint, q] : pose.value.by_joint)
      if (!std::ranges::count(file.groups.front().joints, joint))
        named.others.emplace_back(joint, q);
    out.poses.push_back(std::move(named));
  }
  for (const auto& sensor : file.sensors) out.sensors.push_back(sensor);
  for (const auto& suction : file.suctions) out.suctions.push_back(suction);
  out.repairs.assign(file.repairs.begin(), file.repairs.end());
  return out;
}

std::filesystem::path find_robot_folder(const std::string& name,
                                        const std::filesystem::path& from) {
  std::vector<std::string> looked, names;
  const auto is_robot = [&](const std::filesystem::path& path) {
    std::string folder = path.lexically_normal().string();
    if (std::ranges::count(looked, folder) == 0) looked.push_back(std::move(folder));
    return std::filesystem::is_regular_file(path / "robot.yaml");
  };
  const auto in_robots = [&](const std::filesystem::path& folder) {
    if (is_robot(folder / "robots" / name)) return true;
    // what it may have been meant to be
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "robots", none))
      if (std::filesystem::is_regular_file(entry.path() / "robot.yaml", none))
        if (std::string other = entry.path().filename().string();
            std::ranges::count(names, other) == 0)
          names.push_back(std::move(other));
    return false;
  };
  refuse_robot_description(from / name);
  const auto scene_folder = std::filesystem::absolute(from).lexically_normal();
  if (is_robot(scene_folder / name)) return from / name;
  for (std::filesystem::path folder = scene_folder;; folder = folder.parent_path()) {
    if (in_robots(folder)) return folder / "robots" / name;
    if (folder == folder.parent_path()) break;
  }
  // own before shipped
  if (in_robots(data_folder())) return data_folder() / "robots" / name;
  std::ranges::sort(names);
  throw InputError(fmt::format("there is no robot '{}'; {} (no robot.yaml in {})", shown(name),
                               did_you_mean(name, names, "there are"), fmt::join(looked, ", ")));
}

Description robot_yaml_description() { return robot_schema().description(); }
Description limits_yaml_description() { return limits_schema().description(); }

}  // namespace handspan
