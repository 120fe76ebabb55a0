#include "import/import_setup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "import/import_base.hpp"
#include "import/import_groups.hpp"
#include "import/import_ready.hpp"
#include "import/import_srdf.hpp"
#include "import/near_bodies.hpp"

namespace handspan {
namespace {

const char* drive_name(Drive drive) {
  return drive == Drive::kTorque ? "torque" : drive == Drive::kVelocity ? "velocity" : "position";
}

class Setup {
 public:
  Setup(ImportedRobot& robot, const ImportOptions& options, const NamedStates& states)
      : robot_(robot), options_(options), states_(states) {}

  void run(const std::filesystem::path& srdf_file) {
    if (!srdf_file.empty()) srdf(srdf_file);
    const auto listed = robot_.ignored_pairs.size();
    for (const auto& pair : always_overlapping(robot_.description))
      if (!std::ranges::count(robot_.ignored_pairs, pair)) {
        robot_.ignored_pairs.push_back(pair);
        note(
            fmt::format("the shapes of '{}' and '{}' overlap or are nearer than 10 mm in each of "
                        "40 configurations: never checked",
                        pair.first, pair.second));
      }
    if (listed > 0) note(fmt::format("{} pairs of bodies of the file are never checked", listed));
    if (robot_.limits.empty()) return;
    groups();
    ready();
    poses();
  }

 private:
  void note(std::string text) { robot_.notes.push_back(std::move(text)); }

  void srdf(const std::filesystem::path& file) {
    Srdf srdf = read_srdf(file, robot_.description);
    note(fmt::format("groups, poses and disabled pairs are those of {}", file.filename().string()));
    for (auto& text : srdf.notes) note(std::move(text));
    for (auto& pair : srdf.disabled)
      if (!std::ranges::count(robot_.ignored_pairs, pair))
        robot_.ignored_pairs.push_back(std::move(pair));
    srdf_groups_ = std::move(srdf.groups);
    for (auto& state : srdf.states) states_.emplace_back(state.name, std::move(state.q));
  }

  void groups() {
    std::set<std::string> taken;
    std::vector<std::string> driven;
    for (const auto& l : robot_.limits) driven.push_back(l.joint);
    std::vector<ActuatorGroup> given;
    const auto add = [&](const std::string& name, std::vector<std::string> joints) {
      ActuatorGroup group;
      group.name = group_name(name);
      while (std::ranges::count(given, group.name, &ActuatorGroup::name) > 0) group.name += "_";
      taken.insert(joints.begin(), joints.end());
      group.joints = std::move(joints);
      given.push_back(std::move(group));
    };
    const auto are_driven = [&](std::vector<std::string> joints, const std::string& name) {
      std::erase_if(joints, [&](const std::string& joint) {
        const bool idle = !std::ranges::count(driven, joint);
        if (idle && name[0] == '-')
          note(fmt::format("{} names '{}', which is not driven", name, joint));
        return idle;
      });
      return joints;
    };
    for (const auto& [name, joints] : options_.groups)
      if (auto members = are_driven(joints, "--group " + name); !members.empty())
        add(name, std::move(members));
    const std::size_t own = given.size();
    std::vector<std::string> overlapping;
    for (const auto& [name, joints] : srdf_groups_) {
      auto members = are_driven(joints, name);
      if (members.empty()) continue;
      if (std::ranges::any_of(members, [&](const auto& j) { return taken.contains(j); }))
        overlapping.push_back(name);
      else
        add_apart(name, std::move(members), add);
    }
    if (!overlapping.empty())
      note(fmt::format("groups of the SRDF that share joints with others are not kept: {}",
                       fmt::join(overlapping, ", ")));
    // the first group has the poses: an arm where there is one
    std::stable_sort(
        given.begin() + static_cast<std::ptrdiff_t>(own), given.end(),
        [](const ActuatorGroup& a, const ActuatorGroup& b) { return is_arm(a) && !is_arm(b); });
    const std::vector<std::string> base = base_joints(taken);
    std::vector<std::string> rest;
    for (const auto& joint : driven)
      if (!taken.contains(joint) && !std::ranges::count(base, joint)) rest.push_back(joint);
    auto found = groups_by_branches(robot_.description, rest);
    for (auto& group : found) {
      while (std::ranges::count(given, group.name, &ActuatorGroup::name) > 0) group.name += "_";
      given.push_back(std::move(group));
    }
    // drives of given groups follow their kind, as those by branches do
    const bool arms = std::ranges::any_of(given, is_arm);
    for (std::size_t i = 0; i < given.size() - found.size(); ++i)
      given[i].drive = i == 0 || !arms || is_arm(given[i]) ? Drive::kTorque : Drive::kPosition;
    for (auto& group : given)
      if (options_.drive) group.drive = *options_.drive;
    if (!base.empty()) {
      ActuatorGroup group;
      group.name = "base";
      while (std::ranges::count(given, group.name, &ActuatorGroup::name) > 0) group.name += "_";
      group.joints = base;
      group.drive = Drive::kVelocity;
      given.push_back(std::move(group));
    }
    robot_.groups = std::move(given);
    for (const auto& group : robot_.groups)
      note(fmt::format("group {}: {}; {} drive", group.name, fmt::join(group.joints, ", "),
                       drive_name(group.drive)));
    for (const auto& group : robot_.groups)
      if (group.name.find("gripper") != std::string::npos ||
          group.name.find("hand") != std::string::npos)
        note(fmt::format(
            "group {}: for commands of width and force give it `gripper:` in robot.yaml, which "
            "says where it is shut and open (docs/grippers.md)",
            group.name));
    if (!options_.drive)
      note(
          "the drives are handspan's default (arms and legs torque, wheels velocity, what is "
          "beside them position): state what the maker's interface takes with --drive, or in "
          "robot.yaml");
  }

  // A group of an SRDF that holds an arm and its jaws: what commands the arm does not command
  // these.
  template <class Add>
  void add_apart(const std::string& name, std::vector<std::string> joints, const Add& add) {
    const auto parts = groups_by_branches(robot_.description, joints);
    const auto jaws = std::ranges::find_if(parts, [](const ActuatorGroup& part) {
      return part.name.find("gripper") != std::string::npos ||
             part.name.find("hand") != std::string::npos;
    });
    if (parts.size() != 2 || jaws == parts.end()) return add(name, std::move(joints));
    const ActuatorGroup& arm = parts[jaws == parts.begin() ? 1 : 0];
    note(fmt::format("group {} of the SRDF has an arm and jaws: they are apart, as {} and {}", name,
                     name, jaws->name));
    add(name, arm.joints);
    add(jaws->name, jaws->joints);
  }

  // those that --base added, unless a group of the options has them
  std::vector<std::string> base_joints(const std::set<std::string>& taken) const {
    std::vector<std::string> base;
    for (const char* joint : kBaseJoints)
      if (options_.base && !taken.contains(joint)) base.emplace_back(joint);
    return base;
  }

  static bool is_arm(const ActuatorGroup& group) {
    return group.name.find("arm") != std::string::npos ||
           group.name.find("manipulator") != std::string::npos;
  }

  void ready() {
    const ReadyPose found = find_ready(robot_);
    robot_.poses.push_back({"ready", found.q});
    for (const auto& pair : found.standing) {
      robot_.ignored_pairs.push_back(pair);
      note(fmt::format(
          "the shapes of '{}' and '{}' overlap where their joints start, and no arm or leg "
          "moves one against the other: never checked",
          pair.first, pair.second));
    }
    for (const auto& pair : found.mostly) {
      robot_.ignored_pairs.push_back(pair);
      note(
          fmt::format("the shapes of '{}' and '{}' overlap or are nearer than 10 mm in 95 % of 402 "
                      "poses or more: never checked",
                      pair.first, pair.second));
    }
    for (const auto& [a, b] : found.overlaps)
      note(fmt::format(
          "'{}' and '{}' overlap at ready, the best of 402 poses: correct their shapes in "
          "model.xml, add the pair to ignored_pairs, or start elsewhere",
          a, b));
  }

  // poses of the file, where they place every joint of the first group within its limits
  void poses() {
    const auto& joints = robot_.groups.front().joints;
    std::vector<std::string> dropped;
    for (const auto& [name, q] : states_) {
      NamedPose pose{group_name(name == "ready" ? "ready_of_file" : name),
                     Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints.size()))};
      bool whole = !std::ranges::any_of(
          robot_.poses, [&](const NamedPose& other) { return other.name == pose.name; });
      for (std::size_t i = 0; i < joints.size(); ++i) {
        const auto value = q.find(joints[i]);
        const JointLimits& l =
            std::ranges::find(robot_.limits, joints[i], &ImportedLimits::joint)->limits;
        whole = whole && value != q.end() &&
                (l.continuous || (value->second >= l.lower && value->second <= l.upper));
        if (whole) pose.q[static_cast<Eigen::Index>(i)] = value->second;
      }
      if (whole)
        robot_.poses.push_back(std::move(pose));
      else
        dropped.push_back(name);
    }
    if (!dropped.empty())
      note(
          fmt::format("poses of the file that do not place all joints of '{}' within their limits, "
                      "or are named twice, are not kept: {}",
                      robot_.groups.front().name, fmt::join(dropped, ", ")));
  }

  ImportedRobot& robot_;
  const ImportOptions& options_;
  NamedStates states_;
  std::vector<std::pair<std::string, std::vector<std::string>>> srdf_groups_;
};

}  // namespace

void set_up(ImportedRobot& robot, const ImportOptions& options, const NamedStates& states) {
  Setup(robot, options, states).run(options.srdf.value_or(robot.srdf));
}

}  // namespace handspan
